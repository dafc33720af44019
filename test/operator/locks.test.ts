// engine: postgres
/** Who is about to change a row holds it: what another operator, or a sign-in, changes meanwhile is not written over. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { lockKey } from '../../src/integrations/api-keys.sql.ts'
import { lockAdmins } from '../../src/operators/operators.sql.ts'
import { lockProvided } from '../../src/operators/provided.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { KEYS, seedTwoOfEverything } from '../support/two-of-everything.ts'

const opr = (digit: string) => `opr_${digit.repeat(16)}`

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  await seedTwoOfEverything(db)
  const operators = [
    `('${opr('1')}', 'one', 'admin', 'idp', 's1', null)`,
    `('${opr('2')}', 'two', 'admin', 'idp', 's2', null)`,
    `('${opr('3')}', 'three', 'admin', 'idp', 's3', now())`,
    `('${opr('4')}', 'four', 'treasury', 'other', 's1', null)`,
  ]
  await db.query(
    `insert into operators (operator_id, name, role, issuer, subject, disabled_at) values ${operators.join(', ')}`,
  )
})
after(() => db.close())

/** Of rows, those that nobody else can change while a transaction has done `work` and not ended. */
async function heldBy(work: (tx: Queryable) => Promise<unknown>, table: string, key: string): Promise<string[]> {
  return await db.transaction(async (tx) => {
    await work(tx)
    const rows = await db.query<{ key: string }>(`select ${key} as key from ${table} order by 1`)
    const free = await db.query<{ key: string }>(`select ${key} as key from ${table} for no key update skip locked`)
    return rows.map((row) => row.key).filter((each) => !free.some((row) => row.key === each))
  })
}

test('a key is held alone', async () => {
  assert.deepEqual(await heldBy((tx) => lockKey(tx, KEYS.a1), 'api_keys', 'key_id'), [KEYS.a1])
  assert.deepEqual(await heldBy((tx) => lockKey(tx, 'nobody'), 'api_keys', 'key_id'), [])
})

test('of two admins who leave at once the second waits for the first, and one who signs in for both', async () => {
  assert.deepEqual(await heldBy(lockAdmins, 'operators', 'operator_id'), [opr('1'), opr('2')])
  const signIn = (issuer: string, subject: string) => (tx: Queryable) => lockProvided(tx, { issuer, subject })
  assert.deepEqual(await heldBy(signIn('idp', 's1'), 'operators', 'operator_id'), [opr('1')])
  assert.deepEqual(await heldBy(signIn('idp', 's4'), 'operators', 'operator_id'), [])
})
