// engine: postgres
/** Batches of others, one round at a time: when they are looked for, what is noted, and what is read of them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Hex, zeroAddress } from 'viem'
import {
  decodeSettle,
  digestOf,
  encodeSettle,
  KIND,
  NO_HISTORY,
  packInstructions,
  runningHashAfter,
} from '../../src/chain/instructions.ts'
import { RpcUnreachableError } from '../../src/chain/node.ts'
import { callDataOf } from '../../src/chain/signed-transaction.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { account, keyOf, wallet } from './fixture.ts'
import { FATAL, type Stepped, type SteppedChain, startStepped } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 3, signers: [keyOf('signer')] })
})
after(() => chain.end())

/** A chain that is older than its depth. */
async function begin(options: Parameters<SteppedChain['begin']>[0] = {}): Promise<Stepped> {
  const s = await chain.begin(options)
  await s.mine(3)
  return s
}

const CHAIN = 31_337
const STRANGER = account('second').address
const mint = (seed: number) => ({ direction: 'MINT', amountMicro: 5n, to: wallet(seed) }) as const

/** Instructions that no order asked for. */
const theftOf = (amount: bigint): Hex =>
  packInstructions([{ kind: KIND.MINT, from: zeroAddress, to: STRANGER, amount, tag: '0x0000000000000001' }])

/** A batch of a stranger that has the role waits for the next block. Returns the running hash after it. */
async function steal(s: Stepped, batchId: bigint, previous: Hex = NO_HISTORY, packed = theftOf(batchId)): Promise<Hex> {
  const data = encodeSettle(batchId, previous, packed)
  await s.rpc('eth_sendTransaction', { from: STRANGER, to: s.config.settlement, data, gas: '0x61a80' })
  return runningHashAfter(previous, digestOf(packed))
}

const foreignOf = async (s: Stepped) =>
  (await s.batches()).filter(({ is_foreign }) => is_foreign).map(({ batch_id }) => batch_id)
const counted = (s: Stepped) => s.counted.filter(([name]) => name === 'foreign')
const unread = (s: Stepped) => s.work.memory.follow.hasUnread

/** Counts the questions about the contract's history, and refuses them while `refuses.it`. */
function watchHistory(s: Stepped) {
  const watched = { asked: 0, refuses: false }
  const nodes = s.work.chain.nodes.map((node) => ({
    ...node,
    request(method: string, params: readonly unknown[], timeoutMs?: number) {
      // The selector of `head()`.
      const isHistory = method === 'eth_call' && (params[0] as { data?: string }).data === '0x8f7dcfa3'
      if (isHistory) watched.asked += 1
      if (isHistory && watched.refuses) return Promise.reject(new RpcUnreachableError('no answer'))
      return node.request(method, params, timeoutMs)
    },
  }))
  s.work.chain = { ...s.work.chain, nodes }
  return watched
}

test('with nothing under way the history is asked for once for each head, and a deep theft is read in that round', async () => {
  const s = await begin()
  const watched = watchHistory(s)
  await s.round()
  assert.ok(watched.asked > 0)
  assert.equal(unread(s), false)
  const perHead = watched.asked
  await s.round()
  assert.equal(watched.asked, perHead, 'the same head says nothing new')
  await steal(s, 1n)
  await s.mine()
  await s.round()
  assert.equal(watched.asked, 2 * perHead)
  assert.deepEqual([await foreignOf(s), unread(s), s.held()], [[], true, 'batch-conflict'])
  await s.mine()
  await s.round()
  assert.deepEqual([await foreignOf(s), unread(s)], [[], true], 'two blocks deep')
  await s.mine()
  await s.round()
  assert.deepEqual([await foreignOf(s), unread(s), s.held()], [[1n], false, 'none'])
})

test('nodes that cannot tell of the history are asked again at the same head, and the round goes on', async () => {
  const s = await begin()
  const watched = watchHistory(s)
  watched.refuses = true
  await s.round()
  const { asked } = watched
  assert.equal(unread(s), undefined)
  await s.round()
  assert.ok(watched.asked > asked)
  watched.refuses = false
  await s.round()
  assert.equal(unread(s), false)
})

test('a failure of this service while it keeps foreign batches is not taken for a silent node', async () => {
  const s = await begin({
    onStep(step) {
      if (step === 'history-kept') throw new Error('the disk is full')
    },
  })
  await steal(s, 1n)
  await s.mine(3)
  await assert.rejects(s.round(), /the disk is full/)
})

