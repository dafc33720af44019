// engine: postgres
/** The emergency stop, when nodes are dead or lie, fees are high, keys are empty, and somebody is about to end it. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type Hex, numberToHex, toFunctionSelector } from 'viem'
import { connectChain } from '../../src/chain/chain.ts'
import { KeyActionLateError, KeyActionUnpaidError } from '../../src/chain/key-action-errors.ts'
import { pauseCall } from '../../src/chain/key-calls.ts'
import { createSigner } from '../../src/chain/signer.ts'
import { performStop } from '../../src/chain/stop.ts'
import type { ChainConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { type Anvil, keepMining, startAnvil } from '../support/anvil.ts'
import { type Fault, type FaultyRpc, type Rules, startFaultyRpc } from '../support/faulty-rpc.ts'
import { waitFor } from '../support/wait-for.ts'
import { account, deployChain, keyOf, rpc, silent } from './fixture.ts'

const GWEI = 10n ** 9n
const HONEST: Fault = { kind: 'none' }
const PAUSED = toFunctionSelector('paused()')
const [PAUSER, UNPAUSER] = [account('pauser').address, account('unpauser').address]

/** Every use of the database fails: the stop needs none. */
const db = {
  query: () => Promise.reject(new Error('the database is away')),
  transaction: () => Promise.reject(new Error('the database is away')),
} as unknown as Database

let anvil: Anvil
let config: ChainConfig
let fresh: unknown
let proxies: FaultyRpc[] = []
let stopMining = () => {}
const ask = (method: string, ...params: unknown[]) => rpc(anvil.rpcUrl, method, ...params)

before(async () => {
  anvil = await startAnvil()
  config = await deployChain(anvil.rpcUrl, { confirmations: 3, maxFeePerGasWei: 100n * GWEI })
  await ask('evm_setAutomine', false)
  fresh = await ask('evm_snapshot')
})
afterEach(async () => {
  stopMining()
  await Promise.all(proxies.map((proxy) => proxy.close()))
  proxies = []
  await ask('evm_revert', fresh)
  await ask('anvil_dropAllTransactions')
  // The base fee does not go back with the rest.
  await ask('anvil_setNextBlockBaseFeePerGas', numberToHex(GWEI))
  await ask('anvil_mine', '0x1')
  fresh = await ask('evm_snapshot')
})
after(() => anvil.stop())

function mineAlong(): void {
  stopMining = keepMining(() => ask('anvil_mine', '0x1'), 150)
}

async function behind(rules: readonly Rules[], changes: Partial<ChainConfig> = {}) {
  proxies = await Promise.all(rules.map((each) => startFaultyRpc(anvil.rpcUrl, each)))
  const urls = proxies.map(({ url }) => url)
  const quorum = Math.floor(urls.length / 2) + 1
  return connectChain({ ...config, rpcUrls: urls, quorum, ...changes }, { db, logger: silent }).admin
}

const isPaused = async () =>
  BigInt((await ask('eth_call', { to: config.coin.address, data: PAUSED }, 'latest')) as Hex) === 1n

const send = (from: string, to: string, data: Hex, gwei = 20n) =>
  ask('eth_sendTransaction', {
    from,
    to,
    data,
    gas: '0x186a0',
    maxFeePerGas: numberToHex(gwei * GWEI),
    maxPriorityFeePerGas: numberToHex(gwei * GWEI),
  })
const sendUnpause = () => send(UNPAUSER, config.coin.address, '0x3f4ba83a')

async function pauseFirst(): Promise<void> {
  await send(PAUSER, config.coin.address, '0x8456cb59')
  await ask('anvil_mine', '0x5')
  assert.equal(await isPaused(), true)
}

test('one living node of three is enough, and no database is needed', async () => {
  const admin = await behind([() => ({ kind: 'refuse' }), () => ({ kind: 'hang' }), () => HONEST])
  mineAlong()
  assert.notEqual(await admin.pause(), undefined)
  assert.equal(await isPaused(), true)
  assert.equal(await admin.pause(), undefined)
})

test('the stop has its own fee ceiling, above that of batches', async () => {
  await ask('anvil_setNextBlockBaseFeePerGas', numberToHex(300n * GWEI))
  await ask('anvil_mine', '0x1')
  const admin = await behind([() => HONEST])
  mineAlong()
  assert.notEqual(await admin.pause(), undefined)
  assert.equal(await isPaused(), true)
})

test('a pauser without gas money is named at once', async () => {
  await ask('anvil_setBalance', PAUSER, '0x1')
  const admin = await behind([() => HONEST])
  await assert.rejects(admin.pause(), (error) => error instanceof KeyActionUnpaidError && error.address === PAUSER)
})

