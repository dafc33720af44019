/** A payout as operators see it. */
import { formatAmount, SEN_IN_MICRO } from '../money.ts'
import { HOLD_REASONS, type Payout } from '../payouts/payout.ts'

/** Shapes a payout: the amount in ringgit, the next attempt only while there will be one. */
export function viewPayout(payout: Payout) {
  return {
    payoutId: payout.payoutId,
    integrationId: payout.integrationId,
    referenceId: payout.referenceId,
    customerId: payout.customerId,
    amountMyr: formatAmount(payout.amountSen * SEN_IN_MICRO),
    bankBic: payout.bankBic,
    bankAccountEnding: payout.bankAccount?.slice(-4) ?? null,
    rail: payout.rail,
    status: payout.status,
    since: payout.statusSince,
    owner: payout.owner,
    attempt: payout.attempt,
    endToEndId: payout.endToEndId,
    holdReason: payout.holdReason === null ? null : HOLD_REASONS[payout.holdReason],
    attempts: payout.attempts,
    nextAttemptAt: payout.status === 'queued' ? payout.nextAttemptAt : null,
    railReference: payout.railReference,
    lastError: payout.lastError,
    createdAt: payout.createdAt,
    updatedAt: payout.updatedAt,
  }
}
