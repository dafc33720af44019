// engine: postgres
/** Final batches of others that the chain has lost and that nobody may sign again, as of a thief: nothing settles twice, and operators have a way out. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeSettle, packInstructions } from '../../src/chain/instructions.ts'
import { DATABASE_TIMELINE } from '../../src/db/timeline.sql.ts'
import { holdOrders } from '../../src/orders/life/hold.sql.ts'
import { BATCH_OF_ORDER, ORDER_COLUMNS, type OrderRow, orderFromRow } from '../../src/orders/row.sql.ts'
import { rejectUnsettled } from '../../src/settlement/explain/reject.ts'
import { readRunningHash } from '../../src/settlement/tables/batches.sql.ts'
import { insertExplanation, insertGivenUp, isGivenUp } from '../../src/settlement/tables/explanations.sql.ts'
import { readUnfenced } from '../../src/settlement/tables/fences.sql.ts'
import { endMovements } from '../../src/settlement/tables/movements.sql.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { keyOf, wallet } from './fixture.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { ALONE, CHAIN, formOne, mint, SECOND, SIGNER } from './repairing.ts'
import { look, mintOf, settleAfter, tagOf } from './replacing.ts'
import { loseBatches } from './restore.ts'
import { firstInBlock, NEVER, type Stepped, type SteppedChain, startStepped, useNonce } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

const GIVE_UP = { giveUp: true }
const LOOT = mintOf(20, '0x0000000000000009')
const balanceOf = (s: Stepped, seed: number) => s.chain.reader.latestBalance(wallet(seed))
const batchesOf = async (s: Stepped) =>
  (await s.batches()).map(({ batch_id: id, status, is_foreign: isForeign }) => [id, status, isForeign])

/**
 * Settles a batch of ours, one of a thief and another one of ours for good, and forms one more; then the chain loses all but the first, and
 * every node all bytes.
 * @returns our orders, and what the thief has sent
 */
async function loseThiefs(
  s: Stepped,
  { loot = [LOOT], afterTheft = async () => {}, behind = [3, 4] } = {},
): Promise<{ orders: bigint[]; theirs: object }> {
  const orders = [await formOne(s, 1)]
  await s.mine(2)
  await s.round()
  await settleAfter(s, 1n, [loot])
  await s.mine(2)
  await look(s)
  await afterTheft()
  for (const seed of behind) {
    orders.push(await formOne(s, seed))
    if (seed === 3) await s.mine(2)
    if (seed === 3) await s.round()
  }
  const data = encodeSettle(2n, await readRunningHash(s.db, CHAIN, 1n), packInstructions(loot))
  const { number } = await s.head()
  const mined = (await s.batches())[1]?.mined_block ?? 0n
  await s.rpc('anvil_rollback', Number(number - mined) + 1)
  await s.rpc('anvil_dropAllTransactions')
  assert.equal(await s.chain.admin.supply(), 5n)
  return { orders, theirs: { from: SECOND, to: s.config.settlement, data, gas: '0x7a120' } }
}

async function lostOf(s: Stepped): Promise<bigint[]> {
  const rows = await s.db.query<{ id: bigint }>(
    'select order_id as id from lost_orders where chain_id = $1 order by 1',
    [CHAIN],
  )
  return rows.map(({ id }) => id)
}

/** An order's path of the operator API. */
async function pathOf(s: Stepped, orderId = 0n): Promise<string> {
  const [row] = await s.db.query<{ path: string }>(
    `select '/orders/' || integration_id || '/' || reference_id as path from orders where order_id = $1`,
    [orderId],
  )
  return row?.path ?? ''
}

