// engine: postgres; both in test:long
/** What the service tells those who watch it of the reserve, by itself. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { readReserveFacts } from '../../src/reserves/facts.sql.ts'
import { readBooksAge, readProofAge } from '../../src/reserves/proofs.sql.ts'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { bankSays } from '../support/reserve.ts'

let db: TestDatabase
let coin: OperatorFixture
before(async () => {
  db = await createTestDatabase()
  coin = await startOperator({ db })
})
after(async () => {
  await coin.close()
  await db.close()
})

const gauges = () => gaugesOf(db)

async function gaugesOf(db: TestDatabase) {
  const metrics = createMetrics()
  metrics.showReserves(async () => ({
    facts: await readReserveFacts(db),
    proofAgeMs: await readProofAge(db),
    awaited: ['main', 'second'],
    booksAgeMs: await readBooksAge(db),
  }))
  const text = await metrics.registry.metrics()
  return Object.fromEntries(
    [...text.matchAll(/^reserve_(\S+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
  )
}
const reserveOf = async () => (await coin.run('overview')).reserve

/** Coin for an integration, or less of it. */
const mint = (db: TestDatabase, amountMicro: bigint, reference: string) =>
  db.transaction((tx) =>
    recordEntries(tx, [
      {
        reference,
        effectiveAt: new Date(),
        lines: [
          { account: 'mint_receivable:int_a', amountMicro },
          { account: 'coins:1', amountMicro: -amountMicro },
        ],
      },
    ]),
  )

test('a reserve that does not cover the coin is heard of although no mint waits for it; before the first statement nothing is known', async () => {
  assert.deepEqual(await gauges(), {})
  assert.deepEqual(await reserveOf(), { available: '0', committed: '0', short: '0', unknown: 'no_statement' })
  await mint(db, 100_500_000n, 'some coin')
  assert.deepEqual([(await gauges()).room_myr, (await reserveOf()).short], [undefined, '0'])
  await bankSays(db, 100_000_000n, { daysAgo: 3 })
  const { room_myr: room, 'statement_age_seconds{account="main"}': age } = await gauges()
  assert.equal(room, -0.5)
  assert.ok((age ?? 0) > 2 * 86_400 - 1 && (age ?? 0) < 4 * 86_400, String(age))
  assert.deepEqual(await reserveOf(), {
    available: '100',
    committed: '100.5',
    short: '0.5',
    unknown: 'statement_old',
  })
  await bankSays(db, 101_000_000n)
  assert.equal((await gauges()).room_myr, 0.5)
  assert.deepEqual(await reserveOf(), { available: '101', committed: '100.5', short: '0', unknown: null })
})

test('what never came, and was never proven, is missed since the first entry of the books', async () => {
  const db = await createTestDatabase()
  const gauges = () => gaugesOf(db)
  try {
    await mint(db, 1_000_000n, 'the first coin')
    await db.query(`alter table ledger_entries disable trigger all`)
    await db.query(`update ledger_entries set recorded_at = now() - interval '5 days'`)
    await mint(db, 1_000_000n, 'later coin')
    const fiveDays = (seconds: unknown) => Math.round(Number(seconds) / 60) === 5 * 24 * 60
    const before = await gauges()
    assert.deepEqual(Object.keys(before), [
      'statement_age_seconds{account="main"}',
      'statement_age_seconds{account="second"}',
      'proof_age_seconds',
    ])
    assert.ok(Object.values(before).every(fiveDays), JSON.stringify(before))
    await bankSays(db, 2_000_000n)
    const { 'statement_age_seconds{account="main"}': main, 'statement_age_seconds{account="second"}': second } =
      await gauges()
    assert.deepEqual([main === 0, fiveDays(second)], [true, true])
  } finally {
    await db.close()
  }
})

test('so is a proof that nobody makes any more', async () => {
  await db.query(`insert into reserve_proofs (made_at, proof) values (now() - interval '2 hours', '{}')`)
  const { proof_age_seconds: age } = await gauges()
  assert.ok((age ?? 0) >= 7_200 && (age ?? 0) < 7_300, String(age))
})

test('no statement is missed of an account that was closed: empty, and in the bank profile no more', async () => {
  const of = (bankAccount: string, closingMicro: bigint, creditsSinceMicro = 0n) => ({
    bankAccount,
    closingMicro,
    creditsSinceMicro,
    bookedMicro: closingMicro,
    ageMs: 9_000_000,
  })
  const facts = {
    ...(await readReserveFacts(db)),
    accounts: [of('empty', 0n), of('closed', 0n), of('full', 1n), of('notified', 0n, 1n)],
  }
  const agesOf = async (awaited: readonly string[]) => {
    const metrics = createMetrics()
    metrics.showReserves(async () => ({ facts, proofAgeMs: 0, awaited, booksAgeMs: 0 }))
    const text = await metrics.registry.metrics()
    return [...text.matchAll(/^reserve_statement_age_seconds\{account="(\w+)"\} 9000$/gm)].map(([, name]) => name)
  }
  assert.deepEqual(await agesOf(['empty']), ['empty', 'full', 'notified'])
  assert.deepEqual(
    await agesOf([]),
    ['empty', 'closed', 'full', 'notified'],
    'a process without the profile knows of none',
  )
})
