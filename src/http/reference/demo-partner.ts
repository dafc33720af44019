/** The partner of a sandbox's own, whose key the pages fill in: who may see it. */
import type { FastifyRequest } from 'fastify'
import { isLoopbackHost } from '../../config/loopback.ts'
import type { FILLED } from './code.ts'

/** Names as samples have them → values. The address of the API is that of the page. */
export type DemoPartner = Readonly<Record<Exclude<(typeof FILLED)[number], 'COIN_API'>, string>>

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/

/** What proxies add. */
const PROXIED =
  /^(forwarded|via|x-(forwarded|real|original|client|envoy|amzn|cluster|azure)-.*|cf-.*|true-client-ip|fly-client-ip)$/

/**
 * Whether a page on this machine asks, of this machine: no other address, no proxy, no name that somebody else may point
 * here (DNS rebinding), and no page of another site. A proxy that adds no header, and puts the machine's name in place of its own, shows in the page's
 * Referer, which names where the browser got the page from. A client that lies about that, behind such a proxy, does not show at all.
 */
export function asksOnThisMachine({ raw, headers }: Pick<FastifyRequest, 'raw' | 'headers'>): boolean {
  const site = headers['sec-fetch-site']
  const url = `http://${headers.host ?? ''}`
  return (
    LOOPBACK.test(raw.socket.remoteAddress ?? '') &&
    !Object.keys(headers).some((name) => PROXIED.test(name)) &&
    URL.canParse(url) &&
    isLoopbackHost(new URL(url).hostname) &&
    (site === undefined || site === 'same-origin') &&
    hostOf(headers.referer) === new URL(url).host
  )
}

function hostOf(page: string | undefined): string | undefined {
  return page !== undefined && URL.canParse(page) ? new URL(page).host : undefined
}
