/** Rows of batches, and of orders in them, as settlement would have left them. */
import { bytesParam } from '../../src/db/bytes.ts'
import type { Param, Queryable } from '../../src/db/database.ts'
import type { BatchStatus, OrderStatus } from '../../src/orders/order.ts'

const LATER = 1_000_000n
let count = 0n

/** An id that no test uses and no chain gives out. */
export function someBatchId(): bigint {
  count += 1n
  return LATER + count
}

export type BatchRow = {
  chainId: number
  batchId: bigint
  status: BatchStatus
  /** The orders, in the order of their instructions; by default one that does not exist. */
  orderIds?: readonly bigint[]
  signer?: string
  nonce?: bigint
  isForeign?: boolean
  minedBlock?: bigint
  txHash?: string | null
}

export async function addBatchRow(db: Queryable, batch: BatchRow): Promise<void> {
  const { chainId, batchId, status, orderIds = [0n], signer = '0x51', nonce = batchId, isForeign = false } = batch
  const { minedBlock = 50n, txHash = `0x${'b'.repeat(64)}` } = batch
  const isMined = status === 'mined' || status === 'final'
  await db.query(
    `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, tx_hash, status,
       is_foreign, fencing_token, mined_block, mined_hash, success_bitmap, finalized_at)
     values ($1, $2, $3, $4, '0xd1', '0xd2', $5::bigint[], greatest(1, cardinality($5::bigint[])), $6, $7, $8, 1, $9, $10, $11,
       case when $7 = 'final' then now() end)`,
    [
      chainId,
      batchId,
      signer,
      nonce,
      orderIds,
      txHash,
      status,
      isForeign,
      ...(isMined ? [minedBlock, '0xb1'] : [null, null]),
      status === 'final' ? 1n : null,
    ],
  )
}

/**
 * The line of an order that is signed and not decided, before the row of its batch; null when that was abandoned. Nothing
 * guards the rest of a transaction around it.
 */
export async function addSignedLine(
  db: Queryable,
  line: { orderId: bigint; batchId: bigint | null; index?: number; since?: Date },
): Promise<void> {
  const { orderId, batchId, index = 0, since = new Date() } = line
  await db.query(
    `with unguarded as materialized (select set_config('session_replication_role', 'replica', true))
     insert into signed_orders (order_id, batch_id, batch_index, since) select $1, $2, $3, $4 from unguarded`,
    [orderId, batchId, batchId === null ? null : index, since],
  )
}

/** The columns, in this order, of the first order of a batch that depend on the status in its row. */
export const BATCH_COLUMNS = 'batch_id, batch_index, tx_hash, block_number, failure_reason'

export function batchColumns(
  status: OrderStatus,
  {
    batchId = someBatchId(),
    batchIndex = 0,
    txHash = `0x${'b'.repeat(64)}`,
    blockNumber = 50n,
  }: Partial<{
    batchId: bigint
    batchIndex: number
    txHash: string
    blockNumber: bigint
  }> = {},
): Param[] {
  if (!['processing', 'completed', 'failed'].includes(status)) return [null, null, null, null, null]
  return [batchId, batchIndex, bytesParam(txHash), blockNumber, status === 'failed' ? 'instruction_failed' : null]
}