test('of two foreign batches the deep one is read, and the other is known to be there', async () => {
  const s = await begin()
  const after1 = await steal(s, 1n)
  await s.mine(2)
  await steal(s, 2n, after1)
  await s.mine()
  await s.round()
  assert.deepEqual([await foreignOf(s), unread(s), s.held()], [[1n], true, 'batch-conflict'])
  await s.mine(2)
  await s.round()
  assert.deepEqual([await foreignOf(s), unread(s)], [[1n, 2n], false])
  const [order] = await s.place(mint(1))
  await s.round()
  await s.mine(3)
  await s.round()
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
})

test('foreign batches are read fifty at a time', async () => {
  const s = await begin()
  let previous: Hex = NO_HISTORY
  for (let batchId = 1n; batchId <= 51n; batchId += 1n) previous = await steal(s, batchId, previous)
  await s.mine(3)
  const { number } = await s.head()
  await s.round()
  const read = await foreignOf(s)
  assert.deepEqual([read.length, read[0], read.at(-1), unread(s)], [50, 1n, 50n, true])
  await s.round()
  assert.deepEqual([(await foreignOf(s)).length, unread(s), (await s.head()).number], [51, false, number])
  assert.deepEqual(counted(s), [
    ['foreign', 50],
    ['foreign', 1],
  ])
})

test('with a batch under way the history is asked for by the watch of the chain alone, unless this process has never asked', async () => {
  const s = await begin()
  await s.round()
  const [order] = await s.place(mint(1))
  await s.round()
  const watched = watchHistory(s)
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(order), 'processing/CONFIRMING')
  assert.equal(watched.asked, 1)
  await s.forget()
  await s.round()
  assert.equal(watched.asked, 2, 'the watch and whoever has never asked go by one answer')
  assert.deepEqual([unread(s), s.held()], [false, 'none'])
})

test('a foreign batch behind ours is noted after a restart, and no longer when a reorganisation takes it', async () => {
  const s = await begin()
  const [order] = await s.place(mint(1))
  await s.round()
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(order), 'processing/CONFIRMING')
  const [row] = await s.db.query<{ running_hash: Hex }>('select running_hash from chains where chain_id = $1', [CHAIN])
  await steal(s, 2n, row?.running_hash)
  await s.mine()
  await s.forget()
  await s.round()
  assert.deepEqual([unread(s), s.held(), await foreignOf(s)], [true, 'batch-conflict', []])
  await s.rpc('anvil_reorg', 1, [])
  await s.rpc('anvil_dropAllTransactions')
  await s.mine()
  await s.round()
  assert.deepEqual([unread(s), s.held()], [false, 'none'])
})

test('a foreign batch that became deep behind one of ours is noted in that round, and read in the next', async () => {
  const s = await begin()
  const [order] = await s.place(mint(1))
  await s.round()
  await s.mine()
  const [row] = await s.db.query<{ running_hash: Hex }>('select running_hash from chains where chain_id = $1', [CHAIN])
  await steal(s, 2n, row?.running_hash)
  await s.mine(3)
  await s.forget()
  await s.round()
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  assert.deepEqual([unread(s), await foreignOf(s)], [true, []])
  await s.mine()
  await s.round()
  assert.deepEqual([unread(s), await foreignOf(s)], [false, [2n]])
})

test('what a foreign batch did is kept as orders would have asked for it, whatever it was', async () => {
  const s = await begin()
  const [from, to] = [wallet(1), wallet(2)]
  const tag = '0x0000000000000002'
  await steal(
    s,
    1n,
    NO_HISTORY,
    packInstructions([
      { kind: KIND.MINT, from: zeroAddress, to, amount: 1n, tag },
      { kind: KIND.REDEEM, from, to: zeroAddress, amount: 2n, tag },
      { kind: KIND.TRANSFER, from, to, amount: 3n, tag },
    ]),
  )
  await s.mine(3)
  await s.round()
  const rows = await s.db.query(
    `select direction, wallet_address, debit_address, amount_micro::int as amount, tag from foreign_instructions
     where chain_id = $1 order by instruction_index`,
    [CHAIN],
  )
  assert.deepEqual(rows, [
    { direction: 'MINT', wallet_address: to, debit_address: null, amount: 1, tag },
    { direction: 'REDEEM', wallet_address: from, debit_address: from, amount: 2, tag },
    { direction: 'TRANSFER', wallet_address: to, debit_address: from, amount: 3, tag },
  ])
})

