// engine: pglite
/** An operator's transaction at the most that gas may cost: it waits its turn, and is not given up while it may be mined. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { type Hex, numberToHex, parseTransaction } from 'viem'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import type { ChainConfig } from '../config.ts'
import { performKeyAction } from './key-action.ts'
import { KeyActionLateError } from './key-action-errors.ts'
import { RpcAnswerError, type RpcNode, RpcUnreachableError } from './node.ts'
import { SignatureRefusedError } from './signed-transaction.ts'
import { createSigner } from './signer.ts'

const YES: Hex = `0x${'1'.padStart(64, '0')}`
const NO: Hex = `0x${'0'.padStart(64, '0')}`
const GWEI = 10n ** 9n

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

const signer = createSigner({ type: 'key', privateKey: `0x${'1'.repeat(64)}` } as Parameters<typeof createSigner>[0])
const action = {
  name: 'freeze',
  to: signer.address,
  data: '0x8d1fdf2f',
  effect: { data: '0xe5839836', expected: YES },
} as const

type Chain = { isShown: () => boolean; isUsed?: () => boolean; baseFee?: () => bigint }

/** A chain whose base fee rises above every price once something was sent, unless told otherwise; the first of it is lost. */
function nodeOf(sent: Hex[], { isShown, isUsed = isShown, baseFee }: Chain): RpcNode {
  let head = 100
  const price = baseFee ?? (() => (sent.length === 0 ? GWEI : 50n * GWEI))
  return {
    label: 'node',
    async request(method, params) {
      await sleep(1)
      switch (method) {
        case 'eth_blockNumber':
        case 'eth_getBlockByNumber': {
          head += 1
          const hash = `0x${head.toString(16).padStart(64, '0')}`
          const baseFeePerGas = `0x${price().toString(16)}`
          const fields = { number: `0x${head.toString(16)}`, hash, parentHash: hash, timestamp: '0x1' }
          return { ...fields, gasLimit: '0x1c9c380', baseFeePerGas }
        }
        case 'eth_call':
          return isShown() ? YES : NO
        case 'eth_getTransactionCount':
          return isUsed() ? '0x8' : '0x7'
        case 'eth_maxPriorityFeePerGas':
          return '0x1dcd6500'
        case 'eth_getBalance':
          return '0xde0b6b3a7640000'
        case 'eth_estimateGas':
          return '0x7530'
        case 'eth_sendRawTransaction':
          sent.push((params as Hex[])[0] ?? '0x')
          if (sent.length === 1) throw new RpcUnreachableError('node: no answer')
          return `0x${'ab'.repeat(32)}`
        default:
          throw new Error(method)
      }
    },
  }
}

const CONFIG = {
  chainId: 1,
  confirmations: 2,
  pollIntervalMs: 5,
  quorum: 1,
  bumpAfterBlocks: 1,
  finality: 'depth',
  maxFeePerGasWei: (25n * GWEI) / 10n,
  stopMaxFeePerGasWei: 100n * GWEI,
  maxPriorityFeePerGasWei: GWEI,
} as unknown as ChainConfig
const depsOf = (node: RpcNode) => ({ config: CONFIG, nodes: [node], db, logger: pino({ level: 'silent' }) })

/** The node, and what happens while it is asked for the key's nonce. */
function meanwhile(node: RpcNode, what: () => Promise<unknown>): RpcNode {
  return {
    ...node,
    async request(method, params, options) {
      if (method === 'eth_getTransactionCount') await what()
      return await node.request(method, params, options)
    },
  }
}

test('what can be raised no further is sent again as it is, until it is mined', async () => {
  const sent: Hex[] = []
  const node = nodeOf(sent, { isShown: () => sent.length >= 3 })
  assert.match((await performKeyAction(depsOf(node), signer, action)) ?? '', /^0x[0-9a-f]{64}$/)
  assert.equal(sent.length, 3)
  assert.equal(new Set(sent).size, 1)
})

test('where no node says what tip it wants, one is offered all the same: nodes take nothing without any', async () => {
  const sent: Hex[] = []
  const node = nodeOf(sent, { isShown: () => sent.length >= 2, baseFee: () => GWEI })
  const silent: RpcNode = {
    ...node,
    async request(method, params, options) {
      if (method === 'eth_maxPriorityFeePerGas') throw new RpcAnswerError('node', -32_601, 'no such method', undefined)
      return await node.request(method, params, options)
    },
  }
  await performKeyAction(depsOf(silent), signer, action)
  assert.equal(parseTransaction(sent[0] ?? '0x').maxPriorityFeePerGas, GWEI)
})

