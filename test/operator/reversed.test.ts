// engine: postgres; both in test:long
/** The bank takes back what has paid mints: they wait for their ringgit again, and what comes then pays them. */
// Runbook: The bank takes a receipt back
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { addRemitter } from '../../src/integrations/remitters.sql.ts'
import { checkBooks } from '../../src/operator/reconcile/turns.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { importFile } from '../../src/statements/import.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { asRole } from '../support/database.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

const PAYER = { name: 'Customer of a partner', account: '70001234567' }
const INVOICE = 'INV-2026-000123'
type Listed = { lineId: string; amountMyr: string; reason: string; as: string; reverses: string | null }

let world: BankWorld
let api: OperatorFixture
let bank: ReturnType<typeof someBank>
beforeEach(async () => {
  world = await createBankWorld()
  bank = someBank({ openingSen: 0n })
  // As the user of the database that the process has in live.
  api = await startOperator({
    db: Object.assign(await asRole(world.db, 'operator'), { url: undefined }),
    bank: (file) => importFile(world.importDeps, file),
  })
})
afterEach(async () => {
  await api.close()
  await world.close()
})

const unallocated = async (): Promise<Listed[]> => (await api.run('bank', 'unallocated', 'list')).lines
const linesOf = async (id = world.integrationId): Promise<Listed[]> =>
  (await api.run('bank', 'lines', 'list', '--of', id)).lines
const only = <T>(rows: readonly T[]): T => {
  assert.equal(rows.length, 1, JSON.stringify(rows))
  return rows[0] as T
}

/** What the bank does in a day, and its statement. */
async function day(...does: (() => void)[]): Promise<void> {
  for (const one of does) one()
  const { taken } = await world.importXml(bank.closeDay())
  assert.equal(taken.result, 'applied')
}
const paid = (sen: bigint, text = INVOICE) => day(() => bank.deposit(sen, PAYER, text))
const tookBack = (sen: bigint, said?: Parameters<typeof bank.takeBack>[2]) => day(() => bank.takeBack(sen, PAYER, said))

/** @returns why not; undefined where it was done */
async function command(...args: string[]): Promise<string | undefined> {
  const { code, stderr } = await api.cli([...args, '--reason', 'letter of the bank'])
  return code === 0 ? undefined : stderr
}
const assign = (lineId: string, ...what: string[]) => command('bank', 'unallocated', 'assign', lineId, ...what)
const takeBack = (lineId: string, from: string) => command('bank', 'lines', 'take-back', lineId, '--from', from)

async function awaited(): Promise<string[]> {
  const { integrations } = await api.run('bank', 'awaited')
  return integrations.flatMap(({ mints }: { mints: { referenceId: string; openMyr: string }[] }) =>
    mints.map(({ referenceId, openMyr }) => `${referenceId} ${openMyr}`),
  )
}

async function owes(sen: bigint): Promise<void> {
  assert.equal(await world.balanceSen(`mint_receivable:${world.integrationId}`), sen)
  assert.equal(await world.balanceSen('reserve:main'), bank.balanceSen())
  const books = await checkBooks(world.db)
  assert.deepEqual(
    books.filter(({ what }) => what === 'payable' || what === 'sent'),
    [],
  )
  assert.deepEqual(await findStatementTroubles(world.db, TEST_SECRETS), [])
}

