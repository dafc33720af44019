// engine: postgres
/**
 * What the groups of database users may do: whatever their role's statements need, and nothing in other rooms. test/fleet runs
 * all processes as such users.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { reachOf } from '../../scripts/grants/generate.ts'
import { readGraph } from '../../scripts/grants/symbols.ts'
import { ROLES, type Role } from '../../src/config.ts'
import { groupOf, readAccess } from '../../src/db/access.sql.ts'
import { applyGrants, GRANTS_FILE } from '../../src/db/grants.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { checkDatabase } from '../../src/roles/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createLogins, type Logins, migrateAs } from '../support/logins.ts'
import { isSql } from '../support/typescript-source.ts'

const DENIED = '42501'

let db: TestDatabase
let logins: Logins
let admin: pg.Client
const clients = new Map<Role, pg.Client>()

before(async () => {
  db = await createTestDatabase({ migrated: false })
  logins = await createLogins(db.url ?? '', ROLES)
  admin = new pg.Client({ connectionString: db.url })
  await admin.connect()
  for (const role of ROLES) {
    const client = new pg.Client({ connectionString: logins.urlOf(role) })
    await client.connect()
    clients.set(role, client)
  }
})
after(async () => {
  for (const client of [admin, ...clients.values()]) await client?.end()
  await db?.close()
  await logins?.drop()
})

/** The code with which the database answers; undefined when it lets the role do it. Nothing remains. */
async function answerTo(role: Role, sql: string): Promise<string | undefined> {
  const client = clients.get(role)
  assert.ok(client !== undefined)
  await client.query('begin')
  try {
    await client.query(sql)
    return undefined
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  } finally {
    await client.query('rollback')
  }
}

