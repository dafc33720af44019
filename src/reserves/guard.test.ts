import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { availableOf, committedOf, type ReserveFacts, roomOf } from './guard.ts'

const HOUR = 3_600_000
const POLICY = { maxAgeMs: 36 * HOUR }
const micro = fc.bigInt({ min: 0n, max: 10n ** 15n })
const account = fc.record({
  bankAccount: fc.constantFrom('main', 'second'),
  closingMicro: micro,
  bookedMicro: micro,
  creditsSinceMicro: micro,
  ageMs: fc.integer({ min: 0, max: 60 * HOUR }),
})
const facts: fc.Arbitrary<ReserveFacts> = fc.record({
  accounts: fc.array(account, { maxLength: 3 }),
  clearingMicro: micro,
  coinsMicro: micro,
  signedMicro: micro,
  payableMicro: micro,
  residualMicro: micro,
})
/** The bank and the books agree on an account that covers more than it must: drawn at random, the two would never be the same. */
const covered = fc.tuple(facts, fc.bigInt({ min: 1n, max: 10n ** 15n })).map(([given, moreMicro]): ReserveFacts => {
  const closingMicro = committedOf(given) + given.clearingMicro + moreMicro
  const main = { bankAccount: 'main', closingMicro, bookedMicro: closingMicro, creditsSinceMicro: 0n, ageMs: 0 }
  return { ...given, accounts: [main] }
})

test('minting all of the room leaves a reserve that covers everything, and a sen more would not', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { roomMicro } = roomOf(given, POLICY)
      if (roomMicro === 0n) return
      const minted = { ...given, signedMicro: given.signedMicro + roomMicro }
      assert.equal(availableOf(minted), committedOf(minted))
      assert.equal(roomOf(minted, POLICY).roomMicro, 0n)
      assert.ok(given.accounts.every(({ closingMicro, ageMs }) => closingMicro === 0n || ageMs <= POLICY.maxAgeMs))
    }),
  )
})

test('nothing that happens to a coin or a payout makes room, until money comes or a holder is paid', () => {
  fc.assert(
    fc.property(fc.oneof(facts, covered), micro, (given, amountMicro) => {
      const room = (changes: Partial<ReserveFacts>) => roomOf({ ...given, ...changes }, POLICY).roomMicro
      const before = room({})
      const final = { signedMicro: given.signedMicro - amountMicro, coinsMicro: given.coinsMicro + amountMicro }
      const burnt = { coinsMicro: given.coinsMicro - amountMicro, payableMicro: given.payableMicro + amountMicro }
      const sent = { payableMicro: given.payableMicro - amountMicro, clearingMicro: given.clearingMicro + amountMicro }
      const refunded = { payableMicro: given.payableMicro - amountMicro, coinsMicro: given.coinsMicro + amountMicro }
      for (const change of [final, burnt, sent, refunded]) assert.equal(room(change), before)
    }),
  )
})

test('a payout that has left the bank makes no room before the books have seen it, and none afterwards', () => {
  fc.assert(
    fc.property(covered, micro, (given, amountMicro) => {
      const before = roomOf(given, POLICY).roomMicro
      assert.ok(before > 0n)
      const roomWhen = (isBooked: boolean) => {
        const accounts = given.accounts.map((each) => ({
          ...each,
          closingMicro: each.closingMicro - amountMicro,
          bookedMicro: each.bookedMicro - (isBooked ? amountMicro : 0n),
        }))
        const clearingMicro = given.clearingMicro - (isBooked ? amountMicro : 0n)
        return roomOf({ ...given, accounts, clearingMicro }, POLICY).roomMicro
      }
      assert.equal(roomWhen(false), before > amountMicro ? before - amountMicro : 0n)
      assert.equal(roomWhen(true), before)
    }),
  )
})

const one = { bankAccount: 'main', closingMicro: 100n, bookedMicro: 100n, creditsSinceMicro: 7n, ageMs: 0 }
const some: ReserveFacts = {
  accounts: [one],
  clearingMicro: 20n,
  coinsMicro: 40n,
  signedMicro: 8n,
  payableMicro: 5n,
  residualMicro: 1n,
}

test('every amount counts on its side', () => {
  assert.deepEqual(roomOf(some, POLICY), { roomMicro: 33n, blind: undefined, oldAccounts: [] })
  assert.equal(roomOf({ ...some, coinsMicro: 400n }, POLICY).roomMicro, 0n)
})

test('of the bank and the books the lower balance counts', () => {
  for (const changes of [{ closingMicro: 90n }, { bookedMicro: 90n }]) {
    assert.equal(roomOf({ ...some, accounts: [{ ...one, ...changes }] }, POLICY).roomMicro, 23n)
  }
})

test('without a statement, or with an old one of an account with money, there is no room', () => {
  const room = (...accounts: ReserveFacts['accounts']) => roomOf({ ...some, accounts }, POLICY)
  const old = { ...one, bankAccount: 'second', ageMs: 36 * HOUR + 1 }
  assert.deepEqual(room(), { roomMicro: 0n, blind: 'no_statement', oldAccounts: [] })
  assert.deepEqual(room(one, old), { roomMicro: 0n, blind: 'statement_old', oldAccounts: ['second'] })
  assert.deepEqual(room(one, { ...old, closingMicro: 0n, bookedMicro: 0n }).oldAccounts, ['second'])
  assert.deepEqual(room(one, { ...old, creditsSinceMicro: 0n }).oldAccounts, ['second'])
  assert.equal(room(one, { ...old, ageMs: 36 * HOUR }).blind, undefined)
  assert.deepEqual(room(one, { ...old, closingMicro: 0n, bookedMicro: 0n, creditsSinceMicro: 0n }).roomMicro, 33n)
})
