/**
 * What somebody who acts has seen before. A page that was left open has buttons about how things were then: the next payment of a payout would be called unpaid
 * for what the bank has said of the one before, and a hold released that somebody else has put on for another reason. It is compared once all else allows what is
 * asked for, and undone by throwing: what a state refuses is told in its own words.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Queryable } from '../db/database.ts'
import { decided } from './approvals/decided.ts'
import { OperatorError } from './errors.ts'

const SEEN_HEADER = 'x-seen'

/** An order as it is: `held` is only the first reason for which it is held. @param name integrationId/referenceId */
export async function orderAsSeen(db: Queryable, name: string, held: string | null): Promise<string> {
  return `${(await decided(db, 'order', name)) ?? 0} ${held ?? ''}`
}

/** Whether it is said what was seen, as the console does of what its page shows; or was approved, and is void where that has changed. */
export function isSeen(headers: IncomingHttpHeaders): boolean {
  return headers[SEEN_HEADER] !== undefined || headers['x-approval'] !== undefined
}

/**
 * Compares what was seen, where that is said, with what is.
 * @param name of what it is about, and where to look at it
 * @throws OperatorError CONFLICT
 */
export function requireAsSeen(headers: IncomingHttpHeaders, now: string, name: string): void {
  const seen = headers[SEEN_HEADER]
  if (seen === undefined || seen === encodeURIComponent(now)) return
  throw new OperatorError('CONFLICT', `${name} is no longer what you have seen. Nothing was done: look at it again.`)
}
