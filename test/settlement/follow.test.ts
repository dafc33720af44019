// engine: postgres; both in test:long
/** What a block, a missing block and a different block mean for batches and orders, one round at a time. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { zeroAddress } from 'viem'
import { encodeSettle, KIND, NO_HISTORY, packInstructions } from '../../src/chain/instructions.ts'
import { type Rules, startFaultyRpc } from '../support/faulty-rpc.ts'
import { account, sendAlone, wallet } from './fixture.ts'
import {
  ERROR,
  FATAL,
  firstInBlock,
  NEVER,
  type Stepped,
  type SteppedChain,
  sendStop,
  startStepped,
  useNonce,
  WARN,
} from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 3 })
})
after(() => chain.end())

const SIGNER = account('signer').address
const mint = (seed: number, amountMicro = 5n) => ({ direction: 'MINT', amountMicro, to: wallet(seed) }) as const

/** Places a mint and forms its batch. */
async function formOne(s: Stepped): Promise<bigint> {
  const [orderId = 0n] = await s.place(mint(1))
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
  return orderId
}

test('the observed block follows every head, also while nothing is settled', async () => {
  const s = await chain.begin()
  for (const blocks of [1, 1, 5]) {
    await s.mine(blocks)
    await s.round()
    const { number, hash } = await s.head()
    assert.deepEqual(await s.observed(), { observed_block: number, observed_hash: hash })
  }
})

test('an order is confirming from the first block and decided with exactly the configured depth', async () => {
  const s = await chain.begin()
  const orderId = await formOne(s)
  assert.deepEqual(await s.round(), { waiting: true })
  await s.mine()
  assert.deepEqual(await s.round(), { waiting: false })
  assert.equal(await s.stateOf(orderId), 'processing/CONFIRMING')
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/CONFIRMING')
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
  assert.equal((await s.batches())[0]?.status, 'final')
})

test('orders are formed anew only when the nonce of their batch is used up with exactly the configured depth', async () => {
  const s = await chain.begin()
  const orderId = await formOne(s)
  const { tx_hash: first } = await s.order(orderId)
  const [{ nonce = 0n } = {}] = await s.batches()
  await useNonce(s, SIGNER, nonce)
  for (const _ of [1, 2]) {
    await s.mine()
    await s.round()
    assert.deepEqual((await s.attempts()).length, 1)
  }
  assert.equal((await s.order(orderId)).tx_hash, first)
  await s.mine()
  await s.round()
  const [batch] = await s.batches()
  assert.deepEqual(
    { id: batch?.batch_id, nonce: batch?.nonce, signer: batch?.signer, status: batch?.status },
    { id: 1n, nonce: nonce + 1n, signer: SIGNER, status: 'signed' },
  )
  const [, again] = await s.attempts()
  assert.deepEqual([again?.nonce, again?.signer], [nonce + 1n, SIGNER])
  assert.equal((await s.order(orderId)).tx_hash, again?.tx_hash)
  assert.equal(await s.nextNonce(SIGNER), nonce + 2n)
  await s.mine(3)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})

test('a revert counts once the nonce is used up with full depth, and never again for a later nonce', async () => {
  const s = await chain.begin()
  const orderId = await formOne(s)
  const counted = () => s.counted.filter(([name]) => name === 'reverted').length
  await sendStop(s, true)
  await s.mine()
  await sendStop(s, false)
  await s.mine()
  await s.round()
  assert.equal(counted(), 0)
  await s.mine()
  await s.round()
  const [again] = await s.batches()
  assert.deepEqual([counted(), again?.nonce, again?.status], [1, 1n, 'signed'])

  await useNonce(s, SIGNER, again?.nonce ?? 0n, 1)
  await s.mine(3)
  await s.round()
  const [used] = await s.batches()
  assert.equal(used?.nonce, 2n)
  assert.equal(s.counted.filter(([name]) => name === 'reverted').length, 1)
  assert.equal(s.logged.filter(({ level, msg }) => level === ERROR && /foreign transaction/.test(msg)).length, 1)
  await s.mine(3)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})

test('on a chain that is younger than its depth nothing is dead, and nothing fails', async () => {
  const s = await chain.begin({ config: { confirmations: 1_000 } })
  await formOne(s)
  const [{ nonce = 0n } = {}] = await s.batches()
  await useNonce(s, SIGNER, nonce)
  await s.mine()
  await s.round()
  assert.equal((await s.batches())[0]?.nonce, nonce)
})

/** Mines the batch, lets the settler see it, and undoes its block, with the transaction in it. */
async function mineAndTakeBack(s: Stepped, blocks = 1): Promise<void> {
  await s.mine(blocks)
  await s.round()
  await s.rpc('anvil_reorg', blocks, [])
  await s.rpc('anvil_dropAllTransactions')
}