for (const [how, said] of [
  ['as a reversal, under its words', { isReversal: true, text: INVOICE }],
  ['as a return, with its end-to-end id', { returnReason: 'AC03', endToEndId: INVOICE }],
  ['as a cheque that has bounced', { text: 'CHQ RTN 000881 INSUFFICIENT FUNDS' }],
  ['without a word', {}],
] as const) {
  test(`what a bank takes back ${how} leaves its mint unpaid, and the next payment pays it`, async () => {
    await world.settledMint('100', { referenceId: INVOICE })
    await paid(10_000n)
    assert.deepEqual(await awaited(), [])
    await tookBack(10_000n, said)
    const debit = only(await unallocated())
    const isNamed = 'isReversal' in said || 'returnReason' in said
    assert.deepEqual(
      [debit.amountMyr, debit.reason],
      ['-100', isNamed ? 'The bank reverses a credit.' : 'A debit that names no payment of ours.'],
    )
    const credit = only(await linesOf())
    assert.equal(await assign(debit.lineId, '--reverses', credit.lineId), undefined)
    await owes(10_000n)
    assert.deepEqual(await awaited(), [`${INVOICE} 100`])
    const [entry] = (await api.run('audit', 'list')).entries.filter(
      ({ action }: { action: string }) => action === 'bank.unallocated.assign',
    )
    assert.equal(entry.details.reverses, credit.lineId)
    assert.equal(entry.details.orders.length, 1)
    assert.deepEqual(
      (await linesOf()).map(({ lineId, reverses }) => [lineId, reverses]),
      [
        [debit.lineId, credit.lineId],
        [credit.lineId, null],
      ],
    )
    await paid(10_000n)
    assert.deepEqual(await unallocated(), [])
    assert.deepEqual(await awaited(), [])
    await owes(0n)
    await paid(10_000n)
    assert.match(only(await unallocated()).reason, /was paid before/)
  })
}

test('a debit that was said to be the partner’s alone is taken back first, and then takes its credit back', async () => {
  await world.settledMint('100', { referenceId: INVOICE })
  await paid(10_000n)
  await tookBack(10_000n)
  const debit = only(await unallocated())
  assert.equal(await assign(debit.lineId, '--integration', world.integrationId), undefined)
  // The books are right, and nothing says which mint is not paid.
  await owes(10_000n)
  assert.deepEqual(await awaited(), [])
  const credit = (await linesOf()).find(({ amountMyr }) => amountMyr === '100')
  assert.equal(await takeBack(debit.lineId, world.integrationId), undefined)
  assert.equal(await assign(debit.lineId, '--reverses', credit?.lineId ?? ''), undefined)
  await owes(10_000n)
  assert.deepEqual(await awaited(), [`${INVOICE} 100`])
})

test('what is taken back is missing in the reserve from its statement on, first unexplained and then as what the partner owes', async () => {
  const missing = async () => {
    const { because } = await api.run('reserves', 'report')
    return [because.unexplained, because.mintsAwaited]
  }
  await world.settledMint('100', { referenceId: INVOICE })
  await paid(10_000n)
  assert.deepEqual(await missing(), ['0', '0'])
  await tookBack(10_000n)
  assert.deepEqual(await missing(), ['-100', '0'])
  const credit = only(await linesOf())
  assert.equal(await assign(only(await unallocated()).lineId, '--reverses', credit.lineId), undefined)
  assert.deepEqual(await missing(), ['0', '-100'])
})

test('a second payment that came before anybody knew pays the mint once it is the partner’s', async () => {
  await world.settledMint('100', { referenceId: INVOICE })
  await paid(10_000n)
  const credit = only(await linesOf())
  await paid(10_000n)
  const second = only(await unallocated())
  assert.match(second.reason, /was paid before/)
  await tookBack(10_000n)
  const debit = (await unallocated()).find(({ amountMyr }) => amountMyr === '-100')
  assert.equal(await assign(debit?.lineId ?? '', '--reverses', credit.lineId), undefined)
  assert.equal(await assign(second.lineId, '--integration', world.integrationId), undefined)
  await owes(0n)
  const [newest] = (await linesOf()).filter(({ lineId }) => lineId === second.lineId)
  assert.equal(newest?.as, 'mint')
  await paid(10_000n)
  assert.match(only(await unallocated()).reason, /was paid before/)
  // That was not the payment of this mint, somebody finds, and says so: it pays no mint by name then, and nobody's twice.
  const third = only(await unallocated())
  assert.equal(await assign(third.lineId, '--integration', world.integrationId), undefined)
  await owes(-10_000n)
})

