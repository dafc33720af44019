// engine: postgres
/** After a restore nothing that the lost history has signed may be executed for an order that has ended without it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeFunctionData, type Hex } from 'viem'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { RpcUnreachableError } from '../../src/chain/node.ts'
import { violatedConstraint } from '../../src/db/database.ts'
import { DATABASE_TIMELINE } from '../../src/db/timeline.sql.ts'
import { listBatches, readInstructions } from '../../src/operator/batches/batches.sql.ts'
import { holdOrders, releaseOrder } from '../../src/orders/life/hold.sql.ts'
import type { Order } from '../../src/orders/order.ts'
import { BATCH_OF_ORDER, ORDER_COLUMNS, type OrderRow, orderFromRow } from '../../src/orders/row.sql.ts'
import { rejectUnsettled } from '../../src/settlement/explain/reject.ts'
import { registerChain } from '../../src/settlement/register.ts'
import { insertGivenUp } from '../../src/settlement/tables/explanations.sql.ts'
import { isFenced } from '../../src/settlement/tables/fences.sql.ts'
import { forgetAfterGap } from '../../src/settlement/tables/holds.sql.ts'
import { keyOf, sendAlone, wallet } from './fixture.ts'
import { ALONE, CHAIN, counted, formOne, mint, SECOND, SIGNER } from './repairing.ts'
import { loseBatches } from './restore.ts'
import { NEVER, type Stepped, type SteppedChain, startStepped, useNonce } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

type Fence = {
  batch_id: bigint
  status: string
  order_ids: bigint[]
  fence_tag: string | null
  fences_on: string | null
}
const fences = (s: Stepped) =>
  s.db.query<Fence>(
    'select batch_id, status, order_ids, fence_tag, fences_on from batches where chain_id = $1 and fence_tag is not null order by 1',
    [CHAIN],
  )
const statusOfFences = async (s: Stepped) => (await fences(s)).map(({ batch_id: id, status }) => [id, status])

/** As after a restore: what is stored was written on another timeline than the database is on now. */
async function restore(s: Stepped): Promise<void> {
  await s.rpc('anvil_dropAllTransactions')
  await loseBatches(s.db, CHAIN)
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
  await s.forget()
}

async function orderOf({ db }: Stepped, orderId: bigint): Promise<Order> {
  const [row] = await db.query<OrderRow>(
    `select ${ORDER_COLUMNS} from orders o ${BATCH_OF_ORDER} where o.order_id = $1`,
    [orderId],
  )
  assert.ok(row)
  return orderFromRow(row)
}
const hold = ({ db }: Stepped, orderId: bigint) => db.transaction((tx) => holdOrders(tx, [{ orderId, reason: 'x' }]))
const release = ({ db }: Stepped, orderId: bigint) => db.transaction((tx) => releaseOrder(tx, orderId))
const reject = async (s: Stepped, orderId: bigint) => {
  const order = await orderOf(s, orderId)
  return await s.db.transaction((tx) => rejectUnsettled(tx, order, []))
}

test('what the lost history has sent moves nothing for an order that was rejected since: it is rejected once a batch that settles nothing is final, and that batch is in the place of theirs', async () => {
  const s = await chain.begin({ config: ALONE })
  const [first, second] = [await formOne(s, 1), await formOne(s, 2)]
  const lost = s.sent.at(-1) as Hex
  await restore(s)
  for (const each of [first, second]) await hold(s, each)
  await s.round()
  // Neither order is in it, and no batch of any history is like it.
  const [fence, ...more] = await fences(s)
  assert.deepEqual([fence?.batch_id, fence?.order_ids, more.length, s.held()], [1n, [], 0, 'fence'])
  assert.match(fence?.fence_tag ?? '', /^0x[0-9a-f]{16}$/)
  assert.equal(await reject(s, second), 'unfenced')
  await s.mine()
  await s.round()
  assert.equal(await reject(s, second), 'unfenced', 'it may be taken back yet')
  await s.mine()
  await s.round()
  assert.deepEqual([await statusOfFences(s), s.held()], [[[1n, 'final']], 'none'])
  assert.equal(await reject(s, second), 'rejected')

  // Its nonce is free, its id is the next one; the history that it names is not.
  await s.rpc('eth_sendRawTransaction', lost)
  await s.mine(2)
  await s.round()
  assert.equal(await s.chain.reader.latestBalance(wallet(2)), 0n)
  await release(s, first)
  await s.round()
  await s.mine(2)
  await s.round()
  assert.deepEqual([await s.stateOf(first), await s.stateOf(second)], ['completed/COMPLETED', 'failed/FAILED'])
  assert.equal(await s.chain.admin.supply(), 5n)
  assert.deepEqual([counted(s, 'foreign'), (await fences(s)).length], [0, 1])
})

