/** Which block is stated with its coin, and whose word for it counts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { concat, type Hex, keccak256, numberToHex, toHex } from 'viem'
import type { ChainConfig } from '../config.ts'
import { readFinalSupply } from './final-supply.ts'
import type { RpcNode } from './node.ts'
import { NoQuorumError } from './quorum.ts'

type Said = {
  head: bigint
  finalized?: bigint
  /** The coin in existence in the newest block, and one less in each block before it. */
  supply?: bigint
  branch?: string
}

const SETTLEMENT = `0x${'3'.repeat(40)}`
/** As the contract answers: the id of the last batch, and a running hash. */
const headAfter = (batchId: bigint): Hex => concat([numberToHex(batchId, { size: 32 }), keccak256('0x')])
const hashOf = (block: bigint, branch = 'ours') => keccak256(toHex(`${branch} ${block}`))

function nodeAt({ head, finalized = 0n, supply = head, branch }: Said): RpcNode {
  const headerOf = (number: bigint) => {
    const hash = hashOf(number, branch)
    return { number: numberToHex(number), hash, parentHash: hash, timestamp: '0x1', gasLimit: '0x1' }
  }
  return {
    label: 'scripted',
    async request(method, params) {
      if (method === 'eth_call') {
        const [{ to }, { blockHash }] = params as [{ to: string }, { blockHash: Hex }]
        for (let back = 0n; back <= head; back += 1n)
          if (hashOf(head - back, branch) === blockHash)
            return to === SETTLEMENT ? headAfter((head - back) / 2n) : numberToHex(supply - back, { size: 32 })
        throw new Error('no such block')
      }
      const [at] = params as [Hex | 'latest' | 'finalized']
      if (at === 'latest' || at === 'finalized') return headerOf(at === 'latest' ? head : finalized)
      return BigInt(at) > head ? null : headerOf(BigInt(at))
    },
  }
}

const read = (config: Partial<ChainConfig>, nodes: readonly Said[], notAbove?: bigint) => {
  const coin = { address: `0x${'2'.repeat(40)}` }
  const usual = { quorum: 1, confirmations: 3, finality: 'depth', coin, settlement: SETTLEMENT }
  return readFinalSupply({ ...usual, ...config } as ChainConfig, nodes.map(nodeAt), notAbove)
}
/** One batch in every second block. */
const at = (block: bigint) => ({
  blockNumber: block,
  blockHash: hashOf(block),
  supplyMicro: block,
  lastBatchId: block / 2n,
})

test('it is of the newest block that is deep enough, is finalized where the chain says so, and is not above what is asked for', async () => {
  assert.deepEqual(await read({}, [{ head: 20n, finalized: 5n }]), at(18n))
  assert.deepEqual(await read({}, [{ head: 1n }]), at(0n))
  const finalized = { finality: 'finalized' } as const
  assert.deepEqual(await read(finalized, [{ head: 20n, finalized: 17n }]), at(17n))
  assert.deepEqual(await read(finalized, [{ head: 20n, finalized: 19n }]), at(18n))
  assert.deepEqual(await read({}, [{ head: 20n }], 7n), at(7n))
  assert.deepEqual(await read({}, [{ head: 20n }], 19n), at(18n))
})

test('one node that lies, stands still or is on another branch decides nothing', async () => {
  const honest = { head: 20n }
  for (const odd of [{ head: 20n, supply: 1_000n }, { head: 6n }, { head: 20n, branch: 'other' }, { head: 900n }])
    for (const nodes of [
      [odd, honest, honest],
      [honest, odd, honest],
    ])
      assert.deepEqual(await read({ quorum: 2 }, nodes), at(18n))
  await assert.rejects(read({ quorum: 2 }, [honest, { head: 20n, supply: 1_000n }]), NoQuorumError)
})
