import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { splitPayout } from './payout-split.ts'

const micro = fc.bigInt({ min: 1n, max: 10n ** 18n })

test('over any sequence of redeems every micro unit is paid or owed, and less than one sen is owed', () => {
  fc.assert(
    fc.property(fc.array(micro, { maxLength: 30 }), (amounts) => {
      let owed = 0n
      let paidSen = 0n
      for (const amount of amounts) {
        const { amountSen, owedMicro } = splitPayout(amount, owed)
        assert.ok(amountSen >= 0n && owedMicro >= 0n && owedMicro < 10_000n)
        paidSen += amountSen
        owed = owedMicro
      }
      assert.equal(
        paidSen * 10_000n + owed,
        amounts.reduce((sum, amount) => sum + amount, 0n),
      )
    }),
  )
})
