// engine: postgres; both in test:long
/** Keys and integrations of several partners: a command affects the one it names, and no other. */
// Runbook: An API key leaked
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { recordKeyUses } from '../../src/integrations/key-uses.sql.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

const HOUR_MS = 3_600_000
const FAR = '2099-01-01T00:00:00.000Z'

let api: OperatorFixture
let one: string
let other: string
before(async () => {
  api = await startOperator()
  ;[one, other] = [await newIntegration(), await newIntegration()]
})
after(() => api.close())

const newIntegration = async (): Promise<string> =>
  (await api.call('POST', '/integrations', { name: 'Acme' })).body.integrationId

async function newKey(integrationId: string, settings: object = {}): Promise<string> {
  const { status, body } = await api.call('POST', '/keys', { integrationId, scopes: 'all', ...settings })
  assert.equal(status, 200, JSON.stringify(body))
  return body.keyId
}

type Key = {
  keyId: string
  integrationId: string
  expiresAt: string | null
  revokedAt: string | null
  scopes: string[]
}

async function keysOf(integrationId: string, query = ''): Promise<Key[]> {
  return (await api.call('GET', `/keys?integrationId=${integrationId}${query}`)).body.keys
}

async function find(integrationId: string, keyId: string): Promise<Key> {
  const key = (await keysOf(integrationId)).find((listed) => listed.keyId === keyId)
  assert.ok(key)
  return key
}

const idsOf = (keys: readonly Key[]) => keys.map(({ keyId }) => keyId)

