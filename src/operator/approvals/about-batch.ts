/** A batch that this service did not make, as whoever decides that it is explained has to see it: by the coin that it moved. */
import type { Queryable } from '../../db/database.ts'
import { formatAmount } from '../../money.ts'
import { findBatch, type InstructionRow, readInstructions } from '../batches/batches.sql.ts'
import { viewInstruction } from '../batches/view.ts'
import type { Asked } from './asked.ts'

/** So many instructions are shown, those that move most. */
const MOST_SHOWN = 10
const NUMBER = /^\d{1,18}$/

/** Who signed it, and what it moved that no order has taken; undefined when there is no such batch. */
export async function describeBatch(
  db: Queryable,
  { params: { chainId = '', batchId = '' } }: Asked,
): Promise<Record<string, unknown> | undefined> {
  if (!NUMBER.test(chainId) || !NUMBER.test(batchId)) return undefined
  const batch = await findBatch(db, Number(chainId), BigInt(batchId))
  if (batch === undefined) return undefined
  const open = (await readInstructions(db, batch)).filter(({ order }) => order === null)
  const moved = open.filter((each) => viewInstruction(each, batch).outcome !== 'failed')
  const shown = moved.toSorted(byAmount).slice(0, MOST_SHOWN)
  return {
    ...{
      signer: batch.signer,
      status: batch.status,
      explanation: batch.explanation,
      ordersWaiting: batch.waitingOrders,
    },
    ofNoOrder: `${open.length} of ${batch.instructions} instructions: ${sumsOf(moved)}`,
    ...Object.fromEntries(shown.map((each) => [`instruction ${each.index}`, sayInstruction(each)])),
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
