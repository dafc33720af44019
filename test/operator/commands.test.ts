// engine: postgres
/** Who may run which command: the table, and the routes that really are. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Fastify from 'fastify'
import type { OperatorDeps } from '../../src/operator/deps.ts'
import { guardRoutes } from '../../src/operator/guard.ts'
import { COMMANDS } from '../../src/operators/commands.ts'
import { OPERATOR_ROLES } from '../../src/operators/roles.ts'
import { type OperatorFixture, type Person, startOperator } from './fixture.ts'

let api: OperatorFixture
let people: Person[]
before(async () => {
  api = await startOperator()
  people = await Promise.all(OPERATOR_ROLES.map((role) => api.person(role)))
})
after(() => api.close())

test('a route that the table does not list cannot be registered', async () => {
  const app = Fastify()
  app.register(
    async (scope) => {
      guardRoutes(scope, '/operator/v1', {} as OperatorDeps)
      scope.post('/payouts/:payoutId/steal', async () => ({}))
    },
    { prefix: '/operator/v1' },
  )
  await assert.rejects(async () => await app.ready(), /POST \/payouts\/:payoutId\/steal has no line/)
  await app.close()
})

test('each role is let through to its own commands and refused every other', async () => {
  const refused: string[] = []
  /** Lines whose route nobody has registered yet. */
  const toCome = new Set<string>()
  for (const { command, route, roles } of COMMANDS) {
    const [method, path = ''] = route.split(' ')
    const target = path.replace(/:[a-zA-Z]+/g, '1')
    for (const { role, call } of people) {
      // No field is right, so that nothing happens where the role is.
      const { status, body: answer } =
        method === 'POST'
          ? await call('POST', target, { nonsense: true, reason: 'why not' })
          : await call('GET', `${target}?nonsense=1`)
      assert.doesNotMatch(answer.error?.message ?? '', /"reason"/, `${command} takes no reason`)
      if (answer.error?.message === 'The operator API has no such path.') toCome.add(command)
      else if (status === 403) refused.push(`${command} to ${role}`)
      else assert.ok(roles.includes(role), `${command} was not refused to ${role}: ${JSON.stringify(answer)}`)
    }
  }
  assert.ok(toCome.size < COMMANDS.length / 3)
  const own = COMMANDS.flatMap(({ command, roles }) => roles.map((role) => `${command} to ${role}`))
  assert.deepEqual(
    refused.filter((each) => own.includes(each) && !/^operator (rotate|sign-out)/.test(each)),
    [],
  )
})
