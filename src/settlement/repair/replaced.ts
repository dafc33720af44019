/**
 * Final batches whose ids the chain has given to other instructions, after a reorganisation deeper than final. They can never be executed
 * again, and neither can what was final behind them, which names their history. Nothing is formed until operators give them up: then the
 * chain's history is the database's from there on, and what it has is read as any batch that this database did not make.
 */
import { runningHashAfter } from '../../chain/instructions.ts'
import type { Queryable } from '../../db/database.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { bookBurnsBeside, bookByOthers } from '../../payouts/executed.sql.ts'
import { planOutcome } from '../explain/outcome.ts'
import type { FollowedHead } from '../finality.ts'
import type { Recorded } from '../follow/final-records.ts'
import { FIRST_SEARCH } from '../form/search.ts'
import type { Memory } from '../memory.ts'
import { readRunningHash } from '../tables/batches.sql.ts'
import { setNextBatch } from '../tables/chains.sql.ts'
import { readMadeGoodIn } from '../tables/ended-alike.sql.ts'
import { deleteExplanations, isGivenUp } from '../tables/explanations.sql.ts'
import { areOthers, barUntilFenced } from '../tables/fences.sql.ts'
import { giveUpFrom, hasForeignFrom } from '../tables/final.sql.ts'
import { type ForeignBatch, forgetForeignFrom } from '../tables/foreign.sql.ts'
import { noteLostOrders } from '../tables/lost.sql.ts'
import { deleteOutcome, readOutcomes } from '../tables/outcomes.sql.ts'
import { findRemintsOf, forgetUnlikeTold, lockPlaced, markTurned } from '../tables/placed.sql.ts'
import { bookTurned } from '../tables/turned.sql.ts'
import type { Work } from '../work.ts'
import { abandon } from './abandon.ts'
import { holdFor, holdForLost } from './hold-minting.ts'

/**
 * Remembers the first of them, which holds the chain, says so, and gives them up once operators have said so, too.
 * @throws LeaseLostError
 */
export async function tellReplaced(work: Work, at: FollowedHead, replaced: readonly Recorded[]): Promise<void> {
  const { db, chain, logger, memory } = work
  const { chainId } = chain.config
  const [first] = replaced.toSorted((a, b) => (a.batch.batchId < b.batch.batchId ? -1 : 1))
  const before = memory.recheck.replaced
  memory.recheck.replaced = undefined
  if (first === undefined) return
  const { batchId } = first.batch
  const told = { batchId, barredAtMs: before?.batchId === batchId ? before.barredAtMs : undefined }
  memory.recheck.replaced = told
  const fields = { chainId, batchId: String(batchId), block: String(first.record.blockNumber) }
  logger.fatal(fields, OTHER_INSTRUCTIONS)
  const isForGood = first.record.blockNumber <= at.finalBlock
  if (!isForGood || !(await isGivenUp(db, chainId, batchId))) return
  const mayBarOthers = await areOthers(db, chainId, work.otherChainIds)
  if (mayBarOthers && (await hasForeignFrom(db, chainId, batchId))) await giveUpBarred(work, told)
  else await giveUp(work, batchId)
}

/**
 * Gives up what other chains may have gone by: by the tags of others' batches an order was settled here, and enters no batch there. Nothing does
 * from now on until this chain was read again and fenced, and what the batches had settled is forgotten only when no other chain can be about to store what
 * was chosen before.
 * @param told since when that is so, and where that is kept
 * @throws LeaseLostError
 */
export async function giveUpBarred(work: Work, told: NonNullable<Memory['recheck']['replaced']>): Promise<void> {
  const { db, chain, lease, nowMs, times } = work
  const { batchId, barredAtMs } = told
  if (barredAtMs !== undefined && nowMs() - barredAtMs >= times.recheckMs) return await giveUp(work, batchId, 'barred')
  await underLease(db, lease, (tx) => barUntilFenced(tx, chain.config.chainId))
  told.barredAtMs = barredAtMs ?? nowMs()
}

