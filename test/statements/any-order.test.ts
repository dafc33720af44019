// engine: postgres
/** However the files of a bank come, the books end the same: late, several at once, in parts, or more than once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDays } from '../../src/bank-files/day.ts'
import { addRemitter } from '../../src/integrations/remitters.sql.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { endOfDay } from '../../src/ledger/periods.sql.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { DEBTOR } from '../support/bank-files.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { type BankLine, type BankStatement, writeStatement } from '../support/fake-bank/messages.ts'
import { checkLines } from './books-of-lines.ts'

const RUNS = 6
const FIRST_DAY = '2026-11-21'
const DAYS = 4
const ACCOUNTS = { main: DEBTOR.account, second: '514099999999' } as const
type AccountKey = keyof typeof ACCOUNTS
const OTHER = { main: 'second', second: 'main' } as const
const REGISTERED = { name: 'Partner', account: '70001234567' }
const STRANGER = { name: 'Somebody', account: '70009999999' }

const said = fc.record({
  amountSen: fc.constantFrom(1_000n, 1_000n, 1_000n, 700n),
  credit: fc.boolean(),
  names: fc.constantFrom('nothing', 'payment', 'payment', 'mint', 'remitter', 'own'),
  of: fc.nat(1),
})
type Said = typeof said extends fc.Arbitrary<infer S> ? S : never
/** What each account's days say. The first of each is quiet, because nothing can come before it. */
const bank = fc.record({
  main: fc.array(fc.array(said, { maxLength: 3 }), { minLength: DAYS, maxLength: DAYS }),
  second: fc.array(fc.array(said, { maxLength: 2 }), { minLength: DAYS, maxLength: DAYS }),
})
/** How its files come: in which order, which day in two statements, how many statements in one file, which file twice. */
const coming = fc.record({
  order: fc.array(fc.nat(1_000), { minLength: 4 * DAYS, maxLength: 4 * DAYS }),
  split: fc.array(fc.boolean(), { minLength: 2 * DAYS, maxLength: 2 * DAYS }),
  together: fc.array(fc.boolean(), { minLength: 4 * DAYS, maxLength: 4 * DAYS }),
  twice: fc.array(fc.boolean(), { minLength: 4 * DAYS, maxLength: 4 * DAYS }),
})
type Bank = typeof bank extends fc.Arbitrary<infer S> ? S : never
type Coming = typeof coming extends fc.Arbitrary<infer S> ? S : never

type Statement = Omit<BankStatement, 'messageId' | 'createdAt'>

async function newWorld() {
  const world = await createBankWorld()
  await world.db.transaction((tx) =>
    addRemitter(tx, TEST_SECRETS, { integrationId: world.integrationId, account: REGISTERED.account }),
  )
  const mints = [await world.settledMint('10'), await world.settledMint('10')]
  const redeems = [await world.burntRedeem('10'), await world.burntRedeem('10')]
  await world.payDue()
  return { world, mints, redeems }
}
type World = Awaited<ReturnType<typeof newWorld>>

function lineOf({ mints, redeems }: World, of: AccountKey, day: string, index: number, one: Said): BankLine {
  const { amountSen, credit, names } = one
  const parties = { own: { name: 'Issuer', account: ACCOUNTS[OTHER[of]] }, remitter: REGISTERED }
  return {
    reference: `${of}-${day}-${index}`,
    credit,
    amountSen,
    day,
    party: parties[names as keyof typeof parties] ?? STRANGER,
    ...(names === 'payment' ? { endToEndId: redeems[one.of]?.endToEndId ?? '' } : {}),
    ...(names === 'mint' ? { text: `for ${mints[one.of]?.referenceId}` } : {}),
  }
}

const sumOf = (lines: readonly BankLine[]) =>
  lines.reduce((sum, { credit, amountSen }) => sum + (credit ? amountSen : -amountSen), 0n)

/**
 * The statements of an account; a day that is split has two. Each day has an interest of its own, so that no days sum to zero: without numbers
 * such days can be missing unseen, and are another matter.
 */
function statementsOf(world: World, of: AccountKey, days: readonly (readonly Said[])[], split: readonly boolean[]) {
  let openingSen = of === 'main' ? 500_000n : 100_000n
  const statements: Statement[] = []
  for (const [place, lines] of [[], ...days].entries()) {
    const day = addDays(FIRST_DAY, place)
    const interest = { reference: `${of}-${day}`, credit: true, amountSen: 1n << BigInt(place), day, text: 'INTEREST' }
    const rest = lines.map((each, index) => lineOf(world, of, day, index, each))
    const isSplit = split[place - 1] === true && sumOf(rest) !== 0n
    const parts = isSplit ? [[interest], rest] : [[interest, ...rest]]
    for (const [part, own] of parts.entries()) {
      const closingSen = openingSen + sumOf(own)
      const dates = { openedOn: day, closedOn: day }
      statements.push({
        statementId: `${of}-${day}-${part}`,
        account: ACCOUNTS[of],
        ...dates,
        openingSen,
        closingSen,
        lines: own,
      })
      openingSen = closingSen
    }
  }
  return statements
}

