/** The tables `foreign_instructions` and `tag_conflicts`, and foreign batches. Writes run under the chain's lease. */
import type { Address, Hex } from 'viem'
import type { Queryable } from '../../db/database.ts'
import type { Direction } from '../../orders/order.ts'
import { hasSucceeded } from '../../values/success-bitmap.ts'

export type ForeignBatch = {
  batchId: bigint
  signer: string
  nonce: bigint
  digest: Hex
  /** The contract's running hash once this batch is settled. */
  runningHash: Hex
  successBitmap: bigint
  txHash: Hex
  blockNumber: bigint
  blockHash: Hex
  /** The time of its block. */
  settledAt: Date
  instructions: readonly ForeignInstruction[]
}

/** What an instruction did. Wallets as in orders: `walletAddress` is debited by a redeem, and credited otherwise. */
export type ForeignInstruction = {
  tag: Hex
  direction: Direction
  walletAddress: Address
  debitAddress: Address | null
  amountMicro: bigint
}

/**
 * Keeps a foreign batch that is final on chain, in place of an abandoned one of ours, with its instructions. Changes
 * nothing when one of ours rightfully has the id.
 */
export async function insertForeignBatch(
  tx: Queryable,
  chainId: number,
  batch: ForeignBatch,
  fencingToken: bigint,
): Promise<void> {
  const kept = await tx.query(
    `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, success_bitmap,
       tx_hash, mined_block, mined_hash, fencing_token, settled_at, status, is_foreign, finalized_at)
     values ($1, $2, $3, $4, $5, $6, '{}', $7, $8, $9, $10, $11, $12, $13, 'final', true, now())
     on conflict (chain_id, batch_id) do update set signer = excluded.signer, nonce = excluded.nonce, digest = excluded.digest,
       running_hash = excluded.running_hash, order_ids = excluded.order_ids, order_count = excluded.order_count,
       success_bitmap = excluded.success_bitmap, tx_hash = excluded.tx_hash, mined_block = excluded.mined_block,
       mined_hash = excluded.mined_hash, fencing_token = excluded.fencing_token,
       settled_at = excluded.settled_at, status = 'final', is_foreign = true, finalized_at = now(),
       fence_tag = null, fences_on = null
     where batches.status = 'abandoned'
     returning batch_id`,
    [
      chainId,
      batch.batchId,
      batch.signer,
      batch.nonce,
      batch.digest,
      batch.runningHash,
      batch.instructions.length,
      batch.successBitmap,
      batch.txHash,
      batch.blockNumber,
      batch.blockHash,
      fencingToken,
      batch.settledAt,
    ],
  )
  if (kept.length > 0) await insertInstructions(tx, chainId, batch)
}

async function insertInstructions(tx: Queryable, chainId: number, batch: ForeignBatch): Promise<void> {
  const { instructions, successBitmap } = batch
  await tx.query(
    `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, debit_address,
       amount_micro, succeeded)
     select $1, $2, i.n - 1, i.tag, i.direction, i.wallet_address, i.debit_address, i.amount_micro, i.succeeded
     from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::numeric[], $8::boolean[]) with ordinality
       as i (tag, direction, wallet_address, debit_address, amount_micro, succeeded, n)`,
    [
      chainId,
      batch.batchId,
      instructions.map(({ tag }) => tag),
      instructions.map(({ direction }) => direction),
      instructions.map((each) => each.walletAddress),
      instructions.map((each) => each.debitAddress),
      instructions.map(({ amountMicro }) => String(amountMicro)),
      instructions.map((_, index) => hasSucceeded(successBitmap, index)),
    ],
  )
}

/** An instruction with its place, and the order that has taken its outcome, if any. */
export type SettledTag = ForeignInstruction & {
  chainId: number
  batchId: bigint
  index: number
  orderId: bigint | null
  /** The order of which an operator has said that this is not its instruction. */
  notOfOrderId: bigint | null
  succeeded: boolean
  /** Its batch is not one of ours. */
  isForeign: boolean
  /** The digest of its batch, and what that did when it was read. */
  digest: Hex
  successBitmap: bigint
  /** The time of its block, and not after now. */
  settledAt: Date
}

