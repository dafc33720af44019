// engine: postgres
/** All admins have lost their tokens: whoever has the machine makes a new one, and it is on the record. */
// Runbook: All admins have lost their tokens
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { migrate } from '../../src/db/migrate.ts'
import { openPglite } from '../../src/db/pglite.ts'
import { breakGlass } from '../../src/operator/break-glass.ts'
import { whoRuns } from '../../src/operator/cli/who-runs.ts'
import { childEnvironment } from '../support/child-environment.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

const PROGRAM = path.join(import.meta.dirname, '../../src/operator/cli/break-glass.ts')
const logger = pino({ level: 'silent' })
let db: TestDatabase
let api: OperatorFixture
let fourEyes: OperatorFixture | undefined
before(async () => {
  db = await createTestDatabase()
  api = await startOperator({ db, environment: 'live' })
})
after(async () => {
  await api.close()
  await fourEyes?.close()
  await db.close()
})

it('the new admin is let in where OPERATOR_TOKEN no longer is, and the line says who was where', async () => {
  for (const name of ['Aminah', 'Bala']) await (await api.person('admin', name)).call('GET', '/whoami')
  assert.equal((await api.call('GET', '/whoami')).status, 401, 'the shared token is over')
  const { operatorId, token } = await breakGlass(db, { name: 'Chong', reason: 'a fire', origin: 'root@host' })
  const { status, body } = await api.call('GET', '/whoami', undefined, { authorization: `Bearer ${token}` })
  assert.deepEqual([status, body.name, body.role], [200, 'Chong', 'admin'])
  const [line] = await db.query<Record<string, unknown>>(
    'select actor, origin, action, details, after from audit_log where target = $1 order by audit_id',
    [operatorId],
  )
  assert.deepEqual(line, {
    actor: 'service',
    origin: 'root@host',
    action: 'operator.break-glass',
    details: { name: 'Chong', reason: 'a fire', emergencyOf: null },
    after: { name: 'Chong', role: 'admin' },
  })
  for (const given of [
    { name: 'service', reason: 'x' },
    { name: 'Dewi', reason: ' ' },
  ]) {
    await assert.rejects(breakGlass(db, { ...given, origin: '' }), /reserved|Say why/)
  }
  assert.equal((await db.query('select from operators')).length, 3)
})

it('somebody who was known before stays one person, who does not approve their own requests; anybody else may', async () => {
  const beginning = await startOperator({ db })
  const person = async (name: string) => {
    const { operatorId, call } = await beginning.person('admin', name)
    return (await call('POST', `/operators/${operatorId}/rotate`, {})).body as { token: string }
  }
  const [dewi, eng] = [await person('Dewi'), await person('Eng')]
  await beginning.close()
  const waits = await startOperator({ db, environment: 'live', fourEyes: true })
  fourEyes = waits
  const as = (token: string) => (method: 'GET' | 'POST', target: string, body?: unknown) =>
    waits.call(method, target, body, { authorization: `Bearer ${token}` })
  const made = await breakGlass(db, { name: 'ｄewi', reason: 'a fire', origin: 'root@host' })
  const again = await breakGlass(db, { name: made.name, reason: 'a fire', origin: 'root@host' })
  assert.match(made.name, /^Dewi \(break-glass [0-9a-f]{6}\)$/)
  const ask = async (token: string, name: string): Promise<string> => {
    const { body } = await as(token)('POST', '/operators', { name, role: 'viewer' })
    assert.equal(body.status, 'waiting', JSON.stringify(body))
    return body.approvalId
  }
  const approve = async (token: string, approvalId: string) =>
    (await as(token)('POST', `/approvals/${approvalId}/approve`, {})).status
  const [byNew, byOld] = [await ask(made.token, 'Farid'), await ask(dewi.token, 'Gita')]
  for (const [token, approvalId] of [
    [dewi.token, byNew],
    [again.token, byNew],
    [made.token, byOld],
  ] as const) {
    assert.equal(await approve(token, approvalId), 409)
  }
  for (const approvalId of [byNew, byOld]) assert.equal(await approve(eng.token, approvalId), 200)
})

it('is a program on the machine, with the service’s settings, while the service is stopped or beside it', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'break-glass-'))
  const run = () =>
    promisify(execFile)(process.execPath, [PROGRAM, '--name', 'Aminah', '--reason', 'a fire'], {
      env: { ...childEnvironment(), DATA_DIR: dataDir },
    })
  // Without a database there it makes none: whoever forgot the settings would have an admin of nothing.
  await assert.rejects(run(), /There is no sandbox database in .*settings of the service/)
  assert.deepEqual(await readdir(dataDir), [])
  const open = () => openPglite({ dataDir: path.join(dataDir, 'database'), logger })
  const service = await open()
  await migrate(service, { logger })
  await assert.rejects(run(), /in use|another process/i)
  await service.close()
  const { stdout } = await run()
  assert.equal(JSON.parse(stdout).environment, 'sandbox')
  assert.match(JSON.parse(stdout).token, /^coin_operator_[0-9a-f]{16}_[0-9A-Za-z]{43}$/)
  const again = await open()
  const lines = await again.query<{ origin: string }>(
    `select origin from audit_log where action = 'operator.break-glass'`,
  )
  assert.match(lines[0]?.origin ?? '', /.+@.+/)
  await again.close()
  await rm(dataDir, { recursive: true })
})

it('also in a container whose user has a number and no name', () => {
  const nameless = () => {
    throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT')
  }
  assert.equal(whoRuns(nameless), `uid ${process.getuid?.() ?? 'unknown'}@${hostname()}`)
  assert.match(whoRuns(), /^[^ ]+@/)
})
