import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import type { Database } from '../../src/db/database.ts'
import { claimEnvironment, requireEnvironment } from '../../src/db/environment.sql.ts'
import { forgetKey, listKeysOfDatabase, requireSecretsKey, SEALED_KEY } from '../../src/db/secrets-key.sql.ts'
import { resealStep } from '../../src/secrets/resealing.ts'
import { createSecretBox, type SecretBox } from '../../src/secrets/secrets.ts'
import { createTestDatabase } from '../support/database.ts'

const databases: Database[] = []
async function newDatabase(): Promise<Database> {
  const db = await createTestDatabase()
  databases.push(db)
  return db
}
let sandbox: Database
let live: Database
before(async () => {
  sandbox = await newDatabase()
  live = await newDatabase()
})
after(() => Promise.all(databases.map((db) => db.close())))

it('a database belongs to the environment that first used it, for ever', async () => {
  await claimEnvironment(sandbox, 'sandbox')
  await claimEnvironment(live, 'live')
  await assert.rejects(claimEnvironment(sandbox, 'live'), {
    name: 'DatabaseUnsuitableError',
    message: 'This database belongs to a sandbox, and COIN_ENVIRONMENT=live: name another one with DATABASE_URL.',
  })
  await assert.rejects(claimEnvironment(live, 'sandbox'), {
    name: 'DatabaseUnsuitableError',
    message:
      'This database belongs to a live service, and COIN_ENVIRONMENT=sandbox: name another one with DATABASE_URL or DATA_DIR.',
  })
  await claimEnvironment(sandbox, 'sandbox')
  await claimEnvironment(live, 'live')
})

