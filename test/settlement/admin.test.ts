// engine: postgres
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { getAddress, type Hex } from 'viem'
import { createAdmin, KeyMissingError } from '../../src/chain/admin.ts'
import { connectChain } from '../../src/chain/chain.ts'
import { KeyActionLateError, KeyActionRefusedError } from '../../src/chain/key-action-errors.ts'
import { freezeCall, type KeyName } from '../../src/chain/key-calls.ts'
import { ChainUnreadableError } from '../../src/chain-errors.ts'
import type { ChainConfig } from '../../src/config/types.ts'
import { type Anvil, keepMining, startAnvil } from '../support/anvil.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Rules, startFaultyRpc } from '../support/faulty-rpc.ts'
import { waitFor } from '../support/wait-for.ts'
import { account, deployChain, keyOf, linkOf, rpc, silent, wallet } from './fixture.ts'

const ACCOUNT = linkOf(wallet(1)).account

let anvil: Anvil
let db: TestDatabase

before(async () => {
  ;[anvil, db] = await Promise.all([startAnvil(), createTestDatabase()])
})
after(async () => {
  await db.close()
  await anvil.stop()
})

test('linking is idempotent, also when several processes do it at once', async () => {
  const config = await deployChain(anvil.rpcUrl)
  const db = await createTestDatabase({ engine: 'postgres' })
  const processes = [1, 2, 3].map(() => connectChain(config, { db, logger: silent }))
  const sent = await Promise.all(processes.map((chain) => chain.admin.linkWallet(linkOf(wallet(1)))))
  assert.equal(sent.filter((hash) => hash !== undefined).length, 1)
  assert.equal(await processes[0]?.reader.isLinkedTo(wallet(1), ACCOUNT), true)
  assert.equal(await processes[0]?.admin.linkWallet(linkOf(wallet(1))), undefined)
  await processes[0]?.admin.unlinkWallet(linkOf(wallet(1)))
  assert.equal(await processes[0]?.reader.isLinkedTo(wallet(1), ACCOUNT), false)
  await db.close()
})

test('one process links many wallets at once, each with one transaction', async () => {
  const config = await deployChain(anvil.rpcUrl)
  const { admin, reader } = connectChain(config, { db, logger: silent })
  const nonce = async () =>
    Number(await rpc(anvil.rpcUrl, 'eth_getTransactionCount', account('linker').address, 'latest'))
  const before = await nonce()
  const wallets = [1, 2, 3, 4].map(wallet)
  const sent = await Promise.all([...wallets, ...wallets].map((address) => admin.linkWallet(linkOf(address))))
  assert.equal(new Set(sent.filter((hash) => hash !== undefined)).size, wallets.length)
  for (const address of wallets) assert.equal(await reader.isLinkedTo(address, ACCOUNT), true)
  assert.equal((await nonce()) - before, wallets.length)
})

test('pausing waits for the configured depth', async () => {
  const config = await deployChain(anvil.rpcUrl, { confirmations: 3 })
  const { admin } = connectChain(config, { db, logger: silent })
  const before = (await admin.status()).head
  const stopMining = keepMining(() => rpc(anvil.rpcUrl, 'anvil_mine', '0x1'), 30)
  try {
    assert.notEqual(await admin.pause(), undefined)
  } finally {
    stopMining()
  }
  const status = await admin.status()
  assert.equal(status.paused, true)
  assert.ok(status.head >= before + 3n)
})

test('settlement is paused alone, the coin is, and resuming ends both; each only once', async () => {
  const config = await deployChain(anvil.rpcUrl)
  const { admin } = connectChain(config, { db, logger: silent })
  const state = async () => {
    const { paused, settlementPaused } = await admin.status()
    return { paused, settlementPaused }
  }
  assert.notEqual(await admin.pause({ settlementOnly: true }), undefined)
  assert.equal(await admin.pause({ settlementOnly: true }), undefined)
  assert.deepEqual(await state(), { paused: false, settlementPaused: true })
  assert.notEqual(await admin.pause(), undefined)
  assert.deepEqual(await state(), { paused: true, settlementPaused: true })
  assert.notEqual(await admin.unpause({ settlementOnly: true }), undefined)
  assert.deepEqual(await state(), { paused: true, settlementPaused: false })
  await admin.pause({ settlementOnly: true })
  assert.notEqual(await admin.unpause(), undefined)
  assert.deepEqual(await state(), { paused: false, settlementPaused: false })
  assert.equal(await admin.unpause(), undefined)
})

