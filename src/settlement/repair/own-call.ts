/**
 * The call data that settles the orders of a batch, out of its stored bytes. Whoever has only the settler's database password can put bytes
 * beside those of a batch, and makes no order: what a signer signs once more must not come from there unread.
 */
import type { Hex } from 'viem'
import { decodeSettle, fenceInstruction, instructionOf, packInstructions } from '../../chain/instructions.ts'
import { callDataOf } from '../../chain/signed-transaction.ts'
import { readRawTransaction } from '../tables/attempts.sql.ts'
import { readOrdersOf } from '../tables/batch-orders.sql.ts'
import { readFenceTag } from '../tables/fences.sql.ts'
import type { Work } from '../work.ts'

/**
 * Bytes that settle anything else are told of, and left out.
 * @param txHashes of a batch's attempts, oldest first; the newest one that is the batch's counts
 */
export async function findOwnCall(
  { db, chain, logger }: Work,
  batchId: bigint,
  txHashes: readonly Hex[],
): Promise<Hex | undefined> {
  const { chainId } = chain.config
  const fenceTag = await readFenceTag(db, chainId, batchId)
  const instructions =
    fenceTag === undefined
      ? (await readOrdersOf(db, chainId, batchId)).map(instructionOf)
      : [fenceInstruction(fenceTag)]
  const packed = packInstructions(instructions)
  for (const txHash of txHashes.toReversed()) {
    const raw = await readRawTransaction(db, chainId, txHash)
    if (raw === undefined) continue
    const data = callDataOf(raw)
    const call = decodeSettle(data)
    if (call?.batchId === batchId && call.packed === packed) return data
    logger.fatal(
      { chainId, batchId: String(batchId), txHash },
      "stored bytes of a batch do not settle its orders, and are not signed again: who has the settler's database password?",
    )
  }
  return undefined
}
