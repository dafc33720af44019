// engine: postgres
/** A counter that somebody has rewritten is set to what its orders come to, while orders are accepted and rejected. */
// Runbook: The books differ
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Param, Queryable } from '../../src/db/database.ts'
import { readCounter } from '../../src/operator/reconcile/counters.sql.ts'
import { type CounterKind, recount } from '../../src/operator/reconcile/counters.ts'
import { findWrongEarmarks } from '../../src/operator/reconcile/findings.sql.ts'
import { checkUsage } from '../../src/operator/reconcile/usage.ts'
import { rejectUnsettleable } from '../../src/orders/life/hold.sql.ts'
import type { Counter } from '../../src/orders/life/recount.sql.ts'
import { CHAIN_ID, createOrdersFixture, MICRO, type OrdersFixture } from '../support/orders.ts'
import { waitFor } from '../support/wait-for.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

const CAP = 1_000_000_000n * MICRO

let fixture: OrdersFixture
let api: OperatorFixture
let day: string
before(async () => {
  fixture = await createOrdersFixture('postgres')
  api = await startOperator({ db: fixture.db })
  const [now] = await fixture.db.query<{ day: string }>(`select (now() at time zone 'UTC')::date as day`)
  day = now?.day ?? ''
})
after(async () => {
  await api.close()
  await fixture.close()
})

const counters = (): [CounterKind, string, Counter][] => [
  ['mint_usage', `${fixture.keyId}:${day}`, { of: 'MINT', owner: fixture.keyId, period: day }],
  ['transfer_usage', `${fixture.keyId}:${day}`, { of: 'TRANSFER', owner: fixture.keyId, period: day }],
  [
    'withdrawal_usage',
    fixture.customerId,
    { of: 'REDEEM', owner: fixture.customerId, period: `${day.slice(0, 7)}-01` },
  ],
  [
    'earmark',
    `${CHAIN_ID}:${fixture.walletAddress}`,
    { of: 'earmark', chainId: CHAIN_ID, address: fixture.walletAddress },
  ],
]
/** By what a counter is more than its orders come to, each in its turn. */
async function wrongBy(): Promise<bigint[]> {
  const found: bigint[] = []
  for (const [, , counter] of counters()) {
    const { recordedMicro, ordersMicro } = await readCounter(fixture.db, counter)
    found.push(recordedMicro - ordersMicro)
  }
  return found
}
const RIGHT = [0n, 0n, 0n, 0n]

/** As a thief with the login of an API process could. */
async function tamper(db: Queryable, micro: bigint): Promise<void> {
  const { keyId, customerId, walletAddress } = fixture
  const rows: [table: string, names: string, values: Param[]][] = [
    ['mint_usage', 'key_id, day', [keyId, day]],
    ['transfer_usage', 'key_id, day', [keyId, day]],
    ['withdrawal_usage', 'customer_id, month', [customerId, `${day.slice(0, 7)}-01`]],
  ]
  for (const [table, names, values] of rows) {
    await db.query(
      `insert into ${table} as u (${names}, committed_micro, cap_micro) values ($1, $2::date, greatest(0, $3::bigint), ${CAP})
       on conflict (${names}) do update set committed_micro = greatest(0, u.committed_micro + $3::bigint)`,
      [...values, micro],
    )
  }
  await db.query(
    `insert into wallet_earmarks as e (chain_id, address, earmarked_micro) values ($1, $2, greatest(0, $3::bigint))
     on conflict (chain_id, address) do update set earmarked_micro = greatest(0, e.earmarked_micro + $3::bigint), balance_micro = null`,
    [CHAIN_ID, walletAddress, micro],
  )
}

async function recountAll(): Promise<void> {
  for (const [kind, subject] of counters()) {
    await fixture.db
      .transaction((tx) => recount(tx, { kind, subject }))
      .catch((error: Error) => assert.match(error.message, /is right/))
  }
}

const OPERATIONS = ['mint', 'redeem', 'transfer'] as const
const CAPS = { mintDayCapMicro: CAP, transferDayCapMicro: CAP }
const bodyOf = (operation: (typeof OPERATIONS)[number], amount: string) =>
  operation === 'mint'
    ? fixture.mintBody({ amountMyr: amount, fiatConfirmed: true })
    : fixture[`${operation}Body`]({ amountCoin: amount })

