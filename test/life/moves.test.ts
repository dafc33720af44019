/** Moves of batches: what each changes, and that it changes nothing else, and nothing when it is repeated. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { rejectUnsettleable } from '../../src/orders/life/hold.sql.ts'
import { BATCH_OF_ORDER, ORDER_COLUMNS, type OrderRow, orderFromRow } from '../../src/orders/row.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { changesOf, type PlacedOrder, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type BatchName, createBatchSteps, txHash } from './batch-steps.ts'

let db: TestDatabase
let steps: ReturnType<typeof createBatchSteps>

before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  await seedTwoOfEverything(db)
  steps = createBatchSteps(db)
})
after(() => db.close())

/** One batch on each chain, with the same id; what is done to ours must never show in the other. */
let ours: BatchName
let other: BatchName
let ourOrders: bigint[]
let otherOrders: bigint[]
let batchId = 0n
const name = (kind: string) => `order-${batchId}-${kind}`

beforeEach(async () => {
  batchId += 1n
  ours = { chainId: 1, batchId }
  other = { chainId: 2, batchId }
  await db.query('delete from wallet_earmarks')
  ourOrders = await placeAll([
    { direction: 'MINT', party: 'a1', reference: name('mint'), chainId: 1 },
    { direction: 'TRANSFER', party: 'a1', reference: name('transfer'), amountMicro: 7n, chainId: 1 },
    { direction: 'REDEEM', party: 'a1', reference: name('redeem'), amountMicro: 20n, chainId: 1 },
    { direction: 'REDEEM', party: 'a2', reference: name('redeem-2'), amountMicro: 300n, chainId: 1 },
  ])
  otherOrders = await placeAll([
    { direction: 'TRANSFER', party: 'b1', reference: name('transfer'), amountMicro: 11n, chainId: 2 },
    { direction: 'REDEEM', party: 'a1', reference: name('elsewhere'), amountMicro: 4_000n, chainId: 2 },
  ])
  // What the same wallets have earmarked for other orders must not be given back.
  await placeAll([
    { direction: 'REDEEM', party: 'a1', reference: name('waiting'), amountMicro: 50_000n, chainId: 1 },
    { direction: 'REDEEM', party: 'b1', reference: name('waiting'), amountMicro: 600_000n, chainId: 1 },
  ])
})

async function placeAll(orders: readonly PlacedOrder[]): Promise<bigint[]> {
  const ids: bigint[] = []
  for (const order of orders) ids.push(await placeOrder(db, order))
  return ids
}

const changes = (work: () => Promise<unknown>) => changesOf(db, work)

const orderLine = (integration: string, kind: string, chainId: number) =>
  `order ${integration}/${name(kind)} chain ${chainId}`

/** Our four orders, each as `line(index)`. */
function ourLines(line: (index: number) => string): Record<string, string> {
  return Object.fromEntries(
    ['mint', 'transfer', 'redeem', 'redeem-2'].map((kind, index) => [orderLine('a', kind, 1), line(index)]),
  )
}

test('submitting takes pending orders of the chain into the batch, in the order of its instructions', async () => {
  const changed = await changes(() => steps.submit(ours, ourOrders.toReversed()))
  assert.deepEqual(
    changed,
    ourLines((index) => `processing SUBMITTED ${batchId}#${3 - index} ${txHash('a')}`),
  )
})

test('when one order has moved or belongs to another chain, none of them goes into the batch', async () => {
  await steps.submit(ours, ourOrders.slice(0, 1))
  const taken = await changes(() =>
    assert.rejects(steps.submit({ chainId: 1, batchId: batchId + 1_000n }, ourOrders), { name: 'OrdersMovedError' }),
  )
  assert.deepEqual(taken, {})
  const mixed = [...ourOrders.slice(1), ...otherOrders.slice(0, 1)]
  const elsewhere = await changes(() =>
    assert.rejects(steps.submit({ chainId: 1, batchId: batchId + 2_000n }, mixed), { name: 'OrdersMovedError' }),
  )
  assert.deepEqual(elsewhere, {})
})

test('orders of a batch that can never execute are in none, until another batch takes them; the partner sees no difference', async () => {
  await steps.submit(ours, ourOrders)
  await steps.submit(other, otherOrders)
  const changed = await changes(() => steps.requeue(ours))
  assert.deepEqual(
    changed,
    ourLines(() => 'processing SUBMITTED'),
  )
  assert.deepEqual(await changes(() => steps.requeue(ours)), {})
  const next = { chainId: 1, batchId: batchId + 500n }
  const taken = await changes(() => steps.submit(next, ourOrders, txHash('d')))
  assert.deepEqual(
    taken,
    ourLines((index) => `processing SUBMITTED ${next.batchId}#${index} ${txHash('d')}`),
  )
  await assert.rejects(steps.submit({ chainId: 1, batchId: batchId + 501n }, ourOrders), /moved/)
  await steps.mine(next)
  const lost = await changes(() => steps.requeue(next))
  assert.deepEqual(
    lost,
    { ...ourLines(() => 'processing SUBMITTED'), 'earmark 1 a1': '50027 epoch 2', 'earmark 1 a2': '300 epoch 2' },
    'a mined batch, whose place another one took, takes its earmarks again first',
  )
})