test('one that the chain has lost for another batch fences nothing: nothing is rejected before another one is final behind that', async () => {
  const s = await chain.begin({ config: ALONE })
  const [first, second] = [await formOne(s, 1), await formOne(s, 2)]
  const [one, two] = s.sent.slice(-2) as [Hex, Hex]
  await restore(s)
  for (const each of [first, second]) await hold(s, each)
  await s.round()
  await s.mine(2)
  await s.round()
  assert.deepEqual([await statusOfFences(s), s.held()], [[[1n, 'final']], 'none'])

  await s.rpc('anvil_reorg', 2, [])
  await sendAlone(s.rpc, one)
  await s.mine(2)
  const look = async () => {
    s.passMs(NEVER.recheckMs)
    await s.round()
  }
  await look()
  assert.equal(s.held(), 'batch-conflict')
  assert.equal(await isFenced(s.db, { orderId: 0n, chainId: CHAIN }, []), false)
  await insertGivenUp(s.db, CHAIN, 1n, 'the chain has others there')
  await look()
  await look()
  assert.equal(await s.stateOf(first), 'completed/COMPLETED')
  assert.equal(await reject(s, second), 'unfenced')
  await sendAlone(s.rpc, two)
  await s.mine(2)
  for (let looks = 0; looks < 3; looks += 1) {
    await look()
    await s.mine(2)
  }
  assert.equal(await s.stateOf(second), 'completed/COMPLETED')
  assert.deepEqual([await statusOfFences(s), s.held()], [[[3n, 'final']], 'none'])
})

/** Its fence is final, and the chain has lost it and what was signed behind it; the lost history's batch has its place. */
async function loseFence(s: Stepped, { behind }: { behind: number }): Promise<void> {
  const order = await formOne(s, 1)
  const lost = s.sent.at(-1) as Hex
  await restore(s)
  await hold(s, order)
  await s.round()
  await s.mine()
  for (let seed = 2; seed < 2 + behind; seed += 1) {
    await s.place(mint(seed))
    await s.round()
    await s.mine()
  }
  await s.mine()
  await s.round()
  const ended = `select from batches where chain_id = $1 and status = 'final'`
  assert.deepEqual(
    [(await s.db.query(ended, [CHAIN])).length, await isFenced(s.db, { orderId: 0n, chainId: CHAIN }, [])],
    [1 + behind, true],
  )
  await s.rpc('anvil_reorg', behind + 2, [])
  await sendAlone(s.rpc, lost)
  await s.mine(2)
}

test('one that was lost fences nothing however many batches were signed behind it', async () => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 0 } })
  await loseFence(s, { behind: 33 })
  await s.round()
  assert.deepEqual([await isFenced(s.db, { orderId: 0n, chainId: CHAIN }, []), s.held()], [false, 'batch-conflict'])
})

test('what nodes did not say of final batches they are asked in the next round: until then a lost fence would hold nothing back', async () => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 0 } })
  await loseFence(s, { behind: 0 })
  const { nodes } = s.work.chain
  const record = encodeFunctionData({ abi: settlementAbi, functionName: 'outcomeOf', args: [1n] })
  const silent = nodes.map((node) => ({
    ...node,
    request: async (...given: Parameters<typeof node.request>) => {
      const [method, [call]] = given
      const isAsked = method === 'eth_call' && (call as { data?: Hex }).data === record
      if (isAsked) throw new RpcUnreachableError(`${node.label} does not answer`)
      return await node.request(...given)
    },
  }))
  s.work.chain = { ...s.work.chain, nodes: silent }
  await assert.rejects(s.round())
  s.work.chain = { ...s.work.chain, nodes }
  await s.round()
  assert.deepEqual([await isFenced(s.db, { orderId: 0n, chainId: CHAIN }, []), s.held()], [false, 'batch-conflict'])
})

