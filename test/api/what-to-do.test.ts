// engine: postgres; both in test:long
/** What an answer says to whoever reads it, beyond its code: what a field must be, which limit it was, what was used already. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ERRORS, type ErrorCode } from '../../src/errors.ts'
import { type Answer, newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'
import { exchangeRaw } from '../support/raw-http.ts'

let api: TestApi
let customerId: string
let walletAddress: string
before(async () => {
  api = await startTestApi()
  customerId = await api.makeCustomer()
  walletAddress = await api.makeWallet(customerId, 1_000_000_000_000_000n)
})
after(() => api.close())

const mint = () => ({ referenceId: newReference(), amountMyr: '10', walletAddress: newAddress(), customerId })
const redeem = () => ({ referenceId: newReference(), amountCoin: '10', walletAddress, customerId })
const transfer = () => ({ ...redeem(), walletAddress: newAddress() })

/** Asserts that a refusal has the message of its code and then `detail`. */
function says(answer: Answer, code: ErrorCode, detail: string | RegExp) {
  const error = answer.body.error as { code: string; message: string }
  assert.equal(error?.code, code, answer.text)
  const { message } = ERRORS[code]
  assert.equal(error.message.slice(0, message.length + 1), `${message} `, answer.text)
  const rest = error.message.slice(message.length + 1)
  if (typeof detail === 'string') assert.equal(rest, detail)
  else assert.match(rest, detail)
}

test('a bad field or parameter is named with what it must be', async () => {
  const posts: [string, object, string][] = [
    ['/v1/mints', { ...mint(), customerId: undefined }, 'customerId must be a string'],
    [
      '/v1/mints',
      { ...mint(), chainId: '31337' },
      'chainId must be a whole number that a double holds exactly; in a body it is no string',
    ],
    ['/v1/mints', { ...mint(), fiatConfirmed: 'true' }, 'fiatConfirmed must be true or false'],
    ['/v1/redeems', { ...redeem(), bankReference: null }, 'bankReference must be a string of up to 255 characters'],
  ]
  for (const [path, body, detail] of posts)
    says(await api.post(path, body), 'BAD_REQUEST', new RegExp(`^${detail}.*\\.$`))
  const queries = ['direction=mint', 'status=done', 'createdAfter=now', 'createdBefore=1', 'limit=0', 'cursor=x']
  const paths = queries.map((query) => `/v1/transactions?${query}`)
  paths.push('/v1/events?types=x', '/v1/events?since=2026', `/v1/balances/${walletAddress}?chainId=x`)
  for (const path of paths) {
    const name = path.split('?')[1]?.split('=')[0]
    says(await api.get(path), 'BAD_REQUEST', new RegExp(`^${name} must .+ given once.*\\.$`))
  }
})

test('an amount under another name is told which field it is', async () => {
  const { amountMyr, ...rest } = mint()
  says(
    await api.post('/v1/mints', { ...rest, amountCoin: amountMyr }),
    'INVALID_AMOUNT',
    'amountMyr is missing, or no string.',
  )
  says(
    await api.post('/v1/redeems', { ...redeem(), amountCoin: 10 }),
    'INVALID_AMOUNT',
    'amountCoin is missing, or no string.',
  )
  const written = (await api.post('/v1/mints', { ...rest, amountMyr: '1e3' })).body.error as { message: string }
  assert.equal(written.message, ERRORS.INVALID_AMOUNT.message)
})

test('a limit that the issuer sets is told', async () => {
  says(await api.post('/v1/mints', { ...mint(), amountMyr: '0.5' }), 'AMOUNT_BELOW_FLOOR', 'The limit is 1.')
  says(
    await api.post('/v1/redeems', { ...redeem(), amountCoin: '1000000.01' }),
    'AMOUNT_ABOVE_REDEEM_CEILING',
    'The limit is 1000000.',
  )
  says(
    await api.post('/v1/mints', { ...mint(), amountMyr: '1000000000.01' }),
    'POLICY_REJECTED',
    'The limit is 1000000000.',
  )
  const foreigner = await api.makeCustomer({ isResident: false })
  says(
    await api.post('/v1/mints', { ...mint(), customerId: foreigner, amountMyr: '100000.01' }),
    'FOREIGNER_LIMIT_EXCEEDED',
    'The limit is 100000.',
  )
})

