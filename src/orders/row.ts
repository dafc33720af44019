/** Rows of the table `orders` ⇄ `Order`. */
import type { Order } from './order.ts'

/** The columns that `orderFromRow` needs, for a table or alias named `o`. */
export const ORDER_COLUMNS = `
  o.order_id, o.integration_id, o.reference_id, o.direction, o.status, o.phase, o.chain_id, o.network, o.token_address,
  o.wallet_address, o.debit_address, o.customer_id, o.key_id, o.amount_micro, o.fee_micro, o.bank_reference,
  o.batch_id, o.batch_index, o.tx_hash, o.block_number, o.failure_reason, o.created_at, o.updated_at`

export type OrderRow = {
  order_id: bigint
  integration_id: string
  reference_id: string
  direction: Order['direction']
  status: Order['status']
  phase: Order['phase']
  chain_id: bigint
  network: string
  token_address: string
  wallet_address: string
  debit_address: string | null
  customer_id: string
  key_id: string
  amount_micro: bigint
  fee_micro: bigint
  bank_reference: string | null
  batch_id: bigint | null
  batch_index: number | null
  tx_hash: string | null
  block_number: bigint | null
  failure_reason: string | null
  created_at: Date
  updated_at: Date | null
}

/** Maps a row selected with `ORDER_COLUMNS` to an order. */
export function orderFromRow(row: OrderRow): Order {
  return {
    orderId: row.order_id,
    integrationId: row.integration_id,
    referenceId: row.reference_id,
    direction: row.direction,
    status: row.status,
    phase: row.phase,
    chainId: Number(row.chain_id),
    network: row.network,
    tokenAddress: row.token_address,
    walletAddress: row.wallet_address,
    debitAddress: row.debit_address,
    customerId: row.customer_id,
    keyId: row.key_id,
    amountMicro: row.amount_micro,
    feeMicro: row.fee_micro,
    bankReference: row.bank_reference,
    batchId: row.batch_id,
    batchIndex: row.batch_index,
    txHash: row.tx_hash,
    blockNumber: row.block_number,
    failureReason: row.failure_reason,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
