import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Address, concatHex, getAddress, type Hex, keccak256, size, slice, toHex, zeroAddress } from 'viem'
import { orderTag } from '../values/order-tag.ts'
import {
  decodeSettle,
  digestOf,
  encodeSettle,
  type Instructable,
  instructionOf,
  linkAccount,
  NO_HISTORY,
  packInstructions,
  runningHashAfter,
  unpackInstructions,
} from './instructions.ts'

const address = fc.integer({ min: 1 }).map((seed) => getAddress(slice(keccak256(toHex(seed)), 12)))
const order: fc.Arbitrary<Instructable> = fc.record({
  integrationId: fc.string(),
  referenceId: fc.string(),
  direction: fc.constantFrom('MINT', 'REDEEM', 'TRANSFER'),
  walletAddress: address,
  debitAddress: address,
  amountMicro: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
})
const orders = fc.array(order, { minLength: 1, maxLength: 20 })
const [one, two] = [getAddress(`0x${'1'.repeat(40)}`), getAddress(`0x${'2'.repeat(40)}`)]

test('packed instructions unpack unchanged, from 37 bytes for a mint or burn and 57 for a transfer', () => {
  fc.assert(
    fc.property(orders, (list) => {
      const instructions = list.map(instructionOf)
      const packed = packInstructions(instructions)
      assert.deepEqual(unpackInstructions(packed), instructions)
      const bytes = list.map(({ direction }) => (direction === 'TRANSFER' ? 57 : 37))
      assert.equal(
        size(packed),
        bytes.reduce((sum, each) => sum + each, 0),
      )
    }),
  )
})

test('call data contains the batch id, the history before it and its instructions', () => {
  fc.assert(
    fc.property(orders, fc.bigInt({ min: 1n, max: 2n ** 63n }), (list, batchId) => {
      const packed = packInstructions(list.map(instructionOf))
      const previous = keccak256(toHex(batchId))
      assert.deepEqual(decodeSettle(encodeSettle(batchId, previous, packed)), { batchId, previous, packed })
    }),
  )
  assert.equal(decodeSettle('0x'), undefined)
  assert.equal(decodeSettle('0x8456cb59'), undefined)
})

test('an instruction is these bytes', () => {
  const tag: Hex = '0xa1a2a3a4a5a6a7a8'
  const mint = { kind: 0, from: zeroAddress, to: one, amount: 1_000_000n, tag } as const
  const mintBytes: Hex = `0x00${'00000000000f4240'}a1a2a3a4a5a6a7a8${'1'.repeat(40)}`
  assert.equal(packInstructions([mint]), mintBytes)
  const transfer = { kind: 2, from: one, to: two, amount: 2n ** 64n - 1n, tag } as const
  const transferBytes: Hex = `0x02${'f'.repeat(16)}a1a2a3a4a5a6a7a8${'1'.repeat(40)}${'2'.repeat(40)}`
  assert.equal(packInstructions([transfer]), transferBytes)
  assert.equal(packInstructions([{ ...mint, kind: 1, from: two, to: zeroAddress }]).slice(0, 4), '0x01')
  assert.throws(() => packInstructions([{ ...mint, amount: 2n ** 64n }]))
  // The rest would be read as further instructions.
  const more = packInstructions([transfer]).slice(2)
  for (const to of [`${mint.to}${more}`, mint.to.slice(0, -2), `0x${'zz'.repeat(20)}`])
    assert.throws(() => packInstructions([{ ...mint, to: to as typeof mint.to }]), /not 20 bytes/)
})

test('bytes that the contract would refuse are not instructions', () => {
  const packed = packInstructions([instructionOf({ ...sample, direction: 'TRANSFER' })])
  for (let length = 0; length < 57; length += 1)
    assert.equal(unpackInstructions(length === 0 ? '0x' : slice(packed, 0, length)), undefined)
  assert.equal(unpackInstructions(`0x03${packed.slice(4)}`), undefined)
  for (const bytes of [37, 57]) assert.equal(unpackInstructions(`0x03${'11'.repeat(bytes - 1)}`), undefined)
  assert.equal(unpackInstructions(concatHex(Array.from({ length: 256 }, () => packed))), undefined)
  assert.equal(unpackInstructions(concatHex(Array.from({ length: 255 }, () => packed)))?.length, 255)
})

test('the digest is 24 bytes of the hash of the packed bytes, and the running hash continues with it', () => {
  const packed = packInstructions([instructionOf(sample)])
  assert.equal(digestOf(packed), keccak256(packed).slice(0, 2 + 48))
  const first = runningHashAfter(NO_HISTORY, digestOf(packed))
  assert.equal(first, keccak256(`0x${'00'.repeat(32)}${digestOf(packed).slice(2)}`))
  assert.notEqual(runningHashAfter(first, digestOf(packed)), first)
})

const sample: Instructable = {
  integrationId: 'int_1',
  referenceId: 'ref',
  direction: 'MINT',
  walletAddress: one,
  debitAddress: two,
  amountMicro: 1n,
}

test('a tag is 8 bytes of integration and reference, of that pair alone', () => {
  assert.equal(orderTag('int_1', 'ref'), keccak256(toHex('int_1\0ref')).slice(0, 18))
  assert.notEqual(orderTag('int_1', 'ref'), orderTag('int_1r', 'ef'))
  assert.equal(linkAccount('int_1', 'cus'), keccak256(toHex('int_1\0cus')))
  assert.notEqual(linkAccount('int_1', 'cus'), linkAccount('int_2', 'cus'))
  fc.assert(
    fc.property(order, order, (a, b) => {
      const isSame = a.integrationId === b.integrationId && a.referenceId === b.referenceId
      assert.equal(instructionOf(a).tag === instructionOf(b).tag, isSame)
    }),
  )
})

test('a mint comes from nowhere, a burn goes nowhere, a debit without a wallet is refused', () => {
  const tag = orderTag('int_1', 'ref')
  const rest = { amount: 1n, tag }
  assert.deepEqual(instructionOf(sample), { kind: 0, from: zeroAddress, to: one, ...rest })
  assert.deepEqual(instructionOf({ ...sample, direction: 'REDEEM' }), { kind: 1, from: two, to: zeroAddress, ...rest })
  assert.deepEqual(instructionOf({ ...sample, direction: 'TRANSFER' }), { kind: 2, from: two, to: one, ...rest })
  const none: Address | null = null
  assert.throws(() => instructionOf({ ...sample, debitAddress: none, direction: 'REDEEM' }))
})
