/** Does for a redeem of the calling integration what the issuer does for one whose payout came back: mints its coin back. */
import { ApiError } from '../../errors.ts'
import type { WriteCall } from '../../http/route.ts'
import { OperatorError } from '../../operator/errors.ts'
import { isReferenceId } from '../../orders/reference-id.ts'
import type { Finish } from './answered-once.ts'
import type { OnDemandDeps } from './deps.ts'
import { findPayoutOf } from './payout-of.sql.ts'
import type { PayoutScenarioName } from './payout-scenarios.ts'
import { requireScopes } from './scenario-input.ts'

/** Those of the redeem itself: whoever may burn coin may ask for it back. */
export const PAYOUT_SCOPES = ['redeem:create', 'redeem:execute'] as const

/**
 * @returns what is to write with the answer
 * @throws ApiError SCOPE_DENIED, INVALID_REFERENCE_ID, NOT_FOUND when there is nothing to mint back
 */
export async function refundRedeem(
  { refund }: Pick<OnDemandDeps, 'refund'>,
  call: WriteCall,
  scenario: PayoutScenarioName,
): Promise<Finish> {
  requireScopes(call.key, PAYOUT_SCOPES)
  const { integrationId } = call.key
  const { referenceId } = call.body
  if (!isReferenceId(referenceId)) throw new ApiError('INVALID_REFERENCE_ID')
  return async (tx) => {
    const payoutId = await findPayoutOf(tx, integrationId, referenceId)
    if (payoutId === undefined || !(await refund(tx, payoutId).catch(speaksAgainst))) throw new ApiError('NOT_FOUND')
    return {
      answer: { scenario, referenceId },
      entry: { action: 'sandbox.payouts', target: payoutId, details: { scenario, referenceId } },
    }
  }
}

/** What an operator would be told is nothing to a partner, who cannot do anything about it. */
function speaksAgainst(error: unknown): false {
  if (error instanceof OperatorError) return false
  throw error
}
