// engine: pglite
/** What is kept of a request to know it again tells nobody what was in it, and goes on under another key. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { digestOf } from '../../src/operators/approval.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type OperatorFixture, type Person, startOperator } from './fixture.ts'
import { addParty, type Party } from './world.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
const old = createSecretBox(oldKey)
let db: TestDatabase
let party: Party
/** Under the old key, under both, and under the new one alone. */
const apis: OperatorFixture[] = []
const people = {} as Record<'one' | 'two', Person>
before(async () => {
  db = await createTestDatabase()
  party = await addParty(db, old)
  const open = await startOperator({ db, secrets: old })
  people.one = await open.person('onboarding', 'Aminah')
  people.two = await open.person('onboarding', 'Bala')
  await open.close()
  for (const secrets of [old, createSecretBox(newKey, oldKey), createSecretBox(newKey)]) {
    apis.push(await startOperator({ db, secrets, fourEyes: true }))
  }
})
after(async () => {
  for (const api of apis) await api.close()
  await db.close()
})

type Call = [method: 'GET' | 'POST', path: string, body?: object, headers?: Record<string, string>]
const callOf = (api: OperatorFixture | undefined, who: 'one' | 'two') => {
  assert.ok(api)
  return (...[method, path, body, headers = {}]: Call) =>
    api.call(method, path, body, { authorization: `Bearer ${people[who].token}`, ...headers })
}

const ACCOUNT = { bankBic: 'CIBBMYKL', bankAccount: '9999888', bankName: 'A Person' }
const path = () => `/customers/${party.customerId}/set`

async function approved(api: OperatorFixture | undefined, account = ACCOUNT): Promise<Record<string, string>> {
  const { body } = await callOf(api, 'one')('POST', path(), account)
  assert.equal((await callOf(api, 'two')('POST', `/approvals/${body.approvalId}/approve`, {})).status, 200)
  return { 'x-approval': body.approvalId }
}

test('nothing in the database lets a short account number be tried out', async () => {
  const [api] = apis
  await approved(api)
  const customer = { integrationId: party.integrationId, type: 'RETAIL', status: 'PENDING', level: 'T', country: 'MY' }
  const headers = { 'idempotency-key': 'one' }
  assert.equal((await callOf(api, 'one')('POST', '/customers', customer, headers)).status, 200)
  const rows = await db.query<{ text: string }>(
    'select a::text as text from approvals a union all select o::text from operator_answers o',
  )
  assert.equal(rows.length, 2)
  for (const tried of [digestOf(['POST', path(), ACCOUNT]), digestOf(['POST', '/customers', customer])]) {
    assert.ok(rows.every(({ text }) => !text.includes(tried)))
  }
  assert.ok(rows.every(({ text }) => !/[0-9a-f]{32}/.test(text.replaceAll(/cus_[0-9a-f]+/g, ''))))
})

test('what was approved, and what was answered, goes on while both keys are known, and is void once its key is gone', async () => {
  const [before_, both, after_] = apis
  const [first, second, third] = [await approved(before_), await approved(before_), await approved(before_)]
  const made = { name: 'Kept' }
  const headers = { 'idempotency-key': 'two' }
  const answer = await callOf(before_, 'one')('POST', '/integrations', made, headers)
  assert.equal((await callOf(both, 'one')('POST', path(), ACCOUNT, first)).status, 200)
  assert.deepEqual((await callOf(both, 'one')('POST', '/integrations', made, headers)).body, answer.body)
  const lost = await callOf(after_, 'one')('POST', path(), ACCOUNT, second)
  assert.deepEqual([lost.status, /SECRETS_KEY.*ask again/.test(lost.body.error.message)], [409, true])
  const unanswered = await callOf(after_, 'one')('POST', '/integrations', made, headers)
  assert.deepEqual([unanswered.status, /SECRETS_KEY/.test(unanswered.body.error.message)], [409, true])
  const { body } = await callOf(after_, 'two')('GET', `/approvals/${second['x-approval']}`)
  assert.equal(body.approval.request.body, '(cannot be opened with the present key)')
  const blind = (await callOf(before_, 'one')('POST', path(), ACCOUNT)).body.approvalId
  const approve = (api: OperatorFixture | undefined) => callOf(api, 'two')('POST', `/approvals/${blind}/approve`, {})
  const unseen = await approve(after_)
  assert.deepEqual(
    [unseen.status, /nobody can see here what it would do/.test(unseen.body.error?.message)],
    [409, true],
  )
  assert.equal((await approve(both)).status, 200, 'whoever sees it may')
  await both?.run('secrets', 'reseal')
  // What it concerns has changed meanwhile; without that it would go through.
  const third_ = await callOf(after_, 'one')('POST', path(), ACCOUNT, third)
  assert.match(third_.body.error.message, /is void: what it concerns has changed/)
  const another = { ...ACCOUNT, bankAccount: '9999777' }
  const fourth = await approved(both, another)
  assert.equal((await callOf(after_, 'one')('POST', path(), another, fourth)).status, 200)
  assert.deepEqual((await callOf(after_, 'one')('POST', '/integrations', made, headers)).body, answer.body)
})
