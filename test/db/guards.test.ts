// engine: postgres
/** Whoever switches off what guards the tables is not the only one who knows. */
// Runbook: The books differ
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { readAccess } from '../../src/db/access.sql.ts'
import { readGuardTroubles } from '../../src/db/guards.sql.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { reconcile } from '../../src/operator/reconcile/reconcile.ts'
import { makeMonths } from '../../src/retention/keeper.ts'
import { checkDatabase, prepareDatabase } from '../../src/roles/database.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

const SETTINGS = { environment: 'sandbox', booksTimezone: 'Asia/Kuala_Lumpur' } as const
const metrics = { dropped() {}, monthsAhead() {}, strays() {} }

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ engine: 'postgres' })
  await prepareDatabase(db, SETTINGS, { logger: pino({ level: 'silent' }), metrics })
  await makeMonths({ db, logger: pino({ level: 'silent' }), metrics })
})
after(() => db.close())

const said = async () => (await readGuardTroubles(db)).map(({ subject, trouble }) => `${subject} ${trouble}`).sort()

test('a database as the migrations and its months have made it has nothing to tell', async () => {
  assert.deepEqual(await said(), [])
})

const [month] = [new Date().toISOString().slice(0, 7).replace('-', '_')]
const MISSING = 'is missing'
const OFF: readonly [done: string, undone: string, ...says: string[]][] = [
  [
    'alter table payouts disable trigger payouts_guard',
    'alter table payouts enable trigger payouts_guard',
    'trigger payouts_guard of payouts is disabled',
  ],
  [
    'alter table audit_log enable replica trigger audit_log_append_only',
    'alter table audit_log enable trigger audit_log_append_only',
    'trigger audit_log_append_only of audit_log is disabled',
  ],
  [
    `alter table events_${month} disable trigger events_happened`,
    `alter table events_${month} enable trigger events_happened`,
    `trigger events_happened of events_${month} is disabled`,
  ],
  [
    'alter table filed_payments disable trigger all',
    'alter table filed_payments enable trigger all',
    'trigger filed_payments_asked_for of filed_payments is disabled',
    'trigger filed_payments_guard of filed_payments is disabled',
    'trigger filed_payments_message_id_fkey of filed_payments is disabled',
  ],
  [
    'alter table orders rename constraint orders_fit_status to unfit; alter table orders add constraint orders_fit_status check (true) not valid',
    'alter table orders drop constraint orders_fit_status; alter table orders rename constraint unfit to orders_fit_status',
    'constraint orders_fit_status of orders was not compared with what is there (not valid)',
  ],
  [
    'alter table payouts drop constraint payouts_burn_unique',
    'alter table payouts add constraint payouts_burn_unique unique (burn)',
    `constraint payouts_burn_unique of payouts ${MISSING}`,
  ],
  [
    'alter index batches_nonce_in_flight rename to elsewhere; create index batches_nonce_in_flight on batches (nonce)',
    'drop index batches_nonce_in_flight; alter index elsewhere rename to batches_nonce_in_flight',
    `index batches_nonce_in_flight of batches ${MISSING}`,
  ],
  [
    'alter trigger orders_guard on orders rename to another',
    'alter trigger another on orders rename to orders_guard',
    `trigger orders_guard of orders ${MISSING}`,
  ],
  [
    `alter function guard_payout rename to real; create function guard_payout() returns trigger language plpgsql as 'begin return null; end'`,
    'drop function guard_payout; alter function real rename to guard_payout',
    'function guard_payout is not what the migrations made',
    // It goes on with the one that it was made with.
    'trigger payouts_guard of payouts is not what the migrations made',
  ],
  [
    'create role coin_unguarded; alter role coin_unguarded set session_replication_role = replica',
    'drop role coin_unguarded',
    'session_replication_role of coin_unguarded is replica, so that no trigger fires',
  ],
]

for (const [done, undone, ...says] of OFF)
  test(`told: ${says[0]}`, async () => {
    await db.script(done)
    const seen = await said()
    await db.script(undone)
    assert.deepEqual(seen, says.toSorted())
    assert.deepEqual(await said(), [])
  })

test('nothing is said to be missing of a database that a later release has made', async () => {
  await db.script(`alter trigger orders_guard on orders rename to another;
    alter table payouts disable trigger payouts_guard;
    insert into schema_migrations (version, name, checksum, expands)
      select max(version) + 1, 'later', 'x', true from schema_migrations`)
  const seen = await said()
  await db.script(`alter trigger another on orders rename to orders_guard; alter table payouts enable trigger payouts_guard;
    delete from schema_migrations where name = 'later'`)
  assert.deepEqual(seen, ['trigger payouts_guard of payouts is disabled'])
})

test('each start says so, of an owner and of everybody else, and so does reconcile', async () => {
  const lines: string[] = []
  const logger = pino({ level: 'fatal' }, { write: (line: string) => void lines.push(line) })
  await db.script('alter table payouts disable trigger payouts_guard')
  await prepareDatabase(db, SETTINGS, { logger, metrics })
  await checkDatabase(db, { ...SETTINGS, roles: new Set() }, await readAccess(db), logger)
  const { differences } = await reconcile(db, [], TEST_SECRETS)
  await db.script('alter table payouts enable trigger payouts_guard')
  assert.equal(lines.length, 2)
  for (const line of lines)
    assert.match(line, /does not guard its tables: the trigger payouts_guard of payouts is disabled/)
  assert.deepEqual(
    differences.filter(({ kind }) => kind === 'guard_off').map(({ subject }) => subject),
    ['trigger payouts_guard of payouts'],
  )
})

test('it is told of the session itself, however it came to that', async () => {
  const url = new URL(db.url ?? '')
  url.searchParams.set('options', '-c session_replication_role=replica')
  const own = await openPostgres({ url: url.href, poolSize: 1 })
  const seen = await readGuardTroubles(own)
  await own.close()
  assert.deepEqual(
    seen.map(({ subject }) => subject),
    [`session_replication_role of ${url.username}`],
  )
})
