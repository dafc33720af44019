// engine: postgres
/** Old batches and payouts are compared with the books in turn, and what differs is compared until it is right. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { checkBooks, checkPart } from '../../src/operator/reconcile/turns.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { addChain, addOrder, addParty, emptyDatabase } from './world.ts'

/** As many as the newest ones and four turns. */
const BATCHES = 600
const PAYOUTS = 15_000

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())
beforeEach(async () => {
  await emptyDatabase(db)
  for (const chainId of [1, 2]) await addChain(db, chainId, 100n)
})

const found = async () => (await checkBooks(db)).map(({ what, subject }) => `${what} ${subject}`)

/** Reads parts until one turns out to differ. @returns how many it took */
async function partsUntilNews(): Promise<number> {
  for (let parts = 1; parts <= 1_000; parts += 1) if ((await checkPart(db)) > 0) return parts
  throw new Error('nothing was found')
}

/** Final batches, each of as many orders that nobody has. */
const addBatches = (batches: number, orders: number) =>
  db.query(
    `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, status, tx_hash, mined_block,
       mined_hash, success_bitmap, fencing_token, finalized_at)
     select c.chain_id, n, 's', n, 'd', 'r', array(select 1000000 + n * 1000 + i from generate_series(1, $2::int) i), $2, 'final', '0x' || n, n,
       'h', 1, 1, now()
     from chains c, generate_series(1, $1::int) n`,
    [batches, orders],
  )

/** Puts an order, for which nothing was booked, into a batch. @returns what must be said of it */
async function spoil(chainId: number, batchId: bigint): Promise<string> {
  const party = await addParty(db)
  const order = { chainId, batchId, direction: 'MINT', state: 'completed', amountMicro: 5n } as const
  const orderId = await addOrder(db, party, order)
  await withoutGuards(db, (tx) =>
    tx.query(`update batches set order_ids[1] = $3 where chain_id = $1 and batch_id = $2`, [chainId, batchId, orderId]),
  )
  return `minted batch/${chainId}/${batchId}/${party.integrationId}`
}