test('a conflict says whether it is the key or the reference', async () => {
  const body = redeem()
  assert.equal((await api.post('/v1/redeems', body, { idempotencyKey: 'used' })).status, 201)
  const otherBody = { ...body, amountCoin: '11' }
  says(
    await api.post('/v1/redeems', otherBody, { idempotencyKey: 'used' }),
    'IDEMPOTENCY_CONFLICT',
    /^It is the Idempotency-Key: /,
  )
  says(
    await api.post('/v1/redeems', { ...otherBody, referenceId: '?' }, { idempotencyKey: 'used' }),
    'IDEMPOTENCY_CONFLICT',
    /^It is the Idempotency-Key: /,
  )
  says(await api.post('/v1/redeems', otherBody), 'IDEMPOTENCY_CONFLICT', /^It is the referenceId: /)
  for (const [path, other] of [
    ['/v1/mints', mint()],
    ['/v1/transfers', transfer()],
  ] as const)
    says(
      await api.post(path, { ...other, referenceId: body.referenceId }),
      'IDEMPOTENCY_CONFLICT',
      /^It is the referenceId: /,
    )
})

test('a key without the scopes is told which it needs', async () => {
  const key = await api.makeKey({ scopes: ['redeem:create', 'account:read'] })
  says(await api.get('/v1/config', { key }), 'SCOPE_DENIED', 'It needs config:read.')
  says(await api.post('/v1/redeems', redeem(), { key }), 'SCOPE_DENIED', 'It needs redeem:create and redeem:execute.')
  says(
    await api.post('/v1/mints', { ...mint(), fiatConfirmed: true }, { key }),
    'SCOPE_DENIED',
    'It needs mint:create and mint:execute.',
  )
  says(
    await api.get(`/v1/customers/${customerId}`, { key }),
    'SCOPE_DENIED',
    'It needs a signed data processing agreement.',
  )
})

test('the plus of a zone may be written as it stands', async () => {
  const made = await api.post('/v1/mints', mint())
  const { createdAt } = made.body.timestamps as { createdAt: string }
  const inKualaLumpur = (ms: number) => new Date(Date.parse(createdAt) + ms + 8 * 3_600_000).toISOString().slice(0, -1)
  const found = async (query: string) =>
    ((await api.get(`/v1/transactions?${query}`)).body.transactions as { referenceId: string }[]).map(
      (one) => one.referenceId,
    )
  for (const plus of ['+', '%2B']) {
    const [before, after] = [-1, 1].map((ms) => `${inKualaLumpur(ms)}${plus}08:00`)
    assert.deepEqual(await found(`createdAfter=${after}`), [], plus)
    assert.deepEqual(await found(`createdAfter=${before}&createdBefore=${after}`), [made.body.referenceId], plus)
    assert.equal((await api.get(`/v1/events?since=${before}`)).status, 200, plus)
  }
})

test('a key that is refused for its address is told which that was: behind a gateway of its own a partner does not see it', async () => {
  const proxied = await startTestApi({ config: { trustedProxies: ['127.0.0.1'] } })
  const key = await proxied.makeKey({ ipAllowlist: ['203.0.113.1'] })
  const from = (address: string) => proxied.get('/v1/config', { key, headers: { 'x-forwarded-for': address } })
  says(await from('198.51.100.7'), 'IP_NOT_ALLOWED', 'It came from 198.51.100.7.')
  says(await from('::ffff:198.51.100.7'), 'IP_NOT_ALLOWED', 'It came from 198.51.100.7.')
  says(await from('2001:DB8::1'), 'IP_NOT_ALLOWED', 'It came from 2001:db8::1.')
  const unreadable = (await from('<b>nobody</b>')).body.error as { message: string }
  assert.equal(unreadable.message, ERRORS.IP_NOT_ALLOWED.message)
  await proxied.close()
})