test('a pauser with little gas money offers what it has', async () => {
  await ask('anvil_setBalance', PAUSER, numberToHex(150_000n * 3n * GWEI))
  const admin = await behind([() => HONEST])
  mineAlong()
  assert.notEqual(await admin.pause(), undefined)
  assert.equal(await isPaused(), true)
})

test('what waits under the nonce of the pauser is replaced, however dear', async () => {
  await send(PAUSER, PAUSER, '0x', 60n)
  const waits = (await send(PAUSER, PAUSER, '0x', 60n)) as Hex
  const admin = await behind([() => HONEST])
  const done = admin.pause()
  await waitFor('the second to be replaced', async () => (await ask('eth_getTransactionByHash', waits)) === null)
  mineAlong()
  assert.notEqual(await done, undefined)
  assert.equal(await isPaused(), true)
})

test('an unpause that waits is replaced where its key is, before the stop counts as done', async () => {
  await pauseFirst()
  const waits = (await sendUnpause()) as Hex
  const admin = await behind([() => HONEST])
  const done = admin.pause()
  await waitFor('the unpause to be replaced', async () => (await ask('eth_getTransactionByHash', waits)) === null)
  mineAlong()
  assert.equal(await done, undefined)
  assert.equal(await isPaused(), true)
})

test('an unpause that waits, of a key that is elsewhere, is not taken for done: when it is mined, the stop is repeated', async () => {
  await pauseFirst()
  await sendUnpause()
  const admin = await behind([() => HONEST], { unpauser: undefined })
  const done = admin.pause()
  let isDone = false
  void done.then(() => {
    isDone = true
  })
  await waitFor('the state to be read often', () => proxies[0]?.seen.filter((each) => each === 'eth_call').length !== 0)
  assert.deepEqual([isDone, await isPaused()], [false, true])
  mineAlong()
  assert.notEqual(await done, undefined)
  assert.equal(await isPaused(), true)
})

test('the deadline says that an unpause still waits', async () => {
  await pauseFirst()
  await sendUnpause()
  const stop = {
    signer: createSigner(keyOf('pauser')),
    action: pauseCall(config, 'pause', 'coin'),
    rivals: [{ address: UNPAUSER }],
  }
  const { nodes } = connectChain(config, { db, logger: silent })
  await assert.rejects(
    performStop({ config, nodes, logger: silent, deadlineMs: 700 }, stop),
    (error) => error instanceof KeyActionLateError && error.message.includes(`a transaction of ${UNPAUSER} waits`),
  )
})

test('one of three nodes that says "paused" is not believed', async () => {
  const lies: Rules = ({ method, params }) =>
    method === 'eth_call' && (params[0] as { data: string }).data.startsWith(PAUSED)
      ? { kind: 'lie', lie: () => `0x${'1'.padStart(64, '0')}` }
      : HONEST
  const admin = await behind([lies, () => HONEST, () => HONEST])
  mineAlong()
  assert.notEqual(await admin.pause(), undefined)
  assert.equal(await isPaused(), true)
})

test('a stop that nodes swallow is never told as done', async () => {
  const swallows: Rules = ({ method }) =>
    method === 'eth_sendRawTransaction' ? { kind: 'pretend', result: `0x${'1'.repeat(64)}` } : HONEST
  proxies = [await startFaultyRpc(anvil.rpcUrl, swallows)]
  const { nodes } = connectChain({ ...config, rpcUrls: [proxies[0]?.url ?? ''] }, { db, logger: silent })
  mineAlong()
  const stop = { signer: createSigner(keyOf('pauser')), action: pauseCall(config, 'pause', 'coin'), rivals: [] }
  await assert.rejects(performStop({ config, nodes, logger: silent, deadlineMs: 2_000 }, stop), KeyActionLateError)
  assert.equal(await isPaused(), false)
})

test('an unpause that is mined while a node is being asked is not overlooked', async () => {
  await pauseFirst()
  await sendUnpause()
  let isMined = false
  // Between any two answers of a node a block may come: here between the state and the nonces, or the other way round.
  const mines: Rules = async ({ method, params }) => {
    if (isMined || method !== 'eth_getTransactionCount' || params[1] !== 'pending') return HONEST
    isMined = true
    await ask('anvil_mine', '0x1')
    return HONEST
  }
  const admin = await behind([mines], { unpauser: undefined })
  mineAlong()
  assert.notEqual(await admin.pause(), undefined)
  assert.equal(await isPaused(), true)
})
