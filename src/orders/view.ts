/** The order as the API shows it (contract "Order"). */
import { shownAmounts } from '../events/event.ts'
import { formatAmount } from '../money.ts'
import { phaseOf } from './life/phase.ts'
import type { ShownOrder } from './order.ts'

/** Shapes an order for the API (contract "Order"): amounts in the shortest form, times in ISO 8601 with milliseconds. */
export function viewOrder(order: ShownOrder) {
  const { myr, coin, decimals } = shownAmounts(order)
  return {
    referenceId: order.referenceId,
    status: order.status,
    phase: phaseOf(order),
    direction: order.direction,
    chainId: order.chainId,
    network: order.network,
    tokenAddress: order.tokenAddress,
    walletAddress: order.walletAddress,
    amounts: {
      myr,
      coin,
      feeMyr: order.direction === 'TRANSFER' ? '0' : formatAmount(order.feeMicro),
      amountRaw: order.amountMicro.toString(),
      decimals,
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
