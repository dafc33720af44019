// engine: postgres; both in test:long
/** A bank may book a whole payment file, or a section of it, as one debit: each payment of it is shown all the same. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { findTogether } from '../../src/payment-files/together.ts'
import { readReserveFacts } from '../../src/reserves/facts.sql.ts'
import { availableOf } from '../../src/reserves/guard.ts'
import { createSecretBox, UnknownKeyError } from '../../src/secrets/secrets.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { listUnallocated } from '../../src/statements/lists.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { DEBTOR } from '../support/bank-files.ts'
import { PAYMENTS } from '../support/bank-setup.ts'
import { type BankWorld, createBankWorlds } from '../support/bank-world.ts'
import { type BankLine, writeNotification, writeReport, writeStatement } from '../support/fake-bank/messages.ts'
import { withoutGuards } from '../support/without-guards.ts'

const worlds = createBankWorlds()
after(() => worlds.close())

const DAY = '2026-11-20'
const OPENING_SEN = 100_000_000n
const FILE = 'COIN-00000001'

/** Payouts of these amounts, put out in one payment file. */
async function filed(...amounts: readonly string[]) {
  const world = await worlds.open()
  const payouts: Awaited<ReturnType<BankWorld['burntRedeem']>>[] = []
  for (const amount of amounts) payouts.push(await world.burntRedeem(amount))
  await world.payDue()
  assert.deepEqual((await world.file()).files, [FILE])
  return { world, payouts, statuses: () => Promise.all(payouts.map(({ payoutId }) => world.payoutStatus(payoutId))) }
}

const debit = (amountSen: bigint, changes: Partial<BankLine> = {}): BankLine => ({
  reference: 'BULK1',
  credit: false,
  amountSen,
  day: DAY,
  ...changes,
})

let lastId = 0

/** A statement of the day with these lines; `details` takes the place of what each says of its transactions. */
function statementOf(lines: readonly BankLine[], details?: string): string {
  lastId += 1
  const change = lines.reduce((sum, { credit, amountSen }) => sum + (credit ? amountSen : -amountSen), 0n)
  const xml = writeStatement({
    messageId: `M${lastId}`,
    createdAt: '2026-11-20T23:00:00+08:00',
    statementId: `S${lastId}`,
    account: DEBTOR.account,
    openedOn: DAY,
    openingSen: OPENING_SEN,
    closedOn: DAY,
    closingSen: OPENING_SEN + change,
    lines: [...lines],
  })
  return details === undefined ? xml : xml.replace(/<NtryDtls>[\s\S]*?<\/NtryDtls>/, details)
}

/** Without lines. */
function statementOfTheDayBefore(): string {
  const day = '2026-11-19'
  const named = { messageId: day, createdAt: `${day}T23:00:00+08:00`, statementId: day, account: DEBTOR.account }
  return writeStatement({
    ...named,
    openedOn: day,
    openingSen: OPENING_SEN,
    closedOn: day,
    closingSen: OPENING_SEN,
    lines: [],
  })
}

const batch = (content: string) => `<NtryDtls><Btch>${content}</Btch></NtryDtls>`

const unallocated = async ({ db }: BankWorld) =>
  (await listUnallocated(db, { after: undefined, limit: 100 })).map(({ amountMicro }) => amountMicro / 10_000n)

/** The books are the bank's, nothing differs, and nothing is still on its way. */
async function assertPaid(world: BankWorld, closingSen: bigint) {
  assert.equal(await world.balanceSen('payout_clearing:bank_files'), 0n)
  assert.equal(await world.balanceSen('reserve:main'), closingSen)
  assert.deepEqual(await findStatementTroubles(world.db, TEST_SECRETS), [])
  const facts = await readReserveFacts(world.db)
  assert.equal(availableOf(facts), closingSen * 10_000n)
}

