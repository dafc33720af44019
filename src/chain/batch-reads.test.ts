import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Address, type Hex, keccak256, numberToHex, toHex } from 'viem'
import { findSettlement } from './batch-reads.ts'
import { digestOf, encodeSettle, NO_HISTORY } from './instructions.ts'
import { type RpcNode, RpcUnreachableError } from './node.ts'

const SETTLEMENT: Address = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const hashOf = (name: string) => keccak256(toHex(name))
const BLOCK = { number: 9n, hash: hashOf('block 9') }
const RECORD = { batchId: 7n, blockNumber: BLOCK.number, digest: digestOf('0x01') }

type Call = { name: string; batchId?: bigint; packed?: Hex; to?: Address | null; succeeded?: boolean }

/** A node with these calls in the block, and receipts of those that say whether they succeeded. */
function nodeOf(calls: readonly Call[] | undefined): RpcNode {
  const transactions = calls?.map(({ name, batchId = 7n, packed = '0x01', to = SETTLEMENT }) => ({
    hash: hashOf(name),
    to,
    from: SETTLEMENT,
    nonce: '0x3',
    input: encodeSettle(batchId, NO_HISTORY, packed),
  }))
  const receiptOf = (hash: unknown) => {
    const call = calls?.find(({ name }) => hashOf(name) === hash)
    if (call?.succeeded === undefined) return null
    const place = { blockNumber: numberToHex(BLOCK.number), blockHash: BLOCK.hash }
    return { ...place, status: call.succeeded ? '0x1' : '0x0', gasUsed: '0x1' }
  }
  return {
    label: 'scripted',
    async request(method, params) {
      if (method === 'eth_getTransactionReceipt') return receiptOf(params[0])
      return transactions === undefined ? null : { hash: BLOCK.hash, timestamp: '0x10', transactions }
    },
  }
}
const foundIn = async (calls?: readonly Call[]) => await findSettlement(nodeOf(calls), SETTLEMENT, RECORD)
const nameIn = async (...calls: Call[]) => (await foundIn(calls))?.txHash

test('the call whose receipt says that it succeeded is the one', async () => {
  const found = await foundIn([
    { name: 'other', batchId: 6n, succeeded: true },
    { name: 'reverted', succeeded: false },
    { name: 'settled', succeeded: true },
  ])
  assert.equal(found?.txHash, hashOf('settled'))
  assert.deepEqual([found?.blockNumber, found?.blockHash, found?.nonce], [9n, BLOCK.hash, 3n])
  assert.deepEqual(found?.settledAt, new Date(16_000))
})

test('without receipts it is the one call with the instructions of the record', async () => {
  const found = await foundIn([{ name: 'settled' }, { name: 'other', packed: '0x02' }])
  assert.equal(found?.txHash, hashOf('settled'))
  assert.deepEqual([found?.blockNumber, found?.blockHash], [9n, BLOCK.hash])
  assert.equal(await nameIn({ name: 'reverted', succeeded: false }, { name: 'settled' }), hashOf('settled'))
})

test('without receipts two such calls, another’s instructions, another contract or no block tell nothing', async () => {
  assert.equal(await nameIn({ name: 'one' }, { name: 'two' }), undefined)
  assert.equal(await nameIn({ name: 'other', packed: '0x02' }), undefined)
  assert.equal(
    await nameIn({ name: 'elsewhere', to: `0x${'1'.repeat(40)}` }, { name: 'creation', to: null }),
    undefined,
  )
  assert.equal(await foundIn(undefined), undefined)
})

const LOG = { blockNumber: numberToHex(BLOCK.number), topics: [], data: '0x' }

/** A node whose block is too long to be read, and whose logs name this call, if it serves any. */
function fatNodeOf(call: Call | undefined, asked: unknown[] = []): RpcNode {
  const whole = nodeOf(call && [call])
  const header = { number: numberToHex(BLOCK.number), hash: BLOCK.hash, parentHash: BLOCK.hash, timestamp: '0x10' }
  return {
    label: 'fat',
    async request(method, params) {
      asked.push([method, params])
      if (method === 'eth_getLogs' && call !== undefined) return [{ ...LOG, transactionHash: hashOf(call.name) }]
      if (method === 'eth_getBlockByNumber' && params[1] === false) return { ...header, gasLimit: '0x1' }
      if (method !== 'eth_getTransactionByHash') throw new RpcUnreachableError(`fat: ${method}: answer too long`)
      return ((await whole.request('eth_getBlockByNumber', params)) as { transactions: unknown[] }).transactions[0]
    },
  }
}