test('what stops something is sent, and raised, where gas costs more than batches may: as much as a stop may', async () => {
  const config = { ...CONFIG, stopMaxFeePerGasWei: 10n * GWEI }
  const stops = { ...action, stops: true }
  const sent: Hex[] = []
  const node = nodeOf(sent, {
    isShown: () => sent.length >= 3,
    isUsed: () => sent.length >= 3,
    baseFee: () => 4n * GWEI,
  })
  await performKeyAction({ ...depsOf(node), config }, signer, stops)
  const [first, raised, ...more] = sent.map((raw) => parseTransaction(raw).maxFeePerGas ?? 0n)
  assert.deepEqual([first, more.length], [(85n * GWEI) / 10n, 1])
  assert.ok(raised !== undefined && raised > 8n * GWEI && raised <= config.stopMaxFeePerGasWei)
  const dear = { name: 'KeyActionLateError', message: /gas costs more than the configured maximum/ }
  await assert.rejects(
    performKeyAction({ ...depsOf(node), config }, signer, { ...action, effect: { ...action.effect, expected: NO } }),
    dear,
  )
})

test('what stops something offers the tip that nodes want, where that is more than batches may offer', async () => {
  const offeredBy = async (stops: boolean): Promise<bigint | undefined> => {
    const sent: Hex[] = []
    const node = nodeOf(sent, { isShown: () => sent.length >= 2, baseFee: () => GWEI })
    const dear: RpcNode = {
      ...node,
      async request(method, params, options) {
        return method === 'eth_maxPriorityFeePerGas'
          ? numberToHex(30n * GWEI)
          : await node.request(method, params, options)
      },
    }
    await performKeyAction(depsOf(dear), signer, { ...action, stops })
    return parseTransaction(sent[0] ?? '0x').maxPriorityFeePerGas
  }
  assert.equal(await offeredBy(true), 30n * GWEI)
  assert.equal(await offeredBy(false), GWEI)
})

test('what stops something offers no more than its key can pay: nodes would take none of it', async () => {
  const sent: Hex[] = []
  const taken: Hex[] = []
  const node = nodeOf(sent, { isShown: () => taken.length > 0, baseFee: () => 4n * GWEI })
  const poor: RpcNode = {
    ...node,
    async request(method, params, options) {
      if (method === 'eth_getBalance') return numberToHex(36_000n * 5n * GWEI)
      if (method !== 'eth_sendRawTransaction') return await node.request(method, params, options)
      const [raw] = params as [Hex]
      sent.push(raw)
      const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(raw)
      if (gas * maxFeePerGas > 36_000n * 5n * GWEI)
        throw new RpcAnswerError('node', -32_000, 'insufficient funds for gas * price + value', undefined)
      taken.push(raw)
      return `0x${'ab'.repeat(32)}`
    },
  }
  await performKeyAction({ ...depsOf(poor), deadlineMs: 2_000 }, signer, { ...action, stops: true })
  assert.deepEqual([sent.length, parseTransaction(sent[0] ?? '0x').maxFeePerGas], [1, 5n * GWEI])
})

/** The node, where others use up the nonce of each of the first transactions of the key, and what one would use by its estimate. */
function outrun(node: RpcNode, sent: readonly Hex[], estimate: Hex): RpcNode {
  const used = () => 7 + new Set(sent.map((raw) => parseTransaction(raw).nonce)).size
  return {
    ...node,
    async request(method, params, options) {
      if (method === 'eth_estimateGas') return estimate
      return method === 'eth_getTransactionCount' ? numberToHex(used()) : await node.request(method, params, options)
    },
  }
}

test('what stops something is tried for as long as it may take, whoever uses up its nonces: it runs no code of others', async () => {
  const sent: Hex[] = []
  const node = nodeOf(sent, { isShown: () => sent.length >= 6, baseFee: () => GWEI })
  await performKeyAction(depsOf(outrun(node, sent, '0x200000')), signer, { ...action, stops: true })
  assert.equal(sent.length, 6)
  const links = { ...action, name: 'link' }
  const others: Hex[] = []
  const never = nodeOf(others, { isShown: () => false, baseFee: () => GWEI })
  await assert.rejects(performKeyAction(depsOf(outrun(never, others, '0x7530')), signer, links), /mined 3 times/)
  const dear = performKeyAction(depsOf(outrun(never, others, '0x200000')), signer, links)
  await assert.rejects(dear, { name: 'KeyActionRefusedError', message: /TooMuchGas/ })
})

