/** What an auditor does with the month afterwards, through the operators' API alone: from each figure to what it is made of, and back. */
import assert from 'node:assert/strict'
import { addDays } from '../../src/bank-files/day.ts'
import { DAYS, FIRST_DAY, type MonthWorld } from './world.ts'

type Row = Record<string, unknown>

/** @returns how many entries, lines, orders and payouts were looked at */
export async function auditMonth(world: MonthWorld): Promise<Record<string, number>> {
  const entries = await rollForward(world)
  const lines = await followStatements(world, entries)
  await followReferences(world, entries)
  await compareControlAccounts(world)
  return { entries: entries.length, lines }
}

async function pages(world: MonthWorld, path: string, list: string): Promise<Row[]> {
  const rows: Row[] = []
  let after: unknown
  do {
    const page = await world.ask(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}limit=500${after ? `&after=${after}` : ''}`,
    )
    rows.push(...(page[list] as Row[]))
    after = page.next
  } while (typeof after === 'string')
  return rows
}

function micro(text: unknown): bigint {
  const [whole = '', part = ''] = String(text).replace('-', '').split('.')
  const amount = BigInt(`${whole}${part.padEnd(6, '0')}`)
  return String(text).startsWith('-') ? -amount : amount
}

async function balances(world: MonthWorld, day: string): Promise<Map<string, bigint>> {
  const { accounts } = await world.ask('GET', `/ledger/balances?asOf=${day}`)
  return new Map((accounts as Row[]).map(({ account, owner, balance }) => [`${account}:${owner}`, micro(balance)]))
}

/** Day by day, the entries lead from the balances before it to those at its end. */
async function rollForward(world: MonthWorld): Promise<Row[]> {
  const all: Row[] = []
  let sums = await balances(world, addDays(FIRST_DAY, -1))
  for (let day = 0; day < DAYS; day += 1) {
    const date = addDays(FIRST_DAY, day)
    const entries = await pages(world, `/ledger/entries?from=${date}&through=${date}`, 'entries')
    for (const { account, amount } of entries.flatMap(({ lines }) => lines as Row[]))
      sums.set(String(account), (sums.get(String(account)) ?? 0n) + micro(amount))
    const then = await balances(world, date)
    assert.deepEqual(new Map([...sums].sort()), new Map([...then].sort()), `entries of ${date}`)
    assert.equal(
      [...then.values()].reduce((total, balance) => total + balance, 0n),
      0n,
    )
    sums = then
    all.push(...entries)
  }
  assert.equal(new Set(all.map(({ entryId }) => entryId)).size, all.length)
  return all
}

/** Each statement's lines come to its balances, and each line that is booked by itself has its entry, on which it moves its amount. */
async function followStatements(world: MonthWorld, entries: readonly Row[]): Promise<number> {
  const known = new Map(entries.map((entry) => [String(entry.reference), entry]))
  let many = 0
  const statements = await pages(world, '/bank/statements/applied?of=main', 'statements')
  for (const { statementNo, opening, closing } of statements) {
    const lines = await pages(world, `/bank/lines?statement=${statementNo}`, 'lines')
    const said = lines.filter(({ madeOf }) => madeOf === null)
    const isOpening = (line: Row) => String(line.statement).endsWith('/0.0')
    const moved = said.filter((line) => !isOpening(line)).reduce((total, { amountMyr }) => total + micro(amountMyr), 0n)
    assert.equal(micro(opening) + moved, micro(closing), `lines of statement ${statementNo}`)
    for (const { statement, amountMyr, as } of said) {
      const entry = known.get(`statement/main/${statement}`)
      if (entry === undefined) assert.match(String(as), /payout/, `${statement} is booked`)
      else {
        const reserve = (entry.lines as Row[]).filter(({ account }) => account === 'reserve:main')
        assert.equal(
          reserve.reduce((total, { amount }) => total + micro(amount), 0n),
          micro(amountMyr),
        )
      }
    }
    many += said.length
  }
  return many
}

/** What an entry names is there, and its name leads back to it. */
async function followReferences(world: MonthWorld, entries: readonly Row[]): Promise<void> {
  const names = new Map<string, Set<string>>()
  for (const { reference } of entries) {
    const [kind = '', one = '', other = ''] = String(reference).split('/')
    if (kind !== 'batch' && kind !== 'payout') continue
    const name = kind === 'batch' ? `batch/${one}/${other}` : `payout/${one}`
    names.set(name, (names.get(name) ?? new Set()).add(String(reference)))
  }
  for (const [name, references] of names) {
    const [kind, ...ids] = name.split('/')
    assert.equal(
      (await world.ask('GET', `/${kind === 'batch' ? 'batches' : 'payouts'}/${ids.join('/')}`)).ok,
      true,
      name,
    )
    const found = await pages(world, `/ledger/entries?reference=${encodeURIComponent(name)}`, 'entries')
    assert.deepEqual(new Set(found.map(({ reference }) => String(reference))), references, name)
  }
}

/** What is receivable is the mints one by one, and what is payable or with a rail the payouts one by one. */
async function compareControlAccounts(world: MonthWorld): Promise<void> {
  const now = await balances(world, addDays(FIRST_DAY, DAYS - 1))
  const sumOf = (...kinds: string[]) =>
    [...now].reduce(
      (total, [account, balance]) => (kinds.includes(account.split(':')[0] ?? '') ? total + balance : total),
      0n,
    )
  const { integrations } = await world.ask('GET', '/bank/awaited')
  for (const { integrationId, receivable, notListed, mints } of integrations as Row[]) {
    assert.equal(micro(receivable), now.get(`mint_receivable:${integrationId}`))
    const open = (mints as Row[]).reduce((total, { openMyr }) => total + micro(openMyr), 0n)
    assert.equal(open + micro(notListed), micro(receivable) > 0n ? micro(receivable) : 0n)
  }
  const unpaid = await pages(world, '/payouts?unpaid=true', 'payouts')
  const owed = unpaid.reduce((total, { amountMyr }) => total + micro(amountMyr), 0n)
  assert.equal(owed, -sumOf('redeem_payable', 'payout_clearing'))
  const { difference, because } = await world.ask('GET', '/reserves')
  const parts = Object.values(because as Row).reduce<bigint>((total, part) => total + micro(part), 0n)
  assert.equal(parts, micro(difference))
}
