/** A batch as whoever decides about `batch explain` has to see it: by the coin that others moved, or that is given up with it. */
import type { Queryable } from '../../db/database.ts'
import { isChainLost } from '../../db/lost-chains.sql.ts'
import { formatAmount } from '../../money.ts'
import { type OutcomePlan, planOutcome } from '../../settlement/explain/outcome.ts'
import { readPlaced } from '../../settlement/tables/placed.sql.ts'
import {
  type BatchRow,
  countFinalBehind,
  findBatch,
  type InstructionRow,
  readInstructions,
} from '../batches/batches.sql.ts'
import { viewInstruction } from '../batches/view.ts'
import { found } from '../errors.ts'
import { parseSerial, serialIn } from '../parse.ts'
import { describeNotOrder } from './about-order.ts'
import type { Asked } from './asked.ts'

/** So many instructions are shown, those that move most. */
const MOST_SHOWN = 10

/** Who signed it, and what it moved that no order has taken; undefined when there is no such batch. */
export async function describeBatch(
  db: Queryable,
  { params: { chainId = '', batchId = '' }, body }: Asked,
): Promise<Record<string, unknown> | undefined> {
  const [chain, serial] = [serialIn(chainId), serialIn(batchId)]
  if (chain === undefined || serial === undefined) return undefined
  const batch = await findBatch(db, Number(chain), serial)
  if (batch === undefined) return undefined
  if (batch.otherOutcome?.reason === null && body.giveUp !== true) return await describeOtherOutcome(db, batch)
  if (!batch.isForeign || body.giveUp === true) return await describeGivenUp(db, batch)
  const open = (await readInstructions(db, batch)).filter(({ order }) => order === null)
  const moved = open.filter((each) => viewInstruction(each, batch).outcome !== 'failed')
  const shown = moved.toSorted(byAmount).slice(0, MOST_SHOWN)
  return {
    signer: batch.signer,
    status: batch.status,
    explanation: batch.explanation,
    ordersWaiting: batch.waitingOrders,
    ...(await describeNotOrder(db, body)),
    ofNoOrder: `${open.length} of ${batch.instructions} instructions: ${sumsOf(moved)}`,
    ...Object.fromEntries(shown.map((each) => [`instruction ${each.index}`, sayInstruction(each)])),
  }
}

const WORD_STAYS =
  'A settler gives it up once it sees itself that the chain has lost it for good. Until then this word stays, also where the chain has the batch again, and nothing takes it back.'

/** Of one of ours, or one of others that is to be given up, what is given up with it. */
async function describeGivenUp(db: Queryable, batch: BatchRow): Promise<Record<string, unknown>> {
  const instructions = await readInstructions(db, batch)
  const executed = instructions.filter((each) => viewInstruction(each, batch).outcome === 'executed')
  const shown = executed.toSorted(byAmount).slice(0, MOST_SHOWN)
  return {
    signer: batch.signer,
    status: batch.status,
    explanation: batch.explanation,
    givesUp: `${executed.length} of ${instructions.length} instructions: ${sumsOf(executed)}`,
    alsoGivenUp: `final batches behind it: ${await countFinalBehind(db, batch)}`,
    would: WORD_STAYS,
    ...Object.fromEntries(
      shown.map((each) => [`instruction ${each.index}`, `${sayInstruction(each)}; ${each.order ?? 'of no order'}`]),
    ),
  }
}

const OUTCOME_SAID =
  'The orders stay as their partners were told. What was refused can be made good with "coin order make-good", and so can what was executed: until then "coin reconcile" names each.'

const BY_THE_SETTLER = 'Its chain is gone for good: no node can say so, and what a settler had seen last counts.'

/** What becomes of those that are not only noted, by what a word does with them. */
const SAID_OF = {
  forget: 'as they were told again, so that nothing is to be made good of them',
  turn: 'made good, and changed again: their integrations owe the coin that is there beside, or are owed what is not',
  waits: 'being minted again: nothing can be said before that has ended',
  beside:
    'redeems that had left the batch, which has burnt them after all, or does so no more: their integrations are owed that coin, or are so no more',
} as const

