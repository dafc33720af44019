// engine: postgres; both in test:long
/** The database accepts exactly the moves of src/payouts/moves.ts, and these of an attempt, and changes nothing that must stay. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Param, type Queryable, violatedConstraint } from '../../src/db/database.ts'
import { PAYOUT_MOVES, type PayoutMove } from '../../src/payouts/moves.ts'
import { ATTEMPT_STATUSES, type AttemptStatus, PAYOUT_STATUSES, type PayoutStatus } from '../../src/payouts/payout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { CUSTOMERS } from '../support/two-of-everything.ts'
import { withoutGuards } from '../support/without-guards.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  const row = (bankId: string, customerId: string) => `('bnk_${bankId.repeat(24)}', 'sb1.x', '${customerId}')`
  const rows = [row('1', CUSTOMERS.a1), row('2', CUSTOMERS.a1), row('3', CUSTOMERS.a2)]
  await db.query(`insert into bank_details (bank_id, sealed, customer_id) values ${rows.join(', ')}`)
  await db.query(`insert into integrations (integration_id, name) values ('int', 'Test')`)
  await db.query(
    `insert into customers (customer_id, integration_id, account_type, verification_status, verification_level, country_code, is_resident,
       monthly_cap_micro, bank_id) values ($1, 'int', 'RETAIL', 'PENDING', 'TIER_2', 'MY', true, 0, $2)`,
    [CUSTOMERS.a1, `bnk_${'2'.repeat(24)}`],
  )
})
after(() => db.close())

type AttemptMove = { from: readonly AttemptStatus[]; to: AttemptStatus }

const ATTEMPT_MOVES = {
  /** Also when the rail had refused it before: whoever has the payment is believed. */
  send: { from: ['asked', 'rejected'], to: 'sent' },
  reject: { from: ['asked', 'sent'], to: 'rejected' },
  /** The rail's word was wrong, and no statement shows it. */
  disprove: { from: ['paid'], to: 'rejected' },
  /** The line that showed it was another payment's. */
  reopen: { from: ['paid'], to: 'sent' },
  pay: { from: ['sent'], to: 'paid' },
  giveBack: { from: ['sent', 'paid'], to: 'returned' },
} as const satisfies Record<string, AttemptMove>

/** Whether one of these moves leads from one status to another. */
function leads<S>(moves: Record<string, { from: readonly S[]; to: S }>, from: S, to: S): boolean {
  return Object.values(moves).some((move) => move.from.includes(from) && move.to === to)
}
const mayMovePayout = (from: PayoutStatus, to: PayoutStatus) => leads<PayoutStatus>(PAYOUT_MOVES, from, to)
const mayMoveAttempt = (from: AttemptStatus, to: AttemptStatus) => leads<AttemptStatus>(ATTEMPT_MOVES, from, to)

let count = 0
const isAsked = (status: PayoutStatus) => status !== 'queued'

type Placing = { account?: string; rail?: string; attempt?: AttemptStatus }

/** A payout as a status demands it, without an account or with one; a rail was asked, if the status says so. */
async function place(status: PayoutStatus, { account, rail, attempt }: Placing = {}) {
  count += 1
  const payoutId = `po_${count}`
  await db.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, status, rail, hold_reason, rail_reference, bank_id,
       end_to_end_id) values ($1, $2, $3, 100, $4, $5, $6, $7, $8, $9)`,
    [
      payoutId,
      BigInt(count),
      CUSTOMERS.a1,
      status,
      rail ?? (isAsked(status) ? 'http' : null),
      status === 'held' ? 'rail_not_configured' : null,
      status === 'sent' || status === 'paid' ? 'R' : null,
      account === undefined ? null : `bnk_${account.repeat(24)}`,
      `E${count}`,
    ],
  )
  if (attempt !== undefined) {
    await db.query(
      `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, status) values ($1, 1, $2, 'http', $3)`,
      [payoutId, `E${count}`, attempt],
    )
  }
  return payoutId
}

/** The constraint that refuses a change; undefined when none does. The change is undone. */
async function refusalOf(change: string, payoutId: string, ...more: Param[]): Promise<string | undefined> {
  return await refusalIn('payouts', change, payoutId, ...more)
}

async function refusalIn(table: string, change: string, payoutId: string, ...more: Param[]) {
  const undone = new Error('undone')
  const work = async (tx: Queryable) => {
    await tx.query(`update ${table} set ${change} where payout_id = $1`, [payoutId, ...more])
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
  rail = coalesce(rail, case $2 when 'queued' then null else 'http' end), rail_reference = coalesce(rail_reference, 'R')`