test('what is taken back in parts is awaited as far as it is owed, and no more of it is taken back than came', async () => {
  await world.settledMint('100', { referenceId: INVOICE })
  await paid(10_000n)
  const credit = only(await linesOf())
  await tookBack(4_000n)
  assert.equal(await assign(only(await unallocated()).lineId, '--reverses', credit.lineId), undefined)
  await owes(4_000n)
  assert.deepEqual(await awaited(), [`${INVOICE} 40`])
  await tookBack(6_001n)
  const much = only(await unallocated())
  assert.match(
    (await assign(much.lineId, '--reverses', credit.lineId)) ?? '',
    /RM 60\.00 can be reversed, not RM 60\.01/,
  )
  assert.equal(await assign(much.lineId, '--own-funds'), undefined)
  await tookBack(6_000n)
  assert.equal(await assign(only(await unallocated()).lineId, '--reverses', credit.lineId), undefined)
  await owes(10_000n)
  assert.deepEqual(await awaited(), [`${INVOICE} 100`])
  await tookBack(10_000n)
  assert.match(
    (await assign(only(await unallocated()).lineId, '--reverses', credit.lineId)) ?? '',
    /was reversed before/,
  )
})

test('what came back in part is paid in part, and the mint is not awaited for more', async () => {
  await world.settledMint('100', { referenceId: INVOICE })
  await paid(10_000n)
  const credit = only(await linesOf())
  await tookBack(4_000n)
  assert.equal(await assign(only(await unallocated()).lineId, '--reverses', credit.lineId), undefined)
  await paid(4_000n)
  const rest = only(await unallocated())
  assert.match(rest.reason, /RM 100\.00 is due, not this amount/)
  assert.equal(await assign(rest.lineId, '--integration', world.integrationId), undefined)
  await owes(0n)
  assert.deepEqual(await awaited(), [])
})

test('of one credit that has paid several mints each waits again, and each is paid by itself', async () => {
  const other = 'INV-2026-000124'
  await world.settledMint('60', { referenceId: INVOICE })
  await world.settledMint('40', { referenceId: other })
  await paid(10_000n, `${INVOICE} ${other}`)
  assert.deepEqual(await awaited(), [])
  const credit = only(await linesOf())
  await tookBack(10_000n)
  assert.equal(await assign(only(await unallocated()).lineId, '--reverses', credit.lineId), undefined)
  assert.deepEqual((await awaited()).sort(), [`${INVOICE} 60`, `${other} 40`])
  await paid(4_000n, other)
  assert.deepEqual(await awaited(), [`${INVOICE} 60`])
  await paid(6_000n)
  assert.deepEqual([await awaited(), await unallocated()], [[], []])
  await owes(0n)
})

test('one debit that takes several credits back leaves their mints unpaid once each of these was taken back from its partner', async () => {
  const { integrationId } = world
  const other = 'INV-2026-000124'
  await world.settledMint('60', { referenceId: INVOICE })
  await world.settledMint('40', { referenceId: other })
  await paid(6_000n)
  await paid(4_000n, other)
  const credits = await linesOf()
  await tookBack(10_000n)
  const debit = only(await unallocated())
  assert.match(
    (await assign(debit.lineId, '--reverses', credits[0]?.lineId ?? '')) ?? '',
    /can be reversed, not RM 100/,
  )
  for (const { lineId } of credits) {
    assert.equal(await takeBack(lineId, integrationId), undefined)
    assert.equal(await assign(lineId, '--integration', integrationId), undefined)
  }
  assert.equal(await assign(debit.lineId, '--integration', integrationId), undefined)
  await owes(10_000n)
  assert.deepEqual((await awaited()).sort(), [`${INVOICE} 60`, `${other} 40`])
  await paid(6_000n)
  await paid(4_000n, other)
  assert.deepEqual([await awaited(), await unallocated()], [[], []])
  await owes(0n)
})

test('what the bank gives back after all pays what it had taken', async () => {
  await world.settledMint('100', { referenceId: INVOICE })
  await paid(10_000n)
  const credit = only(await linesOf())
  await tookBack(10_000n, { isReversal: true })
  assert.equal(await assign(only(await unallocated()).lineId, '--reverses', credit.lineId), undefined)
  await day(() => bank.deposit(10_000n, PAYER, INVOICE, true))
  const again = only(await unallocated())
  assert.match(again.reason, /reverses a debit/)
  assert.equal(await assign(again.lineId, '--integration', world.integrationId), undefined)
  await owes(0n)
  assert.deepEqual(await awaited(), [])
})

