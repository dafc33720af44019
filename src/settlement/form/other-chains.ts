/**
 * What was settled under a reference on one chain settles on no other. A database that was restored, or that has taken over from another,
 * may lack what a chain has settled: until every chain was read, a reference that is posted again can look new on each of the others.
 */
import type { Queryable } from '../../db/database.ts'
import { setHeld } from '../holds.ts'
import { findChain } from '../tables/chains.sql.ts'
import { readUnfenced } from '../tables/fences.sql.ts'
import { readUnreadChains, type UnreadChain } from '../tables/holds.sql.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import type { Work } from '../work.ts'

/**
 * The other chains with batches that this database may not know yet. Once each was read to the end, nothing is asked for as long as the
 * database stays on its timeline; a chain that nothing is configured for any more counts for none.
 */
export async function unreadElsewhere({ db, chain, otherChainIds, memory }: Work): Promise<UnreadChain[]> {
  if (otherChainIds.length === 0) return []
  const row = await findChain(db, chain.config.chainId)
  if (row === undefined || memory.form.othersReadOn === row.databaseTimeline) return []
  const unread = await readUnreadChains(db, otherChainIds, row.databaseTimeline)
  if (unread.length === 0) memory.form.othersReadOn = row.databaseTimeline
  return unread
}

/** Which they are, and since when they are not read, for whoever must decide whether to wait for one that stays away. */
export function describeUnread(unread: readonly UnreadChain[]): { unread: number[]; since: string } {
  const isElsewhere = unread.some(({ readOn }) => readOn !== null)
  return {
    unread: unread.map(({ chainId }) => chainId),
    since: isElsewhere
      ? 'the database was restored, or another has taken over'
      : 'nobody has settled for ten minutes or longer, or ever',
  }
}

/**
 * Leaves out what another chain may still settle under the same reference, which was read there to the end but has no final fence yet: an order
 * that the database has lost may be signed there and in no block. That also counts of one that is not configured here, as long as another process
 * settles it. Only what was accepted since can be such an order's reference posted again.
 */
export async function withoutUnfenced(work: Work, pending: readonly PendingOrder[]): Promise<readonly PendingOrder[]> {
  const { db, chain, memory, otherChainIds } = work
  memory.form.areSomeUnfenced = false
  const unfenced = await readUnfenced(db, otherChainIds, chain.config.chainId)
  if (unfenced === undefined) return pending
  // What holds all orders comes first.
  if ((await unreadElsewhere(work)).length > 0) return pending
  const kept = pending.filter(({ orderId }) => orderId <= unfenced.newestOrderId)
  memory.form.areSomeUnfenced = kept.length < pending.length
  if (kept.length === 0 && pending.length > 0) setHeld(work, 'other-chain-unfenced', { unfenced: unfenced.chainIds })
  return kept
}

/**
 * Whether any of them would be left out now, as the transaction sees it: another chain may have been barred since they were selected, and what
 * they were compared with there forgotten, however soon that was meant to be noticed.
 */
export async function isAnyUnfenced(
  tx: Queryable,
  { chain, otherChainIds }: Pick<Work, 'chain' | 'otherChainIds'>,
  orders: readonly PendingOrder[],
): Promise<boolean> {
  if (orders.length === 0) return false
  const unfenced = await readUnfenced(tx, otherChainIds, chain.config.chainId)
  return unfenced !== undefined && orders.some(({ orderId }) => orderId > unfenced.newestOrderId)
}
