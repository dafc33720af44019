// engine: postgres
/** The key that sealed who paid is lost: operators decide about its lines all the same, and two admins say so, which ends what can be ended. */
// Runbook: The secrets key is lost
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { requireSecretsKey } from '../../src/db/secrets-key.sql.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { bookLines } from '../../src/statements/book.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { recordFile } from '../../src/statements/record.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { bytesOf } from '../support/bank-files.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, type Person, startOperator } from './fixture.ts'

const PAYER = { name: 'Payer', account: '8001234567' }
const lostKey = TEST_SECRETS.prefix.split('.')[1] ?? ''
const secrets = createSecretBox(randomBytes(32))
const reason = 'the safe burnt'

let world: BankWorld
let api: OperatorFixture
let one: Person
let two: Person
const bank = someBank()
before(async () => {
  world = await createBankWorld()
  const open = await startOperator({ db: world.db, secrets })
  const people = [await open.person('admin'), await open.person('admin')] as const
  await open.close()
  api = await startOperator({ db: world.db, secrets, fourEyes: true })
  ;[one, two] = people
})
after(async () => {
  await api.close()
  await world.close()
})

const as = ({ token }: Person, more = {}) => ({ authorization: `Bearer ${token}`, ...more })
const unopened = async () =>
  (await findStatementTroubles(world.db, secrets)).map(({ kind, subject }) => `${kind} ${subject}`)
const lines = () =>
  world.db.query<{ no: bigint; state: string; reason: string | null; sen: bigint }>(
    'select line_no as no, state, reason, amount_micro / 10000 as sen from bank_lines where entry > 0 order by line_no',
  )

test('what nobody can open is assigned and taken back by whoever knows what it is', async () => {
  bank.deposit(700n, PAYER, 'no reference')
  await world.importXml(bank.closeDay())
  const treasury = await startOperator({ db: world.db, secrets })
  try {
    const lineId = String((await lines()).find(({ sen }) => sen === 700n)?.no)
    const assigned = await treasury.run('bank', 'unallocated', 'assign', lineId, '--own-funds', '--reason', reason)
    assert.equal(assigned.lineId, lineId)
    await treasury.run('bank', 'lines', 'take-back', lineId, '--reason', reason)
    assert.equal((await lines()).find(({ sen }) => sen === 700n)?.state, 'unallocated')
  } finally {
    await treasury.close()
  }
})