test('a mined batch shows its block and gives its earmarks back, once', async () => {
  await steps.submit(ours, ourOrders)
  await steps.submit(other, otherOrders)
  const changed = await changes(() => steps.mine(ours, { hash: txHash('b'), block: 50n }))
  assert.deepEqual(changed, {
    ...ourLines((index) => `processing CONFIRMING ${batchId}#${index} ${txHash('b')} 50`),
    'earmark 1 a1': '50000 epoch 1',
    'earmark 1 a2': '0 epoch 1',
  })
  assert.deepEqual(await changes(() => steps.mine(ours, { hash: txHash('b'), block: 50n })), {})
})

test('a block that was reorganised changes where the batch is, and nothing else', async () => {
  await steps.submit(ours, ourOrders)
  await steps.submit(other, otherOrders)
  assert.deepEqual(await changes(() => steps.relocate(ours)), {}, 'only a mined batch has a place')
  await steps.mine(ours)
  await steps.mine(other)
  const changed = await changes(() => steps.relocate(ours, { hash: txHash('c'), block: 51n }))
  assert.deepEqual(
    changed,
    ourLines((index) => `processing CONFIRMING ${batchId}#${index} ${txHash('c')} 51`),
  )
})

test('a batch that a reorganisation undid earmarks again, once, and loses its block', async () => {
  await steps.submit(ours, ourOrders)
  await steps.submit(other, otherOrders)
  assert.deepEqual(await changes(() => steps.unmine(ours)), {}, 'what was never mined is not undone')
  await steps.mine(ours)
  await steps.mine(other)
  const changed = await changes(() => steps.unmine(ours))
  assert.deepEqual(changed, {
    ...ourLines((index) => `processing SUBMITTED ${batchId}#${index} ${txHash('b')}`),
    'earmark 1 a1': '50027 epoch 2',
    'earmark 1 a2': '300 epoch 2',
  })
  assert.deepEqual(await changes(() => steps.unmine(ours)), {})
})

test('an earmark that is too small, or missing, stops no batch: what it lacks is not given back', async () => {
  await steps.submit(ours, ourOrders)
  await db.query(`update wallet_earmarks set earmarked_micro = 26 where chain_id = 1 and address like '%a1'`)
  await db.query(`delete from wallet_earmarks where chain_id = 1 and address like '%a2'`)
  const changed = await changes(() => steps.mine(ours))
  assert.deepEqual(changed, {
    ...ourLines((index) => `processing CONFIRMING ${batchId}#${index} ${txHash('b')} 50`),
    'earmark 1 a1': '0 epoch 1',
  })
  assert.deepEqual((await changes(() => steps.unmine(ours)))['earmark 1 a1'], '27 epoch 2')
})

test('an epoch and an earmark as great as a column holds, as somebody with a login of the database may write them, stop no batch', async () => {
  await steps.submit(ours, ourOrders)
  await db.query(
    `update wallet_earmarks set epoch = $1, facts_epoch = $1, earmarked_micro = $1, balance_micro = null where chain_id = 1`,
    [2n ** 63n - 1n],
  )
  const changed = await changes(() => steps.mine(ours))
  assert.deepEqual(Object.keys(changed).length, ourOrders.length + 2)
  const epochs = await db.query(
    `select epoch from wallet_earmarks where chain_id = 1 and (address like '%a1' or address like '%a2')`,
  )
  assert.deepEqual(epochs, [{ epoch: 2n ** 62n }, { epoch: 2n ** 62n }])
  await db.query('update wallet_earmarks set earmarked_micro = $1 where chain_id = 1', [2n ** 63n - 1n])
  await steps.unmine(ours)
  await db.query('update wallet_earmarks set earmarked_micro = 0, epoch = 0, facts_epoch = 0')
})

