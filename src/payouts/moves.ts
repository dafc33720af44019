/**
 * The moves of a payout as data. A statement that makes one of them is built from it, and the database refuses every other
 * move (`guard_payout` in the migrations); a test compares them.
 */
import type { PayoutStatus } from './payout.ts'

export type PayoutMove = {
  from: readonly PayoutStatus[]
  to: PayoutStatus
  by: readonly ('payer' | 'bank' | 'operator' | 'settler')[]
}

export const PAYOUT_MOVES = {
  /** The rail has it: the redeem is complete. */
  send: { from: ['queued'], to: 'sent', by: ['payer', 'bank', 'operator'] },
  /** The rail did not take it; or its burn is lost, and nobody wants it any more. */
  refuse: { from: ['queued'], to: 'rejected', by: ['payer', 'bank', 'operator'] },
  /** Also by a settler that gives up the burn that it pays. */
  hold: { from: ['queued'], to: 'held', by: ['payer', 'operator', 'settler'] },
  /** The reason is gone, or an operator or the bank knows better. */
  release: { from: ['held'], to: 'queued', by: ['payer', 'bank', 'operator'] },
  pay: { from: ['sent'], to: 'paid', by: ['bank'] },
  /** The rail had it and did not carry it out; where it never says so, an operator has asked the bank. */
  reject: { from: ['sent'], to: 'rejected', by: ['bank', 'operator'] },
  /** The rail has called it paid, and was wrong: an operator says so, and statements show no such debit. */
  disprove: { from: ['paid'], to: 'rejected', by: ['operator'] },
  /** A line was taken for its debit, and was another payment's: it is with its rail again. */
  reopen: { from: ['paid'], to: 'sent', by: ['operator'] },
  giveBack: { from: ['sent', 'paid'], to: 'returned', by: ['bank'] },
  /** Another attempt; or the bank says that an earlier one was carried out after all. */
  retry: { from: ['rejected', 'returned'], to: 'queued', by: ['operator', 'payer', 'bank'] },
  payByHand: { from: ['rejected', 'returned'], to: 'paid_by_hand', by: ['operator'] },
  /** An operator has said which payment a line of a statement gives back, or that it was never made. */
  giveBackByHand: { from: ['paid_by_hand'], to: 'returned', by: ['operator'] },
  /** Its coin was minted back; or is there again without that, because the chain has lost its burn. */
  refund: { from: ['rejected', 'returned'], to: 'refunded', by: ['settler', 'operator'] },
} as const satisfies Record<string, PayoutMove>

/** SQL: whether a status is one from which the move starts, to look for all payouts of which that is true. */
export function startsFrom(move: keyof typeof PAYOUT_MOVES): string {
  return `in (${PAYOUT_MOVES[move].from.map((status) => `'${status}'`).join(', ')})`
}

/**
 * SQL: whether a payout that is named by its id may make the move. PostgreSQL is kept from looking for it among all of its status: while
 * the table is small that looks cheaper, and the plan stays when many have it.
 */
export function mayMake(move: keyof typeof PAYOUT_MOVES): string {
  return `status || '' ${startsFrom(move)}`
}

/** SQL: whether a payout that is named by its id is queued. */
export const IS_QUEUED = `status || '' = 'queued'`