test('in a block that is too long to be read the transaction is found by its log, and told like any other', async () => {
  const asked: unknown[] = []
  const found = await findSettlement(fatNodeOf({ name: 'settled' }, asked), SETTLEMENT, RECORD)
  assert.deepEqual(JSON.stringify(found, printed), JSON.stringify(await foundIn([{ name: 'settled' }]), printed))
  assert.equal(found?.txHash, hashOf('settled'))
  const batch = numberToHex(RECORD.batchId, { size: 32 })
  const topics = [toHex(keccak256(toHex('BatchSettled(uint256,bytes24,uint256)'), 'bytes')), batch]
  const range = { fromBlock: '0x9', toBlock: '0x9', address: [SETTLEMENT], topics }
  assert.deepEqual(asked[1], ['eth_getLogs', [range]])
})

test('a log that names another call says nothing, and without logs the block’s own error is told', async () => {
  const other = await findSettlement(fatNodeOf({ name: 'other', packed: '0x02' }), SETTLEMENT, RECORD)
  assert.equal(other, undefined)
  await assert.rejects(findSettlement(fatNodeOf(undefined), SETTLEMENT, RECORD), /eth_getBlockByNumber/)
})

test('no receipt is asked for of calls with other instructions: strangers may send thousands that revert', async () => {
  const node = nodeOf([
    { name: 'stranger', packed: '0x02', succeeded: false },
    { name: 'settled', succeeded: true },
  ])
  const receipts: unknown[] = []
  const counting: RpcNode = {
    label: 'counting',
    async request(method, params) {
      if (method === 'eth_getTransactionReceipt') receipts.push(params[0])
      return await node.request(method, params)
    },
  }
  assert.equal((await findSettlement(counting, SETTLEMENT, RECORD))?.txHash, hashOf('settled'))
  assert.deepEqual(receipts, [hashOf('settled')])
})

test('of a node that tells of more copies than a block can have no receipt is asked for, and others wait for nothing', async () => {
  const copies = (count: number, rest: Partial<Call> = {}) =>
    Array.from({ length: count }, (_, index): Call => ({ name: `copy ${index}`, ...rest }))
  const asked = async (calls: readonly Call[]) => {
    const node = nodeOf(calls)
    let receipts = 0
    const request: RpcNode['request'] = async (method, params) => {
      if (method === 'eth_getTransactionReceipt') receipts += 1
      if (method === 'eth_getLogs') throw new RpcUnreachableError('no logs')
      return await node.request(method, params)
    }
    const found = await findSettlement({ label: 'n', request }, SETTLEMENT, RECORD).catch(
      (error: Error) => error.message,
    )
    return { receipts, found: typeof found === 'object' ? found.txHash : found }
  }
  const good = { name: 'settled', succeeded: true }
  const reverted = { succeeded: false }
  assert.deepEqual(await asked([...copies(255, reverted), good]), { receipts: 256, found: hashOf('settled') })
  assert.match((await asked([...copies(256, reverted), good])).found ?? '', /more calls of a batch than any can have/)
  // Those of strangers with other instructions keep it from nothing.
  const timer = { ticks: 0, of: setInterval(() => (timer.ticks += 1), 1) }
  const { receipts, found } = await asked(copies(4_097))
  assert.equal(receipts, 0)
  assert.match(found ?? '', /more calls/)
  // Those of strangers with other instructions keep it from nothing.
  assert.equal((await asked([...copies(1_000, { packed: '0x02' }), good])).found, hashOf('settled'))
  clearInterval(timer.of)
  assert.ok(timer.ticks > 3, `the process did something else ${timer.ticks} times`)
  assert.equal(await nameIn(), undefined)
  const nothing = { label: 'n', request: async () => ({ hash: BLOCK.hash, timestamp: '0x1', transactions: [null, 7] }) }
  assert.equal(await findSettlement(nothing, SETTLEMENT, RECORD), undefined)
})

function printed(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}
