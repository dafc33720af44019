/** One claimed delivery: sign, post, judge, record. */
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { endOf } from './end.ts'
import { disableEndpoint, lockUrl } from './endpoints/endpoints.sql.ts'
import type { CourierMetrics } from './metrics.ts'
import type { ClaimedDelivery, Verdict } from './queue/claimed-delivery.ts'
import { endUnattempted, postponeUnattempted, recordAttempt } from './queue/queue.sql.ts'
import { nextAttemptAt } from './schedule.ts'
import type { Send, SendOutcome } from './send.ts'
import { signatureHeader } from './signature.ts'

const GONE = 410
/** How long a delivery waits whose endpoint's secret does not open here. */
const UNREADABLE_PAUSE_MS = 60_000
const RECORD_TRIES = 5
const RECORD_PAUSE_MS = 250

export type AttemptDeps = {
  db: Database
  logger: Logger
  secrets: SecretBox
  send: Send
  metrics?: CourierMetrics | undefined
  /** How long this process's clock has yet to run evenly before it is believed. */
  untilSteadyMs: () => number
  /** A test's clock, instead of this process's. */
  clock?: (() => Date) | undefined
}

/**
 * Attempts a delivery once, outside any transaction, and records what came of it.
 * @throws the database's error when the result could not be recorded: the claim then expires, and the delivery is sent
 * again
 */
export async function attemptDelivery(deps: AttemptDeps, claimed: ClaimedDelivery): Promise<void> {
  const ended = endOf(claimed, deps.clock?.() ?? new Date(), deps.untilSteadyMs())
  if (typeof ended === 'object') {
    deps.logger.warn(namesOf(claimed), ended.doubt)
    return await postponeUnattempted(deps.db, claimed, ended.pauseMs)
  }
  if (ended !== undefined) {
    await endUnattempted(deps.db, claimed, ended)
    if (ended === 'exhausted') warnExhausted(deps, claimed)
    deps.metrics?.ended(ended)
    return
  }
  const secret = readSecret(deps, claimed)
  if (secret === undefined) {
    deps.metrics?.secretUnopened()
    return await postponeUnattempted(deps.db, claimed, UNREADABLE_PAUSE_MS)
  }
  const outcome = await signAndSend(deps, claimed, secret)
  const verdict = judge(claimed, outcome, Math.random())
  const { status } = await withRetries(() => record(deps, claimed, outcome, verdict))
  deps.metrics?.attempted(outcome.error === null ? 'acknowledged' : 'failed', outcome.durationMs)
  if (status !== 'due') deps.metrics?.ended(status)
  if (status === 'exhausted') warnExhausted(deps, claimed)
  deps.logger.debug({ ...namesOf(claimed), ...shown(outcome), status }, 'webhook attempted')
}

/**
 * What an outcome means for its delivery.
 * @param random from 0 to 1: how much earlier than scheduled the next attempt is made
 */
function judge(claimed: ClaimedDelivery, outcome: SendOutcome, random: number): Verdict {
  if (outcome.error === null) return { status: 'delivered' }
  return outcome.httpStatus === GONE ? { status: 'dropped' } : judgeFailed(claimed, outcome, random)
}

function judgeFailed(claimed: ClaimedDelivery, outcome: SendOutcome, random: number): Verdict {
  const endedAt = new Date(claimed.claimedAt.getTime() + outcome.durationMs)
  const next = nextAttemptAt(claimed.attempts + 1, claimed.scheduledFrom, endedAt, random)
  return next === undefined ? { status: 'exhausted' } : { status: 'due', nextAttemptAt: next }
}

/** Undefined when it was sealed under a key that this process does not have: that is nothing the partner's endpoint did. */
function readSecret({ secrets, logger }: AttemptDeps, claimed: ClaimedDelivery): string | undefined {
  try {
    return secrets.open(claimed.secretEncrypted, claimed.endpointId)
  } catch (error) {
    logger.error({ ...namesOf(claimed), err: error }, "a webhook endpoint's secret cannot be read; its deliveries wait")
    return undefined
  }
}

/** Signed by the clock of a process, which is what partners compare with theirs (`GET /v1/system/time`), and not by the database's. */
function signAndSend({ send, clock }: AttemptDeps, claimed: ClaimedDelivery, secret: string): Promise<SendOutcome> {
  const { url, payload } = claimed
  return send({ url, body: payload, signature: signatureHeader(secret, payload, clock?.() ?? new Date()) })
}

/** @returns what was recorded: an address that is gone is no word about the one that the endpoint has been given meanwhile */
async function record(
  deps: AttemptDeps,
  claimed: ClaimedDelivery,
  outcome: SendOutcome,
  verdict: Verdict,
): Promise<Verdict> {
  if (verdict.status !== 'dropped') {
    await recordAttempt(deps.db, { claimed, outcome, verdict })
    return verdict
  }
  const { recorded, disabled } = await deps.db.transaction(async (tx) => {
    const url = await lockUrl(tx, claimed.endpointId)
    const hasNewUrl = url !== undefined && url !== claimed.url
    const recorded = hasNewUrl ? judgeFailed(claimed, outcome, Math.random()) : verdict
    const moved = await recordAttempt(tx, { claimed, outcome, verdict: recorded })
    const reason = `The endpoint answered 410 Gone to ${claimed.eventId} at ${claimed.claimedAt.toISOString()}.`
    const disabled = moved && !hasNewUrl ? await disableEndpoint(tx, claimed.endpointId, reason) : undefined
    return { recorded, disabled }
  })
  if (disabled !== undefined) deps.logger.warn(namesOf(claimed), 'a webhook endpoint answered 410 and was disabled')
  return recorded
}

/** Tries a few times, so that what was sent is not sent again only because the database was away for a moment. */
async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await work()
    } catch (error) {
      if (turn === RECORD_TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, RECORD_PAUSE_MS * turn))
    }
  }
}

function warnExhausted({ logger }: AttemptDeps, claimed: ClaimedDelivery): void {
  logger.warn(namesOf(claimed), 'a webhook was not acknowledged in 24 hours and is given up')
}

function namesOf({ deliveryId, eventId, endpointId, claim }: ClaimedDelivery) {
  return { deliveryId: deliveryId.toString(), eventId, endpointId, attempt: claim }
}

function shown({ httpStatus, error, durationMs }: SendOutcome) {
  return { httpStatus, error, durationMs }
}