test('a debit that takes nothing back after all is taken back, and the mint is paid as before', async () => {
  await world.settledMint('100', { referenceId: INVOICE })
  await paid(10_000n)
  const credit = only(await linesOf())
  for (const pays of [false, true]) {
    await tookBack(10_000n)
    const debit = only(await unallocated())
    assert.equal(await assign(debit.lineId, '--reverses', credit.lineId), undefined)
    assert.match(
      (await takeBack(credit.lineId, world.integrationId)) ?? '',
      new RegExp(`Line ${debit.lineId} reverses line ${credit.lineId}: take that line back first`),
    )
    // Meanwhile it is paid anew, or not.
    if (pays) await paid(10_000n)
    assert.equal(await takeBack(debit.lineId, world.integrationId), undefined)
    const [{ details }] = (await api.run('audit', 'list', '--target', debit.lineId)).entries
    assert.equal(details.paidAgain?.length, pays ? undefined : 1)
    await owes(pays ? -10_000n : 0n)
    assert.equal(await assign(debit.lineId, '--own-funds'), undefined)
  }
  await paid(10_000n)
  assert.match(only(await unallocated()).reason, /was paid before/)
  assert.equal(await takeBack(credit.lineId, world.integrationId), undefined)
})

test('what came from a registered account, or for fees, is taken back likewise', async () => {
  const { integrationId } = world
  await world.settledMint('100', { referenceId: INVOICE })
  await world.db.transaction((tx) => addRemitter(tx, TEST_SECRETS, { integrationId, account: PAYER.account }))
  await paid(10_000n, 'monday')
  const [sum] = await linesOf()
  assert.equal(sum?.as, 'remitter')
  await paid(500n, 'fees of October')
  const fees = (await linesOf()).find(({ amountMyr }) => amountMyr === '5')?.lineId ?? ''
  assert.equal(await takeBack(fees, integrationId), undefined)
  assert.equal(await assign(fees, '--integration', integrationId, '--fees'), undefined)
  for (const [lineId, sen] of [
    [sum?.lineId ?? '', 10_000n],
    [fees, 500n],
  ] as const) {
    await tookBack(sen)
    assert.equal(await assign(only(await unallocated()).lineId, '--reverses', lineId), undefined)
  }
  assert.equal(await world.balanceSen(`fees_receivable:${integrationId}`), 0n)
  await owes(10_000n)
  assert.deepEqual(await awaited(), [`${INVOICE} 100`])
})

test('days that are closed meanwhile stay as they were', async () => {
  await world.settledMint('100', { referenceId: INVOICE })
  await paid(10_000n)
  const credit = only(await linesOf())
  await withoutGuards(world.db, (tx) => tx.query(`update ledger_book set closed_through = '2026-11-21'`))
  await tookBack(10_000n)
  await withoutGuards(world.db, (tx) => tx.query(`update ledger_book set closed_through = '2026-11-30'`))
  assert.equal(await assign(only(await unallocated()).lineId, '--reverses', credit.lineId), undefined)
  const [late] = await world.db.query<{ late: boolean }>(
    `select bool_and(day > '2026-11-30') as late from ledger_entries where reference like '%/assigned'`,
  )
  assert.equal(late?.late, true)
  await owes(10_000n)
  assert.deepEqual(await awaited(), [`${INVOICE} 100`])
})

test('a mint that is not signed, or has failed, is paid no longer; what comes for it pays it unless it has ended', async () => {
  const pending = await world.call('mint', world.mintBody({ amountMyr: '100', referenceId: INVOICE }))
  assert.ok(pending)
  await paid(10_000n)
  await owes(-10_000n)
  const credit = only(await linesOf())
  await tookBack(10_000n)
  assert.equal(await assign(only(await unallocated()).lineId, '--reverses', credit.lineId), undefined)
  await owes(0n)
  await paid(10_000n)
  assert.deepEqual(await unallocated(), [])
  await owes(-10_000n)
  const again = (await linesOf()).find(({ as }) => as === 'mint')
  await withoutGuards(world.db, (tx) =>
    tx.query(`update orders set status = 'failed', failure_reason = 'rejected' where reference_id = $1`, [INVOICE]),
  )
  await tookBack(10_000n)
  assert.equal(await assign(only(await unallocated()).lineId, '--reverses', again?.lineId ?? ''), undefined)
  await owes(0n)
  await paid(10_000n)
  assert.match(only(await unallocated()).reason, /is failed/)
})

