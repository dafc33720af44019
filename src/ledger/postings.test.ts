import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { entriesOfSettled, entryOfSent } from './postings.ts'

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
      ...{ chainId: 5, source: 'batch/5/9', effectiveAt: NOON },
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

describe('the entry of a payout that was sent', () => {
  it('moves what is payable to what is on its way', () => {
    const sent = {
      payoutId: 'po_1',
      attempt: 2,
      integrationId: 'int_a',
      rail: 'http',
      amountSen: 1_205n,
      effectiveAt: NOON,
    }
    assert.deepEqual(entryOfSent(sent), {
      reference: 'payout/po_1/sent/2',
      effectiveAt: NOON,
      lines: [
        { account: 'redeem_payable:int_a', amountMicro: 12_050_000n },
        { account: 'payout_clearing:http', amountMicro: -12_050_000n },
      ],
    })
  })
})
