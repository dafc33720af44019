import assert from 'node:assert/strict'
import { test } from 'node:test'
import { neededWei } from '../../chain/key-gas.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import { atWorst, expectedGas, gasLimitFor, gasLimitWanted, perOrder, worstGas } from './gas.ts'

test('a batch asks for somewhat more gas than it needs, but never for more than a block or a transaction may have', () => {
  assert.equal(gasLimitFor(1_000_000n, 30_000_000n), 1_080_000n)
  assert.equal(gasLimitFor(29_000_000n, 30_000_000n), 16_777_216n)
  assert.equal(gasLimitFor(1_000_000n, 1_080_001n), 1_080_000n)
  assert.equal(gasLimitFor(1_000_000n, 1_079_999n), 1_079_999n)
})

test('a batch asks for the worst cost of its instructions, whatever was estimated', () => {
  const of = (...directions: PendingOrder['direction'][]) => ({
    orders: directions.map((direction) => ({ direction })),
  })
  assert.equal(atWorst(1n, of('MINT')), 207_000n)
  assert.equal(atWorst(1n, of('MINT', 'REDEEM', 'TRANSFER', 'TRANSFER')), 286_000n)
  assert.equal(atWorst(207_001n, of('MINT')), 207_001n)
})

test('only large batches say what an order costs, rounded up', () => {
  assert.equal(perOrder(1_000_000n, 49), undefined)
  assert.equal(perOrder(1_000_000n, 50), 20_001n)
})

type Moving = Parameters<typeof expectedGas>[0][number]
const mint = (walletAddress: string): Moving => ({ direction: 'MINT', walletAddress, debitAddress: null })
const redeem = (debitAddress: string): Moving => ({ direction: 'REDEEM', walletAddress: debitAddress, debitAddress })
const transfer = (debitAddress: string, walletAddress: string): Moving => ({
  direction: 'TRANSFER',
  debitAddress,
  walletAddress,
})

test('a batch is expected to use less for a wallet that it has touched before, and more for one that gets its first coin', () => {
  const withEmpty = (...empty: string[]) => {
    return (...orders: Moving[]) => expectedGas(orders, (wallet) => empty.includes(wallet))
  }
  const use = withEmpty()
  const batch = use(mint('0xa')) - 3_500n - 4_800n
  assert.equal(use(mint('0xa'), mint('0xb')) - use(mint('0xa')), 8_300n)
  assert.equal(use(mint('0xa'), mint('0xA')) - use(mint('0xa')), 3_500n, 'whatever its letters')
  assert.equal(withEmpty('0xa')(mint('0xA')) - use(mint('0xa')), 17_100n)
  assert.equal(withEmpty('0xa')(mint('0xa'), mint('0xa')) - use(mint('0xa'), mint('0xa')), 17_100n, 'once')
  assert.equal(use(redeem('0xa')) - batch, 8_330n)
  assert.equal(withEmpty('0xa')(redeem('0xa')), use(redeem('0xa')), 'it is debited')
  assert.equal(use(transfer('0xa', '0xb')) - batch, 4_470n + 9_600n)
  assert.equal(withEmpty('0xb')(transfer('0xa', '0xb')) - use(transfer('0xa', '0xb')), 17_100n)
  assert.equal(use(mint('0xa'), redeem('0xa')) - use(mint('0xa')), 6_000n + 3_530n, 'another kind')
})

test('a signer is said to have too little before it cannot pay for a whole batch, of whatever kind', () => {
  for (const direction of ['MINT', 'REDEEM', 'TRANSFER'] as const) {
    const asked = gasLimitWanted(worstGas(Array.from({ length: 255 }, () => ({ direction }))))
    const needed = neededWei('signer', { maxFeePerGasWei: 1n, stopMaxFeePerGasWei: 1n })
    assert.ok(needed >= asked, `${direction}: ${needed} of ${asked}`)
  }
})
