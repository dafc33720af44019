/** The service's side of `webhook listen`: follows an integration's events without an endpoint. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Queryable } from '../db/database.ts'
import { type FeedEvent, feedEnd, LAST_SEQUENCE, type MarkedPosition, readFeed } from '../events/feed.sql.ts'
import { WebhookError } from './errors.ts'

const POLL_MS = 300
const WAIT_MS = 15_000
const LIMIT = 1_000

export type FollowOptions = {
  integrationId: string
  /** `next` of the previous call; undefined: begin now, with no events. */
  after?: string | undefined
  /** Ends the waiting early, with no events. */
  signal: AbortSignal
  /** How long to wait for an event; default 15,000. */
  waitMs?: number
}

/**
 * Waits for events that happened after the cursor and returns them as soon as there are any, each exactly once along a
 * chain of cursors; after a while it returns none. At most 1,000 come at a time.
 * @throws WebhookError NOT_FOUND (integration), BAD_REQUEST (cursor)
 */
export async function followEvents(
  db: Queryable,
  { integrationId, after, signal, waitMs = WAIT_MS }: FollowOptions,
): Promise<{ events: FeedEvent[]; next: string }> {
  const end = await feedEnd(db, integrationId)
  if (end === undefined) throw new WebhookError('NOT_FOUND', `There is no integration ${integrationId.slice(0, 100)}.`)
  if (after === undefined) return { events: [], next: formatPosition(end) }
  const from = parsePosition(after)
  if (from === undefined) throw new WebhookError('BAD_REQUEST', '"after" must be the "next" of an earlier answer.')
  const deadline = performance.now() + waitMs
  for (;;) {
    const { events, next } = await readFeed(db, integrationId, { after: from, types: null, since: null, limit: LIMIT })
    if (events.length > 0 || signal.aborted || performance.now() >= deadline)
      return { events, next: formatPosition(next) }
    await pause(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

function formatPosition({ transactionId, sequence, mark }: MarkedPosition): string {
  return `${transactionId}-${sequence}-${mark}`
}

function parsePosition(text: string): MarkedPosition | undefined {
  const [, transactionId, sequence, mark] = /^(\d{1,18})-(\d{1,19})-(\d{1,15})$/.exec(text) ?? []
  if (transactionId === undefined || sequence === undefined || mark === undefined) return undefined
  const position = { transactionId: BigInt(transactionId), sequence: BigInt(sequence), mark: BigInt(mark) }
  return position.sequence <= LAST_SEQUENCE ? position : undefined
}