test('a wallet is frozen and freed, each only once', async () => {
  const config = await deployChain(anvil.rpcUrl)
  const { admin, reader } = connectChain(config, { db, logger: silent })
  assert.notEqual(await admin.freeze(wallet(1)), undefined)
  assert.equal(await admin.freeze(wallet(1)), undefined)
  assert.deepEqual([await reader.isFrozen(wallet(1)), await reader.isFrozen(wallet(2))], [true, false])
  assert.notEqual(await admin.unfreeze(wallet(1)), undefined)
  assert.equal(await reader.isFrozen(wallet(1)), false)
  await assert.rejects(admin.freeze(config.coin.address), KeyActionRefusedError)
})

test('a wallet does not count as frozen while what would free it waits in the pool, and stays frozen', async () => {
  const config = await deployChain(anvil.rpcUrl)
  const { admin, reader } = connectChain(config, { db, logger: silent })
  await admin.freeze(wallet(1))
  await rpc(anvil.rpcUrl, 'evm_setAutomine', false)
  const pool = async () => await rpc(anvil.rpcUrl, 'txpool_inspect')
  try {
    // As from a process that was killed, or whose time was over.
    const { to, data } = freezeCall(config, 'unfreeze', getAddress(wallet(1)))
    const block = (await rpc(anvil.rpcUrl, 'eth_getBlockByNumber', 'latest', false)) as { baseFeePerGas: Hex }
    const fees = { maxFeePerGas: block.baseFeePerGas, maxPriorityFeePerGas: '0x1' }
    await rpc(anvil.rpcUrl, 'eth_sendTransaction', { from: account('freezer').address, to, data, ...fees })
    const waiting = await pool()
    const frozen = admin.freeze(wallet(1))
    const replaced = waitFor('something else to wait', async () => !isDeepStrictEqual(await pool(), waiting))
    await Promise.race([frozen, replaced])
    await rpc(anvil.rpcUrl, 'evm_mine')
    await frozen
    assert.equal(await reader.isFrozen(wallet(1)), true)
    assert.deepEqual(await rpc(anvil.rpcUrl, 'txpool_status'), { pending: '0x0', queued: '0x0' })
  } finally {
    await rpc(anvil.rpcUrl, 'evm_setAutomine', true)
  }
})

test('nor while something of another freezer waits, which it cannot replace, as one that another process has sent', async () => {
  const deployed = await deployChain(anvil.rpcUrl)
  const other = account('pauser').address
  const roles = { freezers: [account('freezer').address, other] }
  const config = { ...deployed, deployment: { roles } } as unknown as ChainConfig
  const { admin, reader } = connectChain(config, { db, logger: silent })
  await admin.freeze(wallet(1))
  await rpc(anvil.rpcUrl, 'evm_setAutomine', false)
  try {
    await rpc(anvil.rpcUrl, 'eth_sendTransaction', { from: other, to: other })
    let isOver = false
    const frozen = admin.freeze(wallet(1)).finally(() => {
      isOver = true
    })
    // What frees somebody waits for nobody, and whoever needs the key meanwhile has it.
    for (let turn = 0; turn < 3; turn += 1) assert.equal(await admin.unfreeze(wallet(2)), undefined)
    assert.equal(isOver, false)
    await rpc(anvil.rpcUrl, 'evm_mine')
    assert.equal(await frozen, undefined)
    assert.equal(await reader.isFrozen(wallet(1)), true)
  } finally {
    await rpc(anvil.rpcUrl, 'evm_setAutomine', true)
  }
})