test('every role may run each of its statements', async () => {
  const graph = readGraph()
  let checked = 0
  for (const role of ROLES) {
    for (const symbol of reachOf(role, graph).filter((one) => /(^db\/|\.sql\.ts#)/.test(one))) {
      for (const { text, holes } of graph.textsOf(symbol)) {
        if (
          holes.length > 0 ||
          !isSql(text) ||
          /^\s*(from|where|and|or|order|returning|on conflict|lock)\b/i.test(text)
        )
          continue
        const code = await answerTo(
          role,
          `explain (generic_plan) ${text.replaceAll("\\'", "'").replaceAll('\\\\', '\\')}`,
        )
        assert.notEqual(code, DENIED, `${role}: ${symbol}`)
        if (code === undefined) checked += 1
      }
    }
  }
  // The others are pieces of statements.
  assert.ok(checked > 300, String(checked))
})

/** Thefts, by who must not be able to commit them. */
const REFUSED: Readonly<Record<Role, readonly string[]>> = {
  api: [
    'insert into payouts (payout_id, customer_id, amount_sen, status, end_to_end_id) values ($$p$$, $$c$$, 1, $$queued$$, $$e$$)',
    'update payouts set bank_id = $$1$$',
    'select bank_id from bank_details',
    'insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro) values ($$r$$, now(), now(), $${}$$, $${}$$)',
    'delete from ledger_unsealed',
    // What a row counts by itself, or begins with, is nobody's to choose.
    'insert into orders (order_id, integration_id) overriding system value values (9223372036854775807, $$i$$)',
    'insert into deliveries (event_id, event_at, endpoint_id, attempts) values ($$e$$, now(), $$w$$, 32767)',
    'insert into events (event_id, type, integration_id, transaction_id) values ($$e$$, $$t$$, $$i$$, $$18446744073709551615$$)',
    'insert into api_keys (key_id) values ($$k$$)',
    'update api_keys set scopes = $${}$$',
    'update customers set bank_id = $$1$$',
    'update customers set verification_status = $$VERIFIED$$',
    'insert into wallets (customer_id, address) values ($$c$$, $$0x$$)',
    'insert into operators (operator_id) values ($$o$$)',
    'select secret_sha256 from operators',
    'insert into audit_log (actor, origin, action) values ($$a$$, $$o$$, $$a$$)',
    'insert into audit_seals (position, audit_id, hash) values (1, 1, $$$$)',
    'select secret_encrypted from webhook_endpoints',
    'update webhook_endpoints set url = $$https://thief$$',
    'update orders set amount_micro = 1',
    'update orders set batch_id = 1',
    'delete from signed_orders',
    'insert into batches (chain_id, batch_id) values (1, 1)',
    'update chains set running_hash = $$$$',
    'update leases set token = 1',
    'delete from idempotency_keys',
    'delete from screening_denials',
    // Whoever has no key has none to name.
    'insert into secrets_key (is_next, sealed) values (true, $$sb1.$$)',
    'select sealed from secrets_key',
  ],
  settler: [
    'insert into secrets_key (is_next, sealed) values (true, $$sb1.$$)',
    'insert into orders (integration_id) values ($$i$$)',
    'insert into operators (operator_id) values ($$o$$)',
    'insert into api_keys (key_id) values ($$k$$)',
    'select secret_sha256 from api_keys',
    'update customers set monthly_cap_micro = 1',
    'insert into ledger_seals (position, entry_id, hash) values (1, 1, $$$$)',
    'update ledger_entries set day = now()',
    'insert into bank_lines (statement_no) values (1)',
    'select sealed from bank_details',
    'insert into audit_log (actor, origin, action) values ($$a$$, $$o$$, $$a$$)',
    'select secret_encrypted from webhook_endpoints',
    'delete from batches',
    'delete from events',
    'drop table events',
  ],
  payer: [
    'insert into orders (integration_id) values ($$i$$)',
    'insert into payouts (payout_id) values ($$p$$)',
    'update payouts set amount_sen = 1',
    'update bank_details set sealed = $$sb1.$$',
    'update customers set bank_id = $$1$$',
    'insert into batches (chain_id, batch_id) values (1, 1)',
    'insert into signed_orders (order_id) values (1)',
    'update chains set next_batch_id = 1',
    'insert into operators (operator_id) values ($$o$$)',
    'update approvals set status = $$approved$$',
    'update ledger_book set closed_through = now()',
    'delete from ledger_seals',
    'insert into audit_seals (position, audit_id, hash) values (1, 1, $$$$)',
    'select drop_month($$events$$, $$events_2020_01$$)',
  ],
  courier: [
    'insert into orders (integration_id) values ($$i$$)',
    'update orders set status = $$completed$$',
    'insert into events (event_id, type, integration_id, reference_id, amount_micro, happened_at) values ($$e$$, $$t$$, $$i$$, $$r$$, 1, now())',
    'insert into deliveries (event_id, event_at, endpoint_id) values ($$e$$, now(), $$e$$)',
    'update webhook_endpoints set url = $$https://thief$$',
    'update webhook_endpoints set secret_encrypted = $$s$$',
    'update payouts set status = $$paid$$',
    'select bank_id from bank_details',
    'select * from customers',
    'select * from operators',
    'select * from api_keys',
    'select * from audit_log',
    'update leases set token = 1',
    'select make_month($$events$$, date_trunc($$month$$, now())::date, 100)',
  ],
  operator: [
    'insert into batches (chain_id, batch_id) values (1, 1)',
    'insert into batch_attempts (chain_id) values (1)',
    'update signed_orders set batch_id = 1',
    'update chains set running_hash = $$$$',
    'update ledger_entries set amounts_micro = $${}$$',
    'delete from ledger_seals',
    'update audit_log set actor = $$somebody$$',
    'delete from audit_log',
    'delete from audit_seals',
    'update approvals set requested_by = $$somebody$$',
    'update operators set name = $$somebody$$',
    'insert into reserve_proofs (made_at, proof) values (now(), $${}$$)',
    'select drop_month($$events$$, $$events_2020_01$$)',
  ],
}

for (const role of ROLES) {
  describe(`the group ${groupOf(role)}`, () => {
    for (const sql of REFUSED[role]) {
      test(`may not ${sql.slice(0, 60)}`, async () => {
        assert.equal(await answerTo(role, sql), DENIED)
      })
    }
    test('may not make, change or empty a table, nor become the owner', async () => {
      const owner = new URL(logins.ownerUrl).username
      for (const sql of [
        'create table more (x int)',
        'alter table orders disable trigger all',
        'drop trigger orders_guard on orders',
        'truncate orders',
        'create function f() returns int language sql return 1',
        `set role ${owner}`,
        `grant ${groupOf('operator')} to current_user`,
        'set session_replication_role = replica',
      ]) {
        assert.equal(await answerTo(role, sql), DENIED, sql)
      }
    })
  })
}

describe('the months', () => {
  const settler = (sql: string) => answerTo('settler', sql)
  test('are the settler’s to make, near now, of what is kept in months', async () => {
    assert.equal(
      await settler(`select make_month('events', date_trunc('month', now() + interval '5 months')::date, 100)`),
      undefined,
    )
    for (const refused of [
      `make_month('events', date_trunc('month', now() + interval '5 years')::date, 100)`,
      `make_month('events', date_trunc('month', now())::date + 1, 100)`,
      `make_month('orders', date_trunc('month', now())::date, 100)`,
      `make_month('events; drop table orders', date_trunc('month', now())::date, 100)`,
      `hold_months('orders')`,
    ]) {
      assert.equal(await settler(`select ${refused}`), 'P0001', refused)
    }
  })
  test('are dropped when no setting keeps them any longer, and not before', async () => {
    const nameOf = async (months: number) => {
      const first = `date_trunc('month', now() - interval '${months} months')::date`
      await admin.query(`select make_month('remembered_answers', ${first}, 100)`)
      const { rows } = await admin.query<{ name: string }>(
        `select 'remembered_answers_' || to_char(${first}, 'YYYY_MM') as name`,
      )
      return rows[0]?.name
    }
    assert.equal(await settler(`select drop_month('remembered_answers', '${await nameOf(6)}')`), undefined)
    assert.equal(await settler(`select drop_month('remembered_answers', '${await nameOf(2)}')`), 'P0001')
    assert.equal(await settler(`select drop_month('remembered_answers', 'remembered_answers_default')`), 'P0001')
    assert.equal(await settler(`select drop_month('events', '${await nameOf(6)}')`), 'P0001')
  })
})

/** Runs statements as a user who may make no roles, and takes everything back. */
async function tried(sql: string, as?: string): Promise<string | undefined> {
  await admin.query('begin')
  try {
    if (as !== undefined) await admin.query(`set local role ${as}`)
    await admin.query(sql)
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    await admin.query('rollback')
  }
}

test('missing groups are named to an owner who may not make them', async () => {
  const [making = ''] = /do \$\$[\s\S]*?end \$\$;/.exec(readFileSync(GRANTS_FILE, 'utf8')) ?? []
  const others = making.replaceAll('stablecoin_', 'missing_')
  assert.equal(await tried(others), undefined)
  const user = new URL(logins.urlOf('api')).username
  assert.equal(
    await tried(others, user),
    `The role missing_api is missing, and ${user} may not make it: have somebody do so who may (create role missing_api nologin).`,
  )
})

test('the users of the sample fleet can be made', async () => {
  const sample = readFileSync(path.join(import.meta.dirname, '../../docs/samples/fleet/logins.sql'), 'utf8')
  const sql = sample
    .replace(/^\\.*$/gm, '')
    .replace(/:'(\w+)'/g, "'password of $1'")
    .replaceAll(':"DBNAME"', new URL(db.url ?? '').pathname.slice(1))
    .replaceAll('coin_', 'sample_')
  assert.equal(await tried(sql), undefined)
})

describe('a process', () => {
  const check = async (role: Role) => {
    const own = await openPostgres({ url: logins.urlOf(role), poolSize: 1 })
    const settings = { environment: 'sandbox', booksTimezone: 'Asia/Kuala_Lumpur', roles: new Set([role]) } as const
    const said = await checkDatabase(own, settings, await readAccess(own), pino({ level: 'silent' })).then(
      () => undefined,
      (error: Error) => error.message,
    )
    await own.close()
    return said
  }
  test('of every role finds what it needs', async () => {
    for (const role of ROLES) assert.equal(await check(role), undefined, role)
  })
  for (const [role, taken, named] of [
    ['settler', 'insert on order_holds', 'insert order_holds'],
    ['api', 'insert (amount_micro) on orders', 'insert amount_micro of orders'],
    ['api', 'update (status) on orders', 'update status of orders'],
    ['settler', 'usage on sequence events_event_seq_seq', 'usage events_event_seq_seq'],
    ['settler', 'execute on function hold_months', 'execute hold_months'],
  ] as const) {
    test(`that may not ${named} is not started, until migrate has given it that`, async () => {
      await admin.query(`revoke ${taken} from ${groupOf(role)}`)
      const said = await check(role)
      await migrateAs(logins.ownerUrl, { COIN_ENVIRONMENT: 'sandbox' })
      assert.match(
        String(said),
        new RegExp(`may not ${named}, which .* \\(rights missing: 1\\): run .npm run migrate. as`),
      )
      assert.equal(await check(role), undefined)
    })
  }
})

describe('npm run migrate', () => {
  const settings = { COIN_ENVIRONMENT: 'sandbox' }
  test('gives the grants in turn with others that run at the same time', async () => {
    const owner = await openPostgres({ url: logins.ownerUrl, poolSize: 1 })
    const said = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        applyGrants(owner, ROLES, n % 2 === 0).then(
          () => 'given',
          (error: Error) => error.message,
        ),
      ),
    )
    await owner.close()
    assert.deepEqual(said, Array(6).fill('given'))
  })
  test('takes back what is too much only when told so', async () => {
    await admin.query(`grant delete on orders to ${groupOf('courier')}`)
    await migrateAs(logins.ownerUrl, settings)
    assert.equal(await answerTo('courier', 'delete from orders'), undefined)
    await migrateAs(logins.ownerUrl, settings, '--exact')
    assert.equal(await answerTo('courier', 'delete from orders'), DENIED)
    assert.equal(await answerTo('courier', 'select status from orders'), undefined)
  })
  test('says so when everybody may make temporary tables and only another could end it', async () => {
    const [owned] = (
      await admin.query<{ database: string; owner: string }>(
        'select current_database() as database, pg_get_userbyid(datdba) as owner from pg_database where datname = current_database()',
      )
    ).rows
    assert.ok(owned !== undefined)
    const { database, owner } = owned
    assert.doesNotMatch(await migrateAs(logins.ownerUrl, settings), /temporary/)
    await admin.query(`alter database ${database} owner to current_user`)
    await admin.query(`grant temporary on database ${database} to public`)
    await admin.query(`grant create, usage on schema public to ${owner}`)
    try {
      const said = await migrateAs(logins.ownerUrl, settings)
      assert.match(said, new RegExp(`have its owner run \\\\"revoke temporary on database ${database} from public`))
    } finally {
      await admin.query(`revoke create, usage on schema public from ${owner}`)
      await admin.query(`alter database ${database} owner to ${owner}`)
    }
    await migrateAs(logins.ownerUrl, settings)
    assert.doesNotMatch(await migrateAs(logins.ownerUrl, settings), /temporary/)
  })
  test('says what is wrong with its settings, and whom it needs', async () => {
    await assert.rejects(migrateAs(logins.urlOf('api'), settings), /does not own the tables/)
    await assert.rejects(migrateAs(logins.ownerUrl, {}), /Set COIN_ENVIRONMENT\./)
    await assert.rejects(migrateAs(logins.ownerUrl, settings, '--sloppy'), /only option is --exact/)
    await assert.rejects(migrateAs(logins.ownerUrl, { COIN_ENVIRONMENT: 'live' }), /belongs to a sandbox/)
  })
})