test('what a thief has made is given up by two people, once it cannot come back: the chain goes on behind a fence, and nothing settles twice', async (t) => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 0 } })
  const { orders, theirs } = await loseThiefs(s)
  const [first, third, fourth] = orders
  const [waiting] = await s.place(mint(7))
  const eyes = await startEyes(s, t)
  const refused = async (batchId: number, why: RegExp) => {
    const { status, body } = await eyes.ask(batchId, {}, GIVE_UP)
    assert.equal(status, 409, JSON.stringify(body))
    assert.match(body.error.message, why)
  }
  await refused(2, /nothing to explain, nor to give up/)
  s.passMs(NEVER.recheckMs)
  await s.round()
  const [hold] = await s.db.query<{ reason: string; details: string }>(
    'select reason, details from settlement_holds where chain_id = $1',
    [CHAIN],
  )
  assert.deepEqual([hold?.reason, JSON.parse(hold?.details ?? '{}')], ['batch-conflict', { lostForeignBatch: '2' }])
  await refused(2, /is not final yet/)
  await look(s)
  await look(s)
  await look(s)
  await refused(1, /nothing to explain, nor to give up/)
  await refused(3, /nothing to explain, nor to give up/)
  await insertExplanation(s.db, CHAIN, 2n, 'a thief, as was said before it was lost')
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.deepEqual([s.held(), (await batchesOf(s))[1]], ['batch-conflict', [2n, 'final', true]])

  await eyes.giveUp(2, GIVE_UP)
  await lookAsSettler(s, 6)
  assert.equal(s.held(), 'none')
  assert.deepEqual(
    await s.db.query(
      'select batch_id, status, is_foreign, fence_tag is not null as fence from batches where chain_id = $1 order by 1',
      [CHAIN],
    ),
    [
      { batch_id: 1n, status: 'final', is_foreign: false, fence: false },
      { batch_id: 2n, status: 'final', is_foreign: false, fence: true },
      { batch_id: 3n, status: 'final', is_foreign: false, fence: false },
      { batch_id: 4n, status: 'abandoned', is_foreign: false, fence: false },
    ],
  )
  for (const each of [first, third, fourth, waiting]) assert.equal(await s.stateOf(each), 'completed/COMPLETED')
  for (const seed of [1, 4, 7]) assert.equal(await balanceOf(s, seed), 5n, `wallet ${seed}`)
  assert.deepEqual([await balanceOf(s, 3), await balanceOf(s, 20)], [0n, 0n], 'to be made good; nothing')
  assert.deepEqual(await s.db.query('select from batch_explanations where chain_id = $1', [CHAIN]), [])
  assert.ok(s.logged.some(({ level, msg }) => level === 60 && /were given up/.test(msg)))

  await s.rpc('eth_sendTransaction', { ...theirs, ...firstInBlock() })
  await s.mine(2)
  await look(s)
  assert.deepEqual([await balanceOf(s, 20), s.held()], [0n, 'none'], 'the fence has its place')

  assert.deepEqual(await lostOf(s), [third])
  await eyes.makeGood(await pathOf(s, third))
  await lookAsSettler(s, 2)
  assert.equal(await balanceOf(s, 3), 5n)
})

test('an order that had taken the outcome of what is given up is lost, too, and is minted again', async (t) => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 0 } })
  const [order = 0n] = await s.place(mint(7))
  await s.db.transaction((tx) => holdOrders(tx, [{ orderId: order, reason: 'x' }]))
  await loseThiefs(s, { loot: [LOOT, mintOf(7, await tagOf(s, order))], behind: [] })
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  const eyes = await startEyes(s, t)
  for (let looks = 0; looks < 4; looks += 1) await look(s)
  await eyes.giveUp(2, GIVE_UP)
  await lookAsSettler(s, 6)
  assert.deepEqual([s.held(), await balanceOf(s, 7), await lostOf(s)], ['none', 0n, [order]])
  await eyes.makeGood(await pathOf(s, order))
  await lookAsSettler(s, 2)
  assert.equal(await balanceOf(s, 7), 5n)
})

