import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Alike, leftOf, less, type ToldLine } from './less.ts'

/** The same, one line after another: each is compared with all that are left. */
function lessByComparing(lines: readonly ToldLine[], some: readonly ToldLine[], alike: Alike): ToldLine[] | undefined {
  const left = [...lines]
  const agree = (a: string | null, b: string | null) => a === null || b === null || a === b
  const ending = ({ remitterAccount }: ToldLine) => remitterAccount?.slice(-4)
  for (const one of some) {
    const mayBe = left.filter(
      (line) =>
        line.bookedOn === one.bookedOn &&
        line.amountMicro === one.amountMicro &&
        agree(line.servicerReference, one.servicerReference) &&
        agree(line.endToEndId, one.endToEndId),
    )
    const referred = mayBe.find(
      (line) => line.servicerReference !== null && line.servicerReference === one.servicerReference,
    )
    const found =
      referred ??
      (alike === 'referred'
        ? undefined
        : (mayBe.find((line) => ending(one) !== undefined && ending(line) === ending(one)) ??
          mayBe.find((line) => line.servicerReference === one.servicerReference) ??
          mayBe[0]))
    if (found === undefined) return undefined
    left.splice(left.indexOf(found), 1)
  }
  return left
}

const line = (over: Partial<ToldLine> = {}): ToldLine => ({
  bookedOn: '2026-11-20',
  amountMicro: 1_000_000n,
  servicerReference: null,
  endToEndId: null,
  ...over,
})

test('it is what comparing each line with all others leaves', () => {
  let seed = 7
  const pick = <T>(of: readonly T[]): T => {
    seed = (seed * 48_271) % 2_147_483_647
    return of[seed % of.length] as T
  }
  const some = (count: number) =>
    Array.from({ length: count }, () =>
      line({
        bookedOn: pick(['2026-11-20', '2026-11-20', '2026-11-21']),
        amountMicro: pick([1n, 1n, 2n]),
        servicerReference: pick([null, null, 'R', 'S', '-', 'null']),
        endToEndId: pick([null, null, null, 'E', 'F', '*']),
        remitterAccount: pick([undefined, null, '1234', '99991234', '5678', '']),
      }),
    )
  const told = { whole: 0, not: 0 }
  for (let round = 0; round < 4_000; round += 1) {
    const lines = some(pick([1, 3, 8, 14]))
    // Told again in other words: some of it is not.
    const again = lines
      .filter(() => pick([true, true, false]))
      .map((one) => ({
        ...one,
        ...(pick([true, false]) ? { servicerReference: null } : {}),
        ...(pick([true, false, false]) ? { endToEndId: null } : {}),
      }))
    const others = pick([again, again, again, some(3)]).toReversed()
    for (const alike of ['may be', 'referred'] as const) {
      const left = less(lines, others, alike)
      const expected = lessByComparing(lines, others, alike)
      assert.deepEqual(left, expected)
      if (left !== undefined) for (const [place, one] of left.entries()) assert.equal(one, expected?.[place])
      told[left === undefined ? 'not' : 'whole'] += 1
    }
  }
  assert.ok(told.whole > 500 && told.not > 500)
})

test('thousands of one day and amount are not compared with each other', () => {
  let looks = 0
  const counted = (one: ToldLine): ToldLine =>
    new Proxy(one, {
      get(target, name) {
        looks += 1
        return Reflect.get(target, name)
      },
    })
  const count = 3_000
  const lines = Array.from({ length: count }, (_, n) => counted(line({ endToEndId: `E${n}`, remitterAccount: `${n}` })))
  const some = lines.map((_, n) =>
    line({ servicerReference: `R${n}`, endToEndId: `E${count - 1 - n}`, remitterAccount: `${7 * n}` }),
  )
  assert.deepEqual(less(lines, some, 'may be'), [])
  assert.ok(looks < count * 40, `${looks} looks`)
  const left = leftOf(lines)
  assert.equal(left.referredBy(line({ servicerReference: 'R1' })), undefined)
  assert.equal(left.all().length, count)
})
