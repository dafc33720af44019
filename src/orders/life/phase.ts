/** The phase that partners see (contract "Order"). It is not stored, so that it contradicts nothing. */
import type { BatchStatus, Order, OrderPhase } from '../order.ts'

const PHASES_IN_BATCH: Readonly<Record<BatchStatus, OrderPhase>> = {
  signed: 'SUBMITTED',
  // Its orders leave it in the same transaction, so nobody ever sees one in this phase.
  abandoned: 'SUBMITTED',
  mined: 'CONFIRMING',
  final: 'PAYOUT_PENDING',
}

/** What partners see of a burnt redeem's payout. What came back is shown although the order stays completed. */
const PHASES_OF_PAYOUT: Readonly<Record<string, OrderPhase>> = {
  queued: 'PAYOUT_PENDING',
  held: 'PAYOUT_HELD',
  rejected: 'PAYOUT_REJECTED',
  returned: 'PAYOUT_RETURNED',
  sent: 'COMPLETED',
  paid: 'COMPLETED',
  paid_by_hand: 'COMPLETED',
  refunded: 'REFUNDED',
}

/** The phase of an order: it follows from its status, its batch and its payout. */
export function phaseOf({
  status,
  batchStatus,
  payoutStatus,
}: Pick<Order, 'status' | 'batchStatus' | 'payoutStatus'>): OrderPhase {
  const ofPayout = PHASES_OF_PAYOUT[payoutStatus ?? '']
  switch (status) {
    case 'payment_pending':
      return 'PAYMENT_PENDING'
    case 'pending':
      return 'ORDER_CREATED'
    case 'processing':
      return ofPayout ?? PHASES_IN_BATCH[batchStatus ?? 'signed']
    case 'completed':
      return ofPayout ?? 'COMPLETED'
    case 'failed':
    case 'cancelled':
      return 'FAILED'
  }
}
