// engine: postgres; both in test:long
/** Batches that the chain lost after they were final, and those that reverted: told of, and settled once all the same. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeFunctionData } from 'viem'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { account, keyOf } from './fixture.ts'
import { ALONE, CHAIN, counted, formOne, rawOf, SECOND, SIGNER, said } from './repairing.ts'
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
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

/** Settles one order for good; then the chain loses it. */
async function loseFinal(s: Stepped): Promise<string> {
  await formOne(s)
  await s.mine(2)
  await s.round()
  const [batch] = await s.batches()
  assert.equal(batch?.status, 'final')
  s.sent.length = 0
  await s.rpc('anvil_reorg', 2, [])
  await s.rpc('anvil_dropAllTransactions')
  return batch?.tx_hash ?? ''
}

test('a final batch that has vanished is told of at once, and sent again while its nonce is free', async () => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 10 * NEVER.recheckMs } })
  const hash = await loseFinal(s)
  await s.round()
  assert.deepEqual([counted(s, 'vanished'), said(s, FATAL)], [1, 1])
  assert.deepEqual(s.sent, [await rawOf(s, hash)])
  await s.round()
  assert.equal(counted(s, 'vanished'), 1)
  await s.mine()
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal(counted(s, 'vanished'), 1)
})

test('a final batch that has vanished is not sent again once its nonce was used', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseFinal(s)
  const [{ nonce = 0n } = {}] = await s.batches()
  await useNonce(s, SIGNER, nonce)
  await s.mine()
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal(counted(s, 'vanished'), 1)
  assert.deepEqual(s.sent, [])
})

test('a final batch under whose id the chain has settled other instructions counts as vanished', async () => {
  const s = await chain.begin({ config: ALONE })
  await formOne(s)
  await s.mine(2)
  await s.round()
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal(counted(s, 'vanished'), 0)
  await s.db.query(`update batches set digest = '0x00' where chain_id = $1`, [CHAIN])
  s.passMs(NEVER.recheckMs)
  await s.round()
  // That it is lost, and that others have its id.
  assert.deepEqual([counted(s, 'vanished'), said(s, FATAL)], [1, 2])
})

test('all the newest final batches are looked at, also those before one that is there', async () => {
  const s = await chain.begin({ config: ALONE })
  for (const seed of [1, 2]) {
    await formOne(s, seed)
    await s.mine(2)
    await s.round()
  }
  const spoil = (batchId: bigint) =>
    s.db.query(`update batches set digest = '0x00' where chain_id = $1 and batch_id = $2`, [CHAIN, batchId])
  await spoil(1n)
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal(counted(s, 'vanished'), 1)
  await spoil(2n)
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal(counted(s, 'vanished'), 3)
})

/** Makes the waiting batch revert, by a pause that comes before it in its block. */
async function revertOnce(s: Stepped, turn = 0): Promise<void> {
  await sendStop(s, true, turn)
  await s.mine()
  await sendStop(s, false, turn)
  await s.mine()
}

test('an order never fails because its batch reverted, however often; each time a new batch is formed under the same id', async () => {
  const s = await chain.begin({ config: ALONE })
  const orderId = await formOne(s)
  const first = (await s.order(orderId)).tx_hash
  for (const reverts of [1, 2, 3, 4]) {
    await revertOnce(s, reverts)
    await s.round()
    const [batch, ...others] = await s.batches()
    assert.deepEqual([batch?.batch_id, batch?.nonce, batch?.status, others], [1n, BigInt(reverts), 'signed', []])
    assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
  }
  assert.notEqual((await s.order(orderId)).tx_hash, first)
  assert.equal((await s.attempts()).length, 5)
  assert.equal(counted(s, 'reverted'), 4)
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})

test('a batch that reverts takes everything behind it along: all of it is formed again, in order, and settles once', async () => {
  const s = await chain.begin({ config: ALONE })
  const ids: bigint[] = []
  for (const seed of [1, 2, 3]) {
    ids.push(await formOne(s, seed))
    s.work.memory.blocks.intervalMs = undefined
  }
  assert.equal((await s.batches()).length, 3)
  await revertOnce(s)
  await s.round()
  const [again, ...rest] = await s.batches()
  assert.deepEqual([again?.batch_id, again?.nonce, again?.status], [1n, 3n, 'signed'])
  assert.deepEqual(
    rest.map(({ status }) => status),
    ['abandoned', 'abandoned'],
  )
  await s.mine(2)
  await s.round()
  for (const id of ids) assert.equal(await s.stateOf(id), 'completed/COMPLETED')
  assert.equal(await s.chain.admin.supply(), 15n)
  // The next one takes the next id of the contract.
  await formOne(s, 4)
  assert.deepEqual(
    (await s.batches()).map(({ batch_id, status }) => [batch_id, status]),
    [
      [1n, 'final'],
      [2n, 'signed'],
      [3n, 'abandoned'],
    ],
  )
})

test('a foreign transaction never counts as a revert, however often it takes the nonce', async () => {
  const s = await chain.begin({ config: ALONE })
  const orderId = await formOne(s)
  for (const _ of [1, 2]) {
    const [{ nonce = 0n } = {}] = await s.batches()
    await useNonce(s, SIGNER, nonce)
    await s.mine(2)
    await s.round()
    assert.deepEqual([(await s.batches())[0]?.nonce, counted(s, 'reverted')], [nonce + 1n, 0])
  }
  assert.equal(said(s, ERROR), 2)
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})

test('while orders of a dead batch would revert again nothing is signed, the reason is told once, and no nonce is used', async () => {
  const s = await chain.begin({ config: ALONE })
  const orderId = await formOne(s)
  await sendStop(s, true)
  await s.mine(2)
  const next = await s.nextNonce(SIGNER)
  for (const _ of [1, 2, 3]) {
    await s.round()
    assert.deepEqual([(await s.attempts()).length, await s.nextNonce(SIGNER), s.held()], [1, next, 'paused'])
    assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
  }
  assert.equal(s.logged.filter(({ level }) => level >= WARN).length, 2)
  assert.equal(counted(s, 'reverted'), 1)
  await sendStop(s, false)
  await s.mine()
  await s.round()
  assert.equal(s.held(), 'none')
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})

test('a key that lost its role is replaced by the one that stands by', async () => {
  const s = await chain.begin()
  const orderId = await formOne(s)
  assert.equal((await s.batches())[0]?.signer, SIGNER)
  const args = [ROLE_IDS.signer, SIGNER] as const
  const data = encodeFunctionData({ abi: settlementAbi, functionName: 'revokeRole', args })
  const revocation = { from: account('pauser').address, to: s.config.settlement, data, gas: '0x186a0' }
  await s.rpc('eth_sendTransaction', { ...revocation, ...firstInBlock() })
  await s.mine(2)
  await s.round()
  const [moved] = await s.batches()
  assert.deepEqual([moved?.batch_id, moved?.signer, moved?.status], [1n, SECOND, 'signed'])
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})
