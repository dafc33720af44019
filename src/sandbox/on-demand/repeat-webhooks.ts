/** Sends the webhooks of an order of the calling integration again. */
import { ApiError } from '../../errors.ts'
import type { WriteCall } from '../../http/route.ts'
import { isReferenceId } from '../../orders/reference-id.ts'
import { deliverAgain } from '../../webhooks/queue/deliver-again.sql.ts'
import type { Finish } from './answered-once.ts'
import { requireScopes } from './scenario-input.ts'
import { WEBHOOK_SCENARIOS, type WebhookScenarioName } from './webhook-scenarios.ts'

/** Those of the events themselves: whoever may read them. */
export const WEBHOOK_SCOPES = ['transaction:read'] as const

/**
 * @returns what is to write with the answer
 * @throws ApiError SCOPE_DENIED, INVALID_REFERENCE_ID, NOT_FOUND when nothing would be sent
 */
export async function repeatWebhooks(call: WriteCall, scenario: WebhookScenarioName): Promise<Finish> {
  requireScopes(call.key, WEBHOOK_SCOPES)
  const { integrationId } = call.key
  const { referenceId } = call.body
  if (!isReferenceId(referenceId)) throw new ApiError('INVALID_REFERENCE_ID')
  return async (tx) => {
    const scheduled = await deliverAgain(tx, { integrationId, referenceId, ...WEBHOOK_SCENARIOS[scenario] })
    if (scheduled === 0) throw new ApiError('NOT_FOUND')
    return {
      answer: { scenario, referenceId, scheduled },
      entry: { action: 'sandbox.webhooks', target: referenceId, details: { scenario, scheduled } },
    }
  }
}