test('nothing is given up while it can come back, whatever was said too early; where it has come back, everything goes on', async () => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 0 } })
  const { theirs } = await loseThiefs(s, { behind: [] })
  await insertGivenUp(s.db, CHAIN, 2n, 'said in time for another history')
  for (let looks = 0; looks < 3; looks += 1) {
    s.passMs(NEVER.recheckMs)
    await s.round()
  }
  assert.deepEqual([s.held(), (await batchesOf(s))[1]], ['batch-conflict', [2n, 'final', true]])
  await s.rpc('anvil_dropAllTransactions')
  await s.rpc('eth_sendTransaction', { ...theirs, ...firstInBlock() })
  await s.mine()
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal(await isGivenUp(s.db, CHAIN, 2n), true, 'its block may go again')
  await s.mine()
  await lookAsSettler(s, 5)
  assert.deepEqual([s.held(), (await batchesOf(s))[1]], ['none', [2n, 'final', true]])
  assert.equal(await balanceOf(s, 20), 5n)
  assert.equal(await isGivenUp(s.db, CHAIN, 2n), false, 'nor when it is lost another time')
  assert.deepEqual(
    s.logged.filter(({ msg }) => msg.includes('is given up no more')).map(({ batchId }) => batchId),
    ['2'],
  )
})

test('where its bytes are executed after all, before a fence has its place, it is read as before, and nothing behind it is lost or doubled', async (t) => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 0 } })
  const { orders, theirs } = await loseThiefs(s)
  await endMovements(s.db, CHAIN, 1_000n)
  const told = () =>
    s.db.query(`select ended_at is null as open from foreign_movements where kind = 'batch' order by movement_id`)
  assert.deepEqual(await told(), [{ open: false }])
  const eyes = await startEyes(s, t)
  for (let looks = 0; looks < 4; looks += 1) await look(s)
  await eyes.giveUp(2, GIVE_UP)
  s.passMs(NEVER.recheckMs)
  await s.round()
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.deepEqual((await batchesOf(s))[1], [2n, 'signed', false], 'the fence')
  await s.rpc('eth_sendTransaction', { ...theirs, ...firstInBlock(2) })
  await s.mine(2)
  for (let looks = 0; looks < 6; looks += 1) await look(s)
  assert.equal(s.held(), 'none')
  assert.deepEqual((await batchesOf(s)).slice(0, 2), [
    [1n, 'final', false],
    [2n, 'final', true],
  ])
  for (const each of orders) assert.equal(await s.stateOf(each), 'completed/COMPLETED')
  assert.equal(await balanceOf(s, 20), 5n)
  for (const seed of [1, 4]) assert.equal(await balanceOf(s, seed), 5n, `wallet ${seed}`)
  assert.equal(await balanceOf(s, 3), 0n, 'its bytes had reverted before')
  assert.deepEqual(await told(), [{ open: false }, { open: true }], 'what was ended before says nothing of it')
  await endMovements(s.db, CHAIN, 1_000n)
  await s.forget()
  await look(s)
  assert.deepEqual(await told(), [{ open: false }, { open: false }])
})

test('an order that waited because a thief had used its tag settles as it was placed, and is not rejected before the thief can do so no more', async (t) => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 0 } })
  const [order = 0n] = await s.place(mint(7))
  const tag = await tagOf(s, order)
  await s.db.query('insert into order_holds (order_id, reason) values ($1, $2)', [order, 'later'])
  const loot = [{ ...mintOf(20, tag), amount: 3n }]
  const afterTheft = async () => {
    await s.db.query('delete from order_holds where order_id = $1', [order])
    await s.round()
  }
  await loseThiefs(s, { loot, afterTheft })
  const conflicts = () => s.db.query('select order_id from tag_conflicts where chain_id = $1', [CHAIN])
  assert.deepEqual(await conflicts(), [{ order_id: order }])
  const eyes = await startEyes(s, t)
  for (let looks = 0; looks < 4; looks += 1) await look(s)
  await eyes.giveUp(2, GIVE_UP)
  const reject = async () => {
    const [row] = await s.db.query<OrderRow>(
      `select ${ORDER_COLUMNS} from orders o ${BATCH_OF_ORDER} where o.order_id = $1`,
      [order],
    )
    assert.ok(row)
    return await s.db.transaction((tx) => rejectUnsettled(tx, orderFromRow(row), []))
  }
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.deepEqual(await readUnfenced(s.db, [CHAIN]), { chainIds: [CHAIN], newestOrderId: 0n })
  assert.deepEqual(await conflicts(), [{ order_id: order }], 'other chains are told first')
  s.passMs(NEVER.recheckMs - 1)
  // As after a reorganisation.
  s.work.memory.recheck.doneAtMs = Number.NEGATIVE_INFINITY
  await s.round()
  assert.deepEqual(await conflicts(), [{ order_id: order }], 'and have their time')
  await s.db.query('update settlement_holds set reason = $2 where chain_id = $1', [CHAIN, 'fence'])
  assert.equal(await reject(), 'unfenced')
  await s.db.query(`update chains set fenced_on = ${DATABASE_TIMELINE} where chain_id = $1`, [CHAIN])
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.deepEqual(await conflicts(), [])
  assert.equal(await readUnfenced(s.db, [CHAIN]).then((unfenced) => unfenced?.newestOrderId), 0n)
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  assert.equal(await s.stateOf(order), 'completed/COMPLETED', s.held())
  assert.deepEqual([await balanceOf(s, 7), await balanceOf(s, 20)], [5n, 0n])
  assert.equal(await readUnfenced(s.db, [CHAIN]), undefined)
})

