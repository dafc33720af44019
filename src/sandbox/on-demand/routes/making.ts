/** The routes that make customers and keys for an outcome. */
import Type from 'typebox'
import type { WriteRoute } from '../../../http/route.ts'
import { EXAMPLE_CUSTOMER, EXAMPLE_TIME, EXAMPLE_WALLET } from '../../../http/schemas/values.ts'
import { answeredOnce } from '../answered-once.ts'
import { CUSTOMER_SCENARIO_NAMES, canBeMade, customerScenario } from '../customer-scenarios.ts'
import type { OnDemandDeps } from '../deps.ts'
import { KEY_SCENARIO_NAMES, KEY_SCENARIOS } from '../key-scenarios.ts'
import { makeCustomer } from '../make-customer.ts'
import { MOST_SECONDS, MOST_TIMES, makeKey } from '../make-key.ts'
import { countOf, scenarioOf } from '../scenario-input.ts'
import { count, MadeCustomer, MadeKey, scenarioField, scenarioTexts } from '../schemas.ts'
import { becomes, requestsAbout } from '../try.ts'
import { BOUND, SHARED } from './shared.ts'

const EXAMPLE_TRY = requestsAbout({
  customerId: EXAMPLE_CUSTOMER,
  walletAddress: EXAMPLE_WALLET,
  recipient: EXAMPLE_WALLET,
  name: (number) => `try-3f9c2a7d1e8b-${number}`,
}).mint('a mint', '10', becomes('completed'))

/** POST /sandbox/customers, with the scenarios that can be made here. */
export function customerRoute(deps: OnDemandDeps): WriteRoute {
  const { linker, freezer } = deps.chain.config
  const has = { linker: linker !== undefined, freezer: freezer !== undefined, simulatedBank: deps.isBankSimulated }
  const names = CUSTOMER_SCENARIO_NAMES.filter((name) => canBeMade(customerScenario(name), has))
  const offered = Object.fromEntries(names.map((name) => [name, customerScenario(name)]))
  return {
    ...SHARED,
    operationId: 'makeSandboxCustomer',
    path: '/sandbox/customers',
    summary: 'Make a customer for an outcome',
    description: `A customer of your integration with a wallet of its own. Coin in it was minted by an order, and what is used of a limit was used by orders (references that begin with \`sandbox-\`), so that the answer comes after some blocks. ${BOUND}\n\n${scenarioTexts('The customer', offered)}`,
    scopes: [],
    requestBody: {
      required: true,
      schema: Type.Object({ scenario: scenarioField(offered) }),
      examples: { wanted: { scenario: names[0] } },
    },
    success: {
      status: 201,
      description: 'The customer, and what to send now.',
      schema: MadeCustomer,
      examples: {
        verified: {
          ok: true,
          scenario: 'verified',
          customerId: EXAMPLE_CUSTOMER,
          walletAddress: EXAMPLE_WALLET,
          apiKey: null,
          tryIt: [EXAMPLE_TRY],
        },
      },
    },
    errors: [
      'BAD_REQUEST',
      'POLICY_REJECTED',
      'SETTLEMENT_FAILED',
      'TRANSFER_PER_TX_CAP_EXCEEDED',
      'TRANSFER_DAILY_CAP_EXCEEDED',
    ],
    handle: () => (call) => answeredOnce(deps, call, () => makeCustomer(deps, call, scenarioOf(call.body, names))),
  }
}

/** POST /sandbox/keys. */
export function keyRoute(deps: OnDemandDeps): WriteRoute {
  return {
    ...SHARED,
    operationId: 'makeSandboxKey',
    path: '/sandbox/keys',
    summary: 'Make a key for an outcome',
    description: `A key of your integration with no more than the calling key has, for an hour at most. What fails on purpose fails for this key alone, has changed nothing, and leaves its Idempotency-Key free. ${BOUND}\n\n${scenarioTexts('The key', KEY_SCENARIOS)}`,
    scopes: [],
    requestBody: {
      required: true,
      schema: Type.Object({
        scenario: scenarioField(KEY_SCENARIOS),
        seconds: count(MOST_SECONDS, 'How long the key lives; default an hour, unless the scenario says otherwise.'),
        times: count(MOST_TIMES, 'How many requests fail, where they do; default 1.'),
      }),
      examples: { server_error: { scenario: 'server_error', times: 2 } },
    },
    success: {
      status: 201,
      description: 'The key, and what to send with it now.',
      schema: MadeKey,
      examples: {
        server_error: {
          ok: true,
          scenario: 'server_error',
          keyId: '0123456789abcdef',
          apiKey: 'coin_sandbox_0123456789abcdef_…',
          scopes: ['config:read'],
          expiresAt: EXAMPLE_TIME,
          tryIt: KEY_SCENARIOS.server_error.tries(MOST_SECONDS, 2),
        },
      },
    },
    errors: ['BAD_REQUEST', 'POLICY_REJECTED'],
    handle: () => (call) =>
      answeredOnce(deps, call, () =>
        makeKey(deps, call, {
          scenario: scenarioOf(call.body, KEY_SCENARIO_NAMES),
          seconds: countOf(call.body, 'seconds', MOST_SECONDS),
          times: countOf(call.body, 'times', MOST_TIMES),
        }),
      ),
  }
}