describe('while orders are accepted and rejected', () => {
  for (const [what, micro] of [
    ['lowered', -100_000n * MICRO],
    ['raised', 7_000n * MICRO],
  ] as const) {
    it(`counters that were ${what} are right once they are recounted, and stay so`, async () => {
      const accept = async (amount: string) => {
        const asked = OPERATIONS.map((operation) =>
          fixture.attempt(operation, bodyOf(operation, amount), { caller: CAPS }),
        )
        for (const { code } of await Promise.all(asked)) assert.equal(code, undefined)
      }
      for (const amount of ['100', '200', '300', '400']) await accept(amount)
      assert.deepEqual(await wrongBy(), RIGHT)
      await tamper(fixture.db, micro)
      assert.ok((await wrongBy()).every((by) => by !== 0n))
      const pending = await fixture.db.query<{ order_id: bigint }>(
        `select order_id from orders where status = 'pending' order by random() limit 6`,
      )
      const rejecting = async () => {
        for (const { order_id: orderId } of pending)
          assert.ok(await fixture.db.transaction((tx) => rejectUnsettleable(tx, orderId)))
      }
      const accepting = async () => {
        for (let each = 0; each < 12; each++) await accept(String(1 + each))
      }
      await Promise.all([accepting(), accepting(), rejecting(), recountAll(), recountAll()])
      assert.deepEqual(await wrongBy(), RIGHT)
      assert.deepEqual(await checkUsage(fixture.db), { counters: [], sums: [] })
      assert.deepEqual(await findWrongEarmarks(fixture.db), [])
    })
  }

  it('what somebody has begun to count is waited for, and counted once', async () => {
    for (const [kind, subject] of counters()) {
      const operation = kind === 'mint_usage' ? 'mint' : kind === 'transfer_usage' ? 'transfer' : 'redeem'
      await tamper(fixture.db, 5n * MICRO)
      const recounted = await fixture.db.transaction(async (tx) => {
        const other = await createOrdersOver(tx)
        assert.equal((await other(operation)).code, undefined)
        const waiting = fixture.db.transaction((own) => recount(own, { kind, subject }))
        await waitFor('the recount to wait', async () => {
          const rows = await fixture.db.query(`select 1 from pg_locks where not granted
            and pid in (select pid from pg_stat_activity where datname = current_database())`)
          return rows.length > 0
        })
        return { waiting }
      })
      const [{ recordedMicro, ordersMicro } = assert.fail()] = await recounted.waiting
      assert.equal(recordedMicro - ordersMicro, 5n * MICRO, kind)
      await recountAll()
      assert.deepEqual(await wrongBy(), RIGHT)
    }
  })
})

/** Acceptance in a transaction that somebody else ends. */
async function createOrdersOver(tx: Queryable) {
  const { query } = fixture.db
  return async (operation: (typeof OPERATIONS)[number]) => {
    Object.assign(fixture.db, { query: tx.query.bind(tx) })
    try {
      return await fixture.attempt(operation, bodyOf(operation, '10'), { caller: CAPS })
    } finally {
      Object.assign(fixture.db, { query })
    }
  }
}

it('reconcile names the counter and the command, after which it names it no more', async () => {
  await tamper(fixture.db, 3n * MICRO)
  const found = async () =>
    (await api.call('GET', '/reconcile')).body.differences.filter(({ message }: { message: string }) =>
      message.includes('counter recount'),
    ) as { kind: string; subject: string; message: string }[]
  const named = await found()
  assert.deepEqual(
    named.map(({ kind, subject }) => `${kind} ${subject}`).toSorted(),
    counters()
      .map(([kind, subject]) => `${kind} ${subject}`)
      .toSorted(),
  )
  for (const { kind, subject, message } of named) {
    assert.ok(message.endsWith(`Once you know why: "coin counter recount ${kind} ${subject} --reason …".`))
    const { status, body } = await api.call('POST', '/counters/recount', { kind, subject, reason: 'a stolen login' })
    assert.equal(status, 200, JSON.stringify(body))
    assert.match(body.found, / is recorded, and .* is what its orders come to$/)
    const again = await api.call('POST', '/counters/recount', { kind, subject, reason: 'a stolen login' })
    assert.match(again.body.error.message, /is right: its orders come to/)
  }
  assert.deepEqual(await found(), [])
  const lines = await fixture.db.query<{ target: string }>(
    `select target from audit_log where action = 'counter.recount'`,
  )
  assert.equal(lines.length, 4)
})

it('a wallet that was earmarked to the last coin, and a counter up to its cap, let orders in again', async () => {
  const { keyId, walletAddress } = fixture
  await fixture.db.query(
    'update wallet_earmarks set earmarked_micro = 1000000000000, balance_micro = null where address = $1',
    [walletAddress],
  )
  await fixture.db.query('update transfer_usage set committed_micro = cap_micro where key_id = $1', [keyId])
  const refusals = async () => [
    (await fixture.attempt('transfer', fixture.transferBody(), { caller: CAPS })).code,
    (await fixture.attempt('redeem', fixture.redeemBody())).code,
  ]
  assert.deepEqual(await refusals(), ['TRANSFER_DAILY_CAP_EXCEEDED', 'INSUFFICIENT_BALANCE'])
  await recountAll()
  assert.deepEqual(await refusals(), [undefined, undefined])
  assert.deepEqual(await wrongBy(), RIGHT)
})

it('a counter that comes to more than the cap of before is set all the same, and lets nothing more in', async () => {
  const { keyId } = fixture
  await fixture.db.query('update transfer_usage set committed_micro = 0, cap_micro = 1 where key_id = $1', [keyId])
  await recountAll()
  assert.deepEqual(await wrongBy(), RIGHT)
  const transferDayCapMicro = 1_000n * MICRO
  const { code } = await fixture.attempt('transfer', fixture.transferBody(), { caller: { transferDayCapMicro } })
  assert.equal(code, 'TRANSFER_DAILY_CAP_EXCEEDED')
})

