/** The service's side of `webhook listen`: follows an integration's events without an endpoint. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Queryable } from '../db/database.ts'
import { WebhookError } from './errors.ts'
import { formatCursor, parseCursor } from './feed/cursor.ts'
import { eventsBetween, type FeedEvent, feedHorizon } from './feed/feed.sql.ts'

const POLL_MS = 300
const WAIT_MS = 15_000

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
 * chain of cursors; after a while it returns none. At most 1,000 come at a time: a listener that is further behind
 * misses the rest, which it can find in the list of transactions or get by `replay`.
 * @throws WebhookError NOT_FOUND (integration), BAD_REQUEST (cursor)
 */
export async function followEvents(
  db: Queryable,
  { integrationId, after, signal, waitMs = WAIT_MS }: FollowOptions,
): Promise<{ events: FeedEvent[]; next: string }> {
  const from = after === undefined ? undefined : parseCursor(after)
  if (after !== undefined && from === undefined)
    throw new WebhookError('BAD_REQUEST', '"after" must be the "next" of an earlier answer.')
  const deadline = performance.now() + waitMs
  for (;;) {
    const to = await feedHorizon(db, integrationId)
    if (to === undefined) throw new WebhookError('NOT_FOUND', `There is no integration ${integrationId.slice(0, 100)}.`)
    const events = from === undefined ? [] : await eventsBetween(db, integrationId, from, to)
    const isOver = from === undefined || signal.aborted || performance.now() >= deadline
    if (events.length > 0 || isOver) return { events, next: formatCursor(to) }
    await pause(POLL_MS, undefined, { signal }).catch(() => {})
  }
}
