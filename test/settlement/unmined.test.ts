// engine: postgres; both in test:long
/** A batch that no block takes holds the chain for all to see, also where no order waits behind it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { numberToHex } from 'viem'
import { account, keyOf, sendAlone, wallet } from './fixture.ts'
import { type Stepped, type SteppedChain, startStepped, useNonce } from './stepped.ts'

const GWEI = 1_000_000_000n
const SIGNER = account('signer').address

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, bumpAfterBlocks: 2, signers: [keyOf('signer')] })
})
after(() => chain.end())

async function formOne(s: Stepped): Promise<bigint> {
  const [orderId = 0n] = await s.place({ direction: 'MINT', amountMicro: 5n, to: wallet(1) })
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
  return orderId
}

/** The hold that other processes are told of. */
async function published(s: Stepped): Promise<string | undefined> {
  const [row] = await s.db.query<{ reason: string }>('select reason from settlement_holds where chain_id = $1', [
    s.config.chainId,
  ])
  return row?.reason
}

async function finish(s: Stepped, order: bigint): Promise<void> {
  await s.mine(2)
  await s.round()
  assert.deepEqual([await s.stateOf(order), s.held(), await published(s)], ['completed/COMPLETED', 'none', 'none'])
}

test('gas that costs more than may be offered', async (t) => {
  const s = await chain.begin({ times: { rebroadcastMs: 0 } })
  t.after(() => s.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(GWEI)))
  const order = await formOne(s)
  assert.equal(await published(s), 'none')
  await s.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(2n * s.config.maxFeePerGasWei))
  await s.mine()
  await s.round()
  assert.deepEqual([s.held(), await published(s)], ['gas-price', 'gas-price'])
  await s.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(GWEI))
  await s.mine()
  // The node has let go of what it could not put into a block.
  await s.round()
  await finish(s, order)
})

test('a signer whose gas money is gone, with nobody to take its batch over', async () => {
  const s = await chain.begin()
  const order = await formOne(s)
  const before = await s.rpc('eth_getBalance', SIGNER, 'latest')
  await s.rpc('anvil_setBalance', SIGNER, '0x1')
  await s.rpc('anvil_dropAllTransactions')
  await s.mine()
  await s.round()
  assert.deepEqual([s.held(), await published(s)], ['gas-balance', 'gas-balance'])
  await s.rpc('anvil_setBalance', SIGNER, before)
  await s.rpc('eth_sendRawTransaction', s.sent[0])
  await finish(s, order)
})

test('a transaction that nodes have taken and no block takes, until one does', async () => {
  const s = await chain.begin()
  const order = await formOne(s)
  for (let block = 1; block <= 6; block += 1) {
    assert.equal(s.held(), 'none', `after ${block - 1} blocks`)
    await s.rpc('anvil_dropAllTransactions')
    await s.mine()
    await s.round()
  }
  assert.deepEqual([s.held(), await published(s)], ['batch-not-mined', 'batch-not-mined'])
  await sendAlone(s.rpc, s.sent.at(-1))
  await finish(s, order)
})

test('a chain that makes no blocks, until it does', async () => {
  const s = await chain.begin()
  const order = await formOne(s)
  await s.round()
  s.passMs(299_999)
  await s.round()
  assert.equal(s.held(), 'none')
  s.passMs(1)
  await s.round()
  assert.deepEqual([s.held(), await published(s)], ['batch-not-mined', 'batch-not-mined'])
  assert.equal(s.logged.findLast(({ reason }) => reason === 'batch-not-mined')?.noBlockForSeconds, '300')
  await finish(s, order)
})

test('a chain that makes blocks on demand does not stand still when a batch comes after a long time', async () => {
  const s = await chain.begin()
  await s.round()
  s.passMs(400_000)
  const order = await formOne(s)
  await s.round()
  assert.equal(s.held(), 'none')
  s.passMs(29_999)
  await s.round()
  assert.equal(s.held(), 'none')
  s.passMs(1)
  await s.round()
  assert.equal(s.held(), 'batch-not-mined')
  await finish(s, order)
})

test('a batch whose nonce somebody else has used, until that is final', async () => {
  const s = await chain.begin({ config: { confirmations: 8 } })
  const order = await formOne(s)
  await s.rpc('anvil_dropAllTransactions')
  await useNonce(s, SIGNER, 0n)
  await s.mine()
  await s.round()
  assert.deepEqual([s.held(), await published(s)], ['batch-not-mined', 'batch-not-mined'])
  assert.equal(s.logged.findLast(({ reason }) => reason === 'batch-not-mined')?.usedNonce, '0')
  await s.mine(7)
  await s.round()
  assert.equal(s.held(), 'none', 'it is signed again')
  await s.mine(6)
  await finish(s, order)
})
