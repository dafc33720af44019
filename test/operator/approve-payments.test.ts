// engine: postgres
/** Where a bank leaves our ids out, whoever decides sees which payment a debit may be, and which debit may be the payment: three careless words pay twice. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { addDays } from '../../src/bank-files/day.ts'
import { formatAmount } from '../../src/money.ts'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { markPaid } from '../../src/payouts/record-news.ts'
import { importFile } from '../../src/statements/import.ts'
import { findCalledOtherwise } from '../../src/statements/may-be.sql.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, type Person, startOperator } from './fixture.ts'

const PAYEE = { name: 'Payee', account: '8001234567' }

let world: BankWorld
let api: OperatorFixture
let one: Person
let two: Person
/** A debit from before all payouts. */
let early: string
const today = new Date().toISOString().slice(0, 10)
const bank = someBank({ day: addDays(today, -10) })
before(async () => {
  world = await createBankWorld()
  const deps = { db: world.db, bank: (file: Parameters<typeof importFile>[1]) => importFile(world.importDeps, file) }
  const open = await startOperator(deps)
  const people = [await open.person('treasury'), await open.person('treasury')] as const
  await open.close()
  api = await startOperator({ ...deps, fourEyes: true })
  for (const person of people) {
    person.call = (method, target, body, headers = {}) =>
      api.call(method, target, body, { authorization: `Bearer ${person.token}`, ...headers })
  }
  ;[one, two] = people
  early = await debited(2_000n)
  while (bank.day() <= today) await world.importXml(bank.closeDay())
})
after(async () => {
  await api.close()
  await world.close()
})

async function sent(amount: string): Promise<string> {
  const { payoutId } = await world.burntRedeem(amount)
  await world.payDue()
  assert.equal(await world.payoutStatus(payoutId), 'sent')
  return payoutId
}

/** A debit that names nothing. @returns its number */
async function debited(sen: bigint): Promise<string> {
  bank.withdraw(sen, PAYEE, 'rent')
  const { taken } = await world.importXml(bank.closeDay())
  assert.equal(taken.result, 'applied')
  const { lines } = (await one.call('GET', '/bank/unallocated')).body
  return lines.findLast(({ amountMyr }: { amountMyr: string }) => amountMyr === `-${formatAmount(sen * 10_000n)}`)
    .lineId
}

/** What whoever decides is shown; and then it is approved and run. */
async function asked(target: string, body: object) {
  const { approvalId } = (await one.call('POST', target, body)).body
  const { about } = (await two.call('GET', `/approvals/${approvalId}`)).body.approval
  const approve = () => two.call('POST', `/approvals/${approvalId}/approve`, {})
  const execute = () => one.call('POST', target, body, { 'x-approval': approvalId })
  const run = async () => {
    assert.equal((await approve()).status, 200)
    return await execute()
  }
  return { about, approve, execute, run }
}

const reason = 'as the bank says'
const byItsRail = { bankAccount: 'http', reference: 'R', effectiveAt: new Date() }
const assignment = (lineId: string) => `/bank/unallocated/${lineId}/assign`

