import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Facts,
  isDistinctive,
  type Line,
  matchLine,
  type Payment,
  type ReferencedMint,
  referencesIn,
} from './match.ts'

const line: Line = {
  lineNo: 1n,
  bankAccount: 'main',
  place: 'main/S1/1.1',
  amountMicro: 100_000_000n,
  bookedOn: '2026-11-20',
  isReversal: false,
  endToEndId: null,
  remittance: '',
  remitterAccount: null,
  returnCode: null,
  takenBack: 0,
  ownAccount: null,
}
const mint = (changes: Partial<ReferencedMint> = {}): ReferencedMint => ({
  orderId: 1n,
  integrationId: 'int_a',
  referenceId: 'mint-number-0001',
  amountMicro: 100_000_000n,
  status: 'completed',
  isPaid: false,
  ...changes,
})
const payment: Payment = { payoutId: 'po_1', attempt: 1, amountSen: 10_000n }
const facts = (changes: Partial<Facts> = {}): Facts => ({ payments: [], mints: [], remitterOf: undefined, ...changes })

const micro = fc.bigInt({ min: 1n, max: 10n ** 15n })

test('a mint is matched only by what it comes to, to the next whole sen', () => {
  fc.assert(
    fc.property(fc.array(micro, { minLength: 1, maxLength: 5 }), fc.bigInt({ min: -3n, max: 3n }), (amounts, off) => {
      const mints = amounts.map((amountMicro, index) => mint({ amountMicro, orderId: BigInt(index) }))
      const dueSen = amounts.reduce((sum, amount) => sum + (amount + 9_999n) / 10_000n, 0n)
      const amountMicro = (dueSen + off) * 10_000n
      if (amountMicro <= 0n) return
      const match = matchLine({ ...line, amountMicro }, facts({ mints }))
      assert.equal(match.kind, off === 0n ? 'mint' : 'unallocated')
    }),
  )
})

test('a payment is matched by its own amount alone: a debit paid it, a credit gave it back', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 12n }),
      fc.boolean(),
      fc.integer({ min: -1, max: 1 }),
      (sen, debit, off) => {
        const amountMicro = (sen + BigInt(off)) * 10_000n * (debit ? -1n : 1n)
        if (amountMicro === 0n) return
        const match = matchLine({ ...line, amountMicro }, facts({ payments: [{ ...payment, amountSen: sen }] }))
        if (off !== 0) assert.equal(match.kind, 'unallocated')
        else
          assert.deepEqual(match, {
            kind: 'payout',
            payment: { ...payment, amountSen: sen },
            what: debit ? 'paid' : 'returned',
          })
      },
    ),
  )
})

test('a credit under the end-to-end id of a payment that pays in as well gives nothing back, unless the bank says so', () => {
  const known = (changes: Partial<Facts>) => facts({ payments: [payment], ...changes })
  const kindOf = (changes: Partial<Line>, some: Partial<Facts>) => matchLine({ ...line, ...changes }, known(some)).kind
  for (const some of [{ mints: [mint()] }, { remitterOf: 'int_a' }]) {
    assert.equal(kindOf({}, some), 'unallocated')
    assert.equal(kindOf({ returnCode: 'AC04' }, some), 'payout')
    assert.equal(kindOf({ isReversal: true }, some), 'payout')
    assert.equal(kindOf({ amountMicro: -100_000_000n }, some), 'payout')
  }
  assert.equal(kindOf({}, { mints: [mint({ referenceId: 'SETTLEMENT' })] }), 'payout')
})

test('what is not certain belongs to nothing', () => {
  const reasonOf = (changes: Partial<Line>, known: Facts) => {
    const match = matchLine({ ...line, ...changes }, known)
    return match.kind === 'unallocated' ? match.reason : match.kind
  }
  assert.match(reasonOf({}, facts({ payments: [payment, payment] })), /Several payments/)
  assert.match(
    reasonOf({ amountMicro: -100_000_000n, isReversal: true }, facts({ payments: [payment] })),
    /reverses a return/,
  )
  assert.match(reasonOf({ amountMicro: -1n }, facts({ mints: [mint()], remitterOf: 'int_a' })), /names no payment/)
  assert.match(reasonOf({ isReversal: true }, facts({ mints: [mint()], remitterOf: 'int_a' })), /reverses a debit/)
  // What is given back pays for nothing, though it has the words of what it gives back, and comes from where that went.
  assert.match(reasonOf({ returnCode: 'AC04' }, facts({ mints: [mint()] })), /gives back a payment/)
  assert.match(reasonOf({ returnCode: 'AC04' }, facts({ remitterOf: 'int_a' })), /gives back a payment/)
  assert.match(reasonOf({}, facts({ mints: [mint({ isPaid: true })] })), /was paid before/)
  for (const status of ['cancelled', 'failed'] as const)
    assert.equal(reasonOf({}, facts({ mints: [mint(), mint({ status })] })), `mint-number-0001 is ${status}.`)
  assert.equal(reasonOf({}, facts()), 'A credit without a text.')
  assert.equal(reasonOf({ remittance: 'RENT' }, facts()), 'A credit that names no mint and no remitter.')
  assert.match(reasonOf({}, facts({ mints: [mint({ referenceId: 'SETTLEMENT' })] })), /SETTLEMENT may be just a word/)
  assert.match(reasonOf({}, facts({ mints: [mint(), mint({ integrationId: 'int_b' })] })), /several integrations/)
  assert.match(reasonOf({ place: 'main/S1/0.0' }, facts({ remitterOf: 'int_a' })), /before its first statement/)
  assert.equal(reasonOf({}, facts({ remitterOf: 'int_a' })), 'remitter')
  assert.equal(reasonOf({}, facts({ mints: [mint()], remitterOf: 'int_a' })), 'mint')
})

