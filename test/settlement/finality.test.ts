// engine: postgres
/** Where the chain tells what is finalized, nothing counts before that, however deep; and no single node says so. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { numberToHex, zeroAddress } from 'viem'
import { findFinalityProblems } from '../../src/chain/finality-tag.ts'
import { encodeSettle, KIND, NO_HISTORY, packInstructions } from '../../src/chain/instructions.ts'
import { connectNode } from '../../src/chain/node.ts'
import { type FaultyRpc, type Rules, startFaultyRpc } from '../support/faulty-rpc.ts'
import { account, wallet } from './fixture.ts'
import { firstInBlock, type Stepped, type SteppedChain, startStepped, useNonce } from './stepped.ts'

/** Anvil calls finalized what is twice as many blocks behind its head. */
const SLOTS = 4
const LAG = 2 * SLOTS
const SIGNER = account('signer').address
const THIEF = account('second').address
const TAGGED = { confirmations: 2, finality: 'finalized' } as const

let chain: SteppedChain
let proxies: FaultyRpc[] = []
before(async () => {
  chain = await startStepped(TAGGED, { args: ['--slots-in-an-epoch', String(SLOTS)] })
})
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()))
  proxies = []
})
after(() => chain.end())

const mint = { direction: 'MINT', amountMicro: 5n, to: wallet(1) } as const
const isTagged: (request: Parameters<Rules>[0]) => boolean = ({ method, params }) =>
  method === 'eth_getBlockByNumber' && params[0] === 'finalized'

/** A block that is named by its number. */
const isOld = (block: unknown) => typeof block === 'string' && block.startsWith('0x')

/** The chain behind three nodes, two of which must agree; the first follows these rules. */
async function withOneBad(rules: Rules): Promise<Stepped> {
  const honest: Rules = () => ({ kind: 'none' })
  proxies = await Promise.all([rules, honest, honest].map((each) => startFaultyRpc(chain.rpcUrl, each)))
  return await chain.begin({ config: { rpcUrls: proxies.map(({ url }) => url), quorum: 2 } })
}

async function mineOne(s: Stepped): Promise<bigint> {
  const [orderId = 0n] = await s.place(mint)
  await s.round()
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/CONFIRMING')
  return orderId
}

test('an outcome is final with exactly the block that is finalized, and not before, however deep it is', async () => {
  const s = await chain.begin()
  const orderId = await mineOne(s)
  await s.mine(LAG - 1)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/CONFIRMING')
  assert.deepEqual(
    s.counted.findLast(([name]) => name === 'finalLag'),
    ['finalLag', LAG],
  )
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})

test('what is finalized sooner than it is deep waits for its depth', async () => {
  const s = await chain.begin({ config: { confirmations: LAG + 4 } })
  const orderId = await mineOne(s)
  await s.mine(LAG + 2)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/CONFIRMING')
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})

test('a reorganisation beyond the confirmations takes a batch back that is not finalized', async () => {
  const s = await chain.begin()
  const orderId = await mineOne(s)
  await s.mine(LAG - 2)
  await s.round()
  await s.rpc('anvil_reorg', LAG - 1, [])
  await s.rpc('anvil_dropAllTransactions')
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
  await s.round()
  await s.mine(LAG + 1)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
  assert.equal(await s.chain.admin.supply(), 5n)
})

/** An order whose batch is under way, and whose signer's nonce somebody else has used. */
async function placeAndUseNonce(s: Stepped): Promise<bigint | undefined> {
  const [orderId] = await s.place(mint)
  await s.round()
  const [{ nonce = 0n } = {}] = await s.batches()
  await useNonce(s, SIGNER, nonce)
  return orderId
}

test('a nonce that a foreign transaction used frees the orders of its batch only once that is finalized', async () => {
  const s = await chain.begin()
  const orderId = await placeAndUseNonce(s)
  await s.mine(LAG)
  await s.round()
  assert.equal((await s.attempts()).length, 1)
  await s.mine()
  await s.round()
  assert.equal((await s.attempts()).length, 2)
  assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
})