it('a debit that may be the payment of a payout says so, and then the payout says so of the debit', async () => {
  const first = await sent('12.34')
  const second = await sent('12.34')
  await sent('12.35')
  const lineId = await debited(1_234n)
  const unpaid = await one.call('POST', `/payouts/${first}/mark-unpaid`, { reason })
  assert.match(unpaid.body.error?.message, /may be its debit: RM 12\.34 that nothing explains/)
  const toOne = await asked(assignment(lineId), { payout: first, reason })
  assert.match(toOne.about.mayBe, new RegExp(`^The debit of ${second}: .* that payment can then be called unpaid`))
  const own = await asked(assignment(lineId), { ownFunds: true, reason })
  assert.match(own.about.mayBe, new RegExp(`^The debit of ${first} or ${second}: of this amount, sent or paid, and`))
  assert.equal((await own.run()).status, 200)
  const late = await asked(`/payouts/${first}/mark-unpaid`, { reason: 'again' })
  assert.match(late.about.would, /^RM 12\.34 would be owed again/)
  assert.match(late.about.payment, /^payment 1, \w{12}, the only one$/)
  assert.match(late.about.mayBePaid, /^By a debit .*: main\/\S+ of 20\S+ was said to be own funds of \S+\.$/)
  assert.equal((await late.run()).status, 200)
  for (const act of ['retry', 'refund']) {
    assert.match((await asked(`/payouts/${first}/${act}`, {})).about.mayBePaid, /was said to be own funds/, act)
  }
  // Taken for the payment of the other one, it may still be that of this one, but no longer another's.
  assert.equal((await (await asked(`/bank/lines/${lineId}/take-back`, { reason })).run()).status, 200)
  assert.equal((await asked(assignment(lineId), { payout: second, reason: 'now' })).about.mayBe, undefined)
  assert.equal((await (await asked(assignment(lineId), { payout: second, reason })).run()).status, 200)
  const retry = await asked(`/payouts/${first}/retry`, {})
  assert.match(retry.about.mayBePaid, new RegExp(`was said to be the payment of ${second}/1`))
  assert.equal((await one.call('POST', `/payouts/${second}/retry`, {})).status, 409, 'it is paid')
})

it('a payment that is sent and in no file yet is kept from the bank by what is not run once a file has it', async () => {
  const [first, second] = [await sent('31'), await sent('32')]
  const held = await one.call('POST', `/payouts/${first}/hold`, { reason: 'fraud' })
  assert.match(
    held.body.error?.message,
    /is sent, but its payment is in no payment file yet.* run "coin payout mark-unpaid po_\w+ --payment … --reason …"/,
  )
  const unpaid = (payoutId: string) => asked(`/payouts/${payoutId}/mark-unpaid`, { reason: 'fraud' })
  const [kept, late] = [await unpaid(first), await unpaid(second)]
  assert.match(kept.about.paymentFile, /^none yet: it would go into none$/)
  assert.equal((await kept.run()).status, 200)
  assert.equal((await late.approve()).status, 200)
  const { files } = await fileWaiting(world.filingDeps())
  const put = files[0] ?? assert.fail('no file was put out')
  assert.match((await late.execute()).body.error?.message, /has changed since/)
  assert.equal(await world.payoutStatus(second), 'sent')
  assert.equal((await unpaid(second)).about.paymentFile, put)
  const inIt = String(await world.outFile(put))
  assert.ok(inIt.includes('<InstdAmt Ccy="MYR">32.00<') && !inIt.includes('<InstdAmt Ccy="MYR">31.00<'), inIt)
  const again = await one.call('POST', `/payouts/${second}/hold`, { reason: 'fraud' })
  assert.match(again.body.error?.message, /is sent, and only one that is queued can be held/)
})

it('a debit of before its payment was asked for is refused when it is asked for, and when it is run', async () => {
  const payoutId = await sent('20')
  const askedOn = (day: string) =>
    withoutGuards(world.db, (tx) =>
      tx.query('update payout_attempts set asked_at = $2 where payout_id = $1', [payoutId, `${day}T01:00:00Z`]),
    )
  const refused = ({ status, body }: Awaited<ReturnType<typeof one.call>>) => {
    assert.equal(status, 409)
    assert.match(body.error.message, new RegExp(`${payoutId}/1 was asked for on ${today}, and the debit is of`))
  }
  await askedOn(addDays(today, -10))
  const { run } = await asked(assignment(early), { payout: payoutId, reason })
  await askedOn(today)
  refused(await one.call('POST', assignment(early), { payout: payoutId, reason: 'again' }))
  refused(await run())
  assert.equal(await world.payoutStatus(payoutId), 'sent')
  assert.equal((await (await asked(`/payouts/${payoutId}/mark-unpaid`, { reason })).run()).status, 200)
})

