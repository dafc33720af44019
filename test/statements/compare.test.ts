// engine: postgres; both in test:long
/** What is changed in the statements past the service is found and named, and nothing is invented. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { checkStatements } from '../../src/operator/reconcile/statements.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { bookLines } from '../../src/statements/book.ts'
import { readLines, readNewestStatements } from '../../src/statements/compare.sql.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { digestOf } from '../../src/statements/digest.ts'
import { findUnbooked } from '../../src/statements/facts.sql.ts'
import { recordFile } from '../../src/statements/record.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { bytesOf } from '../support/bank-files.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'

const worlds = createBankWorlds()
after(() => worlds.close())

test('each planted change is named, and nothing else', async () => {
  const world = await worlds.open()
  const bank = someBank()
  const ids: string[] = []
  for (let day = 0; day < 3; day += 1) {
    const mint = await world.settledMint('7')
    bank.deposit(700n, { name: 'P', account: '12345' }, mint.referenceId)
    bank.deposit(55n, { name: 'P', account: '12345' }, 'nobody knows')
    const xml = bank.closeDay()
    ids.push(/<Stmt>\s*<Id>(.*?)</.exec(xml)?.[1] ?? '')
    await world.importXml(xml)
  }
  assert.deepEqual(await findStatementTroubles(world.db, TEST_SECRETS), [])

  /** What is found when this was done, which is then undone. */
  const foundAfter = async (...changes: string[]): Promise<string[]> => {
    const found: string[] = []
    await withoutGuards(world.db, async (tx) => {
      for (const change of changes) await tx.query(change)
      for (const { kind, subject } of await findStatementTroubles(tx, TEST_SECRETS)) found.push(`${kind} ${subject}`)
      throw new Error('undone')
    }).catch((error: unknown) => assert.equal((error as Error).message, 'undone'))
    return found
  }
  const second = `main/${ids[1]}`
  const ofSecond = `statement_no = (select statement_no from bank_statements where statement_id = '${ids[1]}')`
  assert.deepEqual(
    await foundAfter(`update bank_lines set amount_micro = amount_micro + 10000 where ${ofSecond} and entry = 1`),
    [`statement_changed ${second}`, `statement_line ${second}/1.1`],
  )
  assert.deepEqual(await foundAfter(`update bank_lines set bank_id = null where ${ofSecond} and entry = 1`), [
    `statement_changed ${second}`,
  ])
  assert.deepEqual(
    await foundAfter(
      `delete from bank_paid_mints where line_no in (select line_no from bank_lines where ${ofSecond})`,
      `delete from bank_lines where ${ofSecond} and entry = 1`,
    ),
    [`statement_changed ${second}`],
  )
  assert.deepEqual(
    await foundAfter(`update bank_statements set closing_micro = closing_micro + 1 where statement_id = '${ids[2]}'`),
    [`statement_changed main/${ids[2]}`, 'reserve main'],
  )
  assert.deepEqual(
    await foundAfter(
      `delete from ledger_unsealed`,
      `delete from ledger_entries where reference = 'statement/${second}/2.1'`,
    ),
    [`statement_line ${second}/2.1`, 'reserve main'],
  )
  // Whoever writes both balances, and the digest that goes with them, has still the statements beside it against them.
  const stored = (await readNewestStatements(world.db, [])).find(({ statementId }) => statementId === ids[1])
  assert.ok(stored)
  const raised = {
    ...stored,
    openingMicro: stored.openingMicro + 10_000n,
    closingMicro: stored.closingMicro + 10_000n,
  }
  const digest = digestOf(raised, await readLines(world.db, TEST_SECRETS, stored.statementNo))
  assert.deepEqual(
    await foundAfter(
      `update bank_statements set opening_micro = opening_micro + 10000, closing_micro = closing_micro + 10000, digest = '${digest}'
       where statement_id = '${ids[1]}'`,
    ),
    [`statement_changed ${second}`, `statement_changed main/${ids[2]}`],
  )
  bank.deposit(1n, { name: 'P', account: '12345' }, 'lost')
  bank.closeDay()
  bank.deposit(1n, { name: 'P', account: '12345' }, 'y')
  const later = bank.closeDay()
  await world.importXml(later)
  const [missing, ...others] = await findStatementTroubles(world.db, TEST_SECRETS)
  assert.equal(missing?.kind, 'statement_missing')
  assert.deepEqual(others, [])
})

