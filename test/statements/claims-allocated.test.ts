// engine: postgres
/** What a bank has booked twice in one sum, or in parts, is claimed back payout by payout, and closed however the bank gives it back. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { findClaimMeant } from '../../src/statements/claims.ts'
import { listLinesOf } from '../../src/statements/lines-of.sql.ts'
import { findPayeesDebit } from '../../src/statements/shown.sql.ts'
import { checkPast } from './books-of-lines.ts'
import { createSentOut } from './sent-out.ts'

const sentOut = createSentOut()
const { sent } = sentOut
afterEach(() => sentOut.close())

const credit = true

test('a sum of several payouts that was booked twice is claimed back of each, and given back in one sum', async () => {
  const s = await sent('100', '200', '300')
  const [first = 0n, again = 0n] = await s.said({ amountSen: 60_000n }, { amountSen: 60_050n })
  const ids = s.payouts.map(({ payoutId }) => payoutId)
  assert.match(String(await s.allocate([again], [], { claimed: [0, 1, 2], chargesSen: 50n })), /^po_\S+: No other line/)
  await s.allocate([first], [0, 1, 2])
  assert.match(
    String(await s.allocate([again], [0, 1, 2], { chargesSen: 50n })),
    new RegExp(`^${ids[0]}: The payout was paid before, .* or "--claims" in an allocation\\.$`),
  )
  assert.match(
    String(await s.allocate([again], [], { claimed: [0, 1, 2] })),
    /charges of the bank would be RM 0\.50\.$/,
  )
  const made = await s.allocate([again], [], { claimed: [0, 1, 2], chargesSen: 50n })
  assert.equal(made.length, 4)
  assert.deepEqual(await s.statuses(), ['paid', 'paid', 'paid'])
  assert.equal(await s.world.balanceSen('claims:main'), 60_000n)
  assert.equal(await s.world.balanceSen('own_funds:main'), 50n)
  await s.check(ids.map((payoutId) => `payout_twice ${payoutId}/1/claim/1`))
  for (const payoutId of ids) assert.match((await findPayeesDebit(s.db, payoutId)) ?? '', /is claimed back and has not/)
  // One comes back under its id, the others in one sum, less what the bank has kept.
  await s.said({ amountSen: 20_000n, credit, endToEndId: s.payouts[1]?.endToEndId ?? '', returnReason: 'DUPL' })
  const [rest = 0n] = await s.said({ amountSen: 39_970n, credit })
  assert.match(String(await s.allocate([rest], [0, 2], { chargesSen: 30n })), /paid it once more and is claimed back/)
  assert.equal((await s.allocate([rest], [], { claimed: [0, 2], chargesSen: 30n })).length, 3)
  assert.deepEqual(await s.statuses(), ['paid', 'paid', 'paid'])
  assert.equal(await s.world.balanceSen('claims:main'), 0n)
  await s.check()
  await checkPast(s.db)
})

test('of a sum of which one payout was paid already that one is claimed back, and the others are paid', async () => {
  const s = await sent('100', '200')
  const [first] = s.payouts
  await s.said({ amountSen: 10_000n, endToEndId: first?.endToEndId ?? '' })
  const [both = 0n] = await s.said({ amountSen: 30_000n })
  assert.match(String(await s.allocate([both], [0, 1])), new RegExp(`^${first?.payoutId}: The payout was paid before`))
  assert.match(String(await s.allocate([both], [0], { claimed: [1] })), /The payout was paid before|No other line/)
  const [, claimed = 0n] = (await s.allocate([both], [1], { claimed: [0] })) as bigint[]
  assert.deepEqual(await s.statuses(), ['paid', 'paid'])
  await s.check([`payout_twice ${first?.payoutId}/1/claim/1`])
  // The claim and the other payout come back in one sum.
  const [back = 0n] = await s.said({ amountSen: 30_000n, credit })
  const closing = (await s.allocate([back], [1], { claimed: [0] })) as bigint[]
  assert.deepEqual(await s.statuses(), ['paid', 'returned'])
  await s.check()
  // Line by line it is taken back: what closes a claim before the claim.
  const early = await s.takeBack(claimed)
  assert.match(
    early.result === 'refused' ? early.sentence : '',
    /has given po_\S+\/1\/claim\/1 back: take that line back/,
  )
  assert.equal((await s.takeBack(closing[0] ?? 0n)).result, 'taken_back')
  await s.check([`payout_twice ${first?.payoutId}/1/claim/1`])
  assert.equal((await s.takeBack(claimed)).result, 'taken_back')
  assert.equal(await s.world.balanceSen('claims:main'), 0n)
  assert.deepEqual(
    (await s.unallocated()).map(({ lineNo, madeOf }) => [lineNo, madeOf]),
    [
      [claimed, String(both)],
      [closing[0], String(back)],
    ],
  )
  await s.check()
  assert.equal(await s.assign(claimed, { kind: 'claim', ...(await s.paymentOf(first?.payoutId ?? '')) }), undefined)
  assert.equal(
    await s.assign(closing[0] ?? 0n, { kind: 'claim', ...(await s.paymentOf(first?.payoutId ?? '')) }),
    undefined,
  )
  await s.check()
  assert.deepEqual(await s.statuses(), ['paid', 'returned'])
})

for (const names of [true, false]) {
  test(`several debits ${names ? 'with the name' : 'without a name'} are a second payment of one payout, which comes back in parts`, async () => {
    const s = await sent('100')
    const { payoutId = '', endToEndId = '' } = s.payouts[0] ?? {}
    const named = names ? { endToEndId } : {}
    const parts = await s.said({ amountSen: 4_000n, ...named }, { amountSen: 6_000n, ...named })
    await s.said({ amountSen: 10_000n, endToEndId })
    assert.match(String(await s.allocate(parts, [0])), /was paid before, by another line/)
    const [made = 0n] = (await s.allocate(parts, [], { claimed: [0] })) as bigint[]
    assert.equal(await s.world.balanceSen('claims:main'), 10_000n)
    await s.check([`payout_twice ${payoutId}/1/claim/1`])
    // Once nothing explains the line that was made of them, both stand again.
    assert.equal((await s.takeBack(made)).result, 'taken_back')
    assert.deepEqual(
      (await s.unallocated()).map(({ lineNo }) => lineNo),
      [...parts],
    )
    assert.equal(await s.world.balanceSen('claims:main'), 0n)
    await s.check()
    await s.allocate(parts, [], { claimed: [0] })
    const back = await s.said({ amountSen: 5_000n, credit, ...named }, { amountSen: 5_000n, credit })
    assert.equal((await s.allocate(back, [], { claimed: [0] })).length, 1)
    assert.deepEqual(await s.statuses(), ['paid'])
    assert.equal(await s.world.balanceSen('claims:main'), 0n)
    await s.check()
    assert.equal(await s.allocate([made], [0], { claimed: [0] }), `not unallocated: ${made}`)
  })
}

test('one sum may be a payment and a second one of the same payout, and one may give back both', async () => {
  const s = await sent('100')
  const { payoutId = '' } = s.payouts[0] ?? {}
  const [twice = 0n] = await s.said({ amountSen: 20_000n })
  assert.equal((await s.allocate([twice], [0], { claimed: [0] })).length, 2)
  assert.deepEqual(await s.statuses(), ['paid'])
  await s.check([`payout_twice ${payoutId}/1/claim/1`])
  const [back = 0n] = await s.said({ amountSen: 20_000n, credit })
  assert.equal((await s.allocate([back], [0], { claimed: [0] })).length, 2)
  assert.deepEqual(await s.statuses(), ['returned'])
  assert.equal(await s.world.balanceSen('claims:main'), 0n)
  await s.check()
})

for (const isInParts of [false, true]) {
  test(`what comes back ${isInParts ? 'in parts of which one' : 'less charges and'} names a payment gives back the claim of that one, not an older one of another`, async () => {
    const s = await sent('100')
    const { payoutId = '', endToEndId: first = '' } = s.payouts[0] ?? {}
    await s.said({ amountSen: 10_000n, endToEndId: first })
    await s.said({ amountSen: 10_000n, endToEndId: first, credit, returnReason: 'AC04' })
    await s.db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
    await s.world.payDue()
    const [{ name: second = '' } = {}] = await s.db.query<{ name: string }>(
      'select end_to_end_id as name from payouts where payout_id = $1',
      [payoutId],
    )
    await s.said({ amountSen: 10_000n, endToEndId: second })
    const claim = { kind: 'claim' as const, ...(await s.paymentOf(payoutId)) }
    for (const endToEndId of [first, second]) {
      const [again = 0n] = await s.said({ amountSen: 10_000n, endToEndId })
      assert.equal(await s.assign(again, claim), undefined)
    }
    await s.check([`payout_twice ${payoutId}/1/claim/1`, `payout_twice ${payoutId}/2/claim/1`])
    const named = { amountSen: isInParts ? 4_000n : 9_970n, credit, endToEndId: second }
    const back = await s.said(named, ...(isInParts ? [{ amountSen: 6_000n, credit }] : []))
    const shown = { amountMicro: 1n, bookedOn: '2026-11-25', endToEndId: second, bankAccount: 'main' }
    assert.equal(await findClaimMeant(s.db, shown, claim), `${payoutId}/2/claim/1`)
    if (isInParts) assert.equal((await s.allocate(back, [], { claimed: [0] })).length, 1)
    else assert.equal(await s.assign(back[0] ?? 0n, { ...claim, chargesSen: 30n }), undefined)
    const [closing] = await listLinesOf(s.db, payoutId, { before: undefined, limit: 1 })
    assert.equal(closing?.to, `${payoutId}/2/claim/1`)
    await s.check([`payout_twice ${payoutId}/1/claim/1`])
    // Nothing else of the payout is claimed back but that of its first payment: what names the other one gives back that.
    const [rest = 0n] = await s.said({ amountSen: 9_990n, credit, endToEndId: second })
    assert.equal(await s.assign(rest, { ...claim, chargesSen: 10n }), undefined)
    assert.deepEqual(await s.statuses(), ['paid'])
    await s.check()
  })
}
