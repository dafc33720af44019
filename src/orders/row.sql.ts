/** Rows of the table `orders` ⇄ `Order`. */
import { shownBytes } from '../db/bytes.ts'
import type { Param } from '../db/database.ts'
import type { BatchStatus, NewOrder, Order, ShownOrder } from './order.ts'

/** The columns that an acceptance takes from its order: name, type, value. It dates the order itself (`created_at`). */
export const NEW_ORDER_COLUMNS: readonly (readonly [name: string, type: string, read: (order: NewOrder) => Param])[] = [
  ['integration_id', 'text', (order) => order.integrationId],
  ['reference_id', 'text', (order) => order.referenceId],
  ['direction', 'text', (order) => order.direction],
  ['status', 'text', (order) => order.status],
  ['chain_id', 'bigint', (order) => order.chainId],
  ['network', 'text', (order) => order.network],
  ['token_address', 'text', (order) => order.tokenAddress],
  ['wallet_address', 'text', (order) => order.walletAddress],
  ['debit_address', 'text', (order) => order.debitAddress],
  ['customer_id', 'text', (order) => order.customerId],
  ['key_id', 'text', (order) => order.keyId],
  ['amount_micro', 'bigint', (order) => order.amountMicro],
  ['fee_micro', 'bigint', (order) => order.feeMicro],
  ['bank_reference', 'text', (order) => order.bankReference],
]

/** The columns that an acceptance writes. */
export const ACCEPTED_COLUMNS: readonly string[] = [...NEW_ORDER_COLUMNS.map(([name]) => name), 'created_at']

/** Those that later moves write. */
const LATER_COLUMNS = ['batch_id', 'batch_index', 'tx_hash', 'block_number', 'failure_reason', 'updated_at']

const TX_HASH = `${shownBytes('o.tx_hash')} as tx_hash`

/** The columns of an order alone, of a table or alias named `o`; for one that is not pending they are everything. */
export const OWN_COLUMNS = ['order_id', ...ACCEPTED_COLUMNS, ...LATER_COLUMNS]
  .map((name) => (name === 'tx_hash' ? TX_HASH : `o.${name}`))
  .join(', ')

/** Nothing is looked up for an order that has no payout. */
function ofPayout(column: string): string {
  return `case when o.direction = 'REDEEM' and o.status in ('processing', 'completed')
    then (select p.${column} from payouts p where p.order_id = o.order_id) end`
}

const COLUMNS_OF_BATCH = `f.since as signed_since, b.status as batch_status, b.tx_hash as batch_tx_hash, b.mined_block as batch_block,
  b.moved_at as batch_moved_at,
  ${ofPayout('status')} as payout_status, ${ofPayout('status_since')} as payout_since`

/** What `orderFromRow` needs of an order `o` and its batch, joined by `BATCH_OF_ORDER`. */
export const ORDER_COLUMNS = `${OWN_COLUMNS}, f.batch_id as signed_batch_id, f.batch_index as signed_batch_index, ${COLUMNS_OF_BATCH}`

/** What `shownFromRow` needs of them: reading columns is most of what reading an order costs this process. */
export const SHOWN_COLUMNS = `o.reference_id, o.direction, o.status, o.chain_id, o.network, o.token_address, o.wallet_address,
  o.amount_micro, o.fee_micro, ${TX_HASH}, o.block_number, o.created_at, o.updated_at, ${COLUMNS_OF_BATCH}`

/**
 * The line `f` in signed_orders of a pending order `o`, and its batch `b`, by primary keys; all other orders are complete
 * without them, and nothing is looked up for them.
 */
export const BATCH_OF_ORDER = `left join lateral (
    select batch_id, batch_index, since from signed_orders where o.status = 'pending' and order_id = o.order_id limit 1) f on true
  left join lateral (
    select status, tx_hash, mined_block, moved_at from batches
    where o.status = 'pending' and chain_id = o.chain_id and batch_id = f.batch_id limit 1) b on true`

/** The status that partners see of an order `o`, joined by `BATCH_OF_ORDER`. */
export const SHOWN_STATUS = `case when f.since is not null then 'processing' else o.status end`

export type OrderRow = {
  order_id: bigint
  integration_id: string
  reference_id: string
  direction: Order['direction']
  status: Order['status']
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
  signed_since?: Date | null
  signed_batch_id?: bigint | null
  signed_batch_index?: number | null
  batch_status?: BatchStatus | null
  batch_tx_hash?: string | null
  batch_block?: bigint | null
  batch_moved_at?: Date | null
  payout_status?: string | null
  payout_since?: Date | null
}

/** The part of a row that `SHOWN_COLUMNS` selects. */
export type ShownRow = Pick<
  OrderRow,
  | 'reference_id'
  | 'direction'
  | 'status'
  | 'chain_id'
  | 'network'
  | 'token_address'
  | 'wallet_address'
  | 'amount_micro'
  | 'fee_micro'
  | 'tx_hash'
  | 'block_number'
  | 'created_at'
  | 'updated_at'
  | 'signed_since'
  | 'batch_status'
  | 'batch_tx_hash'
  | 'batch_block'
  | 'batch_moved_at'
  | 'payout_status'
  | 'payout_since'
>

/** Maps a row selected with `ORDER_COLUMNS`, or with `OWN_COLUMNS` when it was not signed or has left its batch, to an order. */
export function orderFromRow(row: OrderRow): Order {
  return {
    ...shownFromRow(row),
    orderId: row.order_id,
    integrationId: row.integration_id,
    debitAddress: row.debit_address,
    customerId: row.customer_id,
    keyId: row.key_id,
    bankReference: row.bank_reference,
    batchId: row.batch_id ?? row.signed_batch_id ?? null,
    batchIndex: row.batch_index ?? row.signed_batch_index ?? null,
    failureReason: row.failure_reason,
  }
}

/** Maps a row selected with `SHOWN_COLUMNS` to what is shown of the order. */
export function shownFromRow(row: ShownRow): ShownOrder {
  return {
    referenceId: row.reference_id,
    direction: row.direction,
    status: row.signed_since == null ? row.status : 'processing',
    chainId: Number(row.chain_id),
    network: row.network,
    tokenAddress: row.token_address,
    walletAddress: row.wallet_address,
    amountMicro: row.amount_micro,
    feeMicro: row.fee_micro,
    batchStatus: row.status === 'processing' ? 'final' : (row.batch_status ?? null),
    payoutStatus: row.payout_status ?? null,
    txHash: row.tx_hash ?? row.batch_tx_hash ?? null,
    blockNumber: row.block_number ?? row.batch_block ?? null,
    createdAt: row.created_at,
    updatedAt: latest(
      latest(row.updated_at, row.payout_since ?? null),
      latest(row.signed_since ?? null, row.batch_moved_at ?? null),
    ),
  }
}

function latest(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other
  return one < other ? other : one
}
