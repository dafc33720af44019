// engine: postgres; both in test:long
/** A caller cannot forge the address it calls from. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused, startTestApi, type TestApi } from '../support/api.ts'

const ALLOWED = '203.0.113.9'
let direct: TestApi
let proxied: TestApi
let chained: TestApi
before(async () => {
  direct = await startTestApi()
  proxied = await startTestApi({ config: { trustedProxies: ['127.0.0.1', '::1'] } })
  chained = await startTestApi({ config: { trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] } })
})
after(() => Promise.all([direct.close(), proxied.close(), chained.close()]))

const HEADERS = [
  'x-forwarded-for',
  'x-real-ip',
  'forwarded',
  'x-client-ip',
  'cf-connecting-ip',
  'true-client-ip',
  'x-forwarded',
]

async function statusOf(api: TestApi, ipAllowlist: string[], headers: Record<string, string>): Promise<number> {
  const key = await api.makeKey({ ipAllowlist })
  const answer = await api.get('/v1/config', { key, headers })
  if (answer.status !== 200) assertRefused(answer, 403, 'IP_NOT_ALLOWED')
  return answer.status
}

test('without trusted proxies no header changes who is calling', async () => {
  for (const name of HEADERS) {
    for (const value of [ALLOWED, `for=${ALLOWED}`, `127.0.0.1, ${ALLOWED}`, `${ALLOWED}, 127.0.0.1`]) {
      assert.equal(await statusOf(direct, [ALLOWED], { [name]: value }), 403, `${name}: ${value}`)
      assert.equal(await statusOf(direct, ['127.0.0.1'], { [name]: value }), 200, `${name}: ${value}`)
    }
  }
})

test('a sandbox may trust everybody, and then whoever calls says from where', async () => {
  const trusting = await startTestApi({ config: { trustedProxies: ['0.0.0.0/0', '::/0'] } })
  try {
    assert.equal(await statusOf(trusting, [ALLOWED], { 'x-forwarded-for': `${ALLOWED}, 198.51.100.7` }), 200)
    assert.equal(await statusOf(trusting, [ALLOWED], {}), 403)
  } finally {
    await trusting.close()
  }
})

test('with a trusted proxy only what that proxy vouches for counts', async () => {
  for (const [value, status] of [
    [ALLOWED, 200],
    [`198.51.100.7, ${ALLOWED}`, 200],
    [`${ALLOWED}, 198.51.100.7`, 403],
    [`${ALLOWED},198.51.100.7`, 403],
    [`::ffff:${ALLOWED}`, 200],
    ['::ffff:cb00:7109', 200],
    ['203.0.113.09', 403],
    ['0313.0.113.9', 403],
    ['203.0.113.9:8080', 200],
    ['', 403],
    ['unknown', 403],
  ] as const) {
    assert.equal(await statusOf(proxied, [ALLOWED], { 'x-forwarded-for': value }), status, value)
  }
  for (const name of HEADERS.slice(1)) assert.equal(await statusOf(proxied, [ALLOWED], { [name]: ALLOWED }), 403, name)
})

test('through a chain of proxies the first address that is not trusted is the caller', async () => {
  for (const [value, status] of [
    [`${ALLOWED}, 10.1.2.3`, 200],
    [`${ALLOWED}, 10.1.2.3, 127.0.0.9`, 200],
    [`${ALLOWED}, 192.0.2.1, 10.1.2.3`, 403],
  ] as const) {
    assert.equal(await statusOf(chained, [ALLOWED], { 'x-forwarded-for': value }), status, value)
  }
})

test('a mapped IPv6 range equals its IPv4 range, and nothing wider', async () => {
  assert.equal(await statusOf(direct, ['::ffff:127.0.0.0/104'], {}), 200)
  assert.equal(await statusOf(direct, ['::ffff:126.0.0.0/104'], {}), 403)
  assert.equal(await statusOf(direct, ['::1'], {}), 403)
})
