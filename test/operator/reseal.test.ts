// engine: postgres
/** One SECRETS_KEY replaces another: what the old one sealed is sealed anew, step by step, beside processes that work on. */
// Runbook: The secrets key is replaced
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { insertOne, readBelonging } from '../../src/bank-details/bank-details.sql.ts'
import { requireSecretsKey } from '../../src/db/secrets-key.sql.ts'
import { addRemitter } from '../../src/integrations/remitters.sql.ts'
import { SEALED_ANSWERS } from '../../src/operators/answers.sql.ts'
import { SEALED_APPROVALS } from '../../src/operators/resealing.sql.ts'
import { type Resealed, resealStep } from '../../src/secrets/resealing.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { SEALED_ENDPOINTS } from '../../src/webhooks/endpoints/resealing.sql.ts'
import { A_BANK } from '../support/bank-details.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'
import { addParty } from './world.ts'

const TABLES = [SEALED_APPROVALS, SEALED_ANSWERS, SEALED_ENDPOINTS]
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
const before_ = createSecretBox(oldKey)
const both = createSecretBox(newKey, oldKey)
const after_ = createSecretBox(newKey)
let db: TestDatabase
let old: OperatorFixture
let next: OperatorFixture
before(async () => {
  db = await createTestDatabase()
  old = await startOperator({ db, secrets: before_, fourEyes: true })
  next = await startOperator({ db, secrets: both })
})
after(async () => {
  await old.close()
  await next.close()
  await db.close()
})

type Stored = { endpoint_id: string; secret_encrypted: string; next_secret_encrypted: string | null }
const stored = () => db.query<Stored>('select * from webhook_endpoints order by endpoint_id')

test('everything is sealed anew, says the same, and a second run finds nothing to do', async () => {
  const { integrationId, customerId } = await addParty(db, before_)
  const find = async (api: OperatorFixture) =>
    (await api.runWith('1234567890', 'customer', 'find', '-')).customers.map(
      (one: { customerId: string }) => one.customerId,
    )
  assert.deepEqual([await find(old), await find(next)], [[customerId], [customerId]], 'found under either key')
  const shown = new Map<string, string>()
  for (let count = 0; count < 3; count += 1) {
    const { body } = await old.call('POST', '/webhooks', { integrationId, url: 'https://a.test/' })
    shown.set(body.endpointId, body.secret)
  }
  const [first = ''] = shown.keys()
  const { body: rotated } = await old.call('POST', `/webhooks/${first}/rotate`, {})
  const asked = {
    integrationId,
    type: 'RETAIL',
    status: 'VERIFIED',
    level: 'T',
    country: 'MY',
    monthlyCap: '600000',
    bankBic: 'MBBEMYKL',
    bankAccount: '5550001234',
    bankName: 'A Clear Name',
  }
  const { token } = await next.person('onboarding')
  const { body: waiting } = await old.call('POST', '/customers', asked, { authorization: `Bearer ${token}` })
  const bankId = await insertOne(db, before_, A_BANK, { payment: 'E2E 100' })
  const kept = { 'idempotency-key': 'one' }
  const made = await old.call('POST', '/integrations', { name: 'Kept' }, kept)
  const [body] = await db.query<{ body: string }>('select body from approvals')
  assert.ok(body?.body.startsWith(before_.prefix), 'the bank account of a request is sealed')

  const done = await next.run('secrets', 'reseal')
  assert.deepEqual(done, { ok: true, resealed: 8, unreadable: [] })
  const banks = await db.query<{ sealed: string }>('select sealed from bank_details')
  assert.ok(banks.length === 2 && banks.every(({ sealed }) => sealed.startsWith(after_.prefix)))
  assert.deepEqual(await readBelonging(db, after_, [{ bankId, payment: 'E2E 100' }, { bankId }]), [A_BANK, undefined])
  assert.deepEqual([await find(old), await find(next)], [[], [customerId]], 'its hash is of the present key alone')
  for (const row of await stored()) {
    assert.equal(after_.open(row.secret_encrypted, row.endpoint_id), shown.get(row.endpoint_id))
    if (row.endpoint_id !== first) assert.equal(row.next_secret_encrypted, null)
    else assert.equal(after_.open(row.next_secret_encrypted ?? '', first), rotated.secret)
  }
  const { body: seen } = await next.call('GET', `/approvals/${waiting.approvalId}`)
  assert.equal(seen.approval.request.body.bankAccount, '5550001234')
  assert.deepEqual((await next.call('POST', '/integrations', { name: 'Kept' }, kept)).body, made.body)
  assert.deepEqual(await next.run('secrets', 'reseal'), { ok: true, resealed: 0, unreadable: [] })
})

