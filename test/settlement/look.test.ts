/** One node's view of batches, from answers that an honest node never gives, or only at an unlucky moment. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeFunctionResult, type Hex, keccak256, numberToHex, slice, toHex } from 'viem'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { digestOf, encodeSettle, NO_HISTORY } from '../../src/chain/instructions.ts'
import { RpcAnswerError, type RpcNode } from '../../src/chain/node.ts'
import { type DeathRequest, withDead } from '../../src/settlement/follow/dead.ts'
import { type LookRequest, look } from '../../src/settlement/follow/look.ts'
import { type UsedSince, usedSinceAfter } from '../../src/settlement/follow/used-nonces.ts'
import type { InFlightBatch } from '../../src/settlement/tables/in-flight.sql.ts'

const SETTLEMENT = '0x1111111111111111111111111111111111111111'
const hashOf = (name: string): Hex => keccak256(toHex(name))
const head = {
  number: 20n,
  hash: hashOf('block 20'),
  parentHash: hashOf('block 19'),
  timestamp: 0n,
  gasLimit: 30_000_000n,
  baseFeePerGas: 1n,
}
const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
const attempt = (name: string, changes: object = {}) => ({
  txHash: hashOf(name),
  signer: 'S',
  nonce: 4n,
  fees,
  gasLimit: 1n,
  sinceBroadcastMs: null,
  verdict: null,
  ...changes,
})
const DIGEST = digestOf('0x01')
const batch: InFlightBatch = {
  batchId: 7n,
  signer: 'S',
  nonce: 4n,
  digest: DIGEST,
  orderCount: 1,
  status: 'signed',
  minedBlock: null,
  minedHash: null,
  txHash: null,
  attempts: [attempt('old'), attempt('new')],
}

type Answers = {
  /** The signer's next nonce at the head, and at the block of full depth. */
  nonce?: [atHead: bigint, atDepth: bigint]
  settled?: boolean
  /** Attempt → where its receipt says it was mined, and whether it succeeded. */
  receipts?: Record<string, { block: bigint; blockHash?: Hex; succeeded?: boolean }>
  /** The transaction in the block that the contract's record names. */
  recorded?: { name: string; block: bigint; blockHash?: Hex }
}

/** The transaction that settles the batch, whoever sent it. */
const transactionOf = (name: string) => ({
  hash: hashOf(name),
  to: SETTLEMENT,
  from: SETTLEMENT,
  nonce: '0x1',
  input: encodeSettle(7n, NO_HISTORY, '0x01'),
})

/** A node whose blocks are all canonical, and whose answers a test sets. */
function nodeOf({ nonce = [5n, 5n], settled = true, receipts = {}, recorded }: Answers): RpcNode {
  const placeOf = (block: bigint, blockHash = hashOf(`block ${block}`)) => ({
    blockNumber: numberToHex(block),
    blockHash,
  })
  const answers: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_getTransactionCount: ([, block]) => numberToHex(typeof block === 'object' ? nonce[0] : nonce[1]),
    eth_call: () =>
      encodeFunctionResult({
        abi: settlementAbi,
        functionName: 'outcomeOf',
        result: [settled, settled ? 1n : 0n, settled ? DIGEST : `0x${'0'.repeat(48)}`, recorded?.block ?? 0n],
      }),
    eth_getTransactionReceipt([hash]) {
      if (recorded !== undefined && hash === hashOf(recorded.name)) {
        return { ...placeOf(recorded.block, recorded.blockHash), status: '0x1', gasUsed: '0x1' }
      }
      const [, found] = Object.entries(receipts).find(([name]) => hashOf(name) === hash) ?? []
      if (found === undefined) return null
      return {
        ...placeOf(found.block, found.blockHash),
        status: found.succeeded === false ? '0x0' : '0x1',
        gasUsed: '0x1',
      }
    },
    eth_getBlockByNumber([number, isWhole]) {
      if (isWhole) {
        const transactions = recorded === undefined ? [] : [transactionOf(recorded.name)]
        return { hash: hashOf('whole'), timestamp: '0x0', transactions }
      }
      const plain = { number, parentHash: hashOf('parent'), timestamp: '0x0', gasLimit: '0x1' }
      return { ...plain, hash: hashOf(`block ${BigInt(number as Hex)}`) }
    },
  }
  return { label: 'scripted', request: async (method, params) => answers[method]?.(params) }
}

/** What one node shows, with what is dead by its word alone. */
const seenBy = async (node: RpcNode, request: LookRequest & DeathRequest) =>
  await withDead([node], 1, request, await look(node, request))

