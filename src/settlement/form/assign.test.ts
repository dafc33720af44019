import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Signer } from '../../chain/signer.ts'
import type { InFlightBatch } from '../tables/in-flight.sql.ts'
import { type Account, assign, assignFirst, committedWei, leadersOf } from './assign.ts'
import type { Simulated } from './simulate.ts'

const signer = (name: string): Signer => ({
  address: name as Signer['address'],
  sign: () => Promise.reject(new Error()),
})
const [S, T] = [signer('S'), signer('T')]
const account = (changes: Partial<Account>): Account => ({
  signer: S,
  nonce: 0n,
  committedWei: 0n,
  balanceWei: 10n ** 18n,
  ...changes,
})
const batch = (gas: bigint) => ({ gas }) as Simulated
const fees = { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }
const shown = ({ assigned }: ReturnType<typeof assign>) => assigned.map((each) => `${each.signer.address}${each.nonce}`)

test('batches go to one account, under its consecutive nonces', () => {
  const batches = [batch(1n), batch(1n), batch(1n)]
  assert.deepEqual(shown(assign(batches, account({ nonce: 5n }), fees)), ['S5', 'S6', 'S7'])
  assert.deepEqual(assign(batches, account({}), fees).assigned[0]?.fees, fees)
  assert.deepEqual(assign([], account({}), fees), { assigned: [], shortage: undefined })
})

test('the signer with a batch under way leads; with none under way every signer may, in their order', () => {
  const flying = (status: 'signed' | 'mined', address: string) => ({ status, signer: address }) as InFlightBatch
  assert.deepEqual(leadersOf([S, T], []), { signers: [S, T], isNext: true })
  assert.deepEqual(leadersOf([S, T], [flying('mined', 'T')]), { signers: [S, T], isNext: true })
  assert.deepEqual(leadersOf([S, T], [flying('mined', 'S'), flying('signed', 'T')]), { signers: [T], isNext: false })
  // A new batch follows the last one, and only its signer's nonces come after it.
  assert.deepEqual(leadersOf([S, T], [flying('signed', 'S'), flying('signed', 'T')]).signers, [T])
  assert.deepEqual(leadersOf([S], [flying('signed', 'T')]), { signers: [], isNext: false })
})

test('the first account that can pay for anything takes what it can pay for; when none can, the first one falls short', () => {
  const batches = [batch(3n), batch(4n)]
  const [nothing, some, all] = [29n, 30n, 70n]
  const of = (...balances: bigint[]) =>
    assignFirst(
      batches,
      balances.map((balanceWei, index) => account({ signer: index === 0 ? S : T, balanceWei })),
      fees,
    )
  assert.deepEqual(shown(of(some, all)), ['S0'])
  assert.deepEqual(shown(of(nothing, some)), ['T0'])
  assert.deepEqual(shown(of(nothing, all)), ['T0', 'T1'])
  assert.equal(of(some).shortage, undefined)
  assert.deepEqual(of(nothing, 1n), { assigned: [], shortage: { signer: S, balanceWei: nothing, neededWei: some } })
  assert.deepEqual(assignFirst([], [account({})], fees), { assigned: [], shortage: undefined })
})

test('a balance must cover a batch with everything that is unmined, to the wei', () => {
  const of = (balanceWei: bigint, committed = 0n) =>
    assign([batch(3n), batch(4n)], account({ balanceWei, committedWei: committed }), fees)
  assert.deepEqual(shown(of(70n)), ['S0', 'S1'])
  assert.equal(of(70n).shortage, undefined)
  assert.deepEqual(shown(of(69n)), ['S0'])
  assert.deepEqual(of(69n).shortage, { signer: S, balanceWei: 69n, neededWei: 70n })
  assert.deepEqual(shown(of(70n, 1n)), ['S0'])
  assert.deepEqual(shown(of(29n)), [])
})

test('no signer commits more than it has, and the first batch it cannot pay for ends the list', () => {
  const gas = fc.array(fc.bigInt({ min: 1n, max: 50n }), { maxLength: 12 })
  fc.assert(
    fc.property(gas, fc.bigInt({ min: 0n, max: 2_000n }), (gases, balanceWei) => {
      const own = account({ balanceWei })
      const { assigned, shortage } = assign(gases.map(batch), own, fees)
      assert.ok(assigned.reduce((sum, each) => sum + each.gas * fees.maxFeePerGas, 0n) <= balanceWei)
      assert.deepEqual(
        assigned.map(({ nonce }) => nonce),
        assigned.map((_, index) => BigInt(index)),
      )
      assert.equal(shortage === undefined, assigned.length === gases.length)
      assert.deepEqual(own, account({ balanceWei }))
    }),
  )
})

test('what is unmined may cost what the dearest attempt of each batch offers', () => {
  const attempt = (gasLimit: bigint, maxFeePerGas: bigint) => ({ gasLimit, fees: { ...fees, maxFeePerGas } })
  const of = (...attempts: object[]) => ({ attempts }) as unknown as InFlightBatch
  assert.equal(committedWei([of(attempt(2n, 10n), attempt(2n, 12n)), of(attempt(3n, 7n)), of()]), 24n + 21n)
  assert.equal(committedWei([of(attempt(2n, 12n), attempt(2n, 10n))]), 24n)
  // An earlier batch had the same id: its attempts are listed too, and are not the present one's.
  const reused = {
    signer: 'a',
    nonce: 2n,
    attempts: [
      { signer: 'a', nonce: 2n, ...attempt(2n, 5n) },
      { signer: 'a', nonce: 1n, ...attempt(9n, 9n) },
    ],
  }
  assert.equal(committedWei([reused as unknown as InFlightBatch]), 10n)
  assert.equal(committedWei([]), 0n)
})
