/**
 * The moves of a payout as data. The statements that make them are built from it, and the database refuses every other
 * move (`guard_payout` in the migrations); a test compares the two.
 */
import type { PayoutStatus } from './payout.ts'

export type PayoutMove = { from: readonly PayoutStatus[]; to: PayoutStatus; by: 'payer' | 'operator' }

export const PAYOUT_MOVES = {
  /** Another rail was asked for it, and only that one can say what became of it. */
  hold: { from: ['queued'], to: 'held', by: 'payer' },
  /** The rail that was asked is configured again. */
  release: { from: ['held'], to: 'queued', by: 'payer' },
  /** The rail has it: the end, whatever was believed before. */
  send: { from: ['queued', 'held', 'rejected'], to: 'sent', by: 'payer' },
  reject: { from: ['queued'], to: 'rejected', by: 'payer' },
  /** An operator has looked at the bank's statements: it was not paid before. */
  releaseByHand: { from: ['held'], to: 'queued', by: 'operator' },
  /** The same: it was. */
  markPaid: { from: ['held'], to: 'sent', by: 'operator' },
  /** The rail did not take it, so it may go to another account, by another rail. */
  retry: { from: ['rejected'], to: 'queued', by: 'operator' },
} as const satisfies Record<string, PayoutMove>

/** SQL: whether a status is one from which the move starts. */
export function startsFrom(move: keyof typeof PAYOUT_MOVES): string {
  return `in (${PAYOUT_MOVES[move].from.map((status) => `'${status}'`).join(', ')})`
}
