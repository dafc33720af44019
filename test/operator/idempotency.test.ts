// engine: postgres
/** Commands that create, run again with the same idempotency key: the first answer, and nothing more is created. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CREATING } from '../../src/operator/idempotency.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'
import { addParty } from './world.ts'

let db: TestDatabase
let api: OperatorFixture
before(async () => {
  db = await createTestDatabase()
  api = await startOperator({ db })
})
after(async () => {
  await api.close()
  await db.close()
})

let keys = 0
const key = () => ({ 'idempotency-key': `key-${++keys}` })
const count = async (table: string) =>
  Number((await db.query<{ n: bigint }>(`select count(*) as n from ${table}`))[0]?.n)

type Target = string | ((integrationId: string) => Promise<string>)

const MAKE: Readonly<Record<string, [table: string, target: Target, body: (integrationId: string) => object]>> = {
  'operator add': ['operators', '/operators', () => ({ name: `New ${keys}`, role: 'viewer' })],
  'integration create': ['integrations', '/integrations', () => ({ name: 'Acme' })],
  'key create': [
    'api_keys',
    '/keys',
    (integrationId) => ({ integrationId, scopes: 'mint:read', expires: '2999-01-01' }),
  ],
  // Run again without it, the key has ended.
  'key rotate': [
    'api_keys',
    async (integrationId) => {
      const { keyId } = (await api.call('POST', '/keys', { integrationId, scopes: 'mint:create' })).body
      return `/keys/${keyId}/rotate`
    },
    () => ({ overlap: '0' }),
  ],
  'customer link': [
    'customers',
    '/customers',
    (integrationId) => ({ integrationId, type: 'RETAIL', status: 'VERIFIED', level: 'T', country: 'MY' }),
  ],
  'corporate link': [
    'corporates',
    '/corporates',
    (integrationId) => ({
      integrationId,
      name: 'Kilang',
      status: 'VERIFIED',
      stage: 'DONE',
      country: 'MY',
      industry: 'Retail',
    }),
  ],
  'webhook add': ['webhook_endpoints', '/webhooks', (integrationId) => ({ integrationId, url: 'https://a.test/' })],
}

it('is what each command takes that makes something which a second run would make once more, or could not', () => {
  assert.deepEqual([...CREATING].sort(), Object.keys(MAKE).sort())
})

/** Seven of the eight that ran at once, and the one after them. */
const REPEATS = 8

describe('creates once, also when it runs eight times at once, and records each repeated answer:', () => {
  for (const command of CREATING) {
    it(command, async () => {
      const { integrationId } = await addParty(db)
      const [table, made, bodyOf] = MAKE[command] ?? ['', '', () => ({})]
      const target = typeof made === 'string' ? made : await made(integrationId)
      const [headers, body] = [key(), { ...bodyOf(integrationId), reason: 'a partner joins' }]
      const [rows, lines] = [await count(table), await count('audit_log')]
      const answers = await Promise.all(Array.from({ length: 8 }, () => api.call('POST', target, body, headers)))
      for (const answer of answers) {
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
        assert.deepEqual(answer.body, answers[0]?.body)
      }
      assert.deepEqual((await api.call('POST', target, body, headers)).body, answers[0]?.body)
      assert.deepEqual([await count(table), await count('audit_log')], [rows + 1, lines + 1 + REPEATS])
      const [repeat] = await db.query<{ command: string; reason: string }>(
        `select details->>'command' as command, details->>'reason' as reason from audit_log where action = 'answer.repeat' order by audit_id desc limit 1`,
      )
      assert.deepEqual(repeat, { command, reason: 'a partner joins' })
    })
  }
})

it('what it showed is nowhere in clear, and is kept for a day', async () => {
  const { integrationId } = await addParty(db)
  const headers = key()
  const body = { integrationId, scopes: 'mint:read' }
  const { body: made } = await api.call('POST', '/keys', body, headers)
  const [row] = await db.query<{ text: string }>(
    'select a::text as text from operator_answers a where idempotency_key = $1',
    [headers['idempotency-key']],
  )
  assert.ok(row?.text.includes('sb1.') && !row.text.includes(made.apiKey.slice(-43)))
  await db.query(`update operator_answers set answered_at = now() - interval '25 hours' where idempotency_key = $1`, [
    headers['idempotency-key'],
  ])
  const late = await api.call('POST', '/keys', body, headers)
  assert.equal(late.status, 409)
  assert.match(late.body.error.message, /no longer kept/)
  await api.call('POST', '/integrations', { name: 'Another' }, key())
  const [forgotten] = await db.query<{ answer: string | null }>(
    'select answer from operator_answers where idempotency_key = $1',
    [headers['idempotency-key']],
  )
  assert.equal(forgotten?.answer, null)
})

