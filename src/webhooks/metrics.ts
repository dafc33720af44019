/** What the courier reports about itself, and what others report of webhooks that wait. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type CourierMetrics = {
  /** Called after every POST. `durationMs` is the time the endpoint took. */
  attempted(result: 'acknowledged' | 'failed', durationMs: number): void
  /** Called after a delivery has come to its end. */
  ended(status: 'delivered' | 'exhausted' | 'dropped'): void
  /** Called for each delivery that waits because no key opens its endpoint's secret here. */
  secretUnopened(): void
  /** Called after every look for work, with the number in flight in this process. */
  inFlight(count: number): void
}

const WEBHOOK_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** The metrics of a courier. */
export function createCourierMetrics(registry: Registry): CourierMetrics {
  const registers = [registry]
  const attempts = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Webhook delivery attempts by result',
    labelNames: ['result'],
    buckets: WEBHOOK_BUCKETS_SECONDS,
    registers,
  })
  const ended = new Counter({
    name: 'webhook_deliveries_total',
    help: 'Webhook deliveries that came to their end',
    labelNames: ['status'],
    registers,
  })
  for (const status of ['delivered', 'exhausted', 'dropped']) ended.inc({ status }, 0)
  const unopened = new Counter({
    name: 'webhook_secrets_unopened_total',
    help: 'Deliveries put off because no key opens the secret of their endpoint',
    registers,
  })
  const inFlight = new Gauge({ name: 'webhook_attempts_in_flight', help: 'Webhook attempts under way', registers })
  return {
    attempted: (result, durationMs) => attempts.observe({ result }, durationMs / 1000),
    ended: (status) => ended.inc({ status }),
    secretUnopened: () => unopened.inc(),
    inFlight: (count) => inFlight.set(count),
  }
}

/**
 * Registers the gauge of webhooks that wait although their time has come, for whoever would not hear of it from a courier that is not there.
 * Endpoints for which nothing waits are not shown.
 */
export function showOverdue(registry: Registry, read: () => Promise<ReadonlyMap<string, number>>): void {
  new Gauge({
    name: 'webhook_overdue_seconds',
    help: 'How long the first due delivery of an endpoint has waited beyond its time; the 20 that wait longest',
    labelNames: ['endpoint'],
    registers: [registry],
    async collect() {
      const overdue = await read().catch(() => undefined)
      if (overdue === undefined) return
      this.reset()
      for (const [endpoint, seconds] of overdue) this.set({ endpoint }, seconds)
    },
  })
}
