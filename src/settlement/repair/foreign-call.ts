/**
 * The call data that settles a foreign batch once more, where the chain has lost it: its bytes are nowhere here. Only where orders have taken
 * the outcome of whatever it moved, or were posted again and wait to take it, as of a batch that a restore has lost: what a thief made is not signed.
 */
import type { Hex } from 'viem'
import { digestOf, encodeSettle, packInstructions, taggedInstruction } from '../../chain/instructions.ts'
import type { Queryable } from '../../db/database.ts'
import { gasLimitWanted, worstGas } from '../form/gas.ts'
import { readRunningHash } from '../tables/batches.sql.ts'
import { readAwaited } from '../tables/ended-alike.sql.ts'
import type { FinalBatch } from '../tables/final.sql.ts'
import { readForeignInstructions } from '../tables/foreign.sql.ts'
import type { Carried } from './sign-for.ts'

/**
 * Under its own id, which the contract executes once: under another one, bytes of it that are still somewhere would settle its orders twice.
 * @returns undefined where it has an instruction that is no order's, or what is stored of it is not what it settled
 */
export async function readForeignCall(
  db: Queryable,
  chainId: number,
  { batchId, digest }: FinalBatch,
): Promise<Carried | undefined> {
  const settled = await readForeignInstructions(db, chainId, batchId)
  const packed = packInstructions(settled.map((each) => taggedInstruction(each, each.tag)))
  // What is of nothing, as in a fence, moves nothing.
  const untaken = settled.flatMap(({ orderId, amountMicro }, index) =>
    orderId === null && amountMicro > 0n ? [index] : [],
  )
  const awaited = untaken.length === 0 ? undefined : await readAwaited(db, chainId, batchId)
  const isNobodys = untaken.some((index) => awaited?.has(index) !== true)
  if (isNobodys || digestOf(packed) !== digest) return undefined
  const data: Hex = encodeSettle(batchId, await readRunningHash(db, chainId, batchId - 1n), packed)
  return { batchId, data, gasLimit: gasLimitWanted(worstGas(settled)) }
}
