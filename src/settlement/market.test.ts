import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { decodeFunctionData, encodeFunctionResult, type Hex, numberToHex } from 'viem'
import { settlementAbi } from '../chain/generated/settlement.ts'
import type { RpcNode } from '../chain/node.ts'
import type { AgreedHead } from '../chain/quorum.ts'
import { freshMemory } from './fresh-memory.ts'
import { forgetMarket, readMarket } from './market.ts'
import type { Work } from './work.ts'

const config = {
  settlement: '0x0000000000000000000000000000000000000001',
  maxFeePerGasWei: 10n ** 12n,
  maxPriorityFeePerGasWei: 10n ** 11n,
}
const NAMES = ['mint', 'burn', 'transfer'] as const
type Bucket = { available: bigint; capacity: bigint }
const SAME: Bucket = { available: 100n, capacity: 1_000n }
const withMint = (mint: Bucket) => ({ mint, burn: SAME, transfer: SAME })

type Said = { tip?: bigint; buckets?: ReturnType<typeof withMint>; after?: Promise<void> }

/** A node that says this of tips and buckets; without a tip it refuses that question. */
function nodeOf({ tip, buckets = withMint(SAME), after = Promise.resolve() }: Said): RpcNode & { asked: number } {
  const node = {
    label: 'node',
    asked: 0,
    async request(method: string, params: readonly unknown[]) {
      node.asked += 1
      await after
      if (method === 'eth_maxPriorityFeePerGas') {
        if (tip === undefined) throw new Error('no tip')
        return numberToHex(tip)
      }
      const [{ data }] = params as [{ data: Hex }]
      const { functionName, args } = decodeFunctionData({ abi: settlementAbi, data })
      const { available, capacity } = buckets[NAMES[Number(args?.[0])] ?? 'mint']
      return functionName === 'availableOf'
        ? encodeFunctionResult({ abi: settlementAbi, functionName, result: available })
        : encodeFunctionResult({
            abi: settlementAbi,
            functionName: 'limitOf',
            result: { capacity, refillPerSecond: 0n, available, refilledAt: 0n } as never,
          })
    },
  }
  return node
}

const workOf = () => ({ chain: { config }, memory: freshMemory() }) as unknown as Work
const headOf = (nodes: readonly RpcNode[], hash = '0xa') =>
  ({ nodes, head: { hash, baseFeePerGas: 1_000n } }) as unknown as AgreedHead

test('the market is read once for each head, and again once it is forgotten', async () => {
  const node = nodeOf({ tip: 7n })
  const work = workOf()
  const first = await readMarket(work, headOf([node]))
  assert.deepEqual(first.fees, { maxFeePerGas: 2_007n, maxPriorityFeePerGas: 7n })
  assert.deepEqual(first.buckets.burn, { availableMicro: 100n, capacityMicro: 1_000n })
  const { asked } = node
  assert.equal(await readMarket(work, headOf([node])), first)
  assert.equal(node.asked, asked)
  await readMarket(work, headOf([node], '0xb'))
  assert.equal(node.asked, 2 * asked)
  forgetMarket(work)
  await readMarket(work, headOf([node], '0xb'))
  assert.equal(node.asked, 3 * asked)
})

test('without a tip from any node a gwei is offered', async () => {
  const { fees } = await readMarket(workOf(), headOf([nodeOf({})]))
  assert.equal(fees?.maxPriorityFeePerGas, 1_000_000_000n)
})

test('each bucket is the middle of what nodes say, its capacity and its room apart', async () => {
  const low = nodeOf({ tip: 1n, buckets: withMint({ available: 5n, capacity: 900n }) })
  const high = nodeOf({ tip: 1n, buckets: withMint({ available: 100n, capacity: 10n }) })
  const { buckets } = await readMarket(workOf(), headOf([low, high, nodeOf({ tip: 1n })]))
  assert.deepEqual(buckets, {
    mint: { availableMicro: 100n, capacityMicro: 900n },
    burn: { availableMicro: 100n, capacityMicro: 1_000n },
    transfer: { availableMicro: 100n, capacityMicro: 1_000n },
  })
})

/** Whether two answers are believed a moment after they came, while others are still silent. */
async function isClear(t: import('node:test').TestContext, said: readonly ReturnType<typeof withMint>[], silent = 1) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { promise, resolve } = Promise.withResolvers<void>()
  const told = said.map((buckets) => nodeOf({ tip: 1n, buckets }))
  const others = Array.from({ length: silent }, () => nodeOf({ tip: 1n, after: promise }))
  let isRead = false
  const reading = readMarket(workOf(), headOf([...told, ...others])).then(() => {
    isRead = true
  })
  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) await nextTurn()
  }
  await settle()
  assert.equal(isRead, false)
  t.mock.timers.tick(150)
  await settle()
  const answer = isRead
  resolve()
  await reading
  t.mock.timers.reset()
  return answer
}

const buckets = (changes: Partial<ReturnType<typeof withMint>>) => ({ ...withMint(SAME), ...changes })

test('two nodes that see the same limits are believed without a third', async (t) => {
  assert.equal(await isClear(t, [buckets({}), buckets({})]), true)
  const refilled = { available: 200n, capacity: 1_000n }
  assert.equal(await isClear(t, [buckets({}), buckets({ mint: refilled })]), true, 'up to twice as much room')
  assert.equal(await isClear(t, [buckets({ mint: refilled }), buckets({})]), true)
  const empty = { available: 0n, capacity: 1_000n }
  assert.equal(await isClear(t, [buckets({ burn: empty }), buckets({ burn: empty })]), true, 'empty is like empty')
})

test('where two nodes see different limits a third is waited for, whichever says more, in any one bucket', async (t) => {
  const more = { available: 201n, capacity: 1_000n }
  const larger = { available: 100n, capacity: 1_001n }
  for (const name of NAMES) {
    for (const other of [more, larger]) {
      assert.equal(await isClear(t, [buckets({}), buckets({ [name]: other })]), false)
      assert.equal(await isClear(t, [buckets({ [name]: other }), buckets({})]), false)
    }
  }
})

test('three answers have a middle, whatever they say', async (t) => {
  const said = [1n, 10n, 100n].map((available) => buckets({ mint: { available, capacity: 1_000n } }))
  assert.equal(await isClear(t, said, 1), true)
})
