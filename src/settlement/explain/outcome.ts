/**
 * A final batch of ours that the chain has executed again with another outcome. A settler has seen it, the operators' own nodes say so, too, and
 * two people: then what became of each order is noted, so that it can be made good (make-good.ts). What was made good before, and is now as it was
 * told, its integration owes, or is owed.
 */
import type { AskedChain } from '../../chain/chain.ts'
import { readPast } from '../../chain/past.ts'
import type { Database, Queryable } from '../../db/database.ts'
import { isChainLost } from '../../db/lost-chains.sql.ts'
import { tellBurntAgain } from '../../payouts/lost-burn.sql.ts'
import { areSame, executedIn } from '../bitmap.ts'
import { lockChain } from '../tables/chains.sql.ts'
import { findFinal } from '../tables/final.sql.ts'
import { findOutcome, lockOutcome, setExplained } from '../tables/outcomes.sql.ts'
import { forgetUnlikeTold, lockPlaced, markTurned, noteUnlikeTold, type Placed } from '../tables/placed.sql.ts'
import { bookBeside, bookTurned } from '../tables/turned.sql.ts'

/**
 * What the operators' nodes say that it has executed, in a final block; or that they do not say what the settler has seen, or do not have the batch.
 * `isOfLostChain`: no node can say anything, and what a settler had seen last counts.
 */
export type ProvenOutcome = { executed: readonly number[]; isOfLostChain?: true } | 'not_as_seen' | 'lost_since'

/**
 * What is done of each order of the batch. `turn`: it was made good, now or before, and has changed again. `waits`: it is being minted again, so that
 * nobody knows yet what it comes to. `beside`: a redeem that had left the batch as not burnt is burnt by it, whatever became of it elsewhere, or is so
 * no more.
 */
export type OutcomePlan = Record<'note' | 'forget' | 'turn' | 'waits' | 'beside', Placed[]>

/**
 * Asks the nodes, where a settler has seen another outcome of which operators have said nothing.
 * @returns undefined where none was seen
 * @throws ChainError when too few nodes answer, or agree
 */
export async function proveOutcome(
  db: Database,
  { config, nodes }: AskedChain,
  batchId: bigint,
): Promise<ProvenOutcome | undefined> {
  const [own, seen] = [await findFinal(db, config.chainId, batchId), await findOutcome(db, config.chainId, batchId)]
  if (own === undefined || own.isForeign || seen === undefined || seen.isExplained) return undefined
  const outcome = await (await readPast(config, nodes)).outcomeOf(batchId)
  if (outcome?.digest !== own.digest) return 'lost_since'
  const executed = executedIn(outcome.successBitmap)
  return outcome.final && areSame(executed, seen.executed) ? { executed } : 'not_as_seen'
}

/**
 * Of a chain that is lost: the other outcome of a batch as a settler saw it last, while operators have not explained it. Nothing is minted there because of
 * that, and once the chain is found its nodes are asked anew.
 */
export async function lastOutcome(db: Queryable, chainId: number, batchId: bigint): Promise<ProvenOutcome | undefined> {
  const seen = (await isChainLost(db, chainId)) ? await findOutcome(db, chainId, batchId) : undefined
  return seen?.isExplained === false ? { executed: seen.executed, isOfLostChain: true } : undefined
}

type NotExplained = 'not_as_seen' | 'lost_since' | 'explained_already'

/** Keeps what operators say of it, with what that means for each order. */
export async function explainOutcome(
  tx: Queryable,
  { chainId, batchId }: { chainId: number; batchId: bigint },
  reason: string,
  proven: ProvenOutcome,
): Promise<OutcomePlan | { refused: NotExplained } | { refused: 'minting'; orders: string[] }> {
  if (typeof proven === 'string') return { refused: proven }
  await lockChain(tx, chainId)
  // Found since the caller looked, its nodes are to be asked.
  if (proven.isOfLostChain && !(await isChainLost(tx, chainId))) return { refused: 'not_as_seen' }
  const seen = await lockOutcome(tx, chainId, batchId)
  if (seen === undefined || !areSame(seen.executed, proven.executed)) return { refused: 'not_as_seen' }
  if (seen.isExplained) return { refused: 'explained_already' }
  const placed = await lockPlaced(tx, chainId, batchId)
  const plan = planOutcome(placed, proven.executed)
  if (plan.waits.length > 0) return { refused: 'minting', orders: plan.waits.map(({ order }) => order) }
  await setExplained(tx, chainId, batchId, reason)
  await noteUnlikeTold(tx, { chainId, batchId }, plan.note)
  await forgetUnlikeTold(tx, idsOf(plan.forget))
  await tellBurntAgain(tx, idsOf(plan.forget))
  await markTurned(tx, idsOf(plan.turn))
  await bookTurned(tx, idsOf(placed))
  await bookBeside(tx, { chainId, batchId }, plan.beside)
  return plan
}

/** Beside what was noted before (pure). @param executed what the batch has done now */
export function planOutcome(placed: readonly Placed[], executed: readonly number[]): OutcomePlan {
  const plan: OutcomePlan = { note: [], forget: [], turn: [], waits: [], beside: [] }
  for (const each of placed) {
    const what = whatOf(each, executed.includes(each.index))
    if (what !== undefined) plan[what].push(each)
  }
  return plan
}

function whatOf({ stands, noted, isBeside }: Placed, isExecuted: boolean): keyof OutcomePlan | undefined {
  if (stands === null) return undefined
  if (stands === 'left') return isExecuted === isBeside ? undefined : 'beside'
  const isUnlikeTold = isExecuted === (stands === 'failed')
  if (noted === null) return isUnlikeTold ? 'note' : undefined
  if (isUnlikeTold !== noted.isUndone) return undefined
  if (noted.isUnderWay) return 'waits'
  return isUnlikeTold || noted.isGood || noted.wasMinted ? 'turn' : 'forget'
}

const idsOf = (placed: readonly Placed[]) => placed.map(({ orderId }) => orderId)
