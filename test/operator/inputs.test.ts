// engine: pglite
/** What routes of the operator API take: each field within its length, and no field that they do not know. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type OperatorFixture, startOperator, TOKEN } from './fixture.ts'

let api: OperatorFixture
before(async () => {
  api = await startOperator()
})
after(() => api.close())

type Input = {
  method: 'GET' | 'POST'
  path: string
  /** Fields that are fine; ids in them need not exist. */
  fields: Record<string, unknown>
  /** The least and most characters of a field. */
  lengths: Record<string, readonly [min: number, max: number]>
}

const PAGE = { after: [1, 100] } as const
const OF_INTEGRATION = { ...PAGE, integrationId: [1, 100] } as const
const OF_ADDRESS = { address: [1, 60] } as const
const OF_WALLET = { ...OF_ADDRESS, customerId: [1, 100] } as const
const WALLET = { customerId: 'cus_x', address: `0x${'1'.repeat(40)}` }
const PARTY = { integrationId: [1, 100], country: [1, 8] } as const
const CUSTOMER = { type: 'RETAIL', status: 'VERIFIED', level: 'TIER_2', country: 'MY' }
const BANK = { bankBic: 'MBBEMYKL', bankAccount: '514012345678', bankName: 'Aminah binti Ali' }
const CORPORATE = { integrationId: 'x', name: 'x', status: 'VERIFIED', stage: 'x', country: 'MY', industry: 'x' }
const CUSTOMER_LENGTHS: Input['lengths'] = {
  level: [1, 32],
  country: [1, 8],
  monthlyCap: [1, 30],
  bankBic: [1, 20],
  bankAccount: [1, 40],
  bankName: [1, 200],
}