function sayPlan(plan: OutcomePlan): Record<string, string> {
  const said = (['forget', 'turn', 'waits', 'beside'] as const).map((what) => {
    const names = plan[what].map(({ order }) => order)
    const more = names.length > MOST_SHOWN ? ` and ${names.length - MOST_SHOWN} more` : ''
    return [what, `${SAID_OF[what]}: ${names.slice(0, MOST_SHOWN).join(', ')}${more}`] as const
  })
  return Object.fromEntries(said.filter(([what]) => plan[what].length > 0))
}

/** What became of each order of one of ours when the chain executed it again. */
async function describeOtherOutcome(db: Queryable, batch: BatchRow): Promise<Record<string, unknown>> {
  const { chainId, batchId, otherOutcome } = batch
  const plan = planOutcome(await readPlaced(db, chainId, batchId), otherOutcome?.executed ?? [])
  const instructions = await readInstructions(db, batch)
  const changed = instructions.filter((each) => viewInstruction(each, batch).outcomeNow !== null)
  const [refused, executed] = (['failed', 'executed'] as const).map((now) =>
    changed.filter((each) => viewInstruction(each, batch).outcomeNow === now),
  ) as [InstructionRow[], InstructionRow[]]
  const shown = changed.toSorted(byAmount).slice(0, MOST_SHOWN)
  return {
    signer: batch.signer,
    status: batch.status,
    toldAndRefused: `${refused.length} of ${batch.instructions} instructions: ${sumsOf(refused)}`,
    failedAndExecuted: `${executed.length} of ${batch.instructions} instructions: ${sumsOf(executed)}`,
    would: OUTCOME_SAID,
    ...((await isChainLost(db, chainId)) ? { by: BY_THE_SETTLER } : {}),
    ...sayPlan(plan),
    ...Object.fromEntries(
      shown.map((each) => [
        `instruction ${each.index}`,
        `${sayInstruction(each)}; ${each.order ?? 'of no order'} ${executed.includes(each) ? 'had failed, and was executed' : 'was refused'}`,
      ]),
    ),
  }
}

const byAmount = (one: InstructionRow, other: InstructionRow) =>
  Number(other.amountMicro > one.amountMicro) - Number(other.amountMicro < one.amountMicro)

const WORDS = { MINT: 'minted', REDEEM: 'burnt', TRANSFER: 'moved' } as const

function sumsOf(moved: readonly InstructionRow[]): string {
  const said = (['MINT', 'REDEEM', 'TRANSFER'] as const).map((direction) => {
    const of = moved.filter((each) => each.direction === direction)
    return `${formatAmount(of.reduce((sum, { amountMicro }) => sum + amountMicro, 0n))} coin ${WORDS[direction]}`
  })
  return said.join(', ')
}

function sayInstruction({ direction, amountMicro, debitAddress, walletAddress, waitingOrder }: InstructionRow): string {
  const from = debitAddress === null ? '' : ` from ${debitAddress}`
  const to = direction === 'REDEEM' ? '' : ` to ${walletAddress}`
  const waits = waitingOrder === null ? '' : `; ${waitingOrder} waits because of it`
  return `${formatAmount(amountMicro)} coin ${WORDS[direction]}${from}${to}${waits}`
}

/**
 * What an explanation of a batch is about, as it is now, and by its digest, as the chain may have another one under its id since. Of another outcome also what
 * it does to each order, as one may be made good or minted again meanwhile; and whether the settler alone has seen it, because the chain is lost and nodes are
 * not asked.
 */
export async function lookAtBatch(tx: Queryable, { params: { chainId = '', batchId = '' } }: Asked): Promise<unknown> {
  const key = { chainId: Number(parseSerial('chainId', chainId)), batchId: parseSerial('batchId', batchId) }
  const name = `${batchId} of chain ${chainId}`
  const batch = found(await findBatch(tx, key.chainId, key.batchId), 'batch', name, 'batch list')
  const { isForeign, digest, signer, explanation, unmatched, waitingOrders, otherOutcome } = batch
  const seen = { isForeign, digest, signer, explanation, unmatched, waitingOrders }
  if (otherOutcome === null) return seen
  const plan = planOutcome(await readPlaced(tx, key.chainId, key.batchId), otherOutcome.executed)
  const does = Object.entries(plan).map(([what, placed]) => [what, ...placed.map(({ order }) => order)])
  return { ...seen, otherOutcome, does, bySettlerAlone: await isChainLost(tx, key.chainId) }
}
