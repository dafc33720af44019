// engine: postgres; both in test:long
/**
 * When two things are wrong with a request, the one checked earlier decides the answer: every pair, on every creating
 * POST.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { CustomerDetails } from '../../src/customers/customer.ts'
import type { ErrorCode } from '../../src/errors.ts'
import type { RateCounter } from '../../src/http/rate-counter.ts'
import { SCOPES, type Scope } from '../../src/integrations/api-key.ts'
import { type Answer, newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'

/** Everything about a request that a fault may change. */
type Draft = {
  path: string
  wrongSecret: boolean
  ipAllowlist: string[]
  exhausted: boolean
  idempotencyKey: string | null
  scopes: readonly Scope[]
  body: Record<string, unknown>
  raw: string | undefined
  /** The key was used before, for another body. */
  keyUsed: boolean
  foreignCustomer: boolean
  /** The reference names an order of another direction. */
  referenceTaken: boolean
  customer: Partial<CustomerDetails>
  balanceMicro: bigint
}
type Fault = { name: string; code: ErrorCode; make: (draft: Draft) => void }

const field = (name: string, value: unknown, code: ErrorCode): Fault => ({
  name: `a bad ${name}`,
  code,
  make: (draft) => (draft.body[name] = value),
})

const BEFORE_FIELDS: Fault[] = [
  { name: 'no such path', code: 'NOT_FOUND', make: (draft) => (draft.path += 'x') },
  { name: 'a wrong key', code: 'UNAUTHORIZED', make: (draft) => (draft.wrongSecret = true) },
  { name: 'a foreign address', code: 'IP_NOT_ALLOWED', make: (draft) => (draft.ipAllowlist = ['203.0.113.9']) },
  { name: 'too many requests', code: 'RATE_LIMITED', make: (draft) => (draft.exhausted = true) },
  {
    name: 'no Idempotency-Key',
    code: 'IDEMPOTENCY_KEY_REQUIRED',
    make: (draft) => (draft.idempotencyKey = null),
  },
  { name: 'no JSON object', code: 'INVALID_JSON', make: (draft) => (draft.raw = '["x"]') },
  { name: 'no scope', code: 'SCOPE_DENIED', make: (draft) => (draft.scopes = ['config:read']) },
  { name: 'a used key', code: 'IDEMPOTENCY_CONFLICT', make: (draft) => (draft.keyUsed = true) },
  field('referenceId', 'x', 'INVALID_REFERENCE_ID'),
]
const AFTER_AMOUNT: Fault[] = [
  field('walletAddress', '0x', 'INVALID_WALLET_ADDRESS'),
  field('customerId', 7, 'BAD_REQUEST'),
  field('chainId', 7, 'INVALID_CHAIN_ID'),
]
const PARTIES: Fault[] = [
  { name: 'a foreign customer', code: 'NOT_FOUND', make: (draft) => (draft.foreignCustomer = true) },
  { name: 'a taken reference', code: 'IDEMPOTENCY_CONFLICT', make: (draft) => (draft.referenceTaken = true) },
  {
    name: 'an unverified customer',
    code: 'CUSTOMER_NOT_VERIFIED',
    make: (draft) => (draft.customer.status = 'SUSPENDED'),
  },
]
const barred: Fault = {
  name: 'a capability switched off',
  code: 'POLICY_REJECTED',
  make: (draft) => Object.assign(draft.customer, { canMint: false, canRedeem: false, canTransfer: false }),
}
const poor: Fault = { name: 'too little', code: 'INSUFFICIENT_BALANCE', make: (draft) => (draft.balanceMicro = 1n) }
const withAmount = (name: string, code: ErrorCode, amountField: string, amount: string, resident = true): Fault => ({
  name,
  code,
  make: (draft) => {
    draft.body[amountField] = amount
    if (!resident) Object.assign(draft.customer, { isResident: false, countryCode: 'SG' })
  },
})

/** The faults in the order of the checks. Faults that cannot occur together are not paired. */
const FAULTS: Record<string, Fault[]> = {
  '/v1/mints': [
    ...BEFORE_FIELDS,
    field('amountMyr', 'x', 'INVALID_AMOUNT'),
    ...AFTER_AMOUNT,
    field('fiatConfirmed', 'yes', 'BAD_REQUEST'),
    ...PARTIES,
    withAmount('below the floor', 'AMOUNT_BELOW_FLOOR', 'amountMyr', '0.5'),
    withAmount('above the limit of foreigners', 'FOREIGNER_LIMIT_EXCEEDED', 'amountMyr', '100001', false),
    barred,
  ],
  '/v1/redeems': [
    ...BEFORE_FIELDS,
    field('amountCoin', 'x', 'INVALID_AMOUNT'),
    field('walletAddress', '0x', 'INVALID_WALLET_ADDRESS'),
    field('customerId', 7, 'BAD_REQUEST'),
    field('bankReference', 7, 'BAD_REQUEST'),
    field('chainId', 7, 'INVALID_CHAIN_ID'),
    ...PARTIES,
    withAmount('above the ceiling', 'AMOUNT_ABOVE_REDEEM_CEILING', 'amountCoin', '1000001'),
    withAmount('above the limit of foreigners', 'FOREIGNER_LIMIT_EXCEEDED', 'amountCoin', '100001', false),
    barred,
    {
      name: 'above the monthly limit',
      code: 'MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED',
      make: (draft) => (draft.customer.monthlyCapMicro = 1n),
    },
    poor,
  ],
  '/v1/transfers': [
    ...BEFORE_FIELDS,
    field('amountCoin', 'x', 'INVALID_AMOUNT'),
    ...AFTER_AMOUNT,
    ...PARTIES,
    barred,
    withAmount('above the cap', 'TRANSFER_PER_TX_CAP_EXCEEDED', 'amountCoin', '50001'),
    poor,
  ],
}

