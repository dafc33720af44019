/** The simulated bank keeps one book, by end-to-end ids. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createSimulatedRail } from '../../src/payouts/rails/simulated.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

describe('the simulated bank', () => {
  const payment = { amountSen: 100n, bankId: 'bnk_1', bic: 'MBBEMYKL', account: '1122', name: 'TEST', reference: 'r' }

  it('takes the same payment again, and no other under its id', async () => {
    const rail = createSimulatedRail(db)
    const accepted = { result: 'accepted', railReference: 'SIM-E1' }
    assert.deepEqual(await rail.initiate({ payoutId: 'po_1', endToEndId: 'E1', ...payment }), accepted)
    assert.deepEqual(await rail.initiate({ payoutId: 'po_2', endToEndId: 'E2', ...payment, amountSen: 5n }), {
      ...accepted,
      railReference: 'SIM-E2',
    })
    assert.deepEqual(await rail.initiate({ payoutId: 'po_1', endToEndId: 'E1', ...payment }), accepted)
    for (const change of [{ amountSen: 101n }, { bankId: 'bnk_2' }, { reference: 'z' }]) {
      const answer = await rail.initiate({ payoutId: 'po_1', endToEndId: 'E1', ...payment, ...change })
      assert.equal(answer.result, 'refused', JSON.stringify(Object.keys(change)))
    }
  })

  it('refuses account numbers of zeros, and only those', async () => {
    const rail = createSimulatedRail(db)
    for (const [account, result] of [
      ['0', 'refused'],
      ['0000000', 'refused'],
      ['00001', 'accepted'],
      ['10000', 'accepted'],
      ['00100', 'accepted'],
    ] as const) {
      const answer = await rail.initiate({ payoutId: 'po_zero', endToEndId: `E${account}`, ...payment, account })
      assert.equal(answer.result, result, account)
    }
    const booked = await db.query(`select 1 from simulated_rail_payments where behaviour = 'refused'`)
    assert.deepEqual(booked, [])
  })
})
