/** One log line for each request. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'

/** What is measured about each request; `route` is the pattern, so that it takes few values. */
export type HttpMetrics = { observe(request: { method: string; route: string; status: number; seconds: number }): void }

export type RequestLog = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * Logs a request when its answer is sent or its client is gone: never the raw URL, a body, a header or a key, only what
 * this service chose (the route's pattern, the key's public id) or the HTTP parser knows (the method).
 */
export function createRequestLog(logger: Logger, metrics: HttpMetrics | undefined): RequestLog {
  /** By route, method and status, which take few values: these fields are then written once, not for each line. */
  const loggers = new Map<string, Map<string, Map<number, Logger>>>()
  const loggerOf = (method: string, route: string, status: number): Logger => {
    const byStatus = entryOf(
      entryOf(loggers, route, newMap<string, Map<number, Logger>>),
      method,
      newMap<number, Logger>,
    )
    return entryOf(byStatus, status, () => logger.child({ method, route, status }))
  }

  return (request, reply) => {
    const startedMs = performance.now()
    reply.raw.on('close', () => {
      const tookMs = performance.now() - startedMs
      const { method, id: correlationId } = request
      const route = request.routeOptions.url ?? 'unmatched'
      const status = reply.raw.statusCode
      const durationMs = Math.round(tookMs * 1000) / 1000
      const line = { durationMs, keyId: request.apiKey?.keyId, correlationId }
      const lines = loggerOf(method, route, status)
      if (reply.raw.writableFinished) lines.info(line, 'request')
      else lines.info({ ...line, aborted: true }, 'request')
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