test('operators see its instruction of nothing, and nobody gives it another tag', async () => {
  const s = await chain.begin({ config: ALONE })
  await restore(s)
  await s.round()
  const [fence] = await fences(s)
  const shown = await readInstructions(s.db, { chainId: CHAIN, batchId: 1n, isForeign: false })
  assert.deepEqual(
    shown.map(({ index, tag, amountMicro, order }) => [index, tag, amountMicro, order]),
    [[0, fence?.fence_tag, 0n, null]],
  )
  const change = `update batches set fence_tag = '0x00' where chain_id = $1`
  assert.equal(violatedConstraint(await s.db.query(change, [CHAIN]).catch((error) => error)), 'batches_as_formed')
})

test("a fence of a lost history is nobody's to explain, and is signed again where the chain loses it", async () => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 0 } })
  await restore(s)
  await s.round()
  await s.mine(2)
  await s.round()
  assert.deepEqual(await statusOfFences(s), [[1n, 'final']])
  await loseBatches(s.db, CHAIN)
  await s.forget()
  await s.round()
  assert.deepEqual(await s.batches().then((all) => all.map(({ is_foreign: isForeign }) => isForeign)), [true])
  const page = { chainId: CHAIN, foreign: false, unexplained: true, after: undefined, limit: 10 }
  assert.deepEqual(await listBatches(s.db, page), [])
  await s.rpc('anvil_reorg', 2, [])
  await s.rpc('anvil_dropAllTransactions')
  await useNonce(s, SIGNER, 0n)
  for (let looks = 0; looks < 3; looks += 1) {
    await s.mine(2)
    s.passMs(NEVER.recheckMs)
    await s.round()
  }
  const [order] = await s.place(mint(1))
  await s.round()
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(order), 'completed/COMPLETED', s.held())
})

test('orders settle beside it, behind it', async () => {
  const s = await chain.begin({ config: ALONE })
  await restore(s)
  const [order] = await s.place(mint(1))
  await s.round()
  await s.mine(2)
  await s.round()
  assert.deepEqual([await statusOfFences(s), await s.stateOf(order)], [[[1n, 'final']], 'completed/COMPLETED'])
})

test('an order that the lost history has settled is not rejected, and one that is in a batch is said to be', async () => {
  const s = await chain.begin({ config: ALONE })
  const order = await formOne(s)
  await s.mine(2)
  await restore(s)
  await hold(s, order)
  await s.round()
  // Their batch was read before, and the fence follows it.
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  assert.deepEqual(await statusOfFences(s), [[2n, 'signed']])
  const [next = 0n] = await s.place(mint(2))
  await s.round()
  assert.equal(await reject(s, next), 'signed')
  assert.equal(await reject(s, order), 'signed')
})

test('a service that nobody has restored signs none, and rejects at once', async () => {
  const s = await chain.begin({ config: ALONE })
  await s.round()
  const [order = 0n] = await s.place(mint(1))
  assert.equal(await reject(s, order), 'rejected')
  await s.forget()
  await s.round()
  assert.deepEqual([await fences(s), s.held()], [[], 'none'])
})

test('a new database on contracts that have settled before signs one, too: the one before it may be lost', async () => {
  const s = await chain.begin({ config: ALONE })
  await formOne(s)
  await s.mine(2)
  await loseBatches(s.db, CHAIN)
  for (const table of ['chain_limits', 'foreign_movements', 'chains'])
    await s.db.query(`delete from ${table} where chain_id = $1`, [CHAIN])
  await registerChain(s.db, s.chain)
  await s.forget()
  await s.round()
  await s.round()
  assert.deepEqual([await statusOfFences(s), s.held()], [[[2n, 'signed']], 'fence'])
})

test('one that was signed before the restore fences nothing: what was signed behind it is lost', async () => {
  const s = await chain.begin({ config: ALONE })
  await restore(s)
  await s.round()
  await s.db.query(`update batches set fences_on = 'before' where chain_id = $1`, [CHAIN])
  await s.round()
  assert.deepEqual(await statusOfFences(s), [
    [1n, 'signed'],
    [2n, 'signed'],
  ])
  await s.rpc('anvil_dropAllTransactions')
  const [older] = s.sent
  await s.rpc('eth_sendRawTransaction', older)
  await s.mine(2)
  await s.round()
  assert.deepEqual([(await statusOfFences(s))[0], s.held()], [[1n, 'final'], 'fence'])
})

