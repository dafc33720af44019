// engine: postgres; both in test:long
/** What operators page through and search is read by the page, also on a connection that has long had plans. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findCustomers } from '../../src/customers/customers.sql.ts'
import { listAudit } from '../../src/operator/audit.sql.ts'
import { findOrderIds } from '../../src/operator/orders/find.sql.ts'
import { listOrdersOfAll } from '../../src/operator/orders/orders.sql.ts'
import { STATUSES } from '../../src/orders/order.ts'
import { readUnpaid } from '../../src/payouts/ages.sql.ts'
import { listPayouts } from '../../src/payouts/payouts.sql.ts'
import { listApplied } from '../../src/statements/applied.sql.ts'
import { findOpenClaimOf, listOpenClaims } from '../../src/statements/claims.sql.ts'
import { findCalledOtherwise, sumUnexplained } from '../../src/statements/may-be.sql.ts'
import { whyMaybePaid } from '../../src/statements/unshown.sql.ts'
import { listDeliveries } from '../../src/webhooks/history/deliveries.sql.ts'
import { A_BANK, TEST_SECRETS } from '../support/bank-details.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { addParty } from './world.ts'

const ROWS = 20_000
const LIMIT = 10
const FAR_BACK = 100n
/** Far less than all, and far more than a page. */
const FEW = ROWS / 20
/** After five plans for what was asked PostgreSQL decides whether one for everything is as good. */
const TIMES = 8

let db: TestDatabase
before(async () => {
  // Plans belong to connections.
  db = await createTestDatabase({ engine: 'postgres', poolSize: 1 })
  await db.query(
    `insert into integrations (integration_id, name) select 'int_' || n, 'A partner' from generate_series(0, 9) n`,
  )
  await db.query(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address, customer_id, key_id,
       amount_micro, batch_id, batch_index, tx_hash, block_number)
     select 'int_0', 'reference-' || n, 'MINT', 'completed', 1, 'Test', '0x1', '0x' || repeat('2', 40), 'cus_1', 'key', 1000000, n, 0, sha256(''), n
     from generate_series(1, $1::int) n`,
    [ROWS],
  )
  await db.query(
    `insert into webhook_endpoints (endpoint_id, integration_id, url, secret_encrypted)
     select 'we_' || n, 'int_' || n, 'https://partner.example', 'sb1.' from generate_series(0, 9) n`,
  )
  await db.query(
    `select make_month(name, date_trunc('month', now())::date, 100) from unnest(array['events', 'deliveries']) as t (name)`,
  )
  await db.query(
    `insert into events (event_id, type, integration_id, reference_id, amount_micro, tx_hash, block_number, happened_at, created_at)
     select 'evt_' || n, 'mint.pending', 'int_0', 'reference-' || n, 1000000, null, null, at, at
     from generate_series(1, $1::int) n cross join lateral (select now() - n * interval '1 second' as at) t`,
    [ROWS],
  )
  await db.query(
    `insert into deliveries (event_id, event_at, endpoint_id, status) select event_id, created_at, 'we_0', 'delivered' from events`,
  )
  await db.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, rail, status, end_to_end_id, rail_reference, created_at)
     select 'po_' || order_id, order_id, 'cus_1', 100, 'simulated', 'paid', order_id, 'seen', now() - order_id * interval '1 second' from orders`,
  )
  await db.query(
    `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, status, is_shown)
     select payout_id, attempt, end_to_end_id, rail, 'paid', true from payouts`,
  )
  await db.query(
    `insert into bank_imports (content_hash, name, definition, message_id) values (repeat('a', 64), 'a file', 'camt.053.001.08', '1')`,
  )
  await db.query(
    `insert into bank_statements (bank_account, statement_id, opened_on, opening_micro, closed_on, closing_micro, line_count, digest,
       content_hash, position, applied_at)
     values ('main', '1', current_date, 0, current_date, 0, $1, repeat('a', 64), repeat('a', 64), 1, now())`,
    [ROWS],
  )
  // All but the newest two, which no statement shows.
  await db.query(
    `insert into bank_lines (statement_no, bank_account, entry, detail, amount_micro, booked_on, value_on, is_reversal, end_to_end_id,
       state, matched_kind, matched_to, decided_at)
     select statement_no, bank_account, n, 0, -1000000, closed_on, closed_on, false, n, 'matched', 'payout', 'po_' || n || '/1', now()
     from bank_statements cross join generate_series(3, $1::int) n`,
    [ROWS],
  )
  await db.query(
    `insert into bank_details (bank_id, sealed, account_key, name_keys, bic, account_ending, customer_id)
     select 'bnk_' || id, 'sb1.x', md5(id), array[md5(n::text), md5((n % 10)::text)], 'MBBEMYKL', '1234', 'cus_' || id
     from generate_series(1, $1::int) n cross join lateral (select left(md5(n::text), 24) as id) i`,
    [ROWS],
  )
  await db.query(
    `insert into customers (customer_id, integration_id, account_type, verification_status, verification_level, country_code, is_resident,
       monthly_cap_micro, bank_id, external_id)
     select customer_id, 'int_0', 'RETAIL', 'PENDING', 'TIER_2', 'MY', true, 1000000, bank_id, bank_id from bank_details`,
  )
  await db.query(
    `insert into wallets (customer_id, address, is_primary)
     select customer_id, '0x' || left(md5(customer_id) || md5(customer_id), 40), true from customers`,
  )
  await db.script('analyze')
})
after(() => db.close())

