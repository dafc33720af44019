// engine: postgres
/** One person alone at night: what only stops something is done at once, and of everything else it is said who could approve it. */
// Runbook: Nobody else can be reached
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { COMMANDS } from '../../src/operators/commands.ts'
import { createApproving, NEW_ACCOUNT, pathOf } from './approving.ts'

const a = createApproving()
before(() => a.begin())
after(() => a.end())
const { people, newCustomer } = a

const approversOf = async (): Promise<string[]> => {
  const answer = await people.one.call('POST', pathOf(await newCustomer()), NEW_ACCOUNT)
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  return answer.body.approvers
}

test('the runbook names every command that only stops something, and no other', () => {
  const text = readFileSync(path.join(import.meta.dirname, '../../docs/RUNBOOKS.md'), 'utf8')
  const [, step = ''] = /\n## Nobody else can be reached\n[\s\S]*?\n1\. (.*)\n/.exec(text) ?? []
  const named = [...step.matchAll(/`coin ([^`]+)`/g)].map(([, command]) => command)
  assert.deepEqual(named.toSorted(), COMMANDS.flatMap(({ command, stops }) => (stops ? [command] : [])).toSorted())
})

test('who may approve it is named as things are: nobody of another role, nobody who never came, nobody who has left, and nobody at last', async () => {
  await a.db.query(`update operators set signed_in_at = coalesce(signed_in_at, now())`)
  assert.deepEqual(await approversOf(), ['Bala', 'Chong'])
  await a.db.query(`update operators set disabled_at = now() where name = 'Bala'`)
  assert.deepEqual(await approversOf(), ['Chong'])
  await a.db.query(`update operators set signed_in_at = null where name = 'Chong'`)
  assert.deepEqual(await approversOf(), [])
  const command = ['customer', 'set', await newCustomer(), '--monthly-cap', '600000000000']
  const alone = await a.api.cli(command, { OPERATOR_TOKEN: people.one.token })
  assert.equal(alone.code, 3, alone.stderr)
  assert.match(alone.stdout, /another operator, and nobody else may approve it now: "coin approval approve apr_/)
  const stop = await a.api.cli(['customer', 'suspend', await newCustomer()], { OPERATOR_TOKEN: people.one.token })
  assert.equal(stop.code, 0, stop.stderr)
})
