// engine: postgres; both in test:long
/** Every field of every POST with every wrong type, and every value just outside its rule. Nothing is coerced. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  assertRefused,
  CHAIN_ID,
  newAddress,
  newReference,
  OTHER_CHAIN_ID,
  startTestApi,
  type TestApi,
} from '../support/api.ts'

let api: TestApi
let customerId: string
let walletAddress: string
before(async () => {
  api = await startTestApi()
  customerId = await api.makeCustomer()
  walletAddress = await api.makeWallet(customerId, 1_000_000_000_000n)
})
after(() => api.close())

type Body = Record<string, unknown>
const POSTS: { path: string; amount: string; checksum: 'required' | 'optional'; body: () => Body }[] = [
  {
    path: '/v1/mints',
    amount: 'amountMyr',
    checksum: 'required',
    body: () => ({ amountMyr: '10', walletAddress: newAddress() }),
  },
  {
    path: '/v1/redeems',
    amount: 'amountCoin',
    checksum: 'required',
    body: () => ({ amountCoin: '10', walletAddress }),
  },
  {
    path: '/v1/transfers',
    amount: 'amountCoin',
    checksum: 'optional',
    body: () => ({ amountCoin: '10', walletAddress: newAddress() }),
  },
]
const WRONG_TYPES: unknown[] = [null, true, false, 0, 1.5, {}, [], ['x'], { a: 1 }]

for (const { path, amount, checksum, body } of POSTS) {
  describe(path, () => {
    const valid = (): Body => ({ referenceId: newReference(), customerId, ...body() })
    const refuse = async (different: Body, code: string, field?: string) => {
      const answer = await api.post(path, { ...valid(), ...different })
      const meta = assertRefused(answer, 400, code)
      if (field !== undefined) assert.deepEqual(meta, { field })
    }

    test('a valid body is accepted, also with unknown fields or with the default chain named', async () => {
      const answer = await api.post(path, { ...valid(), chainId: CHAIN_ID, unknown: { x: [1] } })
      assert.equal(answer.status, 201, answer.text)
    })

    test('referenceId', async () => {
      for (const wrong of [
        undefined,
        ...WRONG_TYPES,
        '',
        'short12',
        'x'.repeat(101),
        'with blank',
        'umläut-reference',
        'new\nline-1',
        'nul\u0000-reference',
        'slash/reference',
        'ＡＢＣＤＥＦＧＨ',
      ]) {
        await refuse({ referenceId: wrong }, 'INVALID_REFERENCE_ID')
      }
      for (const referenceId of [newReference().slice(4, 12), `aZ09._:-${newReference()}`.padEnd(100, 'x')]) {
        assert.equal((await api.post(path, { ...valid(), referenceId })).status, 201)
      }
    })

    test(amount, async () => {
      const invalid = [
        '',
        ' ',
        '1 ',
        ' 1',
        '+1',
        '01',
        '1.',
        '.5',
        '1.0000001',
        '1e3',
        '1,5',
        '0x10',
        '١',
        'NaN',
        'Infinity',
        '--1',
        '-',
        '1\n',
        '1\u0000',
        '1_000',
        '1000000000000',
        '9'.repeat(60_000),
      ]
      for (const wrong of [undefined, ...WRONG_TYPES, 10, 1e21, ...invalid])
        await refuse({ [amount]: wrong }, 'INVALID_AMOUNT')
      for (const wrong of ['0', '0.0', '0.000000', '-1', '-0', '-0.000001', '-999999999999.999999']) {
        await refuse({ [amount]: wrong }, 'AMOUNT_NEGATIVE_OR_ZERO')
      }
      for (const right of ['1', '1.5', '1.000000'])
        assert.equal((await api.post(path, { ...valid(), [amount]: right })).status, 201)
    })

    test('walletAddress', async () => {
      const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
      const zero = `0x${'0'.repeat(40)}`
      const swapped = address.replace('aA', 'Aa')
      const wrongs = [
        undefined,
        ...WRONG_TYPES,
        '',
        address.slice(2),
        address.slice(0, -1),
        `${address}0`,
        `0x${'g'.repeat(40)}`,
        zero,
        swapped,
        ` ${address}`,
        `${address}\n`,
        address.replace('0x', '0X'),
      ]
      for (const wrong of wrongs) await refuse({ walletAddress: wrong }, 'INVALID_WALLET_ADDRESS')
      for (const oneCase of [address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
        const answer = await api.post(path, { ...valid(), walletAddress: oneCase })
        if (checksum === 'required') assertRefused(answer, 400, 'INVALID_WALLET_ADDRESS')
        else assert.deepEqual([answer.status, answer.body.walletAddress], [201, address])
      }
    })

    test('customerId', async () => {
      for (const wrong of [undefined, ...WRONG_TYPES]) await refuse({ customerId: wrong }, 'BAD_REQUEST', 'customerId')
      const strangers = await api.makeCustomer({}, await api.makeIntegration())
      for (const unknown of [
        '',
        'cus_unknown',
        'x'.repeat(10_000),
        'nul\u0000',
        "'; drop table orders; --",
        strangers,
        customerId.toUpperCase(),
      ]) {
        assertRefused(await api.post(path, { ...valid(), customerId: unknown }), 404, 'NOT_FOUND')
      }
    })

    test('chainId', async () => {
      for (const wrong of [null, true, {}, [], '', String(CHAIN_ID), 1.5, [CHAIN_ID]])
        await refuse({ chainId: wrong }, 'BAD_REQUEST', 'chainId')
      for (const rounded of [`${CHAIN_ID}.00000000000000000001`, '9007199254740993']) {
        const raw = `${JSON.stringify(valid()).slice(0, -1)},"chainId":${rounded}}`
        assert.deepEqual(assertRefused(await api.post(path, undefined, { raw }), 400, 'BAD_REQUEST'), {
          field: 'chainId',
        })
      }
      for (const unknown of [0, -1, 1, 999_999_999, Number.MAX_SAFE_INTEGER]) {
        const meta = assertRefused(await api.post(path, { ...valid(), chainId: unknown }), 400, 'INVALID_CHAIN_ID')
        assert.deepEqual(meta, { chainId: unknown, supportedChainIds: [CHAIN_ID, OTHER_CHAIN_ID] })
      }
      const answer = await api.post(path, { ...valid(), chainId: OTHER_CHAIN_ID })
      assert.deepEqual([answer.status, answer.body.chainId], [201, OTHER_CHAIN_ID])
    })

    test('the first bad field in the order of the contract is named', async () => {
      const answer = await api.post(path, {
        referenceId: 1,
        [amount]: 1,
        walletAddress: 1,
        customerId: 1,
        chainId: 'x',
      })
      assertRefused(answer, 400, 'INVALID_REFERENCE_ID')
    })
  })
}

test('fiatConfirmed', async () => {
  for (const wrong of [null, 0, 1, 'true', 'false', '', {}, []]) {
    const body = {
      referenceId: newReference(),
      amountMyr: '10',
      walletAddress: newAddress(),
      customerId,
      fiatConfirmed: wrong,
    }
    assert.deepEqual(assertRefused(await api.post('/v1/mints', body), 400, 'BAD_REQUEST'), { field: 'fiatConfirmed' })
  }
})

test('bankReference', async () => {
  const body = () => ({ referenceId: newReference(), amountCoin: '1', walletAddress, customerId })
  for (const wrong of [null, 0, true, {}, [], 'x'.repeat(256), '😀'.repeat(256), 'nul\u0000', 'new\nline']) {
    const answer = await api.post('/v1/redeems', { ...body(), bankReference: wrong })
    assert.deepEqual(assertRefused(answer, 400, 'BAD_REQUEST'), { field: 'bankReference' })
  }
  for (const right of ['', 'INV 2026/0001 – März', 'x'.repeat(255), '😀'.repeat(255)]) {
    assert.equal((await api.post('/v1/redeems', { ...body(), bankReference: right })).status, 201)
  }
})

test('filters of the list', async () => {
  const wrong: Record<string, string[]> = {
    direction: ['', 'mint', 'ALL', 'MINT,REDEEM', 'MINT&direction=REDEEM'],
    status: ['', 'PENDING', 'done', 'pending&status=failed'],
    createdAfter: [
      '',
      'yesterday',
      '1',
      '2026-02-30',
      '2026-01-01T00:00:00',
      '2026-01-01T25:00:00Z',
      '2026-0101',
      '20260101T000000',
      '2026-01-01 00:00:00Z',
    ],
    createdBefore: ['', 'x', '2026-13-01', '2026-01-01T00:00:00.1234567890Z'],
    limit: ['', '0', '101', '-1', '1.5', '1e1', '050', ' 1', 'ten', '1&limit=2', '%31%30%30%30'],
    cursor: ['', 'x', 'A'.repeat(34), 'A'.repeat(5_000), '%00'],
  }
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) {
      const answer = await api.get(`/v1/transactions?${field}=${value}`)
      assert.deepEqual(assertRefused(answer, 400, 'BAD_REQUEST'), { field }, `${field}=${value}`)
    }
  }
  const right =
    'direction=MINT&status=pending&createdAfter=2026-01-01&createdBefore=29990101T000000%2B0800&limit=100&unknown=1&unknown=2&__proto__=1'
  assert.equal((await api.get(`/v1/transactions?${right}`)).status, 200)
})

test('chainId of balances', async () => {
  const path = `/v1/balances/${newAddress()}?chainId=`
  const twice = `${CHAIN_ID}&chainId=${CHAIN_ID}`
  for (const wrong of ['', 'x', '1.0', '0x7a69', '1e3', `0${CHAIN_ID}`, twice, '9007199254740993', '9'.repeat(400)]) {
    assert.deepEqual(assertRefused(await api.get(path + wrong), 400, 'BAD_REQUEST'), { field: 'chainId' })
  }
  for (const unknown of [0, -1, 1, 999_999_999, Number.MAX_SAFE_INTEGER]) {
    const meta = assertRefused(await api.get(path + unknown), 400, 'INVALID_CHAIN_ID')
    assert.deepEqual(meta, { chainId: unknown, supportedChainIds: [CHAIN_ID, OTHER_CHAIN_ID] })
  }
})
