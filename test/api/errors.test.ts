// engine: postgres; both in test:long
/** Every error code is reached, with its status and meta. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { DatabaseUnavailableError } from '../../src/db/database.ts'
import { ERRORS, type ErrorCode } from '../../src/errors.ts'
import {
  type Answer,
  assertRefused,
  CHAIN_ID,
  newAddress,
  newReference,
  startTestApi,
  type TestApi,
} from '../support/api.ts'
import { exchangeRaw } from '../support/raw-http.ts'

let api: TestApi
before(async () => {
  api = await startTestApi({ timeouts: { headersMs: 300, requestMs: 600, checkMs: 100 } })
})
after(() => api.close())

const mint = async (different: Record<string, unknown> = {}, options = {}) => {
  const customerId = different.customerId ?? (await api.makeCustomer())
  const body = { referenceId: newReference(), amountMyr: '10', walletAddress: newAddress(), customerId, ...different }
  return api.post('/v1/mints', body, options)
}
/** A redeem by a customer whose wallet holds a million. */
const redeem = async (
  different: Record<string, unknown> = {},
  details: Parameters<TestApi['makeCustomer']>[0] = {},
) => {
  const customerId = await api.makeCustomer(details)
  const walletAddress = await api.makeWallet(customerId, 2_000_000_000_000n)
  return api.post('/v1/redeems', {
    referenceId: newReference(),
    amountCoin: '10',
    walletAddress,
    customerId,
    ...different,
  })
}
const transfer = async (different: Record<string, unknown> = {}, key = api.fullKey) => {
  const customerId = await api.makeCustomer()
  await api.makeWallet(customerId, 2_000_000_000_000n)
  const body = { referenceId: newReference(), amountCoin: '10', walletAddress: newAddress(), customerId, ...different }
  return api.post('/v1/transfers', body, { key })
}
const whileUnreadable = async (ask: () => Promise<Answer>) => {
  api.chain.unreadable = true
  try {
    return await ask()
  } finally {
    api.chain.unreadable = false
  }
}
const rawAnswer = async (bytes: string): Promise<Answer> => {
  const [answer] = await exchangeRaw(api.port, bytes)
  assert.ok(answer)
  return {
    status: answer.status,
    headers: new Headers(answer.headers),
    text: answer.body,
    body: JSON.parse(answer.body),
  }
}