const INPUTS: readonly Input[] = [
  { method: 'GET', path: '/audit', fields: {}, lengths: PAGE },
  { method: 'GET', path: '/integrations', fields: {}, lengths: PAGE },
  { method: 'POST', path: '/integrations', fields: { name: 'x' }, lengths: { name: [1, 200] } },
  { method: 'POST', path: '/integrations/int_x/suspend', fields: {}, lengths: {} },
  { method: 'POST', path: '/integrations/int_x/resume', fields: {}, lengths: {} },
  { method: 'POST', path: '/integrations/int_x/set', fields: { dpaSignedOn: null }, lengths: {} },
  { method: 'GET', path: '/keys', fields: { integrationId: 'x' }, lengths: OF_INTEGRATION },
  {
    method: 'POST',
    path: '/keys',
    fields: { integrationId: 'x', scopes: 'all' },
    lengths: {
      integrationId: [1, 100],
      scopes: [1, 1000],
      expires: [1, 40],
      transferTxCap: [1, 30],
      transferDayCap: [1, 30],
      mintDayCap: [1, 30],
    },
  },
  { method: 'POST', path: '/keys/0000000000000000/revoke', fields: {}, lengths: {} },
  {
    method: 'POST',
    path: '/keys/0000000000000000/rotate',
    fields: {},
    lengths: { overlap: [1, 10], expires: [1, 40] },
  },
  { method: 'GET', path: '/customers', fields: { integrationId: 'x' }, lengths: OF_INTEGRATION },
  {
    method: 'POST',
    path: '/customers',
    fields: { integrationId: 'x', ...CUSTOMER, ...BANK },
    lengths: { ...PARTY, ...CUSTOMER_LENGTHS },
  },
  { method: 'POST', path: '/customers/cus_x/set', fields: {}, lengths: CUSTOMER_LENGTHS },
  { method: 'GET', path: '/corporates', fields: { integrationId: 'x' }, lengths: OF_INTEGRATION },
  {
    method: 'POST',
    path: '/corporates',
    fields: CORPORATE,
    lengths: { ...PARTY, name: [1, 200], stage: [1, 32], industry: [1, 200] },
  },
  {
    method: 'POST',
    path: '/corporates/corp_x/set',
    fields: {},
    lengths: { name: [1, 200], stage: [1, 32], country: [1, 8], industry: [1, 200] },
  },
  { method: 'GET', path: '/wallets', fields: { customerId: 'x' }, lengths: { customerId: [1, 100] } },
  {
    method: 'POST',
    path: '/wallets',
    fields: WALLET,
    lengths: { ...OF_WALLET, consent: [4, 10_000], deadline: [1, 12] },
  },
  { method: 'POST', path: '/wallets/consent', fields: WALLET, lengths: OF_WALLET },
  { method: 'POST', path: '/wallets/remove', fields: WALLET, lengths: OF_WALLET },
  { method: 'POST', path: '/wallets/freeze', fields: { address: 'x' }, lengths: OF_ADDRESS },
  { method: 'POST', path: '/wallets/unfreeze', fields: { address: 'x' }, lengths: OF_ADDRESS },
  { method: 'POST', path: '/screening/deny', fields: { address: 'x' }, lengths: OF_ADDRESS },
  { method: 'POST', path: '/screening/allow', fields: { address: 'x' }, lengths: OF_ADDRESS },
  { method: 'GET', path: '/screening/check', fields: { address: 'x' }, lengths: OF_ADDRESS },
  { method: 'GET', path: '/orders', fields: {}, lengths: { ...OF_INTEGRATION, olderThan: [1, 10] } },
  ...['hold', 'release', 'reject'].map((verb) => ({
    method: 'POST' as const,
    path: `/orders/int_x/reference-1/${verb}`,
    fields: { reason: 'x' },
    lengths: { reason: [1, 300] as const },
  })),
  { method: 'GET', path: '/batches', fields: { unexplained: 'true' }, lengths: { ...PAGE, chainId: [1, 20] } },
  {
    method: 'POST',
    path: '/batches/1/1/explain',
    fields: { reason: 'x' },
    lengths: { reason: [1, 500], notOrder: [1, 220] },
  },
  { method: 'GET', path: '/payouts', fields: {}, lengths: PAGE },
  { method: 'POST', path: '/payouts/po_x/retry', fields: {}, lengths: {} },
  { method: 'POST', path: '/payouts/po_x/release', fields: { reason: 'x' }, lengths: { reason: [1, 500] } },
  { method: 'POST', path: '/payouts/po_x/resettle', fields: { reason: 'x' }, lengths: { reason: [1, 500] } },
  { method: 'POST', path: '/payouts/po_x/mark-unpaid', fields: { reason: 'x' }, lengths: { reason: [1, 500] } },
  { method: 'POST', path: '/payouts/po_x/mark-paid', fields: { reference: 'x' }, lengths: { reference: [1, 200] } },
  { method: 'GET', path: '/webhooks', fields: {}, lengths: { integrationId: [1, 100] } },
  {
    method: 'POST',
    path: '/webhooks',
    fields: { integrationId: 'x', url: 'x' },
    lengths: { integrationId: [1, 100], url: [1, 2500] },
  },
  { method: 'POST', path: '/webhooks/we_x/test', fields: {}, lengths: {} },
  { method: 'POST', path: '/webhooks/we_x/disable', fields: {}, lengths: { reason: [1, 500] } },
  { method: 'POST', path: '/webhooks/we_x/enable', fields: {}, lengths: {} },
  { method: 'POST', path: '/webhooks/we_x/set', fields: {}, lengths: { url: [1, 2500] } },
  { method: 'POST', path: '/webhooks/we_x/remove', fields: {}, lengths: {} },
  { method: 'GET', path: '/webhooks/we_x/deliveries', fields: { limit: '5', failed: 'true' }, lengths: PAGE },
  {
    method: 'POST',
    path: '/webhooks/replay',
    fields: {},
    lengths: { eventId: [1, 100], since: [1, 40], until: [1, 40], endpointId: [1, 100], integrationId: [1, 100] },
  },
  { method: 'GET', path: '/webhooks/events', fields: {}, lengths: { integrationId: [1, 100], after: [1, 54] } },
  { method: 'POST', path: '/chains/pause', fields: { chainId: 1 }, lengths: {} },
]

async function answerTo({ method, path }: Input, fields: Record<string, unknown>): Promise<string> {
  const query = new URLSearchParams(fields as Record<string, string>)
  const { status, body } = await (method === 'GET'
    ? api.call(method, `${path}?${query}`)
    : api.call(method, path, fields))
  return `${status} ${body.error?.message ?? 'ok'}`
}