test('a reference that another partner chose neither takes a credit nor keeps it from its own mint', () => {
  const word = mint({ referenceId: 'SETTLEMENT', integrationId: 'int_b', orderId: 2n })
  const named = mint({ referenceId: 'INV-2026-000124', integrationId: 'int_b', orderId: 3n })
  const ownWord = mint({ referenceId: 'november', orderId: 4n })
  const match = (mints: ReferencedMint[], remitterOf?: string) => matchLine(line, facts({ mints, remitterOf }))
  const first = { kind: 'mint', integrationId: 'int_a', orderIds: [1n] }
  assert.equal(match([word]).kind, 'unallocated')
  assert.deepEqual(match([word, mint()]), first)
  assert.deepEqual(match([word, named, mint()], 'int_a'), first)
  assert.deepEqual(match([word, named, ownWord], 'int_a'), { ...first, orderIds: [4n] })
  assert.deepEqual(match([word, named], 'int_a'), { kind: 'remitter', integrationId: 'int_a' })
  assert.equal(match([named, mint()]).kind, 'unallocated')
})

test('words and dates are not distinctive, numbers of documents are', () => {
  const plain =
    'SETTLEMENT SETTLEMENT-NOVEMBER NOVEMBER2026 SETTLEMENT-2026-11-20 PAYMENT-20.11.2026 settlement_20261120 ' +
    'SETTLEMENT-201126 SETTLEMENT-261120 PAYMENT-2026-11 TRANSFER-11/2026-1 202611201234 INV-0001234'
  const distinctive = 'INV-2026-000123 ORD-20261120-0007 0b8c9a54-4a3e-4c4f-9f0e-6a2b7d1c8e21 INVOICE-0001'
  assert.deepEqual(plain.split(' ').filter(isDistinctive), [])
  assert.deepEqual(distinctive.split(' ').filter(isDistinctive), distinctive.split(' '))
})

test('references are found among other words, and however long the text is, few are looked for', () => {
  assert.deepEqual(referencesIn('PAYMENT mint-0001. (mint-0002), too'), [
    'mint-0001.',
    'mint-0001',
    '(mint-0002)',
    'mint-0002',
  ])
  assert.deepEqual(referencesIn('7 longer 8 shortest'), ['shortest'])
  const longest = 'r'.repeat(100)
  assert.deepEqual(referencesIn(`((${longest}.)...`), [longest])
  assert.deepEqual(referencesIn(`${longest}${'.'.repeat(20)}`), [longest])
  assert.deepEqual(referencesIn(`${longest}${'.'.repeat(21)}`), [])
  // It would not end if a word of marks were looked through from each of them.
  assert.deepEqual(referencesIn(`${'.'.repeat(3_000_000)}x`), [])
  assert.ok(referencesIn(Array.from({ length: 500 }, (_, n) => `reference-${n}`).join(' ')).length <= 40)
})

test('another account of ours is what a line belongs to, unless it names a payment; what is reversed had gone the other way', () => {
  const own = { ...line, ownAccount: 'second' }
  const between = (changes: Partial<Line>) =>
    matchLine({ ...own, ...changes }, facts({ mints: [mint()], remitterOf: 'int_a' }))
  assert.deepEqual(between({}), { kind: 'own_transfer', between: 'second/main' })
  assert.deepEqual(between({ amountMicro: -1n }), { kind: 'own_transfer', between: 'main/second' })
  assert.deepEqual(between({ isReversal: true }), { kind: 'own_transfer', between: 'main/second' })
  assert.deepEqual(between({ amountMicro: -1n, isReversal: true }), { kind: 'own_transfer', between: 'second/main' })
  assert.deepEqual(between({ returnCode: 'AC04' }), { kind: 'own_transfer', between: 'main/second' })
  assert.equal(matchLine(own, facts({ payments: [payment] })).kind, 'payout')
})