test('of all pairs of statuses the database accepts those that are moves', async () => {
  for (const from of PAYOUT_STATUSES) {
    const payoutId = await place(from)
    for (const to of PAYOUT_STATUSES.filter((status) => status !== from)) {
      const refusal = await refusalOf(TO_STATUS, payoutId, to)
      assert.equal(refusal, mayMovePayout(from, to) ? undefined : 'payouts_move_exists', `${from} → ${to}`)
    }
  }
})

test('the moves are those of a payout that is settled once, and can come back', () => {
  const moves = PAYOUT_STATUSES.flatMap((from) => {
    const to = PAYOUT_STATUSES.filter((status) => mayMovePayout(from, status))
    return to.length === 0 ? [] : [[from, to.join(' | ')]]
  })
  assert.deepEqual(Object.fromEntries(moves), {
    queued: 'held | sent | rejected',
    held: 'queued',
    sent: 'paid | rejected | returned',
    paid: 'sent | rejected | returned',
    paid_by_hand: 'returned',
    rejected: 'queued | paid_by_hand | refunded',
    returned: 'queued | paid_by_hand | refunded',
  })
  assert.ok(Object.values<PayoutMove>(PAYOUT_MOVES).every(({ by }) => by.length > 0))
})

test('of all pairs of statuses of an attempt the database accepts those that are moves', async () => {
  for (const from of ATTEMPT_STATUSES) {
    const payoutId = await place('rejected', { attempt: from })
    for (const to of ATTEMPT_STATUSES.filter((status) => status !== from)) {
      const refusal = await refusalIn('payout_attempts', 'status = $2', payoutId, to)
      const expected = mayMoveAttempt(from, to) ? undefined : 'payout_attempts_move_exists'
      assert.equal(refusal, expected, `${from} → ${to}`)
    }
  }
})

test('what an attempt was asked for with never changes', async () => {
  const payoutId = await place('sent', { attempt: 'sent' })
  const changes = [`payout_id = 'x'`, 'attempt = 2', `end_to_end_id = 'x'`, `rail = 'x'`, `bank_id = '1'`]
  for (const change of [...changes, `asked_at = now() + interval '1 day'`]) {
    assert.equal(await refusalIn('payout_attempts', change, payoutId), 'payout_attempts_as_asked', change)
  }
  assert.equal(await refusalIn('payout_attempts', `reason = 'x'`, payoutId), undefined)
})

test('its order, its customer and its amount are those with which it was queued', async () => {
  for (const status of PAYOUT_STATUSES) {
    const payoutId = await place(status)
    const changes = [
      'amount_sen = 101',
      'order_id = order_id + 9000',
      'chain_id = coalesce(chain_id, 0) + 1',
      `customer_id = 'x'`,
      `payout_id = 'x'`,
    ]
    for (const change of [...changes, `created_at = now() + interval '1 day'`]) {
      assert.equal(await refusalOf(change, payoutId), 'payouts_as_queued', `${status}: ${change}`)
    }
  }
})

test('and of a payout of parts of a sen whose it is and how it is called', async () => {
  const payoutId = await place('queued')
  const parts = `order_id = null, integration_id = 'int', reference_id = 'parts-1'`
  await withoutGuards(db, (tx) => tx.query(`update payouts set ${parts} where payout_id = $1`, [payoutId]))
  for (const change of [`integration_id = 'another'`, `reference_id = 'parts-2'`])
    assert.equal(await refusalOf(change, payoutId), 'payouts_as_queued', change)
})