test('a key without its role, and one that is not there, are told apart', async () => {
  const config = await deployChain(anvil.rpcUrl)
  const withKeys = (change: Partial<ChainConfig>) =>
    connectChain({ ...config, ...change }, { db, logger: silent }).admin
  await assert.rejects(
    withKeys({ unpauser: keyOf('pauser'), pauser: keyOf('unpauser') }).pause(),
    (error) => error instanceof KeyActionRefusedError && error.reason === 'AccessControlUnauthorizedAccount',
  )
  const admin = withKeys({ linker: undefined, freezer: undefined, pauser: undefined, unpauser: undefined })
  const missing: [KeyName, () => Promise<unknown>][] = [
    ['linker', () => admin.linkWallet(linkOf(wallet(1)))],
    ['linker', () => admin.unlinkWallet(linkOf(wallet(1)))],
    ['freezer', () => admin.freeze(wallet(1))],
    ['freezer', () => admin.unfreeze(wallet(1))],
    ['pauser', () => admin.pause()],
    ['unpauser', () => admin.unpause()],
    ['unpauser', () => admin.unpause({ settlementOnly: true })],
  ]
  // Nothing is stopped, so that there is nothing to do without the key either.
  assert.equal(await admin.unpause(), undefined)
  await withKeys({}).pause({ settlementOnly: true })
  for (const [name, act] of missing) {
    await assert.rejects(act, (error) => error instanceof KeyMissingError && error.keyName === name)
    assert.throws(() => admin.requireKey(name), KeyMissingError)
  }
})

test('status and errors show no credentials of an RPC address', async () => {
  const config = await deployChain(anvil.rpcUrl)
  const secretUrl = `${anvil.rpcUrl.replace('http://', 'http://user:hunter2@')}/?key=hunter2`
  const chain = connectChain({ ...config, rpcUrls: [secretUrl] }, { db, logger: silent })
  assert.deepEqual((await chain.admin.status()).rpcUrls, [anvil.rpcUrl])

  const dead = connectChain({ ...config, rpcUrls: ['http://user:hunter2@127.0.0.1:1/hunter2'] }, { db, logger: silent })
  await assert.rejects(dead.reader.head(), (error: Error) => {
    assert.ok(error instanceof ChainUnreadableError)
    assert.doesNotMatch(`${error.message} ${error.stack}`, /hunter2/)
    return true
  })
})

test('a reader goes on to the next address when one is down', async () => {
  const config = await deployChain(anvil.rpcUrl)
  const chain = connectChain({ ...config, rpcUrls: ['http://127.0.0.1:1', anvil.rpcUrl] }, { db, logger: silent })
  assert.equal(await chain.reader.latestBalance(wallet(1)), 0n)
  assert.equal(await chain.reader.isSanctioned(wallet(1)), false)
})

test('the status names every signer of the chains file where this process has no key of one, and who has too little', async () => {
  const config = await deployChain(anvil.rpcUrl, { maxFeePerGasWei: 10n ** 9n })
  const give = (name: Parameters<typeof account>[0], wei: bigint) =>
    rpc(anvil.rpcUrl, 'anvil_setBalance', account(name).address, `0x${wei.toString(16)}`)
  const told = async (signers: ChainConfig['signers']) => {
    const { admin } = connectChain({ ...config, signers }, { db, logger: silent })
    return (await admin.status()).signers.map(({ address, isLow }) => [address, isLow])
  }
  try {
    await give('signer', 90n * 10n ** 14n)
    await give('second', 90n * 10n ** 14n - 1n)
    const [signer, second] = [account('signer').address, account('second').address]
    assert.deepEqual(await told([]), [
      [signer, false],
      [second, true],
    ])
    assert.deepEqual(await told([keyOf('second')]), [[second, true]])
  } finally {
    for (const name of ['signer', 'second'] as const) await give(name, 10n ** 20n)
  }
})

