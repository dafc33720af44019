/** What a bank connection must do. A rail is idempotent on the payout id: asked twice, it pays once. */

export type PayoutInstruction = {
  payoutId: string
  /** Whole sen of Malaysian Ringgit. */
  amountSen: bigint
  bic: string
  account: string
  name: string
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

export type Rail = {
  name: string
  /** Initiates a payout, or says what became of it when its id is known. Must not throw; an error counts as unknown. */
  initiate(instruction: PayoutInstruction): Promise<RailAnswer>
}
