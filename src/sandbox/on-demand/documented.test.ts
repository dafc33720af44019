/** docs/SANDBOX.md lists what can be asked for, and every error code can be. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { READ_TIMEOUT_MS } from '../../chain/node.ts'
import { loadConfig } from '../../config.ts'
import { ERRORS } from '../../errors.ts'
import { CHAIN_SCENARIOS } from './chain-scenarios.ts'
import { CUSTOMER_SCENARIO_NAMES, customerScenario } from './customer-scenarios.ts'
import { KEY_SCENARIO_NAMES, keyScenario } from './key-scenarios.ts'
import { PAYOUT_SCENARIOS } from './payout-scenarios.ts'
import { countOf, scenarioOf } from './scenario-input.ts'
import type { Expected, Try } from './try.ts'
import { WEBHOOK_SCENARIOS } from './webhook-scenarios.ts'

const document = readFileSync(path.join(import.meta.dirname, '../../../docs/SANDBOX.md'), 'utf8')
const { policy } = loadConfig({})
const SUBJECT = { customerId: 'cus_1', walletAddress: '0x1', recipient: '0x2', name: String }

const ROWS = [
  ...CUSTOMER_SCENARIO_NAMES.map((name) => ({
    name,
    says: customerScenario(name).says,
    tries: customerScenario(name).tries(SUBJECT, policy),
  })),
  ...KEY_SCENARIO_NAMES.map((name) => ({ name, says: keyScenario(name).says, tries: keyScenario(name).tries(60, 1) })),
]

function resultOf({ status, code, reason, order }: Expected): string {
  if (status === 0) return 'no answer'
  if (code !== undefined) return reason === undefined ? `\`${code}\`` : `\`${code}\` (\`${reason}\`)`
  return order === undefined ? '' : `\`${order.status}\` / \`${order.phase}\``
}

function rowOf({ name, says, tries }: { name: string; says: string; tries: readonly Try[] }): string {
  const results = new Set(tries.map(({ expect }) => resultOf(expect)).filter((result) => result !== ''))
  return `| \`${name}\` | ${says} | ${[...results].join(', ')} |`
}

/** Of these the row says all. */
const OTHER_ROWS = Object.entries({ ...WEBHOOK_SCENARIOS, ...PAYOUT_SCENARIOS, ...CHAIN_SCENARIOS }).map(
  ([name, { says }]) => `| \`${name}\` | ${says} |`,
)

test('the page has a row for each, with what it shows', () => {
  const lines = new Set(document.split('\n'))
  assert.deepEqual(
    [...ROWS.map(rowOf), ...OTHER_ROWS].filter((row) => !lines.has(row)),
    [],
  )
})

test('every error code is shown by one of them', () => {
  const shown = new Set(ROWS.flatMap(({ tries }) => tries.map(({ expect }) => expect.code)))
  assert.deepEqual(
    Object.keys(ERRORS).filter((code) => !shown.has(code as keyof typeof ERRORS)),
    [],
  )
})

test('what is said of a key that fails more than once is so for as many times as were asked for', () => {
  for (const name of KEY_SCENARIO_NAMES) {
    const { fault, tries } = keyScenario(name)
    if (fault === undefined) continue
    for (const times of [1, 3]) {
      // Each is sent up to `repeat` times, one of which is answered as it says.
      const sent = tries(60, times).reduce((sum, { repeat = 1 }) => sum + repeat, 0)
      const last = tries(60, times).at(-1)
      if (last?.expect.status === 200) assert.equal(sent, times + 1, `${name}, ${times} times`)
    }
  }
})

test('a count that is wrong is told what it may be, and a scenario which there are', () => {
  const said = (work: () => unknown) => {
    try {
      return work()
    } catch (error) {
      return (error as Error).message.replace(`${ERRORS.BAD_REQUEST.message} `, '')
    }
  }
  assert.equal(
    said(() => countOf({ seconds: 61 }, 'seconds', 60)),
    'seconds must be a whole number from 1 to 60.',
  )
  assert.equal(
    said(() => countOf({ times: '2' }, 'times', 100)),
    'times must be a whole number from 1 to 100.',
  )
  assert.equal(
    said(() => scenarioOf({ scenario: 'x' }, ['one', 'other'])),
    'scenario must be one of one, other.',
  )
})

test('whoever lets the chain fall silent is told for how long a request waits before it is refused: for less, none is', () => {
  assert.match(CHAIN_SCENARIOS.unreadable.says, new RegExp(`waits ${READ_TIMEOUT_MS / 1_000} seconds`))
})
