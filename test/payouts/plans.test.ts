// engine: postgres
/** A payout that is named is looked up by its name, also by a plan that was prepared while there were none. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { lockQueued } from '../../src/payment-files/undue.sql.ts'
import { findUnseen } from '../../src/payouts/burns.sql.ts'
import { allowToPay, type ClaimedPayout, postponePayout, returnClaim } from '../../src/payouts/claims.sql.ts'
import { findFromBefore } from '../../src/payouts/from-before.sql.ts'
import { bringForward } from '../../src/payouts/payouts.sql.ts'
import { claimPayouts, roomFor } from '../support/claim-payouts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ engine: 'postgres' })
})
after(() => db.close())

const CLAIM = { payoutId: 'po', attempt: 1, timesAsked: 1 } as ClaimedPayout
const LATER = { afterMs: 1, reason: '' }
const STATEMENTS: Record<string, (db: Queryable) => Promise<unknown>> = {
  postponePayout: (on) => postponePayout(on, CLAIM, LATER),
  returnClaim: (on) => returnClaim(on, CLAIM, LATER),
  allowToPay: (on) => allowToPay(on, CLAIM, 1),
  bringForward: (on) => bringForward(on, 'po'),
  lockQueued: (on) => lockQueued(on, 'po', 'E'),
}

for (const [name, run] of Object.entries(STATEMENTS)) {
  test(name, async () => {
    const lines: string[] = []
    const explaining: Queryable = {
      async query(text, params) {
        if (!text.includes('payouts where') && !text.includes('update payouts')) return []
        const plan = await db.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`, params)
        lines.push(...plan.map((row) => row['QUERY PLAN']))
        return []
      },
    }
    await run(explaining)
    const scans = lines.filter((line) => line.includes('Scan'))
    assert.equal(scans.length, 1, lines.join('\n'))
    assert.match(scans[0] ?? '', / using payouts_(pkey|by_end_to_end_id) /)
  })
}

test('a claim goes by what each integration has due', async () => {
  const check = async () => {
    const lines: string[] = []
    const explaining: Queryable = {
      async query(text, params) {
        const plan = await db.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`, params)
        lines.push(...plan.map((row) => row['QUERY PLAN']))
        return []
      },
    }
    await claimPayouts(explaining, { rail: 'r', limit: 16, claimMs: 1 })
    await findFromBefore(explaining, { ...roomFor(16), rail: 'r', mayAsk: true })
    const scans = lines.filter((line) => / on payouts\b/.test(line) && line.includes('Scan'))
    assert.ok(scans.length > 8)
    for (const scan of scans) assert.match(scan, / using payouts_(pkey|due) /, lines.join('\n'))
    assert.ok(lines.some((line) => /Index Cond: .*COALESCE.*LEAST.*next_attempt_at <= now/.test(line)))
  }
  await check()
  await db.query('analyze')
  await check()
})

test('burns are looked for among the payouts of their chain alone', async () => {
  const lines: string[] = []
  const explaining: Queryable = {
    async query(text, params) {
      const plan = await db.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`, params)
      lines.push(...plan.map((row) => row['QUERY PLAN']))
      return []
    },
  }
  await findUnseen(explaining, 1, 16)
  assert.ok(
    lines.some((line) => /Index Cond: .*chain_id = .*next_attempt_at <= now/.test(line)),
    lines.join('\n'),
  )
})
