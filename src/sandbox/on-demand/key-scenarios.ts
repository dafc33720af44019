/** Keys made on demand: one row for each outcome that depends on the key, and the requests that show it. */
import type { ErrorCode } from '../../errors.ts'
import type { ApiKey } from '../../integrations/api-key.ts'
import { SCOPES, type Scope } from '../../integrations/api-key.ts'
import type { Try } from './try.ts'

/** What a request of a key is answered instead of being carried out; `NO_ANSWER`: it is carried out and the connection cut. */
export type Fault = ErrorCode | 'NO_ANSWER'

export type KeyScenario = {
  /** What such a key is, in a sentence without its subject. */
  says: string
  settings?: Partial<Pick<ApiKey, 'ipAllowlist' | 'rates'>> & { scopes?: readonly Scope[] }
  /** How long it lives unless asked otherwise; default an hour. */
  seconds?: number
  isRevoked?: true
  /** What its first requests, or its first orders, are answered. */
  fault?: { answer: Fault; of: 'every request' | 'orders' }
  /** @param times how many of its requests fail, where they do */
  tries: (seconds: number, times: number) => Try[]
}

const CONFIG = { method: 'GET', path: '/v1/config' } as const
const WORKS: Try = { ...CONFIG, says: 'any request', expect: { status: 200 } }
/** After one that has failed: the others do, and then one works. */
const worksInTheEnd = (times: number): Try => ({
  ...WORKS,
  says: 'the same request again',
  ...(times === 1 ? {} : { repeat: times }),
})
const refused = (code: ErrorCode, status: number, says = 'any request'): Try => ({
  ...CONFIG,
  says,
  expect: { status, code },
})

function failing(answer: ErrorCode, status: number): KeyScenario {
  return {
    says: `gets ${answer} for its first requests (\`times\`), and then works`,
    fault: { answer, of: 'every request' },
    tries: (_seconds, times) => [refused(answer, status), worksInTheEnd(times)],
  }
}

export const KEY_SCENARIOS = {
  expires_soon: {
    says: 'expires in a minute, or in `seconds`',
    seconds: 60,
    tries: (seconds) => [WORKS, refused('UNAUTHORIZED', 401, `after ${seconds} seconds`)],
  },
  revoked: { says: 'is revoked', isRevoked: true, tries: () => [refused('UNAUTHORIZED', 401)] },
  read_only: {
    says: 'may only read',
    settings: { scopes: SCOPES.filter((scope) => scope.endsWith(':read')) },
    tries: () => [
      {
        says: 'any order',
        method: 'POST',
        path: '/v1/mints',
        idempotencyKey: 'try-scopes',
        body: {},
        expect: { status: 403, code: 'SCOPE_DENIED' },
      },
    ],
  },
  other_address: {
    says: 'may only be used from 192.0.2.1, where you are not',
    settings: { ipAllowlist: ['192.0.2.1/32'] },
    tries: () => [refused('IP_NOT_ALLOWED', 403)],
  },
  low_rates: {
    says: 'may send one request a minute of each kind',
    settings: { rates: { read: 1, write: 1, balances: 1 } },
    tries: () => [{ ...refused('RATE_LIMITED', 429, 'two within a minute'), repeat: 3 }],
  },
  rate_limited: failing('RATE_LIMITED', 429),
  server_error: failing('SERVER_ERROR', 500),
  service_unavailable: failing('SERVICE_UNAVAILABLE', 503),
  request_timeout: failing('REQUEST_TIMEOUT', 408),
  settlement_failed: {
    says: 'gets SETTLEMENT_FAILED for its first orders (`times`), and then works',
    fault: { answer: 'SETTLEMENT_FAILED', of: 'orders' },
    tries: () => [
      {
        says: 'any order',
        method: 'POST',
        path: '/v1/redeems',
        idempotencyKey: 'try-settlement',
        body: {},
        expect: { status: 502, code: 'SETTLEMENT_FAILED' },
      },
    ],
  },
  no_answer: {
    says: 'gets no answer to its first requests (`times`), although they are carried out: the connection ends',
    fault: { answer: 'NO_ANSWER', of: 'every request' },
    tries: (_seconds: number, times: number) => [
      { ...CONFIG, says: 'any request', expect: { status: 0 } },
      worksInTheEnd(times),
    ],
  },
} as const satisfies Record<string, KeyScenario>

export type KeyScenarioName = keyof typeof KEY_SCENARIOS
export const KEY_SCENARIO_NAMES = Object.keys(KEY_SCENARIOS) as KeyScenarioName[]

/** The row of a name. */
export function keyScenario(name: KeyScenarioName): KeyScenario {
  return KEY_SCENARIOS[name]
}
