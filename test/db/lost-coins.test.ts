// engine: postgres
/** The guard of the coin that the books have on a lost chain: what it reads, and who is past it by when they began. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROLES } from '../../src/config.ts'
import { type Database, type Queryable, violatedConstraint } from '../../src/db/database.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { addChain, addOrder, addParty, type Party } from '../operator/world.ts'
import { addBatchRow } from '../support/batch-rows.ts'
import { asRole, createTestDatabase, type TestDatabase } from '../support/database.ts'

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

test('what was begun before a chain was called lost is seen when it ends', async () => {
  for (const level of ['read committed', 'repeatable read', 'serializable']) {
    const begun = settler.transaction(async (tx) => {
      await tx.query(`set transaction isolation level ${level}`)
      await book(tx, THERE, 'begun')
      await lose(THERE)
    })
    assert.equal(await refusalOf(begun), 'ledger_entries_of_lost', level)
    await db.query('delete from lost_chains where chain_id = $1', [THERE])
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
  await Promise.race([refused, sleep(500)])
  other.resolve()
  await first
  assert.equal(await refused, 'ledger_entries_of_lost')
})
