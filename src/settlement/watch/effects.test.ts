import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeFunctionResult, type Hex, zeroHash } from 'viem'
import { settlementAbi } from '../../chain/generated/settlement.ts'
import type { AgreedHead } from '../../chain/quorum.ts'
import { ChainError } from '../../chain-errors.ts'
import type { Work } from '../work.ts'
import { readEffects } from './effects.ts'

const DIGEST: Hex = `0x${'ab'.repeat(24)}`
const NO_DIGEST: Hex = `0x${'00'.repeat(24)}`
const SETTLEMENT = `0x${'11'.repeat(20)}` as const

/** Reads the effects of batch 1, which this database has not signed, from a node that answers so of it. */
function readOf(settled: boolean, digest: Hex) {
  const result = [settled, 0n, digest, settled ? 7n : 0n] as const
  const node = {
    url: 'http://node.example',
    async request(method: string) {
      if (method === 'eth_call') return encodeFunctionResult({ abi: settlementAbi, functionName: 'outcomeOf', result })
      return { transactions: [], timestamp: '0x1' }
    },
  }
  const work = {
    db: { query: async () => [] },
    chain: { config: { chainId: 1, settlement: SETTLEMENT, quorum: 1 } },
  } as unknown as Work
  const at = { head: { number: 9n, hash: zeroHash }, nodes: [node] } as unknown as AgreedHead
  return readEffects(work, at, { after: 0n, last: 1n }, new Map())
}

test('a batch that nobody here signed is not ours', async () => {
  const [effect] = await readOf(true, DIGEST)
  assert.deepEqual([effect?.batchId, effect?.isOurs], [1n, false])
})

test('nodes that do not know a batch at the block that has it say nothing about whose it is', async () => {
  await assert.rejects(readOf(false, NO_DIGEST), ChainError)
})