const CASES: Record<ErrorCode, () => Promise<Answer>> = {
  INVALID_JSON: () => api.call('POST', '/v1/mints', { raw: 'x' }),
  IDEMPOTENCY_KEY_REQUIRED: () => mint({}, { idempotencyKey: null }),
  INVALID_AMOUNT: () => mint({ amountMyr: 10 }),
  AMOUNT_NEGATIVE_OR_ZERO: () => mint({ amountMyr: '-10' }),
  AMOUNT_BELOW_FLOOR: () => mint({ amountMyr: '0.999999' }),
  AMOUNT_ABOVE_REDEEM_CEILING: () => redeem({ amountCoin: '1000000.000001' }, { monthlyCapMicro: 10n ** 15n }),
  FOREIGNER_LIMIT_EXCEEDED: () => redeem({ amountCoin: '100000.000001' }, { isResident: false, countryCode: 'SG' }),
  INVALID_WALLET_ADDRESS: () => mint({ walletAddress: 'x' }),
  INVALID_REFERENCE_ID: () => mint({ referenceId: 'x' }),
  INVALID_CHAIN_ID: () => mint({ chainId: 1 }),
  INSUFFICIENT_BALANCE: async () => {
    const customerId = await api.makeCustomer()
    return redeem({ customerId, walletAddress: await api.makeWallet(customerId, 9_999_999n) })
  },
  MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED: () => redeem({}, { monthlyCapMicro: 9_000_000n }),
  TRANSFER_PER_TX_CAP_EXCEEDED: () => transfer({ amountCoin: '50000.000001' }),
  TRANSFER_DAILY_CAP_EXCEEDED: async () => transfer({}, await api.makeKey({ transferDayCapMicro: 9_000_000n })),
  POLICY_REJECTED: () => redeem({}, { bank: null }),
  BAD_REQUEST: () => api.get('/v1/transactions?limit=0'),
  UNAUTHORIZED: () => api.get('/v1/config', { key: 'x' }),
  IP_NOT_ALLOWED: async () => api.get('/v1/config', { key: await api.makeKey({ ipAllowlist: ['203.0.113.1'] }) }),
  SCOPE_DENIED: () => api.get('/v1/customers/x'),
  CUSTOMER_NOT_VERIFIED: async () => mint({ customerId: await api.makeCustomer({ status: 'PENDING' }) }),
  RECIPIENT_NOT_PERMITTED: () => {
    const walletAddress = newAddress()
    api.chain.sanctioned.add(walletAddress)
    return transfer({ walletAddress })
  },
  NOT_FOUND: () => api.get(`/v1/mints/${newReference()}`),
  IDEMPOTENCY_CONFLICT: async () => {
    const idempotencyKey = randomUUID()
    assert.equal((await mint({}, { idempotencyKey })).status, 201)
    return mint({}, { idempotencyKey })
  },
  ORDER_NOT_CANCELLABLE: async () => {
    const { referenceId } = (await mint({ fiatConfirmed: true })).body
    return api.call('POST', `/v1/mints/${String(referenceId)}/cancel`)
  },
  REQUEST_TIMEOUT: () => rawAnswer('GET /v1/health HTTP/1.1\r\n'),
  PAYLOAD_TOO_LARGE: () => mint({ amountMyr: 'x'.repeat(70_000) }),
  RATE_LIMITED: async () => {
    const key = await api.makeKey({ rates: { read: 1, write: null, balances: null } })
    await api.get('/v1/config', { key })
    return api.get('/v1/config', { key })
  },
  HEADERS_TOO_LARGE: () => rawAnswer(`GET /v1/health HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
  SERVER_ERROR: () => withAcceptance(() => Promise.reject(new TypeError('a mistake'))),
  SETTLEMENT_FAILED: () => whileUnreadable(() => redeem()),
  SERVICE_UNAVAILABLE: () => withAcceptance(() => Promise.reject(new DatabaseUnavailableError('gone'))),
}

/** A mint answered by an API whose acceptance fails. */
async function withAcceptance(mintFails: () => Promise<never>): Promise<Answer> {
  const broken = await startTestApi({ acceptance: { mint: mintFails } as never })
  try {
    return await broken.post('/v1/mints', {})
  } finally {
    await broken.close()
  }
}

for (const [code, reach] of Object.entries(CASES) as [ErrorCode, () => Promise<Answer>][]) {
  test(code, async () => {
    const answer = await reach()
    assertRefused(answer, ERRORS[code].status, code)
    assert.deepEqual(Object.keys(answer.body), ['ok', 'error'])
    assert.equal(answer.headers.has('retry-after'), code === 'RATE_LIMITED')
  })
}

test('the meta of a short balance, a monthly limit and a transfer cap is what the contract lists', async () => {
  const keysOf = async (code: ErrorCode) => {
    const meta = assertRefused(await CASES[code](), 400, code)
    return Object.keys(meta ?? {}).sort()
  }
  assert.deepEqual(await keysOf('INSUFFICIENT_BALANCE'), [
    'chainId',
    'requestedCoin',
    'walletAddress',
    'walletBalanceCoin',
  ])
  assert.deepEqual(await keysOf('MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED'), [
    'monthlyCommitted',
    'monthlyLimit',
    'requestedAmount',
  ])
  const caps = ['committedTodayCoin', 'dailyCapCoin', 'perTxCapCoin', 'requestedCoin']
  assert.deepEqual(await keysOf('TRANSFER_PER_TX_CAP_EXCEEDED'), caps)
  assert.deepEqual(await keysOf('TRANSFER_DAILY_CAP_EXCEEDED'), caps)
})

test('a request that failed through our fault works later with the same key', async () => {
  const customerId = await api.makeCustomer()
  const walletAddress = await api.makeWallet(customerId, 10_000_000n)
  const body = { referenceId: newReference(), amountCoin: '10', walletAddress, customerId, chainId: CHAIN_ID }
  const idempotencyKey = randomUUID()
  const post = () => api.post('/v1/redeems', body, { idempotencyKey })
  assertRefused(await whileUnreadable(post), 502, 'SETTLEMENT_FAILED')
  assertRefused(await api.get(`/v1/redeems/${body.referenceId}`), 404, 'NOT_FOUND')
  assert.equal((await post()).status, 201)
})

test('a database that is away is 503 on every route that needs it', async () => {
  let away = false
  const real = api.db
  const db = {
    ...real,
    query: (...args: Parameters<typeof real.query>) =>
      away ? Promise.reject(new DatabaseUnavailableError('gone')) : real.query(...args),
  } as typeof real
  const shaky = await startTestApi({ db })
  away = true
  for (const path of ['/v1/config', '/v1/transactions', `/v1/mints/${newReference()}`, '/v1/customers/x']) {
    assertRefused(await shaky.get(path), 503, 'SERVICE_UNAVAILABLE')
  }
  assertRefused(await shaky.post('/v1/mints', {}), 503, 'SERVICE_UNAVAILABLE')
  assert.equal((await shaky.get('/v1/health', { key: null })).status, 200)
  away = false
  assert.equal((await shaky.get('/v1/transactions')).status, 200)
  await shaky.close()
})
