import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Address, decodeFunctionData, getAddress, keccak256, slice, toHex, zeroAddress } from 'viem'
import { settlementAbi } from './generated/settlement.ts'
import { digestOf, encodeSettle, type Instructable, instructionOf } from './instructions.ts'

const address = fc.integer({ min: 1 }).map((seed) => getAddress(slice(keccak256(toHex(seed)), 12)))
const order: fc.Arbitrary<Instructable> = fc.record({
  direction: fc.constantFrom('MINT', 'REDEEM', 'TRANSFER'),
  walletAddress: address,
  debitAddress: address,
  amountMicro: fc.bigInt({ min: 1n, max: 10n ** 18n }),
})

test('call data holds the instructions as they are, and equal digests mean equal instructions', () => {
  fc.assert(
    fc.property(
      fc.array(order, { minLength: 1, maxLength: 20 }),
      fc.bigInt({ min: 1n, max: 2n ** 63n }),
      (orders, batchId) => {
        const instructions = orders.map(instructionOf)
        const { args } = decodeFunctionData({ abi: settlementAbi, data: encodeSettle(batchId, instructions) })
        assert.deepEqual(args, [batchId, instructions])
        const [first, ...others] = instructions
        if (first === undefined) return
        assert.notEqual(digestOf(instructions), digestOf([{ ...first, amount: first.amount + 1n }, ...others]))
      },
    ),
  )
})

test('the digest is that of the contract: keccak256(abi.encode(instructions))', () => {
  const to: Address = '0x0000000000000000000000000000000000000001'
  const words = [0x20, 1, 0, 0, 1, 5].map((word) => word.toString(16).padStart(64, '0')).join('')
  assert.equal(digestOf([{ kind: 0, from: zeroAddress, to, amount: 5n }]), keccak256(`0x${words}`))
})

test('a mint comes from nowhere, a burn goes nowhere, a debit without a wallet is refused', () => {
  const [wallet, debit] = [getAddress(`0x${'1'.repeat(40)}`), getAddress(`0x${'2'.repeat(40)}`)]
  const base = { walletAddress: wallet, debitAddress: debit, amountMicro: 1n }
  assert.deepEqual(instructionOf({ ...base, direction: 'MINT' }), {
    kind: 0,
    from: zeroAddress,
    to: wallet,
    amount: 1n,
  })
  assert.deepEqual(instructionOf({ ...base, direction: 'REDEEM' }), {
    kind: 1,
    from: debit,
    to: zeroAddress,
    amount: 1n,
  })
  assert.deepEqual(instructionOf({ ...base, direction: 'TRANSFER' }), { kind: 2, from: debit, to: wallet, amount: 1n })
  assert.throws(() => instructionOf({ ...base, debitAddress: null, direction: 'REDEEM' }))
})