it('neither is said of another amount, of what came before, nor of a payment that a statement shows', async () => {
  const payoutId = await sent('20')
  await sent('20.01')
  assert.equal((await asked(assignment(early), { ownFunds: true, reason })).about.mayBe, undefined)
  assert.equal((await (await asked(assignment(early), { ownFunds: true, reason })).run()).status, 200)
  assert.equal((await asked(`/payouts/${payoutId}/mark-unpaid`, { reason })).about.mayBePaid, undefined)
  const its = await debited(2_000n)
  assert.equal((await (await asked(assignment(its), { payout: payoutId, reason })).run()).status, 200)
  assert.equal(await world.payoutStatus(payoutId), 'paid')
  const other = await debited(2_000n)
  assert.equal((await asked(assignment(other), { ownFunds: true, reason })).about.mayBe, undefined)
  assert.equal((await asked(`/bank/lines/${its}/take-back`, { reason })).about.mayBe, undefined)
})

it('it is said of what was paid by hand, or by the word of its rail, until a statement shows it', async () => {
  const byHand = await sent('30')
  assert.equal((await (await asked(`/payouts/${byHand}/mark-unpaid`, { reason })).run()).status, 200)
  assert.equal((await (await asked(`/payouts/${byHand}/mark-paid`, { reference: 'H' })).run()).status, 200)
  const byRail = await sent('30')
  await world.db.transaction((tx) => markPaid(tx, { payoutId: byRail, attempt: 1 }, byItsRail))
  const mayBe = async () => {
    const { about } = await asked(assignment(await debited(3_000n)), { ownFunds: true, reason })
    return [byHand, byRail].filter((payoutId) => String(about.mayBe).includes(payoutId))
  }
  const its = await debited(3_000n)
  assert.deepEqual(await mayBe(), [byHand, byRail])
  assert.equal((await (await asked(assignment(its), { payout: byHand, reason })).run()).status, 200)
  assert.deepEqual(await mayBe(), [byRail])
  assert.equal((await (await asked(assignment(await debited(3_000n)), { payout: byRail, reason })).run()).status, 200)
  assert.deepEqual(await mayBe(), [])
})

it('a line that was seen to give back one payment of a payout gives back no later one', async () => {
  const payoutId = await sent('40')
  const assigned = (lineId: string) => asked(assignment(lineId), { payout: payoutId, reason })
  const credited = async () => {
    bank.deposit(4_000n, PAYEE, 'back')
    await world.importXml(bank.closeDay())
    const { lines } = (await one.call('GET', '/bank/unallocated')).body
    return lines.findLast(({ amountMyr }: { amountMyr: string }) => amountMyr === '40').lineId
  }
  const debit = await assigned(await debited(4_000n))
  assert.equal(debit.about.payout, 'RM 40.00, sent, its payment 1')
  await world.db.transaction((tx) => markPaid(tx, { payoutId, attempt: 1 }, byItsRail))
  assert.equal((await debit.run()).status, 200, 'its rail has called it paid meanwhile, as it should')
  const first = await assigned(await credited())
  const { about, approve, execute } = await assigned(await credited())
  assert.equal(about.payout, 'RM 40.00, paid, its payment 1')
  assert.equal((await approve()).status, 200)
  assert.equal((await first.run()).status, 200)
  assert.equal(await world.payoutStatus(payoutId), 'returned')
  assert.equal((await (await asked(`/payouts/${payoutId}/retry`, {})).run()).status, 200)
  await world.payDue()
  assert.equal((await (await assigned(await debited(4_000n))).run()).status, 200)
  const late = await execute()
  assert.match(late.body.error?.message ?? 'given back, to be paid once more', /is void: what it concerns has changed/)
  assert.equal(await world.payoutStatus(payoutId), 'paid')
})

