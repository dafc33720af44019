// engine: postgres
/** What somebody with a stolen database login leaves behind, in a session and afterwards. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { ROLES } from '../../src/config.ts'
import { groupOf } from '../../src/db/access.sql.ts'
import { db, prepareThefts, refusalOf } from '../support/thefts.ts'

before(prepareThefts)
after(() => db.close())

describe('a temporary table', () => {
  test('is made by nobody', async () => {
    for (const role of ROLES)
      assert.equal(await refusalOf(role, 'create temporary table payouts (x int)'), '42501', role)
  })
  test('blinds no guard, even where it can be made', async () => {
    const blind = `create temporary table payout_attempts as select * from public.payout_attempts limit 0`
    const next = `update public.payouts set attempt = 2, end_to_end_id = 'E2', status = 'queued', rail = null, bank_id = null`
    const asked = `insert into public.payout_attempts (payout_id, attempt, end_to_end_id, rail) values ('po_00001', 1, 'E1', 'http')`
    const could = `grant temporary on database ${new URL(db.url ?? '').pathname.slice(1)} to ${groupOf('payer')}`
    assert.equal(await refusalOf('payer', next), 'payouts_attempt_by_operator')
    assert.equal(await refusalOf('payer', asked, next), 'payouts_attempt_open')
    assert.equal(
      await refusalOf('payer', 'reset role', could, `set role ${groupOf('payer')}`, asked, blind, next),
      'payouts_attempt_open',
    )
  })
  test('could stand in for none that a function reads', async () => {
    const loose = await db.query(
      `select proname::text from pg_proc where pronamespace = 'public'::regnamespace and prosqlbody is null
         and not coalesce(proconfig @> array['search_path=pg_catalog, public, pg_temp'], false)`,
    )
    assert.deepEqual(loose, [])
  })
})

describe("the user whose password was stolen (runbook: A database user's password was stolen)", () => {
  const DOCUMENT = readFileSync(path.join(import.meta.dirname, '../../docs/RUNBOOKS.md'), 'utf8')
  const [, runbook = ''] = DOCUMENT.split("## A database user's password was stolen\n")
  const [, sql = ''] = /^```sql\n(.*?)^```$/ms.exec(runbook) ?? []

  test('leaves nothing behind: no connection, no setting, no object; the next one goes on', async () => {
    const url = new URL(db.url ?? '')
    const name = `stolen_${randomBytes(4).toString('hex')}`
    const loginAs = async (user: string) => {
      const client = new pg.Client({
        connectionString: Object.assign(new URL(url), { username: user, password: 'p' }).href,
      })
      client.on('error', () => {})
      await client.connect()
      return client
    }
    const groups = ROLES.map(groupOf).join(', ')
    await db.query(`create role ${name} login password 'p' in role ${groups}`)
    const thief = await loginAs(name)
    const ended = new Promise((resolve) => thief.once('end', resolve))
    await thief.query(`alter role ${name} set search_path = pg_temp`)
    await thief.query(`alter role ${name} in database ${url.pathname.slice(1)} set default_transaction_read_only = on`)
    await thief.query(`select lo_from_bytea(0, 'x')`)
    const statements = sql
      .replaceAll('coin_service', name)
      .replaceAll('database stablecoin', `database ${url.pathname.slice(1)}`)
      .replaceAll('…', 'p')
      .split(/;\n/)
      .filter((statement) => statement.trim() !== '')
    assert.equal(statements.length, 6)
    for (const statement of statements) await db.query(statement)
    await ended
    await assert.rejects(loginAs(name))
    assert.deepEqual(await db.query('select oid from pg_largeobject_metadata'), [])
    const next = await loginAs(`${name}_2`)
    const { rows } = await next.query('select count(*)::int as orders from orders')
    assert.equal(rows[0].orders, 6)
    await next.query(`update webhook_endpoints set updated_at = updated_at`)
    await next.end()
    await db.query(`drop owned by ${name}_2`)
    await db.query(`drop role ${name}_2`)
  })
})
