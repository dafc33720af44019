/**
 * Orders of the house mint again what the chain has lost or refused, or back what it has burnt; and a redeem that has left a batch as not burnt is burnt by
 * another one. What the chain has of that at this head is known before they are signed: it may have done otherwise since people have said what is missing, in
 * a block that is not final, or on a branch of which the batch is far behind what each look compares (follow/recheck.ts).
 */

import { isOfHouse } from '../../values/house.ts'
import type { FollowedHead } from '../finality.ts'
import { pairsOf, RECORDS_AT_ONCE, readRecords } from '../follow/final-records.ts'
import { compareOutcomes } from '../follow/other-outcomes.ts'
import { readFinalOf } from '../tables/final.sql.ts'
import { findLeftBy, findMintedFrom } from '../tables/placed.sql.ts'
import { areAnyHeld, type PendingOrder } from '../tables/waiting.sql.ts'
import type { Work } from '../work.ts'

/**
 * Holds those of which the chain has done otherwise than was known when they began.
 * @returns true when there was any, so that other orders are due
 * @throws NoQuorumError and others when nodes cannot tell
 */
export async function holdThere(work: Work, at: FollowedHead, orders: readonly PendingOrder[]): Promise<boolean> {
  const { db, chain } = work
  const { chainId } = chain.config
  const minting = orders.filter(isOfHouse).map(({ orderId }) => orderId)
  const redeems = orders.filter(({ direction }) => direction === 'REDEEM').map(({ orderId }) => orderId)
  const mintedFrom = minting.length === 0 ? [] : await findMintedFrom(db, minting)
  const left = redeems.length === 0 ? [] : await findLeftBy(db, chainId, redeems)
  if (mintedFrom.length + left.length === 0) return false
  const batches = await readFinalOf(db, chainId, [...mintedFrom, ...left])
  for (let from = 0; from < batches.length; from += RECORDS_AT_ONCE) {
    const some = batches.slice(from, from + RECORDS_AT_ONCE)
    await compareOutcomes(work, at, pairsOf(some, await readRecords(work, at, some)))
  }
  return await areAnyHeld(db, [...minting, ...redeems])
}