it('a debit that must be that of a payment that came back is seen to be, and what comes back meanwhile voids the approval', async () => {
  const { payoutId, endToEndId } = await world.burntRedeem('60')
  await world.payDue()
  const [its, next] = [await debited(6_000n), await debited(6_000n)]
  bank.deposit(6_000n, PAYEE, 'back')
  const givenBack = bank.closeDay().replace('NOTPROVIDED', endToEndId)
  const early = await asked(assignment(its), { payout: payoutId, reason: 'before it came back' })
  assert.equal(early.about.payout, 'RM 60.00, sent, its payment 1')
  await world.importXml(givenBack)
  assert.equal(await world.payoutStatus(payoutId), 'returned')
  assert.equal((await (await asked(`/payouts/${payoutId}/retry`, {})).run()).status, 200)
  await world.payDue()
  const first = await asked(assignment(its), { payout: payoutId, reason })
  assert.equal(first.about.payout, 'RM 60.00, sent, its payment 1')
  const second = await asked(assignment(next), { payout: payoutId, reason })
  assert.equal(second.about.payout, 'RM 60.00, sent, its payment 1')
  assert.equal((await second.approve()).status, 200)
  const { body } = await first.run()
  assert.equal(body.assignedTo, `${payoutId}/1`)
  // It would be the payment made later now, which nobody has seen.
  assert.match((await second.execute()).body.error?.message ?? 'assigned', /is void: what it concerns has changed/)
  const now = await asked(assignment(next), { payout: payoutId, reason: 'once more' })
  assert.equal(now.about.payout, 'RM 60.00, sent, its payment 2')
  assert.equal((await now.run()).body.assignedTo, `${payoutId}/2`)
})

it('whoever decides what a line was taken for sees the one that is to be it, whose change voids the approval', async () => {
  const payoutId = await sent('50')
  const [its, other] = [await debited(5_000n), await debited(5_000n)]
  assert.equal((await (await asked(assignment(its), { payout: payoutId, reason })).run()).status, 200)
  const body = { replacedBy: other, reason }
  const none = await one.call('POST', `/bank/lines/${its}/take-back`, { ...body, replacedBy: '999999' })
  assert.match(none.body.error?.message ?? 'waits', /999999/)
  const { approvalId } = (await one.call('POST', `/bank/lines/${its}/take-back`, body)).body
  const about = async () => (await two.call('GET', `/approvals/${approvalId}`)).body.approval.about
  const { replacedBy, instead } = await about()
  assert.equal(replacedBy, other)
  assert.match(instead, new RegExp(`^RM -50.00 of 20\\S+ would be that of ${payoutId}/1\\.$`))
  assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
  assert.equal((await (await asked(assignment(other), { ownFunds: true, reason })).run()).status, 200)
  assert.match((await about()).instead, /^It belongs to \w+: nothing is taken back/)
  const late = await one.call('POST', `/bank/lines/${its}/take-back`, body, { 'x-approval': approvalId })
  assert.match(late.body.error?.message ?? 'taken back', /is void: what it concerns has changed/)
})

it('who decides about a debit that is several payouts sees each of them and every line, and a change of one voids it', async () => {
  const [first, second, third] = [await sent('31.01'), await sent('32.02'), await sent('10')]
  const lineId = await debited(6_303n)
  const target = `/bank/unallocated/${lineId}/allocate`
  const wrong = await one.call('POST', target, { payouts: `${first},${third}`, reason })
  assert.deepEqual(
    [wrong.status, wrong.body.error.message],
    [409, 'The lines come to RM 63.03 and the payouts to RM 41.01: the charges of the bank would be RM 22.02.'],
  )
  const both = await asked(target, { payouts: `${first}, ${second}`, reason })
  assert.match(
    both.about.payouts,
    new RegExp(`^${first}: RM 31.01, sent, its payment 1, ${second}: RM 32.02, sent, its payment 1$`),
  )
  assert.match(
    both.about.would,
    /^RM -63\.03 of \S+ would be what paid these payouts, each to the sen\. Another sum is refused\.$/,
  )
  const done = await both.run()
  assert.equal(done.status, 200)
  assert.deepEqual(
    done.body.made.map(({ amountMyr, assignedTo }: Record<string, string>) => [amountMyr, assignedTo]),
    [
      ['-31.01', `${first}/1`],
      ['-32.02', `${second}/1`],
    ],
  )
  assert.deepEqual([await world.payoutStatus(first), await world.payoutStatus(second)], ['paid', 'paid'])
  const { lines } = (await one.call('GET', `/bank/lines?of=${second}`)).body
  assert.deepEqual([lines[0].madeOf, lines[0].lineId], [lineId, done.body.made[1].lineId])
  // One payout in two parts; another line of them is assigned meanwhile.
  const [part, rest] = [await debited(400n), await debited(600n)]
  const unpaid = await asked(`/payouts/${third}/mark-unpaid`, { reason })
  assert.match(unpaid.about.mayBeIn, /^\d+ debits of RM \S+ in all since it was queued, which nothing explains/)
  const parts = await asked(`/bank/unallocated/${part}/allocate`, { with: rest, payouts: third, reason })
  assert.match(parts.about.with, new RegExp(`^line ${rest}: RM -6.00 of `))
  assert.match(
    parts.about.would,
    /^RM -4\.00 of \S+ and the others, RM -10\.00 in all, would be what paid these payouts/,
  )
  assert.equal((await (await asked(assignment(rest), { ownFunds: true, reason })).run()).status, 200)
  assert.equal((await parts.approve()).status, 409)
  assert.equal(await world.payoutStatus(third), 'sent')
})