/** Payouts that wait, of redeems; those that `wrong` says are with a rail, and nothing was booked for them. */
const addPayouts = (wrong: string) =>
  db.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, status, end_to_end_id, rail, rail_reference)
     select 'po_' || to_char(n, 'FM00000'), n, 'cus', 100, case when ${wrong} then 'sent' else 'queued' end, 'E' || n, 'simulated', 'SIM'
     from generate_series(1, $1::int) n`,
    [PAYOUTS],
  )
const sent = async () => (await found()).filter((line) => line.startsWith('sent')).sort()

test('a batch of any age, of every chain, has its turn', async () => {
  await addBatches(BATCHES, 1)
  assert.deepEqual(await found(), [])
  const [first, second, third] = [await spoil(1, 150n), await spoil(2, 380n), await spoil(2, 20n)]
  assert.deepEqual(await found(), [first])
  assert.deepEqual(await found(), [first])
  assert.deepEqual(await found(), [second, first].sort())
  for (let run = 0; run < 2; run += 1) assert.deepEqual(await found(), [second, first].sort())
  for (let run = 0; run < 8; run += 1) assert.deepEqual(await found(), [second, first, third].sort())
  await withoutGuards(db, (tx) => tx.query(`delete from orders where chain_id = 2`))
  for (let run = 0; run < 8; run += 1) assert.deepEqual(await found(), [first])
})

test('full batches have their turn: a recent one within an hour of parts, any other within half as many parts as there are batches', async () => {
  await addBatches(240, 250)
  assert.deepEqual(await found(), [])
  const recent = await spoil(1, 100n)
  const ofRecent = await partsUntilNews()
  assert.ok(ofRecent <= 60, `${ofRecent} parts`)
  const old = await spoil(2, 39n)
  const ofOld = await partsUntilNews()
  assert.ok(ofOld <= 120, `${ofOld} parts`)
  assert.deepEqual(await found(), [recent, old].sort())
})

test('a batch that has become final is compared by the next run, however many have, and not passed while an earlier one is in flight', async () => {
  await addBatches(300, 250)
  const first = await spoil(1, 55n)
  assert.deepEqual(await found(), [first])
  await withoutGuards(db, (tx) => tx.query(`delete from batches where batch_id > 250`))
  await withoutGuards(db, (tx) => tx.query(`delete from reconcile_cursors where what like '%batches:%'`))
  const states = (status: string) =>
    withoutGuards(db, (tx) =>
      tx.query(
        `update batches set status = $1, finalized_at = null, success_bitmap = null where chain_id = 2 and batch_id = 66`,
        [status],
      ),
    )
  await states('mined')
  assert.deepEqual(await found(), [first])
  const second = await spoil(2, 66n)
  await withoutGuards(db, (tx) =>
    tx.query(
      `update batches set status = 'final', finalized_at = now(), success_bitmap = 1 where chain_id = 2 and batch_id = 66`,
    ),
  )
  assert.deepEqual(await found(), [first, second].sort())
})

test('a payout of any age has its turn', async () => {
  await addPayouts('n in (1, 2600, 9000)')
  await db.query(
    `insert into payouts (payout_id, integration_id, reference_id, customer_id, amount_sen, status, end_to_end_id, rail, rail_reference)
     select 'po_rest_' || n, 'int', 'rest-' || n, 'cus', 1, 'sent', 'R' || n, 'simulated', 'SIM' from generate_series(1, 2) n`,
  )
  const all = ['sent po_rest_1', 'sent po_rest_2']
  assert.deepEqual(await sent(), ['sent po_00001', ...all])
  assert.ok((await partsUntilNews()) <= 2_600 / 50)
  assert.deepEqual(await sent(), ['sent po_00001', 'sent po_02600', ...all])
  assert.ok((await partsUntilNews()) <= (9_000 - 2_600) / 50)
  for (let run = 0; run < 3; run += 1)
    assert.deepEqual(await sent(), ['sent po_00001', 'sent po_02600', 'sent po_09000', ...all])
  await withoutGuards(db, (tx) => tx.query(`update payouts set status = 'queued', rail = null where order_id > 1`))
  for (let run = 0; run < 3; run += 1) assert.deepEqual(await sent(), ['sent po_00001', ...all])
})

test('more than are listed differ, and none of them is forgotten', async () => {
  await addPayouts('n <= 250')
  for (let run = 0; run < 5; run += 1) await found()
  assert.equal((await sent()).length, 100)
  await withoutGuards(db, (tx) => tx.query(`update payouts set status = 'queued', rail = null where order_id <= 200`))
  assert.deepEqual(
    await sent(),
    Array.from({ length: 50 }, (_, n) => `sent po_00${201 + n}`),
  )
})

test('two runs at the same time leave nothing out', async () => {
  await addPayouts('n = 80')
  await found()
  await withoutGuards(db, (tx) => tx.query(`update reconcile_cursors set position = 0 where what = 'payouts'`))
  const both = await Promise.all([found(), found()])
  const next = await found()
  assert.ok([...both, next].some((lines) => lines.includes('sent po_00080')))
})

test('every entry that was sealed since the last run is compared with its payout, also where sums agree', async () => {
  await found()
  await withoutGuards(db, (tx) =>
    tx.query(
      `with entry as (
         insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
         select 'payout/po_' || n || '/sent/1', now(), now()::date,
           array[case when n in (2500, 2501) then 'redeem_payable:int' else 'reserve:main' end, 'payout_clearing:simulated'],
           case n when 2501 then array[-5, 5] else array[5, -5] end
         from generate_series(1, 5000) n
         returning entry_id)
       insert into ledger_seals (position, entry_id, hash) select entry_id, entry_id, sha256('') from entry`,
    ),
  )
  assert.deepEqual(await found(), ['sent po_2500', 'sent po_2501'])
  const [read] = await db.query<{ left: bigint }>(
    `select max(s.position) - (select position from reconcile_cursors where what = 'new entries') as left from ledger_seals s`,
  )
  assert.equal(read?.left, 0n, 'and then no more')
})

test('payouts of parts of a sen are compared beside the newest ones, and do not take their place', async () => {
  await db.query(
    `insert into payouts (payout_id, order_id, integration_id, reference_id, customer_id, amount_sen, status, end_to_end_id, rail,
       rail_reference)
     select 'po_' || n, case when n > 5100 then n end, case when n <= 5100 then 'int' end, case when n <= 5100 then 'cus/' || n end, 'cus',
       1, case when n in (5100 + 9000) then 'sent' else 'queued' end, 'E' || n, 'simulated', 'SIM'
     from generate_series(1, 5100 + 9000) n`,
  )
  assert.deepEqual(
    (await found()).filter((line) => line.startsWith('sent')),
    ['sent po_14100'],
  )
})