it('of two services that start together on a new one, one decides', async () => {
  const db = await newDatabase()
  await assert.rejects(requireEnvironment(db, 'sandbox'), /belongs to no environment yet: run `npm run migrate`/)
  const started = await Promise.allSettled([claimEnvironment(db, 'live'), claimEnvironment(db, 'sandbox')])
  assert.deepEqual(started.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

it('a database belongs to the secrets key that came first, also beside the one that replaces it, until it is sealed anew', async () => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
  const [old, both, fresh] = [
    createSecretBox(oldKey),
    createSecretBox(newKey, oldKey),
    createSecretBox(newKey),
  ] as const
  const refused = { name: 'DatabaseUnsuitableError', message: /^SECRETS_KEY is not the key .* SECRETS_KEY_PREVIOUS/ }
  for (const secrets of [old, old, both]) await requireSecretsKey(sandbox, secrets)
  for (const secrets of [fresh, createSecretBox(randomBytes(32), randomBytes(32))])
    await assert.rejects(requireSecretsKey(sandbox, secrets), refused)
  const reseal = () => sandbox.transaction((tx) => resealStep(tx, both, [SEALED_KEY], { from: null, limit: 200 }))
  assert.deepEqual([(await reseal()).resealed, (await reseal()).resealed], [1, 0])
  for (const secrets of [both, fresh]) await requireSecretsKey(sandbox, secrets)
  await assert.rejects(requireSecretsKey(sandbox, old), refused)
})

it('of two new keys the first that comes replaces the one before, until it is sealed back', async () => {
  const db = await newDatabase()
  const [oldKey, newKey, typo] = [randomBytes(32), randomBytes(32), randomBytes(32)]
  const old = createSecretBox(oldKey)
  await requireSecretsKey(db, old)
  const [right, wrong] = [createSecretBox(newKey, oldKey), createSecretBox(typo, oldKey)]
  const another = {
    name: 'DatabaseUnsuitableError',
    message: /^Another SECRETS_KEY than this one is replacing the key/,
  }
  const started = await Promise.allSettled([wrong, wrong, right].map((secrets) => requireSecretsKey(db, secrets)))
  assert.ok(started.some(({ status }) => status === 'fulfilled'))
  assert.ok(started.some(({ status }) => status === 'rejected'))
  // Whoever has neither key forgets it: the one of the database stays.
  const [, planted = ''] = await listKeysOfDatabase(db)
  assert.equal(await db.transaction((tx) => forgetKey(tx, old, planted)), undefined)
  for (const secrets of [wrong, wrong, old]) await requireSecretsKey(db, secrets)
  await assert.rejects(requireSecretsKey(db, right), another)
  const reseal = (secrets: SecretBox) =>
    db.transaction((tx) => resealStep(tx, secrets, [SEALED_KEY], { from: null, limit: 200 }))
  const back = createSecretBox(oldKey, typo)
  await requireSecretsKey(db, back)
  assert.deepEqual([(await reseal(back)).resealed, (await reseal(back)).resealed], [1, 0])
  for (const secrets of [right, right, old]) await requireSecretsKey(db, secrets)
  await assert.rejects(requireSecretsKey(db, wrong), another)
  await assert.rejects(requireSecretsKey(db, createSecretBox(newKey)), /^DatabaseUnsuitableError: SECRETS_KEY is not/)
  assert.equal((await reseal(right)).resealed, 1)
  for (const secrets of [right, createSecretBox(newKey)]) await requireSecretsKey(db, secrets)
})

it('a database whose secrets key is gone for good takes another one once it is forgotten', async () => {
  const db = await newDatabase()
  const [lost, next] = [createSecretBox(randomBytes(32)), createSecretBox(randomBytes(32))]
  const forget = (secrets: SecretBox, key: string) => db.transaction((tx) => forgetKey(tx, secrets, key))
  await requireSecretsKey(db, lost)
  const [key = ''] = await listKeysOfDatabase(db)
  await assert.rejects(requireSecretsKey(db, next), new RegExp(`database is sealed \\(${key}\\)`))
  assert.deepEqual([await forget(lost, key), await forget(next, 'feedfeedfeedfeed')], ['opens', 'unknown'])
  assert.deepEqual(await listKeysOfDatabase(db), [key])
  assert.equal(await forget(next, key), undefined)
  await requireSecretsKey(db, next)
  await assert.rejects(requireSecretsKey(db, lost), { name: 'DatabaseUnsuitableError' })
})

it('a key that is lost while another replaces it leaves the database to that one', async () => {
  const db = await newDatabase()
  const [lostKey, nextKey] = [randomBytes(32), randomBytes(32)]
  for (const secrets of [createSecretBox(lostKey), createSecretBox(nextKey, lostKey)])
    await requireSecretsKey(db, secrets)
  const [lost = '', next = ''] = await listKeysOfDatabase(db)
  await assert.rejects(requireSecretsKey(db, createSecretBox(nextKey)), { name: 'DatabaseUnsuitableError' })
  assert.equal(await db.transaction((tx) => forgetKey(tx, createSecretBox(nextKey), lost)), undefined)
  assert.deepEqual(await listKeysOfDatabase(db), [next])
  await requireSecretsKey(db, createSecretBox(nextKey))
})

it('rows that a thief has written under the name of the true key, or of none, are forgotten with the true key', async () => {
  const db = await newDatabase()
  const key = randomBytes(32)
  const own = createSecretBox(key)
  await requireSecretsKey(db, own)
  const [id = ''] = await listKeysOfDatabase(db)
  for (const [sealed, named] of [
    [`sb1.${id}.AAAA`, id],
    ['sb1.\nstart with no key', 'malformed'],
  ] as const) {
    await db.query('update secrets_key set sealed = $1', [sealed])
    await assert.rejects(requireSecretsKey(db, own), new RegExp(`database is sealed \\(${named}\\)`))
    assert.equal(await db.transaction((tx) => forgetKey(tx, own, named)), undefined)
    await requireSecretsKey(db, own)
  }
})

it('of two processes that start together with different keys, one decides', async () => {
  const boxes = [createSecretBox(randomBytes(32)), createSecretBox(randomBytes(32))]
  const started = await Promise.allSettled(boxes.map((secrets) => requireSecretsKey(live, secrets)))
  assert.deepEqual(started.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})