it('who decides about a debit that paid several payouts twice sees of which that is claimed back, and a change of one voids it', async () => {
  const [first, { payoutId: second, endToEndId }] = [await sent('51.01'), await world.burntRedeem('52.02')]
  await world.payDue()
  const allocate = (lineId: string) => `/bank/unallocated/${lineId}/allocate`
  const payouts = `${first},${second}`
  const once = await asked(allocate(await debited(10_303n)), { payouts, reason })
  assert.equal((await once.run()).status, 200)
  const target = allocate(await debited(10_303n))
  for (const body of [{ reason }, { payouts: ',', reason }]) {
    const { status, body: answer } = await one.call('POST', target, body)
    assert.deepEqual([status, answer.error.message.slice(0, 28)], [400, 'Give "payouts" or "claims", '])
  }
  const early = await asked(target, { claims: payouts, reason: 'before one of them came back' })
  assert.equal((await early.approve()).status, 200)
  bank.deposit(5_202n, PAYEE, 'back')
  await world.importXml(bank.closeDay().replace('NOTPROVIDED', endToEndId))
  assert.equal(await world.payoutStatus(second), 'returned')
  assert.match((await early.execute()).body.error?.message ?? 'claimed back', /is void: what it concerns has changed/)
  // Paid anew meanwhile, it is the payment before of which this is a second debit.
  assert.equal((await (await asked(`/payouts/${second}/retry`, {})).run()).status, 200)
  await world.payDue()
  const twice = await asked(target, { claims: payouts, reason })
  assert.equal(twice.about.payouts, undefined)
  assert.equal(
    twice.about.claims,
    `${first}: RM 51.01, paid, beside its payment ${first}/1, ${second}: RM 52.02, sent, beside its payment ${second}/1`,
  )
  assert.match(
    twice.about.would,
    /^RM -103\.03 of \S+ would be what paid those under "claims" once more, to be claimed back, each to the sen\. Another/,
  )
  const { made } = (await twice.run()).body
  assert.deepEqual(
    made.map(({ amountMyr, assignedTo }: Record<string, string>) => [amountMyr, assignedTo]),
    [
      ['-51.01', `${first}/1/claim/1`],
      ['-52.02', `${second}/1/claim/1`],
    ],
  )
  bank.deposit(15_404n, PAYEE, 'back')
  await world.importXml(bank.closeDay())
  const { lines } = (await one.call('GET', '/bank/unallocated')).body
  const back = lines.findLast(({ amountMyr }: { amountMyr: string }) => amountMyr === '154.04').lineId
  const both = await asked(allocate(back), { claims: payouts, payouts: first, reason })
  assert.match(
    both.about.would,
    /would be what gave back these payouts, and what gives back what was claimed of those under "claims", each to the sen/,
  )
  assert.equal(both.about.payouts, `${first}: RM 51.01, paid, its payment 1`)
  const closing = [first, second].map(
    (payoutId) => new RegExp(`${payoutId}: RM [^,]+, \\w+, its claim ${payoutId}/1/claim/1`),
  )
  for (const each of closing) assert.match(both.about.claims, each)
  assert.equal((await both.run()).status, 200)
  assert.deepEqual([await world.payoutStatus(first), await world.payoutStatus(second)], ['returned', 'sent'])
})

