// engine: both
/** Somebody signs out while another request of the same browser, perhaps a thief's with its cookie, is under way. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { insertSession } from '../../src/console/sessions.sql.ts'
import { createSessions } from '../../src/console/sessions.ts'
import type { Principal } from '../../src/operator/authenticate.ts'
import { createTestDatabase, type TestDatabase, testEngine } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'

const ORIGIN = 'http://127.0.0.1:4001'
const OPERATOR = 'opr_0123456789abcdef'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  await db.query(
    `insert into operators (operator_id, name, role, issuer, subject) values ($1, 'Aminah', 'treasury', 'https://id.example', 'u1')`,
    [OPERATOR],
  )
})
after(() => db.close())

const isSomebodyWaiting = async () =>
  (await db.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
    .length > 0

/** Sessions of one person, whose browser is recognized. */
function begun() {
  const principal = {
    operatorId: OPERATOR,
    name: 'Aminah',
    issuer: 'https://id.example',
    role: 'treasury',
    roles: ['treasury'],
    tokenSeenBy: null,
    signedInBefore: true,
    isCertain: true,
  } satisfies Principal
  let meanwhile = async () => {}
  const recognize = async () => {
    const happens = meanwhile
    meanwhile = async () => {}
    await happens()
    return principal
  }
  const sessions = createSessions({ db, origin: undefined, recognize })
  const cookies: string[] = []
  const reply = { header: (_: string, value: string) => cookies.push(value) } as unknown as FastifyReply
  const requestOf = (sent: string) =>
    ({
      method: 'POST',
      ip: '127.0.0.1',
      headers: { host: '127.0.0.1:4001', origin: ORIGIN, 'content-type': 'application/json', cookie: sent },
    }) as unknown as FastifyRequest
  const person = { operatorId: OPERATOR, tokenSha256: null, name: 'Aminah', how: 'identity provider' } as const
  return {
    sessions,
    reply,
    onNextLook: (happens: () => Promise<void>) => {
      meanwhile = happens
    },
    /** A request of a browser in which the person has just signed in. */
    async signIn(): Promise<FastifyRequest> {
      await sessions.begin(requestOf(''), reply, person)
      return requestOf(cookies.at(-1)?.split(';')[0] ?? '')
    },
  }
}

it('no token for commands is made in a session that has just ended', async () => {
  const { sessions, reply, signIn, onNextLook } = begun()
  const request = await signIn()
  assert.match((await sessions.makeCommandToken(request)).token, /^coin_command_/)
  onNextLook(() => sessions.end(request, reply))
  await assert.rejects(sessions.makeCommandToken(request), /has ended/)
  assert.deepEqual(await db.query('select made_in from operator_sessions'), [])
})

it('a token for commands works on while its browser is idle, and ends when the person signs out of another', async () => {
  const { sessions, reply, signIn } = begun()
  const opens = async (token: string) => (await sessions.findByCommandToken(`Bearer ${token}`)) !== undefined
  const { token: left } = await sessions.makeCommandToken(await signIn())
  await db.query(`update operator_sessions set last_used_at = now() - interval '2 hours' where made_in is null`)
  const { token: kept } = await sessions.makeCommandToken(await signIn())
  const last = await signIn()
  assert.deepEqual([await opens(left), await opens(kept)], [true, true])
  await sessions.end(last, reply)
  assert.deepEqual([await opens(left), await opens(kept)], [false, true])
})

it('a token for commands ends with the session that it was made in, by whatever clock a process goes', async (t) => {
  const { sessions, signIn } = begun()
  await db.query('truncate operator_sessions')
  const request = await signIn()
  const leave = (left: string) =>
    db.query(
      `update operator_sessions set expires_at = now() + $1::interval, created_at = now() + $1::interval - interval '12 hours'`,
      [left],
    )
  await leave('3 hours')
  if (testEngine === 'postgres') t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 6 * 3_600_000 })
  const { expiresAt } = await sessions.makeCommandToken(request)
  t.mock.timers.reset()
  const ends = await db.query<{ expires_at: Date }>('select expires_at from operator_sessions')
  assert.equal(new Set(ends.map((session) => session.expires_at.getTime())).size, 1, 'both end at once')
  assert.deepEqual(expiresAt, ends[0]?.expires_at)
  await leave('9 hours')
  const later = await sessions.makeCommandToken(request)
  const [row] = await db.query<{ hours: number }>(
    `select extract(epoch from $1::timestamptz - now())::float8 / 3600 as hours`,
    [later.expiresAt],
  )
  assert.ok(row !== undefined && row.hours > 7.9 && row.hours <= 8, `${row?.hours} hours`)
})

