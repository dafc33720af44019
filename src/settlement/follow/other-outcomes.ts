/**
 * Final batches that the chain had lost, and has executed again with another outcome. It is said, and of ours it is written down once nobody can
 * change it any more: operators explain it (explain/outcome.ts), and what their orders moved is made good.
 */
import type { Queryable } from '../../db/database.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { tellBurntAgain } from '../../payouts/lost-burn.sql.ts'
import { holdMintedBack } from '../../payouts/refund.sql.ts'
import { hasSucceeded } from '../../values/success-bitmap.ts'
import { areSame, executedIn } from '../bitmap.ts'
import type { FollowedHead } from '../finality.ts'
import { holdForLost, holdMinting } from '../repair/hold-minting.ts'
import { tellNamed } from '../repair/name-kept.ts'
import { lockChain } from '../tables/chains.sql.ts'
import { type FinalBatch, findFinal, readNamesIn } from '../tables/final.sql.ts'
import { forgetOutcome, noteOutcome, readOutcomes, type SeenOutcome } from '../tables/outcomes.sql.ts'
import { findLeftPlaces, lockPlaced, readPlaced } from '../tables/placed.sql.ts'
import { isOtherwise } from '../tables/taken.sql.ts'
import type { Work } from '../work.ts'
import { isSame, pairsOf, RECORDS_AT_ONCE, type Recorded, readRecords } from './final-records.ts'
import { keepOtherwise } from './taken-outcomes.ts'

/** Compares what final batches have done with what the chain says of them now; those that it does not have are left out. */
export async function compareOutcomes(work: Work, at: FollowedHead, pairs: readonly Recorded[]): Promise<void> {
  const known = await readOutcomes(work.db, work.chain.config.chainId)
  const there = pairs.filter(({ batch, record }) => isSame(batch, record))
  const left = await findLeftBurnt(work, there, known)
  for (const pair of there) {
    const { batchId } = pair.batch
    await compareOutcome(work, at, pair, { seen: known.get(batchId), isLeft: left.has(batchId) })
  }
}

/**
 * Batches that have burnt redeems which had left them: the chain had refused these burns in between, the redeems were resettled, and it has the burns again.
 * Only those that look as they did at first, and of which no other outcome is noted: all else that has changed is seen by that.
 */
async function findLeftBurnt(
  { db, chain }: Work,
  pairs: readonly Recorded[],
  known: ReadonlyMap<bigint, SeenOutcome>,
): Promise<ReadonlySet<bigint>> {
  const asRead = pairs.filter(
    ({ batch, record }) => !batch.isForeign && isAsRead(batch, record) && !known.has(batch.batchId),
  )
  const bitmaps = new Map(asRead.map(({ batch }) => [batch.batchId, batch.successBitmap]))
  const places = await findLeftPlaces(db, chain.config.chainId, [...bitmaps.keys()])
  const burnt = places.filter(({ batchId, index }) => hasSucceeded(bitmaps.get(batchId) ?? 0n, index))
  return new Set(burnt.map(({ batchId }) => batchId))
}

const isAsRead = (batch: FinalBatch, record: Recorded['record']) => record.successBitmap === batch.successBitmap

/**
 * Compares once more what waits for operators, and is not among those that were looked at just now: the chain may have changed it again. Some at a
 * time, each look those behind the ones before: what concerns no order waits for ever, because nobody has to explain it.
 */
export async function compareUnexplained(work: Work, at: FollowedHead, looked: readonly FinalBatch[]): Promise<void> {
  const { db, chain, memory } = work
  const { chainId } = chain.config
  const known = await readOutcomes(db, chainId)
  const { waitingUpTo } = memory.recheck
  const ids = [...known.values()].filter(({ isExplained }) => !isExplained).map(({ batchId }) => batchId)
  const waiting = ids.filter((each) => !looked.some(({ batchId }) => batchId === each))
  const next = [...waiting.filter((each) => each > waitingUpTo), ...waiting.filter((each) => each <= waitingUpTo)]
  const now = next.slice(0, RECORDS_AT_ONCE)
  const batches: FinalBatch[] = []
  for (const id of now) {
    const batch = await findFinal(db, chainId, id)
    if (batch !== undefined) batches.push(batch)
  }
  memory.recheck.waitingUpTo = now.at(-1) ?? 0n
  if (batches.length === 0) return
  const records = await readRecords(work, at, batches)
  await compareOutcomes(work, at, pairsOf(batches, records))
}

/**
 * `isAsTold`: the batch has done what its orders were told. `isKnown`: nothing is new, because it does what was noted last, or, where nothing is noted, what was
 * told, and burns nothing that had left it (`isLeft`). So there are four cases:
 * - final and new, or as told while what it did in between is not explained: that is noted (`note`), of ours;
 * - new, and not final: what mints coin is held, of ours;
 * - not as told: people are told, until operators have explained just that;
 * - as told, and known: nothing.
 */