it('is refused for another command, for another body, and where nothing is created; a refusal leaves the key free', async () => {
  const headers = key()
  assert.equal((await api.call('POST', '/integrations', { name: 1 }, headers)).status, 400)
  assert.equal((await api.call('POST', '/integrations', { name: 'Acme' }, headers)).status, 200)
  for (const [target, body] of [
    ['/integrations', { name: 'Other' }],
    ['/operators', { name: 'Someone', role: 'viewer' }],
  ] as const) {
    const { status, body: answer } = await api.call('POST', target, body, headers)
    assert.equal(status, 409)
    assert.match(answer.error.message, /used for another command/)
  }
  for (const bad of ['a b', 'x'.repeat(201)]) {
    assert.equal((await api.call('POST', '/integrations', { name: 'A' }, { 'idempotency-key': bad })).status, 400)
  }
  const stopping = await api.call('POST', '/chains/pause', {}, key())
  assert.match(stopping.body.error.message, /creates nothing/)
})

it('is one person’s own, and the command line takes it', async () => {
  const person = await api.person('onboarding')
  const headers = { 'idempotency-key': 'shared' }
  const [one, other] = [
    await api.call('POST', '/integrations', { name: 'Acme' }, headers),
    await person.call('POST', '/integrations', { name: 'Acme' }, headers),
  ]
  assert.notEqual(one.body.integrationId, other.body.integrationId)
  const create = () => api.run('integration', 'create', '--name', 'Acme', '--idempotency-key', 'shared')
  assert.deepEqual(
    [await create(), await create()],
    [{ integrationId: one.body.integrationId }, { integrationId: one.body.integrationId }],
  )
})

it('with four eyes the repeated command gets what the approved one made', async () => {
  const strict = await startOperator({ db, fourEyes: true })
  const [one, two] = [await api.person('onboarding'), await api.person('onboarding')]
  const { integrationId } = await addParty(db)
  const body = { integrationId, scopes: 'mint:create' }
  const run = (headers: object) =>
    strict.call('POST', '/keys', body, { authorization: `Bearer ${one.token}`, 'idempotency-key': 'k', ...headers })
  const { approvalId } = (await run({})).body
  await strict.call('POST', `/approvals/${approvalId}/approve`, {}, { authorization: `Bearer ${two.token}` })
  const answers = await Promise.all([1, 2, 3].map(() => run({ 'x-approval': approvalId })))
  const made = answers.filter(({ status }) => status === 200)
  assert.ok(made.length >= 1, JSON.stringify(answers))
  assert.deepEqual((await run({ 'x-approval': approvalId })).body, made[0]?.body)
  assert.equal(
    (await db.query('select from api_keys where integration_id = $1 and key_id <> $2', [integrationId, ''])).length,
    2,
    'the party’s own and the new one',
  )
  await strict.close()
})

it('with four eyes also where it comes a second time while another process still runs it', async () => {
  const processes = [await startOperator({ db, fourEyes: true }), await startOperator({ db, fourEyes: true })] as const
  const [one, two] = [await api.person('onboarding'), await api.person('onboarding')]
  const { integrationId } = await addParty(db)
  const { keyId } = (await api.call('POST', '/keys', { integrationId, scopes: 'mint:create' })).body
  const run = (process: OperatorFixture, headers: object) =>
    process.call(
      'POST',
      `/keys/${keyId}/rotate`,
      { overlap: '0', reason: 'it leaked' },
      {
        authorization: `Bearer ${one.token}`,
        'idempotency-key': 'rotate',
        ...headers,
      },
    )
  const { approvalId } = (await run(processes[0], {})).body
  await api.call('POST', `/approvals/${approvalId}/approve`, {}, { authorization: `Bearer ${two.token}` })
  const [first, second] = await db.transaction(async (tx) => {
    await tx.query('select from api_keys where key_id = $1 for update', [keyId])
    const running = processes.map((process) => run(process, { 'x-approval': approvalId }))
    await waitFor('both to wait', async () => {
      const waiting = await db.query(`select 1 from pg_locks where not granted
        and pid in (select pid from pg_stat_activity where datname = current_database())`)
      return waiting.length === 2
    })
    return running
  })
  const answers = [await first, await second]
  assert.deepEqual([answers[0]?.status, answers[1]?.body], [200, answers[0]?.body])
  for (const each of processes) await each.close()
})