test('one debit for a whole payment file pays each of its payments, whichever way the bank names the file', async () => {
  const ways = {
    'the batch names the file': batch(`<MsgId>${FILE}</MsgId><NbOfTxs>3</NbOfTxs>`),
    'the batch names the section': batch(
      `<PmtInfId>${FILE}-1</PmtInfId><NbOfTxs>3</NbOfTxs><TtlAmt Ccy="MYR">600.00</TtlAmt>`,
    ),
    'the one transaction names both': `<NtryDtls><TxDtls><Refs><MsgId>${FILE}</MsgId><PmtInfId>${FILE}-1</PmtInfId><EndToEndId>NOTPROVIDED</EndToEndId></Refs><Amt Ccy="MYR">600.00</Amt><CdtDbtInd>DBIT</CdtDbtInd></TxDtls></NtryDtls>`,
    'the file stands as the id': `<NtryDtls><TxDtls><Refs><EndToEndId>${FILE}</EndToEndId></Refs><Amt Ccy="MYR">600.00</Amt><CdtDbtInd>DBIT</CdtDbtInd></TxDtls></NtryDtls>`,
    'only words name it': `<AddtlNtryInf>IBG BULK PAYMENT ${FILE}-1 3 TXN</AddtlNtryInf>`,
  }
  for (const [way, details] of Object.entries(ways)) {
    const { world, statuses } = await filed('100', '200', '300')
    const { taken } = await world.importXml(statementOf([debit(60_000n)], details))
    assert.equal(taken.result, 'applied', way)
    assert.deepEqual(await statuses(), ['paid', 'paid', 'paid'], way)
    assert.deepEqual(await unallocated(world), [OPENING_SEN], way)
    await assertPaid(world, OPENING_SEN - 60_000n)
  }
})

test('what the bank has rejected is not part of the debit; what it took and gives back is booked when it comes back', async () => {
  const { world, payouts, statuses } = await filed('100', '200', '300')
  const [first, second, third] = payouts
  const sections = [
    {
      sectionId: `${FILE}-1`,
      payments: [
        {
          endToEndId: second?.endToEndId ?? '',
          instructionId: `${FILE}-1-2`,
          amountSen: 20_000n,
          status: { code: 'RJCT', reason: 'AC04' },
        },
      ],
    },
  ]
  const rejected = writeReport({
    messageId: 'R1',
    createdAt: '2026-11-20T12:00:00+08:00',
    answers: FILE,
    sections,
  }).replace(/<OrgnlInstrId>[^<]*<\/OrgnlInstrId>/, '')
  assert.equal((await world.importXml(rejected)).taken.result, 'applied')
  const back = {
    reference: 'BACK',
    credit: true,
    amountSen: 10_000n,
    day: DAY,
    endToEndId: first?.endToEndId ?? '',
    returnReason: 'AC06',
  }
  const xml = statementOf([debit(40_000n), back], batch(`<MsgId>${FILE}</MsgId>`))
  assert.equal((await world.importXml(xml)).taken.result, 'applied')
  assert.deepEqual(await statuses(), ['returned', 'rejected', 'paid'])
  assert.equal(await world.payoutStatus(third?.payoutId ?? ''), 'paid')
  assert.deepEqual(await unallocated(world), [OPENING_SEN])
  await assertPaid(world, OPENING_SEN - 30_000n)
})

test('a debit that is not what the file came to, or counts others, explains nothing', async () => {
  const wrong: [bigint, string][] = [
    [60_001n, batch(`<MsgId>${FILE}</MsgId>`)],
    [60_000n, batch(`<MsgId>${FILE}</MsgId><NbOfTxs>2</NbOfTxs>`)],
    [60_000n, batch('<MsgId>COIN-00000002</MsgId>')],
    [60_000n, batch(`<PmtInfId>${FILE}-2</PmtInfId>`)],
    [60_000n, batch('<NbOfTxs>3</NbOfTxs>')],
  ]
  for (const [amountSen, details] of wrong) {
    const { world, statuses } = await filed('100', '200', '300')
    assert.equal((await world.importXml(statementOf([debit(amountSen)], details))).taken.result, 'applied')
    assert.deepEqual(await statuses(), ['sent', 'sent', 'sent'], details)
    assert.deepEqual((await unallocated(world)).sort(), [-amountSen, OPENING_SEN].sort())
  }
})

