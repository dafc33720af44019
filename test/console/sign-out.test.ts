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

it('no token for commands is made in a session that has just ended', async () => {
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
  await sessions.begin(requestOf(''), reply, person)
  const request = requestOf(cookies[0]?.split(';')[0] ?? '')
  assert.match((await sessions.makeCommandToken(request)).token, /^coin_command_/)
  meanwhile = () => sessions.end(request, reply)
  await assert.rejects(sessions.makeCommandToken(request), /has ended/)
  assert.deepEqual(await db.query('select made_in from operator_sessions'), [])
})
