// engine: postgres
/** Operators as people: tokens of their own, who may let in and end whom, and what wrong tokens meet. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { breakGlass } from '../../src/operator/break-glass.ts'
import { createWrongTokens } from '../../src/operator/wrong-tokens.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { chainDouble, type OperatorFixture, startOperator, TOKEN } from './fixture.ts'
import { emptyDatabase } from './world.ts'

let db: TestDatabase
let api: OperatorFixture
before(async () => {
  db = await createTestDatabase()
  api = await startOperator({ db })
})
beforeEach(() => emptyDatabase(db))
after(async () => {
  await api.close()
  await db.close()
})

const refusedTo = async (token: string) =>
  (await api.call('GET', '/whoami', undefined, { authorization: `Bearer ${token}` })).status

describe('a person', () => {
  it('is let in with a token shown once, and says who they are', async () => {
    const [one, other] = [await api.person('treasury', 'Aminah'), await api.person('support', 'Bala')]
    assert.match(one.token, /^coin_operator_[0-9a-f]{16}_[0-9A-Za-z]{43}$/)
    assert.notEqual(one.token, other.token)
    const { body } = await one.call('GET', '/whoami')
    assert.deepEqual(body, { ok: true, operatorId: one.operatorId, name: 'Aminah', role: 'treasury' })
    const shared = (await api.call('GET', '/whoami')).body
    assert.deepEqual(shared, { ok: true, operatorId: null, name: 'operator', role: 'admin' })
    const rows = await db.query<{ text: string }>('select o::text as text from operators o')
    assert.ok(rows.length === 2 && rows.every(({ text }) => !text.includes(one.token.slice(-43))))
  })

  it('has a name that nobody else ever had', async () => {
    const { operatorId } = await api.person('viewer', 'Aminah binti Ali')
    await api.call('POST', `/operators/${operatorId}/disable`, {})
    for (const name of ['Aminah binti Ali', 'aminah BINTI ali', 'Aminah  binti\u00a0Ali', 'Ａminah binti Ali']) {
      const { status, body } = await api.call('POST', '/operators', { name, role: 'viewer' })
      assert.equal(status, 409)
      assert.match(body.error.message, /is or was called/)
    }
    for (const name of ['operator', 'Service', 'ｏperator', ' Bala', 'Bala ', 'Ba\nla', 'x'.repeat(101)]) {
      assert.equal((await api.call('POST', '/operators', { name, role: 'viewer' })).status, 400, name)
    }
    assert.equal((await api.call('POST', '/operators', { name: 'Bala', role: 'root' })).status, 400)
  })

  it('is named by the audit log, with the address they came from', async () => {
    const { call, operatorId } = await api.person('onboarding', 'Chong')
    const { integrationId } = (await call('POST', '/integrations', { name: 'Acme' })).body
    const { entries } = (await api.call('GET', `/audit?target=${integrationId}`)).body
    assert.deepEqual(
      entries.map(({ actor, origin, action }: Record<string, string>) => [actor, origin, action]),
      [['Chong', '127.0.0.1', 'integration.create']],
    )
    const mine = (await api.call('GET', `/audit?actor=Chong&since=${new Date(Date.now() - 60_000).toISOString()}`)).body
    assert.deepEqual(
      mine.entries.map(({ action, target }: Record<string, string>) => [action, target]),
      [
        ['integration.create', integrationId],
        ['operator.sign-in', operatorId],
      ],
    )
    assert.deepEqual((await api.call('GET', '/audit?since=2999-01-01')).body.entries, [])
    assert.deepEqual((await api.call('GET', '/audit?actor=chong')).body.entries, [])
  })

  it('is in the log with each command that ran, so that a restore forgets none; not with looks, bodies and what was refused', async () => {
    const aminah = await api.person('onboarding', 'Aminah')
    const begun = api.log.length
    const { integrationId } = (await aminah.call('POST', '/integrations', { name: 'Acme' })).body
    await aminah.call('POST', `/integrations/${integrationId}/remitters`, { account: '5123456789' })
    await aminah.call('POST', `/integrations/${integrationId}/suspend`, { reason: 'a leak' })
    await aminah.call('GET', '/integrations')
    assert.equal((await aminah.call('POST', '/screening/allow', {})).status, 403)
    const lines = api.log.slice(begun).map((line) => JSON.parse(line))
    const ran = lines.filter(({ msg }) => msg === 'an operator ran a command')
    assert.deepEqual(
      ran.map(({ command, target, actor }) => [command, target, actor]),
      [
        ['integration create', 'Acme', 'Aminah'],
        ['integration add-remitter', integrationId, 'Aminah'],
        ['integration suspend', integrationId, 'Aminah'],
      ],
    )
    assert.doesNotMatch(JSON.stringify(ran), /5123456789|leak/)
  })

  it('signs in once, however many requests come at the same time', async () => {
    const { call, operatorId } = await api.person('viewer')
    await Promise.all(Array.from({ length: 5 }, () => call('GET', '/whoami')))
    const { entries } = (await api.call('GET', `/audit?target=${operatorId}`)).body
    assert.deepEqual(
      entries.map(({ action }: { action: string }) => action),
      ['operator.sign-in', 'operator.add'],
    )
  })

  it('changes nothing with a request whose body comes when they have been disabled', async () => {
    const { operatorId, token } = await api.person('onboarding', 'Aminah')
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': 15 }
    const late = request(`${api.url}/operator/v1/integrations`, { method: 'POST', headers })
    const answered = once(late, 'response')
    late.write('{"name"')
    await waitFor('sign-in', async () => {
      const [row] = await db.query('select signed_in_at from operators where operator_id = $1', [operatorId])
      return row?.signed_in_at !== null
    })
    assert.equal((await api.call('POST', `/operators/${operatorId}/disable`, {})).status, 200)
    late.end(':"Late"}')
    const [answer] = (await answered) as [IncomingMessage]
    assert.equal(answer.statusCode, 401, await text(answer))
    assert.deepEqual(await db.query('select from integrations'), [])
  })

  it('is kept out from the moment they are disabled, and their old token from the moment it is replaced', async () => {
    const [one, other] = [await api.person('support'), await api.person('support')]
    assert.equal((await api.call('POST', `/operators/${one.operatorId}/disable`, {})).status, 200)
    assert.equal(await refusedTo(one.token), 401)
    assert.equal((await api.call('POST', `/operators/${one.operatorId}/rotate`, {})).status, 409)
    const { body } = await other.call('POST', `/operators/${other.operatorId}/rotate`, {})
    assert.equal(await refusedTo(other.token), 401)
    assert.equal(await refusedTo(body.token), 200)
    const list = (await api.call('GET', '/operators')).body.operators
    assert.deepEqual(
      list.map(({ operatorId, disabledAt }: Record<string, unknown>) => [operatorId, disabledAt !== null]),
      [
        [one.operatorId, true],
        [other.operatorId, false],
      ],
    )
    assert.ok(!JSON.stringify(list).includes('ecret'))
  })

  it('replaces their own token whatever their role, and that of others only as admin', async () => {
    const [viewer, support, admin] = [
      await api.person('viewer'),
      await api.person('support'),
      await api.person('admin'),
    ]
    assert.equal((await support.call('POST', `/operators/${viewer.operatorId}/rotate`, {})).status, 403)
    assert.equal((await viewer.call('POST', `/operators/${viewer.operatorId}/rotate`, {})).status, 200)
    assert.equal((await admin.call('POST', `/operators/${support.operatorId}/rotate`, {})).status, 200)
    assert.equal((await admin.call('POST', '/operators/opr_0000000000000000/rotate', {})).status, 404)
  })
})

describe('the last two admins', () => {
  it('cannot be disabled, and a third only while two others have signed in', async () => {
    const [one, two] = [await api.person('admin'), await api.person('admin')]
    const disable = async (operatorId: string) =>
      (await api.call('POST', `/operators/${operatorId}/disable`, {})).status
    assert.equal(await disable(one.operatorId), 409)
    await one.call('GET', '/whoami')
    const three = await api.person('admin')
    assert.equal(await disable(one.operatorId), 409, 'the two others have not signed in')
    await two.call('GET', '/whoami')
    assert.equal(await disable(one.operatorId), 409, 'one of them has not')
    await three.call('GET', '/whoami')
    assert.equal(await disable(one.operatorId), 200)
    assert.equal(await disable(one.operatorId), 200, 'again changes nothing')
    assert.equal(await disable(two.operatorId), 409)
    assert.equal(await disable(three.operatorId), 409)
  })

  it('are two people: who has broken glass counts once, and one way in of theirs can go while the other stays', async () => {
    const [one, two] = [await api.person('admin', 'Dewi'), await api.person('admin', 'Eng')]
    const made = await breakGlass(db, { name: 'Dewi', reason: 'a fire', origin: 'root@host' })
    for (const token of [one.token, two.token, made.token]) assert.equal(await refusedTo(token), 200)
    const disable = (operatorId: string) => api.call('POST', `/operators/${operatorId}/disable`, {})
    assert.equal((await disable(two.operatorId)).status, 409, 'nobody could decide about what Dewi asks for')
    const { status, body } = await disable(one.operatorId)
    assert.equal(status, 200)
    assert.ok(
      body.note.includes(`"coin operator disable ${made.operatorId}"`),
      'a leaver is not to keep the other way in',
    )
    assert.equal((await disable(made.operatorId)).status, 409)
    assert.equal((await disable(one.operatorId)).status, 200, 'again changes nothing')
  })

  it('are let in: who came through a provider that is not configured any more counts not, nor as another way in', async () => {
    await db.query(`insert into operators (operator_id, name, role, issuer, subject, signed_in_at)
      values ('opr_00000000000000a1', 'Chong', 'admin', 'https://gone.example', '1', now()),
             ('opr_00000000000000a2', 'Dewi', 'admin', 'https://gone.example', '2', now())`)
    const made = await breakGlass(db, { name: 'Dewi', reason: 'the provider is gone', origin: 'root@host' })
    const one = await api.person('admin', 'Eng')
    for (const token of [made.token, one.token]) assert.equal(await refusedTo(token), 200)
    const disable = (operatorId: string) => api.call('POST', `/operators/${operatorId}/disable`, {})
    assert.equal((await disable(one.operatorId)).status, 409, 'nobody but Dewi would be let in')
    const three = await api.person('admin', 'Fadil')
    assert.equal(await refusedTo(three.token), 200)
    const { status, body } = await disable(made.operatorId)
    assert.deepEqual([status, body.note], [200, undefined])
  })

  it('stay two when others try to disable two of three at the same time', async () => {
    const admins = await Promise.all([api.person('admin'), api.person('admin'), api.person('admin')])
    await Promise.all(admins.map(({ call }) => call('GET', '/whoami')))
    const answers = await Promise.all(
      admins.map(({ call }, index) => call('POST', `/operators/${admins[(index + 1) % 3]?.operatorId}/disable`, {})),
    )
    assert.ok(answers.filter(({ status }) => status === 200).length <= 1)
    const [row] = await db.query<{ n: bigint }>(`select count(*) as n from operators where disabled_at is null`)
    assert.ok((row?.n ?? 0n) >= 2n)
  })
})

describe('OPERATOR_TOKEN', () => {
  it('ends in live for ever when two admins have signed in, and goes on in the sandbox', async () => {
    const live = await startOperator({ db, environment: 'live' })
    try {
      const [one, two] = [await live.person('admin'), await live.person('admin')]
      await one.call('GET', '/whoami')
      assert.equal((await live.call('GET', '/whoami')).status, 200)
      const support = await live.person('support')
      await support.call('GET', '/whoami')
      assert.equal((await live.call('GET', '/whoami')).status, 200, 'only admins count')
      await live.call('GET', '/whoami', undefined, { authorization: `Bearer ${two.token}` })
      const { status, body } = await live.call('GET', '/whoami')
      assert.equal(status, 401)
      assert.match(body.error.message, /two admins had signed in/)
      assert.equal((await live.call('POST', '/chains/pause', {})).status, 401)
      assert.equal((await api.call('GET', '/whoami')).status, 200)
    } finally {
      await live.close()
    }
  })
})

describe('the first admins where a second person must approve', () => {
  it('are let in by OPERATOR_TOKEN alone until two have signed in, by no one of themselves, and nobody else is', async () => {
    const strict = await startOperator({ db, fourEyes: true })
    try {
      const adding = (name: string, role: string, token = TOKEN) =>
        strict.call('POST', '/operators', { name, role }, { authorization: `Bearer ${token}` })
      for (const role of ['treasury', 'compliance', 'onboarding']) {
        const { status, body } = await adding(`First ${role}`, role)
        assert.equal(status, 409, role)
        assert.match(body.error.message, /waits for a second person, and nobody can approve/)
      }
      const [one, two] = [(await adding('One', 'admin')).body.token, (await adding('Two', 'admin')).body.token]
      assert.equal((await adding('Face of one', 'admin', one)).status, 202)
      assert.equal((await adding('Three', 'admin')).status, 200, 'the second has not signed in')
      assert.equal((await adding('Face of two', 'admin', two)).status, 202)
      assert.equal((await adding('Four', 'admin')).status, 409)
      assert.equal((await api.call('GET', '/operators')).body.operators.length, 3)
    } finally {
      await strict.close()
    }
  })
})

describe('wrong tokens', () => {
  it('are counted and logged without being shown', async () => {
    const { count } = api.wrongTokens
    const wrong = 'Bearer coin_operator_0123456789abcdef_WrongWrongWrongWrongWrongWrongWrongWrongWro'
    assert.equal((await api.call('GET', '/payouts', undefined, { authorization: wrong })).status, 401)
    assert.equal((await api.call('GET', '/nothing', undefined, { authorization: wrong })).status, 401)
    assert.equal(api.wrongTokens.count, count + 2)
    assert.ok(api.log.some((line) => line.includes('a wrong operator token was presented')))
    assert.ok(!api.log.join('').includes('WrongWrong'))
  })

  it('wait longer each time, by address, and only so many of them at once; right ones never wait', async () => {
    let nowMs = 0
    const logged: object[] = []
    const slept: number[] = []
    const logger = { warn: (fields: object) => void logged.push(fields) }
    const brake = createWrongTokens({
      logger: logger as unknown as Parameters<typeof createWrongTokens>[0]['logger'],
      counted() {},
      firstDelayMs: 20,
      nowMs: () => nowMs,
      async sleep(ms) {
        slept.push(ms)
        await setImmediate()
      },
    })
    const took = async (address: string) => {
      await brake.slow(address)
      return slept.at(-1)
    }
    for (const ms of [20, 40, 80]) assert.equal(await took('192.0.2.1'), ms)
    assert.equal(await took('192.0.2.2'), 20, 'another address begins with the shortest wait')
    nowMs = 11 * 60_000
    assert.equal(await took('192.0.2.1'), 20, 'so does one that was quiet')
    assert.deepEqual(
      logged.map((fields) => (fields as { tries: number }).tries),
      [1, 2, 1, 1],
    )
    const many = await Promise.allSettled(Array.from({ length: 60 }, (_, index) => brake.slow(`10.0.0.${index}`)))
    const refused = many.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    assert.deepEqual(refused, Array(10).fill('TOO_MANY_REQUESTS'))
    await brake.slow('10.0.0.61')
    for (let tries = 0; tries < 30; tries += 1) await brake.slow('192.0.2.3')
    assert.equal(Math.max(...slept), 4_000, 'and no longer, however often')
  })
})

describe('while the database is away', () => {
  it('a person who was seen before still stops the chains, and does nothing else: they may have been disabled', async () => {
    const { chain, state } = chainDouble(5)
    const people = [await api.person('support'), await api.person('support')]
    let away = false
    const { DatabaseUnavailableError } = await import('../../src/db/database.ts')
    const broken: TestDatabase = {
      ...db,
      query: (...given) => (away ? Promise.reject(new DatabaseUnavailableError('away')) : db.query(...given)),
      transaction: (work) => (away ? Promise.reject(new DatabaseUnavailableError('away')) : db.transaction(work)),
    }
    const own = await startOperator({ db: broken, chains: [chain] })
    try {
      away = true
      for (const { token } of people) {
        state.paused = false
        const answer = await own.call('POST', '/chains/pause', {}, { authorization: `Bearer ${token}` })
        assert.equal(answer.body.ok, true)
        assert.equal(state.paused, true)
      }
      for (const [method, path] of [
        ['POST', '/webhooks/we_x/enable'],
        ['GET', '/integrations'],
        ['GET', '/audit'],
      ] as const) {
        const body = method === 'POST' ? {} : undefined
        const refused = await own.call(method, path, body, { authorization: `Bearer ${people[0]?.token}` })
        assert.equal(refused.status, 503, path)
        assert.match(refused.body.error.message, /who you are cannot be checked/)
      }
      assert.equal(state.paused, true)
      const stranger = `Bearer ${people[0]?.token.slice(0, -1)}!`
      assert.equal((await own.call('POST', '/chains/pause', {}, { authorization: stranger })).status, 401)
    } finally {
      away = false
      await own.close()
    }
  })
})

describe('the command line', () => {
  it('lets in, lists, names, replaces and ends people', async () => {
    const added = await api.run('operator', 'add', '--name', 'Devi', '--role', 'compliance')
    assert.deepEqual(Object.keys(added).sort(), ['operatorId', 'token'])
    const who = await api.cli(['whoami', '--json'], { OPERATOR_TOKEN: added.token })
    assert.deepEqual(JSON.parse(who.stdout), { operatorId: added.operatorId, name: 'Devi', role: 'compliance' })
    const rotated = await api.run('operator', 'rotate', added.operatorId)
    assert.notEqual(rotated.token, added.token)
    const refused = await api.cli(['payout', 'retry', 'po_1'], { OPERATOR_TOKEN: rotated.token })
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /"coin payout retry" is for treasury; Devi is compliance/)
    await api.run('operator', 'disable', added.operatorId)
    const { operators } = await api.run('operator', 'list')
    assert.ok(operators[0].disabledAt)
    const table = await api.cli(['operator', 'list'])
    assert.match(table.stdout, /Devi +compliance/)
  })

  it('sends its token over http to this machine only', async () => {
    const { code, stderr } = await api.cli(['whoami'], { OPERATOR_URL: 'http://192.0.2.1:4001', OPERATOR_TOKEN: TOKEN })
    assert.equal(code, 1)
    assert.match(stderr, /use https/)
  })
})