test('two admins say that a key is lost: its statements are no longer named, its lines are booked by their ids alone, and what comes later is named', async () => {
  const paid = await world.burntRedeem('12.34')
  await world.payDue()
  const [payment] = await world.db.query<{ id: string }>(
    'select end_to_end_id as id from payouts where payout_id = $1',
    [paid.payoutId],
  )
  bank.withdraw(1_234n, PAYER, 'its payment')
  bank.deposit(1_234n, PAYER, 'somebody has written its id')
  bank.deposit(900n, PAYER, 'nobody can read this')
  // Both name the payment: its debit, and a payer who has written its id.
  const said = bank.closeDay().split('<Ntry>')
  const naming = said.map((entry) =>
    /its (payment|id)</.test(entry) ? entry.replace('NOTPROVIDED', payment?.id ?? '') : entry,
  )
  await recordFile(world.importDeps, { name: 'statement.xml', bytes: bytesOf(naming.join('<Ntry>')) })
  const book = () => bookLines({ ...world.importDeps, secrets, place: { after: 0n } })
  await book()
  assert.equal((await lines()).filter(({ state }) => state === 'unbooked').length, 3, 'as long as it may be found')
  const named = await unopened()
  assert.equal(named.filter((each) => each.startsWith('statement_unopened')).length, 2)

  const { stdout } = await api.cli(['reconcile'], { OPERATOR_TOKEN: one.token })
  for (const each of named)
    assert.match(stdout, new RegExp(`^  ${each.split(' ')[1]}: Its payers and payees were sealed`, 'm'))

  const lost = (key: string, person: Person, more = {}) =>
    api.call('POST', '/secrets/lost', { secretsKey: key, reason }, as(person, more))
  assert.equal((await lost(secrets.prefix.split('.')[1] ?? '', one)).status, 409, 'a key that is here')
  assert.equal((await lost('0123456789abcdef', one)).status, 404, 'a key that has sealed nothing')
  const { approvalId } = (await lost(lostKey, one)).body
  const { about } = (await api.call('GET', `/approvals/${approvalId}`, undefined, as(two))).body.approval
  assert.deepEqual([about.statements, about.unbooked], ['2', '3'])
  assert.match(about.would, /no longer be named as unopened/)
  assert.match(about.stays, /Amounts, days and balances are compared as before/)
  assert.deepEqual(await unopened(), named, 'one alone says nothing')
  assert.equal((await api.call('POST', `/approvals/${approvalId}/approve`, {}, as(two))).status, 200)
  const done = await lost(lostKey, one, { 'x-approval': approvalId })
  assert.deepEqual([done.status, done.body.statements], [200, '2'])
  const { entries } = (await api.call('GET', `/audit?target=${lostKey}`, undefined, as(two))).body
  assert.deepEqual(
    entries.map(({ action, details }: { action: string; details: Record<string, unknown> }) => [
      action,
      details.reason,
      details.statements,
      details.unbooked,
      details.approvalId,
    ]),
    [['secrets.lost', reason, '2', '3', approvalId]],
  )
  const open = await startOperator({ db: world.db, secrets })
  const again = await open.cli(['secrets', 'lost', lostKey, '--reason', reason])
  await open.close()
  assert.match(again.stderr, /said before/)

  await book()
  const [debit, credit, unread] = (await lines()).slice(-3)
  assert.deepEqual([debit?.state, credit?.state, unread?.state], ['matched', 'unallocated', 'unallocated'])
  assert.match(credit?.reason ?? '', /as if it gave that back.*sealed under a key that is lost/)
  assert.match(unread?.reason ?? '', /sealed under a key that is lost/)
  assert.equal(await world.payoutStatus(paid.payoutId), 'paid')
  assert.deepEqual(await unopened(), [], 'reconcile has nothing to say')

  // Amounts are compared all the same, and a seal under that name that comes later is somebody's doing.
  const change = (by: number) =>
    withoutGuards(world.db, (tx) =>
      tx.query(`update bank_lines set amount_micro = amount_micro + ${by} where line_no = $1`, [unread?.no ?? 0n]),
    )
  await change(10_000)
  assert.ok((await unopened()).some((each) => each.startsWith('statement_changed')))
  await change(-10_000)
  bank.deposit(100n, PAYER, 'under the lost key again')
  await world.importXml(bank.closeDay())
  assert.deepEqual(
    (await unopened()).map((each) => each.split(' ')[0]),
    ['statement_unopened'],
  )
})

test('a key that was found, has sealed more and is lost again is called lost again; what waits for another statement is told as to be booked', async () => {
  bank.deposit(200n, PAYER, 'it is missing')
  const between = bank.closeDay()
  bank.deposit(300n, PAYER, 'it waits')
  await world.importXml(bank.closeDay())
  const lost = (more = {}) => api.call('POST', '/secrets/lost', { secretsKey: lostKey, reason }, as(one, more))
  const { approvalId } = (await lost()).body
  const { about } = (await api.call('GET', `/approvals/${approvalId}`, undefined, as(two))).body.approval
  assert.deepEqual([about.statements, about.lines, about.unbooked], ['2', '2', '1'], 'what came since, applied or not')
  assert.match(about.again, /was called lost before/)
  assert.match(about.lastSealed, /until then a process had it/)
  assert.equal((await api.call('POST', `/approvals/${approvalId}/approve`, {}, as(two))).status, 200)
  assert.equal((await lost({ 'x-approval': approvalId })).status, 200)
  await recordFile({ ...world.importDeps, secrets }, { name: 'missing.xml', bytes: bytesOf(between) })
  await bookLines({ ...world.importDeps, secrets, place: { after: 0n } })
  assert.deepEqual(
    (await lines()).slice(-2).map(({ sen, state }) => [sen, state]),
    [
      [300n, 'unallocated'],
      [200n, 'unallocated'],
    ],
  )
  assert.deepEqual(await unopened(), [])
})

test('a key with which processes of this database start is not lost', async () => {
  await requireSecretsKey(world.db, TEST_SECRETS)
  const refused = await api.call('POST', '/secrets/lost', { secretsKey: lostKey, reason }, as(one))
  assert.equal(refused.status, 409)
  assert.match(refused.body.error.message, /one of the keys of this database/)
})