test('one whose id has other instructions meanwhile is given up, too, with what others had made behind it', async (t) => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 0 } })
  await loseThiefs(s)
  await s.db.query('delete from batch_attempts where chain_id = $1 and batch_id > 2', [CHAIN])
  const [waiting] = await s.place(mint(7))
  await settleAfter(s, 1n, [[mintOf(21, '0x0000000000000008')]])
  await s.mine(2)
  const eyes = await startEyes(s, t)
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.equal(s.held(), 'batch-conflict')
  await eyes.giveUp(2, GIVE_UP)
  await lookAsSettler(s, 5)
  assert.equal(s.held(), 'none')
  assert.equal(await s.stateOf(waiting), 'completed/COMPLETED')
  assert.deepEqual([await balanceOf(s, 7), await balanceOf(s, 20), await balanceOf(s, 21)], [5n, 0n, 5n])
  assert.deepEqual(await s.db.query('select tag from foreign_instructions where chain_id = $1', [CHAIN]), [
    { tag: '0x0000000000000008' },
  ])
})

test('with other chains nothing of it is forgotten before these wait, also where its id has other instructions, until those are read and fenced', async (t) => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 0 }, otherChainIds: [CHAIN + 1000] })
  const [order = 0n] = await s.place(mint(7))
  const tag = await tagOf(s, order)
  await s.db.query('insert into order_holds (order_id, reason) values ($1, $2)', [order, 'later'])
  const afterTheft = async () => {
    await s.db.query('delete from order_holds where order_id = $1', [order])
    await s.round()
  }
  await loseThiefs(s, { loot: [{ ...mintOf(20, tag), amount: 3n }], afterTheft, behind: [] })
  const conflicts = () => s.db.query('select order_id from tag_conflicts where chain_id = $1', [CHAIN])
  await settleAfter(s, 1n, [[mintOf(7, tag)]])
  await s.mine(2)
  const eyes = await startEyes(s, t)
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  await eyes.giveUp(2, GIVE_UP)
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.deepEqual(await conflicts(), [{ order_id: order }], 'other chains are told first')
  const waits = { chainIds: [CHAIN], newestOrderId: 0n }
  assert.deepEqual(await readUnfenced(s.db, [CHAIN]), waits)
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.deepEqual(await conflicts(), [])
  assert.deepEqual(await readUnfenced(s.db, [CHAIN]), waits, 'until the fence is final')
  await lookAsSettler(s, 3)
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  assert.deepEqual([await balanceOf(s, 7), await balanceOf(s, 20)], [5n, 0n])
  assert.deepEqual([s.held(), await readUnfenced(s.db, [CHAIN])], ['none', undefined])
})

