// engine: pglite
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { insertCustomer } from '../../customers/customers.sql.ts'
import type { Queryable } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import type { WriteCall } from '../../http/route.ts'
import { createIntegration } from '../../integrations/integrations.sql.ts'
import { findGivenAnswer, useKeyElsewhere } from '../../orders/accept/answers.sql.ts'
import { createSecretBox } from '../../secrets/secrets.ts'
import { VERIFIED } from '../demo-parties.ts'
import { answeredOnce, type Finish, MADE_HERE, MOST_A_DAY } from './answered-once.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

const secrets = createSecretBox(new Uint8Array(32))

async function partner(): Promise<(fingerprint?: string, idempotencyKey?: string, keyId?: string) => WriteCall> {
  const { integrationId } = await createIntegration(db, { name: 'Test' })
  return (fingerprint = 'a'.repeat(64), idempotencyKey = randomUUID(), keyId = 'a'.repeat(16)) =>
    ({
      key: { integrationId, keyId },
      address: '192.0.2.7',
      params: {},
      body: {},
      fingerprint,
      idempotencyKey,
    }) as unknown as WriteCall
}

let made = 0
const finish: Finish = async () => {
  made += 1
  return { answer: { secret: 'coin_sandbox_x' }, entry: { action: 'sandbox.key', target: `made-${made}` } }
}
const ask = (call: WriteCall, work: () => Promise<Finish> = () => Promise.resolve(finish)) =>
  answeredOnce({ db, secrets }, call, work)
const refusedWith = (code: string, reason?: string) => (error: unknown) =>
  error instanceof ApiError && error.code === code && error.meta?.reason === reason

test('what failed is not answered, what was answered is not made again, and nothing is readable at rest', async () => {
  const call = (await partner())()
  const failing: Finish = () => Promise.reject(new ApiError('NOT_FOUND'))
  await assert.rejects(
    ask(call, () => Promise.resolve(failing)),
    refusedWith('NOT_FOUND'),
  )
  const before = made
  const first = await ask(call)
  const again = await ask(call)
  assert.deepEqual([first.replay, again.replay, again.body, made], [false, true, first.body, before + 1])
  const rows = await db.query('select * from operator_answers')
  assert.doesNotMatch(JSON.stringify(rows), /coin_sandbox/)
  const [entry] = await db.query('select actor, origin from audit_log order by audit_id desc limit 1')
  assert.deepEqual(entry, { actor: `integration ${call.key.integrationId}`, origin: '192.0.2.7' })
})

test('a key that was used here creates no order, and one that an order has taken meanwhile makes nothing here', async () => {
  const callOf = await partner()
  const call = callOf()
  await ask(call)
  const { key: caller, idempotencyKey } = call
  const given = await findGivenAnswer(db, { caller, idempotencyKey })
  assert.deepEqual(given, { fingerprint: call.fingerprint, answer: undefined })
  const late = callOf()
  const meanwhile = async (): Promise<Finish> => {
    await useKeyElsewhere(db, { ...late, caller: late.key, fingerprint: 'b'.repeat(64) })
    return finish
  }
  const audited = `select count(*) from audit_log where origin = '192.0.2.7'`
  const before = await db.query(audited)
  await assert.rejects(ask(late, meanwhile), refusedWith('IDEMPOTENCY_CONFLICT'))
  assert.deepEqual(await db.query(audited), before)
})

test('an answer is given again to the key that asked alone, as it may show what that key may do', async () => {
  const callOf = await partner()
  const call = callOf()
  const first = await ask(call)
  const before = made
  const another = callOf(call.fingerprint, call.idempotencyKey, 'b'.repeat(16))
  await assert.rejects(ask(another), refusedWith('IDEMPOTENCY_CONFLICT'))
  assert.deepEqual([(await ask(call)).body, made], [first.body, before])
})

test('an answer that is no longer kept is not made a second time', async () => {
  const call = (await partner())()
  await ask(call)
  await db.query(`update operator_answers set answered_at = answered_at - interval '2 days'`)
  await assert.rejects(ask(call), refusedWith('IDEMPOTENCY_CONFLICT'))
})

test('a request that is sent again while the first one is answered gets that answer, and is no other request', async () => {
  const call = (await partner())()
  let isFirst = true
  // The first one is answered between what the second one looks for.
  const between: Queryable = {
    query: async (text, params) => {
      const rows = await db.query(text, params)
      if (isFirst) {
        isFirst = false
        await ask(call)
      }
      return rows as never
    },
  }
  const again = await answeredOnce({ db: { ...db, ...between }, secrets }, call, () => Promise.resolve(finish))
  assert.equal(again.replay, true)
})

test('who gets no answer again is told that it is kept for a day, for the key that asked', async () => {
  const callOf = await partner()
  const call = callOf()
  await ask(call)
  const ofAnother = callOf(call.fingerprint, call.idempotencyKey, 'b'.repeat(16))
  const said = /It is the Idempotency-Key: .* or its answer is kept no longer, which it is for a day\./
  await assert.rejects(ask(ofAnother), { message: said })
  await db.query(`update operator_answers set answered_at = answered_at - interval '2 days'`)
  await assert.rejects(ask(call), { message: said })
})

test('a day has a bound, for each integration: of answers, and of customers that were only begun', async () => {
  const [busy, beginning, other] = [await partner(), await partner(), await partner()]
  await db.query(
    `insert into operator_answers (asked_by, idempotency_key)
     select 'sandbox ' || $1, n::text from generate_series(1, $2::int) n`,
    [busy().key.integrationId, MOST_A_DAY],
  )
  for (let count = 0; count < MOST_A_DAY; count += 1) {
    const externalId = `${MADE_HERE}:verified:${count}`
    await insertCustomer(db, beginning().key.integrationId, { ...VERIFIED, externalId })
  }
  for (const full of [busy, beginning]) {
    await assert.rejects(ask(full()), refusedWith('POLICY_REJECTED', 'sandbox_limit'))
    assert.equal((await ask(other())).replay, false)
  }
  await db.query(`update operator_answers set answered_at = now() - interval '25 hours' where idempotency_key = '1'`)
  assert.equal((await ask(busy())).replay, false)
})
