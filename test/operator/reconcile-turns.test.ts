// engine: postgres
/** Old batches and payouts are compared with the books in turn, and what differs is compared until it is right. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { checkBooks } from '../../src/operator/reconcile/turns.sql.ts'
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

test('a batch of any age, of every chain, has its turn', async () => {
  await db.query(
    `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, status, tx_hash, mined_block,
       mined_hash, success_bitmap, fencing_token, finalized_at)
     select c.chain_id, n, 's', n, 'd', 'r', array[1000000 + n], 1, 'final', '0x' || n, n, 'h', 1, 1, now()
     from chains c, generate_series(1, $1::int) n`,
    [BATCHES],
  )
  const party = await addParty(db)
  const wrong: string[] = []
  for (const [chainId, batchId] of [
    [1, 150n],
    [2, 380n],
    [2, 20n],
  ] as const) {
    const order = { chainId, batchId, direction: 'MINT', state: 'completed', amountMicro: 5n } as const
    const orderId = await addOrder(db, party, order)
    await withoutGuards(db, (tx) =>
      tx.query('update batches set order_ids = $3 where chain_id = $1 and batch_id = $2', [
        chainId,
        batchId,
        [orderId],
      ]),
    )
    wrong.push(`minted batch/${chainId}/${batchId}/${party.integrationId}`)
  }
  const [second = '', fourth = '', first = ''] = wrong
  assert.deepEqual(await found(), [first])
  assert.deepEqual(await found(), [second, first].sort())
  assert.deepEqual(await found(), [second, first].sort())
  for (let run = 0; run < 8; run += 1) assert.deepEqual(await found(), [second, first, fourth].sort())
  await withoutGuards(db, (tx) => tx.query(`delete from orders where chain_id = 2`))
  for (let run = 0; run < 8; run += 1) assert.deepEqual(await found(), [second])
})

test('a payout of any age has its turn', async () => {
  await db.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, status, end_to_end_id, rail, rail_reference)
     select 'po_' || n, n, 'cus', 100, case when n in (1, 2600, 9000) then 'sent' else 'queued' end, 'E' || n, 'simulated', 'SIM'
     from generate_series(1, $1::int) n`,
    [PAYOUTS],
  )
  await db.query(
    `insert into payouts (payout_id, integration_id, reference_id, customer_id, amount_sen, status, end_to_end_id, rail, rail_reference)
     select 'po_rest_' || n, 'int', 'rest-' || n, 'cus', 1, 'sent', 'R' || n, 'simulated', 'SIM' from generate_series(1, 2) n`,
  )
  const all = ['sent po_rest_1', 'sent po_rest_2']
  const sent = async () => (await found()).filter((line) => line.startsWith('sent')).sort()
  assert.deepEqual(await sent(), ['sent po_1', ...all])
  assert.deepEqual(await sent(), ['sent po_1', 'sent po_2600', ...all])
  assert.deepEqual(await sent(), ['sent po_1', 'sent po_2600', ...all])
  for (let run = 0; run < 8; run += 1)
    assert.deepEqual(await sent(), ['sent po_1', 'sent po_2600', 'sent po_9000', ...all])
  await withoutGuards(db, (tx) => tx.query(`update payouts set status = 'queued', rail = null where order_id > 1`))
  for (let run = 0; run < 8; run += 1) assert.deepEqual(await sent(), ['sent po_1', ...all])
})

test('more than are listed differ, and none of them is forgotten', async () => {
  await db.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, status, end_to_end_id, rail, rail_reference)
     select 'po_' || to_char(n, 'FM00000'), n, 'cus', 100, case when n <= 250 then 'sent' else 'queued' end, 'E' || n, 'simulated', 'SIM'
     from generate_series(1, $1::int) n`,
    [PAYOUTS],
  )
  const sent = async () => (await checkBooks(db)).filter(({ what }) => what === 'sent').map(({ subject }) => subject)
  assert.equal((await sent()).length, 100)
  await sent()
  await withoutGuards(db, (tx) => tx.query(`update payouts set status = 'queued', rail = null where order_id <= 200`))
  assert.deepEqual(
    await sent(),
    Array.from({ length: 50 }, (_, n) => `po_00${201 + n}`),
  )
})

test('two runs at the same time leave nothing out', async () => {
  await db.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, status, end_to_end_id, rail, rail_reference)
     select 'po_' || n, n, 'cus', 100, case when n = 2600 then 'sent' else 'queued' end, 'E' || n, 'simulated', 'SIM'
     from generate_series(1, $1::int) n`,
    [PAYOUTS],
  )
  await found()
  await withoutGuards(db, (tx) => tx.query(`update reconcile_cursors set position = 0 where what = 'payouts'`))
  const both = await Promise.all([found(), found()])
  const next = await found()
  assert.ok([...both, next].some((lines) => lines.includes('sent po_2600')))
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
