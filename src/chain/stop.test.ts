/** A stop with nodes that lie, are slow, or hold keys that cannot sign: with one node that tells the truth it succeeds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { encodeErrorResult, type Hex, parseTransaction } from 'viem'
import type { ChainConfig } from '../config.ts'
import { coinAbi } from './generated/coin.ts'
import { KeyActionLateError, KeyActionRefusedError, KeyActionUnpaidError } from './key-action-errors.ts'
import { RpcAnswerError, type RpcNode, RpcUnreachableError } from './node.ts'
import { createSigner, type Signer } from './signer.ts'
import { performStop } from './stop.ts'
import { STOP_GAS } from './stop-send.ts'

const YES: Hex = `0x${'1'.padStart(64, '0')}`
const NO: Hex = `0x${'0'.padStart(64, '0')}`
const HASH: Hex = `0x${'ab'.repeat(32)}`
const NEXT_NONCE = 7
const SLOW_MS = 210

const signer = createSigner({ type: 'key', privateKey: `0x${'1'.repeat(64)}` } as Parameters<typeof createSigner>[0])
const config = {
  chainId: 1,
  confirmations: 2,
  pollIntervalMs: 20,
  stopMaxFeePerGasWei: 10n ** 12n,
} as unknown as ChainConfig
const action = {
  name: 'pause',
  to: signer.address,
  data: '0x8456cb59',
  effect: { data: '0x5c975abb', expected: YES },
} as const
const refusal = new RpcAnswerError(
  ...(['node', 3, 'execution reverted'] as const),
  encodeErrorResult({ abi: coinAbi, errorName: 'AccessControlUnauthorizedAccount', args: [signer.address, HASH] }),
)

/** A chain on which a stop under the right nonce is mined at once. */
type World = { isPaused: boolean; head: number; nonces: Set<number> }
const world = (): World => ({ isPaused: false, head: 100, nonces: new Set() })

type Lies = Record<string, unknown>

function node(chain: World, { lies = {}, delayMs = 1 }: { lies?: Lies; delayMs?: number } = {}): RpcNode {
  return {
    label: 'node',
    async request(method, params) {
      await sleep(delayMs)
      const [subject, block] = params as [string, string]
      const asked = method === 'eth_getTransactionCount' ? `${block} nonce` : method
      if (asked in lies) {
        if (lies[asked] instanceof Error) throw lies[asked]
        return lies[asked]
      }
      switch (method) {
        case 'eth_getTransactionCount':
          return `0x${NEXT_NONCE.toString(16)}`
        case 'eth_getBalance':
          return '0xde0b6b3a7640000'
        case 'eth_getBlockByNumber':
          chain.head += 1
          return blockOf(chain.head)
        case 'eth_call':
          return chain.isPaused ? YES : NO
        case 'eth_maxPriorityFeePerGas':
          return '0x3b9aca00'
        case 'eth_estimateGas':
          return '0x7530'
        case 'eth_sendRawTransaction': {
          const { nonce = 0, gas } = parseTransaction(subject as Hex)
          chain.nonces.add(nonce)
          if (nonce < NEXT_NONCE) throw new RpcAnswerError('node', -32000, 'nonce too low', undefined)
          if (nonce === NEXT_NONCE && gas === STOP_GAS) chain.isPaused = true
          return HASH
        }
        default:
          throw new Error(method)
      }
    },
  }
}

function blockOf(number: number, baseFeePerGas = 10n ** 9n) {
  const fields = { number: `0x${number.toString(16)}`, hash: HASH, parentHash: HASH, timestamp: '0x1' }
  return { ...fields, gasLimit: '0x1c9c380', baseFeePerGas: `0x${baseFeePerGas.toString(16)}` }
}

const stop = (nodes: readonly RpcNode[], rivals: readonly Signer[] = [], deadlineMs = 2_000) =>
  performStop(
    { config, nodes, logger: pino({ level: 'silent' }), deadlineMs },
    { signer, action, rivals: rivals.map((rival) => ({ address: rival.address, signer: rival })) },
  )

