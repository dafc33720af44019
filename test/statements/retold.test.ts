// engine: postgres
/**
 * Random days of an account, told in random honest ways by a bank that gives references: a day at a time, in two parts, as it goes on, or several days
 * cut off anywhere, and some of it again later. In order nothing is lost, and in any order nothing is booked twice. `RETOLD=200` tells so many of each kind.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addDays } from '../../src/bank-files/day.ts'
import { recordFile } from '../../src/statements/record.ts'
import { listWaiting } from '../../src/statements/waiting.sql.ts'
import { withdrawStatement } from '../../src/statements/withdraw.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { bytesOf, DEBTOR } from '../support/bank-files.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type BankLine, writeStatement } from '../support/fake-bank/messages.ts'
import { createRandom, type Random } from '../support/random.ts'

const { RETOLD = '8' } = process.env
const WAYS = ['day', 'two', 'as it goes on', 'several days'] as const
let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

type Day = { day: string; from: number; to: number }
/** The lines from one place of the account's history to another. */
type Told = { id: string; from: number; to: number; opened: string; closed: string }

const changeOf = ({ credit, amountSen }: BankLine) => (credit ? amountSen : -amountSen)

/** Few amounts, so that many are alike, and days that come to nothing. */
function historyOf(random: Random) {
  const lines: BankLine[] = []
  const days: Day[] = []
  let day = '2026-10-28'
  for (let count = random.between(2, 5); count > 0; count -= 1) {
    day = addDays(day, random.pick([1, 1, 1, 3]))
    const from = lines.length
    const isNothing = random.chance(0.25)
    const many = random.chance(0.2) ? 0 : random.between(1, 4)
    for (let index = 0; index < (isNothing ? many - (many % 2) : many); index += 1) {
      const isBack = isNothing && index % 2 === 1
      const amountSen = isBack ? (lines.at(-1)?.amountSen ?? 0n) : random.pick([700n, 700n, 300n, 400n])
      const credit = isNothing ? !isBack : random.chance(0.6)
      lines.push({ reference: `T${lines.length}`, credit, amountSen, day })
    }
    days.push({ day, from, to: lines.length })
  }
  return { lines, days }
}

function tellingsOf(random: Random, days: readonly Day[]): Told[] {
  const all: Told[] = []
  const tell = (first: Day, last: Day, to = last.to, from = first.from) =>
    all.push({ id: `S${all.length}`, from, to, opened: first.day, closed: last.day })
  let untold: Day | undefined
  for (const [index, each] of days.entries()) {
    untold ??= each
    // Several days may be told together for the first time.
    if (random.chance(0.3) && index < days.length - 1) continue
    const way = untold !== each ? 'several days' : each.to - each.from < 2 ? 'day' : random.pick(WAYS)
    const within = () => random.between(each.from + 1, Math.max(each.from + 1, each.to - 1))
    if (way === 'two') {
      const cut = within()
      tell(each, each, cut)
      tell(each, each, each.to, cut)
    } else if (way === 'as it goes on') {
      tell(each, each, within())
      tell(each, each)
    } else if (way === 'several days') {
      const first = untold === each ? (days[random.between(Math.max(0, index - 2), index)] ?? each) : untold
      if (each.to > each.from && random.chance(0.5)) tell(first, each, within())
      tell(first, each)
    } else tell(each, each)
    untold = undefined
    if (random.chance(0.5)) {
      const since = random.between(0, index)
      const [first, last] = [days[since] ?? each, days[random.between(since, index)] ?? each]
      if (last.to > last.from) tell(first, last, random.between(last.from + 1, last.to))
    }
  }
  return all
}

async function play(seed: string, isShuffled: boolean): Promise<void> {
  const random = createRandom(seed)
  const { lines, days } = historyOf(random)
  const account = { ...DEBTOR, key: `main ${seed}`, account: String(random.between(10 ** 9, 10 ** 10 - 1)) }
  const balances = [1_000_000n]
  for (const line of lines) balances.push((balances.at(-1) ?? 0n) + changeOf(line))
  const log: string[] = []
  const take = async ({ id, from, to, opened, closed }: Told) => {
    const ids = { messageId: `${seed} ${id}`, statementId: id, createdAt: '2026-11-20T18:00:00+08:00' }
    const [openingSen = 0n, closingSen = 0n] = [balances[from], balances[to]]
    const dates = { openedOn: opened, openingSen, closedOn: closed, closingSen }
    const text = writeStatement({ ...ids, account: account.account, ...dates, lines: lines.slice(from, to) })
    const deps = { db, secrets: TEST_SECRETS, databaseNow: async () => new Date('2026-12-01T00:00:00Z') }
    const others = { applyReport: async () => ({ ok: true, value: undefined }) as const, findTogether: async () => [] }
    const setup = { accounts: [account], csv: undefined }
    const taken = await recordFile({ ...deps, ...others, setup }, { name: `${id}.xml`, bytes: bytesOf(text) })
    log.push(`${id} ${opened} to ${closed}: T${from} to T${to}, ${openingSen} to ${closingSen}: ${taken.result}`)
    if (taken.result === 'refused') assert.equal(taken.refusal.code, 'repeated', log.join('\n'))
  }
  const booked = async () => {
    const rows = await db.query<{ reference: string }>(
      `select servicer_reference as reference from bank_lines l join bank_statements s using (statement_no)
       where s.bank_account = $1 and s.position is not null and entry > 0`,
      [account.key],
    )
    const references = rows.map(({ reference }) => reference)
    assert.equal(new Set(references).size, references.length, `booked twice:\n${log.join('\n')}`)
    return references.length
  }
  await take({ id: 'FIRST', from: 0, to: 0, opened: '2026-10-27', closed: '2026-10-27' })
  const told = tellingsOf(random, days)
  const order = told.map((one, place) => ({ one, place: isShuffled ? place + random.between(0, 3) : place }))
  for (const { one } of order.toSorted((a, b) => a.place - b.place)) await take(one)
  const count = await booked()
  if (!isShuffled) assert.equal(count, lines.length, `lost:\n${log.join('\n')}`)
  // Whoever withdraws what waits loses nothing in order, and has nothing twice.
  for (const { statementNo, bankAccount } of await listWaiting(db))
    if (bankAccount === account.key) await db.transaction((tx) => withdrawStatement(tx, statementNo, 'told again'))
  assert.ok((await booked()) >= count)
}

for (const isShuffled of [false, true])
  test(`however a bank tells its days ${isShuffled ? 'out of' : 'in'} order, each line is booked once${isShuffled ? ' at most' : ''}`, async () => {
    for (let life = 1; life <= 3 * Number(RETOLD); life += 1) await play(`${life} ${isShuffled}`, isShuffled)
  })
