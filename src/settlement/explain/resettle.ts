/**
 * A redeem that was called burnt, and that the chain has not burnt, awaits a batch again. It may, once its tag is in no batch that was
 * executed with success, nor in one that may still be: then the next batch, which names exactly that history, is the first to burn it, and
 * whatever else burns it keeps the next batch from being executed. Where a batch of others has burnt it, as in a history that a restore has lost, it
 * takes that outcome.
 */

import type { Hex } from 'viem'
import type { AskedChain } from '../../chain/chain.ts'
import { type Past, readPast } from '../../chain/past.ts'
import type { Database, Queryable } from '../../db/database.ts'
import { lockUnburnt, takeUnburntAway, type Unburnt } from '../../payouts/unburnt.sql.ts'
import { orderTag } from '../../values/order-tag.ts'
import { hasSucceeded } from '../../values/success-bitmap.ts'
import { lockChain } from '../tables/chains.sql.ts'
import { readSettledTags, type SettledTag } from '../tables/foreign.sql.ts'
import { readOutcomes } from '../tables/outcomes.sql.ts'
import { findAbandonedId, readPlan, takeBatchBack, unnameOrder } from '../tables/plan.sql.ts'
import { type Astray, type Walk, walkOn, walkPlan } from './walk-plan.ts'

/** Why a redeem stays burnt. */
export type StaysBurnt =
  /** No payer was denied its burn, or somebody has done something about its payout. */
  | 'not_denied'
  /** The chain has burnt it. */
  | 'burnt'
  /** A batch has it that may be executed, or whose block may still be taken back. */
  | 'may_be_burnt'
  /** The chain has batches that were not read yet. */
  | 'unread'
  /** Parts of a sen that it left over are being minted back, or went out more than once. */
  | 'part_gone'
  | Astray['astray']

/** A redeem that the chain has proven not to be burnt, and how far its batches were looked through. */
export type Proven = { unburnt: Unburnt; walk: Walk }

/**
 * Asks the nodes whether a held payout's redeem was burnt anywhere.
 * @throws ChainError when too few nodes answer, or agree
 */
export async function proveUnburnt(
  db: Database,
  { config, nodes }: AskedChain,
  unburnt: Unburnt,
): Promise<Proven | StaysBurnt> {
  const past = await readPast(config, nodes)
  const plan = await readPlan(db, config.chainId)
  if (past.lastBatchId >= plan.nextBatchId) return 'unread'
  const tag = orderTag(unburnt.integrationId, unburnt.referenceId)
  const walk = await walkPlan(db, { ...unburnt, tag }, { past, plan })
  if ('astray' in walk) return walk.astray
  const places = await withoutBeside(db, unburnt, walk)
  return (await whyBurnt(past, places, await readFree(db, unburnt, tag))) ?? { unburnt, walk }
}

/** What the books have as burnt by a batch that it had left is owed to its integration, whatever becomes of it elsewhere. */
async function withoutBeside(
  db: Queryable,
  { chainId, batchId: own }: Unburnt,
  { places }: Walk,
): Promise<Walk['places']> {
  const known = await readOutcomes(db, chainId)
  return places.filter(({ batchId, index }) => batchId === own || known.get(batchId)?.beside.includes(index) !== true)
}

/** What others have burnt is no reason while no order has that outcome: waiting again, the redeem takes it, and enters no batch. */
async function whyBurnt(
  past: Past,
  places: Walk['places'],
  free: readonly SettledTag[],
): Promise<'burnt' | 'may_be_burnt' | undefined> {
  for (const { batchId, index } of places) {
    const outcome = await past.outcomeOf(batchId)
    if (outcome === undefined || !outcome.final) return 'may_be_burnt'
    const mayTake = free.some((each) => each.batchId === batchId && each.index === index)
    if (hasSucceeded(outcome.successBitmap, index) && !mayTake) return 'burnt'
  }
  return undefined
}

/** What batches of others have settled under the tag on the chain, and is no reason that it stays burnt. A row of that kind which names a batch of ours says nothing. */
async function readFree(db: Queryable, unburnt: Unburnt, tag: Hex): Promise<SettledTag[]> {
  const settled = await readSettledTags(db, [tag])
  return settled.filter((each) => each.chainId === unburnt.chainId && isFree(unburnt, each))
}

/** What no order has, the redeem may take, or is kept out of batches by; of what burns nothing people may have said that it is not its own. */
function isFree({ orderId }: Pick<Unburnt, 'orderId'>, each: SettledTag): boolean {
  if (!each.isForeign || each.orderId !== null) return false
  return each.notOfOrderId === null || (each.notOfOrderId === orderId && each.direction !== 'REDEEM')
}

/** It had taken that burn of others, at a place where the nodes have just shown none: that batch was executed again. */
function isRefused({ chainId, orderId }: Unburnt, { places }: Walk, each: SettledTag): boolean {
  if (each.chainId !== chainId || !each.isForeign || each.orderId !== orderId) return false
  return places.some(({ batchId, index }) => batchId === each.batchId && index === each.index)
}

/**
 * Makes it await a batch again, and takes a batch back that no chain has, once its last redeem has left it.
 * @returns whether a batch was taken back; why not, when something has changed since it was proven
 */
export async function resettle(tx: Queryable, { unburnt, walk }: Proven): Promise<{ tookBack: boolean } | StaysBurnt> {
  const { payoutId, orderId, chainId, batchId } = unburnt
  // Whoever signs, adopts or abandons has this lock.
  await lockChain(tx, chainId)
  const locked = await lockUnburnt(tx, payoutId)
  if (locked?.batchId !== batchId || locked.index !== unburnt.index) return 'not_denied'
  const tag = orderTag(unburnt.integrationId, unburnt.referenceId)
  const since = await walkOn(tx, { chainId, tag }, { from: walk, plan: await readPlan(tx, chainId) })
  if ('astray' in since) return since.astray
  if (since.places.length > walk.places.length) return 'may_be_burnt'
  const open = (await readSettledTags(tx, [tag])).filter((each) => each.succeeded && !isFree(unburnt, each))
  if (open.some((each) => !isRefused(unburnt, walk, each))) return 'burnt'
  await unnameOrder(tx, orderId)
  const abandonedId = await findAbandonedId(tx, chainId, batchId)
  if (!(await takeUnburntAway(tx, locked, abandonedId))) return 'part_gone'
  return { tookBack: await takeBatchBack(tx, chainId, batchId) }
}