test('what the bank has notified and no statement shows is named once a later day is covered, until one shows it', async () => {
  const world = await worlds.open()
  const bank = someBank()
  const missing = async () =>
    (await findStatementTroubles(world.db, TEST_SECRETS)).map(
      ({ kind, subject, message }) => `${kind} ${subject}: ${message}`,
    )
  bank.deposit(700n, { name: 'P', account: '12345' }, 'shown')
  const notification = bank.notification()
  const lost = (reference: string, side: 'CRDT' | 'DBIT') =>
    notification
      .replace(/<(MsgId)>.*?</, `<$1>${reference}<`)
      .replace(/<(AcctSvcrRef)>.*?</g, `<$1>${reference}<`)
      .replaceAll('>CRDT<', `>${side}<`)
  for (const xml of [notification, lost('LOST-CREDIT', 'CRDT'), lost('LOST-DEBIT', 'DBIT')]) await world.importXml(xml)
  const nameless = notification.replace(/<AcctSvcrRef>.*?<\/AcctSvcrRef>/g, '')
  await world.importXml(nameless.replace(/<MsgId>.*?</, '<MsgId>NAMELESS<'))
  await world.importXml(nameless.replace(/<MsgId>.*?</, '<MsgId>OTHER<').replace('shown', 'never'))
  await world.importXml(bank.closeDay())
  assert.deepEqual(await missing(), [])
  await world.importXml(bank.closeDay())
  const isNameless = (text: string) => /^notified_missing main\/2026-11-20\/[0-9a-f]{12}: /.test(text)
  const found = await missing()
  const others = found.filter((text) => !isNameless(text))
  assert.equal(found.length, 3)
  const named = (reference: string, what: string) =>
    `notified_missing main/2026-11-20/${reference}: The bank has notified a ${what} of RM 7.00 for 2026-11-20, but no statement up to 2026-11-21 shows it.`
  assert.deepEqual(others, [named('LOST-CREDIT', 'credit'), named('LOST-DEBIT', 'debit')])
  bank.deposit(700n, { name: 'P', account: '12345' }, 'at last')
  await world.importXml(bank.closeDay().replace(/<AcctSvcrRef>.*?</g, '<AcctSvcrRef>LOST-CREDIT<'))
  const left = await missing()
  assert.deepEqual([left.length, left.filter((text) => text.includes('CREDIT'))], [2, []])
  // One that comes after the statement is known at once.
  await world.importXml(notification.replace(/<MsgId>.*?</, '<MsgId>LATE<').replace(/<NtryRef>.*?<\/NtryRef>/g, ''))
  assert.equal((await missing()).length, 2)
})

test('money that is notified under a reference which its payer uses every month is not taken for that of the month before', async () => {
  const world = await worlds.open()
  const bank = someBank()
  const withReference = (xml: string) => xml.replaceAll('NOTPROVIDED', 'RENT')
  bank.deposit(700n, { name: 'P', account: '12345' }, 'rent')
  const notification = withReference(bank.notification())
  const later = notification.replace(/<MsgId>.*?</, '<MsgId>DECEMBER<').replaceAll('2026-11-20', '2026-12-20')
  await world.importXml(notification)
  await world.importXml(later.replace(/<AcctSvcrRef>.*?<\/AcctSvcrRef>/g, '<AcctSvcrRef>DECEMBER</AcctSvcrRef>'))
  for (let day = 0; day < 32; day += 1) await world.importXml(withReference(bank.closeDay()))
  const missing = (await findStatementTroubles(world.db, TEST_SECRETS)).filter(
    ({ kind }) => kind === 'notified_missing',
  )
  assert.deepEqual(
    missing.map(({ subject }) => subject),
    ['main/2026-12-20/RENT'],
  )
})

