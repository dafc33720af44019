// engine: postgres
/** The guard of the coin that the books have on a lost chain: what it reads, and who is past it by when they began. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ROLES } from '../../src/config.ts'
import { type Database, type Queryable, violatedConstraint } from '../../src/db/database.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { closeDays } from '../../src/ledger/periods.sql.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { addChain, addOrder, addParty, type Party } from '../operator/world.ts'
import { addBatchRow } from '../support/batch-rows.ts'
import { asRole, createTestDatabase, type TestDatabase } from '../support/database.ts'
import { sealBooks } from '../support/seal-books.ts'
import { waitsOrEnds } from '../support/waits-or-ends.ts'

const [CHAIN, THERE] = [31_337, 31_338]
const MANY = 20_000

let db: TestDatabase
let settler: Database
let party: Party
before(async () => {
  db = await createTestDatabase()
  await applyGrants(db, ROLES, false)
  for (const chainId of [CHAIN, THERE]) await addChain(db, chainId, 90n)
  party = await addParty(db)
  await db.query(
    `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, tx_hash, status,
       fencing_token, mined_block, mined_hash, success_bitmap, finalized_at)
     select ${CHAIN}, n, '0x51', n, '0xd1', '0xd2', array[-n], 1, '0xb', 'final', 1, 50, '0xb1', 1, now() from generate_series(1, ${MANY}) n`,
  )
  await db.query(
    `insert into lost_orders (order_id, chain_id, batch_id, turns) select -n, ${CHAIN}, n, 1 from generate_series(1, ${MANY}) n`,
  )
  await lose(CHAIN)
  await db.script('analyze batches, lost_orders')
  settler = await asRole(db, 'settler')
})
after(async () => {
  await settler.close()
  await db.close()
})

const lose = (chainId: number) =>
  db.query(`insert into lost_chains (chain_id, reason, lost_by) values ($1, 'gone', 'somebody')`, [chainId])
const book = (tx: Queryable, chainId: number, reference: string) =>
  tx.query(
    `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
     values ($1, now(), now()::date, array['coins:' || $2::text, 'mint_receivable:x'], array[5, -5])`,
    [reference, chainId],
  )
const judge = (tx: Queryable) => tx.query('set constraints ledger_entries_of_lost immediate')
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => violatedConstraint(error),
  )

test('it finds what an entry names by its id, however many batches and lost orders there are', async () => {
  const read = (reference: string) =>
    settler.transaction(async (tx) => {
      await tx.query('savepoint before')
      await book(tx, CHAIN, reference)
      assert.equal(await refusalOf(judge(tx)), 'ledger_entries_of_lost')
      await tx.query('rollback to savepoint before')
      const [row] = await tx.query<{ read: bigint }>(
        `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as read from pg_stat_xact_user_tables
         where relname in ('batches', 'lost_orders')`,
      )
      return Number(row?.read)
    })
  for (const named of ['batch/31337/7', 'batch/31337/7/0', 'turn/31337/7/-7', 'turn/31337/7/7', 'beside/31337/7/7'])
    assert.ok((await read(`${named}/1`)) < 10, named)
})

/** What a settler's login, or another one, begins before a chain is called lost, and ends afterwards. @returns by what it is refused; otherwise it has ended first */
async function beginBefore(
  level: string,
  work: (tx: Queryable) => Promise<unknown>,
  by: Database = settler,
): Promise<string | undefined> {
  const told: string[] = []
  let losing: Promise<unknown> = Promise.resolve()
  const refused = await refusalOf(
    by.transaction(async (tx) => {
      await tx.query(`set transaction isolation level ${level}`)
      await work(tx)
      losing = lose(THERE).then(() => told.push('lost'))
      await waitsOrEnds(db, losing)
      told.push('ended')
    }),
  )
  await losing
  assert.ok(refused !== undefined || told[0] === 'ended', 'two people had looked already')
  await db.query('delete from lost_chains where chain_id = $1', [THERE])
  return refused
}
const LEVELS = ['read committed', 'repeatable read', 'serializable'] as const

