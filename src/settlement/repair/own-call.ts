/**
 * The call data that settles the orders of a batch. Whoever has only the settler's database password can put bytes
 * beside those of a batch, and makes no order: what a signer signs once more must not come from there unread.
 */
import type { Hex } from 'viem'
import {
  decodeSettle,
  digestOf,
  encodeSettle,
  fenceInstruction,
  instructionOf,
  packInstructions,
} from '../../chain/instructions.ts'
import { callDataOf } from '../../chain/signed-transaction.ts'
import type { Queryable } from '../../db/database.ts'
import { gasLimitWanted, worstGas } from '../form/gas.ts'
import { readRawTransaction } from '../tables/attempts.sql.ts'
import { readOrdersOf } from '../tables/batch-orders.sql.ts'
import { readRunningHash } from '../tables/batches.sql.ts'
import { readFenceTag } from '../tables/fences.sql.ts'
import type { FinalBatch } from '../tables/final.sql.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import type { Work } from '../work.ts'
import type { Carried } from './sign-for.ts'

/** What a batch settles: its orders, or nothing, as a fence. */
async function readOwn(
  db: Queryable,
  chainId: number,
  batchId: bigint,
): Promise<{ orders: PendingOrder[]; packed: Hex }> {
  const fenceTag = await readFenceTag(db, chainId, batchId)
  if (fenceTag !== undefined) return { orders: [], packed: packInstructions([fenceInstruction(fenceTag)]) }
  const orders = await readOrdersOf(db, chainId, batchId)
  return { orders, packed: packInstructions(orders.map(instructionOf)) }
}

/**
 * The call data that settles a final batch once more, where the chain has lost it: made anew of its orders, because its bytes may be nowhere
 * here. What it was executed by is of a lost history where that had raised its fee or given it to another signer; and bytes go with their month.
 * @returns undefined where its orders are not what it settled, by its digest
 */
export async function readLostCall(
  db: Queryable,
  chainId: number,
  { batchId, digest }: Pick<FinalBatch, 'batchId' | 'digest'>,
): Promise<Carried | undefined> {
  const { orders, packed } = await readOwn(db, chainId, batchId)
  if (digestOf(packed) !== digest) return undefined
  const data = encodeSettle(batchId, await readRunningHash(db, chainId, batchId - 1n), packed)
  return { batchId, data, gasLimit: gasLimitWanted(worstGas(orders)) }
}

/**
 * The call data of a batch under way. Stored bytes that settle anything else are told of, and left out; where none are the batch's it is made anew of
 * its orders.
 * @param txHashes of a batch's attempts, oldest first; the newest one that is the batch's counts
 * @returns undefined where its orders are not what it settles, by its digest, which is told
 */
export async function findOwnCall(
  { db, chain, logger }: Work,
  batch: Pick<FinalBatch, 'batchId' | 'digest'>,
  txHashes: readonly Hex[],
): Promise<Hex | undefined> {
  const { batchId } = batch
  const { chainId } = chain.config
  const { packed } = await readOwn(db, chainId, batchId)
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
  const anew = await readLostCall(db, chainId, batch)
  if (anew === undefined) logger.fatal({ chainId, batchId: String(batchId) }, NOT_ITS_ORDERS)
  return anew?.data
}

const NOT_ITS_ORDERS =
  "a batch under way is not signed again: neither its stored bytes nor its orders are what it settles. Who has the settler's database password?"
