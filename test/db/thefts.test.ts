// engine: postgres
/**
 * What somebody with a stolen database login tries, and no key: their group may run the statement, and the guards of the rows refuse it.
 * What the group may not run at all is in grants.test.ts.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Role } from '../../src/config.ts'
import { groupOf } from '../../src/db/access.sql.ts'
import { violatedConstraint } from '../../src/db/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { CUSTOMERS, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  await seedTwoOfEverything(db)
  await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference: 'redeem-one', state: 'payoutPending' })
  await db.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, status, end_to_end_id)
     select 'po_1', order_id, customer_id, 100, 'queued', 'E1' from orders`,
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
