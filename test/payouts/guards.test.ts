/** The database accepts exactly the moves of src/payouts/moves.ts, and changes nothing that must stay. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Param, type Queryable, violatedConstraint } from '../../src/db/database.ts'
import { PAYOUT_MOVES, type PayoutMove } from '../../src/payouts/moves.ts'
import { PAYOUT_STATUSES, type PayoutStatus } from '../../src/payouts/payout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { CUSTOMERS } from '../support/two-of-everything.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

let count = 0
/** A payout as a status demands it, without an account or with one; a rail was asked, if the status says so. */
async function place(status: PayoutStatus, { account, rail }: { account?: string; rail?: string } = {}) {
  count += 1
  const asked = rail ?? (status === 'queued' ? null : 'http')
  const columns = { bic: account === undefined ? null : 'BIC', account: account ?? null }
  const name = account === undefined ? null : 'Name'
  await db.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, status, rail, hold_reason, rail_reference, bank_bic,
       bank_account, bank_name) values ($1, $2, $3, 100, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[`po_${count}`, BigInt(count), CUSTOMERS.a1, status, asked],
      ...[status === 'held' ? 'rail_not_configured' : null, status === 'sent' ? 'R' : null],
      ...[columns.bic, columns.account, name],
    ],
  )
  return `po_${count}`
}

/** The constraint that refuses a change; undefined when none does. The change is undone. */
async function refusalOf(change: string, payoutId: string, ...more: Param[]): Promise<string | undefined> {
  const undone = new Error('undone')
  const work = async (tx: Queryable) => {
    await tx.query(`update payouts set ${change} where payout_id = $1`, [payoutId, ...more])
    throw undone
  }
  return await db.transaction(work).catch((error: unknown) => {
    const refusal = violatedConstraint(error)
    if (error !== undone && refusal === undefined) throw error
    return refusal
  })
}

/** What a row of this status needs besides. */
const TO_STATUS = `status = $2, hold_reason = case $2 when 'held' then 'rail_not_configured' end,
  rail = coalesce(rail, case $2 when 'queued' then null else 'http' end),
  rail_reference = case $2 when 'sent' then 'R' else rail_reference end`

test('of all pairs of statuses the database accepts those that are moves', async () => {
  const moves = Object.values<PayoutMove>(PAYOUT_MOVES)
  for (const from of PAYOUT_STATUSES) {
    const payoutId = await place(from)
    for (const to of PAYOUT_STATUSES.filter((status) => status !== from)) {
      const refusal = await refusalOf(TO_STATUS, payoutId, to)
      const isMove = moves.some((move) => move.from.includes(from) && move.to === to)
      const expected = isMove ? undefined : from === 'sent' ? 'payouts_sent_for_good' : 'payouts_move_exists'
      assert.equal(refusal, expected, `${from} → ${to}`)
    }
  }
})

test('each move lets every payout reach its end, which is that the rail has it', () => {
  const moves = Object.values<PayoutMove>(PAYOUT_MOVES)
  for (const status of PAYOUT_STATUSES) {
    const leaves = moves.filter(({ from }) => from.includes(status)).map(({ to }) => to)
    assert.equal(leaves.includes('sent'), status !== 'sent')
    if (status === 'sent') assert.deepEqual(leaves, [])
  }
})

test('a payout that the rail has changes in nothing any more', async () => {
  const payoutId = await place('sent', { account: '1' })
  for (const change of [`rail_reference = 'other'`, 'attempts = attempts + 1', 'next_attempt_at = now()']) {
    assert.equal(await refusalOf(change, payoutId), 'payouts_sent_for_good', change)
  }
})

test('its order, its customer and its amount are those with which it was queued', async () => {
  for (const status of PAYOUT_STATUSES) {
    const payoutId = await place(status)
    const changes = ['amount_sen = 101', 'order_id = order_id + 9000', `customer_id = 'x'`, `payout_id = 'x'`]
    for (const change of [...changes, `created_at = now() + interval '1 day'`]) {
      assert.equal(await refusalOf(change, payoutId), 'payouts_as_queued', `${status}: ${change}`)
    }
  }
})

test('account and rail are taken once, and given up only when a rejected payout is queued again', async () => {
  const account = (value: string) => `bank_bic = 'BIC2', bank_account = '${value}', bank_name = 'Name'`
  const fresh = await place('queued')
  assert.equal(await refusalOf(`${account('2')}, rail = 'http'`, fresh), undefined)
  const none = 'bank_bic = null, bank_account = null, bank_name = null'
  for (const status of ['queued', 'held', 'rejected'] as const) {
    const payoutId = await place(status, { account: '1', rail: 'http' })
    for (const change of [account('2'), account('1'), none, `rail = 'other'`]) {
      assert.equal(await refusalOf(change, payoutId), 'payouts_destination_fixed', `${status}: ${change}`)
    }
    // A rail that took it although another was asked since is the one that has it.
    const sent = `status = 'sent', hold_reason = null, rail_reference = 'R'`
    assert.equal(await refusalOf(`${sent}, rail = 'other'`, payoutId), undefined, status)
    assert.equal(await refusalOf(`${sent}, ${account('2')}`, payoutId), 'payouts_destination_fixed', status)
  }
  const rejected = await place('rejected', { account: '1' })
  assert.equal(await refusalOf(`status = 'queued', rail = null, ${none}`, rejected), undefined)
})
