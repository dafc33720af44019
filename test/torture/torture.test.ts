// engine: postgres
/** A little torture with a fixed seed: what `npm run torture` does for as long as you like (docs/RELIABILITY.md). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryFolder } from '../support/temp.ts'
import { CATALOGUE } from './faults/catalogue.ts'
import { describe } from './report.ts'
import { runTorture } from './torture.ts'

const SEED = '5338'
const LOAD_MS = 12_000
/** Faults that need longer to recover from are left to the long runs. */
const SETTLE_MS = 25_000
const SETTLE_LIMIT_MS = 120_000
/** Usually little more than a minute; a busy machine takes three times as long to start six processes. */
const TIMEOUT_MS = 380_000
/** More than have to be completed, because faults make some fail. */
const LEAST_ACCEPTED = 16

test('holds under load and faults: an independent judge finds nothing wrong', { timeout: TIMEOUT_MS }, async () => {
  const { summary, violations } = await runTorture({
    seed: SEED,
    loadMs: LOAD_MS,
    leastAccepted: LEAST_ACCEPTED,
    settleMs: SETTLE_MS,
    settleLimitMs: SETTLE_LIMIT_MS,
    clients: 3,
    faultEveryMs: 1_200,
    catalogue: CATALOGUE.filter(({ openIssue }) => openIssue === undefined),
    folder: temporaryFolder('torture'),
    print: (line) => console.log(line),
  })
  console.log(describe(summary, violations))
  assert.deepEqual(violations, [])
  // A run in which nothing happened proves nothing.
  for (const direction of ['MINT', 'REDEEM', 'TRANSFER']) {
    assert.ok((summary.orders[`${direction} completed`] ?? 0) >= 10, JSON.stringify(summary.orders))
  }
  assert.ok(Object.keys(summary.faults).length >= 5, JSON.stringify(summary.faults))
})