const LIES: Readonly<Record<string, Lies>> = {
  'no gas money': { eth_getBalance: '0x0' },
  'the key lacks its role': { eth_estimateGas: refusal },
  'another nonce': { 'latest nonce': '0x0', 'pending nonce': '0x0', eth_call: NO },
}

for (const [name, lies] of Object.entries(LIES)) {
  test(`one node that says "${name}" prevents no stop, beside one good node or two, quick or slow`, async () => {
    for (const good of [[1], [SLOW_MS], [1, SLOW_MS]]) {
      const chain = world()
      const nodes = [node(chain, { lies }), ...good.map((delayMs) => node(chain, { delayMs }))]
      // Two nodes that contradict each other about the state leave it open whether the chain stands.
      const isTold = good.length === 2 || name !== 'another nonce'
      if (isTold) assert.equal(typeof (await stop(nodes, [], 60_000)), 'string')
      // It ends with its deadline alone, which a busy machine may spend on something else.
      for (let deadlineMs = 2_000; !chain.isPaused && deadlineMs < 60_000; deadlineMs *= 4)
        await assert.rejects(stop(nodes, [], deadlineMs), KeyActionLateError)
      assert.ok(chain.isPaused, `${name}, ${good}`)
    }
  })
}

test('where each node takes longer than usual for an answer, they are waited for longer, and the chain is stopped', async () => {
  const chain = world()
  const slow = (): RpcNode => {
    const quick = node(chain)
    return {
      ...quick,
      async request(method, params, timeoutMs = 5_000) {
        if (timeoutMs < 3_000) throw new RpcUnreachableError(`node: ${method}: no answer within ${timeoutMs} ms`)
        return await quick.request(method, params)
      },
    }
  }
  for (const nodes of [[slow()], [slow(), slow(), slow()]]) {
    chain.isPaused = false
    assert.equal(typeof (await stop(nodes)), 'string')
    assert.ok(chain.isPaused)
  }
})

test('what every node says counts: no money, no role', async () => {
  const chain = world()
  const all = (name: string) => [1, 2, 3].map(() => node(chain, { lies: LIES[name] ?? {} }))
  await assert.rejects(stop(all('no gas money')), KeyActionUnpaidError)
  await assert.rejects(stop(all('the key lacks its role')), KeyActionRefusedError)
  assert.equal(chain.nonces.size, 0)
})

test('a key that could undo the stop and cannot sign now keeps nobody from stopping', async () => {
  const other = createSigner({ type: 'key', privateKey: `0x${'2'.repeat(64)}` } as Parameters<typeof createSigner>[0])
  const rival: Signer = { ...other, sign: () => Promise.reject(new Error('the remote signer is down')) }
  const chain = world()
  const nodes = [1, 2, 3].map(() => node(chain, { lies: { 'pending nonce': '0x9' } }))
  await assert.rejects(stop(nodes, [rival], 1_000), /waits in the pool and may undo it/)
  assert.ok(chain.isPaused)
})

test('a signer that never signs is named at the end, also where the last look goes beyond its time', async () => {
  const chain = world()
  const told = node(chain)
  let estimates = 0
  const slowing: RpcNode = {
    ...told,
    async request(method, params) {
      if (method === 'eth_estimateGas') estimates += 1
      if (estimates > 1) await sleep(1_000)
      return await told.request(method, params)
    },
  }
  const sign = () => Promise.reject(new Error('signing not allowed by policy'))
  const stopped = performStop(
    { config, nodes: [slowing], logger: pino({ level: 'silent' }), deadlineMs: 900 },
    { signer: { ...signer, sign }, action, rivals: [] },
  )
  await assert.rejects(stopped, {
    name: 'KeyActionLateError',
    message: `pause: the signer of ${signer.address} does not sign: signing not allowed by policy; run it again to see it through`,
  })
  assert.ok(estimates > 1)
})

test('a signer that signs nothing is told of long before the time of the stop is over', async () => {
  const chain = world()
  const sign = () => Promise.reject(new Error('signing not allowed by policy'))
  const stopped = performStop(
    { config, nodes: [node(chain)], logger: pino({ level: 'silent' }), deadlineMs: 10_000, unsignedMs: 1 },
    { signer: { ...signer, sign }, action, rivals: [] },
  )
  await assert.rejects(stopped, { name: 'KeyUnsignedError', message: /signing not allowed by policy/ })
  assert.equal(chain.nonces.size, 0)
})

