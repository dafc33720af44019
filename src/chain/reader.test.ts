/** Whom the reader asks, of several nodes that do not know the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberToHex } from 'viem'
import { ChainUnreadableError } from '../chain-errors.ts'
import type { ChainConfig } from '../config.ts'
import { RpcAnswerError, type RpcNode, RpcUnreachableError } from './node.ts'
import { createReader, inTurn } from './reader.ts'

const WALLET = `0x${'1'.repeat(40)}`
const CONFIG = { chainId: 1, coin: { address: `0x${'2'.repeat(40)}` }, quorum: 1 } as unknown as ChainConfig

/** A node whose newest block is this one, in which every wallet holds as much as its number; undefined: it does not answer. */
function nodeAt(state: { block: bigint | undefined; asked: string[] }): RpcNode {
  return {
    label: 'scripted',
    async request(method) {
      state.asked.push(method)
      if (state.block === undefined) throw new RpcUnreachableError('scripted: away')
      return numberToHex(state.block, { size: method === 'eth_call' ? 32 : 8 })
    },
  }
}

function readerOf(...blocks: (bigint | undefined)[]) {
  const states = blocks.map((block) => ({ block, asked: [] as string[] }))
  return { states, reader: createReader(CONFIG, states.map(nodeAt)) }
}

test('a node that stands still tells no newest balance while another one goes on', async () => {
  const { states, reader } = readerOf(5n, 90n)
  assert.equal(await reader.latestBalance(WALLET, 80n), 90n)
  states[0]?.asked.splice(0)
  assert.equal(await reader.latestBalance(WALLET, 80n), 90n)
  assert.deepEqual(states[0]?.asked, [], 'it is not asked again while the other one answers')
  assert.equal(await readerOf(80n, 90n).reader.latestBalance(WALLET, 80n), 80n, 'it has come that far')
})

test('where no node has come so far, the one that has come furthest tells it', async () => {
  for (const blocks of [
    [5n, 70n, 60n],
    [70n, 5n, 60n],
    [undefined, 70n],
  ])
    assert.equal(await readerOf(...blocks).reader.latestBalance(WALLET, 80n), 70n)
  await assert.rejects(readerOf(undefined, undefined).reader.latestBalance(WALLET, 80n), ChainUnreadableError)
})

test('an only node is asked for the balance alone, and so is whoever nobody compares with', async () => {
  const only = readerOf(5n)
  assert.equal(await only.reader.latestBalance(WALLET, 80n), 5n)
  assert.deepEqual(only.states[0]?.asked, ['eth_call'])
  const several = readerOf(5n, 90n)
  assert.equal(await several.reader.latestBalance(WALLET), 5n)
  assert.deepEqual(several.states[0]?.asked, ['eth_call'])
})

test('whoever answered last is asked first, those that fail are passed over, and when all fail each says why', async () => {
  const nodes = ['a', 'b', 'c'].map((label) => ({ label }) as RpcNode)
  const failing = new Set(['a'])
  const asked: string[] = []
  const ask = inTurn(nodes)
  const read = async ({ label }: RpcNode) => {
    asked.push(label)
    if (failing.has(label)) throw new Error(`${label} is away`)
    return label
  }
  assert.equal(await ask(read), 'b')
  failing.clear()
  assert.equal(await ask(read), 'b')
  assert.deepEqual(asked, ['a', 'b', 'b'])
  for (const label of ['a', 'b', 'c']) failing.add(label)
  await assert.rejects(ask(read), { message: 'no RPC address answered: b is away; c is away; a is away' })
})

test('beside one that takes long the next one is asked, and first from then on; what comes too late changes nothing', {
  timeout: 10_000,
}, async () => {
  const slow = Promise.withResolvers<void>()
  const asked: string[] = []
  const ask = inTurn(
    ['slow', 'quick', 'other'].map((label) => ({ label }) as RpcNode),
    20,
  )
  const read = async ({ label }: RpcNode) => {
    asked.push(label)
    if (label === 'slow') await slow.promise
    return label
  }
  assert.equal(await ask(read), 'quick')
  slow.resolve()
  await slow.promise
  assert.equal(await ask(read), 'quick')
  assert.deepEqual(asked, ['slow', 'quick', 'quick'])
  // Where nobody else answers, it is waited for.
  const late = Promise.withResolvers<string>()
  const alone = inTurn([{ label: 'late' }, { label: 'away' }] as RpcNode[], 1)
  const answer = alone(async ({ label }) => {
    if (label === 'late') return await late.promise
    throw new Error('away')
  })
  setTimeout(late.resolve, 30, 'late')
  assert.equal(await answer, 'late')
})

test('what an order needs is asked of another node once one could not tell the balance at the block that was observed', async () => {
  const said: string[] = []
  const node = (name: string, newest: bigint): RpcNode => ({
    label: name,
    async request(_method, params) {
      const block = params[1]
      if (typeof block === 'string' && block !== 'latest' && BigInt(block) > newest)
        throw new RpcAnswerError(name, -32_000, 'header not found', undefined)
      said.push(name)
      return numberToHex(1n, { size: 32 })
    },
  })
  const reader = createReader(CONFIG, [node('stands still', 5n), node('goes on', 90n)])
  const asked = async () => {
    said.splice(0)
    const reads = [
      reader.isFrozen(WALLET),
      reader.isLinkedTo(WALLET, `0x${'3'.repeat(64)}`),
      reader.balanceAt(WALLET, 80n),
    ]
    await Promise.all(reads)
    return said.toSorted()
  }
  assert.deepEqual(await asked(), ['goes on', 'stands still', 'stands still'])
  assert.deepEqual(await asked(), ['goes on', 'goes on', 'goes on'])
})