for (const [what, hasArchive] of [
  ['no node has', false],
  ['one node alone has', true],
] as const) {
  test(`a nonce that a foreign transaction used frees the orders of its batch although ${what} the state of old blocks`, async () => {
    const pruned: Rules = ({ method, params }) =>
      method === 'eth_getTransactionCount' && typeof params[1] === 'string'
        ? { kind: 'error', message: 'missing trie node' }
        : { kind: 'none' }
    const all: Rules = () => ({ kind: 'none' })
    proxies = await Promise.all(
      [hasArchive ? all : pruned, pruned, pruned].map((rules) => startFaultyRpc(chain.rpcUrl, rules)),
    )
    const s = await chain.begin({ config: { rpcUrls: proxies.map(({ url }) => url), quorum: 2 } })
    const orderId = await placeAndUseNonce(s)
    await s.mine()
    for (let block = 0; block < LAG; block += 1) {
      await s.round()
      assert.equal((await s.attempts()).length, 1)
      await s.mine()
    }
    await s.round()
    assert.equal((await s.attempts()).length, 2)
    assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
  })
}

test('a foreign batch is taken over only once it is finalized', async () => {
  const s = await chain.begin()
  await s.round()
  const theft = { kind: KIND.MINT, from: zeroAddress, to: THIEF, amount: 7n, tag: '0x0000000000000001' } as const
  const data = encodeSettle(1n, NO_HISTORY, packInstructions([theft]))
  await s.rpc('eth_sendTransaction', { from: THIEF, to: s.config.settlement, data, gas: '0x4c4b40', ...firstInBlock() })
  await s.mine(LAG)
  await s.round()
  assert.deepEqual(await s.batches(), [])
  assert.equal(s.held(), 'batch-conflict')
  await s.mine()
  await s.round()
  assert.deepEqual(
    (await s.batches()).map((batch) => [batch.batch_id, batch.is_foreign]),
    [[1n, true]],
  )
})

test('one node that calls everything finalized speeds nothing up', async () => {
  const s = await withOneBad((request) =>
    isTagged(request)
      ? { kind: 'lie', lie: (block) => ({ ...(block as object), number: numberToHex(1_000_000) }) }
      : { kind: 'none' },
  )
  const orderId = await mineOne(s)
  await s.mine(LAG - 1)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/CONFIRMING')
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})

for (const [what, rules] of [
  ['calls nothing finalized', (request) => (isTagged(request) ? { kind: 'lie', lie: () => null } : { kind: 'none' })],
  [
    'does not know the tag',
    (request) => (isTagged(request) ? { kind: 'error', message: 'no such tag' } : { kind: 'none' }),
  ],
] as [string, Rules][]) {
  test(`one node that ${what} holds nothing up, and is named in the findings`, async () => {
    const s = await withOneBad(rules)
    const orderId = await mineOne(s)
    await s.mine(LAG)
    await s.round()
    assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
    const [found, ...more] = (await s.chain.admin.status()).findings
    assert.deepEqual(more, [])
    assert.match(found?.text ?? '', new RegExp(`^${proxies[0]?.url} does not say which block is finalized`))
    assert.equal(found?.danger, false)
  })
}

test('a node without the state of what it calls finalized is named: of it no reserves can be proven', async () => {
  const s = await withOneBad(({ method, params }) =>
    (method === 'eth_call' || method === 'eth_getTransactionCount') && isOld(params[1])
      ? { kind: 'error', message: 'missing trie node' }
      : { kind: 'none' },
  )
  await mineOne(s)
  await s.mine(LAG)
  const [found, ...more] = (await s.chain.admin.status()).findings
  assert.deepEqual(more, [])
  assert.match(
    found?.text ?? '',
    new RegExp(`^${proxies[0]?.url} has no state of block \\d+, which it calls finalized`),
  )
  assert.equal(found?.danger, false)
  await s.chain.reader.finalSupply()
})

test('where too few nodes tell, what was finalized stays so, nothing more becomes so, and settlement goes on', async () => {
  let isSilent = false
  proxies = [
    await startFaultyRpc(chain.rpcUrl, (request) =>
      isSilent && isTagged(request) ? { kind: 'error', message: 'no such tag' } : { kind: 'none' },
    ),
  ]
  const s = await chain.begin({ config: { rpcUrls: proxies.map(({ url }) => url) } })
  const orderId = await mineOne(s)
  isSilent = true
  await s.mine(LAG)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/CONFIRMING')
  const next = await mineOne(s)
  isSilent = false
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
  assert.equal(await s.stateOf(next), 'processing/CONFIRMING')
})

test('a node that does not answer is no finding about its tags, and where depth alone counts nobody is asked', async () => {
  const away = connectNode('http://127.0.0.1:9')
  const mute = { ...away, request: () => Promise.reject(new Error('asked')) }
  assert.deepEqual(await findFinalityProblems({ finality: 'finalized', quorum: 1 }, [away]), [])
  assert.deepEqual(await findFinalityProblems({ finality: 'depth', quorum: 1 }, [mute]), [])
})
