import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Signer } from '../../chain/signer.ts'
import type { InFlightBatch } from '../tables/in-flight.sql.ts'
import { type Account, assign, committedWei } from './assign.ts'
import type { Simulated } from './simulate.ts'

const signer = (name: string): Signer => ({
  address: name as Signer['address'],
  sign: () => Promise.reject(new Error()),
})
const [S, T] = [signer('S'), signer('T')]
const account = (changes: Partial<Account>): Account => ({
  ...{ signer: S, nonce: 0n, unmined: 0, committedWei: 0n, balanceWei: 10n ** 18n },
  ...changes,
})
const batch = (gas: bigint): Simulated => ({ batchId: 1n, orders: [], callData: '0x', digest: '0x', gas })
const fees = { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }
const shown = ({ assigned }: ReturnType<typeof assign>) => assigned.map((each) => `${each.signer.address}${each.nonce}`)

test('each batch goes to the signer with the fewest unmined ones, under its next nonce', () => {
  const batches = [batch(1n), batch(1n), batch(1n), batch(1n)]
  const [busy, idle] = [account({ nonce: 5n, unmined: 2 }), account({ signer: T, nonce: 5n })]
  assert.deepEqual(shown(assign(batches, [busy, idle], fees)), ['T5', 'T6', 'S5', 'T7'])
  assert.deepEqual(shown(assign(batches, [account({ nonce: 5n })], fees)), ['S5', 'S6', 'S7', 'S8'])
  assert.deepEqual(assign(batches, [account({})], fees).assigned[0]?.fees, fees)
})

test('a balance must cover a batch with everything that is unmined, to the wei', () => {
  const of = (balanceWei: bigint, committed = 0n) =>
    assign([batch(3n), batch(4n)], [account({ balanceWei, committedWei: committed })], fees)
  assert.deepEqual(shown(of(70n)), ['S0', 'S1'])
  assert.equal(of(70n).shortage, undefined)
  assert.deepEqual(shown(of(69n)), ['S0'])
  assert.deepEqual(of(69n).shortage, { signer: S, balanceWei: 69n, neededWei: 70n })
  assert.deepEqual(shown(of(70n, 1n)), ['S0'])
  assert.deepEqual(shown(of(29n)), [])
})

test('no signer promises more than it has, and what one cannot pay for ends the list', () => {
  const gas = fc.array(fc.bigInt({ min: 1n, max: 50n }), { maxLength: 12 })
  const balances = fc.tuple(fc.bigInt({ min: 0n, max: 2_000n }), fc.bigInt({ min: 0n, max: 2_000n }))
  fc.assert(
    fc.property(gas, balances, (gases, [ofS, ofT]) => {
      const accounts = [account({ balanceWei: ofS }), account({ signer: T, balanceWei: ofT })] as const
      const { assigned, shortage } = assign(gases.map(batch), [...accounts], fees)
      for (const { signer: own, balanceWei } of accounts) {
        const taken = assigned.filter((each) => each.signer === own)
        assert.ok(taken.reduce((sum, each) => sum + each.gas * fees.maxFeePerGas, 0n) <= balanceWei)
        assert.deepEqual(
          taken.map(({ nonce }) => nonce),
          taken.map((_, index) => BigInt(index)),
        )
      }
      assert.equal(shortage === undefined, assigned.length === gases.length)
      assert.deepEqual(
        accounts.map(({ nonce, unmined, committedWei: committed }) => [nonce, unmined, committed]),
        [
          [0n, 0, 0n],
          [0n, 0, 0n],
        ],
      )
    }),
  )
})

test('what is unmined may cost what the newest attempt of each batch offers', () => {
  const attempt = (gasLimit: bigint, maxFeePerGas: bigint) => ({ gasLimit, fees: { ...fees, maxFeePerGas } })
  const of = (...attempts: object[]) => ({ attempts }) as unknown as InFlightBatch
  assert.equal(committedWei([of(attempt(2n, 10n), attempt(2n, 12n)), of(attempt(3n, 7n)), of()]), 24n + 21n)
  assert.equal(committedWei([]), 0n)
})