const factOf = async (answers: Answers, changes: Partial<InFlightBatch> = {}) => {
  const request = {
    head,
    settlement: SETTLEMENT,
    finalBlock: 18n,
    signers: ['S'],
    batches: [{ ...batch, ...changes }],
  } as const
  const { view, isSure } = await seenBy(nodeOf(answers), request)
  assert.ok(isSure)
  return view.batches['7']
}
const locationOf = async (answers: Answers) => {
  const fact = await factOf(answers)
  assert.equal(fact?.state, 'settled')
  return fact?.state === 'settled' ? fact.location : undefined
}
const at = (name: string, block: bigint) => ({
  txHash: hashOf(name),
  blockNumber: block,
  blockHash: hashOf(`block ${block}`),
})

test('a batch whose nonce is free has no fact: nothing can have become of it', async () => {
  assert.equal(await factOf({ nonce: [4n, 4n] }), undefined)
  assert.equal((await factOf({ nonce: [4n, 4n] }, { status: 'mined' }))?.state, 'settled')
})

test('dead is what has no outcome and a nonce that is used up at the block of full depth', async () => {
  assert.deepEqual(await factOf({ settled: false }), { state: 'dead', byUs: false })
  assert.deepEqual(await factOf({ settled: false, nonce: [5n, 4n] }), { state: 'waiting' })
  assert.deepEqual(await factOf({ settled: false }, { status: 'mined' }), { state: 'waiting' })
})

test('a revert is ours when an attempt of the present signer and nonce reverted', async () => {
  const byUs = async (receipts: Answers['receipts'], changes?: Partial<InFlightBatch>) => {
    const fact = await factOf({ settled: false, ...(receipts ? { receipts } : {}) }, changes)
    return fact?.state === 'dead' ? fact.byUs : fact
  }
  const reverted = { block: 15n, succeeded: false }
  assert.equal(await byUs({ old: reverted }), true)
  assert.equal(await byUs({ new: reverted }), true)
  assert.equal(await byUs({ new: { block: 15n } }), false)
  assert.equal(await byUs({ old: reverted }, { attempts: [attempt('old', { nonce: 3n }), attempt('new')] }), false)
  assert.equal(await byUs({ old: reverted }, { attempts: [attempt('old', { signer: 'T' }), attempt('new')] }), false)
})

test('where an attempt reverted its block tells how deep, so that nodes need no state of old blocks', async () => {
  const pruned = (receipts: Answers['receipts']) => {
    const node = nodeOf({ settled: false, ...(receipts ? { receipts } : {}) })
    const request = async (method: string, params: readonly unknown[]) => {
      if (method === 'eth_getTransactionCount' && typeof params[1] === 'string') throw new Error('missing trie node')
      return await node.request(method, params)
    }
    const asked = { head, settlement: SETTLEMENT, finalBlock: 18n, signers: ['S'], batches: [batch] } as const
    return seenBy({ ...node, request }, asked).then(({ view, isSure }) => (isSure ? view.batches['7'] : 'unsure'))
  }
  const at = (block: bigint, more = {}) => ({ new: { block, succeeded: false, ...more } })
  assert.deepEqual(await pruned(at(18n)), { state: 'dead', byUs: true })
  assert.deepEqual(await pruned(at(19n)), { state: 'waiting' })
  assert.equal(await pruned(at(15n, { blockHash: hashOf('gone') })), 'unsure')
  assert.equal(await pruned({}), 'unsure')
  const others = { attempts: [attempt('new'), attempt('theirs', { signer: 'T' })] }
  const handedOver = {
    head,
    settlement: SETTLEMENT,
    finalBlock: 18n,
    signers: ['S', 'T'],
    batches: [{ ...batch, ...others }],
  }
  const node = nodeOf({ settled: false })
  const request: RpcNode['request'] = async (method, params) => {
    if (method !== 'eth_getTransactionCount') return await node.request(method, params)
    if (typeof params[1] === 'string') throw new Error('missing trie node')
    return params[0] === 'S' ? '0x4' : '0x9'
  }
  const { view } = await seenBy({ ...node, request }, handedOver as Parameters<typeof seenBy>[1])
  assert.deepEqual(view.batches['7'], { state: 'waiting' }, 'the nonce of the signer that has it now is free')
})

