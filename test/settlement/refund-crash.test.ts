// engine: postgres
/** `kill -9` at every step of a refund, and a wallet that was frozen meanwhile: the coin is minted back once, and nothing is paid as well. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { readExpectedSupply } from '../../src/operator/reconcile/findings.sql.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import { markRejected } from '../../src/payouts/record-news.ts'
import type { Step } from '../../src/settlement/work.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { believeBurns } from '../support/believed-burns.ts'
import { startGuarded } from '../support/guarded-process.ts'
import { payDue } from '../support/pay-due.ts'
import { waitFor } from '../support/wait-for.ts'
import { linkOf, silent, wallet } from './fixture.ts'
import { QUICK, type Scenario, startScenario } from './scenario.ts'

const CHILD = path.join(import.meta.dirname, 'crash-child.ts')
const HOLDER = wallet(1)
const AMOUNT = 12_056_789n

let s: Scenario
before(async () => {
  s = await startScenario({ engine: 'postgres' })
  await believeBurns(s.db)
  await s.chain.admin.linkWallet(linkOf(HOLDER))
  const [mint] = await s.place({ direction: 'MINT', amountMicro: 1_000_000_000n, to: HOLDER })
  await settled('first', async () => void (await s.until(mint, 'completed')))
})
after(() => s.end())

/** Runs a settler of this name until `done`. */
async function settled(holder: string, done: () => Promise<void>): Promise<void> {
  const settler = await s.settle({ holder, times: QUICK })
  try {
    await done()
  } finally {
    await settler.stop()
  }
}

/** A payout that its rail has refused. */
async function refusedPayout(holder: string): Promise<string> {
  const [redeem] = await s.place({ direction: 'REDEEM', amountMicro: AMOUNT, from: HOLDER })
  await settled(holder, async () => void (await s.until(redeem, 'PAYOUT_PENDING')))
  const [row] = await s.db.query<{ payout_id: string }>('select payout_id from payouts where order_id = $1', [
    redeem ?? 0n,
  ])
  const payoutId = row?.payout_id ?? ''
  const refusal = { reason: 'account closed', effectiveAt: new Date() }
  await s.db.transaction((tx) => markRejected(tx, { payoutId, attempt: 1 }, refusal))
  return payoutId
}

const refund = async (payoutId: string) => assert.ok(await s.db.transaction((tx) => payoutAdmin.refund(tx, payoutId)))
const statusOf = async (payoutId: string) => (await findPayout(s.db, payoutId))?.status
const until = (payoutId: string, status: string) =>
  waitFor(`${payoutId} to be ${status}`, async () => (await statusOf(payoutId)) === status)

/** Whatever a payer would ask of a rail. */
async function asked(): Promise<string[]> {
  const ids: string[] = []
  const rail = {
    name: 'rail',
    async initiate({ payoutId }: { payoutId: string }) {
      ids.push(payoutId)
      return { result: 'accepted', railReference: 'R' } as const
    },
  }
  while ((await payDue({ db: s.db, rail, secrets: TEST_SECRETS, logger: silent })) > 0);
  return ids
}

async function assertOnce(payoutId: string, supplyBefore: bigint): Promise<void> {
  assert.equal((await s.chain.admin.supply()) - supplyBefore, AMOUNT, 'minted back once')
  assert.deepEqual(await asked(), [])
  for (const act of ['retry', 'refund'] as const) {
    assert.equal(await s.db.transaction((tx) => payoutAdmin[act](tx, payoutId)), undefined, act)
  }
  assert.equal(await s.db.transaction((tx) => payoutAdmin.markPaid(tx, payoutId, 'BY HAND')), undefined)
  const entries = await s.db.query('select from ledger_entries where reference like $1', [`payout/${payoutId}/%`])
  assert.equal(entries.length, 1, 'the refund alone is booked')
  const expected = await readExpectedSupply(s.db, 31_337)
  assert.equal(await s.chain.admin.supply(expected?.block), expected?.expectedMicro)
}

const STEPS: Step[] = [
  ...(['batch-selected', 'batch-signed', 'batch-stored', 'batch-broadcast'] as const),
  ...(['broadcast-recorded', 'chain-looked-at', 'mined-recorded', 'outcome-decided'] as const),
]

for (const step of STEPS) {
  test(`killed at ${step}`, async () => {
    const holder = `dies-at-${step}`
    const payoutId = await refusedPayout(holder)
    const supply = await s.chain.admin.supply()
    await refund(payoutId)
    const task = { databaseUrl: s.db.url, dieAt: step, holder, config: s.config }
    const text = JSON.stringify(task, (_key, value) => (typeof value === 'bigint' ? String(value) : value))
    const child = await startGuarded(process.execPath, [CHILD], { env: { ...process.env, SETTLER_TASK: text } })
    assert.equal(await child.exited, 137)
    await settled(holder, async () => void (await until(payoutId, 'refunded')))
    await assertOnce(payoutId, supply)
  })
}

test('a wallet frozen meanwhile: the payout stays with its reason, and another refund goes on once it is not frozen', async () => {
  const payoutId = await refusedPayout('frozen')
  const supply = await s.chain.admin.supply()
  await s.chain.admin.freeze(HOLDER)
  await refund(payoutId)
  await settled('frozen', async () => {
    await waitFor('the refund to fail', async () =>
      ((await findPayout(s.db, payoutId))?.lastError ?? '').startsWith('The coin was not'),
    )
    assert.equal(await statusOf(payoutId), 'rejected')
    assert.match(
      (await findPayout(s.db, payoutId))?.lastError ?? '',
      /^The coin was not minted back: .*(frozen|Frozen)/,
    )
    assert.equal(await s.chain.admin.supply(), supply)
    await s.chain.admin.unfreeze(HOLDER)
    await refund(payoutId)
    await until(payoutId, 'refunded')
  })
  await assertOnce(payoutId, supply)
})