test('a credit, a reversal and a debit to another account of ours that name the file are no payments of it', async () => {
  const own = `<NtryDtls><TxDtls><Refs><MsgId>${FILE}</MsgId></Refs><Amt Ccy="MYR">600.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><RltdPties><CdtrAcct><Id><Othr><Id>514099999999</Id></Othr></Id></CdtrAcct></RltdPties></TxDtls></NtryDtls>`
  const cases = [
    statementOf([debit(60_000n, { credit: true })], batch(`<MsgId>${FILE}</MsgId>`)),
    statementOf([debit(60_000n)], batch(`<MsgId>${FILE}</MsgId>`)).replace('<Sts>', '<RvslInd>true</RvslInd><Sts>'),
    statementOf([debit(60_000n)], own),
  ]
  for (const xml of cases) {
    const { world, statuses } = await filed('100', '200', '300')
    assert.equal((await world.importXml(xml)).taken.result, 'applied')
    assert.deepEqual(await statuses(), ['sent', 'sent', 'sent'])
  }
})

test('a statement that names a file in each of its lines opens that file once', async () => {
  const { world } = await filed('100', '200')
  let opened = 0
  const secrets: typeof TEST_SECRETS = {
    ...TEST_SECRETS,
    open(...given) {
      opened += 1
      return TEST_SECRETS.open(...given)
    },
  }
  await world.db.transaction(async (tx) => {
    for (const amountSen of [10_000n, 20_000n, 5n, 30_000n]) {
      const found = await findTogether({ tx, secrets, fs, folder: world.folder }, PAYMENTS, {
        names: ['OTHER-00000001', FILE],
        amountSen,
        count: null,
      })
      assert.equal(found.length, amountSen === 30_000n ? 2 : 0)
    }
  })
  assert.equal(opened, 1)
})

test('a second debit for the same file explains nothing: each payment is shown once', async () => {
  const { world, statuses } = await filed('100', '200')
  const xml = statementOf([debit(30_000n), debit(30_000n, { reference: 'BULK2' })]).replace(
    /<NtryDtls>[\s\S]*?<\/NtryDtls>/g,
    batch(`<MsgId>${FILE}</MsgId>`),
  )
  assert.equal((await world.importXml(xml)).taken.result, 'applied')
  assert.deepEqual(await statuses(), ['paid', 'paid'])
  assert.deepEqual((await unallocated(world)).sort(), [-10_000n, -20_000n, OPENING_SEN].sort())
})

test('notified as one debit it is our payments, which are on their way already, and the statement shows it', async () => {
  const { world } = await filed('100', '200')
  assert.equal((await world.importXml(statementOf([]))).taken.result, 'applied')
  const before = availableOf(await readReserveFacts(world.db))
  const notified = writeNotification({
    messageId: 'N1',
    createdAt: '2026-11-21T10:00:00+08:00',
    notificationId: 'N1',
    account: DEBTOR.account,
    lines: [debit(30_000n, { day: '2026-11-21' })],
  }).replace(/<NtryDtls>[\s\S]*?<\/NtryDtls>/, batch(`<MsgId>${FILE}</MsgId>`))
  assert.equal((await world.importXml(notified)).taken.result, 'applied')
  assert.equal(availableOf(await readReserveFacts(world.db)), before)
  for (const [day, lines] of [
    ['2026-11-21', [debit(30_000n, { day: '2026-11-21' })]],
    ['2026-11-22', []],
  ] as const) {
    const openingSen = day === '2026-11-21' ? OPENING_SEN : OPENING_SEN - 30_000n
    const xml = writeStatement({
      messageId: day,
      createdAt: `${day}T23:00:00+08:00`,
      statementId: day,
      account: DEBTOR.account,
      lines: [...lines],
      openedOn: day,
      openingSen,
      closedOn: day,
      closingSen: OPENING_SEN - 30_000n,
    }).replace(/<NtryDtls>[\s\S]*?<\/NtryDtls>/, batch(`<MsgId>${FILE}</MsgId>`))
    assert.equal((await world.importXml(xml)).taken.result, 'applied')
  }
  await assertPaid(world, OPENING_SEN - 30_000n)
})