test('a payment that a statement shows as paid was paid, whatever a rail says of it then', async () => {
  let entry = 0
  const addLine = (payoutId: string, amountMicro: bigint) => {
    entry += 1
    const text = `insert into bank_lines (statement_no, bank_account, entry, detail, amount_micro, booked_on, value_on, is_reversal, state,
        matched_kind, matched_to, decided_at)
      values (1, 'ours', $1, 1, $2, current_date, current_date, false, 'matched', 'payout', $3, now())`
    return withoutGuards(db, (tx) => tx.query(text, [entry, amountMicro, `${payoutId}/1`]))
  }
  for (const from of ['sent', 'paid'] as const) {
    const payoutId = await place(from, { attempt: from })
    const to = (status: AttemptStatus) => refusalIn('payout_attempts', 'status = $2', payoutId, status)
    await addLine(payoutId, 1_000_000n)
    assert.equal(await to('rejected'), undefined, 'a credit says nothing of the debit')
    await addLine(payoutId, -1_000_000n)
    assert.equal(await to('rejected'), 'payout_attempts_shown', from)
    assert.equal(await to('returned'), undefined, from)
    const other = await place(from, { attempt: from })
    assert.equal(await refusalIn('payout_attempts', 'status = $2', other, 'rejected'), undefined, 'another payment')
  }
})

test('account and rail are taken once, and given up only with the attempt', async () => {
  const account = (value: string) => `bank_id = 'bnk_${value.repeat(24)}'`
  const fresh = await place('queued')
  assert.equal(await refusalOf(`${account('2')}, rail = 'http'`, fresh), undefined)
  for (const another of ['3', '4']) {
    assert.equal(await refusalOf(account(another), fresh), 'payouts_to_own_bank', 'of another customer, or of nobody')
    const next = `${account(another)}, attempt = 2, end_to_end_id = 'N', retries = 1, status = 'queued'`
    assert.equal(await refusalOf(next, await place('rejected')), 'payouts_to_own_bank')
  }
  const none = 'bank_id = null'
  for (const status of ['queued', 'held', 'sent', 'paid', 'rejected', 'returned'] as const) {
    const payoutId = await place(status, { account: '1', rail: 'http' })
    for (const change of [account('2'), none, `rail = 'other'`]) {
      assert.equal(await refusalOf(change, payoutId), 'payouts_destination_fixed', `${status}: ${change}`)
    }
    assert.equal(await refusalOf(`last_error = 'x'`, payoutId), undefined, status)
  }
  const rejected = await place('rejected', { account: '1' })
  const next = `attempt = 2, end_to_end_id = 'N', retries = 1, rail = null, ${none}`
  assert.equal(await refusalOf(`status = 'queued', ${next}`, rejected), undefined)
})

test('another attempt begins only after the one before is certainly over', async () => {
  const next = `status = 'queued', hold_reason = null, attempt = 2, end_to_end_id = 'N', retries = 1`
  for (const attempt of ATTEMPT_STATUSES) {
    const payoutId = await place('rejected', { attempt })
    const expected = attempt === 'rejected' || attempt === 'returned' ? undefined : 'payouts_attempt_open'
    assert.equal(await refusalOf(next, payoutId), expected, attempt)
  }
  assert.equal(await refusalOf(next, await place('returned', { attempt: 'returned' })), undefined, 'it came back')
  const over = await place('rejected', { attempt: 'rejected' })
  assert.equal(await refusalOf(next.replace('queued', 'rejected'), over), 'payouts_attempt_open', 'not queued again')
  assert.equal(await refusalOf(next, await place('queued')), undefined, 'never asked')
  assert.equal(await refusalOf(next, await place('held')), 'payouts_attempt_open', 'held')
  assert.equal(await refusalOf(`attempt = 2`, await place('sent')), 'payouts_attempt_open')
  assert.equal(await refusalOf(`end_to_end_id = 'N'`, await place('paid')), 'payouts_attempt_open')
})
