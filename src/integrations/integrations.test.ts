import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { generateApiKey, type Scope } from './api-key.ts'
import { expireKey, findKey, insertKey, listKeys, revokeKey } from './api-keys.sql.ts'
import {
  createIntegration,
  findIntegration,
  type Integration,
  listIntegrations,
  resumeIntegration,
  setIntegrationDpa,
  suspendIntegration,
} from './integrations.sql.ts'

let db: TestDatabase
let ours: Integration
let theirs: Integration
let keys: string[]
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

/** Two integrations of one name, each with three keys, made in turn and, in each pair, at the same instant. */
beforeEach(async () => {
  await db.query('delete from api_keys')
  await db.query('delete from integrations')
  ours = await createIntegration(db, { name: 'Same name' })
  theirs = await createIntegration(db, { name: 'Same name' })
  keys = []
  for (const { integrationId } of [theirs, ours, theirs, ours, theirs, ours]) {
    const { keyId, secretSha256 } = generateApiKey('sandbox')
    const none = {
      rates: { read: null, write: null, balances: null },
      transferTxCapMicro: null,
      transferDayCapMicro: null,
      mintDayCapMicro: null,
    }
    const scopes: Scope[] = [integrationId === ours.integrationId ? 'mint:read' : 'redeem:read']
    await insertKey(db, {
      integrationId,
      environment: 'sandbox',
      keyId,
      secretSha256,
      scopes,
      ipAllowlist: [],
      expiresAt: null,
      ...none,
    })
    keys.push(keyId)
  }
  await db.query(`update api_keys set created_at = '2026-01-01T00:00:00Z'`)
})

const ownKeys = () => keys.filter((_, place) => place % 2 === 1)
const all = { after: undefined, limit: 100 }

describe('keys', () => {
  it('are found by their id, with what their integration says', async () => {
    await setIntegrationDpa(db, ours.integrationId, '2026-02-03')
    for (const [place, keyId] of keys.entries()) {
      const key = await findKey(db, keyId)
      const owner = place % 2 === 1 ? ours : theirs
      const agreement = place % 2 === 1 ? '2026-02-03' : null
      assert.deepEqual([key?.keyId, key?.integrationId, key?.dpaSignedOn], [keyId, owner.integrationId, agreement])
      assert.deepEqual([...(key?.scopes ?? [])], [place % 2 === 1 ? 'mint:read' : 'redeem:read'])
    }
    assert.equal(await findKey(db, '0'.repeat(16)), undefined)
  })

  it('are listed by integration in pages that neither repeat nor miss any, even of the same instant', async () => {
    const seen: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await listKeys(db, ours.integrationId, { after, limit: 1 })
      if (page.length === 0) break
      assert.equal(page.length, 1)
      after = page[0]?.keyId
      seen.push(...page.map(({ keyId }) => keyId))
      assert.ok(seen.length <= 3)
    }
    assert.deepEqual(seen, ownKeys().toSorted())
    await db.query(`update api_keys set created_at = '2025-01-01T00:00:00Z' where key_id = $1`, [seen.at(-1) ?? ''])
    const listed = (await listKeys(db, ours.integrationId, all)).map(({ keyId }) => keyId)
    assert.deepEqual(listed, [seen.at(-1), ...seen.slice(0, -1)])
  })

  it('are revoked one at a time, once and for all', async () => {
    const [keyId = ''] = ownKeys()
    assert.equal(await revokeKey(db, keyId), true)
    const first = (await findKey(db, keyId))?.revokedAt
    assert.ok(first instanceof Date)
    assert.equal(await revokeKey(db, keyId), true)
    assert.deepEqual((await findKey(db, keyId))?.revokedAt, first)
    for (const other of keys.filter((one) => one !== keyId)) assert.equal((await findKey(db, other))?.revokedAt, null)
    assert.equal(await revokeKey(db, '0'.repeat(16)), false)
  })

  it('expire one at a time, and never later than they would have', async () => {
    const [keyId = ''] = ownKeys()
    const [early, late] = [new Date('2030-01-01T00:00:00Z'), new Date('2031-01-01T00:00:00Z')]
    assert.equal(await expireKey(db, keyId, early), true)
    assert.equal(await expireKey(db, keyId, late), true)
    assert.deepEqual((await findKey(db, keyId))?.expiresAt, early)
    for (const other of keys.filter((one) => one !== keyId)) assert.equal((await findKey(db, other))?.expiresAt, null)
    assert.equal(await expireKey(db, '0'.repeat(16), early), false)
  })
})

describe('integrations', () => {
  it('are changed one at a time, although they have one name', async () => {
    assert.equal((await suspendIntegration(db, ours.integrationId))?.status, 'suspended')
    assert.equal((await setIntegrationDpa(db, ours.integrationId, '2026-02-03'))?.dpaSignedOn, '2026-02-03')
    assert.deepEqual(await findIntegration(db, theirs.integrationId), theirs)
    assert.deepEqual(await findIntegration(db, ours.integrationId), {
      ...ours,
      status: 'suspended',
      dpaSignedOn: '2026-02-03',
    })
    for (const [place, keyId] of keys.entries()) {
      assert.equal((await findKey(db, keyId))?.integrationStatus, place % 2 === 1 ? 'suspended' : 'active')
    }
    await resumeIntegration(db, ours.integrationId)
    await setIntegrationDpa(db, ours.integrationId, null)
    assert.deepEqual(await findIntegration(db, ours.integrationId), ours)
    for (const change of [suspendIntegration, resumeIntegration, findIntegration]) {
      assert.equal(await change(db, 'int_none'), undefined)
    }
    assert.equal(await setIntegrationDpa(db, 'int_none', null), undefined)
  })

  it('are listed in pages that neither repeat nor miss any, even of the same instant', async () => {
    await createIntegration(db, { name: 'Same name' })
    await db.query(`update integrations set created_at = '2026-01-01T00:00:00Z'`)
    const ids: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await listIntegrations(db, { after, limit: 1 })
      if (page.length === 0) break
      after = page[0]?.integrationId
      ids.push(...page.map(({ integrationId }) => integrationId))
      assert.ok(ids.length <= 3)
    }
    assert.deepEqual([ids.length, ids], [3, ids.toSorted()])
    await db.query(`update integrations set created_at = '2025-01-01T00:00:00Z' where integration_id = $1`, [
      ids.at(-1) ?? '',
    ])
    const listed = (await listIntegrations(db, all)).map(({ integrationId }) => integrationId)
    assert.deepEqual(listed, [ids.at(-1), ...ids.slice(0, -1)])
  })
})
