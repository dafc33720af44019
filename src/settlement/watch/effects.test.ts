import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeFunctionResult, type Hex, zeroHash } from 'viem'
import { settlementAbi } from '../../chain/generated/settlement.ts'
import type { AgreedHead } from '../../chain/quorum.ts'
import { ChainError } from '../../chain-errors.ts'
import type { Work } from '../work.ts'
import { readEffects } from './effects.ts'
import type { Effect } from './seen.ts'

const DIGEST: Hex = `0x${'ab'.repeat(24)}`
const NO_DIGEST: Hex = `0x${'00'.repeat(24)}`
const SETTLEMENT = `0x${'11'.repeat(20)}` as const

/** Reads the effects of the batches up to the last one, which this database has not signed, from a node that answers so of each. */
function readOf(settled: boolean, digest: Hex, last = 1n, known: readonly bigint[] = []) {
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
  const effects = known.map((batchId): [bigint, Effect] => [batchId, { batchId } as Effect])
  return readEffects(work, at, { after: 0n, last }, new Map(effects))
}

test('a batch that nobody here signed is not ours', async () => {
  const [effect] = await readOf(true, DIGEST)
  assert.deepEqual([effect?.batchId, effect?.isOurs], [1n, false])
})

test('nodes that do not know a batch at the block that has it say nothing about whose it is', async () => {
  await assert.rejects(readOf(false, NO_DIGEST), ChainError)
})

test('many batches are read 64 at a time, the oldest that are not known first', async () => {
  const idsOf = async (last: bigint, known: bigint[]) =>
    (await readOf(true, DIGEST, last, known)).map(({ batchId }) => batchId)
  const upTo = (last: number) => Array.from({ length: last }, (_, index) => BigInt(index + 1))
  assert.deepEqual(await idsOf(64n, []), upTo(64))
  assert.deepEqual(await idsOf(200n, []), upTo(64))
  assert.deepEqual(
    await idsOf(67n, [2n, 5n]),
    upTo(66).filter((id) => id !== 2n && id !== 5n),
  )
  assert.deepEqual(await idsOf(2n, [1n, 2n]), [])
})