test('what was begun before a chain is called lost ends before that, or not at all', async () => {
  for (const level of LEVELS) {
    const refused = level === 'read committed' ? undefined : 'ledger_entries_day_open'
    const begin = (reference: string, judges?: typeof judge) =>
      beginBefore(level, async (tx) => {
        await book(tx, THERE, reference)
        await judges?.(tx)
      })
    assert.equal(await begin(`begun ${level}`), level === 'read committed' ? 'ledger_entries_of_lost' : refused, level)
    assert.equal(await begin(`judged ${level}`, judge), refused, level)
  }
})

test('what was burnt is booked once, also at the same time', async () => {
  const batchId = 90_000n
  const orderId = await addOrder(db, party, {
    chainId: CHAIN,
    direction: 'REDEEM',
    state: 'payoutPending',
    amountMicro: 5n,
    batchId,
  })
  await addBatchRow(db, { chainId: CHAIN, batchId, status: 'final', orderIds: [orderId] })
  const name = `batch/${CHAIN}/${batchId}/${party.integrationId}`
  const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = settler.transaction(async (tx) => {
    await book(tx, CHAIN, name)
    await judge(tx)
    one.resolve()
    await other.promise
  })
  await Promise.race([one.promise, first])
  const second = settler.transaction(async (tx) => {
    await book(tx, CHAIN, `${name}/taken/x`)
    await judge(tx)
  })
  const refused = refusalOf(second)
  await waitsOrEnds(db, refused)
  other.resolve()
  await first
  assert.equal(await refused, 'ledger_entries_of_lost')
})

test('what its sealed entries come to is what they come to, whatever somebody has written there with the login that adds them up', async () => {
  const payer = await asRole(db, 'payer')
  const coins = async () =>
    (await readBalances(db))
      .filter(({ kind, owner }) => kind === 'coins' && owner === String(CHAIN))
      .map(({ balanceMicro }) => balanceMicro)
  const add = async (reference: string) => {
    await book(db, CHAIN, reference)
    await db.query('insert into ledger_unsealed select max(entry_id) from ledger_entries')
  }
  await add('first')
  await sealBooks(db, 500)
  assert.deepEqual(await coins(), [5n])
  const wrong = `update ledger_totals set debit_micro = debit_micro + 3 where account = 'coins:${CHAIN}'`
  // Before a chain is called lost nothing is refused.
  await db.query('delete from lost_chains where chain_id = $1', [CHAIN])
  await payer.query(wrong)
  assert.deepEqual(await coins(), [8n])
  await lose(CHAIN)
  await add('second')
  assert.deepEqual(await coins(), [13n])
  await sealBooks(payer, 500)
  assert.deepEqual(await coins(), [10n], 'put right as soon as anything is added')
  await payer.query(wrong)
  await payer.query(`insert into ledger_totals values ('coins:${CHAIN}', current_date - 1, 7, 0)`)
  await payer.query(`update ledger_totals set debit_micro = 9 where account = 'coins:${CHAIN}'`)
  assert.deepEqual(await coins(), [10n])
  await payer.query(`insert into ledger_totals values ('coins:${THERE}', current_date, 7, 0)`)
  assert.ok((await verifyLedger(db)).firstBad, 'of any other chain its nodes say what there is')
  await beginBefore(
    'read committed',
    async (tx) => {
      await tx.query(`update ledger_totals set debit_micro = 3 where account = 'coins:${THERE}'`)
      await tx.query('set constraints all immediate')
    },
    payer,
  )
  await payer.close()
})

