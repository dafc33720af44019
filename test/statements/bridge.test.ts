// engine: postgres
/** The bank has issued an applied statement again with another closing balance: what it corrected is booked as a line, and what waits follows. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { assignLine, type Explanation } from '../../src/statements/assign.ts'
import { bookLines } from '../../src/statements/book.ts'
import { bridgeStatement } from '../../src/statements/bridge.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { listUnallocated } from '../../src/statements/lists.sql.ts'
import { listWaiting } from '../../src/statements/waiting.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { DEBTOR } from '../support/bank-files.ts'
import { NOW, SILENT } from '../support/bank-setup.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { type BankLine, writeStatement } from '../support/fake-bank/messages.ts'
import { someBank } from '../support/statements.ts'
import { checkLines } from './books-of-lines.ts'

const worlds = createBankWorlds()
afterEach(() => worlds.close())

const numbered = (xml: string, number?: number) =>
  xml.replace(/<Stmt>\s*<Id>.*?<\/Id>/, `$&<ElctrncSeqNb>${number}</ElctrncSeqNb>`)

/** Under ids that no other bank of these tests gives. */
const renamed = (xml: string) => xml.replaceAll('>STM0', '>LTM0').replaceAll('>S0', '>L0').replaceAll('>TX0', '>LX0')

/** A statement that was applied, and two later ones of a bank that closes it with so much more. */
async function correctedBy(moreSen: bigint, [first, second, third] = [1, 2, 3], day = '2026-11-21') {
  const world = await worlds.open()
  await world.importXml(numbered(someBank().closeDay(), first))
  const bank = someBank({ openingSen: 100_000_000n + moreSen, day, seed: 'again' })
  for (const [text, number] of [
    ['rent', second],
    ['more', third],
  ] as const) {
    bank.deposit(700n, { name: 'P', account: '12345' }, text)
    await world.importXml(numbered(bank.closeDay(), number))
  }
  const waiting = await listWaiting(world.db)
  assert.equal(waiting.length, 2)
  const bridge = (index: number, sen: bigint) =>
    world.db.transaction((tx) =>
      bridgeStatement({ tx, secrets: TEST_SECRETS }, waiting[index]?.statementNo ?? 0n, sen * 10_000n),
    )
  return { world, bank, bridge }
}

test('the difference becomes a line that nothing explains, and all that waited is booked', async () => {
  for (const moreSen of [1_000n, -1_000n]) {
    const { world, bank, bridge } = await correctedBy(moreSen)
    const wrong = await bridge(0, moreSen + 1n)
    assert.match(wrong.result === 'refused' ? wrong.sentence : '', /The difference is RM -?10\.00,/)
    const early = await bridge(1, moreSen + 700n)
    assert.match(early.result === 'refused' ? early.sentence : '', /waits before it/)
    assert.equal((await listWaiting(world.db)).length, 2)
    assert.equal((await bridge(0, moreSen)).result, 'bridged')
    assert.equal((await bridge(0, moreSen)).result, 'not_waiting')
    assert.deepEqual(await listWaiting(world.db), [])
    await bookLines({ db: world.db, secrets: TEST_SECRETS, logger: SILENT as never, now: () => NOW })
    const lines = await listUnallocated(world.db, { after: undefined, limit: 10 })
    assert.ok(
      lines.some(
        ({ amountMicro, statementId }) => amountMicro === moreSen * 10_000n && /-corrected$/.test(statementId),
      ),
    )
    assert.deepEqual(await findStatementTroubles(world.db, TEST_SECRETS), [])
    assert.equal(await world.balanceSen('reserve:main'), bank.balanceSen())
  }
})

test('nothing is bridged while the bank’s numbers say that a statement is missing, or where the balance follows', async () => {
  const missing = await correctedBy(1_000n, [1, 3, 4])
  const refused = await missing.bridge(0, 1_000n)
  assert.match(refused.result === 'refused' ? refused.sentence : '', /number 2 is missing/)
  assert.equal((await listWaiting(missing.world.db)).length, 2)
  const waiting = await correctedBy(1_000n)
  assert.equal((await waiting.bridge(0, 0n)).result, 'refused')
})

test('a number that the bank has left out is stepped over where the balances agree, and what comes for it after all fits', async () => {
  const { world, bridge } = await correctedBy(0n, [1, 3, 4], '2026-11-23')
  const other = await bridge(0, 100n)
  assert.match(other.result === 'refused' ? other.sentence : '', /The difference is RM 0\.00,/)
  const early = await bridge(1, 0n)
  assert.match(early.result === 'refused' ? early.sentence : '', /waits before it/)
  assert.equal((await bridge(0, 0n)).result, 'bridged')
  assert.deepEqual(await listWaiting(world.db), [])
  assert.equal((await bridge(0, 0n)).result, 'not_waiting')
  const late = someBank({ day: '2026-11-21', seed: 'late' })
  late.deposit(500n, { name: 'P', account: '12345' })
  late.withdraw(500n, { name: 'Q', account: '54321' })
  assert.equal((await world.importXml(numbered(renamed(late.closeDay()), 2))).taken.result, 'applied')
  assert.deepEqual(await listWaiting(world.db), [])
  await bookLines({ db: world.db, secrets: TEST_SECRETS, logger: SILENT as never, now: () => NOW })
  assert.equal((await listUnallocated(world.db, { after: undefined, limit: 10 })).length, 5)
  assert.deepEqual(await findStatementTroubles(world.db, TEST_SECRETS), [])
})

