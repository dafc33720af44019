/** What a bank connection must do. A rail is idempotent on the end-to-end id: asked twice, it pays once. */

export type PayoutInstruction = Payment & {
  bic: string
  account: string
  name: string
}

/** An instruction whose bank account is not opened. `customerId`: whose it must be, as the order says. */
export type SealedInstruction = Payment & { sealed: string; customerId: string }

type Payment = {
  payoutId: string
  /** The id of this payment: another attempt at the same payout has another. */
  endToEndId: string
  /** Whole sen of Malaysian Ringgit. */
  amountSen: bigint
  /** Names the bank account in `bank_details`. */
  bankId: string
  /** The integration's payout reference, echoed in reconciliation. */
  reference: string
}

export type RailAnswer =
  /** The rail has the payout and will carry it out. */
  | { result: 'accepted'; railReference: string }
  /** The rail did not take it and never will as it is: an operator must act. */
  | { result: 'refused'; reason: string }
  /** Nobody knows: ask again with the same id. */
  | { result: 'unknown'; reason: string }

/** What a rail knows of a payment. `none`: it never got it, and certainly has not paid it. */
export type RailStatus =
  | RailAnswer
  | { result: 'paid'; reference: string; effectiveAt: Date }
  | { result: 'returned'; reference: string; reason: string; effectiveAt: Date }
  | { result: 'none' }

export type Rail = {
  name: string
  /** The issuer's account from which it pays, as the books name it. */
  bankAccount?: string
  /** Initiates a payout, or says what became of it when its id is known. Must not throw; an error counts as unknown. */
  initiate(instruction: PayoutInstruction): Promise<RailAnswer>
  /** Says what it knows of a payment, and pays nothing. Missing when the rail cannot be asked. */
  status?(payment: { payoutId: string; endToEndId: string }): Promise<RailStatus>
}

/** What stands for a rail where operators have paid, also the account in clearing of that. */
export const BY_HAND = 'by_hand'