test('it is raised while it waits, and signed anew at the usual price once its nonce is used up and the effect is not there', async () => {
  const sent: Hex[] = []
  const node = nodeOf(sent, {
    isShown: () => sent.length >= 3,
    isUsed: () => sent.length >= 2,
    baseFee: () => GWEI,
  })
  const deps = { ...depsOf(node), config: { ...CONFIG, maxFeePerGasWei: 100n * GWEI } }
  await performKeyAction(deps, signer, action)
  const [first, raised, anew, ...more] = sent.map((raw) => parseTransaction(raw))
  assert.ok(first?.maxFeePerGas && raised?.maxFeePerGas && anew)
  assert.deepEqual([first.nonce, raised.nonce, anew.nonce, more.length], [7, 7, 8, 0])
  assert.ok(raised.maxFeePerGas > first.maxFeePerGas)
  assert.equal(anew.maxFeePerGas, first.maxFeePerGas)
})

/** A node that does not know every fifth block that it is asked for by its hash, as where several stand behind one address. */
function balanced(node: RpcNode): RpcNode {
  let reads = 0
  return {
    ...node,
    async request(method, params, options) {
      const isByHash = typeof params[1] === 'object'
      reads += isByHash ? 1 : 0
      if (isByHash && reads % 5 === 1) throw new RpcAnswerError('node', -32_000, 'header not found', undefined)
      return await node.request(method, params, options)
    },
  }
}

test('nodes that do not know the newest block now and then do not end it, neither before anything was sent nor afterwards', async () => {
  const sent: Hex[] = []
  const node = balanced(nodeOf(sent, { isShown: () => sent.length >= 2, baseFee: () => GWEI }))
  const deps = { ...depsOf(node), config: { ...CONFIG, confirmations: 6 } }
  assert.match((await performKeyAction(deps, signer, { ...action, once: true })) ?? '', /^0x[0-9a-f]{64}$/)
  assert.equal(sent.length, 2)
})

test('a nonce that the agreed head has used is not signed again, although a node calls an older block its newest', async () => {
  const sent: Hex[] = []
  const node = nodeOf(sent, { isShown: () => sent.length >= 2, isUsed: () => true })
  const behind: RpcNode = {
    ...node,
    async request(method, params, options) {
      if (method === 'eth_getTransactionCount' && params[1] === 'latest') return '0x7'
      return await node.request(method, params, options)
    },
  }
  await performKeyAction(depsOf(behind), signer, action)
  assert.deepEqual([...new Set(sent.map((raw) => parseTransaction(raw).nonce))], [8])
})

test('what is done once is not signed anew', async () => {
  const sent: Hex[] = []
  const node = nodeOf(sent, { isShown: () => false, isUsed: () => sent.length >= 1 })
  const undone = /somebody has undone it meanwhile/
  await assert.rejects(performKeyAction(depsOf(node), signer, { ...action, once: true }), undone)
  assert.equal(sent.length, 1)
})

test('nothing is sent once another has taken the key while this process was halted, nor when it is too late', async () => {
  const sent: Hex[] = []
  const node = nodeOf(sent, { isShown: () => false })
  const taken = meanwhile(node, () => db.query(`update leases set holder = 'another', token = token + 1`))
  const isLate = (error: unknown) =>
    error instanceof KeyActionLateError && /interrupted for so long/.test(error.message)
  await assert.rejects(performKeyAction({ ...depsOf(taken), deadlineMs: 20_000 }, signer, action), isLate)
  await db.query('delete from leases')
  const halted = meanwhile(node, () => sleep(1_000))
  await assert.rejects(performKeyAction({ ...depsOf(halted), deadlineMs: 900 }, signer, action), KeyActionLateError)
  assert.deepEqual(sent, [])
})

test('a signer that does not sign, or signs something else, is named, and nothing is sent', async () => {
  for (const why of [
    new SignatureRefusedError('the signed transaction has another sender'),
    new RpcUnreachableError('remote: no answer'),
  ]) {
    const sent: Hex[] = []
    const silent: typeof signer = { ...signer, sign: () => Promise.reject(why) }
    const asked = performKeyAction(depsOf(nodeOf(sent, { isShown: () => false })), silent, action)
    const message = `the signer of ${signer.address} does not sign: ${why.message}`
    await assert.rejects(asked, { name: 'KeyUnsignedError', message })
    assert.deepEqual(sent, [])
  }
})

test('nothing is sent once another has taken the key while a signer was asked', async () => {
  const sent: Hex[] = []
  const halted: typeof signer = {
    ...signer,
    async sign(transaction) {
      await db.query(`update leases set holder = 'another', token = token + 1`)
      return await signer.sign(transaction)
    },
  }
  const asked = performKeyAction(depsOf(nodeOf(sent, { isShown: () => false })), halted, action)
  await assert.rejects(asked, /interrupted for so long/)
  await db.query('delete from leases')
  assert.deepEqual(sent, [])
})