/** How many rows of the tables a call reads, once it was made several times. */
async function readBy(tables: readonly string[], call: () => Promise<unknown>): Promise<number> {
  for (let time = 1; time < TIMES; time += 1) await call()
  const already = await rowsRead(tables)
  await call()
  return (await rowsRead(tables)) - already
}

async function rowsRead(tables: readonly string[]): Promise<number> {
  await db.query('select pg_stat_force_next_flush()')
  const [row] = await db.query<{ rows: number }>(
    `select sum(idx_tup_fetch + seq_tup_read)::float8 as rows from pg_stat_user_tables where relname ~ any ($1::text[])`,
    [tables],
  )
  return row?.rows ?? Number.NaN
}

const PAGE = { idleMs: undefined, withAwaited: false, conflicting: [], lost: [], limit: LIMIT, before: undefined }

test('orders before one that is far back', async () => {
  const page = { ...PAGE, statuses: STATUSES, integrationId: undefined, before: FAR_BACK }
  const read = await readBy(['^orders$'], async () => {
    assert.equal((await listOrdersOfAll(db, page)).length, LIMIT)
  })
  assert.ok(read <= FEW, `${read} rows`)
})

test('orders of a partner who has none', async () => {
  const page = { ...PAGE, statuses: STATUSES, integrationId: 'int_9' }
  const read = await readBy(['^orders$'], async () => {
    assert.equal((await listOrdersOfAll(db, page)).length, 0)
  })
  assert.ok(read <= FEW, `${read} rows`)
})

test('the newest deliveries of an endpoint', async () => {
  // As with many, where processes share the work.
  for (const name of [
    'parallel_setup_cost',
    'parallel_tuple_cost',
    'min_parallel_index_scan_size',
    'min_parallel_table_scan_size',
  ])
    await db.query(`select set_config($1, '0', false)`, [name])
  const filter = { endpointId: 'we_0', failedOnly: false, limit: LIMIT, after: undefined }
  const read = await readBy(['^events_', '^deliveries_'], async () => {
    assert.equal((await listDeliveries(db, filter)).length, LIMIT)
  })
  assert.ok(read <= FEW, `${read} rows`)
})

test('the deliveries of an endpoint that failed, where nearly all arrived', async () => {
  const failed = [
    ['exhausted', 9],
    ['dropped', 1],
    ['due', 2],
  ] as const
  for (const [index, [status, attempts]] of failed.entries())
    await db.query(`update deliveries set status = $2, attempts = $3 where event_id = $1`, [
      `evt_${ROWS - index}`,
      status,
      attempts,
    ])
  // It waits for its first attempt: nothing has failed.
  await db.query(`update deliveries set status = 'due' where event_id = $1`, [`evt_${ROWS / 2}`])
  const filter = { endpointId: 'we_0', failedOnly: true, limit: LIMIT, after: undefined }
  const read = await readBy(['^events_', '^deliveries_'], async () => {
    const page = await listDeliveries(db, filter)
    assert.deepEqual(
      page.map(({ status }) => status),
      ['due', 'dropped', 'exhausted'],
    )
  })
  assert.ok(read <= FEW, `${read} rows`)
})

