// engine: postgres; both in test:long
/** Nonces that nobody carries are filled, so that what comes after them is mined; one round at a time. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { numberToHex, parseTransaction } from 'viem'
import type { Signer } from '../../src/chain/signer.ts'
import { keyOf } from './fixture.ts'
import { ALONE, CHAIN, formOne, rawOf, SECOND, SIGNER, said } from './repairing.ts'
import { mintOf, settleAfter, tagOf } from './replacing.ts'
import { ERROR, NEVER, type Stepped, type SteppedChain, startStepped, useNonce } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

/** Makes the database say that these nonces were used, although the chain has never seen them. */
async function loseNonces(s: Stepped, ...signers: string[]): Promise<void> {
  await s.round()
  await s.db.query(
    'update signers set next_nonce = next_nonce + 1 where chain_id = $1 and address = any ($2::text[])',
    [CHAIN, signers],
  )
}

test('a nonce that nobody carries is filled with a transfer of nothing, after a while and once per while', async () => {
  const s = await chain.begin()
  await loseNonces(s, SIGNER, SECOND)
  const before = [await s.nextNonce(SIGNER), await s.nextNonce(SECOND)]
  await s.round()
  s.passMs(NEVER.behindGraceMs - 1)
  await s.round()
  assert.deepEqual(s.sent, [])
  s.passMs(1)
  await s.round()
  const sent = s.sent.map((raw) => parseTransaction(raw as `0x02${string}`))
  assert.deepEqual(
    sent.map(({ to, data, value, gas, nonce }) => ({ to: to?.toLowerCase(), data, value, gas, nonce })),
    [SIGNER, SECOND].map((address, index) => ({
      to: address.toLowerCase(),
      data: undefined,
      value: undefined,
      gas: 21_000n,
      nonce: Number(before[index]) - 1,
    })),
  )
  assert.equal(said(s, ERROR), 2)
  await s.round()
  assert.equal(s.sent.length, 2)
  await s.mine()
  const orderId = await formOne(s)
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})

test('only the signer that has a gap gets it filled, and only while it has it', async () => {
  const s = await chain.begin()
  await loseNonces(s, SECOND)
  await s.round()
  const nonce = ((await s.nextNonce(SECOND)) ?? 0n) - 1n
  s.passMs(NEVER.behindGraceMs)
  await useNonce(s, SECOND, nonce)
  await s.mine()
  await s.round()
  assert.deepEqual(s.sent, [])
  // A later gap waits its own while.
  await loseNonces(s, SECOND)
  await s.round()
  assert.deepEqual(s.sent, [])
  s.passMs(NEVER.behindGraceMs)
  await s.round()
  assert.deepEqual(
    s.sent.map((raw) => parseTransaction(raw as `0x02${string}`).nonce),
    [Number(nonce) + 1],
  )
})

test('a nonce that a batch in flight carries is no gap', async () => {
  const s = await chain.begin({ config: ALONE })
  await formOne(s)
  await s.rpc('anvil_dropAllTransactions')
  for (const _ of [1, 2]) {
    s.passMs(NEVER.behindGraceMs)
    await s.round()
  }
  assert.equal(s.sent.length, 1)
})

test('a gap is filled with the bytes that once had the nonce, so that what they settled is settled again', async () => {
  const s = await chain.begin({ config: ALONE })
  const orderId = await formOne(s)
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
  const [attempt] = await s.attempts()
  await s.rpc('anvil_reorg', 2, [])
  await s.rpc('anvil_dropAllTransactions')
  // The look for final batches sends them, too, once it finds that they are lost.
  await s.round()
  s.sent.length = 0
  await s.round()
  assert.deepEqual(s.sent, [])
  s.passMs(NEVER.behindGraceMs)
  await s.round()
  assert.deepEqual(s.sent, [await rawOf(s, attempt?.tx_hash)])
})

test('a gap is filled for what gas costs where the chain has, by others, what the bytes of the nonce settle', async (t) => {
  const dear = numberToHex(90n * 10n ** 9n)
  const s = await chain.begin({ config: ALONE })
  t.after(() => s.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(10n ** 9n)))
  const mineDear = async () => {
    await s.rpc('anvil_setNextBlockBaseFeePerGas', dear)
    await s.mine()
  }
  const orderId = await formOne(s)
  await s.rpc('anvil_dropAllTransactions')
  await settleAfter(s, 0n, [[mintOf(1, await tagOf(s, orderId))]])
  await s.mine()
  const [attempt] = await s.attempts()
  await s.rpc('eth_sendRawTransaction', await rawOf(s, attempt?.tx_hash))
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
  await s.rpc('anvil_reorg', 1, [])
  await s.rpc('anvil_dropAllTransactions')
  await mineDear()
  const behind = await formOne(s, 2)
  await mineDear()
  await s.round()
  s.passMs(NEVER.behindGraceMs)
  await s.round()
  for (let blocks = 0; blocks < 2; blocks += 1) await mineDear()
  await s.round()
  assert.equal(await s.stateOf(behind), 'completed/COMPLETED', s.held())
})

test('all nonces of abandoned batches that the nodes have lost are filled at once, so that what is formed anew is mined', async () => {
  const s = await chain.begin({ config: ALONE })
  const ids: bigint[] = []
  for (const seed of [1, 2, 3, 4]) {
    ids.push(await formOne(s, seed))
    s.work.memory.blocks.intervalMs = undefined
  }
  const [{ nonce: first = 0n } = {}] = await s.batches()
  await s.rpc('anvil_dropAllTransactions')
  await useNonce(s, SIGNER, first)
  await s.mine(2)
  await s.round()
  assert.deepEqual(
    (await s.batches()).map(({ nonce, status }) => [nonce, status]),
    [first + 4n, first + 1n, first + 2n, first + 3n].map((nonce, index) => [
      nonce,
      index === 0 ? 'signed' : 'abandoned',
    ]),
  )
  s.sent.length = 0
  const signer = s.work.chain.signers.find(({ address }) => address === SIGNER) as Signer
  const { sign } = signer
  signer.sign = () => Promise.reject(new Error('the remote signer is down'))
  s.passMs(NEVER.behindGraceMs)
  await s.round()
  assert.deepEqual(s.sent, [])
  signer.sign = sign
  await s.round()
  s.passMs(NEVER.behindGraceMs)
  await s.round()
  const filled = s.sent
    .map((raw) => parseTransaction(raw as `0x02${string}`))
    .sort((one, other) => (one.nonce ?? 0) - (other.nonce ?? 0))
  assert.deepEqual(
    filled.map(({ nonce, gas }) => [nonce, gas]),
    [1, 2, 3].map((behind) => [Number(first) + behind, 21_000n]),
  )
  assert.equal(said(s, ERROR), 1 + 3 + 3)
  await s.mine(2)
  await s.round()
  for (const id of ids) assert.equal(await s.stateOf(id), 'completed/COMPLETED')
})