describe('a key', () => {
  it('is listed with its own integration only, in pages', async () => {
    const mine = [await newKey(one), await newKey(one), await newKey(one)]
    const theirs = [await newKey(other)]
    assert.deepEqual(idsOf(await keysOf(one)), mine)
    assert.deepEqual(idsOf(await keysOf(other)), theirs)
    const page = (await api.call('GET', `/keys?integrationId=${one}&limit=2`)).body
    assert.deepEqual(idsOf(page.keys), mine.slice(0, 2))
    assert.equal(page.next, mine[1])
    assert.deepEqual(idsOf(await keysOf(one, `&limit=2&after=${page.next}`)), mine.slice(2))
  })

  it('is changed alone: what is named changes, the rest stays, and the audit log has both', async () => {
    const settings = { ipAllowlist: ['192.0.2.1'], rateRead: 10, rateWrite: 5, transferDayCap: '100', mintDayCap: '7' }
    const [mine, kept] = [await newKey(one, { ...settings, scopes: 'mint:read' }), await newKey(one, settings)]
    const change = { rateRead: 20, transferTxCap: '30', expires: FAR, ipAllowlist: ['10.0.0.0/8', '2001:db8::/32'] }
    assert.deepEqual((await api.call('POST', `/keys/${mine}/set`, change)).body, {
      ok: true,
      keyId: mine,
      scopes: ['mint:read'],
      ipAllowlist: ['10.0.0.0/8', '2001:db8::/32'],
      rateRead: 20,
      rateWrite: 5,
      rateBalances: null,
      transferTxCap: '30',
      transferDayCap: '100',
      mintDayCap: '7',
      expiresAt: FAR,
    })
    const { entries } = (await api.call('GET', '/audit?limit=1')).body
    assert.deepEqual(
      [entries[0].action, entries[0].target, entries[0].details],
      [
        'key.set',
        mine,
        {
          integrationId: one,
          rateRead: 20,
          rateReadBefore: 10,
          transferTxCap: '30',
          transferTxCapBefore: null,
          expiresAt: FAR,
          expiresAtBefore: null,
          ipAllowlist: ['10.0.0.0/8', '2001:db8::/32'],
          ipAllowlistBefore: ['192.0.2.1'],
        },
      ],
    )
    const rest = {
      rateBalances: 3,
      rateWrite: 6,
      transferDayCap: '90',
      mintDayCap: '8',
      expires: 'never',
      ipAllowlist: [],
    }
    const { body } = await api.call('POST', `/keys/${mine}/set`, rest)
    assert.deepEqual(
      [body.rateRead, body.rateWrite, body.rateBalances, body.transferTxCap, body.transferDayCap, body.mintDayCap],
      [20, 6, 3, '30', '90', '8'],
    )
    assert.deepEqual([body.expiresAt, body.ipAllowlist], [null, []])
    const listed = (await api.call('GET', `/keys?integrationId=${one}`)).body.keys
    const untouched = listed.find(({ keyId }: Key) => keyId === kept)
    assert.deepEqual([untouched.rateRead, untouched.ipAllowlist, untouched.expiresAt], [10, ['192.0.2.1'], null])
  })

  it('is not changed when it is revoked or expired, nor beyond the policy, nor by nothing', async () => {
    const [key, revoked] = [await newKey(one), await newKey(one)]
    await api.call('POST', `/keys/${revoked}/revoke`, {})
    const refused: [string, object, number, RegExp][] = [
      [revoked, { rateRead: 1 }, 409, /revoked or expired/],
      ['0'.repeat(16), { rateRead: 1 }, 404, /no key/],
      [key, {}, 400, /at least one thing/],
      [key, { transferTxCap: '50000.000001' }, 400, /policy's 50000/],
      [key, { expires: '2020-01-01T00:00:00Z' }, 400, /future/],
      [key, { ipAllowlist: ['10.0.0.0/99'] }, 400, /not an IP/],
      [key, { scopes: 'all' }, 400, /scopes/],
    ]
    for (const [keyId, change, status, says] of refused) {
      const answer = await api.call('POST', `/keys/${keyId}/set`, change)
      assert.equal(answer.status, status, JSON.stringify(answer.body))
      assert.match(answer.body.error.message, says)
    }
  })

  it('shows its last use: the newest, whichever process saw it', async () => {
    const [used, unused] = [await newKey(one), await newKey(one)]
    const use = (keyId: string, at: string, address: string) => ({ keyId, usedAt: new Date(at), address })
    await recordKeyUses(api.db, [use(used, '2026-03-01T00:00:00Z', '192.0.2.1'), use('f'.repeat(16), FAR, '192.0.2.9')])
    await recordKeyUses(api.db, [use(used, '2026-03-03T00:00:00Z', '192.0.2.3')])
    await recordKeyUses(api.db, [use(used, '2026-03-02T00:00:00Z', '192.0.2.2')])
    const usesOf = async (keyId: string) => {
      const listed: Record<string, unknown>[] = (await api.call('GET', `/keys?integrationId=${one}`)).body.keys
      return listed
        .filter((key) => key.keyId === keyId)
        .map(({ lastUsedAt, lastUsedFrom }) => [lastUsedAt, lastUsedFrom])
    }
    assert.deepEqual(await usesOf(used), [['2026-03-03T00:00:00.000Z', '192.0.2.3']])
    assert.deepEqual(await usesOf(unused), [[null, null]])
    // One whose clock was ahead: what it saw is no longer the newest once clocks are right.
    await recordKeyUses(api.db, [use(used, FAR, '192.0.2.8')])
    const now = new Date().toISOString()
    await recordKeyUses(api.db, [use(used, now, '192.0.2.4')])
    assert.deepEqual(await usesOf(used), [[now, '192.0.2.4']])
    assert.equal((await api.db.query('select 1 from api_key_uses where key_id = $1', ['f'.repeat(16)])).length, 0)
  })

  it('is revoked alone, and keeps the instant of its first revocation', async () => {
    const [kept, revoked, theirs] = [await newKey(one), await newKey(one), await newKey(other)]
    const { revokedAt } = (await api.call('POST', `/keys/${revoked}/revoke`, {})).body
    assert.equal((await find(one, revoked)).revokedAt, revokedAt)
    assert.deepEqual([(await find(one, kept)).revokedAt, (await find(other, theirs)).revokedAt], [null, null])
    assert.equal((await api.call('POST', `/keys/${revoked}/revoke`, {})).body.revokedAt, revokedAt)
    const { entries } = (await api.call('GET', '/audit?limit=1')).body
    assert.deepEqual([entries[0].target, entries[0].details], [revoked, { integrationId: one }])
  })

  it('is rotated alone: its successor belongs to its integration, the others expire as before', async () => {
    const [kept, old, theirs] = [await newKey(one), await newKey(other), await newKey(other)]
    const { keyId } = (await api.call('POST', `/keys/${old}/rotate`, { overlap: '1h' })).body
    assert.equal((await find(other, keyId)).integrationId, other)
    assert.notEqual((await find(other, old)).expiresAt, null)
    for (const [integrationId, untouched] of [
      [one, kept],
      [other, theirs],
      [other, keyId],
    ] as const) {
      assert.equal((await find(integrationId, untouched)).expiresAt, null, untouched)
    }
  })

  it('that is rotated without an overlap is revoked, so that no process whose clock is behind takes it any more', async () => {
    const old = await newKey(one)
    const { keyId, oldExpiresAt } = (await api.call('POST', `/keys/${old}/rotate`, { overlap: '0' })).body
    const { expiresAt, revokedAt } = await find(one, old)
    assert.deepEqual([expiresAt, revokedAt], [oldExpiresAt, oldExpiresAt])
    assert.equal((await find(one, keyId)).revokedAt, null)
  })

  it('that would expire within the overlap still does; its successor has the same end, or the one asked for', async () => {
    const soon = new Date(Date.now() + HOUR_MS).toISOString()
    const old = await newKey(one, { expires: soon })
    const rotated = (await api.call('POST', `/keys/${old}/rotate`, { overlap: '2h' })).body
    assert.deepEqual([rotated.expiresAt, rotated.oldExpiresAt], [soon, soon])
    assert.equal((await find(one, old)).expiresAt, soon)
    const { details } = (await api.call('GET', '/audit?limit=1')).body.entries[0]
    assert.deepEqual(details, { integrationId: one, newKeyId: rotated.keyId, expiresAt: soon, oldExpiresAt: soon })

    const longer = (await api.call('POST', `/keys/${rotated.keyId}/rotate`, { overlap: '30m', expires: FAR })).body
    assert.equal(longer.expiresAt, FAR)
    const overlapMs = Date.parse(longer.oldExpiresAt) - Date.now()
    assert.ok(overlapMs > 0.4 * HOUR_MS && overlapMs <= HOUR_MS / 2, `${overlapMs} ms`)
    assert.equal((await find(one, rotated.keyId)).expiresAt, longer.oldExpiresAt)
    const never = (await api.call('POST', `/keys/${longer.keyId}/rotate`, { expires: 'never' })).body
    assert.equal((await find(one, never.keyId)).expiresAt, null)
    const [entry] = (await api.call('GET', '/audit?limit=1')).body.entries
    assert.equal(entry.details.expiresAt, null)
    const days = (Date.parse(never.oldExpiresAt) - Date.now()) / HOUR_MS / 24
    assert.ok(days > 6.9 && days <= 7, 'the overlap is a week by default')
  })

  it('that is revoked, expired or of a suspended integration is not rotated', async () => {
    const [revoked, expired, alive] = [await newKey(one), await newKey(one), await newKey(one)]
    await api.call('POST', `/keys/${revoked}/revoke`, {})
    await api.db.query(`update api_keys set expires_at = now() - interval '1 second' where key_id = $1`, [expired])
    const count = (await keysOf(one)).length
    for (const keyId of [revoked, expired]) {
      const { status, body } = await api.call('POST', `/keys/${keyId}/rotate`, {})
      assert.equal(status, 409)
      assert.match(body.error.message, /revoked or expired/)
    }
    await api.call('POST', `/integrations/${one}/suspend`, {})
    const suspended = await api.call('POST', `/keys/${alive}/rotate`, {})
    assert.equal(suspended.status, 409)
    assert.match(suspended.body.error.message, /suspended/)
    await api.call('POST', `/integrations/${one}/resume`, {})
    assert.equal((await keysOf(one)).length, count)
  })

  it('has the scopes it was given and no more, and caps up to the policy', async () => {
    const keyId = await newKey(one, {
      scopes: ' mint:read , config:read',
      expires: FAR,
      rateRead: 1,
      rateWrite: 1_000_000,
      transferTxCap: '50000',
      transferDayCap: '250000',
      mintDayCap: '7.5',
    })
    const { createdAt: _, ...key } = (await find(one, keyId)) as Key & { createdAt: string }
    assert.deepEqual(key, {
      keyId,
      integrationId: one,
      environment: 'sandbox',
      scopes: ['mint:read', 'config:read'],
      ipAllowlist: [],
      rateRead: 1,
      rateWrite: 1_000_000,
      rateBalances: null,
      transferTxCap: '50000',
      transferDayCap: '250000',
      mintDayCap: '7.5',
      expiresAt: FAR,
      revokedAt: null,
      lastUsedAt: null,
      lastUsedFrom: null,
    })
    for (const [settings, says] of [
      [{ scopes: 'all,mint:read' }, /"all" is not a scope/],
      [{ scopes: '' }, /"scopes"/],
      [{ scopes: 'mint:read,' }, /"" is not a scope/],
      [{ transferDayCap: '250000.000001' }, /not be above the policy's 250000/],
      [{ expires: new Date(Date.now() - 1000).toISOString() }, /future/],
      [{ rateWrite: 1_000_001 }, /"rateWrite"/],
    ] as const) {
      const { status, body } = await api.call('POST', '/keys', { integrationId: one, scopes: 'all', ...settings })
      assert.equal(status, 400, JSON.stringify(settings))
      assert.match(body.error.message, says)
    }
  })
})

describe('an integration', () => {
  it('is suspended, resumed and changed alone', async () => {
    const states = async () => {
      const { integrations } = (await api.call('GET', '/integrations?limit=500')).body
      return Object.fromEntries(
        integrations.map((listed: { integrationId: string; status: string; dpaSignedOn: string | null }) => [
          listed.integrationId,
          `${listed.status} ${listed.dpaSignedOn}`,
        ]),
      )
    }
    await api.call('POST', `/integrations/${other}/suspend`, {})
    await api.call('POST', `/integrations/${one}/set`, { dpaSignedOn: '2026-01-31' })
    assert.deepEqual(await states(), { [one]: 'active 2026-01-31', [other]: 'suspended null' })
    await api.call('POST', `/integrations/${other}/resume`, {})
    await api.call('POST', `/integrations/${one}/set`, { dpaSignedOn: null })
    assert.deepEqual(await states(), { [one]: 'active null', [other]: 'active null' })
    const { entries } = (await api.call('GET', '/audit?limit=4')).body
    assert.deepEqual(
      entries.map(({ action, target }: { action: string; target: string }) => [action, target]),
      [
        ['integration.set', one],
        ['integration.resume', other],
        ['integration.set', one],
        ['integration.suspend', other],
      ],
    )
  })

  it('is listed in pages, oldest first', async () => {
    const first = (await api.call('GET', '/integrations?limit=1')).body
    assert.deepEqual([first.integrations[0].integrationId, first.next], [one, one])
    const second = (await api.call('GET', `/integrations?limit=1&after=${first.next}`)).body
    assert.equal(second.integrations[0].integrationId, other)
    assert.equal((await api.call('GET', '/integrations?limit=3')).body.next, null)
  })

  it('has a name that can be read', async () => {
    for (const name of [' ', 'a\u0000b', 'a\u202Eb', 'x'.repeat(201), '']) {
      assert.equal((await api.call('POST', '/integrations', { name })).status, 400, JSON.stringify(name))
    }
    assert.equal((await api.call('POST', '/integrations', { name: 'x'.repeat(200) })).status, 200)
  })
})