async function take(world: BankWorld, serial: number, statements: readonly Statement[]): Promise<string> {
  const heads = { messageId: `M${serial}`, createdAt: '2026-11-30T18:00:00+08:00' }
  const [whole = '', ...others] = statements.map((each) => writeStatement({ ...heads, ...each }))
  const rest = others.map((xml) => /<Stmt>[\s\S]*<\/Stmt>/.exec(xml)?.[0] ?? '')
  return (
    await world.importXml(
      whole.replace('</Stmt>', () => `</Stmt>${rest.join('')}`),
      `${serial}.xml`,
    )
  ).taken.result
}

/** What the books, the lines and the payouts say in the end, by names that are the same in every world. */
async function resultOf({ world, redeems }: World, closings: readonly Statement[]) {
  const named = (text: string) =>
    [[world.integrationId, 'partner'], ...redeems.map(({ payoutId }, place) => [payoutId, `payout ${place}`])].reduce(
      (shown, [id = '', name = '']) => shown.replaceAll(id, name),
      text,
    )
  await checkLines(world.db)
  const troubles = (await findStatementTroubles(world.db, TEST_SECRETS)).filter(
    ({ kind }) => kind !== 'reserve' && kind !== 'own_transfer',
  )
  assert.deepEqual(troubles, [])
  // Of two lines that say the same, on two accounts perhaps, the first that comes is the one, and nothing explains the other.
  const balances = new Map<string, bigint>()
  for (const { kind, owner, balanceMicro } of await readBalances(world.db)) {
    const name = kind === 'unallocated' ? kind : named(`${kind}:${owner}`)
    balances.set(name, (balances.get(name) ?? 0n) + balanceMicro)
  }
  const statuses: string[] = []
  for (const { payoutId } of redeems) statuses.push(await world.payoutStatus(payoutId))
  await checkDays(world, closings)
  return {
    balances: [...balances].flatMap(([name, amount]) => (amount === 0n ? [] : [`${name} ${amount}`])).sort(),
    statuses,
  }
}

/** At the end of each day each account of the books is what the bank said then. */
async function checkDays({ db }: BankWorld, statements: readonly Statement[]): Promise<void> {
  for (const [place, statement] of statements.entries()) {
    const next = statements[place + 1]
    if (next?.account === statement.account && next.closedOn === statement.closedOn) continue
    const key = statement.account === ACCOUNTS.main ? 'main' : 'second'
    const asOf = await endOfDay(db, statement.closedOn)
    const held = (await readBalances(db, asOf)).find(({ kind, owner }) => kind === 'reserve' && owner === key)
    assert.equal(held?.balanceMicro ?? 0n, statement.closingSen * 10_000n, `${key} on ${statement.closedOn}`)
  }
}

async function inOrder(told: Bank) {
  const s = await newWorld()
  try {
    const all = (['main', 'second'] as const).flatMap((of) => statementsOf(s, of, told[of], []))
    const sorted = all.toSorted((one, other) => (one.closedOn < other.closedOn ? -1 : 1))
    for (const [serial, each] of sorted.entries()) assert.equal(await take(s.world, serial, [each]), 'applied')
    return await resultOf(s, all)
  } finally {
    await s.world.close()
  }
}

async function asTheyCome(told: Bank, how: Coming) {
  const s = await newWorld()
  try {
    const main = statementsOf(s, 'main', told.main, how.split.slice(0, DAYS))
    const second = statementsOf(s, 'second', told.second, how.split.slice(DAYS))
    const firsts = [main[0], second[0]].flatMap((each) => each ?? [])
    const rest = [...main.slice(1), ...second.slice(1)]
      .map((each, index) => ({ each, place: how.order[index] ?? 0 }))
      .toSorted((one, other) => one.place - other.place)
      .map(({ each }) => each)
    let serial = 0
    const files: Statement[][] = [firsts]
    for (const [index, each] of rest.entries()) {
      if (how.together[index] && files.length > 1) files.at(-1)?.push(each)
      else files.push([each])
    }
    for (const [index, file] of files.entries()) {
      serial += 1
      assert.equal(await take(s.world, serial, file), 'applied')
      if (how.twice[index]) assert.equal(await take(s.world, serial, file), 'repeated')
    }
    return await resultOf(s, [...main, ...second])
  } finally {
    await s.world.close()
  }
}

test('however the files of a bank come, the books end the same, and each day as the bank said', async () => {
  await fc.assert(
    fc.asyncProperty(bank, coming, async (told, how) => {
      assert.deepEqual(await asTheyCome(told, how), await inOrder(told))
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
})
