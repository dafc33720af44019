// engine: postgres
/** A SECRETS_KEY that is gone for good is forgotten on the machine: while nobody who may have it runs, and on the record. */
// Runbook: The secrets key is lost
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { promisify } from 'node:util'
import { openPostgres } from '../../src/db/postgres.ts'
import { listKeysOfDatabase, requireSecretsKey } from '../../src/db/secrets-key.sql.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { childEnvironment } from '../support/child-environment.ts'
import { adminOf, migratedTemplate, postgresUrl, withDatabase } from '../support/database.ts'

const PROGRAM = path.join(import.meta.dirname, '../../src/operator/cli/forget-secrets-key.ts')
const name = `test_${process.pid}_${randomUUID().slice(0, 8)}`
const newKey = randomBytes(32)
const next = createSecretBox(newKey)
let url: string
before(async () => {
  const server = await postgresUrl()
  const template = await migratedTemplate(server)
  await adminOf(server).query(`create database ${name} template ${template} strategy file_copy`)
  url = withDatabase(server, name)
})
after(async () => void (await adminOf(await postgresUrl()).query(`drop database if exists ${name} with (force)`)))

/** As the user of a process with the role `operator`. */
async function forget(key: string, env: Record<string, string> = { SECRETS_KEY: newKey.toString('hex') }) {
  const login = Object.assign(new URL(url), { username: 'test_operator', password: 'of-nobody' }).href
  const given = ['--key', key, '--name', 'Aminah', '--reason', 'the vault burnt down']
  return await promisify(execFile)(process.execPath, [PROGRAM, ...given], {
    env: { ...childEnvironment(), DATABASE_URL: login, ...env },
  })
}

it('with the login of an operator process, once no process runs', async () => {
  const service = await openPostgres({ url, poolSize: 1 })
  await requireSecretsKey(service, createSecretBox(randomBytes(32)))
  const [lost = ''] = await listKeysOfDatabase(service)
  await assert.rejects(forget(lost), /Processes of the service have 1 connection to this database.*stop all of them/s)
  await assert.rejects(forget(lost, {}), /Set SECRETS_KEY: the key with which the service goes on/)
  assert.deepEqual(await listKeysOfDatabase(service), [lost])
  await service.close()
  await assert.rejects(forget('feedfeedfeedfeed'), new RegExp(`feed is no key of this database. It has ${lost}\\.`))
  const said = JSON.parse((await forget(lost)).stdout)
  assert.deepEqual([said.forgotten, said.keys.length], [lost, 1])
  await assert.rejects(forget(said.keys[0]), /is not lost: SECRETS_KEY or SECRETS_KEY_PREVIOUS is it/)
  const again = await openPostgres({ url, poolSize: 1 })
  await requireSecretsKey(again, next)
  const lines = await again.query('select actor, action, target, details from audit_log')
  assert.deepEqual(lines, [
    {
      actor: 'service',
      action: 'secrets.forget',
      target: lost,
      details: { name: 'Aminah', reason: 'the vault burnt down', keys: said.keys },
    },
  ])
  await again.close()
})
