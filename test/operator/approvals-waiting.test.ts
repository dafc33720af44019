// engine: postgres
/** Four eyes: how many requests of one person may wait, so that nobody buries the one that matters, or keeps others from asking. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { newApprovalId } from '../../src/operators/approval.ts'
import { insertApproval } from '../../src/operators/approvals.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type OperatorFixture, type Person, startOperator } from './fixture.ts'
import { addCustomer, addParty } from './world.ts'

const MOST = 50

let db: TestDatabase
let api: OperatorFixture
let one: Person
let two: Person
before(async () => {
  db = await createTestDatabase()
  const open = await startOperator({ db })
  one = await open.person('onboarding', 'Aminah')
  two = await open.person('onboarding', 'Bala')
  await open.close()
  api = await startOperator({ db, fourEyes: true })
})
after(async () => {
  await api.close()
  await db.close()
})

/** Requests of somebody about other things. */
async function addWaiting(of: Person, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newApprovalId)
  const { operatorId } = (await callAs(of, 'GET', '/whoami')).body
  for (const approvalId of ids) {
    const about = { command: 'customer set', target: approvalId, method: 'POST', path: '/x', body: 'sb1.sealed' }
    assert.ok(await insertApproval(db, { approvalId, ...about, requestedBy: operatorId, requestedByName: 'x' }, 1_000))
  }
  return ids
}

const callAs = ({ token }: Person, method: 'GET' | 'POST', path: string, body?: object) =>
  api.call(method, path, body, { authorization: `Bearer ${token}` })

async function ask(person: Person) {
  const party = await addParty(db)
  const { customerId } = await addCustomer(db, party.integrationId)
  return await callAs(person, 'POST', `/customers/${customerId}/set`, {
    bankBic: 'CIBBMYKL',
    bankAccount: '999988887777',
    bankName: 'A Thief',
  })
}

it('fifty wait and no more; those of others, expired or decided do not count', async () => {
  const expired = await addWaiting(one, MOST)
  await db.query(`update approvals set expires_at = now() where approval_id = any ($1::text[])`, [expired])
  const [decided = ''] = await addWaiting(one, MOST - 1)
  await addWaiting(two, MOST - 1)
  assert.equal((await ask(one)).status, 202)
  const refused = await ask(one)
  assert.equal(refused.status, 409)
  assert.match(refused.body.error.message, /^50 requests of yours wait already/)
  assert.equal((await ask(two)).status, 202)
  assert.equal((await callAs(two, 'POST', `/approvals/${decided}/reject`, { reason: 'too many' })).status, 200)
  assert.equal((await ask(one)).status, 202)
  assert.equal((await ask(one)).status, 409)
})