test('without that state a nonce is used up at full depth once the block is final at which that was first seen', async () => {
  const seen = (number: bigint, name = `block ${number}`) => new Map([['S/4', { number, hash: hashOf(name) }]])
  const stateOf = async (usedSince: UsedSince, answer: Error, finalBlock = 18n, number = head.number) => {
    const node = nodeOf({ settled: false })
    const request: RpcNode['request'] = async (method, params) => {
      if (method === 'eth_getTransactionCount' && typeof params[1] === 'string') throw answer
      return await node.request(method, params)
    }
    const asked = { head: { ...head, number }, settlement: SETTLEMENT, finalBlock, signers: ['S'], batches: [batch] }
    const { view, isSure } = await seenBy({ ...node, request }, { ...asked, usedSince } as Parameters<typeof seenBy>[1])
    return isSure ? view.batches['7']?.state : 'unsure'
  }
  const pruned = new RpcAnswerError('node', -32_000, 'missing trie node', undefined)
  assert.equal(await stateOf(seen(18n), pruned), 'dead')
  assert.equal(await stateOf(seen(19n), pruned), 'waiting')
  assert.equal(await stateOf(new Map(), pruned), 'waiting')
  assert.equal(await stateOf(seen(18n, 'of another branch'), pruned), 'waiting')
  const away = new Error('away')
  assert.equal(await stateOf(seen(18n), away), 'dead', 'nothing is asked that is known')
  assert.equal(await stateOf(new Map(), away, 18n, 118n), 'unsure')
  assert.equal(await stateOf(new Map(), away, 18n, 119n), 'waiting', 'so far back nodes are not asked')
})

test('since when a nonce is used up is known from the first look on, and from now on where that was another branch', () => {
  const view = { nonces: { S: 5n }, batches: { 7: { state: 'waiting' } } } as const
  const first = usedSinceAfter(new Map(), [batch], view, { head, finalBlock: 10n })
  assert.deepEqual([...first], [['S/4', { number: head.number, hash: head.hash }]])
  const later = { head: { ...head, number: 30n, hash: hashOf('later') }, finalBlock: 19n }
  assert.deepEqual(usedSinceAfter(first, [batch], view, later), first)
  const anew = usedSinceAfter(first, [batch], view, { ...later, finalBlock: 20n })
  assert.deepEqual([...anew.values()], [{ number: 30n, hash: hashOf('later') }])
  assert.equal(usedSinceAfter(first, [batch], { ...view, nonces: { S: 4n } }, later).size, 0)
  assert.equal(usedSinceAfter(first, [{ ...batch, status: 'mined' }], view, later).size, 0)
})

test('a batch is where the receipt of a successful attempt says, in a canonical block up to the head', async () => {
  assert.deepEqual(await locationOf({ receipts: { old: { block: 18n } } }), at('old', 18n))
  assert.deepEqual(await locationOf({ receipts: { new: { block: 20n } } }), at('new', 20n))
  assert.equal(await locationOf({ receipts: { old: { block: 18n, succeeded: false } } }), undefined)
  assert.equal(await locationOf({ receipts: { old: { block: 21n } } }), undefined)
  assert.equal(await locationOf({ receipts: { old: { block: 18n, blockHash: hashOf('elsewhere') } } }), undefined)
  assert.equal(await locationOf({ receipts: { old: { block: 20n, blockHash: hashOf('elsewhere') } } }), undefined)
})

test('without such a receipt it is in the block that the record of the contract names, in a canonical block', async () => {
  assert.deepEqual(await locationOf({ recorded: { name: 'adopted', block: 12n } }), at('adopted', 12n))
  assert.equal(
    await locationOf({ recorded: { name: 'adopted', block: 12n, blockHash: hashOf('elsewhere') } }),
    undefined,
  )
  const both = { receipts: { old: { block: 18n } }, recorded: { name: 'adopted', block: 12n } }
  assert.deepEqual(await locationOf(both), at('old', 18n))
})

test('where the contract has another batch under the id is not looked for: nodes that cannot show it say all else', async () => {
  const node = nodeOf({})
  const request: RpcNode['request'] = async (method, params) => {
    if (method === 'eth_getTransactionReceipt' || params[1] === true) throw new Error('not here')
    return await node.request(method, params)
  }
  const ours = { ...batch, digest: slice(hashOf('ours'), 0, 24) }
  const asked = { head, settlement: SETTLEMENT, signers: ['S'], batches: [ours] } as const
  const view = await look({ ...node, request }, asked)
  assert.deepEqual(view.batches['7'], { state: 'settled', digest: DIGEST, successBitmap: 1n, location: undefined })
  await assert.rejects(look({ ...node, request }, { ...asked, batches: [batch] }), /not here/)
})

test('what was seen in a block is there for as long as the block is canonical, and no receipt is asked for', async () => {
  const mined = { status: 'mined', minedBlock: 12n, minedHash: hashOf('block 12'), txHash: hashOf('old') } as const
  const located = async (answers: Answers, changes: Partial<InFlightBatch> = {}) => {
    const fact = await factOf(answers, { ...mined, ...changes })
    return fact?.state === 'settled' ? fact.location : fact
  }
  const recorded = { name: 'adopted', block: 12n }
  assert.deepEqual(await located({ recorded }), at('old', 12n))
  for (const changes of [
    { status: 'signed' },
    { minedHash: hashOf('taken back') },
    { minedBlock: 11n, minedHash: hashOf('block 11') },
    { txHash: null },
  ] as const)
    assert.deepEqual(await located({ recorded }, changes), at('adopted', 12n))
})

