/** Whether a node's blocks are one chain, as the judge reads them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readChain } from './read-chain.ts'

type Block = { hash: string; parentHash: string; receiptsOf: string }

const SOUND: readonly (Block | null)[] = [
  { hash: '0xa', parentHash: '0x0', receiptsOf: '0xa' },
  { hash: '0xb', parentHash: '0xa', receiptsOf: '0xb' },
  { hash: '0xc', parentHash: '0xb', receiptsOf: '0xc' },
]

/** A node with these blocks, one receipt without logs in each, and no coin. */
async function breaksOf(blocks: readonly (Block | null)[]): Promise<readonly string[]> {
  const rpc = async <T>(method: string, at?: unknown): Promise<T> => {
    const block = blocks[Number(at)] ?? null
    if (method === 'eth_blockNumber') return `0x${(blocks.length - 1).toString(16)}` as T
    if (method === 'eth_getBlockByNumber') return block as T
    if (method === 'eth_getBlockReceipts') {
      return (block && [{ transactionHash: '0x1', blockHash: block.receiptsOf, logs: [] }]) as T
    }
    return '0x0' as T
  }
  return (await readChain(rpc, '0xc0', [])).breaks
}

const withBlock = (number: number, changes: Partial<Block> | null) =>
  SOUND.map((block, index) => (index === number ? block && changes && { ...block, ...changes } : block))

test('blocks that follow each other are one chain', async () => {
  assert.deepEqual(await breaksOf(SOUND), [])
})

test('a block that is missing, has another parent, or lists what another one has is said', async () => {
  assert.deepEqual(await breaksOf(withBlock(1, null)), [
    'there is no block 1',
    'block 2 is not on top of the one before it',
  ])
  assert.deepEqual(await breaksOf(withBlock(2, { parentHash: '0xelse' })), [
    'block 2 is not on top of the one before it',
  ])
  assert.deepEqual(await breaksOf(withBlock(1, { receiptsOf: '0xelse' })), [
    '1 receipts of block 1 are of another block',
  ])
})
