/** The order as the domain knows it, and as the API shows it (contract "Order"). */
import { formatAmount } from '../money.ts'

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
  'COMPLETED',
  'FAILED',
] as const
export type OrderPhase = (typeof PHASES)[number]

/** A row of `orders`. Addresses are EIP-55 checksummed; amounts are micro units. */
export type Order = {
  orderId: bigint
  integrationId: string
  referenceId: string
  direction: Direction
  status: OrderStatus
  phase: OrderPhase
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
  txHash: string | null
  blockNumber: bigint | null
  failureReason: string | null
  createdAt: Date
  updatedAt: Date | null
}

/** An order that has no row yet. */
export type NewOrder = Omit<Order, 'orderId'>

/** The order as every mint, redeem, transfer and transactions route returns it, without `ok`. */
export type OrderView = ReturnType<typeof viewOrder>

/** Shapes an order for the API (contract "Order"): amounts in the shortest form, times in ISO 8601 with milliseconds. */
export function viewOrder(order: Omit<Order, 'orderId'>) {
  const coin = formatAmount(order.amountMicro)
  const isTransfer = order.direction === 'TRANSFER'
  return {
    referenceId: order.referenceId,
    status: order.status,
    phase: order.phase,
    direction: order.direction,
    chainId: order.chainId,
    network: order.network,
    tokenAddress: order.tokenAddress,
    walletAddress: order.walletAddress,
    amounts: {
      myr: isTransfer ? null : coin,
      coin,
      feeMyr: isTransfer ? '0' : formatAmount(order.feeMicro),
      amountRaw: order.amountMicro.toString(),
      decimals: 6,
    },
    blockchain: {
      txHash: order.txHash,
      blockNumber: order.blockNumber === null ? null : order.blockNumber.toString(),
    },
    timestamps: {
      createdAt: order.createdAt.toISOString(),
      updatedAt: order.updatedAt === null ? null : order.updatedAt.toISOString(),
    },
  }
}