/**
 * Abandons a final batch and everything behind it, as operators have said. What was decided by them stays, and is never signed again.
 * @param barred other chains wait until a fence is final
 */
async function giveUp(work: Work, batchId: bigint, barred?: 'barred'): Promise<void> {
  const { db, chain, lease, logger, memory } = work
  const { chainId } = chain.config
  const ids = await underLease(db, lease, async (tx) => {
    if (!(await isGivenUp(tx, chainId, batchId))) return []
    await abandon(tx, chainId, batchId)
    const given = await giveUpFrom(tx, chainId, batchId)
    const lost = await noteLostOrders(tx, chainId, given)
    await holdForLost(tx, lost)
    await bookTurned(tx, [...lost, ...(await dropOutcomes(tx, chainId, given))])
    await bookByOthers(tx, chainId, await readMadeGoodIn(tx, chainId, given), { isGone: true })
    await forgetForeignFrom(tx, chainId, batchId)
    await deleteExplanations(tx, chainId, batchId)
    if (barred !== undefined) await barUntilFenced(tx, chainId)
    await setNextBatch(tx, chainId, { batchId, previous: await readRunningHash(tx, chainId, batchId - 1n) })
    return given
  })
  if (ids.length === 0) return
  await work.onStep('batches-abandoned')
  memory.recheck.replaced = undefined
  memory.recheck.gone = undefined
  memory.recheck.lostAtHead = undefined
  memory.follow.recordedHash = undefined
  memory.follow.hasUnread = undefined
  memory.follow.readOn = undefined
  memory.form.search = FIRST_SEARCH
  logger.fatal(
    { chainId, firstBatchId: String(batchId), lastBatchId: String(ids.at(-1)) },
    'final batches that the chain has lost were given up, as operators have said: what their completed orders moved is not there, make each good with "coin order make-good"',
  )
}

/** The chain has neither what these batches did at first nor what they did again. @returns those of their orders that were made good */
async function dropOutcomes(tx: Queryable, chainId: number, batchIds: readonly bigint[]): Promise<bigint[]> {
  const known = await readOutcomes(tx, chainId)
  const turned: bigint[] = []
  for (const batchId of batchIds.filter((each) => known.has(each))) {
    const plan = planOutcome(await lockPlaced(tx, chainId, batchId), [])
    await bookBurnsBeside(tx, { chainId, batchId }, plan.beside)
    const burnt = plan.waits.map(({ orderId }) => orderId)
    await holdFor(tx, await findRemintsOf(tx, burnt), REMINT_OF_GONE)
    await forgetUnlikeTold(tx, [...burnt, ...plan.forget.map(({ orderId }) => orderId)])
    const ids = plan.turn.map(({ orderId }) => orderId)
    await markTurned(tx, ids)
    turned.push(...ids)
    await deleteOutcome(tx, chainId, batchId)
  }
  return turned
}

const REMINT_OF_GONE =
  'the chain has lost the burn that it mints back, which had been executed after all: the holder has the coin. Reject it, unless the coin is owed twice'

/**
 * Whether a batch names the history that is stored before it. Where the chain has other batches there, what they have settled is not known,
 * and nothing may follow.
 */
export async function follows(
  { db, chain, logger }: Work,
  { batchId, digest, runningHash }: ForeignBatch,
): Promise<boolean> {
  const { chainId } = chain.config
  const before = await readRunningHash(db, chainId, batchId - 1n)
  if (runningHashAfter(before, digest) === runningHash) return true
  logger.error(
    { chainId, batchId: String(batchId) },
    'batches cannot be read: the chain has others before them than were final',
  )
  return false
}

const OTHER_INSTRUCTIONS =
  'the chain has other instructions under the id of a batch that was final, which can never be executed again: nothing is settled until ' +
  'operators give it up, see "The chain lost a final batch"'
