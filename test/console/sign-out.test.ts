// engine: both
/** Somebody signs out while another request of the same browser, perhaps a thief's with its cookie, is under way. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createSessions } from '../../src/console/sessions.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

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

/** Sessions of one person, whose browser is recognized. */
function begun() {
  const principal = {
    ...{ operatorId: OPERATOR, name: 'Aminah', issuer: 'https://id.example', roles: ['treasury'] as const },
    ...{ signedInBefore: true, isCertain: true },
  }
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
      ...{ method: 'POST', ip: '127.0.0.1' },
      headers: { host: '127.0.0.1:4001', origin: ORIGIN, 'content-type': 'application/json', cookie: sent },
    }) as unknown as FastifyRequest
  const person = { operatorId: OPERATOR, tokenSha256: null, name: 'Aminah', how: 'identity provider' } as const
  return {
    ...{ sessions, reply },
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