it('a session ends after an hour without use, and after twelve in any case', async () => {
  const { sessions, signIn } = begun()
  await db.query('truncate operator_sessions')
  const request = await signIn()
  const lasts = 'select extract(epoch from expires_at - created_at)::int / 60 as minutes from operator_sessions'
  assert.deepEqual(await db.query(lasts), [{ minutes: 12 * 60 }])
  const unused = (minutes: number) =>
    db.query(`update operator_sessions set last_used_at = now() - $1 * interval '1 minute'`, [minutes])
  await unused(59)
  assert.ok(await sessions.find(request))
  await unused(61)
  await assert.rejects(sessions.find(request), /has ended/)
})

it('a session that newer ones push out takes its tokens for commands along, and a token pushes out none', async () => {
  const { sessions, signIn } = begun()
  const opens = async (token: string) => (await sessions.findByCommandToken(`Bearer ${token}`)) !== undefined
  await db.query('truncate operator_sessions')
  const first = await signIn()
  const { token: old } = await sessions.makeCommandToken(first)
  for (let more = 0; more < 19; more += 1) await signIn()
  assert.deepEqual([await opens(old), (await sessions.find(first)) !== undefined], [true, true])
  const { token: late } = await sessions.makeCommandToken(first)
  assert.deepEqual([await opens(late), (await sessions.find(first)) !== undefined], [true, true])
  await signIn()
  await assert.rejects(sessions.find(first), /has ended/)
  assert.deepEqual([await opens(old), await opens(late)], [false, false])
})

it('a session that ends while a token for commands is made in it takes that one along, too', async () => {
  const { sessions, reply, signIn } = begun()
  for (const ends of ['signed out', 'pushed out', 'signed out everywhere']) {
    await db.query('truncate operator_sessions')
    const request = await signIn()
    const [{ madeIn } = { madeIn: '' }] = await db.query<{ madeIn: string }>(
      'select secret_sha256 as "madeIn" from operator_sessions',
    )
    for (let more = 0; more < 19; more += 1) await signIn()
    let ended = Promise.resolve()
    await db.transaction(async (tx) => {
      const token = {
        secretSha256: 'a'.repeat(64),
        operatorId: OPERATOR,
        tokenSha256: null,
        lifetimeMs: 60_000,
        madeIn,
      }
      assert.ok((await insertSession(tx, token, { idleMs: 3_600_000, most: 20 })) !== undefined)
      const ways: Record<string, () => Promise<unknown>> = {
        'signed out': () => sessions.end(request, reply),
        'signed out everywhere': () => db.transaction((other) => sessions.endAll(other, OPERATOR)),
      }
      ended = (ways[ends] ?? signIn)().then(() => {})
      // PGlite begins with the other transaction when this one has ended.
      if (testEngine === 'postgres') await waitFor('the end waits for the token', isSomebodyWaiting)
    })
    await ended
    assert.deepEqual(await db.query('select 1 from operator_sessions where made_in is not null'), [], ends)
  }
})

it('signs out everywhere: every browser of one person and every token for commands, and nobody else', async () => {
  const { sessions, signIn } = begun()
  await db.query('truncate operator_sessions')
  const [one, two] = [await signIn(), await signIn()]
  const { token } = await sessions.makeCommandToken(one)
  const other = { secretSha256: 'b'.repeat(64), operatorId: null, tokenSha256: 'c'.repeat(64), lifetimeMs: 60_000 }
  await insertSession(db, other, { idleMs: 3_600_000, most: 20 })
  assert.equal(await db.transaction((tx) => sessions.endAll(tx, OPERATOR)), 3)
  for (const browser of [one, two]) await assert.rejects(sessions.find(browser), /has ended/)
  assert.equal(await sessions.findByCommandToken(`Bearer ${token}`), undefined)
  assert.deepEqual(await db.query('select operator_id from operator_sessions'), [{ operator_id: null }])
})