it('which payment several lines are is seen by the one that names it, and each line counts once in what is approved', async () => {
  const { payoutId, endToEndId } = await world.burntRedeem('70')
  await world.payDue()
  assert.equal((await (await asked(`/payouts/${payoutId}/mark-unpaid`, { reason })).run()).status, 200)
  assert.equal((await (await asked(`/payouts/${payoutId}/retry`, {})).run()).status, 200)
  await world.payDue()
  const numbered = async (amount: string) =>
    (await one.call('GET', '/bank/unallocated')).body.lines.findLast(
      ({ amountMyr }: { amountMyr: string }) => amountMyr === amount,
    ).lineId
  const part = await debited(3_000n)
  bank.withdraw(4_000n, PAYEE, 'rent')
  await world.importXml(bank.closeDay().replace('NOTPROVIDED', endToEndId))
  const rest = await numbered('-40')
  const paid = await asked(`/bank/unallocated/${part}/allocate`, { with: `${part},${rest}`, payouts: payoutId, reason })
  assert.equal(paid.about.payouts, `${payoutId}: RM 70.00, sent, its payment 1`)
  assert.match(paid.about.with, new RegExp(`^line ${rest}: RM -40.00 of [^,]*$`))
  assert.match(
    paid.about.would,
    /^RM -30\.00 of \S+ and the others, RM -70\.00 in all, would be what paid these payouts/,
  )
  assert.deepEqual(
    (await paid.run()).body.made.map(({ assignedTo }: Record<string, string>) => assignedTo),
    [`${payoutId}/1`],
  )
  for (const sen of [3_000n, 3_970n]) bank.deposit(sen, PAYEE, 'back')
  await world.importXml(bank.closeDay())
  const [first, second] = [await numbered('30'), await numbered('39.7')]
  const returned = { with: second, payouts: payoutId, charges: '0.30', reason }
  const { would } = (await asked(`/bank/unallocated/${first}/allocate`, returned)).about
  assert.match(
    would,
    /^RM 30\.00 .* gave back these payouts, each to the sen, less RM 0\.30 that the bank kept\. Another/,
  )
})

it('a debit that is said to be a part of one payout, or several, may be the one payment of another, and both are told', async () => {
  const [whole, single] = [await sent('101'), await sent('61')]
  const [part, rest] = [await debited(6_100n), await debited(4_000n)]
  const taken = await asked(`/bank/unallocated/${rest}/allocate`, { with: part, payouts: whole, reason })
  assert.match(taken.about.mayBe, new RegExp(`^The debit of ${single}: of the amount of one of these lines, sent or`))
  assert.equal((await taken.run()).status, 200)
  const unpaid = await asked(`/payouts/${single}/mark-unpaid`, { reason })
  assert.match(unpaid.about.mayBePaid, new RegExp(`: main/\\S+ of 20\\S+ was allocated to ${whole}/1\\.$`))
  assert.equal((await unpaid.run()).status, 200)
  assert.match((await asked(`/payouts/${single}/retry`, {})).about.mayBePaid, /was allocated to/)
  // What it was said to be together with others is not something else.
  const two = [await sent('107'), await sent('0.01')]
  const [own, beside] = [await debited(10_700n), await debited(1n)]
  const both = await asked(`/bank/unallocated/${own}/allocate`, { with: beside, payouts: two.join(), reason })
  assert.equal(both.about.mayBe, undefined)
  assert.equal((await both.run()).status, 200)
  assert.deepEqual(await findCalledOtherwise(world.db, two[0] ?? ''), [])
})

it('of what was paid by hand whoever decides sees that a debit would be that, and that a second one would not', async () => {
  const payoutId = await sent('7.77')
  assert.equal((await (await asked(`/payouts/${payoutId}/mark-unpaid`, { reason })).run()).status, 200)
  assert.equal((await (await asked(`/payouts/${payoutId}/mark-paid`, { reference: 'T' })).run()).status, 200)
  const first = await asked(assignment(await debited(777n)), { payout: payoutId, reason })
  assert.equal(first.about.payout, 'RM 7.77, paid_by_hand, what was paid by hand')
  assert.equal((await first.run()).status, 200)
  const second = await asked(assignment(await debited(777n)), { payout: payoutId, reason })
  assert.equal(second.about.payout, 'RM 7.77, paid_by_hand, its payment 1')
})
