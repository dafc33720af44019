/** One node that lies as much as an answer can hold: the others go on, and nobody waits for it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Hex, toEventSelector, zeroHash } from 'viem'
import { findSettlement } from './batch-reads.ts'
import { digestOf, encodeSettle, NO_HISTORY } from './instructions.ts'
import { findCreated } from './movement-logs.ts'
import { type RpcNode, RpcUnreachableError } from './node.ts'
import { agree } from './quorum.ts'
import { readBlock, readNonce } from './reads.ts'
import { readReceipt } from './settlement-reads.ts'
import { findTimelockNews } from './timelock.ts'

const ADDRESS = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const HASH: Hex = `0x${'ab'.repeat(32)}`
const LONG = `0x${'f'.repeat(1_000_000)}`
const DEEP: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000))
const WRONG = [LONG, DEEP, -1, 1e300, null, undefined, {}, '0xzz', '0x-1', '-0x1']

const answering = (answer: unknown): RpcNode => ({ label: 'n', request: async () => answer })
const blocks = { from: 1n, to: 2n }

/** Two nodes say the one, one says the other: they agree on the first, and whatever the third one says is compared, if it can be. */
async function agreedOf<T>(good: unknown, bad: unknown, read: (node: RpcNode) => Promise<T>): Promise<T> {
  const asked = [bad, good, good].map(answering)
  const { value } = await agree(asked, 2, read)
  await assert.rejects(agree([bad, bad].map(answering), 2, read), /2 RPC addresses must agree/)
  return value
}

test('numbers and hashes of no length that a chain has are no answer, and cost nothing', {
  timeout: 20_000,
}, async () => {
  const block = { number: '0x9', hash: HASH, parentHash: HASH, timestamp: '0x1', gasLimit: '0x1' }
  for (const wrong of WRONG) {
    for (const field of Object.keys(block)) {
      const lie = { ...block, [field]: wrong }
      assert.equal((await agreedOf(block, lie, (node) => readBlock(node, 9n)))?.number, 9n)
      await assert.rejects(readBlock(answering(lie), 9n), RpcUnreachableError)
    }
    await assert.rejects(readNonce(answering(wrong), ADDRESS, 'latest'), RpcUnreachableError)
    const receipt = { blockNumber: '0x9', blockHash: HASH, status: '0x1', gasUsed: '0x1', logs: [] }
    for (const field of ['blockNumber', 'blockHash'])
      assert.equal(await readReceipt(answering({ ...receipt, [field]: wrong }), HASH), undefined)
    assert.equal((await readReceipt(answering({ ...receipt, gasUsed: wrong }), HASH))?.gasUsed, 0n)
  }
})

test('logs with such parts are no answer', { timeout: 20_000 }, async () => {
  const topics = [toEventSelector('RoleGranted(bytes32,address,address)'), zeroHash, zeroHash, zeroHash]
  const log = { transactionHash: HASH, blockNumber: '0x1', topics, data: '0x' }
  const news = (node: RpcNode) => findTimelockNews(node, ADDRESS, blocks)
  for (const wrong of WRONG)
    for (const field of Object.keys(log))
      if (field !== 'data' || wrong !== LONG)
        assert.equal((await agreedOf([log], [{ ...log, [field]: wrong }], news)).roles.length, 1, field)
  const created = await findCreated(answering([{ ...log, data: LONG }]), { coin: ADDRESS, settlement: ADDRESS }, blocks)
  // All of them name a transaction that has settled a batch here.
  assert.deepEqual(created, [])
})

test('transactions with such parts are no answer', { timeout: 20_000 }, async () => {
  const input = encodeSettle(7n, NO_HISTORY, '0x01')
  const transaction = { hash: HASH, to: ADDRESS, from: ADDRESS, nonce: '0x3', input }
  const blockOf = (lie: object = {}, more: object = {}) => ({
    hash: HASH,
    timestamp: '0x10',
    transactions: [{ ...transaction, ...lie }],
    ...more,
  })
  const find = (block: unknown) => {
    const request = async (method: string) => (method === 'eth_getBlockByNumber' ? block : null)
    const recorded = { batchId: 7n, blockNumber: 9n, digest: digestOf('0x01') }
    return findSettlement({ label: 'n', request }, ADDRESS, recorded)
  }
  assert.equal((await find(blockOf()))?.txHash, HASH)
  for (const wrong of WRONG) {
    for (const field of ['hash', 'nonce']) await assert.rejects(find(blockOf({ [field]: wrong })), field)
    for (const field of ['hash', 'timestamp']) await assert.rejects(find(blockOf({}, { [field]: wrong })), field)
  }
})