describe('an input', () => {
  for (const input of INPUTS) {
    it(`of ${input.method} ${input.path} has no other fields than the known ones, each within its length`, async () => {
      const surplus = await answerTo(input, { ...input.fields, surplus: 'x' })
      assert.match(surplus, /^400 .*"surplus" is not known here\./)
      for (const known of Object.keys(input.fields)) assert.ok(!surplus.includes(`"${known}" is not known`), surplus)
      for (const [field, [min, max]] of Object.entries(input.lengths)) {
        const refusal = `"${field}" must be ${min} to ${max} characters.`
        const withLength = (length: number) => answerTo(input, { ...input.fields, [field]: '1'.repeat(length) })
        for (const length of [min, max]) {
          const answer = await withLength(length)
          assert.ok(!answer.includes(`"${field}" must be ${min} to`), `${length} characters: ${answer}`)
          assert.ok(!answer.includes(`"${field}" is not known`), answer)
        }
        for (const length of [min - 1, max + 1]) {
          const answer = await withLength(length)
          assert.ok(answer.startsWith('400 ') && answer.includes(refusal), `${field}, ${length} characters: ${answer}`)
        }
        const nul = await answerTo(input, { ...input.fields, [field]: `${'1'.repeat(min)}\0`.slice(-max) })
        assert.match(nul, /^400 /, `${field} with NUL: ${nul}`)
      }
    })
  }

  it('has no NUL in its path', async () => {
    for (const path of [
      '/customers/%00',
      '/customers/cus_1%00',
      '/webhooks/%00/deliveries',
      '/payouts/%00',
      '/orders/int_1/ref%00',
      '/audit?actor=%00',
    ]) {
      const { status, body } = await api.call('GET', path)
      assert.deepEqual([status, body.error.code], [400, 'BAD_REQUEST'], path)
    }
    const written = await api.call('POST', '/keys/%00/revoke', {})
    assert.equal(written.status, 400)
  })
})

it('half of a character is refused wherever a text is taken, and a whole one beyond the basic plane is not', async () => {
  const sent = (json: string) =>
    api.call('POST', '/screening/deny', JSON.parse(`{"address":"0x${'0'.repeat(38)}0f","reason":"${json}"}`))
  for (const half of ['\\ud800', 'a\\ud83d', '\\ude00b', '\\ude00\\ud83d']) {
    const { status, body } = await sent(half)
    assert.deepEqual([status, body.error?.code], [400, 'BAD_REQUEST'], half)
    assert.match(body.error?.message, /whole characters/, half)
  }
  const { status, body } = await sent('\\ud83d\\ude00 \\ud83d\\ude00')
  assert.equal(status, 200, JSON.stringify(body))
})

it('a body that parsers read differently is refused whole, before anything is done', async () => {
  const sent = async (body: string | Uint8Array<ArrayBuffer>) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    const response = await fetch(`${api.url}/operator/v1/screening/deny`, { method: 'POST', headers, body })
    const { error } = (await response.json()) as { error?: { code: string; message: string } }
    return { status: response.status, code: error?.code, message: error?.message }
  }
  const [first, last] = [`0x${'0'.repeat(38)}1a`, `0x${'0'.repeat(38)}1b`]
  for (const body of [
    `{"address":"${first}","address":"${last}"}`,
    `{"address":"${first}", "\\u0061ddress":"${first}"}`,
    `{"address":"${first}","reason":{"a":1,"a":1}}`,
    `{"address":"${first}","reason":1e999}`,
    `{"address":"${first}","reason":${'['.repeat(40)}${']'.repeat(40)}}`,
    `[{"address":"${first}"}]`,
    `{"address":"${first}"`,
    Uint8Array.from(Buffer.from(`{"address":"${first}","reason":"\xff"}`, 'latin1')),
  ]) {
    const { status, code, message } = await sent(body)
    assert.deepEqual([status, code], [400, 'BAD_REQUEST'], String(body))
    assert.match(message ?? '', /^The body must be one JSON object/, String(body))
  }
  const prototype = await sent(`{"address":"${first}","__proto__":{"reason":"x"}}`)
  assert.equal(prototype.status, 400)
  assert.match(prototype.message ?? '', /"__proto__" is not known here\./)
  const { body } = await api.call('GET', '/screening')
  assert.ok(
    ![first, last].some((address) => JSON.stringify(body).toLowerCase().includes(address)),
    JSON.stringify(body),
  )
  assert.equal((await sent(`{ "address": "${first}" }`)).status, 200)
})
