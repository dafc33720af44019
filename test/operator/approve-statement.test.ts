// engine: postgres
/** Whoever decides about a statement that waits sees it and what would become of it; another one that is applied before it voids what was approved. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { markPaid } from '../../src/payouts/record-news.ts'
import { bridgeStatement } from '../../src/statements/bridge.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { importFile } from '../../src/statements/import.ts'
import { listWaiting } from '../../src/statements/waiting.sql.ts'
import { withdrawStatement } from '../../src/statements/withdraw.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, type Person, startOperator } from './fixture.ts'
import { addWaitingStatement } from './world.ts'

let world: BankWorld
let api: OperatorFixture
let one: Person
let two: Person
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
})
after(async () => {
  await api.close()
  await world.close()
})

const bank = someBank()
const named = (xml: string, id: string) =>
  xml.replace(/<MsgId>.*?</, `<MsgId>${id}<`).replace(/<Stmt>\s*<Id>.*?</, `<Stmt><Id>${id}<`)
/** What waits: two days after the newest of `bank`, with ten ringgit more; and the empty day between them. */
let statementNo: string
let between: string
let round = 0
beforeEach(async () => {
  round += 1
  await world.importXml(bank.closeDay())
  const newest = bank.balanceSen()
  between = bank.closeDay()
  const later = someBank({ openingSen: newest + 1_000n, day: bank.day(), seed: `later ${round}` })
  later.deposit(700n, { name: 'P', account: '12345' }, 'rent')
  await world.importXml(named(later.closeDay(), `LATER-${round}`))
  statementNo = String((await listWaiting(world.db)).at(-1)?.statementNo)
})

async function approved(target: string, body: object) {
  const { approvalId, error } = (await one.call('POST', target, body)).body
  assert.equal(error, undefined, error?.message)
  const { about } = (await two.call('GET', `/approvals/${approvalId}`)).body.approval
  assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
  return { about, run: () => one.call('POST', target, body, { 'x-approval': approvalId }) }
}

// The bridge at last: after it the bank of this test tells other balances than the books have.
const CASES = [
  ['withdraw', { reason: 'a mail' }, /^1 line of RM 7\.00 in all would never be booked/],
  [
    'bridge',
    { difference: '10', parts: '12,-2', reason: 'a mail' },
    /^RM 10\.00 of .* would be booked as lines of 12,-2 that .* between S\d+ and this/,
  ],
] as const

for (const [act, body] of CASES) {
  it(`${act} is void once another one was applied before it, with the same difference`, async () => {
    const { run } = await approved(`/bank/statements/${statementNo}/${act}`, body)
    await world.importXml(between)
    const { status, body: answer } = await run()
    assert.match(answer.error?.message ?? `ran with ${status}`, /is void: what it concerns has changed/)
    assert.ok((await listWaiting(world.db)).some((each) => String(each.statementNo) === statementNo))
    await world.db.transaction((tx) => withdrawStatement(tx, BigInt(statementNo), 'the next test'))
  })
}

it('what would become of it is that of the command, however its path is written', async () => {
  for (const [written, body, would] of [
    ['%77ithdraw', CASES[0][1], CASES[0][2]],
    ['%62ridge', CASES[1][1], CASES[1][2]],
  ] as const) {
    const { about } = await approved(`/bank/statements/${statementNo}/${written}`, body)
    assert.match(about.would, would)
  }
  for (const written of ['withdraw?/bridge', 'bridge?/withdraw']) {
    const body = { difference: '10', reason: 'a query' }
    const { status, body: answer } = await one.call('POST', `/bank/statements/${statementNo}/${written}`, body)
    assert.deepEqual([status, answer.error?.code], [400, 'BAD_REQUEST'], written)
  }
  await world.db.transaction((tx) => withdrawStatement(tx, BigInt(statementNo), 'the next test'))
  await world.importXml(between)
})

for (const [act, body, would] of CASES) {
  it(`${act} shows the statement, and is executed as it was seen`, async () => {
    const { about, run } = await approved(`/bank/statements/${statementNo}/${act}`, body)
    const { body: late } = await one.call('POST', `/bank/statements/${statementNo}/${act}`, { ...body, reason: 'x' })
    assert.deepEqual([about.statementNo, about.statementId, about.lines], [statementNo, `LATER-${round}`, '1'])
    assert.match(about.would, would)
    assert.match(about.missing, /before 2026-11-/)
    assert.equal((await run()).status, 200)
    const shown = (await two.call('GET', `/approvals/${late.approvalId}`)).body.approval.about
    assert.match(shown.would, /It does not wait/)
    // What the bank goes on with.
    if (act === 'bridge') bank.deposit(1_700n, { name: 'P', account: '12345' }, 'the same')
    else await world.importXml(between)
  })
}

