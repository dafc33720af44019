/** A payout as operators see it. */
import type { BankAccount } from '../customers/bank-account.ts'
import { formatAmount, SEN_IN_MICRO } from '../money.ts'
import type { FiledAs } from '../payment-files/reported.sql.ts'
import type { Payment } from '../payouts/attempts.sql.ts'
import type { Payout } from '../payouts/payout.ts'
import type { ListedClaim } from '../statements/claims.sql.ts'
import { withOrder, withPayout } from './orders/commands-in.ts'
import { sayHoldReason } from './orders/waiting.ts'
import { maskedAccount } from './subjects.ts'

/** Shapes a payout: the amount in ringgit, the next attempt only while there will be one. */
export function viewPayout(payout: Payout) {
  return {
    payoutId: payout.payoutId,
    integrationId: payout.integrationId,
    referenceId: payout.referenceId,
    customerId: payout.customerId,
    amountMyr: formatAmount(payout.amountSen * SEN_IN_MICRO),
    bankBic: payout.bankBic,
    bankAccountEnding: payout.accountEnding,
    rail: payout.rail,
    status: payout.status,
    since: payout.statusSince,
    owner: payout.owner,
    attempt: payout.attempt,
    endToEndId: payout.endToEndId,
    burn: payout.burn,
    holdReason: payout.holdReason && sayError(payout, sayHoldReason(payout.holdReason, payout.lastError)),
    timesAsked: payout.timesAsked,
    nextAttemptAt: payout.status === 'queued' ? payout.nextAttemptAt : null,
    railReference: payout.railReference,
    lastError: payout.lastError && sayError(payout, payout.lastError),
    refundOrder: payout.refundOrder,
    isBeingRefunded: payout.isBeingRefunded,
    createdAt: payout.createdAt,
    updatedAt: payout.updatedAt,
  }
}

/** Commands that name nothing are about the payout, or its order. */
function sayError({ payoutId, integrationId, referenceId }: Payout, said: string): string {
  return withOrder(withPayout(said, payoutId), `${integrationId}/${referenceId}`)
}

type Said = { bank: BankAccount | undefined; filed: FiledAs | undefined }

/** Shapes one payment of a payout, to the account that it went to; of its number, the last four digits. */
export function viewPayment({ bankId: _, ...payment }: Payment, { bank, filed }: Said) {
  return {
    ...payment,
    paymentFile: filed?.paymentFile ?? null,
    reported: filed?.reported ?? null,
    reportedAt: filed?.reportedAt ?? null,
    bankBic: bank?.bic ?? null,
    bankAccount: bank === undefined ? null : maskedAccount(bank.account),
    bankName: bank?.name ?? null,
  }
}

/** Shapes what a line has paid once more than it was to be, and has not come back: the payout's amount, whatever the bank took beside it. */
export function viewClaim({ to, lineNo, place, bookedOn }: ListedClaim, { amountSen }: Pick<Payout, 'amountSen'>) {
  return { claim: to, lineId: String(lineNo), amountMyr: formatAmount(amountSen * SEN_IN_MICRO), bookedOn, place }
}

/**
 * What every command on one payout answers: what became of it, and the whole.
 * @param beware what is to be known before it is paid outside of the service, or since it was
 */
export function answerWith(payout: Payout, beware?: string) {
  const { payoutId, status } = payout
  return {
    ok: true,
    payoutId,
    status,
    payout: { ...viewPayout(payout), ...(beware !== undefined && { beware: sayError(payout, beware) }) },
  }
}