test('a batch whose block is gone is sent back at once, also when the other branch is longer', async () => {
  for (const longerBy of [0, 1, 2]) {
    const s = await chain.begin()
    const orderId = await formOne(s)
    await mineAndTakeBack(s)
    if (longerBy > 0) await s.mine(longerBy)
    await s.round()
    assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED', `longer by ${longerBy}`)
    const [batch] = await s.batches()
    assert.deepEqual([batch?.status, batch?.mined_block, batch?.mined_hash], ['signed', null, null])
    assert.equal((await s.order(orderId)).block_number, null)
    assert.equal(s.counted.filter(([name]) => name === 'reorganised').length, 1)
    assert.equal(s.logged.filter(({ msg }) => msg === 'the chain was reorganised').length, 1)
    assert.deepEqual((await s.observed()).observed_hash, (await s.head()).hash)
    // Its bytes were sent again in the same round.
    await s.mine(3)
    await s.round()
    assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
  }
})

test('a batch that a reorganisation moved is followed to its new block and counts its depth from there', async () => {
  const s = await chain.begin()
  const orderId = await formOne(s)
  const raw = await s.db.query<{ raw_transaction: string }>(
    `select '0x' || encode(raw_transaction, 'hex') as raw_transaction from batch_attempts where chain_id = $1`,
    [s.config.chainId],
  )
  await s.mine()
  await s.round()
  const { block_number: before } = await s.order(orderId)
  await s.rpc('anvil_reorg', 1, [])
  await sendAlone(s.rpc, raw[0]?.raw_transaction)
  await s.mine()
  await s.round()
  const { block_number: moved } = await s.order(orderId)
  assert.deepEqual([moved, await s.stateOf(orderId)], [(before ?? 0n) + 1n, 'processing/CONFIRMING'])
  const [batch] = await s.batches()
  assert.deepEqual([batch?.mined_block, batch?.mined_hash], [moved, (await s.head()).hash])
  assert.equal(s.counted.filter(([name]) => name === 'reorganised').length, 0)
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/CONFIRMING')
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})

test('a mined batch that vanished, whose nonce another transaction has used up, is first sent back and then signed anew', async () => {
  const s = await chain.begin()
  const orderId = await formOne(s)
  const [{ nonce = 0n } = {}] = await s.batches()
  await mineAndTakeBack(s)
  await useNonce(s, SIGNER, nonce)
  await s.mine(3)
  await s.round()
  assert.deepEqual([(await s.batches())[0]?.status, (await s.batches())[0]?.nonce], ['signed', nonce])
  await s.mine()
  await s.round()
  assert.equal((await s.batches())[0]?.nonce, nonce + 1n)
  await s.mine(3)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})

/** Answers like a node that lags by `lag.blocks`, and like an honest one when that is 0. */
function lagging(s: () => Stepped, lag: { blocks: number }): Rules {
  return async ({ method, params }) => {
    if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest' || lag.blocks === 0) return { kind: 'none' }
    const { number } = await s().head()
    const older = await s().rpc('eth_getBlockByNumber', `0x${(number - BigInt(lag.blocks)).toString(16)}`, false)
    return { kind: 'lie', lie: () => older }
  }
}

test('a head that lags is not believed for a while, holds what is new, and loses nothing', async () => {
  let s: Stepped | undefined
  const lag = { blocks: 0 }
  const present = () => s ?? assert.fail('not begun')
  const proxy = await startFaultyRpc(chain.rpcUrl, lagging(present, lag))
  try {
    s = await chain.begin({ config: { rpcUrls: [proxy.url] } })
    const orderId = await formOne(s)
    await s.mine()
    await s.round()
    const seen = await s.observed()
    lag.blocks = 1
    const [waits] = await s.place(mint(2))
    for (const _ of [1, 2]) await s.round()
    assert.equal(await s.stateOf(orderId), 'processing/CONFIRMING')
    assert.deepEqual(await s.observed(), seen)
    assert.equal(await s.stateOf(waits), 'pending/ORDER_CREATED')
    assert.deepEqual([s.held(), s.counted.some((call) => call.join() === 'headLag,1')], ['chain-behind', true])
    await s.forget()
    await s.round()
    assert.equal(s.held(), 'chain-behind')

    // It has caught up with what was seen before, and needs no new block to go on.
    lag.blocks = 0
    await s.round()
    await s.round()
    assert.equal(await s.stateOf(waits), 'processing/SUBMITTED')
    assert.equal(s.logged.filter(({ level }) => level >= WARN && level !== WARN).length, 0)
  } finally {
    await proxy.close()
  }
})