test('what is no credit for mints or fees is taken back by no debit', async () => {
  await world.settledMint('100', { referenceId: INVOICE })
  await tookBack(10_000n)
  const early = only(await unallocated())
  await paid(10_000n)
  const credit = only(await linesOf())
  const refused = async (lineId: string, by: string, why: RegExp) =>
    assert.match((await assign(lineId, '--reverses', by)) ?? 'done', why)
  await refused(early.lineId, credit.lineId, /came later/)
  await refused(early.lineId, '999999', /There is no line 999999/)
  await refused(early.lineId, early.lineId, /is a debit/)
  await refused('999999', credit.lineId, /No unallocated line/)
  await paid(100n, 'a gift')
  const [gift] = (await unallocated()).filter(({ amountMyr }) => amountMyr === '1')
  await refused(gift?.lineId ?? '', credit.lineId, /is a credit/)
  await tookBack(100n)
  const [debit] = (await unallocated()).filter(({ amountMyr }) => amountMyr === '-1')
  await refused(debit?.lineId ?? '', gift?.lineId ?? '', /is unallocated: say first whose it is/)
  assert.equal(await assign(gift?.lineId ?? '', '--own-funds'), undefined)
  await refused(debit?.lineId ?? '', gift?.lineId ?? '', /belongs to main and pays no mints/)
  assert.match((await assign(early.lineId, '--reverses', credit.lineId, '--own-funds')) ?? '', /Give exactly one/)
  await owes(0n)
})

test('whoever approves sees the credit and the mints, and nothing of that changes before it is done', async () => {
  await world.settledMint('100', { referenceId: INVOICE })
  await paid(10_000n)
  await tookBack(10_000n)
  const [debit, credit] = [only(await unallocated()), only(await linesOf())]
  const people = [await api.person('treasury'), await api.person('treasury')] as const
  const guarded = await startOperator({
    db: Object.assign(await asRole(world.db, 'operator'), { url: undefined }),
    fourEyes: true,
  })
  try {
    const [one, two] = people.map(
      ({ token }) =>
        (method: 'GET' | 'POST', target: string, body?: object, headers = {}) =>
          guarded.call(method, target, body, { authorization: `Bearer ${token}`, ...headers }),
    )
    if (one === undefined || two === undefined) throw new Error('nobody')
    const target = `/bank/unallocated/${debit.lineId}/assign`
    const ask = async (reason: string) => {
      const body = { reverses: credit.lineId, reason }
      const { approvalId } = (await one('POST', target, body)).body
      const { about } = (await two('GET', `/approvals/${approvalId}`)).body.approval
      assert.equal((await two('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
      return { about, execute: () => one('POST', target, body, { 'x-approval': approvalId }) }
    }
    const first = await ask('a letter')
    assert.match(first.about.would, new RegExp(`would reverse line ${credit.lineId}`))
    assert.match(
      first.about.reversal,
      new RegExp(`RM 100\\.00 of .* came in for int_.*these mints would wait .*${INVOICE}`),
    )
    assert.deepEqual([first.about.reversesRemittance, first.about.integrationStatus], [INVOICE, 'active'])
    // The credit is taken back from its partner meanwhile.
    assert.equal(await takeBack(credit.lineId, world.integrationId), undefined)
    assert.match((await first.execute()).body.error.message, /is void: what it concerns has changed/)
    assert.equal(await assign(credit.lineId, '--integration', world.integrationId), undefined)
    assert.equal((await (await ask('once more')).execute()).status, 200)
    await owes(10_000n)
  } finally {
    await guarded.close()
  }
})
