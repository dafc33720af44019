// engine: postgres
/**
 * What somebody with a stolen database login tries, and no key: their group may run the statement, and the guards of the rows refuse it.
 * What the group may not run at all is in grants.test.ts.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ROLES, type Role } from '../../src/config.ts'
import { groupOf } from '../../src/db/access.sql.ts'
import { violatedConstraint } from '../../src/db/database.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { CUSTOMERS, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  // Who may use a database is not copied with it, as the tests make theirs.
  await applyGrants(db, ROLES, false)
  await seedTwoOfEverything(db)
  await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference: 'redeem-one', state: 'payoutPending' })
  await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference: 'redeem-two', state: 'payoutPending' })
  await db.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, status, end_to_end_id)
     select 'po_1', order_id, customer_id, 100, 'queued', 'E1' from orders where reference_id = 'redeem-one'`,
  )
})
after(() => db.close())

const UNDONE = new Error('undone')

/** By what a statement is refused: a constraint, or the database's code; undefined when it is carried out. It is undone. */
async function refusalOf(role: Role, ...statements: string[]): Promise<string | undefined> {
  const work = db.transaction(async (tx) => {
    await tx.query(`set local role ${groupOf(role)}`)
    for (const statement of statements) await tx.query(statement)
    throw UNDONE
  })
  const error = await work.catch((thrown: unknown) => thrown)
  return error === UNDONE
    ? undefined
    : (violatedConstraint(error) ?? String((error as { code?: string }).code ?? error))
}

const accountOf = (customerId: string) => `(select bank_id from customers where customer_id = '${customerId}')`

describe('a payout', () => {
  for (const role of ['settler', 'payer', 'operator'] as const) {
    test(`is not sent to another customer's account by a ${role}`, async () => {
      const set = (customerId: string) =>
        `update payouts set bank_id = ${accountOf(customerId)} where payout_id = 'po_1'`
      assert.equal(await refusalOf(role, set(CUSTOMERS.a1)), undefined)
      assert.equal(await refusalOf(role, set(CUSTOMERS.a2)), 'payouts_to_own_bank')
      assert.equal(
        await refusalOf(role, set(CUSTOMERS.a1), `update payouts set bank_id = null`),
        'payouts_destination_fixed',
      )
    })
  }
  test('is not sent to another customer’s account through the customer', async () => {
    const change = `update customers set bank_id = ${accountOf(CUSTOMERS.b1)} where customer_id = '${CUSTOMERS.a1}'`
    assert.equal(await refusalOf('operator', change), 'customers_own_bank')
  })
})

describe('an order', () => {
  const NAMES = `integration_id, reference_id, direction, chain_id, network, token_address, wallet_address, debit_address, customer_id,
    key_id, amount_micro`
  const insert = (direction: string, status: string, more = '', values = '') =>
    `insert into orders (${NAMES}, status${more}) select integration_id, 'made-up-1', '${direction}', 1, network, token_address,
       wallet_address, ${direction === 'MINT' ? 'null' : 'debit_address'}, customer_id, key_id, 100000000, '${status}'${values} from orders where reference_id = 'redeem-one'`
  const placed = [', batch_id, batch_index, tx_hash, block_number', `, 1, 0, sha256('1'), 1`] as const
  test('begins where acceptance lets it begin, and nowhere else', async () => {
    for (const role of ['api', 'operator'] as const) {
      assert.equal(await refusalOf(role, insert('MINT', 'payment_pending')), undefined)
      for (const direction of ['MINT', 'REDEEM', 'TRANSFER']) {
        assert.equal(await refusalOf(role, insert(direction, 'pending')), undefined)
        assert.equal(await refusalOf(role, insert(direction, 'completed', ...placed)), 'orders_begin')
        assert.equal(await refusalOf(role, insert(direction, 'failed', ', failure_reason', `, 'x'`)), 'orders_begin')
        assert.equal(await refusalOf(role, insert(direction, 'pending', ...placed)), 'orders_fit_status')
      }
      assert.equal(await refusalOf(role, insert('MINT', 'cancelled')), 'orders_begin')
      assert.equal(await refusalOf(role, insert('REDEEM', 'processing', ...placed)), 'orders_begin')
    }
  })
  test('that was burnt has one payout, to its customer, of its amount, that nobody was asked for', async () => {
    const orders = `(select * from orders where reference_id = 'redeem-two')`
    const payout = (over: Record<string, string> = {}) => {
      const row = {
        payout_id: `'po_2'`,
        order_id: 'o.order_id',
        customer_id: 'o.customer_id',
        amount_sen: '100',
        status: `'queued'`,
        end_to_end_id: `'E2'`,
        ...over,
      }
      return `insert into payouts (${Object.keys(row).join(', ')}) select ${Object.values(row).join(', ')} from ${orders} o`
    }
    assert.equal(await refusalOf('settler', payout()), undefined)
    for (const over of [
      { customer_id: `'${CUSTOMERS.a2}'` },
      { amount_sen: '111' },
      { status: `'rejected'` },
      { attempt: '2' },
      { bank_id: accountOf(CUSTOMERS.a1) },
      { order_id: 'o.order_id + 1000' },
      { order_id: 'null', integration_id: 'o.integration_id', reference_id: 'o.reference_id', amount_sen: '11' },
    ]) {
      assert.equal(
        await refusalOf('settler', payout(over as Record<string, string>)),
        'payouts_begin',
        JSON.stringify(over),
      )
    }
    const ofParts = (name: string, sen: number) =>
      payout({
        ...{ payout_id: `'${name}'`, order_id: 'null', integration_id: 'o.integration_id', reference_id: `'${name}'` },
        ...{ amount_sen: String(sen), end_to_end_id: `'${name}'` },
      })
    assert.equal(await refusalOf('settler', ofParts('parts-1', 6), ofParts('parts-2', 4)), undefined)
    assert.equal(await refusalOf('settler', ofParts('parts-1', 6), ofParts('parts-2', 5)), 'payouts_begin')
  })
})

describe('a temporary table', () => {
  test('is made by nobody', async () => {
    for (const role of ROLES)
      assert.equal(await refusalOf(role, 'create temporary table payouts (x int)'), '42501', role)
  })
  test('blinds no guard, even where it can be made', async () => {
    const blind = `create temporary table payout_attempts as select * from public.payout_attempts limit 0`
    const next = `update public.payouts set attempt = 2, end_to_end_id = 'E2', status = 'queued', rail = null, bank_id = null`
    const asked = `insert into public.payout_attempts (payout_id, attempt, end_to_end_id, rail) values ('po_1', 1, 'E1', 'http')`
    const could = `grant temporary on database ${new URL(db.url ?? '').pathname.slice(1)} to ${groupOf('payer')}`
    assert.equal(await refusalOf('payer', next), undefined)
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
