import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { entriesOfSettled, entryOfPayout, type PayoutEvent } from './postings.ts'

const NOON = new Date('2026-11-21T12:00:00Z')
const micro = fc.bigInt({ min: 1n, max: 10n ** 20n })
const party = fc.constantFrom('int_a', 'int_b', 'int_c')
const minted = fc.record({ integrationId: party, amountMicro: micro, feeMicro: fc.bigInt({ min: 0n, max: 10n ** 9n }) })
const burnt = minted.chain((order) =>
  fc.bigInt({ min: 0n, max: order.amountMicro / 10_000n + 1n }).map((payoutSen) => ({ ...order, payoutSen })),
)

describe('entries of settled orders', () => {
  it('balance, and have no empty line, whatever was settled', () => {
    fc.assert(
      fc.property(fc.array(minted, { maxLength: 8 }), fc.array(burnt, { maxLength: 8 }), (mints, redeems) => {
        const entries = entriesOfSettled({
          chainId: 5,
          source: 'batch/5/9',
          effectiveAt: NOON,
          minted: mints,
          burnt: redeems,
        })
        const parties = new Set([...mints, ...redeems].map(({ integrationId }) => integrationId))
        assert.deepEqual(
          entries.map(({ reference }) => reference),
          [...parties].sort().map((id) => `batch/5/9/${id}`),
        )
        for (const { lines } of entries) {
          assert.ok(lines.length >= 2)
          assert.ok(lines.every(({ amountMicro }) => amountMicro !== 0n))
          assert.equal(
            lines.reduce((total, { amountMicro }) => total + amountMicro, 0n),
            0n,
          )
        }
      }),
    )
  })

  it('say what an integration owes, what its customers are owed, and what coin there is', () => {
    const entries = entriesOfSettled({
      chainId: 5,
      source: 'batch/5/9',
      effectiveAt: NOON,
      minted: [
        { integrationId: 'int_a', amountMicro: 5_000_000n, feeMicro: 100n },
        { integrationId: 'int_b', amountMicro: 1n, feeMicro: 0n },
      ],
      burnt: [
        { integrationId: 'int_a', amountMicro: 1_234_567n, feeMicro: 20n, payoutSen: 123n },
        // What was left of an earlier redeem goes out with this one.
        { integrationId: 'int_a', amountMicro: 9_999n, feeMicro: 0n, payoutSen: 1n },
      ],
    })
    assert.deepEqual(
      entries.map(({ reference, lines }) => [
        reference,
        Object.fromEntries(lines.map(({ account, amountMicro }, index) => [`${index} ${account}`, amountMicro])),
      ]),
      [
        [
          'batch/5/9/int_a',
          {
            '0 mint_receivable:int_a': 5_000_000n,
            '1 coins:5': -5_000_000n,
            '2 coins:5': 1_244_566n,
            '3 redeem_payable:int_a': -1_240_000n,
            '4 residual:int_a': -4_566n,
            '5 fees_receivable:int_a': 120n,
            '6 fees:int_a': -120n,
          },
        ],
        ['batch/5/9/int_b', { '0 mint_receivable:int_b': 1n, '1 coins:5': -1n }],
      ],
    )
  })
})

describe('the entry of a payment', () => {
  const payment = {
    payoutId: 'po_1',
    attempt: 2,
    timesSent: 1,
    integrationId: 'int_a',
    rail: 'http',
    amountSen: 1_234n,
  }
  const entryOf = (what: PayoutEvent['what'], timesSent = 1) =>
    entryOfPayout({ ...payment, timesSent, what, bankAccount: '512', effectiveAt: NOON })

  it('moves its amount from one account to another', () => {
    const moved = (
      [
        'sent',
        'unsent',
        'byHand',
        'paid',
        'unpaid',
        'returned',
        'extraPaid',
        'extraReturned',
        'extraUnshown',
        'extraTaken',
      ] as const
    ).map((what) => {
      const { reference, lines, effectiveAt } = entryOf(what)
      assert.equal(effectiveAt, NOON)
      assert.deepEqual(
        lines.map(({ amountMicro }) => amountMicro),
        [12_340_000n, -12_340_000n],
      )
      return [reference, ...lines.map(({ account }) => account)]
    })
    assert.deepEqual(moved, [
      ['payout/po_1/sent/2', 'redeem_payable:int_a', 'payout_clearing:http'],
      ['payout/po_1/unsent/2', 'payout_clearing:http', 'redeem_payable:int_a'],
      ['payout/po_1/byHand/2', 'redeem_payable:int_a', 'payout_clearing:http'],
      ['payout/po_1/paid/2', 'payout_clearing:http', 'reserve:512'],
      ['payout/po_1/unpaid/2', 'reserve:512', 'redeem_payable:int_a'],
      ['payout/po_1/returned/2', 'reserve:512', 'redeem_payable:int_a'],
      ['payout/po_1/extraPaid/2', 'unallocated:512', 'reserve:512'],
      ['payout/po_1/extraReturned/2', 'reserve:512', 'unallocated:512'],
      ['payout/po_1/extraUnshown/2', 'reserve:512', 'unallocated:512'],
      ['payout/po_1/extraTaken/2', 'redeem_payable:int_a', 'unallocated:512'],
    ])
  })

  it('counts how often the rail had it, when it changed its mind', () => {
    assert.equal(entryOf('sent', 2).reference, 'payout/po_1/sent/2/2')
    assert.equal(entryOf('unsent', 3).reference, 'payout/po_1/unsent/2/3')
    assert.equal(entryOf('paid', 2).reference, 'payout/po_1/paid/2/2')
    assert.equal(entryOf('returned', 2).reference, 'payout/po_1/returned/2')
  })
})