test('a customer, by whatever a caller says', async () => {
  const { customerId, wallet } = await addParty(db)
  await db.query(`update customers set external_id = 'theirs' where customer_id = $1`, [customerId])
  const { account, name } = A_BANK
  for (const text of [customerId, 'theirs', wallet, account ?? '', name ?? '']) {
    const read = await readBy(['^customers$', '^bank_details$', '^wallets$'], async () => {
      const wanted = { text, address: text === wallet ? wallet : undefined, limit: LIMIT }
      const found = await db.transaction((tx) => findCustomers(tx, TEST_SECRETS, wanted))
      assert.deepEqual(
        found.map((customer) => customer.customerId),
        [customerId],
      )
    })
    assert.ok(read <= FEW, `${text}: ${read} rows`)
  }
})

test('the orders of a payout, by its id or that of its payment', async () => {
  for (const text of [`po_${ROWS / 2}`, String(ROWS / 2)]) {
    const read = await readBy(['^payouts$', '^payout_attempts$', '^customers$'], async () => {
      const found = await findOrderIds(db, {
        text,
        address: undefined,
        named: undefined,
        byExternalId: true,
        limit: LIMIT,
      })
      assert.deepEqual(found, [BigInt(ROWS / 2)])
    })
    assert.ok(read <= FEW, `${text}: ${read} rows`)
  }
})

test('whether a debit may be that of a payment which no statement shows', async () => {
  const read = await readBy(['^bank_lines$'], async () => {
    assert.match((await db.transaction((tx) => whyMaybePaid(tx, 'po_1'))) ?? '', /those of main end on/)
  })
  assert.ok(read <= FEW, `${read} rows`)
})

test('how much left since a payout was queued and nothing explains', async () => {
  const read = await readBy(['^bank_lines$'], async () => {
    assert.deepEqual(await sumUnexplained(db, 'po_1'), { count: 0, amountMicro: 0n })
  })
  assert.ok(read <= FEW, `${read} rows`)
})

test('debits of the amount of a payout that were called something else', async () => {
  const read = await readBy(['^bank_lines$'], async () => {
    assert.deepEqual(await findCalledOtherwise(db, 'po_1'), [])
  })
  assert.ok(read <= FEW, `${read} rows`)
})

test('the oldest payouts of any status', async () => {
  const read = await readBy(['^payouts$'], async () => {
    const page = await listPayouts(db, { status: undefined, after: `po_${ROWS / 2}`, limit: LIMIT })
    assert.deepEqual(
      page.map(({ payoutId }) => payoutId),
      Array.from({ length: LIMIT }, (_, n) => `po_${ROWS / 2 - 1 - n}`),
    )
  })
  assert.ok(read <= FEW, `${read} rows`)
})

test('the payouts that have waited for long, where none has', async () => {
  const olderThanMs = 2 * ROWS * 1_000
  const read = await readBy(['^payouts$'], async () => {
    assert.deepEqual(await listPayouts(db, { status: undefined, olderThanMs, after: undefined, limit: LIMIT }), [])
  })
  assert.ok(read <= FEW, `${read} rows`)
})