test('a chain that stays shorter has lost blocks: then its word counts', async () => {
  let s: Stepped | undefined
  const lag = { blocks: 0 }
  const proxy = await startFaultyRpc(
    chain.rpcUrl,
    lagging(() => s ?? assert.fail('not begun'), lag),
  )
  try {
    s = await chain.begin({ config: { rpcUrls: [proxy.url] } })
    const orderId = await formOne(s)
    await s.mine()
    await s.round()
    lag.blocks = 1
    await s.round()
    assert.equal(await s.stateOf(orderId), 'processing/CONFIRMING')
    s.passMs(NEVER.behindGraceMs - 1)
    await s.round()
    assert.equal(await s.stateOf(orderId), 'processing/CONFIRMING')
    s.passMs(1)
    await s.round()
    assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
    const { number } = await s.head()
    assert.equal((await s.observed()).observed_block, number - 1n)
    assert.equal(s.logged.filter(({ level }) => level === ERROR).length, 1)
  } finally {
    await proxy.close()
  }
})

test('a settled batch whose transaction is not found is looked for again at the same head', async () => {
  let hidden = true
  const proxy = await startFaultyRpc(chain.rpcUrl, ({ method, params }) => {
    if (!hidden) return { kind: 'none' }
    const isWholeBlock = method === 'eth_getBlockByNumber' && params[1] === true
    if (isWholeBlock || method === 'eth_getTransactionReceipt') return { kind: 'lie', lie: () => null }
    return method === 'eth_getLogs' ? { kind: 'lie', lie: () => [] } : { kind: 'none' }
  })
  try {
    const s = await chain.begin({ config: { rpcUrls: [proxy.url] } })
    const orderId = await formOne(s)
    const before = await s.observed()
    await s.mine()
    await s.round()
    assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
    assert.deepEqual(await s.observed(), before)
    assert.equal(s.logged.filter(({ level, msg }) => level === ERROR && /cannot be found/.test(msg)).length, 1)
    hidden = false
    await s.round()
    assert.equal(await s.stateOf(orderId), 'processing/CONFIRMING')
    assert.equal((await s.observed()).observed_block, before.observed_block + 1n)
  } finally {
    await proxy.close()
  }
})

test('a settled batch that is not what was stored is read from the chain at full depth, and its order takes what it says', async () => {
  const s = await chain.begin()
  const orderId = await formOne(s)
  await s.db.query(`update batches set digest = '0x00' where chain_id = $1`, [s.config.chainId])
  const [waits] = await s.place(mint(2))
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
  assert.equal(await s.stateOf(waits), 'pending/ORDER_CREATED')
  assert.equal(s.held(), 'batch-conflict')
  await s.mine()
  await s.round()
  assert.equal(s.logged.filter(({ level }) => level === FATAL).length, 1)
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
  assert.equal(await s.stateOf(waits), 'processing/SUBMITTED')
  assert.deepEqual(
    (await s.batches()).map(({ batch_id, status, is_foreign }) => [batch_id, status, is_foreign]),
    [
      [1n, 'final', true],
      [2n, 'signed', false],
    ],
  )
})

test('when a reorganisation puts another batch in the place of a mined one, the orders of ours await another batch', async () => {
  const s = await chain.begin()
  const orderId = await formOne(s)
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/CONFIRMING')
  await s.rpc('anvil_reorg', 1, [])
  await s.rpc('anvil_dropAllTransactions')
  const instruction = {
    kind: KIND.MINT,
    from: zeroAddress,
    to: wallet(9),
    amount: 1n,
    tag: '0x0000000000000001',
  } as const
  const data = encodeSettle(1n, NO_HISTORY, packInstructions([instruction]))
  const call = { from: account('second').address, to: s.config.settlement, data, gas: '0x4c4b40' }
  await s.rpc('eth_sendTransaction', { ...call, ...firstInBlock() })
  await s.mine(3)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
  assert.deepEqual(
    (await s.batches()).map(({ batch_id, status, is_foreign }) => [batch_id, status, is_foreign]),
    [
      [1n, 'final', true],
      [2n, 'signed', false],
    ],
  )
  // The reorganisation has freed the nonce of the first batch: it is filled.
  await s.round()
  s.passMs(NEVER.behindGraceMs)
  await s.round()
  await s.mine(3)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
  assert.equal(await s.chain.admin.supply(), 6n)
})

test('a batch of a signer that is no longer configured is still followed', async () => {
  const s = await chain.begin()
  const orderId = await formOne(s)
  s.work.chain = { ...s.chain, signers: [] }
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/CONFIRMING')
})

test('a batch that another transaction of ours settled is found by the record of the contract, not by its hashes', async () => {
  const s = await chain.begin()
  const orderId = await formOne(s)
  await s.mine()
  const { number, hash } = await s.head()
  const [attempt] = await s.attempts()
  await s.db.query('delete from batch_attempts where chain_id = $1', [s.config.chainId])
  await s.round()
  const [batch] = await s.batches()
  assert.deepEqual(
    [batch?.status, batch?.mined_block, batch?.mined_hash, batch?.tx_hash],
    ['mined', number, hash, attempt?.tx_hash],
  )
  assert.equal((await s.order(orderId)).block_number, number)
})