test('a body that is no JSON object is told why', async () => {
  const json = { 'content-type': 'application/json' }
  const bodies: [raw: string | Uint8Array, detail: string | RegExp, headers?: Record<string, string>][] = [
    ['', 'It is empty.'],
    ['{}', 'Its Content-Type must be application/json, and be sent once.', { 'content-type': 'text/plain' }],
    [
      '{}',
      'It is compressed (Content-Encoding), and nothing is unpacked here.',
      { ...json, 'content-encoding': 'gzip' },
    ],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'It is not UTF-8.'],
    ['\ufeff{}', 'It begins with a byte order mark.'],
    ['{"referenceId":', 'It is not JSON.'],
    ["{'a':1}", 'It is not JSON.'],
    ['[{}]', 'It is JSON, but no object.'],
    ['null', 'It is JSON, but no object.'],
    ['{"amountMyr":"1","amountMyr":"2"}', /^It has a key twice in one object, more than 32 levels, /],
    [`{"a":${'['.repeat(40)}${']'.repeat(40)}}`, /^It has a key twice in one object, more than 32 levels, /],
  ]
  for (const [raw, detail, headers = json] of bodies)
    says(await api.call('POST', '/v1/mints', { raw, headers }), 'INVALID_JSON', detail)
})

/** What is answered to bytes. */
async function told(bytes: string): Promise<Answer> {
  const [answer] = await exchangeRaw(api.port, bytes)
  assert.ok(answer)
  const { status, headers, body } = answer
  return { status, headers: new Headers(headers), text: body, body: JSON.parse(body) as Record<string, unknown> }
}

test('what is too large is told how large it may be', async () => {
  says(
    await api.call('POST', '/v1/mints', { raw: ' '.repeat(65_537) }),
    'PAYLOAD_TOO_LARGE',
    'It may have 65,536 bytes, and in chunks no more than 4,096 that are shorter than 64 bytes.',
  )
  says(
    await told(`GET /v1/health HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
    'HEADERS_TOO_LARGE',
    'They may have 16,384 bytes together with the request line.',
  )
})

test('what did not come in time is told how much it has', async () => {
  const hurried = await startTestApi({ timeouts: { headersMs: 100, requestMs: 200, checkMs: 50 } })
  const [answer] = await exchangeRaw(hurried.port, 'GET /v1/health HTTP/1.1\r\n')
  await hurried.close()
  assert.match(answer?.body ?? '', / in time\. The headers have 10 seconds, and the whole request has 20\."/)
})

test('a request that HTTP lets parsers read differently is told what is wrong with it', async () => {
  const close = 'Connection: close\r\n'
  const requests: [bytes: string, detail: RegExp][] = [
    [
      `GET /v1/health#x HTTP/1.1\r\nHost: x\r\n${close}\r\n`,
      /^Its target must be a path, .+ without a fragment \(#…\)\.$/,
    ],
    [`GET /v1/health HTTP/2.0\r\nHost: x\r\n${close}\r\n`, /^Its version must be HTTP\/1\.1 or HTTP\/1\.0\.$/],
    [`GET /v1/health HTTP/1.1\r\n${close}\r\n`, /^It must have one Host header\.$/],
    [
      `POST /v1/mints HTTP/1.1\r\nHost: x\r\n${close}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      /^Its only Transfer-Encoding may be chunked, and that only in HTTP\/1\.1\.$/,
    ],
  ]
  for (const [bytes, detail] of requests) says(await told(bytes), 'BAD_REQUEST', detail)
})