test('on a chain younger than the depth nothing is dead', async () => {
  const request = { head: { ...head, number: 1n }, finalBlock: -1n, settlement: SETTLEMENT, signers: ['S'] } as const
  const { view } = await seenBy(nodeOf({ settled: false }), { ...request, batches: [batch] })
  assert.deepEqual(view.batches['7'], { state: 'waiting' })
  const { view: deep } = await seenBy(nodeOf({ settled: false }), {
    ...request,
    head: { ...head, number: 2n },
    finalBlock: 0n,
    batches: [batch],
  })
  assert.deepEqual(deep.batches['7'], { state: 'dead', byUs: false })
})

test('a quorum says of each batch apart whether it is dead; one that they do not agree about waits, and is not sure', async () => {
  const reverted = nodeOf({ settled: false, receipts: { new: { block: 15n, succeeded: false } }, nonce: [5n, 4n] })
  const knowsLess = nodeOf({ settled: false })
  const saysNo = nodeOf({ settled: false, nonce: [5n, 4n] })
  const asked = { head, finalBlock: 18n, batches: [batch] }
  const waiting = { nonces: { S: 5n }, batches: { 7: { state: 'waiting' } } } as const
  const say = async (...nodes: RpcNode[]) => {
    const { view, isSure } = await withDead(nodes, 2, asked, waiting)
    return [view.batches['7'], isSure]
  }
  assert.deepEqual(await say(reverted, knowsLess), [{ state: 'dead', byUs: true }, true])
  assert.deepEqual(await say(knowsLess, knowsLess), [{ state: 'dead', byUs: false }, true])
  assert.deepEqual(await say(saysNo, saysNo), [{ state: 'waiting' }, true])
  assert.deepEqual(await say(reverted, saysNo), [{ state: 'waiting' }, false])
  assert.deepEqual(await say(saysNo, reverted, knowsLess), [{ state: 'dead', byUs: true }, true])
  const isMinedToo = { ...batch, batchId: 8n, status: 'mined' } as const
  const both = { ...waiting, batches: { ...waiting.batches, 8: { state: 'waiting' } } } as const
  const { view } = await withDead([knowsLess], 1, { ...asked, batches: [batch, isMinedToo] }, both)
  assert.deepEqual([view.batches['7']?.state, view.batches['8']?.state], ['dead', 'waiting'])
})

/** The fact of a batch whose present signer, S, has not used the nonce 4 yet, and another one, T, has used the nonces below 9. */
async function factWithOthers(attempts: InFlightBatch['attempts']) {
  const node = nodeOf({ settled: true })
  const request: RpcNode['request'] = (method, params) =>
    method === 'eth_getTransactionCount'
      ? Promise.resolve(params[0] === 'S' ? '0x4' : '0x9')
      : node.request(method, params)
  const asked = {
    head,
    settlement: SETTLEMENT,
    finalBlock: 18n,
    signers: ['S', 'T'],
    batches: [{ ...batch, attempts }],
  }
  return (await look({ ...node, request }, asked as Parameters<typeof look>[1])).batches['7']
}

test('what a signer that had the batch before has used may have settled it; its present signer’s older nonces cannot', async () => {
  const [present, older] = [attempt('new'), attempt('older', { nonce: 3n })]
  assert.equal(await factWithOthers([older, present]), undefined)
  assert.equal((await factWithOthers([attempt('first', { signer: 'T', nonce: 8n }), present]))?.state, 'settled')
  assert.equal(await factWithOthers([attempt('first', { signer: 'T', nonce: 9n }), present]), undefined)
  assert.equal(await factWithOthers([attempt('first', { signer: 'nobody', nonce: 0n }), present]), undefined)
})

test('each block is asked for once, and the head not at all', async () => {
  const asked: unknown[] = []
  const watched = (answers: Answers): RpcNode => {
    const node = nodeOf(answers)
    return {
      ...node,
      request(method, params) {
        if (method === 'eth_getBlockByNumber' && params[1] !== true) asked.push(params[0])
        return node.request(method, params)
      },
    }
  }
  const request = { head, settlement: SETTLEMENT, finalBlock: 18n, signers: ['S'], batches: [batch] } as const
  await look(watched({ receipts: { new: { block: 20n } } }), request)
  assert.deepEqual(asked, [])
  // Neither attempt is where its receipt says, and both receipts name the same block.
  const elsewhere = { block: 18n, blockHash: hashOf('elsewhere') }
  await look(watched({ receipts: { old: elsewhere, new: elsewhere } }), request)
  assert.deepEqual(asked, [numberToHex(18n)])
})
