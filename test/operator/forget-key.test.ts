// engine: postgres
/** A SECRETS_KEY that is gone for good is forgotten on the machine: while nobody who may have it runs, and on the record. */
// Runbook: The secrets key is lost
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import path from 'node:path'
import { after, before, beforeEach, it } from 'node:test'
import { promisify } from 'node:util'
import type { Database } from '../../src/db/database.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { listKeysOfDatabase, requireSecretsKey } from '../../src/db/secrets-key.sql.ts'
import { forgetSecretsKey } from '../../src/operator/forget-key.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { childEnvironment } from '../support/child-environment.ts'
import { adminOf, migratedTemplate, postgresUrl, withDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'

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

const seen = async (text: string) => (await adminOf(await postgresUrl()).query(text)).rows

const loginOf = (role: string) => Object.assign(new URL(url), { username: `test_${role}`, password: 'of-nobody' }).href

const connections = () => seen(`select pid from pg_stat_activity where datname = '${name}'`)
// The server forgets a connection a moment after it was closed.
beforeEach(() => waitFor('nobody to be connected', async () => (await connections()).length === 0))

/** As the user of a process with the role `operator`. */
async function forget(key: string, env: Record<string, string> = { SECRETS_KEY: newKey.toString('hex') }) {
  const login = loginOf('operator')
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

it('a process whose address of the database calls it otherwise is one of the service, too', async () => {
  const service = await openPostgres({ url: `${loginOf('payer')}?application_name=payer-1`, poolSize: 1 })
  const [key = ''] = await listKeysOfDatabase(service)
  await assert.rejects(forget(key), /Processes of the service have 1 connection to this database/)
  await service.close()
  const nobody = await openPostgres({ url: `${url}?application_name=psql`, poolSize: 1 })
  await assert.rejects(forget(key), /is not lost: SECRETS_KEY or SECRETS_KEY_PREVIOUS is it/)
  await nobody.close()
})

it('a process that nobody asks for anything has a connection all the same', async () => {
  const service = await openPostgres({ url, poolSize: 3, idleMs: 20 })
  const [key = ''] = await listKeysOfDatabase(service)
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const busy = [1, 2, 3].map(() => service.transaction(() => isOver))
  await waitFor('all of them to be open', async () => (await connections()).length === 3)
  end()
  await Promise.all(busy)
  await waitFor('all but one to be closed', async () => (await connections()).length < 2)
  await assert.rejects(forget(key), /Processes of the service have 1 connection to this database/)
  await service.close()
})

it('no process that has the lost key starts while it is forgotten', async () => {
  const [lostBox, service] = [createSecretBox(randomBytes(32)), await openPostgres({ url, poolSize: 3 })]
  await service.query('delete from secrets_key')
  await requireSecretsKey(service, lostBox)
  const [lost = ''] = await listKeysOfDatabase(service)
  await service.close()
  await waitFor('nobody to be connected', async () => (await connections()).length === 0)
  const db = await openPostgres({ url: `${url}?application_name=forgetting`, poolSize: 1 })
  let starting: Promise<PromiseSettledResult<void>[]> | undefined
  const begun = async () => {
    if (starting !== undefined) return
    const late = await openPostgres({ url, poolSize: 1 })
    let isOver = false
    const start = async () => {
      const settled = await Promise.allSettled([requireSecretsKey(late, lostBox)])
      isOver = true
      await late.close()
      return settled
    }
    starting = start()
    await waitFor('it to have looked, or to wait', async () => {
      const waits = await seen(
        `select pid from pg_locks where not granted and database = (select oid from pg_database where datname = '${name}')`,
      )
      return isOver || waits.length > 0
    })
  }
  const slowly: Database = {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          async query(text, params) {
            if (text.startsWith('delete from secrets_key')) await begun()
            return await tx.query(text, params)
          },
        }),
      ),
  }
  await forgetSecretsKey(slowly, next, { key: lost, name: 'Aminah', reason: 'gone', origin: 'here' })
  const [started] = (await starting) ?? []
  assert.equal(started?.status, 'rejected')
  await db.close()
})
