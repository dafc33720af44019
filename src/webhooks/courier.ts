/**
 * The courier: claims due deliveries and attempts them, many at a time, each endpoint within its share. Deliveries
 * happen at least once: if the process dies, its deliveries are claimed again when their claims expire.
 */
import type { Logger } from 'pino'
import { DELIVERIES_DUE } from '../db/channels.ts'
import type { Database } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { createLoop } from '../work-loop.ts'
import { attemptDelivery } from './attempt.ts'
import { createClockComparison } from './clocks-apart.ts'
import type { CourierMetrics } from './metrics.ts'
import type { ClaimedDelivery } from './queue/claimed-delivery.ts'
import { type DuePlace, hurryDeliveries } from './queue/clock-ahead.sql.ts'
import { DROPPED_AT_ONCE, dropUnwanted } from './queue/drop.sql.ts'
import { claimDue } from './queue/queue.sql.ts'
import { ACKNOWLEDGE_WITHIN_MS, createSender, type Send } from './send.ts'
import { createSlots } from './slots.ts'
import { createSteadyClock } from './steady-clock.ts'

const POLL_MS = 1000
const TEND_EVERY_MS = 60_000
/** Until the next part of what waits is looked at. */
const NEXT_PART_MS = 1_000
/**
 * Longer than an attempt and its recording take on a working database. If they take longer still, the cost is a second
 * delivery, no more.
 */
const CLAIM_MS = 30_000

export type CourierDeps = {
  db: Database
  logger: Logger
  secrets: SecretBox
  allowLoopback: boolean
  metrics?: CourierMetrics
  /** Deliveries in flight at a time. Default 256; half of them at most to endpoints that answer slowly. */
  maxInFlight?: number
  /** Deliveries in flight to one endpoint. Default 8. */
  maxPerEndpoint?: number
  /** An answer that takes longer than this is slow. Default 1,000. */
  slowMs?: number
  /** The contract's five seconds; tests shorten it. */
  timeoutMs?: number
  /** A test's clock, instead of the database's and this process's. */
  clock?: () => Date
  /** How long this process's clock has yet to run evenly before it is believed. Default: as `createSteadyClock` sees it. */
  untilSteadyMs?: () => number
}

export type Courier = {
  /** Starts working. A failure is logged and the work tried again. */
  start(): void
  /** Claims nothing more, and resolves when what is in flight is recorded. */
  stop(): Promise<void>
  /** Looks for due deliveries now. */
  wake(): void
}

/** Makes the courier of this process; several processes may each have one. */
export function createCourier(deps: CourierDeps): Courier {
  const { db, logger, clock } = deps
  const perEndpoint = deps.maxPerEndpoint ?? 8
  const slots = createSlots({ total: deps.maxInFlight ?? 256, slowMs: deps.slowMs ?? 1000 })
  const send = createSender({ allowLoopback: deps.allowLoopback, timeoutMs: deps.timeoutMs ?? ACKNOWLEDGE_WITHIN_MS })
  const untilSteadyMs = deps.untilSteadyMs ?? createSteadyClock()
  const compareClocks = createClockComparison(logger, () => clock?.() ?? new Date())
  const running = new Set<Promise<void>>()
  const tend = createTending(deps)
  const listening = createListening(deps)

  function launch(claimed: ClaimedDelivery): void {
    slots.take(claimed.endpointId)
    const watchedSend: Send = (request) => slots.watch(claimed.endpointId, () => send(request))
    const attempt = attemptDelivery({ ...deps, untilSteadyMs, send: watchedSend }, claimed)
      .catch((error: unknown) => logUnrecorded(logger, claimed, error))
      .then(() => {
        running.delete(attempt)
        slots.release(claimed.endpointId)
        loop.wake()
      })
    running.add(attempt)
  }

  async function claim(): Promise<void> {
    const limit = slots.free()
    if (limit === 0) return
    const { inFlight, slowEndpoints } = slots
    const slow = { slowEndpoints: [...slowEndpoints], slowLimit: slots.freeForSlow() }
    const now = clock?.() ?? null
    const claimed = await claimDue(db, { now, limit, perEndpoint, inFlight, ...slow, claimMs: CLAIM_MS })
    for (const delivery of claimed) launch(delivery)
    if (claimed[0] !== undefined) compareClocks(claimed[0].claimedAt)
    deps.metrics?.inFlight(running.size)
  }

  const loop = createLoop({
    name: 'courier',
    logger,
    failed: 'looking for due webhooks failed; it will be tried again',
    async work() {
      untilSteadyMs()
      await listening.begin(loop.wake)
      await tend()
      await claim()
      return { ms: POLL_MS, wakeable: true }
    },
  })

  return {
    start: loop.start,
    async stop() {
      await loop.stop()
      await Promise.all(running)
      await listening.end()
    },
    wake: loop.wake,
  }
}

function logUnrecorded(logger: Logger, { deliveryId, endpointId }: ClaimedDelivery, error: unknown): void {
  logger.error({ err: error, deliveryId: deliveryId.toString(), endpointId }, 'a webhook attempt was not recorded')
}

/**
 * Makes the look after what a clock that was ahead has put off, a part of what waits at a time, and all of it once a minute; and after what is due to
 * endpoints that were disabled.
 */
function createTending({ db, logger, clock }: Pick<CourierDeps, 'db' | 'logger' | 'clock'>): () => Promise<void> {
  let atMs = 0
  let from: DuePlace | undefined
  return async () => {
    if (performance.now() < atMs) return
    // Where it fails, too: what is due is not to wait for it.
    atMs = performance.now() + TEND_EVERY_MS
    const { hurried, next } = await hurryDeliveries(db, { now: clock?.() ?? null, claimMs: CLAIM_MS, from })
    from = next
    const areMoreUnwanted = (await dropUnwanted(db)) === DROPPED_AT_ONCE
    if (next !== undefined || areMoreUnwanted) atMs = performance.now() + NEXT_PART_MS
    if (hurried > 0)
      logger.warn(
        { deliveries: hurried },
        "webhooks waited for a time that is far away; the database's clock was ahead",
      )
  }
}

/** Hears of due deliveries. Without notifications polling goes on alone. */
function createListening({ db, logger }: Pick<CourierDeps, 'db' | 'logger'>) {
  let unlisten: (() => Promise<void>) | undefined
  return {
    async begin(wake: () => void): Promise<void> {
      try {
        unlisten ??= await db.listen(DELIVERIES_DUE, wake)
      } catch (error) {
        logger.warn({ err: error }, 'cannot listen for due webhooks yet; they are looked for every second')
      }
    },
    async end(): Promise<void> {
      await unlisten?.().catch((error: unknown) => logger.warn({ err: error }, 'could not stop listening for webhooks'))
    },
  }
}