it('an approval to import a file is used up as well where the file was imported before', async () => {
  const body = { name: 'a.xml', content: Buffer.from(bank.closeDay()).toString('base64') }
  const first = await approved('/bank/import', body)
  const { run } = await approved('/bank/import', { ...body, name: 'b.xml' })
  assert.equal((await first.run()).body.repeated, 0)
  assert.equal((await run()).body.repeated, 1)
  assert.match((await run()).body.error?.message ?? 'run twice', /was used at .* \(done\)/)
  const late = await one.call('POST', '/bank/import', body)
  assert.deepEqual([late.status, late.body.approvalId], [409, undefined], 'nobody is asked for it any more')
  assert.match(late.body.error.message, /^This file was taken in before: nothing of it is taken again\.$/)
})

it('whoever decides that a payment was not made which its rail calls paid sees how far statements go', async () => {
  const { payoutId } = await world.burntRedeem('10')
  await world.payDue()
  const target = `/payouts/${payoutId}/mark-unpaid`
  const asked = async (reason: string) => {
    const { approvalId } = (await one.call('POST', target, { reason })).body
    return (await two.call('GET', `/approvals/${approvalId}`)).body.approval.about
  }
  const sent = await asked('it is sent, and nothing speaks against it')
  assert.deepEqual([sent.status, sent.would], ['sent', 'RM 10.00 would be owed again, and could be paid or refunded.'])
  const said = { bankAccount: 'http', reference: 'R', effectiveAt: new Date() }
  await world.db.transaction((tx) => markPaid(tx, { payoutId, attempt: 1 }, said))
  const since = (at: string) =>
    withoutGuards(world.db, (tx) =>
      tx.query('update payouts set status_since = $2 where payout_id = $1', [payoutId, at]),
    )
  await since('2027-03-01T00:00:00Z')
  const early = await one.call('POST', target, { reason: 'early' })
  assert.equal(early.status, 409, 'nobody is asked')
  assert.match(early.body.error.message, /that it was not is shown by statements up to 2027-03-08/)
  await since('2026-11-01T00:00:00Z')
  const late = await asked('late')
  assert.deepEqual([late.amountMyr, late.from, late.calledPaidOn], ['10', 'http', '2026-11-01'])
  assert.match(late.statements, /^main to 2026-1/)
  assert.match(late.would, /^RM 10\.00 would be owed again/)
})

it('a page of those that wait leads to the next; all are counted, and one is found beyond the first hundred', async () => {
  for (let index = 0; index < 100; index += 1) await addWaitingStatement(world.db)
  const all = await listWaiting(world.db, { limit: 500 })
  const pages: { statementNo: string }[] = []
  let next: string | null = ''
  while (next !== null) {
    const answer = await one.call('GET', `/bank/statements?limit=40${next && `&after=${next}`}`)
    assert.equal(answer.body.accounts[0].bankAccount, 'main')
    pages.push(...answer.body.waiting)
    assert.ok(pages.length <= all.length, 'it ends')
    next = answer.body.next
  }
  assert.deepEqual(
    pages.map((each) => each.statementNo),
    all.map((each) => String(each.statementNo)),
  )
  const { stdout } = await api.cli(['bank', 'statements', '--limit', '2'], { COIN_OPERATOR_TOKEN: one.token })
  assert.match(stdout, new RegExp(`More: add --after ${all[1]?.statementNo}\n`))
  const troubles = await findStatementTroubles(world.db, TEST_SECRETS)
  const missing = troubles.filter(({ kind }) => kind === 'statement_missing')
  assert.equal(missing.length, 101)
  assert.match(missing.at(-1)?.message ?? '', new RegExp(`^${all.length - 100} more statements wait`))
  const first = all.find(({ bankAccount }) => bankAccount === 'main')
  assert.ok(first && all.indexOf(first) >= 100, 'the accounts before it have a hundred')
  const bridged = await world.db.transaction((tx) =>
    bridgeStatement({ tx, secrets: TEST_SECRETS }, first.statementNo, 1n),
  )
  assert.match(
    bridged.result === 'refused' ? bridged.sentence : bridged.result,
    /^(The difference is|It closes before)/,
  )
})