test('what the bank says of a payment file that no key opens is taken in by our own copy of it, as long as that is the same', async () => {
  const { world, statuses } = await filed('100', '200')
  const sealed = createSecretBox(randomBytes(32)).seal('it is not known what', FILE)
  await withoutGuards(world.db, (tx) => tx.query('update payment_files set content = $1', [sealed]))
  const copies = [path.join(world.folder, 'out', `${FILE}.xml`), path.join(world.folder, 'kept', `${FILE}.xml`)]
  const text = await fs.readFile(copies[0] ?? '', 'utf8')
  const write = async (content: string) => {
    for (const copy of copies) {
      await fs.rm(copy)
      await fs.writeFile(copy, content)
    }
  }
  const xml = statementOf([debit(30_000n)], batch(`<MsgId>${FILE}</MsgId><NbOfTxs>2</NbOfTxs>`))
  await write(text.replace('100.00', '100.01'))
  await assert.rejects(world.importXml(xml), UnknownKeyError)
  await write(text)
  const report = {
    messageId: 'R1',
    createdAt: '2026-11-20T12:00:00+08:00',
    answers: FILE,
    status: { code: 'ACSP' },
    sections: [],
  }
  assert.equal((await world.importXml(writeReport(report))).taken.result, 'applied')
  assert.equal((await world.importXml(xml)).taken.result, 'applied')
  assert.deepEqual(await statuses(), ['paid', 'paid'])
  await assertPaid(world, OPENING_SEN - 30_000n)
})

test('of a payment file whose key is called lost, and of which no copy is left, ids and amounts still say what was booked together', async () => {
  const ways = {
    'the whole file': { name: batch(`<MsgId>${FILE}</MsgId>`), sen: 30_000n, ends: ['paid', 'paid'] },
    'its only section': { name: batch(`<PmtInfId>${FILE}-1</PmtInfId>`), sen: 30_000n, ends: ['paid', 'paid'] },
    'nothing that it comes to': { name: batch(`<MsgId>${FILE}</MsgId>`), sen: 20_000n, ends: ['sent', 'sent'] },
  }
  for (const [way, { name, sen, ends }] of Object.entries(ways)) {
    const { world, statuses } = await filed('100', '200')
    const box = createSecretBox(randomBytes(32))
    await withoutGuards(world.db, (tx) =>
      tx.query('update payment_files set content = $1', [box.seal('it is not known what', FILE)]),
    )
    for (const place of ['out', 'kept']) await fs.rm(path.join(world.folder, place, `${FILE}.xml`))
    const xml = statementOf([debit(sen)], name)
    await assert.rejects(world.importXml(xml), UnknownKeyError, 'it may merely be missing here')
    const report = {
      messageId: 'R1',
      createdAt: '2026-11-20T12:00:00+08:00',
      answers: FILE,
      status: { code: 'ACSP' },
      sections: [],
    }
    await assert.rejects(world.importXml(writeReport(report)), UnknownKeyError)
    assert.equal((await world.importXml(statementOfTheDayBefore())).taken.result, 'applied')
    await world.db.query(
      `insert into lost_keys (key_id, through_statement, reason) select $1, max(statement_no), 'a fire' from bank_statements`,
      [box.prefix.split('.')[1] ?? ''],
    )
    assert.equal((await world.importXml(xml)).taken.result, 'applied', way)
    assert.deepEqual(await statuses(), ends, way)
    const { taken } = await world.importXml(writeReport(report))
    assert.ok(taken.result === 'refused' && /is lost, and so is our copy/.test(taken.refusal.sentence), way)
  }
})
