// engine: pglite
/** The operator API over HTTP: who may call it, what it refuses, what it leaves in the audit log. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { dayOfPaper } from '../../src/integrations/agreement.ts'
import { OPERATOR_ROLES, type OperatorRole } from '../../src/operators/roles.ts'
import { waitFor } from '../support/wait-for.ts'
import { type OperatorFixture, startOperator, TOKEN } from './fixture.ts'

let api: OperatorFixture
before(async () => {
  api = await startOperator()
})
after(() => api.close())

const newIntegration = async (name = 'Acme'): Promise<string> =>
  (await api.call('POST', '/integrations', { name })).body.integrationId

const CUSTOMER = { type: 'RETAIL', status: 'VERIFIED', level: 'TIER_2', country: 'MY' }
const BANK = { bankBic: 'MBBEMYKL', bankAccount: '514012345678', bankName: 'Aminah binti Ali' }

async function newCustomer(changes: object = {}): Promise<string> {
  const { body } = await api.call('POST', '/customers', {
    integrationId: await newIntegration(),
    ...CUSTOMER,
    ...changes,
  })
  assert.equal(body.ok, true, JSON.stringify(body))
  return body.customerId
}

describe('access', () => {
  it('asks for the token on every path, even unknown ones', async () => {
    for (const authorization of ['', 'Bearer', 'Bearer wrong', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN]) {
      for (const target of ['/integrations', '/audit', '/orders', '/nothing', '/chains']) {
        const { status, body, headers } = await api.call('GET', target, undefined, { authorization })
        assert.equal(status, 401, `${target} with "${authorization}"`)
        assert.equal(body.ok, false)
        assert.equal(body.error.code, 'UNAUTHORIZED')
        assert.equal(headers.get('www-authenticate'), 'Bearer')
      }
    }
    assert.equal((await api.call('POST', '/integrations', { name: 'x' }, { authorization: 'Bearer no' })).status, 401)
  })

  it('answers probes and metrics without it, and reveals no business data there', async () => {
    for (const target of ['/livez', '/readyz', '/metrics']) assert.equal((await fetch(api.url + target)).status, 200)
    const ready = await (await fetch(`${api.url}/readyz`)).json()
    assert.deepEqual(ready, { ok: true, database: true, chains: [{ chainId: 31_337, readable: true }] })
  })

  it('is not ready when the settler of this process has stopped, but is when a chain is away', async () => {
    const other = await startOperator({ settlerRunning: () => false })
    try {
      const response = await fetch(`${other.url}/readyz`)
      assert.equal(response.status, 503)
      assert.deepEqual(((await response.json()) as { settler: unknown }).settler, { running: false })
    } finally {
      await other.close()
    }
    api.chain.readable = false
    // What the chain said to whoever asked before is said for a second.
    const chains = await waitFor('the chain to be away', async () => {
      const response = await fetch(`${api.url}/readyz`)
      assert.equal(response.status, 200)
      const told = (await response.json()) as { chains: { chainId: number; readable: boolean }[] }
      return told.chains.every(({ readable }) => !readable) && told.chains
    })
    api.chain.readable = true
    assert.deepEqual(chains, [{ chainId: 31_337, readable: false }])
  })
})

/** The day in Malaysia, so many days from now. */
const paperDay = (days: number) => dayOfPaper(Date.now() + days * 86_400_000)