test('one of a lost history whose orders have all taken its outcomes is signed again, and not given up', async (t) => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 0 } })
  const order = await formOne(s, 1)
  await s.mine(2)
  await s.round()
  await loseBatches(s.db, CHAIN)
  await s.forget()
  for (let rounds = 0; rounds < 2; rounds += 1) await s.round()
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  await s.rpc('anvil_reorg', 2, [])
  await s.rpc('anvil_dropAllTransactions')
  await useNonce(s, (await s.batches())[0]?.signer ?? '', 0n)
  await s.mine(2)
  await s.db.query(
    `insert into settlement_holds (chain_id, reason) values ($1, 'batch-conflict')
     on conflict (chain_id) do update set reason = excluded.reason`,
    [CHAIN],
  )
  const eyes = await startEyes(s, t)
  const { status, body } = await eyes.ask(1, {}, GIVE_UP)
  assert.equal(status, 409)
  assert.match(body.error.message, /the settler signs it again/)
})

test('it is not given up where the chain has another history before it than the database', async (t) => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 0 } })
  await loseThiefs(s)
  for (let looks = 0; looks < 4; looks += 1) await look(s)
  await withoutGuards(s.db, (tx) =>
    tx.query(`update batches set running_hash = '0x1' where chain_id = $1 and batch_id = 1`, [CHAIN]),
  )
  const eyes = await startEyes(s, t)
  const { status, body } = await eyes.ask(2, {}, GIVE_UP)
  assert.equal(status, 409)
  assert.match(body.error.message, /^The batch before it is not that of the chain either/)
  await insertGivenUp(s.db, CHAIN, 2n, 'a test')
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  assert.deepEqual((await batchesOf(s))[1], [2n, 'final', true])
})

test('one of ours whose orders somebody has rewritten is given up, too, and everything goes on behind a fence', async (t) => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 0 } })
  const [first, second = 0n, third] = await loseOurs(s)
  const eyes = await startEyes(s, t)
  await s.db.query(`update settlement_holds set reason = 'batch-conflict' where chain_id = $1`, [CHAIN])
  assert.match((await eyes.ask(2)).body.error.message, /nothing to explain, nor to give up/, 'it would be signed again')
  await withoutGuards(s.db, (tx) => tx.query('update orders set amount_micro = 6 where order_id = $1', [second]))
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  const [hold] = await s.db.query<{ details: string }>('select details from settlement_holds where chain_id = $1', [
    CHAIN,
  ])
  assert.deepEqual([s.held(), JSON.parse(hold?.details ?? '{}')], ['batch-conflict', { lostBatch: '2' }])
  await eyes.giveUp(2)
  await lookAsSettler(s, 6)
  assert.equal(s.held(), 'none')
  assert.deepEqual(
    await s.db.query(
      'select batch_id, status, fence_tag is not null as fence from batches where chain_id = $1 order by 1',
      [CHAIN],
    ),
    [
      { batch_id: 1n, status: 'final', fence: false },
      { batch_id: 2n, status: 'final', fence: true },
      { batch_id: 3n, status: 'final', fence: false },
    ],
  )
  assert.deepEqual([await s.stateOf(first), await s.stateOf(third)], ['completed/COMPLETED', 'completed/COMPLETED'])
  assert.deepEqual([await balanceOf(s, 1), await balanceOf(s, 2), await balanceOf(s, 3)], [5n, 0n, 5n])
  assert.deepEqual(await lostOf(s), [second])
})

/** Settles two batches of ours for good and forms one more; then the chain loses all but the first, every node all bytes, and a nonce is used up. */
async function loseOurs(s: Stepped): Promise<bigint[]> {
  const orders: bigint[] = []
  for (const seed of [1, 2, 3]) {
    orders.push(await formOne(s, seed))
    if (seed < 3) await s.mine(2)
    if (seed < 3) await s.round()
  }
  await s.rpc('anvil_reorg', 2, [])
  await s.rpc('anvil_dropAllTransactions')
  assert.equal(await s.chain.admin.supply(), 5n)
  await useNonce(s, SIGNER, 1n)
  await s.mine(2)
  return orders
}
