// engine: postgres
/** A token that somebody else has seen, because they asked for it, opens in live no more than a look until its person has replaced it. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'
import { emptyDatabase } from './world.ts'

let db: TestDatabase
let live: OperatorFixture
before(async () => {
  db = await createTestDatabase()
  live = await startOperator({ db, environment: 'live' })
})
beforeEach(() => emptyDatabase(db))
after(async () => {
  await live.close()
  await db.close()
})

const calledWith = (token: string) => (method: 'GET' | 'POST', path: string, body?: unknown) =>
  live.call(method, path, body, { authorization: `Bearer ${token}` })

/** Somebody let in by `by`, and what calls with the token that was shown then. */
async function letIn(role: string, name: string, by = live.call) {
  const { operatorId, token } = (await by('POST', '/operators', { name, role })).body
  const first = calledWith(token)
  const replace = async () =>
    calledWith((await first('POST', `/operators/${operatorId}/rotate`, {})).body.token as string)
  return { operatorId, first, replace }
}

const SEEN = (by: string) => new RegExp(`^${by} has seen this token of Chong, .*operator rotate opr_`)

describe('the token that "coin operator add" has shown', () => {
  it('looks, but changes nothing and decides about nothing', async () => {
    const { operatorId, first } = await letIn('onboarding', 'Chong')
    const me = { ok: true, operatorId, name: 'Chong', role: 'onboarding' }
    assert.deepEqual((await first('GET', '/whoami')).body, me)
    assert.equal((await first('GET', '/integrations')).status, 200)
    const tried = [
      await first('POST', '/integrations', { name: 'Acme' }),
      await first('GET', '/customers'),
      await first('POST', '/approvals/apr_0123456789abcdef/approve', {}),
    ]
    for (const { status, body } of tried) {
      assert.equal(status, 403)
      assert.match(body.error.message, SEEN('operator'))
    }
    const { status, body } = await first('POST', '/screening/allow', {})
    assert.deepEqual([status, /Chong is viewer/.test(body.error.message)], [403, true])
  })

  it('opens what the role may once the person has replaced it, which the audit log says', async () => {
    const { operatorId, first, replace } = await letIn('onboarding', 'Chong')
    const own = await replace()
    assert.equal((await own('POST', '/integrations', { name: 'Acme' })).status, 200)
    assert.equal((await first('GET', '/whoami')).status, 401)
    const { entries } = (await own('GET', `/audit?target=${operatorId}`)).body
    const seen = entries.map(({ action, actor }: { action: string; actor: string }) => [action, actor])
    assert.deepEqual(seen[0], ['operator.rotate', 'Chong'])
  })

  it('again, when an admin has replaced it for the person', async () => {
    const chong = await letIn('onboarding', 'Chong')
    await chong.replace()
    const admin = await (await letIn('admin', 'Aminah')).replace()
    const given = (await admin('POST', `/operators/${chong.operatorId}/rotate`, {})).body.token
    const { status, body } = await calledWith(given)('POST', '/integrations', { name: 'Acme' })
    assert.equal(status, 403)
    assert.match(body.error.message, SEEN('Aminah'))
  })

  it('of an admin replaces nobody else, and signs nobody out', async () => {
    const chong = await letIn('admin', 'Chong')
    const other = await letIn('viewer', 'Bala')
    for (const verb of ['rotate', 'sign-out', 'disable']) {
      assert.equal((await chong.first('POST', `/operators/${other.operatorId}/${verb}`, {})).status, 403, verb)
    }
  })

  it('works as it is in a sandbox', async () => {
    const sandbox = await startOperator({ db })
    const { call } = await sandbox.person('onboarding')
    assert.equal((await call('POST', '/integrations', { name: 'Acme' })).status, 200)
    await sandbox.close()
  })
})