test('steps are bounded and go on where they were cut off; what is replaced meanwhile stays as it is', async () => {
  const { integrationId } = await addParty(db, after_)
  for (let count = 0; count < 5; count += 1) {
    await old.call('POST', '/webhooks', { integrationId, url: 'https://a.test/' })
  }
  const step = (from: Resealed['next']) => db.transaction((tx) => resealStep(tx, both, TABLES, { from, limit: 2 }))
  const one = await step(null)
  assert.deepEqual([one.resealed, one.next?.table], [2, 'webhook_endpoints'])
  // Cut off here; another run begins at the beginning.
  const two = await step(null)
  assert.equal(two.resealed, 2)
  const three = await step(two.next)
  assert.deepEqual([three.resealed, three.next], [1, null])
  assert.ok((await stored()).every(({ secret_encrypted: sealed }) => sealed.startsWith(after_.prefix)))

  const { body } = await old.call('POST', '/webhooks', { integrationId, url: 'https://a.test/' })
  const [value] = await db.transaction((tx) => SEALED_ENDPOINTS.find(tx, { prefix: both.prefix, after: '', limit: 10 }))
  assert.ok(value !== undefined && value.boundTo === body.endpointId)
  await old.call('POST', `/webhooks/${body.endpointId}/remove`, {})
  assert.equal(
    await db.transaction((tx) =>
      SEALED_ENDPOINTS.replace(tx, value, { sealed: both.seal('x', value.boundTo), text: 'x', secrets: both }),
    ),
    false,
  )
})

test('what opens under neither key is named, and the command exits 1', async () => {
  const { integrationId } = await addParty(db, after_)
  const { body } = await old.call('POST', '/webhooks', { integrationId, url: 'https://a.test/' })
  await db.query('update webhook_endpoints set secret_encrypted = $2 where endpoint_id = $1', [
    body.endpointId,
    createSecretBox(randomBytes(32)).seal('lost', body.endpointId),
  ])
  // Bank details lead to whoever must set them again.
  const lost = createSecretBox(randomBytes(32))
  const { customerId } = await addParty(db, lost)
  const old_ = await insertOne(db, lost, A_BANK, { customerId })
  const payee = await insertOne(db, lost, A_BANK, { payment: 'E2E 100' })
  const said = await insertOne(db, lost, A_BANK)
  await db.transaction((tx) => addRemitter(tx, lost, { integrationId, account: '8001112222' }))
  const [own] = await db.query<{ bank_id: string }>('select bank_id from customers where customer_id = $1', [
    customerId,
  ])
  const [remitter] = await db.query<{ bank_id: string }>('select bank_id from integration_remitters')
  const { code, stdout } = await next.cli(['secrets', 'reseal', '--json'])
  assert.equal(code, 1)
  const { unreadable, ...done } = JSON.parse(stdout)
  assert.deepEqual(done, { ok: false, resealed: 0 })
  assert.deepEqual(
    new Set(unreadable),
    new Set([
      `webhook_endpoints ${body.endpointId}/current`,
      `bank_details ${own?.bank_id} (customer ${customerId})`,
      `bank_details ${old_} (customer ${customerId}, an account of before)`,
      `bank_details ${payee} (the payee of E2E)`,
      `bank_details ${said} (of a line of a bank)`,
      `bank_details ${remitter?.bank_id} (remitter of ${integrationId})`,
    ]),
  )
})

test('a process that has the old key alone registers no account, because it does not see those of the others: two partners had the same', async () => {
  const api = await startOperator({ db, secrets: before_ })
  after(() => api.close())
  await db.query('delete from secrets_key')
  for (const box of [before_, both]) await requireSecretsKey(db, box)
  const [one, other] = [await addParty(db, before_), await addParty(db, before_)]
  const register = (by: OperatorFixture, { integrationId }: typeof one) =>
    by.call('POST', `/integrations/${integrationId}/remitters`, { account: '8009990001' })
  assert.equal((await register(next, one)).status, 200)
  const { status, body } = await register(api, other)
  assert.equal(status, 409)
  assert.match(body.error.message, /restart it with both/)
  await db.query('delete from secrets_key')
  await requireSecretsKey(db, after_)
  assert.equal((await register(api, other)).status, 409, 'nor once everything is sealed anew')
})