test('whose the payouts are that nobody has paid, without a look at their orders', async () => {
  const customer = await addParty(db)
  const payout = ['po_unpaid', customer.customerId]
  await db.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, status, end_to_end_id) values ($1, 0, $2, 100, 'queued', 'x')`,
    payout,
  )
  const read = await readBy(['^orders$', '^payouts$'], async () => {
    const [first, ...others] = await readUnpaid(db)
    assert.deepEqual(
      [first?.integrationId, first?.payouts, first?.amountSen, others],
      [customer.integrationId, 1, 100n, []],
    )
  })
  await db.query(`delete from payouts where payout_id = 'po_unpaid'`)
  assert.ok(read <= 1, `${read} rows`)
})

test('what was done since an instant, among all that was ever done', async () => {
  await db.query(
    `insert into audit_log (actor, origin, action, created_at)
     select 'somebody', '::1', 'order.hold', now() - $1::int * interval '1 hour' + n * interval '1 hour' from generate_series(1, $1::int) n`,
    [ROWS],
  )
  await db.script('analyze audit_log')
  for (const [hours, found] of [
    [-1, 0],
    [3.5, 4],
    [ROWS * 2, LIMIT],
  ] as const) {
    const since = new Date(Date.now() - hours * 3_600_000)
    const read = await readBy(['^audit_log$'], async () => {
      assert.equal((await listAudit(db, { since }, { before: null, limit: LIMIT })).length, found)
    })
    assert.ok(read <= FEW, `${hours} h: ${read} rows`)
  }
})

test('what was done to something, and of a wallet also what was done with it, among all that was ever done', async () => {
  const wallet = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
  await db.query(
    `insert into audit_log (actor, origin, action, target, details)
     select 'somebody', '::1', 'wallet.freeze', 'cus_' || n, json_build_object('walletAddress', '0x' || n) from generate_series(1, $1::int) n`,
    [ROWS],
  )
  await db.query(
    `insert into audit_log (actor, origin, action, target, details) values ('somebody', '::1', 'screening.deny', $1, '{}'),
       ('somebody', '::1', 'wallet.freeze', '31337', json_build_object('walletAddress', $1::text)),
       ('somebody', '::1', 'wallet.note', $1, json_build_object('walletAddress', $1::text))`,
    [wallet],
  )
  await db.script('analyze audit_log')
  for (const [target, found] of [
    [wallet.toLowerCase(), ['wallet.note', 'wallet.freeze', 'screening.deny']],
    ['cus_7', ['wallet.freeze']],
    ['nobody', []],
  ] as const) {
    const read = await readBy(['^audit_log$'], async () => {
      const listed = await listAudit(db, { target }, { before: null, limit: LIMIT })
      assert.deepEqual(
        listed.map(({ action }) => action),
        found,
      )
    })
    assert.ok(read <= FEW, `${target}: ${read} rows`)
  }
})

test('the newest orders of all, and what is stuck, where many wait', async () => {
  await db.query(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address, customer_id, key_id, amount_micro)
     select 'int_0', 'reference-waits-' || n, 'MINT', 'pending', 1, 'Test', '0x1', '0x' || repeat('2', 40), 'cus_1', 'key', 1000000 from generate_series(1, $1::int) n`,
    [ROWS],
  )
  await db.script('analyze orders')
  const page = { ...PAGE, statuses: STATUSES, integrationId: undefined }
  const read = await readBy(['^orders$'], async () => {
    assert.equal((await listOrdersOfAll(db, page)).length, LIMIT)
  })
  // Of those that came just now nobody asks in which batches they are.
  await withoutGuards(db, (tx) =>
    tx.query(`insert into signed_orders (order_id) select order_id from orders where status = 'pending'`),
  )
  await db.script('analyze signed_orders')
  const stuck = { ...page, statuses: ['pending', 'processing'], idleMs: 3_600_000, withAwaited: true } as const
  const looked = await readBy(['^signed_orders$'], async () => {
    assert.deepEqual(await listOrdersOfAll(db, stuck), [])
  })
  await withoutGuards(db, (tx) => tx.query('delete from signed_orders'))
  await db.query(`delete from orders where status = 'pending'`)
  assert.ok(read <= FEW, `${read} rows`)
  assert.ok(looked <= FEW, `${looked} rows`)
})

test('payments that were made twice and have not come back, and the one of a payout, among all lines of statements', async () => {
  await db.query(
    `insert into bank_lines (statement_no, bank_account, entry, detail, amount_micro, booked_on, value_on, is_reversal, state, matched_kind,
       matched_to, reason, decided_at)
     select statement_no, 'main', entry, 2, amount, current_date, current_date, false, 'assigned', 'claim', 'po_1/1/claim/' || number, 'twice', now()
     from bank_statements, (values (1, 1, -1000000), (2, 1, 1000000), (3, 2, -1000000)) as c (entry, number, amount)`,
  )
  await db.script('analyze')
  const open = await readBy(['^bank_lines$'], async () => {
    assert.deepEqual(
      (await listOpenClaims(db)).map(({ to }) => to),
      ['po_1/1/claim/2'],
    )
  })
  assert.ok(open <= FEW, `${open} rows`)
  const of = await readBy(['^bank_lines$', '^payout'], async () => {
    assert.equal((await findOpenClaimOf(db, 'po_1'))?.to, 'po_1/1/claim/2')
  })
  assert.ok(of <= FEW, `${of} rows`)
})

test('the statements of an account, each with the days before it that have none', async () => {
  await db.query(
    `insert into bank_statements (bank_account, statement_id, opened_on, opening_micro, closed_on, closing_micro, line_count, digest,
       content_hash, position, applied_at)
     select 'second', n::text, date '2000-01-01' + n / 20, 0, date '2000-01-01' + n / 20, 0, 0, encode(sha256(n::text::bytea), 'hex'),
       repeat('a', 64), n, now() from generate_series(1, $1::int) n`,
    [ROWS],
  )
  await db.script('analyze bank_statements')
  const read = await readBy(['^bank_statements$'], async () => {
    const listed = await listApplied(db, 'second', { before: undefined, limit: LIMIT })
    assert.equal(listed.length, LIMIT)
  })
  assert.ok(read <= FEW, `${read} rows`)
})