let api: TestApi
let foreignIntegration: string
let exhausted = false
/** A counter that counts nothing unless a test says that the bucket is empty. */
const rateCounter: RateCounter = { hit: () => (exhausted ? 2_000_000 : 1), peek: () => 0 }

before(async () => {
  api = await startTestApi({ rateCounter })
  foreignIntegration = await api.makeIntegration()
})
after(() => api.close())

async function send(path: string, faults: readonly Fault[]): Promise<Answer> {
  const amount = path === '/v1/mints' ? 'amountMyr' : 'amountCoin'
  const draft: Draft = {
    path,
    wrongSecret: false,
    ipAllowlist: [],
    exhausted: false,
    idempotencyKey: randomUUID(),
    scopes: SCOPES,
    body: { referenceId: newReference(), [amount]: '10', walletAddress: newAddress() },
    raw: undefined,
    keyUsed: false,
    foreignCustomer: false,
    referenceTaken: false,
    customer: {},
    balanceMicro: 10n ** 15n,
  }
  for (const { make } of faults) make(draft)
  const owner = draft.foreignCustomer ? foreignIntegration : api.integrationId
  const customerId = await api.makeCustomer(draft.customer, owner)
  const wallet = await api.makeWallet(customerId, draft.balanceMicro)
  if (path === '/v1/redeems' && draft.body.walletAddress !== '0x') draft.body.walletAddress = wallet
  draft.body.customerId ??= customerId
  exhausted = false
  if (draft.keyUsed && draft.idempotencyKey !== null) await useKey(draft.idempotencyKey)
  if (draft.referenceTaken) await takeReference(path, draft.body.referenceId)
  const key = await api.makeKey({ scopes: draft.scopes, ipAllowlist: draft.ipAllowlist })
  const last = key.endsWith('A') ? 'B' : 'A'
  exhausted = draft.exhausted
  return api.call('POST', draft.path, {
    key: draft.wrongSecret ? key.slice(0, -1) + last : key,
    idempotencyKey: draft.idempotencyKey,
    ...(draft.raw === undefined ? { body: draft.body } : { raw: draft.raw }),
  })
}

async function createMint(different: Record<string, unknown> = {}, idempotencyKey: string = randomUUID()) {
  const customerId = await api.makeCustomer()
  const body = { referenceId: newReference(), amountMyr: '10', walletAddress: newAddress(), customerId, ...different }
  assert.equal((await api.post('/v1/mints', body, { idempotencyKey })).status, 201)
}

async function useKey(idempotencyKey: string): Promise<void> {
  await createMint({}, idempotencyKey)
}

async function takeReference(path: string, referenceId: unknown): Promise<void> {
  if (referenceId === 'x') return
  if (path !== '/v1/mints') return createMint({ referenceId })
  const customerId = await api.makeCustomer()
  const walletAddress = await api.makeWallet(customerId, 10n ** 9n)
  const body = { referenceId, amountCoin: '1', walletAddress, customerId }
  assert.equal((await api.post('/v1/redeems', body)).status, 201)
}

/** Faults of the same field or the same property: the later would undo the earlier. */
function collide(one: Fault, other: Fault): boolean {
  const changed = (fault: Fault) => {
    const blank = { path: '', body: {}, customer: {} } as Draft
    fault.make(blank)
    return [...Object.keys(blank.body), ...Object.keys(blank.customer)]
  }
  const names = new Set(changed(one))
  return changed(other).some((name) => names.has(name))
}

for (const [path, faults] of Object.entries(FAULTS)) {
  describe(`POST ${path}`, () => {
    test('without a fault it is accepted', async () => {
      const answer = await send(path, [])
      assert.equal(answer.status, 201, answer.text)
    })
    for (const [index, first] of faults.entries()) {
      test(`${first.name} comes before what follows it: ${first.code}`, async () => {
        const pairs = faults.slice(index + 1).filter((second) => !collide(first, second))
        for (const second of [undefined, ...pairs]) {
          const answer = await send(path, second === undefined ? [first] : [first, second])
          const { code } = answer.body.error as { code: string }
          assert.equal(code, first.code, `${first.name} and ${second?.name ?? 'nothing else'}: ${answer.text}`)
        }
      })
    }
  })
}
