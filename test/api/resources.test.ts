// engine: postgres; both in test:long
/** What the read endpoints answer. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { insertCorporate } from '../../src/customers/corporates.sql.ts'
import { setIntegrationDpa } from '../../src/integrations/integrations.sql.ts'
import {
  assertRefused,
  CHAIN_ID,
  newAddress,
  newReference,
  OTHER_CHAIN_ID,
  startTestApi,
  type TestApi,
} from '../support/api.ts'

type Coin = { address: string; decimals: number; name: string; symbol: string }

let api: TestApi
let customerId: string
let wallet: string
before(async () => {
  api = await startTestApi()
  await setIntegrationDpa(api.db, api.integrationId, '2026-01-01')
  customerId = await api.makeCustomer()
  wallet = await api.makeWallet(customerId, 1_000_000_000n)
})
after(() => api.close())

test('health and server time', async () => {
  const health = await api.get('/v1/health', { key: null })
  assert.equal(health.body.service, 'stablecoin-partner-api')
  assert.equal(health.body.status, 'healthy')
  const time = await api.get('/v1/system/time', { key: null })
  assert.ok(Math.abs(Date.parse(String(time.body.serverTime)) - Date.now()) < 60_000)
})

test('configuration and tokens', async () => {
  const { body } = await api.get('/v1/config')
  assert.equal(body.defaultChainId, CHAIN_ID)
  assert.deepEqual(
    (body.chains as { chainId: number; caip2: string }[]).map(({ chainId, caip2 }) => [chainId, caip2]),
    [
      [CHAIN_ID, `eip155:${CHAIN_ID}`],
      [OTHER_CHAIN_ID, `eip155:${OTHER_CHAIN_ID}`],
    ],
  )
  assert.deepEqual(Object.keys(body.endpoints as object), ['mints', 'redeems', 'transfers', 'balances', 'transactions'])
  const { tokens } = (await api.get('/v1/tokens')).body
  const chains = body.chains as { chainId: number; name: string; explorerAddressUrl: string; coin: Coin }[]
  assert.deepEqual(
    tokens,
    chains.map(({ chainId, name: network, explorerAddressUrl, coin: { address, ...coin } }) => {
      return { ...coin, chainId, network, tokenAddress: address, explorerUrl: `${explorerAddressUrl}${address}` }
    }),
  )
})

test('balances: one entry per chain, or only the requested one; the address comes back checksummed', async () => {
  api.chain.balances.set(wallet, 1_234_500_000n)
  for (const form of [wallet, wallet.toLowerCase(), `0x${wallet.slice(2).toUpperCase()}`]) {
    const { status, body } = await api.get(`/v1/balances/${form}`)
    assert.deepEqual([status, body.walletAddress], [200, wallet])
    const entries = body.balances as { chainId: number; balance: string; balanceRaw: string }[]
    assert.deepEqual(
      entries.map(({ chainId }) => chainId),
      [CHAIN_ID, OTHER_CHAIN_ID],
    )
    assert.deepEqual([entries[0]?.balance, entries[0]?.balanceRaw], ['1234.5', '1234500000'])
  }
  const one = (await api.get(`/v1/balances/${newAddress()}?chainId=${OTHER_CHAIN_ID}`)).body.balances as {
    balance: string
  }[]
  assert.deepEqual(
    one.map(({ balance }) => balance),
    ['0'],
  )
  assertRefused(await api.get(`/v1/balances/${wallet.slice(0, -1)}`), 400, 'INVALID_WALLET_ADDRESS')
  api.chain.unreadable = true
  assertRefused(await api.get(`/v1/balances/${wallet}`), 503, 'SERVICE_UNAVAILABLE')
  api.chain.unreadable = false
})

test('a balance is of a node that has every block in which orders are final', async () => {
  const reachedAt = async (observed: bigint) => {
    await api.db.query('update chains set observed_block = $1 where chain_id = $2', [observed, CHAIN_ID])
    await api.get(`/v1/balances/${wallet}?chainId=${CHAIN_ID}`)
    return api.chain.reached
  }
  assert.equal(await reachedAt(500n), 498n, 'of three confirmations')
  assert.equal(await reachedAt(1n), 0n)
})

test('an order is found by its direction and by transactions, and by nobody else', async () => {
  const ids = { mints: newReference(), redeems: newReference(), transfers: newReference() }
  const bodies = {
    mints: { amountMyr: '10', walletAddress: newAddress() },
    redeems: { amountCoin: '1', walletAddress: wallet },
    transfers: { amountCoin: '1', walletAddress: newAddress() },
  }
  const stranger = await api.makeKey({ integrationId: await api.makeIntegration() })
  for (const kind of ['mints', 'redeems', 'transfers'] as const) {
    const created = await api.post(`/v1/${kind}`, { referenceId: ids[kind], customerId, ...bodies[kind] })
    assert.equal(created.status, 201, created.text)
    assert.equal(created.body.direction, kind.slice(0, -1).toUpperCase())
    for (const other of ['mints', 'redeems', 'transfers', 'transactions']) {
      const found = await api.get(`/v1/${other}/${ids[kind]}`)
      if (other === kind || other === 'transactions') assert.equal(found.text, created.text)
      else assertRefused(found, 404, 'NOT_FOUND')
      assertRefused(await api.get(`/v1/${other}/${ids[kind]}`, { key: stranger }), 404, 'NOT_FOUND')
    }
  }
})

test('the list: newest first, page by page, filtered', async () => {
  const integrationId = await api.makeIntegration()
  const key = await api.makeKey({ integrationId })
  const owner = await api.makeCustomer({}, integrationId)
  const references: string[] = []
  for (let n = 0; n < 7; n++) {
    const referenceId = newReference()
    references.unshift(referenceId)
    const body = {
      referenceId,
      amountMyr: '10',
      walletAddress: newAddress(),
      customerId: owner,
      fiatConfirmed: n % 2 === 0,
    }
    assert.equal((await api.post('/v1/mints', body, { key })).status, 201)
  }
  const walk = async (query: string) => {
    const found: string[] = []
    let cursor: unknown = ''
    for (let pages = 0; cursor !== null; pages++) {
      assert.ok(pages < 10)
      const { body } = await api.get(`/v1/transactions?${query}${cursor === '' ? '' : `&cursor=${String(cursor)}`}`, {
        key,
      })
      found.push(...(body.transactions as { referenceId: string }[]).map(({ referenceId }) => referenceId))
      cursor = body.nextCursor
    }
    return found
  }
  assert.deepEqual(await walk('limit=3'), references)
  assert.deepEqual(await walk('limit=7'), references)
  assert.deepEqual(await walk(''), references)
  assert.deepEqual(
    await walk('limit=1&status=pending'),
    references.filter((_, n) => n % 2 === 0),
  )
  assert.deepEqual(await walk('direction=REDEEM'), [])
  assert.deepEqual(await walk('createdAfter=2999-01-01'), [])
  const foreign = (await api.get('/v1/transactions?limit=1')).body.nextCursor
  assert.deepEqual(
    assertRefused(await api.get(`/v1/transactions?cursor=${String(foreign)}`, { key }), 400, 'BAD_REQUEST'),
    { field: 'cursor' },
  )
})

test('customers: what the contract lists, and nothing about anybody else', async () => {
  const { status, body } = await api.get(`/v1/customers/${customerId}`)
  assert.equal(status, 200)
  assert.equal(body.customerId, customerId)
  const unverified = (await api.get(`/v1/customers/${await api.makeCustomer({ status: 'PENDING' })}`)).body
  assert.deepEqual(unverified.verification, { status: 'PENDING', level: 'TIER_2', verifiedAt: null })
  assert.deepEqual(unverified.capabilities, { canMint: false, canRedeem: false, canTransfer: false })
  const strangers = await api.makeCustomer({}, await api.makeIntegration())
  for (const id of [strangers, 'cus_unknown', '%00', '%ZZ', 'x'.repeat(5_000), customerId.toUpperCase()]) {
    assertRefused(await api.get(`/v1/customers/${id}`), 404, 'NOT_FOUND')
  }
})

test('a redeem shows in what a customer has used this month', async () => {
  const owner = await api.makeCustomer({ monthlyCapMicro: 100_000_000n })
  const from = await api.makeWallet(owner, 1_000_000_000n)
  const body = { referenceId: newReference(), amountCoin: '30.25', walletAddress: from, customerId: owner }
  assert.equal((await api.post('/v1/redeems', body)).status, 201)
  assert.deepEqual((await api.get(`/v1/customers/${owner}`)).body.limits, {
    currency: 'MYR',
    monthlyWithdrawalCap: '100',
    monthlyWithdrawalUsed: '30.25',
    monthlyWithdrawalRemaining: '69.75',
  })
})

test('corporates: what the contract lists, and nothing about anybody else', async () => {
  const details = {
    companyName: 'Test Sdn Bhd',
    status: 'VERIFIED' as const,
    stage: 'COMPLETE',
    countryCode: 'MY',
    industry: 'Trade',
    canMint: true,
    canRedeem: false,
    canPayroll: true,
  }
  const corporateId = await insertCorporate(api.db, api.integrationId, details)
  const { status, body } = await api.get(`/v1/corporates/${corporateId}`)
  assert.equal(status, 200)
  assert.equal(body.companyName, 'Test Sdn Bhd')
  assert.deepEqual(body.capabilities, { canMint: true, canRedeem: false, canPayroll: true })
  const strangers = await insertCorporate(api.db, await api.makeIntegration(), details)
  for (const id of [strangers, 'cor_unknown', '%00', customerId]) {
    assertRefused(await api.get(`/v1/corporates/${id}`), 404, 'NOT_FOUND')
  }
})