/** Every foreign instruction, on any chain, that has one of these tags. */
export async function readSettledTags(db: Queryable, tags: readonly Hex[]): Promise<SettledTag[]> {
  const rows = await db.query<
    Omit<SettledTag, 'chainId' | 'amountMicro' | 'successBitmap'> & { chain: bigint; amount: string; bitmap: string }
  >(
    `select i.chain_id as chain, i.batch_id as "batchId", i.instruction_index as index, i.tag, i.direction,
       i.wallet_address as "walletAddress", i.debit_address as "debitAddress", i.amount_micro::text as amount, i.order_id as "orderId",
       i.not_of_order_id as "notOfOrderId", i.succeeded, b.is_foreign as "isForeign", b.digest, b.success_bitmap::text as bitmap,
       least(coalesce(b.settled_at, b.finalized_at), now()) as "settledAt"
     from foreign_instructions i join batches b on b.chain_id = i.chain_id and b.batch_id = i.batch_id
     where i.tag = any ($1::text[]) order by i.chain_id, i.batch_id, i.instruction_index`,
    [tags],
  )
  return rows.map(({ chain, amount, bitmap, ...row }) => ({
    ...row,
    chainId: Number(chain),
    amountMicro: BigInt(amount),
    successBitmap: BigInt(bitmap),
  }))
}

/** Names the order that takes an instruction's outcome, as the batch's bitmap has it: one for each, for ever. */
export async function nameOrder(
  tx: Queryable,
  chainId: number,
  { batchId, index, successBitmap }: Pick<SettledTag, 'batchId' | 'index' | 'successBitmap'>,
  orderId: bigint,
): Promise<void> {
  await tx.query(
    `update foreign_instructions set order_id = $4, succeeded = $5
     where chain_id = $1 and batch_id = $2 and instruction_index = $3 and order_id is null`,
    [chainId, batchId, index, orderId, hasSucceeded(successBitmap, index)],
  )
}

/** Has the database judge that now: on a lost chain it does at the end otherwise, and what it refuses of one order would keep all others from theirs. */
export async function judgeNamed(tx: Queryable): Promise<void> {
  await tx.query('set constraints foreign_instructions_of_lost immediate')
  await tx.query('set constraints foreign_instructions_of_lost deferred')
}

/** Keeps an order out of every batch, until an operator has explained the difference. */
export async function insertTagConflict(tx: Queryable, chainId: number, orderId: bigint, tag: Hex): Promise<void> {
  await tx.query(
    'insert into tag_conflicts (order_id, chain_id, tag) values ($2, $1, $3) on conflict (order_id) do nothing',
    [chainId, orderId, tag],
  )
}

/**
 * Forgets what foreign batches from this one on have done, which were given up: no order is kept out of batches because of it any more. What
 * else has its tag is compared again when the order is chosen; of one that has ended, nothing else chooses it.
 */
export async function forgetForeignFrom(tx: Queryable, chainId: number, batchId: bigint): Promise<void> {
  await tx.query(
    `with gone as (delete from foreign_instructions where chain_id = $1 and batch_id >= $2 returning tag)
     delete from tag_conflicts t where t.chain_id = $1 and t.tag in (select tag from gone)
       and (exists (select from orders o where o.order_id = t.order_id and o.status = 'pending')
         or not exists (select from foreign_instructions i where i.chain_id = $1 and i.batch_id < $2 and i.tag = t.tag))`,
    [chainId, batchId],
  )
}

/** What a foreign batch settled and, of each instruction, the order that has taken its outcome, if any; in their sequence. */
export async function readForeignInstructions(
  db: Queryable,
  chainId: number,
  batchId: bigint,
): Promise<(ForeignInstruction & { orderId: bigint | null })[]> {
  // A thief may name any amount: text, for it may be above every bigint of the database.
  const rows = await db.query<ForeignInstruction & { orderId: bigint | null; amount: string }>(
    `select tag, direction, wallet_address as "walletAddress", debit_address as "debitAddress", amount_micro::text as amount,
       order_id as "orderId"
     from foreign_instructions where chain_id = $1 and batch_id = $2 order by instruction_index`,
    [chainId, batchId],
  )
  return rows.map(({ amount, ...row }) => ({ ...row, amountMicro: BigInt(amount) }))
}
