import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { badField } from '../../bad-fields.ts'
import { onOwnChain, parseMintRequest, parseRedeemRequest, parseTransferRequest } from './request.ts'

const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const CHAIN = { chainId: 7, network: 'Test', tokenAddress: WALLET, contracts: [], hasSanctionsOracle: false }
const CHAINS = { chains: new Map([[7, CHAIN]]), defaultChainId: 7 }
const MINT = { referenceId: 'reference-1', amountMyr: '12.5', walletAddress: WALLET, customerId: 'cus_1' }
const DEBIT = { referenceId: 'reference-1', amountCoin: '12.5', walletAddress: WALLET, customerId: 'cus_1' }

function refusalOf(parsed: ReturnType<typeof parseMintRequest>) {
  return parsed.ok ? undefined : parsed.refusal
}

test('reads a whole request, with its defaults', () => {
  const base = {
    referenceId: 'reference-1',
    amountMicro: 12_500_000n,
    walletAddress: WALLET,
    customerId: 'cus_1',
    chain: CHAIN,
  }
  assert.deepEqual(parseMintRequest(MINT, CHAINS), { ok: true, value: { ...base, fiatConfirmed: false } })
  assert.deepEqual(parseRedeemRequest(DEBIT, CHAINS), { ok: true, value: { ...base, bankReference: null } })
  assert.deepEqual(parseTransferRequest({ ...DEBIT, chainId: 7, unknown: 1 }, CHAINS), { ok: true, value: base })
})

test('names the first bad field, in the order of the contract', () => {
  const bad: [string, unknown, unknown][] = [
    ['referenceId', 1, { code: 'INVALID_REFERENCE_ID' }],
    ['amountCoin', 1, { code: 'INVALID_AMOUNT', detail: 'amountCoin is missing, or no string.' }],
    ['walletAddress', 1, { code: 'INVALID_WALLET_ADDRESS' }],
    ['customerId', 1, badField('customerId')],
    ['bankReference', 1, badField('bankReference')],
    ['chainId', '7', badField('chainId')],
  ]
  for (const [index, [, , refusal]] of bad.entries()) {
    const body = { ...DEBIT, ...Object.fromEntries(bad.slice(index).map(([field, value]) => [field, value])) }
    const parsed = parseRedeemRequest(body, CHAINS)
    assert.deepEqual(parsed.ok ? undefined : parsed.refusal, refusal)
  }
})

test('refuses missing fields and explicit nulls', () => {
  const codes: Record<string, string> = {
    referenceId: 'INVALID_REFERENCE_ID',
    amountMyr: 'INVALID_AMOUNT',
    walletAddress: 'INVALID_WALLET_ADDRESS',
    customerId: 'BAD_REQUEST',
  }
  for (const [field, code] of Object.entries(codes)) {
    for (const value of [undefined, null]) {
      assert.equal(refusalOf(parseMintRequest({ ...MINT, [field]: value }, CHAINS))?.code, code)
    }
  }
  for (const field of ['chainId', 'fiatConfirmed'] as const) {
    const refusal = refusalOf(parseMintRequest({ ...MINT, [field]: null }, CHAINS))
    assert.deepEqual(refusal, badField(field))
  }
})

test('tells a chain that is not configured from a value that is no chain id', () => {
  for (const chainId of [1, -7, 0, 1e300]) {
    const refusal = refusalOf(parseMintRequest({ ...MINT, chainId }, CHAINS))
    assert.deepEqual(refusal, { code: 'INVALID_CHAIN_ID', meta: { chainId, supportedChainIds: [7] } })
  }
  for (const chainId of ['7', 7.5, true, [7], {}]) {
    assert.equal(refusalOf(parseMintRequest({ ...MINT, chainId }, CHAINS))?.code, 'BAD_REQUEST')
  }
})

test('a request that names no chain means that of its reference, and says so where that is configured no longer', () => {
  const own = { ...CHAIN, chainId: 8 }
  const chains = { chains: new Map([...CHAINS.chains, [8, own]]), defaultChainId: 7 }
  const parsed = parseMintRequest(MINT, chains)
  assert.ok(parsed.ok)
  const request = parsed.value
  assert.deepEqual(onOwnChain(request, MINT, 8, chains), { ...request, chain: own })
  for (const ownChainId of [undefined, 7]) assert.equal(onOwnChain(request, MINT, ownChainId, chains), request)
  const unconfigured = onOwnChain(request, MINT, 9, chains)
  assert.deepEqual(unconfigured, { ...request, unconfigured: { chainId: 9, supportedChainIds: [7, 8] } })
  assert.equal(onOwnChain(unconfigured, MINT, 9, chains), unconfigured)
  assert.equal(onOwnChain(request, { ...MINT, chainId: 7 }, 8, chains), request)
})

test('requires a checksum of a mint and a redeem, not of a transfer', () => {
  const walletAddress = WALLET.toLowerCase()
  assert.equal(parseMintRequest({ ...MINT, walletAddress }, CHAINS).ok, false)
  assert.equal(parseRedeemRequest({ ...DEBIT, walletAddress }, CHAINS).ok, false)
  const transfer = parseTransferRequest({ ...DEBIT, walletAddress }, CHAINS)
  assert.equal(transfer.ok && transfer.value.walletAddress, WALLET)
})

test('keeps from PostgreSQL what it cannot store', () => {
  for (const customerId of ['cus\u0000', '\ud800', 'x'.repeat(201), 'a\nb']) {
    const parsed = parseMintRequest({ ...MINT, customerId }, CHAINS)
    assert.equal(parsed.ok && parsed.value.customerId, undefined)
  }
  for (const bankReference of ['pay\u0000', '\udfff', 'x'.repeat(256), '😀'.repeat(256), 'a\tb', 5, null]) {
    assert.equal(parseRedeemRequest({ ...DEBIT, bankReference }, CHAINS).ok, false)
  }
  for (const bankReference of ['', 'Gaji Mac 2026 – ✓', 'x'.repeat(255), '😀'.repeat(255)]) {
    assert.equal(parseRedeemRequest({ ...DEBIT, bankReference }, CHAINS).ok, true)
  }
})

test('never throws, whatever the body', () => {
  const anyBody = fc.dictionary(
    fc.constantFrom(...Object.keys(DEBIT), 'amountMyr', 'chainId', 'fiatConfirmed'),
    fc.anything(),
  )
  fc.assert(
    fc.property(anyBody, (body) => {
      for (const parse of [parseMintRequest, parseRedeemRequest, parseTransferRequest]) parse(body, CHAINS)
    }),
  )
})