test('orders that come to more than a column holds, as somebody with a login of the database may write them, stop no batch', async () => {
  await withoutGuards(db, (tx) =>
    tx.query('update orders set amount_micro = $2 where order_id = any ($1::bigint[]) and debit_address is not null', [
      ourOrders,
      2n ** 63n - 1n,
    ]),
  )
  await steps.submit(ours, ourOrders)
  const earmarks = async () =>
    (
      await db.query<{ earmarked_micro: bigint }>(
        `select earmarked_micro from wallet_earmarks where chain_id = 1 and (address like '%a1' or address like '%a2')`,
      )
    ).map((row) => row.earmarked_micro)
  await steps.mine(ours)
  assert.deepEqual(await earmarks(), [0n, 0n])
  await steps.unmine(ours)
  assert.deepEqual(await earmarks(), [2n ** 63n - 1n, 2n ** 63n - 1n])
  await db.query('update wallet_earmarks set earmarked_micro = 0, epoch = 0, facts_epoch = 0')
})

test('facts that were read before a batch moved are refused afterwards', async () => {
  await steps.submit(ours, ourOrders)
  await db.query(`update wallet_earmarks set balance_micro = 60000 where chain_id = 1 and address like '%a1'`)
  await steps.mine(ours)
  const rows = await db.query(
    `select epoch, facts_epoch, balance_micro from wallet_earmarks where chain_id = 1 and address like '%a1'`,
  )
  assert.deepEqual(rows, [{ epoch: 1n, facts_epoch: 1n, balance_micro: null }])
})

test('every move dates the order, so that nobody takes it for stuck', async () => {
  const hourAgo = Date.now() - 3_600_000
  const stuck = async () => {
    const rows = await db.query<OrderRow>(
      `select ${ORDER_COLUMNS} from orders o ${BATCH_OF_ORDER} where order_id = any ($1::bigint[])`,
      [ourOrders],
    )
    return rows.map(orderFromRow).filter(({ updatedAt }) => (updatedAt?.getTime() ?? 0) < hourAgo).length
  }
  const LONG_AGO = `now() - interval '1 day'`
  const moves: [string, () => Promise<unknown>][] = [
    ['submitted', () => steps.submit(ours, ourOrders)],
    ['taken out', () => steps.requeue(ours)],
    ['submitted again', () => steps.submit(ours, ourOrders)],
    ['mined', () => steps.mine(ours)],
    ['relocated', () => steps.relocate(ours)],
    ['taken back', () => steps.unmine(ours)],
    ['mined again', () => steps.mine(ours)],
    ['decided', () => steps.finalise(ours, { succeeded: [0, 2] })],
  ]
  for (const [move, work] of moves) {
    await withoutGuards(db, async (tx) => {
      await tx.query(`update orders set updated_at = ${LONG_AGO} where order_id = any ($1::bigint[])`, [ourOrders])
      await tx.query(`update signed_orders set since = ${LONG_AGO} where order_id = any ($1::bigint[])`, [ourOrders])
      await tx.query(`update batches set moved_at = ${LONG_AGO} where chain_id = 1 and batch_id = $1`, [batchId])
    })
    assert.equal(await stuck(), 4)
    await work()
    assert.equal(await stuck(), 0, move)
  }
})

for (const isOtherFirst of [false, true])
  test(`an order keeps the place of its own batch, when that of the other chain with its id ${isOtherFirst ? 'was' : 'is not yet'} final`, async () => {
    await steps.submit(ours, ourOrders)
    await steps.submit(other, otherOrders)
    await steps.mine(ours, { hash: txHash('d'), block: 60n })
    await steps.mine(other, { hash: txHash('e'), block: 70n })
    const finalise = {
      ours: () => steps.finalise(ours, { succeeded: [0, 1, 2, 3] }),
      other: () => steps.finalise(other, { succeeded: [0, 1] }),
    }
    for (const which of isOtherFirst ? (['other', 'ours'] as const) : (['ours', 'other'] as const))
      await finalise[which]()
    const placesOf = async (orderIds: readonly bigint[]) => {
      const rows = await db.query<{ tx: string; block: bigint }>(
        `select distinct '0x' || encode(tx_hash, 'hex') as tx, block_number as block from orders where order_id = any ($1::bigint[])`,
        [orderIds],
      )
      return rows.map(({ tx, block }) => [tx, block])
    }
    assert.deepEqual(await placesOf(ourOrders), [[txHash('d'), 60n]])
    assert.deepEqual(await placesOf(otherOrders), [[txHash('e'), 70n]])
  })

test('an order of an abandoned batch is not rejected because another chain has a final batch of that id', async () => {
  await steps.submit(ours, ourOrders)
  await steps.requeue(ours)
  await steps.submit(other, otherOrders)
  await steps.mine(other)
  await steps.finalise(other, { succeeded: [0, 1] })
  const [order = 0n] = ourOrders
  assert.equal(await db.transaction((tx) => rejectUnsettleable(tx, order)), undefined)
})
