/** The decision about the cancellation of a mint (pure). */
import { type Decision, refuse } from './decision.ts'
import type { CancelFacts } from './facts.ts'

/**
 * Decides a POST /v1/mints/{referenceId}/cancel: only a mint that waits for its payment can be cancelled; a cancelled
 * one is answered as it is. After a restore it may have been submitted, for a while in a way that nobody can see.
 */
export function decideCancel({ existing, now, isUnfenced }: CancelFacts): Decision {
  if (existing === undefined || existing.direction !== 'MINT') return refuse('NOT_FOUND')
  if (existing.status === 'cancelled') return { kind: 'existing', order: existing }
  if (existing.status !== 'payment_pending') return refuse('ORDER_NOT_CANCELLABLE')
  if (isUnfenced) return { kind: 'refuse', refusal: { code: 'SERVICE_UNAVAILABLE', detail: UNFENCED } }
  return { kind: 'advance', order: { ...existing, status: 'cancelled', updatedAt: now }, usage: undefined }
}

/** It is not refused for good: once that is known, it can be cancelled, or was submitted. */
const UNFENCED = 'Whether the order was submitted before is not known yet.'