it('a mint that was confirmed on a later day counts on that day; months to come of a customer are put right, too', async () => {
  const { db, keyId, customerId } = fixture
  await db.query(
    `insert into withdrawal_usage values ($1, (date_trunc('month', now() at time zone 'UTC') + interval '1 month')::date, 9, 9)`,
    [customerId],
  )
  await recountAll()
  assert.deepEqual(await db.query('select committed_micro from withdrawal_usage where month > now()'), [
    { committed_micro: 0n },
  ])
  await db.query(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address, customer_id, key_id,
       amount_micro, created_at, mint_cap_key_id, mint_cap_day)
     select integration_id, 'confirmed-later', direction, status, chain_id, network, token_address, wallet_address, customer_id, key_id,
       11, now() - interval '3 days', $1, $2::date from orders where direction = 'MINT' and status = 'pending' limit 1`,
    [keyId, day],
  )
  assert.equal((await wrongBy())[0], -11n)
  await recountAll()
  assert.deepEqual(await wrongBy(), RIGHT)
})

it('rows that no order could have made are put right by the name that reconcile gives them', async () => {
  const { db } = fixture
  for (const table of ['mint_usage', 'transfer_usage'])
    await db.query(
      `insert into ${table} select key_id, day::date, 5, 5 from (values ('a:b', 'infinity'), ('', '9999-12-31'),
         (repeat(' ', 200), '12345-01-01'), ('k', '2999-01-01'), ('k', '5874897-12-31')) as t (key_id, day)`,
    )
  await db.query(
    `insert into withdrawal_usage select id, month::date, 5, 5 from (values ('a:b', 'infinity'), ('', '9999-12-31')) as t (id, month)`,
  )
  await db.query(
    `insert into wallet_earmarks (chain_id, address, earmarked_micro)
     values (1, repeat('n', 200), 5), (9007199254740991, '1:2', 5), (1, '', 5)`,
  )
  const found = async () =>
    (await api.call('GET', '/reconcile')).body.differences.filter(({ message }: { message: string }) =>
      message.includes('counter recount'),
    ) as { kind: string; subject: string }[]
  const named = await found()
  assert.equal(named.length, 15)
  for (const { kind, subject } of named) {
    const { status, body } = await api.call('POST', '/counters/recount', { kind, subject, reason: 'a stolen login' })
    assert.equal(status, 200, `${kind} ${subject}: ${JSON.stringify(body)}`)
  }
  assert.deepEqual(await found(), [])
})

it('orders that come to more than a column holds, as somebody with a login of the database may write them, hide no difference', async () => {
  const { db, keyId, customerId, walletAddress } = fixture
  for (const n of [1, 2])
    await db.query(
      `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address, debit_address,
         customer_id, key_id, amount_micro)
       select integration_id, $1, direction, status, chain_id, network, token_address, wallet_address, debit_address, customer_id, key_id,
         9223372036854775807 from orders where direction = 'TRANSFER' and status = 'pending' limit 1`,
      [`too-great-${n}`],
    )
  await db.query('update withdrawal_usage set committed_micro = committed_micro + 5 where customer_id = $1', [
    customerId,
  ])
  const { status, body } = await api.call('GET', '/reconcile')
  assert.equal(status, 200, JSON.stringify(body))
  const subjects = body.differences.map(({ kind, subject }: { kind: string; subject: string }) => `${kind} ${subject}`)
  for (const each of [
    `earmark ${CHAIN_ID}:${walletAddress}`,
    `transfer_usage ${keyId}:${day}`,
    `withdrawal_usage ${customerId}`,
  ])
    assert.ok(subjects.includes(each), `${each} in ${subjects}`)
  const recounted = { kind: 'earmark', subject: `${CHAIN_ID}:${walletAddress}`, reason: 'a stolen login' }
  const refused = await api.call('POST', '/counters/recount', recounted)
  assert.equal(refused.status, 409)
  assert.match(refused.body.error.message, /more than a counter holds: .* "coin order reject"/)
})

it('what names no counter is refused', async () => {
  for (const [kind, subject] of [
    ['mint_usage', `${fixture.keyId}:2026-02-30`],
    ['mint_usage', fixture.keyId],
    ['mint_usage', `${fixture.keyId}:5874898-01-01`],
    ['mint_usage', `${fixture.keyId}:2026-13-01`],
    ['earmark', 'nobody'],
    ['supply', '31337'],
  ]) {
    const { status, body } = await api.call('POST', '/counters/recount', { kind, subject, reason: 'x' })
    assert.equal(status, 400, JSON.stringify(body))
  }
  const unknown = { kind: 'mint_usage', subject: `nobody:${day}`, reason: 'x' }
  assert.match(
    (await api.call('POST', '/counters/recount', unknown)).body.error.message,
    /is right: nothing is counted there, and no order counts there/,
  )
})
