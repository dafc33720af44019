/** The order as the domain knows it. */

export const DIRECTIONS = ['MINT', 'REDEEM', 'TRANSFER'] as const
export type Direction = (typeof DIRECTIONS)[number]

export const STATUSES = ['payment_pending', 'pending', 'processing', 'completed', 'failed', 'cancelled'] as const
export type OrderStatus = (typeof STATUSES)[number]

export const PHASES = [
  'PAYMENT_PENDING',
  'ORDER_CREATED',
  'SUBMITTED',
  'CONFIRMING',
  'PAYOUT_PENDING',
  'PAYOUT_HELD',
  'PAYOUT_REJECTED',
  'PAYOUT_RETURNED',
  'COMPLETED',
  'REFUNDED',
  'FAILED',
] as const
export type OrderPhase = (typeof PHASES)[number]

/** How far a batch is on its way (table `batches`). */
const BATCH_STATUSES = ['signed', 'mined', 'final', 'abandoned'] as const
export type BatchStatus = (typeof BATCH_STATUSES)[number]

/**
 * An order: a row of `orders` and, while it is processing, what the row of its batch says about it. Addresses are
 * EIP-55 checksummed; amounts are micro units.
 */
export type Order = {
  orderId: bigint
  integrationId: string
  referenceId: string
  direction: Direction
  status: OrderStatus
  chainId: number
  network: string
  tokenAddress: string
  /** Credited by a mint or transfer, debited by a redeem. */
  walletAddress: string
  /** The wallet that coin leaves; null for a mint. */
  debitAddress: string | null
  customerId: string
  keyId: string
  amountMicro: bigint
  feeMicro: bigint
  bankReference: string | null
  batchId: bigint | null
  batchIndex: number | null
  /** Set while the order is processing; null before and after. */
  batchStatus: BatchStatus | null
  /** Of a burnt redeem: how far its payout is (table `payouts`). */
  payoutStatus?: string | null
  txHash: string | null
  blockNumber: bigint | null
  failureReason: string | null
  createdAt: Date
  updatedAt: Date | null
}

/** What partners see of an order follows from this part of it. */
export type ShownOrder = Pick<
  Order,
  | 'referenceId'
  | 'direction'
  | 'status'
  | 'chainId'
  | 'network'
  | 'tokenAddress'
  | 'walletAddress'
  | 'amountMicro'
  | 'feeMicro'
  | 'batchStatus'
  | 'payoutStatus'
  | 'txHash'
  | 'blockNumber'
  | 'createdAt'
  | 'updatedAt'
>

/** Names an order: the integration that created it, and its reference. */
export type OrderName = Pick<Order, 'integrationId' | 'referenceId'>

/** An order that has no row yet. */
export type NewOrder = Omit<Order, 'orderId'>
