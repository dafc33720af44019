import { type Decision, refuse } from './decision.ts'
import type { CancelFacts } from './facts.ts'

/**
 * Decides a POST /v1/mints/{referenceId}/cancel: only a mint that waits for its payment can be cancelled; a cancelled
 * one is answered as it is.
 */
export function decideCancel({ existing, now }: CancelFacts): Decision {
  if (existing === undefined || existing.direction !== 'MINT') return refuse('NOT_FOUND')
  if (existing.status === 'cancelled') return { kind: 'existing', order: existing }
  if (existing.status !== 'payment_pending') return refuse('ORDER_NOT_CANCELLABLE')
  return { kind: 'advance', order: { ...existing, status: 'cancelled', updatedAt: now }, usage: undefined }
}
