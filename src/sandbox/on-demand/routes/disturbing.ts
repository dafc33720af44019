/** The routes that send webhooks again, mint a redeem back, and do something to the sandbox's own chain. */
import Type from 'typebox'
import type { WriteRoute } from '../../../http/route.ts'
import { EXAMPLE_REFERENCE, Ok, ReferenceId } from '../../../http/schemas/values.ts'
import { answeredOnce } from '../answered-once.ts'
import { CHAIN_SCENARIO_NAMES, CHAIN_SCENARIOS, type ChainControl, MOST_CHAIN_SECONDS } from '../chain-scenarios.ts'
import type { OnDemandDeps } from '../deps.ts'
import { CHAIN_SCOPES, disturbChain } from '../disturb-chain.ts'
import { PAYOUT_SCENARIO_NAMES, PAYOUT_SCENARIOS } from '../payout-scenarios.ts'
import { PAYOUT_SCOPES, refundRedeem } from '../refund-redeem.ts'
import { repeatWebhooks, WEBHOOK_SCOPES } from '../repeat-webhooks.ts'
import { scenarioOf } from '../scenario-input.ts'
import { count, Scenario, scenarioField, scenarioTexts } from '../schemas.ts'
import { WEBHOOK_SCENARIO_NAMES, WEBHOOK_SCENARIOS } from '../webhook-scenarios.ts'
import { BOUND, SHARED } from './shared.ts'

/** POST /sandbox/webhooks. */
export function webhookRoute(deps: OnDemandDeps): WriteRoute {
  return {
    ...SHARED,
    operationId: 'repeatSandboxWebhooks',
    path: '/sandbox/webhooks',
    summary: 'Get the webhooks of an order twice, or out of order',
    description: `The webhooks of one of your orders are sent again, to your enabled endpoints that are subscribed to them. An order that is not yours, has no event yet, or whose events no endpoint gets, is not found. ${BOUND}\n\n${scenarioTexts('They', WEBHOOK_SCENARIOS)}`,
    scopes: WEBHOOK_SCOPES,
    requestBody: {
      required: true,
      schema: Type.Object({ scenario: scenarioField(WEBHOOK_SCENARIOS), referenceId: ReferenceId }),
      examples: { duplicate: { scenario: 'duplicate', referenceId: EXAMPLE_REFERENCE } },
    },
    success: {
      status: 201,
      description: 'How many deliveries were scheduled.',
      schema: Type.Object({
        ok: Ok,
        scenario: Scenario,
        referenceId: ReferenceId,
        scheduled: Type.Integer({ description: 'Deliveries: one for each event and endpoint.' }),
      }),
      examples: {
        duplicate: { ok: true, scenario: 'duplicate', referenceId: EXAMPLE_REFERENCE, scheduled: 2 },
      },
    },
    errors: ['BAD_REQUEST', 'INVALID_REFERENCE_ID', 'NOT_FOUND', 'POLICY_REJECTED'],
    handle: () => (call) =>
      answeredOnce(deps, call, () => repeatWebhooks(call, scenarioOf(call.body, WEBHOOK_SCENARIO_NAMES))),
  }
}

/** POST /sandbox/payouts. */
export function payoutRoute(deps: OnDemandDeps): WriteRoute {
  return {
    ...SHARED,
    operationId: 'refundSandboxRedeem',
    path: '/sandbox/payouts',
    summary: 'Get the coin of a redeem back',
    description: `What the issuer may do with one of your redeems whose payout came back. An order that is not yours, or whose payout did not come back or is being minted back, is not found. ${BOUND}\n\n${scenarioTexts('The redeem', PAYOUT_SCENARIOS)}`,
    scopes: PAYOUT_SCOPES,
    requestBody: {
      required: true,
      schema: Type.Object({ scenario: scenarioField(PAYOUT_SCENARIOS), referenceId: ReferenceId }),
      examples: { refunded: { scenario: 'refunded', referenceId: EXAMPLE_REFERENCE } },
    },
    success: {
      status: 201,
      description: 'It has begun: the redeem ends once the coin is back.',
      schema: Type.Object({ ok: Ok, scenario: Scenario, referenceId: ReferenceId }),
      examples: { refunded: { ok: true, scenario: 'refunded', referenceId: EXAMPLE_REFERENCE } },
    },
    errors: ['BAD_REQUEST', 'INVALID_REFERENCE_ID', 'NOT_FOUND', 'POLICY_REJECTED'],
    handle: () => (call) =>
      answeredOnce(deps, call, () => refundRedeem(deps, call, scenarioOf(call.body, PAYOUT_SCENARIO_NAMES))),
  }
}

/** POST /sandbox/chain. */
export function chainRoute(deps: OnDemandDeps, control: ChainControl): WriteRoute {
  return {
    ...SHARED,
    operationId: 'disturbSandboxChain',
    path: '/sandbox/chain',
    summary: 'Let the chain be slow, change its mind, or not answer',
    description: `Everybody who uses this sandbox notices. Only a sandbox with a chain of its own has this. ${BOUND}\n\n${scenarioTexts('It', CHAIN_SCENARIOS)}`,
    scopes: CHAIN_SCOPES,
    requestBody: {
      required: true,
      schema: Type.Object({
        scenario: scenarioField(CHAIN_SCENARIOS),
        seconds: count(MOST_CHAIN_SECONDS, 'For how long, where it takes time.'),
      }),
      examples: { unreadable: { scenario: 'unreadable', seconds: 20 } },
    },
    success: {
      status: 201,
      description: 'It has begun.',
      schema: Type.Object({
        ok: Ok,
        scenario: Scenario,
        seconds: Type.Integer({ description: 'How long it takes; 0 where it takes no time.' }),
      }),
      examples: { unreadable: { ok: true, scenario: 'unreadable', seconds: 20 } },
    },
    errors: ['BAD_REQUEST', 'POLICY_REJECTED'],
    handle: () => (call) =>
      answeredOnce(deps, call, () => disturbChain(control, call, scenarioOf(call.body, CHAIN_SCENARIO_NAMES))),
  }
}
