/** GET /livez, /readyz, /metrics: for orchestrators and Prometheus, without a token; they reveal no business data. */
import type { FastifyInstance } from 'fastify'
import type { ProbeDeps } from '../deps.ts'

export function probeRoutes(app: FastifyInstance, { health, metrics }: ProbeDeps): void {
  app.get('/livez', async () => ({ ok: true }))

  app.get('/readyz', async (_request, reply) => {
    const { ready, ...report } = await health()
    return reply.status(ready ? 200 : 503).send({ ok: ready, ...report })
  })

  if (metrics === undefined) return
  // Whoever asks while they are read gets the same text: who asks often, and takes none of the answers, holds one and not thousands.
  let asked: Promise<string> | undefined
  app.get('/metrics', async (_request, reply) => {
    asked ??= metrics.metrics().finally(() => {
      asked = undefined
    })
    return reply.type(metrics.contentType).send(await asked)
  })
}
