import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { formatAmount } from '../../money.ts'
import { judge } from './reconcile.ts'

const micro = fc.bigInt({ min: 1n, max: 10n ** 18n })

describe('judge', () => {
  it('is content only when each chain has what its orders say, even when the sums of all chains agree', () => {
    fc.assert(
      fc.property(micro, micro, fc.bigInt({ min: -3n, max: 3n }), (first, second, shift) => {
        const result = judge(
          [
            { chainId: 1, block: 5n, supplyMicro: first + shift, expectedMicro: first, bookedMicro: first - 1n },
            { chainId: 2, block: 6n, supplyMicro: second - shift, expectedMicro: second, bookedMicro: second },
          ],
          [],
        )
        assert.equal(result.supply, result.expected)
        assert.equal(result.supply, formatAmount(first + second))
        assert.equal(result.books, formatAmount(first - 1n + second))
        assert.equal(result.ok, shift === 0n)
        assert.equal(result.differences.length, shift === 0n ? 0 : 2)
      }),
    )
  })

  it('says by how much and in which direction', () => {
    const chain = { chainId: 1, block: 5n, expectedMicro: 10n ** 6n, bookedMicro: 0n }
    const message = (supplyMicro: bigint) => judge([{ ...chain, supplyMicro }], []).differences[0]?.message ?? ''
    assert.match(message(1_500_000n), /Chain 1 has 0\.5 coin more at block 5 than/)
    assert.match(message(1n), /has 0\.999999 coin less/)
  })

  it('says of which chains more or less is expected than is booked, as it was explained', () => {
    const supplies = [1n, -1n, 0n].map((explained, index) => {
      const [bookedMicro, expectedMicro] = [5_000_000n, 5_000_000n + explained * 250_000n]
      return { chainId: index + 1, block: 5n, supplyMicro: expectedMicro, expectedMicro, bookedMicro }
    })
    const { ok, explained } = judge(supplies, [])
    assert.deepEqual(
      [ok, explained],
      [
        true,
        [
          'Chain 1 should have 0.25 coin more than the books hold, by what was explained of batches.',
          'Chain 2 should have 0.25 coin less than the books hold, by what was explained of batches.',
        ],
      ],
    )
  })

  it('is not content when anything else differs', () => {
    const earmark = { kind: 'earmark', subject: '1:0x', message: 'differs' } as const
    assert.deepEqual(judge([], [earmark]), {
      ok: false,
      supply: '0',
      expected: '0',
      books: '0',
      chains: [],
      differences: [earmark],
      explained: [],
    })
  })
})