async function compareOutcome(
  work: Work,
  at: FollowedHead,
  { batch, record }: Recorded,
  { seen, isLeft }: { seen: SeenOutcome | undefined; isLeft: boolean },
): Promise<void> {
  const { batchId, isForeign } = batch
  const executed = executedIn(record.successBitmap)
  // What others did may have been taken as it was when the chain had it with another outcome.
  const isAsTold =
    isAsRead(batch, record) && !(isForeign && (await isOtherwise(work.db, work.chain.config.chainId, record, batchId)))
  const isFinal = record.blockNumber <= at.finalBlock
  const isKnown = seen === undefined ? isAsTold && !isLeft : areSame(seen.executed, executed)
  if (isFinal && !isForeign && (!isKnown || (isAsTold && seen?.isExplained === false)))
    await note(work, { batchId, executed, isAsTold })
  else if (!isForeign && !isKnown) await holdBefore(work, batchId, executed)
  if (isForeign && isAsTold) forgetTold(work, batchId)
  if (!isAsTold && !(isKnown && seen?.isExplained === true)) await tellOtherwise(work, at, { batch, record })
}

/** What people let go is not let go where the chain does as was told in between, and then otherwise once more. */
function forgetTold({ memory }: Work, batchId: bigint): void {
  const { told } = memory.recheck
  for (const name of told) if (name.startsWith(`${batchId}/`)) told.delete(name)
}

/** What the chain does in a block that is not final may be what remains. */
async function holdBefore({ db, chain, lease }: Work, batchId: bigint, executed: readonly number[]): Promise<void> {
  await underLease(db, lease, async (tx) =>
    holdMinting(tx, await readPlaced(tx, chain.config.chainId, batchId), executed),
  )
}

type Now = Pick<SeenOutcome, 'batchId' | 'executed'> & { isAsTold: boolean }

/** What was to be paid, or minted back, for a burn that is refused now is held, as where the burn is lost; and what is paid beside coin that was minted back. */
async function note(work: Work, { batchId, executed, isAsTold }: Now): Promise<void> {
  const { db, chain, lease, logger } = work
  const { chainId } = chain.config
  const { isNew, payoutIds } = await underLease(db, lease, async (tx) => {
    // Before the outcome and the payouts, as whoever explains it does.
    await lockChain(tx, chainId)
    const isGone = isAsTold && (await forgetOutcome(tx, chainId, batchId))
    const isNew = !isGone && (await noteOutcome(tx, chainId, { batchId, executed }))
    const placed = await lockPlaced(tx, chainId, batchId)
    await holdMinting(tx, placed, executed)
    const moved = placed.filter(({ stands }) => stands === 'moved')
    const isThere = ({ index }: { index: number }) => executed.includes(index)
    await holdForLost(
      tx,
      moved.filter((each) => !isThere(each) && each.noted === null).map(({ orderId }) => orderId),
    )
    const afterAll = placed.filter((each) => each.stands === 'failed' && isThere(each) && each.noted === null)
    await holdMintedBack(
      tx,
      afterAll.map(({ orderId }) => orderId),
    )
    const payoutIds = await tellBurntAgain(
      tx,
      moved.filter((each) => isThere(each) && each.noted === null).map(({ orderId }) => orderId),
    )
    return { isNew, payoutIds }
  })
  if (isNew && isAsTold) logger.fatal({ chainId, batchId: String(batchId) }, AS_TOLD)
  if (payoutIds.length > 0)
    logger.error(
      { chainId, payoutIds },
      'payouts are held because the chain had refused their burns, which it has again: run "coin payout release ID --held … --reason …" for each',
    )
}

/** Says that the chain has a batch with another outcome, once by each process until operators have explained it. */
async function tellOtherwise(work: Work, at: FollowedHead, { batch, record }: Recorded): Promise<void> {
  const { db, chain, lease, logger, memory, metrics } = work
  const { chainId } = chain.config
  const { batchId, isForeign } = batch
  const { successBitmap, blockNumber } = record
  const { told } = memory.recheck
  const outcome = `${batchId}/${successBitmap}`
  // Before what was named is named otherwise.
  const orders = told.has(outcome) ? [] : await differingOrders(db, chainId, { batch, record })
  // Who was frozen between its head and now would miss there what another one has settled since.
  const { held, named } = await underLease(db, lease, async (tx) =>
    isForeign ? await keepOtherwise(work, tx, { batch, record }, blockNumber <= at.finalBlock) : NOTHING,
  )
  for (const each of held) told.add(each)
  if (named !== undefined) tellNamed(work, named)
  if (told.has(outcome)) return
  told.add(outcome)
  metrics.vanished(chainId)
  const fields = { chainId, batchId: String(batchId), minedBlock: String(batch.minedBlock) }
  logger.fatal({ ...fields, told: String(batch.successBitmap), onChain: String(successBitmap), orders }, OTHER_OUTCOME)
}

const NOTHING = { held: [], named: undefined }

/** Which orders have another outcome on the chain than they were told, and which. */
async function differingOrders(db: Queryable, chainId: number, { batch, record }: Recorded): Promise<string[]> {
  return (await readNamesIn(db, chainId, batch.batchId)).flatMap(({ index, order, succeeded }) => {
    const told = succeeded ?? hasSucceeded(batch.successBitmap, index)
    if (told === hasSucceeded(record.successBitmap, index)) return []
    return [told ? `${order} was refused` : `${order} was executed`]
  })
}

const OTHER_OUTCOME =
  'the chain had lost a batch that was final, and has executed it again with another outcome: orders were told otherwise, make them good'
const AS_TOLD =
  'the chain has executed a batch again as its orders were told, after another outcome was explained: explain it once more, see "coin batch show CHAIN ID"'