test('while lines are booked, the books and the statement are compared as of one moment', async () => {
  const world = await worlds.open()
  const bank = someBank()
  for (let n = 1; n <= 12; n += 1) bank.deposit(BigInt(n), { name: 'P', account: '12345' }, 'nobody knows')
  await recordFile(world.importDeps, { name: 'statement.xml', bytes: bytesOf(bank.closeDay()) })
  const place = { after: 0n }
  const bookNext = () => bookLines({ ...world.importDeps, place }, { batch: 1, rounds: 1 })
  let before: Promise<unknown> = Promise.resolve()
  /** Before each statement another line is booked. */
  const query: Queryable['query'] = (text, params) => {
    const asked = before.then(bookNext).then(() => world.db.query(text, params))
    before = asked
    return asked as never
  }
  assert.deepEqual(await findStatementTroubles({ query }, TEST_SECRETS), [])
  assert.ok((await findUnbooked(world.db, { after: 0n, limit: 12 })).length > 0)
})

test('a statement that was changed is named until it is what the bank said, however many have come since', async () => {
  const world = await worlds.open()
  const { db } = world
  const bank = someBank()
  bank.deposit(700n, { name: 'P', account: '12345' }, 'nobody knows')
  await world.importXml(bank.closeDay())
  const named = async () => (await checkStatements(db, TEST_SECRETS)).map(({ kind, subject }) => `${kind} ${subject}`)
  const [statement] = await db.query<{ id: string }>('select statement_id as id from bank_statements')
  const change = (by: number) =>
    withoutGuards(db, (tx) => tx.query(`update bank_lines set amount_micro = amount_micro + ${by} where entry = 1`))
  await change(10_000)
  const wrong = [`statement_changed main/${statement?.id}`, `statement_line main/${statement?.id}/1.1`]
  assert.deepEqual(await named(), wrong)
  for (let day = 0; day < 32; day += 1) await world.importXml(bank.closeDay())
  assert.deepEqual(await findStatementTroubles(db, TEST_SECRETS), [], 'it is none of the newest')
  for (const _ of [1, 2]) assert.deepEqual(await named(), wrong)
  await change(-10_000)
  assert.deepEqual(await named(), [])
  assert.deepEqual(await db.query('select from reconcile_suspects'), [])
})

test('what a lost key has sealed is compared without it, and named until it is none of the newest; what was altered stays named', async () => {
  const world = await worlds.open()
  const { db } = world
  const bank = someBank()
  bank.deposit(700n, { name: 'P', account: '12345' }, 'nobody knows')
  await world.importXml(bank.closeDay())
  bank.deposit(800n, { name: 'P', account: '12345' }, 'nobody knows')
  await world.importXml(bank.closeDay())
  const another = createSecretBox(randomBytes(32))
  const named = async (secrets = another) =>
    (await checkStatements(db, secrets)).map(({ kind, subject }) => `${kind} ${subject}`)
  const ids = (await db.query<{ id: string }>('select statement_id as id from bank_statements order by position')).map(
    ({ id }) => `main/${id}`,
  )
  const unopened = ids.map((id) => `statement_unopened ${id}`)
  assert.deepEqual(await named(), unopened)
  const change = (by: number) =>
    withoutGuards(db, (tx) =>
      tx.query(
        `update bank_lines set amount_micro = amount_micro + ${by} where entry = 1 and amount_micro between 7000000 and 7999999`,
      ),
    )
  await change(10_000)
  const [first = ''] = ids
  const changed = [`statement_changed ${first}`, `statement_line ${first}/1.1`]
  assert.deepEqual(
    await named(),
    [unopened[0], changed[0], unopened[1], changed[1]],
    'amounts are compared all the same',
  )
  await change(-10_000)
  assert.deepEqual(await named(), unopened)
  for (let day = 0; day < 31; day += 1) await world.importXml(bank.closeDay())
  assert.deepEqual(await named(), [])
  // Under the present key a seal that does not open was changed.
  await withoutGuards(db, (tx) => tx.query(`update bank_details set sealed = left(sealed, -8) || 'AAAAAAAA'`))
  assert.deepEqual(await named(TEST_SECRETS), [])
  const again = async () =>
    (await findStatementTroubles(db, TEST_SECRETS, ids)).map(({ kind, subject }) => `${kind} ${subject}`)
  assert.deepEqual(
    await again(),
    ids.map((id) => `statement_changed ${id}`),
  )
})
