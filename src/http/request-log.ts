/** One log line for each request. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'

/** What is measured about each request; `route` is the pattern, so that it takes few values. */
export type HttpMetrics = { observe(request: { method: string; route: string; status: number; seconds: number }): void }

/**
 * Logs a request when its answer is sent or its client is gone: never the raw URL, a body, a header or a key, only what
 * this service chose (the route's pattern, the key's public id) or the HTTP parser knows (the method).
 */
export function logWhenDone(
  { logger, metrics }: { logger: Logger; metrics: HttpMetrics | undefined },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const startedMs = performance.now()
  reply.raw.on('close', () => {
    const tookMs = performance.now() - startedMs
    const { method, id: correlationId } = request
    const route = request.routeOptions.url ?? 'unmatched'
    const status = reply.raw.statusCode
    const durationMs = Math.round(tookMs * 1000) / 1000
    const line = { method, route, status, durationMs, keyId: request.apiKey?.keyId, correlationId }
    if (reply.raw.writableFinished) logger.info(line, 'request')
    else logger.info({ ...line, aborted: true }, 'request')
    metrics?.observe({ method, route, status, seconds: tookMs / 1000 })
  })
}
