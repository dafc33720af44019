/** Whom operators' reads of a chain believe, of several nodes that do not know the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, keccak256, numberToHex, toHex } from 'viem'
import { ChainUnreadableError } from '../chain-errors.ts'
import type { ChainConfig } from '../config.ts'
import { type AdminDeps, createAdmin, KeyMissingError } from './admin.ts'
import { RpcAnswerError, type RpcNode, RpcUnreachableError } from './node.ts'
import { NoQuorumError } from './quorum.ts'

const CONFIG = {
  chainId: 1,
  quorum: 2,
  coin: { address: `0x${'2'.repeat(40)}` },
  settlement: `0x${'3'.repeat(40)}`,
  sanctionsOracle: `0x${'4'.repeat(40)}`,
} as unknown as ChainConfig

const LYING = 99n

const depsOf = (blocks: readonly bigint[]) =>
  ({ config: CONFIG, nodes: blocks.map(nodeAt), signers: [] }) as unknown as AdminDeps

/** A node at this block: from block 50 on the contracts are stopped, and every wallet is frozen and sanctioned. */
function nodeAt(block: bigint): RpcNode {
  const headerOf = (number: bigint) => {
    const hash = keccak256(toHex(String(number)))
    return { number: numberToHex(number), hash, parentHash: hash, timestamp: '0x1', gasLimit: '0x1' }
  }
  return {
    label: `node at ${block}`,
    async request(method, params) {
      // Of a block that is named, how much coin there is: as much as its number, but for a node that lies.
      if (method === 'eth_call' && params[1] !== 'latest')
        return numberToHex(block === LYING ? 1n : BigInt(params[1] as Hex), { size: 32 })
      if (method === 'eth_call') return numberToHex(block >= 50n ? 1 : 0, { size: 32 })
      const [at] = params as [Hex | 'latest']
      if (at !== 'latest' && BigInt(at) > block) return null
      return headerOf(at === 'latest' ? block : BigInt(at))
    },
  }
}

/** Whether it is seen that there is something to resume, by a process without the key for that. */
async function isSeenStopped(...blocks: bigint[]): Promise<boolean> {
  return await createAdmin(depsOf(blocks))
    .unpause()
    .then(
      () => false,
      (error: unknown) => {
        if (error instanceof KeyMissingError) return true
        throw error
      },
    )
}

test('a node that stands still, from before a stop, hides that stop from nobody', async () => {
  assert.equal(await isSeenStopped(5n, 90n, 90n), true)
  assert.equal(await isSeenStopped(5n, 91n, 90n), true)
  assert.equal(await isSeenStopped(5n, 6n, 6n), false)
})

test('nor does it say of a wallet what was before', async () => {
  for (const blocks of [
    [5n, 90n, 90n],
    [90n, 5n, 90n],
  ]) {
    const admin = createAdmin(depsOf(blocks))
    assert.equal(await admin.isFrozen(CONFIG.settlement), true)
    assert.equal(await admin.isSanctioned(CONFIG.settlement), true)
  }
})

test('nor does it where the others take long to answer, and it alone answers at once', async () => {
  const late = (node: RpcNode): RpcNode => ({
    ...node,
    async request(method, params) {
      if (method === 'eth_call') await sleep(2_300)
      return await node.request(method, params)
    },
  })
  const deps = depsOf([90n, 90n, 5n])
  const [first, second, still] = deps.nodes as [RpcNode, RpcNode, RpcNode]
  const admin = createAdmin({ ...deps, nodes: [late(first), late(second), still] })
  const said = await Promise.all([admin.isFrozen(CONFIG.settlement), admin.supply()])
  assert.deepEqual(said, [true, 1n])
})

test('it is asked where those that know more answer nothing', async () => {
  const deps = depsOf([90n, 90n, 5n])
  const [first, second, still] = deps.nodes as [RpcNode, RpcNode, RpcNode]
  const silent = (node: RpcNode): RpcNode => ({
    ...node,
    async request(method, params) {
      if (method === 'eth_call') throw new RpcUnreachableError('scripted: away')
      return await node.request(method, params)
    },
  })
  const admin = createAdmin({ ...deps, nodes: [silent(first), silent(second), still] })
  assert.equal(await admin.isFrozen(CONFIG.settlement), false)
  assert.equal(await admin.supply(), 0n)
})

test('an only node is believed', async () => {
  assert.equal(await isSeenStopped(90n), true)
  assert.equal(await isSeenStopped(5n), false)
})

test('how much coin there was in a block is what a quorum says, and never what one node does', async () => {
  for (const blocks of [
    [LYING, 90n, 90n],
    [90n, LYING, 90n],
  ])
    assert.equal(await createAdmin(depsOf(blocks)).supply(7n), 7n)
  await assert.rejects(createAdmin(depsOf([LYING, 90n])).supply(7n), NoQuorumError)
})

test('nodes of which none says its head are not asked once more: whoever looks waits for them once', async () => {
  const asked: string[] = []
  const silent = (label: string): RpcNode => ({
    label,
    async request(method) {
      asked.push(`${label} ${method}`)
      throw new RpcUnreachableError(`${label}: ${method}: no answer within 5000 ms`)
    },
  })
  const nodes = [silent('a'), silent('b'), silent('c')]
  const admin = createAdmin({ config: CONFIG, nodes, signers: [] } as unknown as AdminDeps)
  await assert.rejects(admin.stopped(), ChainUnreadableError)
  assert.deepEqual([...new Set(asked)].toSorted(), [
    'a eth_getBlockByNumber',
    'b eth_getBlockByNumber',
    'c eth_getBlockByNumber',
  ])
  // One that answers at all, if only with an error, may know what it is asked.
  const [, , ...others] = nodes
  const unwilling: RpcNode = {
    label: 'unwilling',
    async request(method) {
      if (method === 'eth_call') return numberToHex(1, { size: 32 })
      throw new RpcAnswerError('unwilling', -32_000, 'no blocks here', undefined)
    },
  }
  const some = createAdmin({ config: CONFIG, nodes: [unwilling, ...others], signers: [] } as unknown as AdminDeps)
  assert.equal(await some.stopped(), 'coin')
})