describe('bodies', () => {
  it('answers malformed requests in the envelope', async () => {
    const cases: [body: unknown, headers: Record<string, string>, status: number][] = [
      ['{', {}, 400],
      ['[]', {}, 400],
      ['null', {}, 400],
      ['', {}, 400],
      ['name=x', { 'content-type': 'text/plain' }, 400],
      [{ name: 'x'.repeat(70_000) }, {}, 413],
    ]
    for (const [body, headers, status] of cases) {
      const answer = await api.call('POST', '/integrations', body, headers)
      assert.equal(answer.status, status, JSON.stringify(body).slice(0, 50))
      assert.equal(answer.body.ok, false)
      assert.equal(typeof answer.body.error.message, 'string')
    }
    assert.equal((await api.call('GET', '/orders/%ZZ/x')).status, 400)
    assert.equal((await api.call('GET', `/integrations/${'i'.repeat(400)}`)).body.ok, false)
  })

  it('names what is missing, unknown or wrong', async () => {
    const integrationId = await newIntegration()
    const cases: [target: string, body: object, says: RegExp][] = [
      ['/integrations', {}, /"name" is required/],
      ['/integrations', { name: '   ' }, /printable/],
      ['/integrations', { name: 'x', nmae: 'y' }, /"nmae" is not known/],
      [`/integrations/${integrationId}/set`, { dpaSignedOn: '2026-02-30' }, /"dpaSignedOn" must be a day/],
      [`/integrations/${integrationId}/set`, { dpaSignedOn: '0000-01-01' }, /"dpaSignedOn" must be a day/],
      [
        `/integrations/${integrationId}/set`,
        { dpaSignedOn: paperDay(1) },
        /is in the future: today is \d.* in Malaysia/,
      ],
      ['/keys', { integrationId, scopes: 'mint:create,mint:destroy' }, /"mint:destroy" is not a scope.*config:read/],
      [
        '/keys',
        { integrationId, scopes: 'all', ipAllowlist: ['10.0.0.1', '10.0.0.0/99'] },
        /"10.0.0.0\/99" is not an IP/,
      ],
      ['/keys', { integrationId, scopes: 'all', expires: '2020-01-01T00:00:00Z' }, /future/],
      ['/keys', { integrationId, scopes: 'all', expires: 'tomorrow' }, /ISO 8601/],
      ['/keys', { integrationId, scopes: 'all', rateRead: 0 }, /"rateRead" must be a whole number/],
      ['/keys', { integrationId, scopes: 'all', rateRead: '5' }, /"rateRead" must be a whole number/],
      ['/keys', { integrationId, scopes: 'all', transferTxCap: '50000.000001' }, /not be above the policy's 50000/],
      ['/keys', { integrationId, scopes: 'all', transferDayCap: '1e5' }, /decimal/],
      ['/customers', { integrationId, ...CUSTOMER, country: 'XX' }, /not a country/],
      ['/customers', { integrationId, ...CUSTOMER, status: 'verified' }, /one of UNVERIFIED, PENDING/],
      ['/customers', { integrationId, ...CUSTOMER, type: 'PERSON' }, /one of RETAIL, ENTERPRISE/],
      ['/customers', { integrationId, ...CUSTOMER, bankBic: 'MBBEMYKL' }, /needs all of/],
      ['/customers', { integrationId, ...CUSTOMER, ...BANK, bankBic: 'x' }, /ISO 9362/],
      ['/customers', { integrationId, ...CUSTOMER, monthlyCap: '-5' }, /"monthlyCap" must be 0 or a decimal/],
      ['/wallets', { customerId: 'cus_1', address: '0x123' }, /not a wallet address/],
      ['/screening/deny', { address: `0x${'0'.repeat(40)}` }, /not a wallet address/],
      ['/webhooks', { integrationId, url: 'ftp://x' }, /https/],
      ['/webhooks/replay', {}, /either one event/],
      ['/webhooks/replay', { since: '2026-01-01' }, /endpoint or the integration/],
      ['/webhooks/we_x/set', {}, /Say what to change/],
      ['/webhooks/we_x/set', { url: 'https://a.example/', eventTypes: ['mint.failed'], allEvents: true }, /not both/],
      ['/chains/pause', { chainId: 'one' }, /"chainId" must be a chain id/],
    ]
    for (const [target, body, says] of cases) {
      const answer = await api.call('POST', target, body)
      assert.equal(answer.status, 400, `${target} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`)
      assert.match(answer.body.error.message, says)
    }
    for (const query of ['limit=0', 'limit=501', 'limit=x', 'after=x', 'sort=up', 'limit=1&limit=2']) {
      assert.equal((await api.call('GET', `/audit?${query}`)).status, 400, query)
    }
  })

  it('of a partner that there is not, which have none of anything', async () => {
    const of = 'integrationId=int_typo'
    const since = { since: '2026-01-01', integrationId: 'int_typo' }
    const answers = [
      ...(await Promise.all([`/orders?${of}`, `/webhooks?${of}`].map((path) => api.call('GET', path)))),
      await api.call('POST', '/webhooks/replay', since),
      await api.call('POST', '/webhooks/replay', { ...since, dryRun: true }),
    ]
    for (const { status, body } of answers) {
      assert.equal(status, 404, JSON.stringify(body))
      assert.match(body.error.message, /There is no integration int_typo/)
    }
    assert.equal((await api.call('GET', '/orders?integrationId=refunds')).status, 200)
  })

  it('answers 404 with the way to find the right id', async () => {
    const nobody = 'int_000000000000000000000000'
    const cases: ['GET' | 'POST', string, object?][] = [
      ['GET', `/integrations/${nobody}`],
      ['POST', `/integrations/${nobody}/suspend`, {}],
      ['POST', '/keys', { integrationId: nobody, scopes: 'all' }],
      ['GET', `/keys?integrationId=${nobody}`],
      ['POST', '/keys/0000000000000000/revoke', {}],
      ['POST', '/keys/0000000000000000/rotate', {}],
      ['POST', '/customers', { integrationId: nobody, ...CUSTOMER }],
      ['GET', '/customers/cus_x'],
      ['POST', '/customers/cus_x/set', { level: 'TIER_1' }],
      ['POST', '/wallets', { customerId: 'cus_x', address: `0x${'1'.repeat(40)}` }],
      ['GET', '/corporates/cor_x'],
      ['POST', '/webhooks', { integrationId: nobody, url: 'https://partner.example/hook' }],
      ['POST', '/webhooks/we_x/rotate', {}],
      ['POST', '/webhooks/we_x/test', {}],
      ['GET', `/orders/${nobody}/unknown-reference`],
      ['GET', `/orders/${nobody}/x`],
      ['POST', '/payouts/po_x/retry', {}],
      ['POST', '/chains/pause', { chainId: 5 }],
      ['GET', '/nothing'],
    ]
    const before = await api.call('GET', '/audit?limit=1')
    for (const [method, target, body] of cases) {
      const answer = await api.call(method, target, body)
      assert.equal(answer.status, 404, `${target}: ${JSON.stringify(answer.body)}`)
      assert.equal(answer.body.error.code, 'NOT_FOUND')
    }
    assert.deepEqual((await api.call('GET', '/audit?limit=1')).body, before.body, 'a refusal leaves no audit entry')
  })
})

it('whoever may not change the address of an endpoint sees nothing of it that could carry a secret', async () => {
  const integrationId = await newIntegration('Addressed')
  const [secret, open] = ['https://partner.example/hooks/hunter2?token=hunter2', 'https://partner.example/']
  for (const url of [secret, open]) await api.call('POST', '/webhooks', { integrationId, url })
  const urls = async (role: OperatorRole) => {
    const { body } = await (await api.person(role)).call('GET', `/webhooks?integrationId=${integrationId}`)
    return body.endpoints.map(({ url }: { url: string }) => url)
  }
  const { body } = await api.call('GET', `/webhooks?integrationId=${integrationId}`)
  assert.deepEqual(
    body.endpoints.map(({ url }: { url: string }) => url),
    [secret, open],
  )
  for (const role of ['support', 'onboarding'] as const) assert.deepEqual(await urls(role), [secret, open], role)
  for (const role of ['viewer', 'treasury', 'compliance', 'admin'] as const)
    assert.deepEqual(await urls(role), ['https://partner.example/…', open], role)

  const [{ endpointId }] = body.endpoints
  await api.db.query(
    `with event as (insert into events (event_id, type, integration_id, reference_id, amount_micro, happened_at, created_at)
         values ('evt_answered', 'redeem.pending', $1, 'answered', 1, now(), date_trunc('hour', now())) returning event_id, created_at),
       delivery as (insert into deliveries (event_id, event_at, endpoint_id, status) select event_id, created_at, $2, 'due' from event returning delivery_id)
     insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, http_status, error, response_excerpt)
     select delivery_id, 1, now(), 5, 404, 'http_404', 'Cannot POST /hooks/hunter2' from delivery`,
    [integrationId, endpointId],
  )
  for (const role of OPERATOR_ROLES) {
    const answer = await (await api.person(role)).call('GET', `/webhooks/${endpointId}/deliveries`)
    const [{ attemptLog }] = answer.body.deliveries
    const isShown = role === 'support' || role === 'onboarding'
    assert.equal(attemptLog[0].responseExcerpt, isShown ? 'Cannot POST /hooks/hunter2' : 'hidden', role)
    assert.equal(attemptLog[0].error, 'http_404', role)
  }
})

describe('audit log', () => {
  it('has an entry for every write, in the same transaction, and no secret', async () => {
    const integrationId = await newIntegration('Audited')
    const customerId = await newCustomer(BANK)
    const { keyId, apiKey } = (await api.call('POST', '/keys', { integrationId, scopes: 'all' })).body
    const rotated = (await api.call('POST', `/keys/${keyId}/rotate`, {})).body
    await api.call('POST', `/keys/${rotated.keyId}/revoke`, {})
    const url = 'https://partner.example/hook?token=hunter2'
    const { endpointId, secret } = (await api.call('POST', '/webhooks', { integrationId, url })).body
    const next = (await api.call('POST', `/webhooks/${endpointId}/rotate`, {})).body
    const { entries } = (await api.call('GET', '/audit?limit=500')).body
    const actions = entries.slice(0, 8).map((entry: { action: string }) => entry.action)
    assert.deepEqual(actions, [
      'webhook.rotate',
      'webhook.add',
      'key.revoke',
      'key.rotate',
      'key.create',
      'customer.link',
      'integration.create',
      'integration.create',
    ])
    assert.equal(entries[5].target, customerId)
    assert.equal(entries[0].actor, 'operator')
    const rows = await api.db.query<{ text: string }>('select a::text as text from audit_log a')
    const everything = JSON.stringify(rows) + api.log.join('')
    const secrets = [apiKey, rotated.apiKey].map((key: string) => key.split('_')[3] ?? 'missing')
    for (const hidden of [...secrets, secret, next.secret, TOKEN, 'hunter2', BANK.bankAccount, BANK.bankName]) {
      assert.ok(!everything.includes(hidden), `${hidden} shows in the audit log or the log`)
    }
  })

  it('cannot be changed or emptied', async () => {
    await newIntegration()
    for (const statement of [`update audit_log set actor = 'nobody'`, 'delete from audit_log', 'truncate audit_log']) {
      await assert.rejects(api.db.query(statement), /append-only/, statement)
    }
  })

  it('rolls the write back when the entry cannot be stored', async () => {
    await api.db.query(`alter table audit_log add constraint no_denials check (action <> 'screening.deny') not valid`)
    const address = `0x${'2'.repeat(40)}`
    assert.equal((await api.call('POST', '/screening/deny', { address })).status, 500)
    await api.db.query('alter table audit_log drop constraint no_denials')
    assert.equal((await api.call('GET', `/screening/check?address=${address}`)).body.denied, false)
  })

  it('is read in pages, newest first', async () => {
    for (const name of ['a', 'b', 'c']) await newIntegration(name)
    const first = (await api.call('GET', '/audit?limit=2')).body
    const second = (await api.call('GET', `/audit?limit=2&after=${first.next}`)).body
    const names = [...first.entries, ...second.entries].slice(0, 3).map((entry) => entry.details.name)
    assert.deepEqual(names, ['c', 'b', 'a'])
  })
})

describe('customers', () => {
  it('are verified at exactly the time they become VERIFIED', async () => {
    const customerId = await newCustomer({ status: 'PENDING' })
    const set = async (changes: object) =>
      (await api.call('POST', `/customers/${customerId}/set`, changes)).body.customer
    assert.equal((await set({ level: 'TIER_1' })).verification.verifiedAt, null)
    const { verifiedAt } = (await set({ status: 'VERIFIED' })).verification
    assert.notEqual(verifiedAt, null)
    assert.equal((await set({ level: 'TIER_3' })).verification.verifiedAt, verifiedAt)
    assert.equal((await set({ status: 'SUSPENDED' })).verification.verifiedAt, null)
    const again = (await set({ status: 'VERIFIED' })).verification.verifiedAt
    assert.ok(again > verifiedAt)
  })

  it('keep what a change does not name', async () => {
    const customerId = await newCustomer({ ...BANK, resident: false, canMint: false })
    const set = (changes: object) => api.call('POST', `/customers/${customerId}/set`, changes)
    const changed = (await set({ bankAccount: '99887766', monthlyCap: '0' })).body.customer
    assert.deepEqual(changed.bank, { bic: 'MBBEMYKL', account: '…7766', name: 'Aminah binti Ali' })
    assert.equal(changed.limits.monthlyWithdrawalCap, '0')
    assert.equal(changed.residency.isResident, false)
    assert.deepEqual(changed.switches, { canMint: false, canRedeem: true, canTransfer: true })
    assert.equal((await set({ removeBank: true })).body.customer.bank, null)
    assert.equal((await set({ removeBank: true, bankName: 'x' })).status, 400)
    assert.equal((await set({})).status, 400)
  })

  it('get the configured monthly cap unless told otherwise', async () => {
    const { customer } = (await api.call('GET', `/customers/${await newCustomer()}`)).body
    assert.equal(customer.limits.monthlyWithdrawalCap, '500000')
  })

  it('are listed in pages of one integration', async () => {
    const integrationId = await newIntegration()
    const ids: string[] = []
    for (let n = 0; n < 3; n += 1) {
      ids.push((await api.call('POST', '/customers', { integrationId, ...CUSTOMER })).body.customerId)
    }
    const first = (await api.call('GET', `/customers?integrationId=${integrationId}&limit=2`)).body
    const second = (await api.call('GET', `/customers?integrationId=${integrationId}&limit=2&after=${first.next}`)).body
    const listed = [...first.customers, ...second.customers].map((customer) => customer.customerId)
    assert.deepEqual(listed, ids)
    assert.equal(second.next, null)
  })
})

describe('wallets', () => {
  const address = (digit: string) => `0x${digit.repeat(40)}`

  it('are linked before they are recorded; a failed link is repaired by running it again', async () => {
    const customerId = await newCustomer()
    api.chain.failLinks = 1
    const failed = await api.call('POST', '/wallets', { customerId, address: address('3') })
    assert.equal(failed.status, 502)
    assert.equal(failed.body.error.code, 'CHAIN_UNAVAILABLE')
    assert.deepEqual((await api.call('GET', `/wallets?customerId=${customerId}`)).body.wallets, [])
    const added = await api.call('POST', '/wallets', { customerId, address: address('3') })
    assert.equal(added.body.isPrimary, true, 'the first wallet is primary')
    const again = await api.call('POST', '/wallets', { customerId, address: address('3') })
    assert.deepEqual(again.body.links, [{ chainId: 31_337, txHash: null }])
    assert.equal((await api.call('GET', `/wallets?customerId=${customerId}`)).body.wallets.length, 1)
  })

  it('have exactly one primary per customer', async () => {
    const customerId = await newCustomer()
    const add = (digit: string, primary?: boolean) =>
      api.call('POST', '/wallets', {
        customerId,
        address: address(digit),
        ...(primary === undefined ? {} : { primary }),
      })
    await add('4')
    assert.equal((await add('5')).body.isPrimary, false)
    assert.equal((await add('6', true)).body.isPrimary, true)
    assert.equal((await add('4')).body.isPrimary, false)
    assert.equal((await add('5', true)).body.isPrimary, true)
    const { wallets } = (await api.call('GET', `/wallets?customerId=${customerId}`)).body
    const primaries = wallets.filter((wallet: { isPrimary: boolean }) => wallet.isPrimary)
    assert.deepEqual(
      primaries.map((wallet: { address: string }) => wallet.address),
      [address('5')],
    )
  })

  it('are shared only on request, and are never a contract of the service', async () => {
    const [first, second] = [await newCustomer(), await newCustomer()]
    await api.call('POST', '/wallets', { customerId: first, address: address('7') })
    const refused = await api.call('POST', '/wallets', { customerId: second, address: address('7') })
    assert.equal(refused.status, 409)
    assert.match(refused.body.error.message, new RegExp(`${first}.*--shared`))
    const shared = await api.call('POST', '/wallets', { customerId: second, address: address('7'), shared: true })
    assert.equal(shared.body.ok, true)
    const coin = (await api.call('GET', '/chains')).body.chains[0].coin
    assert.match(
      (await api.call('POST', '/wallets', { customerId: first, address: coin })).body.error.message,
      /contract/,
    )
  })
})

describe('keys', () => {
  it('rotate with the same settings; the old one expires after the overlap', async () => {
    const integrationId = await newIntegration()
    const settings = { scopes: 'mint:read,config:read', ipAllowlist: ['10.1.2.3/8'], rateRead: 7, transferTxCap: '0' }
    const old = (await api.call('POST', '/keys', { integrationId, ...settings })).body
    const { keyId, apiKey, oldKeyId } = (await api.call('POST', `/keys/${old.keyId}/rotate`, { overlap: '12h' })).body
    assert.match(apiKey, new RegExp(`^coin_sandbox_${keyId}_[0-9A-Za-z]{43}$`))
    assert.equal(oldKeyId, old.keyId)
    const { keys } = (await api.call('GET', `/keys?integrationId=${integrationId}`)).body
    const [first, second] = keys
    const { keyId: _, createdAt: __, expiresAt, ...same } = second
    const { keyId: ___, createdAt: ____, expiresAt: oldExpiresAt, ...before } = first
    assert.deepEqual(same, before)
    assert.deepEqual(same.ipAllowlist, ['10.0.0.0/8'])
    assert.equal(same.transferTxCap, '0')
    assert.equal(expiresAt, null)
    const hours = (Date.parse(oldExpiresAt) - Date.parse(second.createdAt)) / 3_600_000
    assert.ok(hours > 11.9 && hours <= 12, `${hours} h`)
    assert.ok(!JSON.stringify(keys).includes('secret'))
  })

  it('rotate without overlap when it is 0, and never a revoked key', async () => {
    const integrationId = await newIntegration()
    const { keyId } = (await api.call('POST', '/keys', { integrationId, scopes: 'all' })).body
    await api.call('POST', `/keys/${keyId}/rotate`, { overlap: '0' })
    const [row] = await api.db.query('select expires_at <= now() as expired from api_keys where key_id = $1', [keyId])
    assert.equal(row?.expired, true)
    assert.equal((await api.call('POST', `/keys/${keyId}/rotate`, {})).status, 409)
    assert.equal((await api.call('POST', `/keys/${keyId}/rotate`, { overlap: '91d' })).status, 400)
  })

  it('are not issued to a suspended integration', async () => {
    const integrationId = await newIntegration()
    await api.call('POST', `/integrations/${integrationId}/suspend`, {})
    const refused = await api.call('POST', '/keys', { integrationId, scopes: 'all' })
    assert.equal(refused.status, 409)
    assert.match(refused.body.error.message, /resume/)
    await api.call('POST', `/integrations/${integrationId}/resume`, {})
    assert.equal((await api.call('POST', '/keys', { integrationId, scopes: 'all' })).status, 200)
  })
})