test('an address of another chain is never believed, though the coin has the same address there', async () => {
  const [here, there] = await Promise.all([startAnvil(), startAnvil({ chainId: 1_337 })])
  try {
    const config = await deployChain(here.rpcUrl)
    const other = await deployChain(there.rpcUrl, { chainId: 1_337 })
    assert.equal(other.coin.address, config.coin.address)
    await connectChain(other, { db, logger: silent }).admin.freeze(wallet(1))
    const readerOf = (...rpcUrls: string[]) => connectChain({ ...config, rpcUrls }, { db, logger: silent }).reader
    assert.equal(await readerOf(there.rpcUrl, here.rpcUrl).isFrozen(wallet(1)), false)
    await assert.rejects(readerOf(there.rpcUrl).isFrozen(wallet(1)), (error) => {
      return error instanceof ChainUnreadableError && /is of chain 1337, configured is 31337$/.test(error.message)
    })
  } finally {
    await Promise.all([here.stop(), there.stop()])
  }
})

test('the gas money of every key is told, and whether it pays for the dearest use of the key', async () => {
  const config = await deployChain(anvil.rpcUrl, { maxFeePerGasWei: 10n ** 9n, stopMaxFeePerGasWei: 10n ** 10n })
  const { admin } = connectChain(config, { db, logger: silent })
  const lowKeys = async () => (await admin.keyGas()).filter(({ isLow }) => isLow).map(({ name }) => name)
  const give = (name: Parameters<typeof account>[0], wei: bigint) =>
    rpc(anvil.rpcUrl, 'anvil_setBalance', account(name).address, `0x${wei.toString(16)}`)
  const keys = await admin.keyGas()
  assert.deepEqual(
    keys.map(({ name, address }) => [name, address]),
    [
      ...(['linker', 'freezer', 'pauser', 'unpauser'] as const).map((name) => [name, account(name).address]),
      ['signer', account('signer').address],
    ],
  )
  const enough = {
    linker: 2n * 10n ** 14n,
    freezer: 2n * 10n ** 14n,
    pauser: 15n * 10n ** 14n,
    unpauser: 2n * 10n ** 14n,
  }
  try {
    for (const [name, wei] of Object.entries(enough)) await give(name as keyof typeof enough, wei)
    await give('signer', 90n * 10n ** 14n)
    assert.deepEqual(await lowKeys(), [])
    for (const [name, wei] of Object.entries(enough)) await give(name as keyof typeof enough, wei - 1n)
    await give('signer', 90n * 10n ** 14n - 1n)
    assert.deepEqual(await lowKeys(), ['linker', 'freezer', 'pauser', 'unpauser', 'signer'])
  } finally {
    for (const name of [...Object.keys(enough), 'signer']) await give(name as keyof typeof enough, 10n ** 22n)
  }
})

test('resuming is not repeated when somebody stops the coin again meanwhile', async () => {
  const config = await deployChain(anvil.rpcUrl, { confirmations: 4 })
  const { admin } = connectChain(config, { db, logger: silent })
  const isPaused = async () => (await admin.status()).paused
  const mine = () => rpc(anvil.rpcUrl, 'anvil_mine', '0x1')
  let stopMining = keepMining(mine, 30)
  try {
    await admin.pause()
    stopMining()
    const resumed = admin.unpause()
    resumed.catch(() => {})
    await waitFor('the coin to be resumed', async () => !(await isPaused()))
    const stop = { from: account('pauser').address, to: config.coin.address, data: '0x8456cb59' }
    await rpc(anvil.rpcUrl, 'eth_sendTransaction', stop)
    stopMining = keepMining(mine, 30)
    await assert.rejects(resumed, (error) => error instanceof KeyActionLateError)
    assert.equal(await isPaused(), true)
  } finally {
    stopMining()
  }
})