test('nothing is bridged to a statement that tells again what was told, nor in parts where there is no difference', async () => {
  const { world, bank } = await correctedBy(0n, [1, 3, 4], '2026-11-23')
  const [next] = await listWaiting(world.db)
  const bridge = (statementNo: bigint, sen: bigint, parts: bigint[]) =>
    world.db
      .transaction(async (tx) => {
        const deps = { tx, secrets: TEST_SECRETS }
        const bridged = await bridgeStatement(
          deps,
          statementNo,
          sen * 10_000n,
          parts.map((part) => part * 10_000n),
        )
        if (bridged.result === 'refused') throw new Error(bridged.sentence)
        return bridged.result
      })
      .catch((error: unknown) => (error instanceof Error ? error.message : ''))
  assert.match(await bridge(next?.statementNo ?? 0n, 0n, [500n, -500n]), /There is no difference/)
  assert.equal(await bridge(next?.statementNo ?? 0n, 0n, []), 'bridged')
  const day = '2026-11-24'
  const lines = [true, false].map((credit) => ({ credit, day, amountSen: 900n, reference: `OUT${credit}` }))
  const take = (id: string, openingSen: bigint, closedOn: string, told: BankLine[]) => {
    const closingSen = told.reduce((sum, { credit, amountSen }) => sum + (credit ? amountSen : -amountSen), openingSen)
    const dates = { openedOn: day, openingSen, closedOn, closingSen, createdAt: `${closedOn}T18:00:00+08:00` }
    return world.importXml(
      writeStatement({ messageId: `M${id}`, statementId: id, account: DEBTOR.account, ...dates, lines: told }),
    )
  }
  await take('TOLD', bank.balanceSen(), day, lines)
  const more: BankLine = { credit: true, day: '2026-11-25', amountSen: 50n, reference: 'MORE' }
  assert.equal((await take('AGAIN', bank.balanceSen() + 10n, '2026-11-25', [...lines, more])).taken.result, 'applied')
  const [again] = await listWaiting(world.db)
  assert.match(await bridge(again?.statementNo ?? 0n, 10n, []), /tells again what was told up to 2026-11-24: withdraw/)
  assert.deepEqual(
    (await listWaiting(world.db)).map(({ statementId }) => statementId),
    ['AGAIN'],
  )
  const corrected = await world.db.query(`select from bank_statements where statement_id like '%-corrected'`)
  assert.deepEqual(corrected, [])
})

test('of several statements of one day the first to be bridged is the one that the others follow, in whichever order they came', async () => {
  const world = await worlds.open()
  await world.importXml(someBank().closeDay())
  const told = { openingSen: 100_001_000n, day: '2026-11-21', seed: 'again' }
  const bank = someBank(told)
  bank.deposit(700n, { name: 'P', account: '12345' }, 'rent')
  const morning = bank.closeDay()
  const later = someBank({ ...told, openingSen: bank.balanceSen(), seed: 'later' })
  later.deposit(300n, { name: 'Q', account: '54321' }, 'more')
  await world.importXml(renamed(later.closeDay()))
  await world.importXml(morning)
  const byOpening = new Map(
    (await listWaiting(world.db)).map((each) => [each.openingMicro / 10_000n, each.statementNo]),
  )
  const bridge = (openingSen: bigint) =>
    world.db.transaction((tx) =>
      bridgeStatement(
        { tx, secrets: TEST_SECRETS },
        byOpening.get(openingSen) ?? 0n,
        (openingSen - 100_000_000n) * 10_000n,
      ),
    )
  const early = await bridge(100_001_700n)
  assert.match(early.result === 'refused' ? early.sentence : '', /waits before it/)
  assert.equal((await bridge(100_001_000n)).result, 'bridged')
  assert.deepEqual(await listWaiting(world.db), [])
  assert.equal(later.balanceSen(), 100_002_000n)
})

