// engine: postgres; both in test:long
/** The chain of hashes finds everything that somebody with power over the database can do to the books. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { readNewestSeal } from '../../src/ledger/seals.sql.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { readHead, type Seal } from '../../src/seals/chain.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { sealBooks } from '../support/seal-books.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { emptyBooks } from './books.ts'

let db: TestDatabase
let head: Seal
/** Five sealed entries `1` to `5`, one that waits. */
let ids: bigint[]
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())
beforeEach(async () => {
  await emptyBooks(db)
  for (const reference of ['1', '2', '3', '4', '5']) await record(reference)
  head = (await sealBooks(db, 10)).head
  await record('6')
  ids = (await db.query<{ entry_id: bigint }>('select entry_id from ledger_entries order by entry_id')).map(
    (row) => row.entry_id,
  )
})

const record = (reference: string) =>
  db.transaction((tx) =>
    recordEntries(tx, [
      {
        reference,
        effectiveAt: new Date('2026-11-20T04:00:00.123Z'),
        lines: [
          { account: 'coins:1', amountMicro: -5n },
          { account: 'mint_receivable:int_a', amountMicro: 5n },
        ],
      },
    ]),
  )

async function faultAfter(work: (tx: Queryable) => Promise<unknown>, known?: Seal) {
  await withoutGuards(db, work)
  const { ok, firstBad } = await verifyLedger(db, known)
  assert.equal(ok, firstBad === null)
  return firstBad
}

test('untouched books are as they were sealed, and run through every head that was ever logged', async () => {
  const first = await verifyLedger(db)
  assert.deepEqual(first, { ok: true, entries: 6n, head, firstBad: null })
  await sealBooks(db, 10)
  const { ok, head: newest } = await verifyLedger(db, head)
  assert.deepEqual([ok, newest.position], [true, 6n])
  assert.deepEqual(newest, await readNewestSeal(db))
  await emptyBooks(db)
  assert.deepEqual(await verifyLedger(db), {
    ok: true,
    entries: 0n,
    head: readHead(`0:${'0'.repeat(64)}`),
    firstBad: null,
  })
})

for (const [what, change] of [
  ['an amount', `amounts_micro = '{-6,6}'`],
  ['an account', `accounts = '{coins:2,mint_receivable:int_a}'`],
  ['a reference', `reference = 'x'`],
  ['an instant', `effective_at = effective_at + interval '1 microsecond'`],
  ['the instant of recording', `recorded_at = recorded_at + interval '1 microsecond'`],
  ['a day', `day = day + 1`],
] as const) {
  test(`${what} that was changed is found`, async () => {
    const id = ids[2] ?? 0n
    assert.deepEqual(
      await faultAfter((tx) => tx.query(`update ledger_entries set ${change} where entry_id = $1`, [id])),
      {
        fault: 'entry changed or seal forged',
        subject: `entry ${id}`,
      },
    )
  })
}

test('an entry that was removed is found, with and without its seal', async () => {
  const id = ids[2] ?? 0n
  const removed = (tx: Queryable) => tx.query('delete from ledger_entries where entry_id = $1', [id])
  assert.deepEqual(await faultAfter(removed), { fault: 'entry missing', subject: `entry ${id}` })
  const unsealed = (tx: Queryable) => tx.query('delete from ledger_seals where entry_id = $1', [id])
  assert.deepEqual(await faultAfter(unsealed), { fault: 'seal missing', subject: 'position 3' })
  const closedUp = (tx: Queryable) => tx.query('update ledger_seals set position = position - 1 where position > 3')
  assert.deepEqual(await faultAfter(closedUp), { fault: 'entry changed or seal forged', subject: `entry ${ids[3]}` })
})

test('an entry that was put in past the service is found', async () => {
  const inserted = (tx: Queryable) =>
    tx.query(
      `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
       values ('x', now(), '2026-11-20', '{coins:1,mint_receivable:int_a}', '{-5,5}')`,
    )
  assert.equal((await faultAfter(inserted))?.fault, 'entry inserted')
})

test('an entry that was put in under a number far from all others is found, and not looked for without an end', async () => {
  for (const id of ['-5', '-9223372036854775808', '9223372036854775807']) {
    const inserted = (tx: Queryable) =>
      tx.query(
        `insert into ledger_entries (entry_id, reference, effective_at, day, accounts, amounts_micro) overriding system value
         values ($1::text::bigint, 'x', now(), '2026-11-20', '{coins:1,mint_receivable:int_a}', '{-5,5}')`,
        [id],
      )
    assert.deepEqual(await faultAfter(inserted), { fault: 'entry inserted', subject: `entry ${id}` })
    await withoutGuards(db, (tx) => tx.query(`delete from ledger_entries where reference = 'x'`))
  }
})

test('an end that was cut off, or written anew, is found by a head that was logged', async () => {
  const cutOff = async (tx: Queryable) => {
    await tx.query('delete from ledger_seals where position > 4')
    await tx.query('delete from ledger_entries where entry_id >= $1', [ids[4] ?? 0n])
    await tx.query('delete from ledger_unsealed')
    await tx.query('update ledger_totals set debit_micro = greatest(0, debit_micro - 5) where debit_micro > 0')
    await tx.query('update ledger_totals set credit_micro = greatest(0, credit_micro - 5) where credit_micro > 0')
    await tx.query('update ledger_flows set minted_micro = 20')
  }
  assert.equal(await faultAfter(cutOff), null)
  assert.deepEqual((await verifyLedger(db, head)).firstBad, {
    fault: 'end cut off, or another chain',
    subject: 'position 5',
  })
  await record('another fifth')
  await sealBooks(db, 10)
  assert.equal((await verifyLedger(db)).firstBad, null)
  assert.equal((await verifyLedger(db, head)).firstBad?.fault, 'end cut off, or another chain')
})

test('a total that was changed, added or removed is found', async () => {
  for (const change of [
    `update ledger_totals set debit_micro = debit_micro + 1 where account = 'mint_receivable:int_a'`,
    `update ledger_totals set debit_micro = debit_micro - 1, credit_micro = credit_micro + 1 where account = 'mint_receivable:int_a'`,
    `delete from ledger_totals where account = 'coins:1'`,
    `insert into ledger_totals values ('coins:1', '2026-11-20', 0, 25), ('coins:1', '2026-11-21', 0, 1)`,
  ]) {
    assert.equal((await faultAfter((tx) => tx.query(change)))?.fault, 'total differs', change)
  }
})

test('sealing goes on where it ended, takes what committed late, and two sealers make one chain', async () => {
  const rounds = await Promise.all([sealBooks(db, 10), sealBooks(db, 10)])
  assert.equal(
    rounds.reduce((total, { sealed }) => total + sealed, 0),
    1,
  )
  await record('7')
  await record('8')
  assert.equal((await sealBooks(db, 1)).sealed, 1)
  assert.equal((await sealBooks(db, 5)).sealed, 1)
  assert.equal((await sealBooks(db, 5)).sealed, 0)
  const { ok, head: newest } = await verifyLedger(db, head)
  assert.deepEqual([ok, newest.position], [true, 8n])
})