const LIES: Record<string, Hex> = {
  eth_estimateGas: '0x5208',
  eth_maxPriorityFeePerGas: '0x9184e72a000',
  eth_getTransactionCount: '0xffff',
}
for (const [method, lie] of Object.entries(LIES)) {
  test(`one of three nodes lies about ${method}: the operator's transaction is as it should be`, async () => {
    const config = await deployChain(anvil.rpcUrl)
    const lies: Rules = (request) => (request.method === method ? { kind: 'lie', lie: () => lie } : { kind: 'none' })
    // So the liar comes first among those that agree on the head.
    const slow: Rules = (request) =>
      request.method === 'eth_getBlockByNumber' ? { kind: 'delay', ms: 40 } : { kind: 'none' }
    const proxies = await Promise.all([lies, slow, slow].map((rules) => startFaultyRpc(anvil.rpcUrl, rules)))
    try {
      const rpcUrls = proxies.map(({ url }) => url)
      const linker = account('linker').address
      const sentBefore = Number(await rpc(anvil.rpcUrl, 'eth_getTransactionCount', linker, 'latest'))
      const { admin } = connectChain({ ...config, rpcUrls, quorum: 2 }, { db, logger: silent })
      const hash = await admin.linkWallet(linkOf(wallet(1)))
      const sent = (await rpc(anvil.rpcUrl, 'eth_getTransactionByHash', hash)) as { maxPriorityFeePerGas: Hex }
      assert.ok(BigInt(sent.maxPriorityFeePerGas) < 10n ** 10n, sent.maxPriorityFeePerGas)
      // No other transaction was mined in vain, and none waits for ever.
      assert.equal(Number(await rpc(anvil.rpcUrl, 'eth_getTransactionCount', linker, 'latest')), sentBefore + 1)
      assert.deepEqual(await rpc(anvil.rpcUrl, 'txpool_status'), { pending: '0x0', queued: '0x0' })
    } finally {
      await Promise.all(proxies.map((proxy) => proxy.close()))
    }
  })
}

/** Code of a wallet that takes every signature, once it has counted to 200,000. */
const COUNTING: Hex = '0x62030d405b6001900380600457631626ba7e60e01b60005260206000f3'
/** And of one that takes every signature where nobody pays for the gas, as where a node is only asked. */
const FICKLE: Hex = '0x3a601457631626ba7e60e01b60005260206000f35b60006000fd'
const CONSENT = { signature: '0x01', deadline: 2n ** 40n } as const

const linkerOf = async () => {
  const { address } = account('linker')
  const [nonce, wei] = await Promise.all(
    (['eth_getTransactionCount', 'eth_getBalance'] as const).map((method) =>
      rpc(anvil.rpcUrl, method, address, 'latest'),
    ),
  )
  return { sent: Number(nonce), wei: BigInt(wei as Hex) }
}

test('a wallet whose code uses up gas without end costs the linker nothing: its consent is refused', async () => {
  const config = await deployChain(anvil.rpcUrl)
  await rpc(anvil.rpcUrl, 'anvil_setCode', wallet(1), COUNTING)
  const { admin } = connectChain(config, { db, logger: silent })
  const before = await linkerOf()
  const refused = (error: unknown) => error instanceof KeyActionRefusedError && error.reason === 'TooMuchGas'
  await assert.rejects(admin.requireLinkable({ ...linkOf(wallet(1)), consent: CONSENT }), refused)
  await assert.rejects(admin.linkWallet({ ...linkOf(wallet(1)), consent: CONSENT }), refused)
  assert.deepEqual(await linkerOf(), before)
})

test('a wallet whose code says yes when it is asked and no when it counts costs the linker a few transactions, and is told of', async () => {
  const config = await deployChain(anvil.rpcUrl)
  await rpc(anvil.rpcUrl, 'anvil_setCode', wallet(2), FICKLE)
  const { nodes } = connectChain(config, { db, logger: silent })
  const admin = createAdmin({ config, nodes, signers: [], db, logger: silent, deadlineMs: 20_000 })
  const { sent } = await linkerOf()
  const stopMining = keepMining(() => rpc(anvil.rpcUrl, 'anvil_mine', '0x1'), 30)
  try {
    const late = { name: 'KeyActionLateError', message: /was mined 3 times, and each time without effect/ }
    await assert.rejects(admin.linkWallet({ ...linkOf(wallet(2)), consent: CONSENT }), late)
  } finally {
    stopMining()
  }
  assert.equal((await linkerOf()).sent, sent + 3)
})
