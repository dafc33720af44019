// engine: postgres; both in test:long
/** The Order object and what a POST answers, exactly: contract "Order", "Reference IDs", "Endpoints". */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { assertRefused, CHAIN_ID, newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'

const COIN = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

let api: TestApi
let customerId: string
let wallet: string
before(async () => {
  api = await startTestApi({ policy: { feeMicro: { MINT: 1_500_000n, REDEEM: 250_000n } } })
  customerId = await api.makeCustomer()
  wallet = await api.makeWallet(customerId, 10n ** 15n)
})
after(() => api.close())

type Body = Record<string, unknown>
const mintBody = (different: Body = {}) => ({
  referenceId: newReference(),
  amountMyr: '1000.50',
  walletAddress: newAddress(),
  customerId,
  ...different,
})
const redeemBody = (different: Body = {}) => ({
  referenceId: newReference(),
  amountCoin: '250.000001',
  walletAddress: wallet,
  customerId,
  ...different,
})
const transferBody = (different: Body = {}) => ({
  referenceId: newReference(),
  amountCoin: '0.10',
  walletAddress: newAddress(),
  customerId,
  ...different,
})

describe('a new order, every field', () => {
  const common = {
    ok: true,
    chainId: CHAIN_ID,
    network: `Test chain ${CHAIN_ID}`,
    tokenAddress: COIN,
    blockchain: { txHash: null, blockNumber: null },
  }
  const cases: [name: string, path: string, body: () => Body, expected: Body][] = [
    [
      'an unconfirmed mint',
      '/v1/mints',
      mintBody,
      {
        status: 'payment_pending',
        phase: 'PAYMENT_PENDING',
        direction: 'MINT',
        amounts: { myr: '1000.5', coin: '1000.5', feeMyr: '1.5', amountRaw: '1000500000', decimals: 6 },
      },
    ],
    [
      'a confirmed mint',
      '/v1/mints',
      () => mintBody({ fiatConfirmed: true }),
      {
        status: 'pending',
        phase: 'ORDER_CREATED',
        direction: 'MINT',
        amounts: { myr: '1000.5', coin: '1000.5', feeMyr: '1.5', amountRaw: '1000500000', decimals: 6 },
      },
    ],
    [
      'a redeem',
      '/v1/redeems',
      () => redeemBody({ bankReference: 'INV-1' }),
      {
        status: 'pending',
        phase: 'ORDER_CREATED',
        direction: 'REDEEM',
        amounts: { myr: '250.000001', coin: '250.000001', feeMyr: '0.25', amountRaw: '250000001', decimals: 6 },
      },
    ],
    [
      'a transfer',
      '/v1/transfers',
      transferBody,
      {
        status: 'pending',
        phase: 'ORDER_CREATED',
        direction: 'TRANSFER',
        amounts: { myr: null, coin: '0.1', feeMyr: '0', amountRaw: '100000', decimals: 6 },
      },
    ],
  ]
  for (const [name, path, makeBody, expected] of cases) {
    test(name, async () => {
      const body = makeBody()
      const answer = await api.post(path, body)
      assert.equal(answer.status, 201, answer.text)
      const { createdAt } = answer.body.timestamps as { createdAt: string }
      assert.match(createdAt, TIMESTAMP)
      assert.deepEqual(answer.body, {
        ...common,
        ...expected,
        referenceId: body.referenceId,
        walletAddress: body.walletAddress,
        timestamps: { createdAt, updatedAt: null },
      })
      for (const read of [path, '/v1/transactions']) {
        assert.equal((await api.get(`${read}/${String(body.referenceId)}`)).text, answer.text)
      }
      const page = await api.get('/v1/transactions?limit=1')
      assert.deepEqual((page.body.transactions as unknown[])[0], answer.body, 'the list has full Order objects')
    })
  }
})

describe('a referenceId that exists', () => {
  test('mint: the existing order, unchanged, with 201 and no replay header', async () => {
    const body = mintBody()
    const first = await api.post('/v1/mints', body)
    for (const other of [
      body,
      { ...body, amountMyr: '7' },
      { ...body, amountMyr: '7', fiatConfirmed: true },
      { ...body, walletAddress: newAddress(), fiatConfirmed: true },
      { ...body, customerId: await api.makeCustomer(), fiatConfirmed: true },
    ]) {
      const again = await api.post('/v1/mints', other)
      assert.deepEqual([again.status, again.text], [201, first.text])
      assert.equal(again.headers.get('x-coin-idempotent-replay'), null)
    }
  })

  test('mint: confirmed with equal details it is submitted; the first key with that body is a conflict', async () => {
    const body = mintBody({ amountMyr: '12.340' })
    const idempotencyKey = randomUUID()
    assert.equal((await api.post('/v1/mints', body, { idempotencyKey })).body.status, 'payment_pending')
    const confirmed = { ...body, amountMyr: '12.34', fiatConfirmed: true }
    assertRefused(await api.post('/v1/mints', confirmed, { idempotencyKey }), 409, 'IDEMPOTENCY_CONFLICT')
    const submitted = await api.post('/v1/mints', confirmed)
    assert.deepEqual([submitted.status, submitted.body.status, submitted.body.phase], [201, 'pending', 'ORDER_CREATED'])
    assert.match(String((submitted.body.timestamps as Body).updatedAt), TIMESTAMP)
    const again = await api.post('/v1/mints', confirmed)
    assert.equal(again.text, submitted.text)
    const original = await api.post('/v1/mints', body, { idempotencyKey })
    assert.deepEqual(
      [original.body.status, original.headers.get('x-coin-idempotent-replay')],
      ['payment_pending', 'true'],
    )
  })

  test('mint: confirming needs mint:execute, and leaves the order waiting without it', async () => {
    const body = mintBody()
    assert.equal((await api.post('/v1/mints', body)).status, 201)
    const key = await api.makeKey({ scopes: ['mint:create'] })
    assertRefused(await api.post('/v1/mints', { ...body, fiatConfirmed: true }, { key }), 403, 'SCOPE_DENIED')
    assert.equal((await api.get(`/v1/mints/${body.referenceId}`)).body.status, 'payment_pending')
  })

  test('transfer: the existing order, unchanged, whatever the details', async () => {
    const body = transferBody()
    const first = await api.post('/v1/transfers', body)
    for (const other of [body, { ...body, amountCoin: '9' }, { ...body, walletAddress: newAddress() }]) {
      const again = await api.post('/v1/transfers', other)
      assert.deepEqual([again.status, again.text], [201, first.text])
    }
  })

  test('redeem: equal details the existing order, any other detail a conflict', async () => {
    const body = redeemBody({ bankReference: 'INV-2' })
    const first = await api.post('/v1/redeems', body)
    for (const equal of [body, { ...body, chainId: CHAIN_ID }]) {
      const again = await api.post('/v1/redeems', equal)
      assert.deepEqual([again.status, again.text], [201, first.text])
    }
    const without: Body = { ...body }
    delete without.bankReference
    for (const other of [
      { ...body, amountCoin: '250' },
      { ...body, walletAddress: newAddress() },
      { ...body, bankReference: 'INV-3' },
      without,
      { ...body, customerId: await api.makeCustomer() },
    ]) {
      assertRefused(await api.post('/v1/redeems', other), 409, 'IDEMPOTENCY_CONFLICT')
    }
  })

  test('of another direction: a conflict', async () => {
    const bodies = { mints: mintBody(), redeems: redeemBody(), transfers: transferBody() }
    for (const [kind, body] of Object.entries(bodies)) {
      assert.equal((await api.post(`/v1/${kind}`, body)).status, 201)
      for (const [other, otherBody] of Object.entries(bodies)) {
        if (other === kind) continue
        const answer = await api.post(`/v1/${other}`, { ...otherBody, referenceId: body.referenceId })
        assertRefused(answer, 409, 'IDEMPOTENCY_CONFLICT')
      }
    }
  })

  test('of another integration: a reference of its own', async () => {
    const body = mintBody()
    assert.equal((await api.post('/v1/mints', body)).status, 201)
    const integrationId = await api.makeIntegration()
    const key = await api.makeKey({ integrationId })
    const theirs = { ...body, amountMyr: '3', customerId: await api.makeCustomer({}, integrationId) }
    const answer = await api.post('/v1/mints', theirs, { key })
    assert.deepEqual([answer.status, (answer.body.amounts as Body).myr], [201, '3'])
  })
})

describe('cancel', () => {
  test('a waiting mint is cancelled with phase FAILED, read back so, and stays so', async () => {
    const body = mintBody()
    await api.post('/v1/mints', body)
    const cancelled = await api.call('POST', `/v1/mints/${body.referenceId}/cancel`)
    assert.deepEqual(
      [cancelled.status, cancelled.body.status, cancelled.body.phase, cancelled.body.referenceId],
      [200, 'cancelled', 'FAILED', body.referenceId],
    )
    assert.equal((await api.get(`/v1/mints/${body.referenceId}`)).text, cancelled.text)
    const confirmed = await api.post('/v1/mints', { ...body, fiatConfirmed: true })
    assert.deepEqual([confirmed.status, confirmed.text], [201, cancelled.text])
  })

  test('after a restore, while what the lost history had submitted may be executed yet: 503, and then as ever', async () => {
    const body = mintBody()
    await api.post('/v1/mints', body)
    const cancel = (idempotencyKey?: string) =>
      api.call('POST', `/v1/mints/${body.referenceId}/cancel`, idempotencyKey === undefined ? {} : { idempotencyKey })
    const key = randomUUID()
    const fence = (on: string) => api.db.query(`update chains set fenced_on = ${on}`)
    await fence(`'before'`)
    try {
      assertRefused(await cancel(key), 503, 'SERVICE_UNAVAILABLE')
      assert.equal((await api.get(`/v1/mints/${body.referenceId}`)).body.status, 'payment_pending')
      await fence('null')
      assertRefused(await cancel(key), 503, 'SERVICE_UNAVAILABLE')
    } finally {
      await fence('database_timeline()')
    }
    // Until a settler has begun again nobody asks for a fence, and this may be an older copy of the database's files.
    const settledUntil = (minutesAgo: number) =>
      api.db.query(
        `insert into leases (name, holder, token, expires_at, lasts)
         select 'settlement:' || chain_id, 'x', 1, now() - $1 * interval '1 minute', '10 s' from chains
         on conflict (name) do update set expires_at = excluded.expires_at`,
        [minutesAgo],
      )
    await settledUntil(11)
    assertRefused(await cancel(key), 503, 'SERVICE_UNAVAILABLE')
    await settledUntil(9)
    const cancelled = await cancel(key)
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled'])
    await fence(`'before'`)
    try {
      assert.deepEqual([(await cancel(key)).text, (await cancel()).text], [cancelled.text, cancelled.text])
    } finally {
      await fence('database_timeline()')
    }
  })

  test('what was submitted: 409; what is no mint, not ours or nobody’s: 404', async () => {
    const [submitted, redeem, transfer] = [mintBody({ fiatConfirmed: true }), redeemBody(), transferBody()]
    await api.post('/v1/mints', submitted)
    await api.post('/v1/redeems', redeem)
    await api.post('/v1/transfers', transfer)
    const cancel = (reference: string, key?: string) =>
      api.call('POST', `/v1/mints/${reference}/cancel`, key === undefined ? {} : { key })
    assertRefused(await cancel(submitted.referenceId), 409, 'ORDER_NOT_CANCELLABLE')
    const stranger = await api.makeKey({ integrationId: await api.makeIntegration() })
    for (const answer of [
      await cancel(redeem.referenceId),
      await cancel(transfer.referenceId),
      await cancel(newReference()),
      await cancel(submitted.referenceId, stranger),
    ]) {
      assertRefused(answer, 404, 'NOT_FOUND')
    }
    assertRefused(await cancel('x'), 400, 'INVALID_REFERENCE_ID')
  })
})

describe('policy refusals name their reason', () => {
  const noCapability = { canMint: false, canRedeem: false, canTransfer: false }
  const reasonOf = async (path: string, body: Body) => assertRefused(await api.post(path, body), 400, 'POLICY_REJECTED')

  test('capability switched off, wallet not linked, no bank account, no source wallet, frozen wallet', async () => {
    const barred = await api.makeCustomer(noCapability)
    const barredWallet = await api.makeWallet(barred, 10n ** 12n)
    assert.deepEqual(await reasonOf('/v1/mints', mintBody({ customerId: barred })), { reason: 'capability_disabled' })
    assert.deepEqual(await reasonOf('/v1/redeems', redeemBody({ customerId: barred, walletAddress: barredWallet })), {
      reason: 'capability_disabled',
    })
    assert.deepEqual(await reasonOf('/v1/transfers', transferBody({ customerId: barred })), {
      reason: 'capability_disabled',
    })
    assert.deepEqual(await reasonOf('/v1/redeems', redeemBody({ walletAddress: newAddress() })), {
      reason: 'wallet_not_linked',
    })
    const unbanked = await api.makeCustomer({ bank: null })
    const unbankedWallet = await api.makeWallet(unbanked, 10n ** 12n)
    assert.deepEqual(
      await reasonOf('/v1/redeems', redeemBody({ customerId: unbanked, walletAddress: unbankedWallet })),
      {
        reason: 'no_bank_account',
      },
    )
    assert.deepEqual(await reasonOf('/v1/transfers', transferBody({ customerId: await api.makeCustomer() })), {
      reason: 'no_source_wallet',
    })
    const formerHolder = await api.makeCustomer()
    const former = await api.makeWallet(formerHolder, 10n ** 12n)
    api.chain.unlinked.add(former)
    for (const refused of [
      reasonOf('/v1/redeems', redeemBody({ customerId: formerHolder, walletAddress: former })),
      reasonOf('/v1/transfers', transferBody({ customerId: formerHolder })),
    ]) {
      assert.deepEqual(await refused, { reason: 'wallet_not_linked' })
    }
    const frozenOwner = await api.makeCustomer()
    const frozen = await api.makeWallet(frozenOwner, 10n ** 12n)
    api.chain.frozen.add(frozen)
    const reason = { reason: 'wallet_frozen' }
    assert.deepEqual(
      await reasonOf('/v1/redeems', redeemBody({ customerId: frozenOwner, walletAddress: frozen })),
      reason,
    )
    assert.deepEqual(await reasonOf('/v1/transfers', transferBody({ customerId: frozenOwner })), reason)
  })
})

test("coins are sent to none of the service's own contracts", async () => {
  const reason = { reason: 'contract_address' }
  assert.deepEqual(
    assertRefused(await api.post('/v1/mints', mintBody({ walletAddress: COIN })), 400, 'POLICY_REJECTED'),
    reason,
  )
  assert.deepEqual(
    assertRefused(await api.post('/v1/redeems', redeemBody({ walletAddress: COIN })), 400, 'POLICY_REJECTED'),
    reason,
  )
  for (const walletAddress of [COIN, COIN.toLowerCase()])
    assertRefused(await api.post('/v1/transfers', transferBody({ walletAddress })), 403, 'RECIPIENT_NOT_PERMITTED')
})

describe('verification and limits', () => {
  test('every status but VERIFIED is refused on all three', async () => {
    for (const status of ['UNVERIFIED', 'PENDING', 'REJECTED', 'SUSPENDED'] as const) {
      const owner = await api.makeCustomer({ status })
      const from = await api.makeWallet(owner, 10n ** 12n)
      for (const [path, body] of [
        ['/v1/mints', mintBody({ customerId: owner })],
        ['/v1/redeems', redeemBody({ customerId: owner, walletAddress: from })],
        ['/v1/transfers', transferBody({ customerId: owner })],
      ] as const) {
        assertRefused(await api.post(path, body), 403, 'CUSTOMER_NOT_VERIFIED')
      }
    }
  })

  test('each limit itself passes, one unit beyond does not', async () => {
    const foreigner = await api.makeCustomer({ isResident: false, countryCode: 'SG', monthlyCapMicro: 10n ** 15n })
    const foreignWallet = await api.makeWallet(foreigner, 10n ** 15n)
    const rich = await api.makeCustomer({ monthlyCapMicro: 10n ** 15n })
    const richWallet = await api.makeWallet(rich, 10n ** 15n)
    const redeem = (owner: string, from: string) => (amountCoin: string) =>
      api.post('/v1/redeems', redeemBody({ customerId: owner, walletAddress: from, amountCoin }))
    const mint = (owner: string) => (amountMyr: string) =>
      api.post('/v1/mints', mintBody({ customerId: owner, amountMyr }))
    const cases = [
      [mint(customerId), '1', '0.999999', 'AMOUNT_BELOW_FLOOR'],
      [mint(foreigner), '100000', '100000.000001', 'FOREIGNER_LIMIT_EXCEEDED'],
      [redeem(foreigner, foreignWallet), '100000', '100000.000001', 'FOREIGNER_LIMIT_EXCEEDED'],
      [redeem(rich, richWallet), '1000000', '1000000.000001', 'AMOUNT_ABOVE_REDEEM_CEILING'],
      [
        (amountCoin: string) => api.post('/v1/transfers', transferBody({ amountCoin })),
        '50000',
        '50000.000001',
        'TRANSFER_PER_TX_CAP_EXCEEDED',
      ],
    ] as const
    for (const [post, within, beyond, code] of cases) {
      assertRefused(await post(beyond), 400, code)
      assert.equal((await post(within)).status, 201)
    }
  })

  test('the daily cap of a key: what fits exactly passes, then nothing more; another key has its own', async () => {
    const owner = await api.makeCustomer()
    await api.makeWallet(owner, 10n ** 12n)
    const caps = { transferTxCapMicro: 60_000_000n, transferDayCapMicro: 100_000_000n }
    const [key, other] = [await api.makeKey(caps), await api.makeKey(caps)]
    const post = (amountCoin: string, withKey: string) =>
      api.post('/v1/transfers', transferBody({ customerId: owner, amountCoin }), { key: withKey })
    assertRefused(await post('60.000001', key), 400, 'TRANSFER_PER_TX_CAP_EXCEEDED')
    assert.equal((await post('60', key)).status, 201)
    assert.deepEqual(assertRefused(await post('40.000001', key), 400, 'TRANSFER_DAILY_CAP_EXCEEDED'), {
      requestedCoin: '40.000001',
      committedTodayCoin: '60',
      perTxCapCoin: '60',
      dailyCapCoin: '100',
    })
    assert.equal((await post('40', key)).status, 201)
    assertRefused(await post('0.000001', key), 400, 'TRANSFER_DAILY_CAP_EXCEEDED')
    assert.equal((await post('60', other)).status, 201)
  })

  test('the ceiling of a mint, and what a key may mint in a day: confirming takes it, waiting does not', async () => {
    const post = (body: Record<string, unknown>, key: string) => api.post('/v1/mints', body, { key })
    const [key, other, poor] = [
      await api.makeKey({ mintDayCapMicro: 100_000_000n }),
      await api.makeKey({ mintDayCapMicro: 100_000_000n }),
      await api.makeKey({ mintDayCapMicro: 0n }),
    ]
    const above = assertRefused(await post(mintBody({ amountMyr: '1000000000.000001' }), key), 400, 'POLICY_REJECTED')
    assert.deepEqual(above, { reason: 'above_mint_ceiling' })
    const waiting = mintBody({ amountMyr: '60' })
    assert.equal((await post(waiting, poor)).body.status, 'payment_pending')
    assert.equal((await post(mintBody({ amountMyr: '60', fiatConfirmed: true }), key)).status, 201)
    const refused = await post(mintBody({ amountMyr: '40.000001', fiatConfirmed: true }), key)
    assert.deepEqual(assertRefused(refused, 400, 'POLICY_REJECTED'), {
      reason: 'mint_day_cap',
      capMyr: '100',
      committedMyr: '60',
    })
    const confirmation = { ...waiting, fiatConfirmed: true }
    assertRefused(await post(confirmation, key), 400, 'POLICY_REJECTED')
    assertRefused(await post(confirmation, poor), 400, 'POLICY_REJECTED')
    assert.equal((await api.get(`/v1/mints/${waiting.referenceId}`)).body.status, 'payment_pending')
    assert.equal((await post(confirmation, other)).body.status, 'pending')
    assert.equal((await post(confirmation, poor)).body.status, 'pending', 'an accepted mint is answered as it is')
    assertRefused(await post(mintBody({ amountMyr: '40.000001', fiatConfirmed: true }), other), 400, 'POLICY_REJECTED')
    assert.equal((await post(mintBody({ amountMyr: '40', fiatConfirmed: true }), key)).status, 201)
  })

  test('balance and monthly limit: what fits exactly passes; the metas tell the figures', async () => {
    const owner = await api.makeCustomer({ monthlyCapMicro: 80_000_000n })
    const from = await api.makeWallet(owner, 100_000_000n)
    const redeem = (amountCoin: string) =>
      api.post('/v1/redeems', redeemBody({ customerId: owner, walletAddress: from, amountCoin }))
    assert.equal((await redeem('50')).status, 201)
    assert.deepEqual(assertRefused(await redeem('30.000001'), 400, 'MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED'), {
      monthlyLimit: '80',
      monthlyCommitted: '50',
      requestedAmount: '30.000001',
    })
    const transfer = (amountCoin: string) => api.post('/v1/transfers', transferBody({ customerId: owner, amountCoin }))
    assert.deepEqual(assertRefused(await transfer('50.000001'), 400, 'INSUFFICIENT_BALANCE'), {
      walletAddress: from,
      chainId: CHAIN_ID,
      requestedCoin: '50.000001',
      walletBalanceCoin: '50',
    })
    assert.equal((await redeem('30')).status, 201)
    assert.equal((await transfer('20')).status, 201)
    assertRefused(await transfer('0.000001'), 400, 'INSUFFICIENT_BALANCE')
  })
})
