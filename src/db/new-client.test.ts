/** What is known of the files that DATABASE_URL names, while they are replaced. */
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/temp.ts'
import { DatabaseUnsuitableError } from './database.ts'
import { createClientMaker } from './new-client.ts'

test('each connection has the certificates of now, and while a file is away those of before', () => {
  const ca = path.join(temporaryFolder('certificates'), 'ca.crt')
  const connectionString = `postgres://me:a%2Fb@db.example:6543/x?sslmode=verify-full&sslrootcert=${ca}&keepalives=1`
  writeFileSync(ca, 'one')
  const makeClient = createClientMaker({ connectionString, application_name: 'coin' })
  const made = () => {
    const { ssl, host, port, database, password } = makeClient()
    return { ...(ssl as unknown as object), host, port, database, password }
  }
  const where = { host: 'db.example', port: 6543, database: 'x', password: 'a/b' }
  assert.deepEqual(made(), { ca: 'one', ...where })
  writeFileSync(ca, 'two')
  assert.deepEqual(made(), { ca: 'two', ...where })
  rmSync(ca)
  for (let n = 0; n < 2; n += 1) assert.deepEqual(made(), { ca: 'two', ...where })
  writeFileSync(ca, 'three')
  assert.deepEqual(made(), { ca: 'three', ...where })
})

test('a file that is not there at first is named', () => {
  const connectionString = 'postgres://me:hunter2@db.example/x?sslmode=verify-full&sslrootcert=/nowhere/ca.crt'
  assert.throws(
    () => createClientMaker({ connectionString }),
    (error) =>
      error instanceof DatabaseUnsuitableError &&
      error.message === 'DATABASE_URL names /nowhere/ca.crt, which cannot be read: ENOENT.',
  )
})