test('for that no seal is read of what the day has on other accounts', async () => {
  const payer = await asRole(db, 'payer')
  await db.query(
    `with booked as (
       insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
       select 'of another ' || n, now(), now()::date, '{fees:x,mint_receivable:x}', '{5,-5}' from generate_series(1, ${MANY}) n returning entry_id)
     insert into ledger_seals (position, entry_id, hash)
     select (select max(position) from ledger_seals) + row_number() over (order by entry_id), entry_id, sha256('') from booked`,
  )
  await db.script('vacuum analyze ledger_entries, ledger_seals')
  const read = await payer.transaction(async (tx) => {
    // It has what earlier transactions of this connection read, too.
    const readSoFar = async () => {
      const [row] = await tx.query<{ read: bigint }>(
        `select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = 'ledger_seals'`,
      )
      return Number(row?.read)
    }
    const before = await readSoFar()
    await tx.query(`update ledger_totals set debit_micro = 3 where account = 'coins:${CHAIN}' and debit_micro > 0`)
    await tx.query('set constraints all immediate')
    return (await readSoFar()) - before
  })
  await payer.close()
  assert.ok(read > 0 && read < 10, String(read))
})

test('a closing carries on what it comes to, and nothing else', async () => {
  const operator = await asRole(db, 'operator')
  await db.query(
    `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
     values ('days ago', now(), current_date - 3, array['coins:${CHAIN}', 'mint_receivable:x'], array[-9, 9])`,
  )
  await db.query('insert into ledger_unsealed select max(entry_id) from ledger_entries')
  const close = (through: string, carried: string) =>
    refusalOf(
      operator.transaction(async (tx) => {
        await tx.query('set constraints all deferred')
        await tx.query(`update ledger_book set closed_through = ${through}`)
        await tx.query(`insert into ledger_carried select ${through}, * from (values ${carried}) c`)
        await tx.query(`insert into ledger_closings (through, unpaid) values (${through}, '[]')`)
      }),
    )
  for (const carried of [`('coins:${CHAIN}', -8)`, `('coins:${THERE}', 5)`, `('coins:0${CHAIN}', -9)`])
    assert.equal(await close('current_date - 3', carried), 'ledger_closings_of_lost', carried)
  const coins = async () => (await readBalances(db)).find(({ owner }) => owner === String(CHAIN))?.balanceMicro
  const before = await coins()
  for (const day of [3, 2]) {
    await operator.transaction(async (tx) => {
      const [row] = await tx.query<{ day: string }>('select (current_date - $1::int)::text as day', [day])
      await closeDays(tx, row?.day ?? '')
    })
    assert.equal(await coins(), before)
    await sealBooks(db, 500)
  }
  await operator.close()
})

test('nor is what was seen there forgotten, or written otherwise, afterwards', async () => {
  const batchId = 90_001n
  const refused = { chainId: THERE, direction: 'REDEEM', state: 'completed', amountMicro: 5n } as const
  const [seen, noted] = [await addOrder(db, party, { ...refused, batchId }), await addOrder(db, party, refused)]
  await addBatchRow(db, { chainId: THERE, batchId, status: 'final', orderIds: [seen] })
  for (const level of LEVELS)
    for (const [text, constraint] of [
      ['delete from batch_outcomes where chain_id = $1', 'batch_outcomes_of_lost'],
      [`update batch_outcomes set executed = '{0}' where chain_id = $1`, 'batch_outcomes_of_lost'],
      ['delete from lost_orders where chain_id = $1', 'lost_orders_of_lost'],
      ['update lost_orders set undone = true where chain_id = $1', 'lost_orders_of_lost'],
    ] as const) {
      await db.query(
        `insert into batch_outcomes (chain_id, batch_id, executed) values ($1, $2, '{}') on conflict (chain_id, batch_id) do update set executed = '{}'`,
        [THERE, batchId],
      )
      await db.query(
        'insert into lost_orders (order_id, chain_id, batch_id) values ($1, $2, 1) on conflict (order_id) do update set undone = false',
        [noted, THERE],
      )
      const found = await beginBefore(level, (tx) => tx.query(text, [THERE]))
      assert.equal(found, level === 'read committed' ? undefined : constraint, `${level}: ${text}`)
    }
})