test('of a statement with reversed signs each thing that it said is put right by a line of its own', async () => {
  const world = await worlds.open()
  const redeem = await world.burntRedeem('10')
  await world.payDue()
  const { db, integrationId } = world
  const day = '2026-11-20'
  const take = (id: string, on: string, openingSen: bigint, lines: BankLine[]) => {
    const closingSen = lines.reduce((sum, { credit, amountSen }) => sum + (credit ? amountSen : -amountSen), openingSen)
    const dates = { openedOn: on, openingSen, closedOn: on, closingSen, createdAt: `${day}T18:00:00+08:00` }
    return world.importXml(
      writeStatement({ messageId: `M${id}`, statementId: id, account: DEBTOR.account, ...dates, lines }),
    )
  }
  // RM 10 have left for the payout, and RM 25 have come: the bank says the contrary of both.
  await take('WRONG', day, 100_000n, [
    { reference: 'T1', credit: true, amountSen: 1_000n, day, endToEndId: redeem.endToEndId },
    { reference: 'T2', credit: false, amountSen: 2_500n, day },
  ])
  assert.equal(await world.payoutStatus(redeem.payoutId), 'returned')
  await take('NEXT', '2026-11-21', 101_500n, [])
  const [waits] = await listWaiting(db)
  const bridge = (...parts: bigint[]) =>
    db.transaction((tx) =>
      bridgeStatement(
        { tx, secrets: TEST_SECRETS },
        waits?.statementNo ?? 0n,
        30_000_000n,
        parts.map((part) => part * 10_000n),
      ),
    )
  const wrong = await bridge(-1_000n, 5_000n)
  assert.match(wrong.result === 'refused' ? wrong.sentence : '', /The parts come to RM 40\.00, and not/)
  assert.equal((await bridge(-1_000n, -1_000n, 2_500n, 2_500n)).result, 'bridged')
  await bookLines({ db, secrets: TEST_SECRETS, logger: SILENT as never, now: () => NOW })
  const assign = async (amountSen: bigint, explanation: Explanation) => {
    const lines = await listUnallocated(db, { after: undefined, limit: 10 })
    const line = lines.find(({ amountMicro }) => amountMicro === amountSen * 10_000n)
    const how = { explanation, reason: 'a letter of the bank', now: NOW }
    const { result } = await db.transaction((tx) => assignLine({ tx, secrets: TEST_SECRETS }, line?.lineNo ?? 0n, how))
    assert.equal(result, 'assigned')
  }
  const payout = { kind: 'payout', payoutId: redeem.payoutId, attempt: 1, amountSen: 1_000n } as const
  // That it came back is undone by its debit; and it was made, which an operator says.
  await assign(-1_000n, payout)
  await db.transaction((tx) => payoutAdmin.markPaid(tx, redeem.payoutId, 'a letter of the bank'))
  await assign(-1_000n, payout)
  await assign(-2_500n, { kind: 'own_funds' })
  await assign(2_500n, { kind: 'own_funds' })
  await assign(2_500n, { kind: 'mints', integrationId })
  assert.equal(await world.payoutStatus(redeem.payoutId), 'paid_by_hand')
  const balances = ['redeem_payable:', 'mint_receivable:'].map((of) => world.balanceSen(`${of}${integrationId}`))
  assert.deepEqual(await Promise.all(balances), [0n, -2_500n])
  const accounts = [
    'reserve:main',
    'own_funds:main',
    'payout_clearing:by_hand',
    'payout_clearing:bank_files',
    'unallocated:main',
  ]
  assert.deepEqual(await Promise.all(accounts.map((of) => world.balanceSen(of))), [101_500n, 0n, 0n, 0n, -100_000n])
  assert.deepEqual(await findStatementTroubles(db, TEST_SECRETS), [])
  await checkLines(db)
})

test('what the bank corrects twice on a day, alike, is booked twice, also where it has given the usual name itself', async () => {
  const day = '2026-11-20'
  const back: BankLine = { reference: 'BACK', credit: false, amountSen: 1_000n, day }
  for (const last of ['S3', 'S2-corrected']) {
    const world = await worlds.open()
    const take = (statementId: string, openingSen: bigint, lines: BankLine[], closedOn = day) => {
      const closingSen = openingSen - lines.reduce((sum, { amountSen }) => sum + amountSen, 0n)
      const dates = { openedOn: closedOn, openingSen, closedOn, closingSen }
      const ids = { messageId: `M${statementId}`, statementId, createdAt: `${day}T18:00:00+08:00` }
      return world.importXml(writeStatement({ ...ids, account: DEBTOR.account, ...dates, lines }))
    }
    await take('S1', 1_000_000n, [])
    await take('S2', 1_001_000n, [back])
    await take(last, 1_001_000n, [], '2026-11-21')
    const names: string[] = []
    for (let count = 0; count < 2; count += 1) {
      const [waiting] = await listWaiting(world.db)
      const bridged = await world.db.transaction((tx) =>
        bridgeStatement({ tx, secrets: TEST_SECRETS }, waiting?.statementNo ?? 0n, 10_000_000n),
      )
      if (bridged.result === 'bridged') names.push(bridged.statementId)
    }
    assert.deepEqual(names, ['S1-corrected', 'S2-corrected-3'])
    assert.deepEqual(await listWaiting(world.db), [])
    assert.deepEqual(await findStatementTroubles(world.db, TEST_SECRETS), [])
  }
})
