/** One log line for each request. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { createLines } from '../logs/lines.ts'

/** What is measured about each request; `route` is the pattern, so that it takes few values. */
export type HttpMetrics = { observe(request: { method: string; route: string; status: number; seconds: number }): void }

declare module 'fastify' {
  interface FastifyRequest {
    /** The pattern of a route with a key, once it looks at the request: `routeOptions` makes a record of fifteen fields each time it is read. */
    pattern: string
  }
}

/** Writes a line with these fields, given as the JSON text of members. */
type WriteLine = (fields: string) => void

export type RequestLog = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * Logs a request when its answer is sent or its client is gone: never the raw URL, a body, a header or a key, only what
 * this service chose (the route's pattern, the key's public id) or the HTTP parser knows (the method).
 */
export function createRequestLog(logger: Logger, metrics: HttpMetrics | undefined): RequestLog {
  /** By route, method and status, which take few values: these fields are then written once, not for each line. */
  const forms = new Map<string, Map<string, Map<number, WriteLine>>>()
  const formOf = (method: string, route: string, status: number): WriteLine => {
    const byMethod = entryOf(forms, route, newMap<string, Map<number, WriteLine>>)
    const byStatus = entryOf(byMethod, method, newMap<number, WriteLine>)
    return entryOf(byStatus, status, () => createLines(logger, { method, route, status }, 'request'))
  }

  return (request, reply) => {
    const startedMs = performance.now()
    reply.raw.on('close', () => {
      const tookMs = performance.now() - startedMs
      const { method, id: correlationId } = request
      const route = request.pattern || (request.routeOptions.url ?? 'unmatched')
      const status = reply.raw.statusCode
      const durationMs = Math.round(tookMs * 1000) / 1000
      // Ids of our own making: digits, letters and dashes.
      const key = request.apiKey === null ? '' : `,"keyId":"${request.apiKey.keyId}"`
      const aborted = reply.raw.writableFinished ? '' : ',"aborted":true'
      const write = formOf(method, route, status)
      write(`,"durationMs":${durationMs}${key},"correlationId":"${correlationId}"${aborted}`)
      metrics?.observe({ method, route, status, seconds: tookMs / 1000 })
    })
  }
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const there = map.get(key)
  if (there !== undefined) return there
  const made = make()
  map.set(key, made)
  return made
}

function newMap<K, V>(): Map<K, V> {
  return new Map()
}