test('a mint that waits for its payment takes the outcome of a foreign batch, and one that had ended is told of', async () => {
  const s = await begin()
  const orders = await s.place(mint(1), mint(2))
  const [unpaid, ended] = orders
  await withoutGuards(s.db, async (tx) => {
    await tx.query(`update orders set status = 'payment_pending' where order_id = $1`, [unpaid ?? 0n])
    await tx.query(`update orders set status = 'cancelled' where order_id = $1`, [ended ?? 0n])
  })
  const names = await s.db.query<{ integration_id: string; reference_id: string }>(
    'select integration_id, reference_id from orders where order_id = any ($1::bigint[]) order by order_id',
    [orders],
  )
  const instructions = names.map(({ integration_id: integration, reference_id: reference }, index) => ({
    kind: KIND.MINT,
    from: zeroAddress,
    to: wallet(index + 1),
    amount: 5n,
    tag: orderTag(integration, reference),
  }))
  await steal(s, 1n, NO_HISTORY, packInstructions(instructions))
  await s.mine(3)
  await s.round()
  assert.equal(await s.stateOf(unpaid), 'completed/COMPLETED')
  const told = s.logged.filter(({ msg }) => /had ended without it/.test(msg))
  assert.deepEqual(
    told.map(({ level, index, status }) => [level, index, status]),
    [[FATAL, 1, 'cancelled']],
  )
})

/** Forms two batches of one order each, which no node has any more; returns the orders, and the bytes of both batches. */
async function formTwo(s: Stepped): Promise<{ orders: bigint[]; raw: Hex[] }> {
  const orders: bigint[] = []
  for (const seed of [1, 2]) {
    orders.push(...(await s.place(mint(seed))))
    s.work.memory.blocks.intervalMs = undefined
    await s.round()
  }
  const raw = [...s.sent]
  assert.equal(raw.length, 2)
  await s.rpc('anvil_dropAllTransactions')
  return { orders, raw }
}

/** Bytes reach a block too late to settle anything, and are deep. */
async function revert(s: Stepped, raw: readonly Hex[]): Promise<void> {
  for (const each of raw) await s.rpc('eth_sendRawTransaction', each)
  await s.mine(3)
}

test('a thief behind the first of two batches under way: ours stays ours, the second is formed anew behind the thief', async () => {
  const s = await begin()
  const { orders, raw } = await formTwo(s)
  const { previous } = decodeSettle(callDataOf(raw[1] ?? '0x')) ?? assert.fail('no second batch')
  await s.rpc('eth_sendRawTransaction', raw[0])
  await s.mine()
  await steal(s, 2n, previous)
  await s.mine()
  await revert(s, raw.slice(1))
  await s.round()
  assert.equal(await s.stateOf(orders[0]), 'completed/COMPLETED')
  assert.deepEqual(
    (await s.batches()).map(({ batch_id, status, is_foreign }) => [batch_id, status, is_foreign]),
    [
      [1n, 'final', false],
      [2n, 'final', true],
      [3n, 'signed', false],
    ],
  )
  assert.deepEqual(counted(s), [['foreign', 1]])
})

test('what a thief repeats of ours, behind a batch of its own, settles our order, and what is formed anew comes behind it', async () => {
  const s = await begin()
  const { orders, raw } = await formTwo(s)
  const { packed } = decodeSettle(callDataOf(raw[1] ?? '0x')) ?? assert.fail('no second batch')
  await steal(s, 2n, await steal(s, 1n), packed)
  await s.mine()
  await revert(s, raw)
  await s.round()
  assert.deepEqual([await foreignOf(s), counted(s)], [[1n], [['foreign', 2]]])
  assert.equal(await s.stateOf(orders[1]), 'completed/COMPLETED')
  assert.equal(await s.stateOf(orders[0]), 'processing/SUBMITTED')
  assert.deepEqual(
    (await s.batches()).map(({ batch_id, status }) => [batch_id, status]),
    [
      [1n, 'final'],
      [2n, 'final'],
      [3n, 'signed'],
    ],
  )
})

test('orders that a foreign batch put back are all found in the same round, also those accepted before the last search', async () => {
  const s = await begin()
  await s.round()
  const { orders, raw } = await formTwo(s)
  assert.equal(s.work.memory.form.search.marks.othersFrom, orders[1])
  await steal(s, 1n)
  await s.mine()
  await revert(s, raw)
  await s.round()
  for (const order of orders) assert.equal(await s.stateOf(order), 'processing/SUBMITTED')
  const [batch] = await s.db.query<{ order_ids: bigint[] }>(
    'select order_ids from batches where chain_id = $1 and batch_id = 2',
    [CHAIN],
  )
  assert.deepEqual(batch?.order_ids, orders)
})

test('on a chain younger than its depth nothing is unread', async () => {
  const s = await begin()
  const { number } = await s.head()
  s.config.confirmations = Number(number) + 2
  await s.round()
  assert.equal(unread(s), false)
})
