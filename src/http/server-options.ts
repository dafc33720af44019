/** Bounds of the HTTP server, and how it reads URLs. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { FastifyHttpOptions } from 'fastify'
import { compileAllowlist } from '../values/ip-allowlist.ts'

export type ServerTimeouts = {
  /** From the first byte of a request, or the connection, to the end of its headers. */
  headersMs: number
  /** From the same start to the end of its body. */
  requestMs: number
  /** Without a byte in either direction, even while an answer is being made. */
  connectionMs: number
  /** Between two requests. Longer than a load balancer keeps its connections (60 s is common). */
  keepAliveMs: number
  /** How often the first two are checked. */
  checkMs: number
}

export const TIMEOUTS: ServerTimeouts = {
  headersMs: 10_000,
  requestMs: 20_000,
  connectionMs: 90_000,
  keepAliveMs: 72_000,
  checkMs: 1_000,
}

/** Connections beyond this number are closed at once. */
export const MAX_CONNECTIONS = 10_000
/** All headers of a request together. */
export const MAX_HEADER_BYTES = 16 * 1024

/**
 * Fastify's options. They set no limit of requests per connection, because Node answers those above it with a bare 503.
 * @param trustedProxies addresses and CIDRs whose X-Forwarded-For is trusted
 */
export function serverOptions(timeouts: ServerTimeouts, trustedProxies: readonly string[]) {
  return {
    trustProxy: trustedProxies.length === 0 ? false : compileAllowlist(trustedProxies),
    genReqId: () => randomUUID(),
    rewriteUrl: routableUrl,
    // The longest parameter that fits the headers: the router itself would answer 414 to a longer one.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    exposeHeadRoutes: true,
    return503OnClosing: false,
    connectionTimeout: timeouts.connectionMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    requestTimeout: timeouts.requestMs,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkMs,
      // Node's own refusal has no body; the app refuses in the envelope.
      requireHostHeader: false,
    },
  } satisfies FastifyHttpOptions<Server>
}

/**
 * Makes a URL that the router can read and decode: in a path whose percent-encoding is broken or not UTF-8, each percent sign
 * stands for itself. The parameter then fails its format after authentication, like any other bad value. What is no URL becomes a path
 * that nobody has: the router would answer it by itself.
 */
export function routableUrl(request: Pick<IncomingMessage, 'url'>): string {
  const url = decodableUrl(request.url ?? '/')
  return isReadableTarget(url) ? url : `/${url}`
}

const ABSOLUTE = /^https?:\/\//i
const WITH_HOST = /^https?:\/\/[^/?]/i

/**
 * Whether a request's target is a path or, in the absolute form, a URL with a host; neither has a fragment (RFC 9112 3.2). The router would cut one off,
 * and a proxy that does not would have seen another path.
 */
export function isReadableTarget(url: string): boolean {
  if (url.includes('#')) return false
  return !ABSOLUTE.test(url) || (WITH_HOST.test(url) && URL.canParse(url))
}

function decodableUrl(url: string): string {
  if (!url.includes('%')) return url
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + (query === -1 ? '' : url.slice(query))
  }
}
