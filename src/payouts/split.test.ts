import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { planPayouts, splitAmount } from './split.ts'

const micro = fc.bigInt({ min: 1n, max: 10n ** 18n })

test('over any sequence of redeems every micro unit is paid or owed, and less than one sen is owed', () => {
  fc.assert(
    fc.property(fc.array(micro, { maxLength: 30 }), (amounts) => {
      let owed = 0n
      let paidSen = 0n
      for (const amount of amounts) {
        const { amountSen, owedMicro } = splitAmount(amount, owed)
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

test('what went out too early comes off, by less than a sen at a time, and a redeem of a sen or more is never without a payout', () => {
  assert.deepEqual(splitAmount(20_000n, -1n), { amountSen: 1n, owedMicro: 9_999n })
  assert.deepEqual(splitAmount(10_000n, -1n), { amountSen: 1n, owedMicro: -1n })
  assert.deepEqual(splitAmount(9_999n, -1n), { amountSen: 0n, owedMicro: 9_998n })
  assert.deepEqual(splitAmount(1n, -9_999n), { amountSen: 0n, owedMicro: -9_998n })
  fc.assert(
    fc.property(fc.oneof(micro, fc.bigInt(1n, 30_000n)), fc.bigInt(-9_999n, 9_999n), (amountMicro, before) => {
      const { amountSen, owedMicro } = splitAmount(amountMicro, before)
      assert.equal(amountSen * 10_000n + owedMicro, amountMicro + before)
      assert.ok(owedMicro > -10_000n && owedMicro < 10_000n)
      assert.equal(amountSen > 0n, amountMicro >= 10_000n || amountMicro + before >= 10_000n)
      // Too much is owed to us only where it was before, and then not more.
      assert.ok(owedMicro >= 0n || owedMicro >= before)
    }),
  )
})

test('redeems of any customers are planned as if each customer came alone', () => {
  const redeem = fc.record({
    customerId: fc.constantFrom('a', 'b', 'c'),
    amountMicro: fc.oneof(micro, fc.bigInt(1n, 20_000n)),
  })
  const before = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.bigInt(0n, 9_999n))
  fc.assert(
    fc.property(fc.array(redeem, { maxLength: 20 }), before, (some, owed) => {
      const redeems = some.map((one, index) => ({ ...one, orderId: BigInt(index) }))
      const owedMicro = new Map(Object.entries(owed))
      const together = planPayouts(redeems, owedMicro)
      assert.ok(together.payouts.every(({ amountSen }) => amountSen > 0n))
      for (const customer of ['a', 'b', 'c']) {
        const alone = planPayouts(
          redeems.filter(({ customerId }) => customerId === customer),
          owedMicro,
        )
        assert.deepEqual(
          together.payouts.filter(({ customerId }) => customerId === customer),
          alone.payouts,
        )
        assert.equal(together.owedMicro.get(customer), alone.owedMicro.get(customer))
      }
    }),
  )
})

test('a redeem without a whole sen has no payout, and is paid with a later one', () => {
  const redeems = [
    { orderId: 1n, customerId: 'a', amountMicro: 6_000n },
    { orderId: 2n, customerId: 'b', amountMicro: 9_999n },
    { orderId: 3n, customerId: 'a', amountMicro: 5_000n },
  ]
  assert.deepEqual(planPayouts(redeems, new Map([['b', 1n]])), {
    payouts: [
      { orderId: 2n, customerId: 'b', amountSen: 1n },
      { orderId: 3n, customerId: 'a', amountSen: 1n },
    ],
    owedMicro: new Map([
      ['b', 0n],
      ['a', 1_000n],
    ]),
  })
})

test('of more than ten sen that were owed before, ten go out with a redeem, as the database lets them', () => {
  fc.assert(
    fc.property(micro, fc.bigInt(100_001n, 2n ** 63n - 1n), (amountMicro, before) => {
      const { payouts, owedMicro } = planPayouts(
        [{ orderId: 1n, customerId: 'a', amountMicro }],
        new Map([['a', before]]),
      )
      assert.equal(payouts[0]?.amountSen, amountMicro / 10_000n + 10n)
      assert.equal(owedMicro.get('a'), before + amountMicro - (payouts[0]?.amountSen ?? 0n) * 10_000n)
      assert.ok((owedMicro.get('a') ?? 0n) < before)
    }),
  )
  assert.equal(
    planPayouts([{ orderId: 1n, customerId: 'a', amountMicro: 1n }], new Map([['a', 100_000n]])).payouts[0]?.amountSen,
    10n,
  )
})
