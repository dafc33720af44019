/**
 * Whose turn it is at each on-chain bucket (pure). Turns are counted in rounds: in a round every integration that waits has one
 * order. One that waits for the first time joins the present round, so that nobody saves turns up by being quiet.
 */
import { BUCKET, type BucketName, ofEachBucket } from '../../chain/instructions.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'

/** `next`: the first round that an integration has not had, while that is beyond the present one. */
type BucketTurns = { round: number; next: ReadonlyMap<string, number> }
export type Turns = Readonly<Record<BucketName, BucketTurns>>

export const FIRST_TURNS: Turns = ofEachBucket(() => ({ round: 0, next: new Map() }))

/** How many rounds an integration is ahead: 0 when it is its turn in the present one. */
export function leadOf(turns: Turns, bucket: BucketName, integrationId: string): number {
  const { round, next } = turns[bucket]
  return Math.max((next.get(integrationId) ?? round) - round, 0)
}

/** What follows when these orders, in the sequence in which they were selected, have gone into batches. */
export function afterTurns(turns: Turns, orders: readonly PendingOrder[]): Turns {
  return ofEachBucket((bucket) => {
    const own = orders.filter(({ direction }) => BUCKET[direction] === bucket)
    return own.length === 0 ? turns[bucket] : afterBucket(turns[bucket], own)
  })
}

function afterBucket({ round, next }: BucketTurns, orders: readonly PendingOrder[]): BucketTurns {
  const had = new Map(next)
  let present = round
  for (const { integrationId } of orders) {
    const turn = Math.max(had.get(integrationId) ?? round, round)
    had.set(integrationId, turn + 1)
    present = Math.max(present, turn)
  }
  return { round: present, next: new Map([...had].filter(([, turn]) => turn > present)) }
}