test('a signer that fails once is asked again', async () => {
  const chain = world()
  let failures = 2
  const sign: Signer['sign'] = async (transaction) => {
    failures -= 1
    if (failures >= 0) throw new Error('the remote signer is down')
    return await signer.sign(transaction)
  }
  await performStop(
    { config, nodes: [node(chain)], logger: pino({ level: 'silent' }), deadlineMs: 4_000 },
    { signer: { ...signer, sign }, action, rivals: [] },
  )
  assert.ok(chain.isPaused)
})

const GWEI = 10n ** 9n
const RIVAL_NONCE = 3
const unpauser = createSigner({ type: 'key', privateKey: `0x${'2'.repeat(64)}` } as Parameters<typeof createSigner>[0])

/** A node in whose pool a transaction of the unpauser waits, at a price that is all tip; it takes nothing as often as it is told to. */
function nodeWithRival(chain: World, pool: { price: bigint; failures: number; isReplaced: boolean }): RpcNode {
  const usual = node(chain)
  return {
    label: 'node',
    async request(method, params) {
      const [subject, block] = params as [string, string]
      if (method === 'eth_getTransactionCount' && subject === unpauser.address) {
        return block === 'latest' && !pool.isReplaced ? '0x3' : '0x4'
      }
      if (method !== 'eth_sendRawTransaction') return await usual.request(method, params)
      const { nonce, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(subject as Hex)
      if (nonce !== RIVAL_NONCE) return await usual.request(method, params)
      pool.failures -= 1
      if (pool.failures >= 0) throw new RpcUnreachableError('node: no answer')
      if (maxFeePerGas * 10n < pool.price * 11n || maxPriorityFeePerGas * 10n < pool.price * 11n) {
        throw new RpcAnswerError('node', -32000, 'replacement transaction underpriced', undefined)
      }
      pool.isReplaced = true
      return HASH
    },
  }
}

test('what could undo the stop is replaced at any price up to the ceiling', async () => {
  for (const price of [1n, 700n, 909n]) {
    const chain = world()
    const pool = { price: price * GWEI, failures: 0, isReplaced: false }
    assert.equal(typeof (await stop([nodeWithRival(chain, pool)], [unpauser])), 'string', `${price}`)
    assert.ok(chain.isPaused && pool.isReplaced)
  }
})

test('what could undo the stop is replaced again where nobody answered the first time', async () => {
  const chain = world()
  const pool = { price: GWEI, failures: 2, isReplaced: false }
  assert.equal(typeof (await stop([nodeWithRival(chain, pool)], [unpauser])), 'string')
  assert.ok(chain.isPaused && pool.isReplaced)
})

test('one node of three that says to be far ahead hides nothing that waits in the pools of the others', async () => {
  const chain = world()
  const pool = { price: GWEI, failures: 0, isReplaced: false }
  const ahead = node(chain, { lies: { eth_getBlockByNumber: blockOf(1_000_000) } })
  const nodes = [ahead, nodeWithRival(chain, pool), nodeWithRival(chain, pool)]
  assert.equal(typeof (await stop(nodes, [unpauser])), 'string')
  assert.ok(chain.isPaused && pool.isReplaced)
})

test('one node of three that takes whatever it is sent keeps nobody from outbidding what waits in the pools of the others', async () => {
  const chain = world()
  const pool = { price: 700n * GWEI, failures: 0, isReplaced: false }
  const honest = [1, 2].map(() => nodeWithRival(chain, pool))
  const standing = honest.map((each): RpcNode => {
    const request: RpcNode['request'] = async (method, params) =>
      method === 'eth_getBlockByNumber' ? blockOf(100) : await each.request(method, params)
    return { ...each, request }
  })
  const lies = { eth_sendRawTransaction: HASH, eth_getBlockByNumber: blockOf(100) }
  assert.equal(typeof (await stop([node(chain, { lies }), ...standing], [unpauser])), 'string')
  assert.ok(chain.isPaused && pool.isReplaced)
})

test('one node of two that takes whatever it is sent has what waits in the pool of the other one outbid within the time of a stop', async () => {
  const chain = world()
  const pool = { price: 700n * GWEI, failures: 0, isReplaced: false }
  const honest = nodeWithRival(chain, pool)
  let blocks = 0
  const standing: RpcNode = {
    ...honest,
    async request(method, params) {
      if (method !== 'eth_getBlockByNumber') return await honest.request(method, params)
      if (!pool.isReplaced) blocks += 1
      return blockOf(100 + blocks)
    },
  }
  const lies = { eth_sendRawTransaction: HASH, eth_getBlockByNumber: blockOf(100) }
  assert.equal(typeof (await stop([node(chain, { lies }), standing], [unpauser], 20_000)), 'string')
  assert.ok(chain.isPaused && pool.isReplaced)
  // Of twelve seconds each, as on Ethereum, fifteen come while a stop is tried.
  assert.ok(blocks < 15, `${blocks} blocks`)
})

test('a stop that nodes take longer to accept than they may for an answer is not taken back meanwhile', async () => {
  const chain = world()
  const slow = (): RpcNode => {
    const quick = node(chain)
    const request: RpcNode['request'] = async (method, params, timeoutMs = 5_000) => {
      // As gateways do that forward it only for as long as somebody waits for their answer.
      if (method === 'eth_sendRawTransaction' && timeoutMs < 3_000)
        throw new RpcUnreachableError(`node: ${method}: no answer within ${timeoutMs} ms`)
      return await quick.request(method, params)
    }
    return { ...quick, request }
  }
  assert.equal(typeof (await stop([slow(), slow(), slow()])), 'string')
  assert.ok(chain.isPaused)
})

test('a stop reaches the tip that full blocks want within ten of them, also where the base fee is a third of the ceiling', async () => {
  for (const baseFee of [50n, 300n, 450n]) {
    const chain = world()
    const usual = node(chain)
    let inPool = { price: 0n, tip: 0n }
    const full: RpcNode = {
      ...usual,
      async request(method, params) {
        if (method === 'eth_maxPriorityFeePerGas') return `0x${(30n * GWEI).toString(16)}`
        if (method === 'eth_getBlockByNumber') {
          chain.head += 1
          const left = inPool.price - baseFee * GWEI
          chain.isPaused ||= left >= 200n * GWEI && inPool.tip >= 200n * GWEI
          return blockOf(chain.head, baseFee * GWEI)
        }
        if (method !== 'eth_sendRawTransaction') return await usual.request(method, params)
        const { maxFeePerGas: price = 0n, maxPriorityFeePerGas: tip = 0n } = parseTransaction((params as [Hex])[0])
        if (price * 10n < inPool.price * 11n || tip * 10n < inPool.tip * 11n)
          throw new RpcAnswerError('node', -32000, 'replacement transaction underpriced', undefined)
        inPool = { price, tip }
        return HASH
      },
    }
    assert.equal(typeof (await stop([full])), 'string', String(baseFee))
    assert.ok(chain.head < 110, `${chain.head - 100} blocks`)
  }
})

test('a stop at the ceiling that nobody answered is sent again as it is', async () => {
  const chain = world()
  const good = node(chain)
  const sent: string[] = []
  const forgetful: RpcNode = {
    label: 'node',
    async request(method, params) {
      if (method !== 'eth_sendRawTransaction') return await good.request(method, params)
      sent.push(String((params as unknown[])[0]))
      if (sent.length <= 2) throw new RpcUnreachableError('node: no answer')
      return await good.request(method, params)
    },
  }
  await performStop(
    {
      config: { ...config, stopMaxFeePerGasWei: GWEI },
      nodes: [forgetful],
      logger: pino({ level: 'silent' }),
      deadlineMs: 2_000,
    },
    { signer, action, rivals: [] },
  )
  assert.ok(chain.isPaused)
  assert.equal(new Set(sent).size, 1)
})

for (const [which, stuck] of [
  ['is behind', 1],
  ['says to be far ahead', 1_000_000],
] as const) {
  test(`one node that ${which}, and stays there, keeps no stop that was lost from being sent again, at a higher fee`, async () => {
    const chain = world()
    const fees: bigint[] = []
    const losing = (good: RpcNode): RpcNode => ({
      ...good,
      async request(method, params) {
        if (method !== 'eth_sendRawTransaction') return await good.request(method, params)
        fees.push(parseTransaction(params[0] as Hex).maxFeePerGas ?? 0n)
        if (fees.length <= 2) throw new RpcUnreachableError('node: no answer')
        return await good.request(method, params)
      },
    })
    const nodes = [node(chain, { lies: { eth_getBlockByNumber: blockOf(stuck) } }), node(chain)].map(losing)
    assert.equal(typeof (await stop(nodes)), 'string')
    assert.ok((fees.at(-1) ?? 0n) > (fees[0] ?? 0n), String(fees))
  })
}

test('the first offer is for the dearest of what nodes say that a unit of gas costs, as far as the ceiling allows', async () => {
  const firstOffer = async (...costs: bigint[]): Promise<bigint | undefined> => {
    const chain = world()
    const offers: (bigint | undefined)[] = []
    const nodes = costs.map((cost): RpcNode => {
      const good = node(chain)
      const request: RpcNode['request'] = async (method, params) => {
        if (method === 'eth_getBlockByNumber') chain.head += 1
        if (method === 'eth_getBlockByNumber') return blockOf(chain.head, cost * GWEI)
        if (method === 'eth_sendRawTransaction') offers.push(parseTransaction(params[0] as Hex).maxFeePerGas)
        return await good.request(method, params)
      }
      return { ...good, request }
    })
    await stop(nodes)
    return offers[0]
  }
  assert.equal(await firstOffer(1n, 100n), 402n * GWEI, 'a node that stands still knows the prices of long ago')
  assert.equal(await firstOffer(100n, 1n), 402n * GWEI)
  assert.equal(await firstOffer(1n, 5_000n), 6n * GWEI, 'nobody can offer more than the ceiling')
  assert.equal(await firstOffer(1n, 1n, 900n), 6n * GWEI, 'of three there is a middle')
  assert.equal(await firstOffer(900n), 1_000n * GWEI)
})

test('what nodes refuse as cheaper than a unit of gas is offered twice as much for, at once', async () => {
  const chain = world()
  const good = node(chain, { lies: { eth_getBlockByNumber: blockOf(100) } })
  const offers: bigint[] = []
  const dear: RpcNode = {
    ...good,
    async request(method, params) {
      if (method !== 'eth_sendRawTransaction') return await good.request(method, params)
      const { maxFeePerGas = 0n } = parseTransaction(params[0] as Hex)
      offers.push(maxFeePerGas)
      if (maxFeePerGas < 20n * GWEI)
        throw new RpcAnswerError('node', -32000, 'max fee per gas less than block base fee', undefined)
      return await good.request(method, params)
    },
  }
  assert.equal(typeof (await stop([dear])), 'string')
  assert.deepEqual(offers, [6n * GWEI, 12n * GWEI, 24n * GWEI])
})

test('nothing is signed after its time by a process that was halted, neither a stop nor what takes the place of others', async () => {
  const chain = world()
  const halted = node(chain, { lies: { 'pending nonce': `0x${(NEXT_NONCE + 1).toString(16)}` } })
  const rival = createSigner({ type: 'key', privateKey: `0x${'2'.repeat(64)}` } as Parameters<typeof createSigner>[0])
  // As a process that is halted: nothing happens until long after.
  const sleepy: RpcNode = {
    ...halted,
    async request(method, params, timeoutMs) {
      const answer = await halted.request(method, params, timeoutMs)
      if (method === 'eth_maxPriorityFeePerGas') {
        const until = performance.now() + 400
        while (performance.now() < until);
      }
      return answer
    },
  }
  await assert.rejects(stop([sleepy], [rival], 300), KeyActionLateError)
  assert.deepEqual([chain.isPaused, [...chain.nonces]], [false, []])
})