test('a node that shows the nonce of a block and not yet its effect does not make it undone, nor is it sent twice', async () => {
  for (const once of [true, false]) {
    const sent: Hex[] = []
    let looks = 0
    const isShown = () => {
      looks += sent.length >= 2 ? 1 : 0
      return looks > 1
    }
    const node = nodeOf(sent, { isShown, isUsed: () => sent.length >= 2, baseFee: () => GWEI })
    await performKeyAction(depsOf(node), signer, { ...action, once })
    assert.deepEqual([...new Set(sent.map((raw) => parseTransaction(raw).nonce))], [7])
  }
})

/** The node, with a transaction of the key in its pool for as long as `isThere`. */
function pooled(node: RpcNode, isThere: () => boolean): RpcNode {
  return {
    ...node,
    async request(method, params, options) {
      const isPool = method === 'eth_getTransactionCount' && params[1] === 'pending'
      return isPool && isThere() ? '0x8' : await node.request(method, params, options)
    },
  }
}

test('what is so already does not count while something of the key waits in most pools: it takes its place', async () => {
  const sent: Hex[] = []
  const node = nodeOf(sent, { isShown: () => true, isUsed: () => sent.length >= 2, baseFee: () => GWEI })
  const there = () => sent.length < 2
  assert.match((await performKeyAction(depsOf(pooled(node, there)), signer, action)) ?? '', /^0x[0-9a-f]{64}$/)
  assert.deepEqual([...new Set(sent.map((raw) => parseTransaction(raw).nonce))], [7])
  // What can be undone by another key alone is as it is; and of three nodes one may lie.
  const unused = nodeOf([], { isShown: () => true, isUsed: () => false })
  const lying = pooled(unused, () => true)
  assert.equal(await performKeyAction(depsOf(lying), signer, { ...action, once: true }), undefined)
  const among = { ...depsOf(unused), nodes: [lying, unused, { ...unused }] }
  assert.equal(await performKeyAction(among, signer, action), undefined)
})

/** The node, with a transaction of another key in its pool until `isMined`, which is asked once in each look. */
function rivalled(node: RpcNode, isMined: () => boolean): RpcNode {
  return {
    ...node,
    async request(method, params, options) {
      if (method !== 'eth_getTransactionCount' || params[0] !== RIVAL)
        return await node.request(method, params, options)
      return params[1] === 'pending' || isMined() ? '0x4' : '0x3'
    },
  }
}
const RIVAL = `0x${'7'.repeat(40)}` as const

test('what stops something does not count while something of another such key waits, which nobody here can replace', async () => {
  const stops = { ...action, stops: true }
  let looks = 0
  let isFrozen = true
  const sent: Hex[] = []
  const node = nodeOf(sent, { isShown: () => isFrozen || sent.length >= 2, isUsed: () => sent.length >= 2 })
  const freed = rivalled(node, () => {
    const isMined = !isFrozen
    looks += 1
    // In the block after the one that is looked at, it undoes what is so.
    if (looks === 5) isFrozen = false
    return isMined
  })
  const deps = { ...depsOf(freed), config: { ...CONFIG, maxFeePerGasWei: 100n * GWEI }, rivals: [RIVAL] }
  assert.match((await performKeyAction(deps, signer, stops)) ?? '', /^0x[0-9a-f]{64}$/)
  assert.ok(sent.length >= 2)
  const unused = nodeOf([], { isShown: () => true, isUsed: () => false })
  const waits = { ...depsOf(rivalled(unused, () => false)), rivals: [RIVAL], deadlineMs: 500 }
  await assert.rejects(performKeyAction(waits, signer, stops), {
    name: 'KeyActionLateError',
    message: new RegExp(`it is so, but a transaction of ${RIVAL} waits in the pool and may undo it`),
  })
  // What frees somebody gives way to whoever stops them.
  assert.equal(await performKeyAction(waits, signer, action), undefined)
})

test('who cannot outbid what waits is told that it may undo what is so now', async () => {
  const node = pooled(nodeOf([], { isShown: () => true, isUsed: () => false }), () => true)
  const late = {
    name: 'KeyActionLateError',
    message: /it is so, but a transaction of 0x\w{40} waits in the pool and may undo it/,
  }
  const deps = { ...depsOf(node), config: { ...CONFIG, bumpAfterBlocks: 1_000_000 }, deadlineMs: 2_000 }
  await assert.rejects(performKeyAction(deps, signer, action), late)
})
