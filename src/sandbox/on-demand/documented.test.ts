/** docs/SANDBOX.md lists what can be asked for, and every error code can be. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../config.ts'
import { ERRORS } from '../../errors.ts'
import { CHAIN_SCENARIOS } from './chain-scenarios.ts'
import { CUSTOMER_SCENARIO_NAMES, customerScenario } from './customer-scenarios.ts'
import { KEY_SCENARIO_NAMES, keyScenario } from './key-scenarios.ts'
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
  ...KEY_SCENARIO_NAMES.map((name) => ({ name, says: keyScenario(name).says, tries: keyScenario(name).tries(60) })),
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
const OTHER_ROWS = Object.entries({ ...WEBHOOK_SCENARIOS, ...CHAIN_SCENARIOS }).map(
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