test('a batch of others in its place is read, and another one is signed behind it', async () => {
  const s = await chain.begin({ config: ALONE })
  const order = await formOne(s)
  const lost = s.sent.at(-1) as Hex
  await restore(s)
  await hold(s, order)
  await s.round()
  await sendAlone(s.rpc, lost)
  for (let blocks = 0; blocks < 2; blocks += 1) {
    await s.mine()
    await s.round()
  }
  await s.round()
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  assert.deepEqual([await statusOfFences(s), s.held()], [[[2n, 'signed']], 'fence'])
  await s.mine(2)
  await s.round()
  assert.deepEqual([await statusOfFences(s), s.held()], [[[2n, 'final']], 'none'])
})

test('it gets a higher fee, another signer, and other bytes where the chain loses it, as any batch does', async () => {
  const s = await chain.begin({ config: { bumpAfterBlocks: 1 } })
  await restore(s)
  await s.round()
  const made = async () => (await s.attempts()).map(({ signer, batch_id: id }) => [signer, id])
  await s.rpc('anvil_setBalance', SIGNER, '0x0')
  await s.rpc('anvil_dropAllTransactions')
  for (let blocks = 0; blocks < 3; blocks += 1) {
    await s.mine()
    await s.round()
  }
  assert.deepEqual((await made()).at(-1), [SECOND, 1n])
  await s.mine(2)
  await s.round()
  assert.deepEqual([await statusOfFences(s), s.held()], [[[1n, 'final']], 'none'])

  const first = async () => (await made()).filter(([, id]) => id === 1n)
  const before = (await first()).length
  const { number } = await s.head()
  const minedBlock = (await s.batches())[0]?.mined_block ?? number
  await s.rpc('anvil_reorg', Number(number - minedBlock) + 1, [])
  await s.rpc('anvil_dropAllTransactions')
  const nonce = BigInt(String(await s.rpc('eth_getTransactionCount', SECOND, 'latest')))
  await useNonce(s, SECOND, nonce)
  for (let looks = 0; looks < 3; looks += 1) {
    await s.mine(2)
    s.passMs(NEVER.recheckMs)
    await s.round()
  }
  assert.equal((await first()).length, before + 1)
  assert.equal(await s.chain.admin.supply(), 0n)
  // While the chain had not got it, theirs could have come.
  await s.mine(2)
  await s.round()
  const both = [
    [1n, 'final'],
    [2n, 'final'],
  ]
  assert.deepEqual([await statusOfFences(s), s.held()], [both, 'none'])
})

test('where nobody has settled for long, the database may be a copy on the same timeline: another one is signed', async () => {
  const s = await chain.begin({ config: ALONE })
  await s.round()
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
  await s.round()
  const [timeline] = await s.db.query<{ now: string; made: string }>(
    `select ${DATABASE_TIMELINE} as now, database_timeline() as made`,
  )
  assert.equal(timeline?.made, timeline?.now)
  assert.equal((await fences(s))[0]?.fences_on, timeline?.now)
  await s.db.query(`update chains set fenced_on = database_timeline() where chain_id = $1`, [CHAIN])
  await s.db.query(`update leases set expires_at = now() - interval '11 minutes'`)
  assert.deepEqual(await forgetAfterGap(s.db, CHAIN), [CHAIN])
  assert.equal((await fences(s))[0]?.fences_on, null)
  const [row] = await s.db.query<{ fenced_on: string | null }>('select fenced_on from chains where chain_id = $1', [
    CHAIN,
  ])
  assert.equal(row?.fenced_on, null)
})

test('so it is where the copy was made before anybody had read the chain to its end', async () => {
  const s = await chain.begin({ config: ALONE })
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
  await s.round()
  const isMarked = async () => (await fences(s)).map(({ fences_on: on }) => on !== null)
  assert.deepEqual(await isMarked(), [true])
  await s.db.query('update settlement_holds set history_read_on = null')
  const afterMinutes = async (minutes: number) => {
    await s.db.query(`update leases set expires_at = now() - $1 * interval '1 minute'`, [minutes])
    await forgetAfterGap(s.db, CHAIN)
    return [await isMarked(), await isFenced(s.db, { orderId: 0n, chainId: CHAIN }, [])]
  }
  assert.deepEqual(await afterMinutes(9), [[true], false])
  assert.deepEqual(await afterMinutes(11), [[false], false])
  await s.db.query('delete from settlement_holds')
  await s.db.query(`update chains set fenced_on = database_timeline() where chain_id = $1`, [CHAIN])
  assert.deepEqual(await afterMinutes(9), [[false], true])
  assert.deepEqual(await afterMinutes(11), [[false], false])
})
