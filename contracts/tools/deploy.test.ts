import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { connectNode } from '../../src/chain/node.ts'
import { childEnvironment } from '../../test/support/child-environment.ts'
import { startFaultyRpc } from '../../test/support/faulty-rpc.ts'
import { type Anvil, startAnvil } from './anvil.ts'

// The first key of anvil's well-known mnemonic, funded on every fresh anvil.
const deployerKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const deployerAddress = privateKeyToAccount(deployerKey).address
const addressOf = (name: string) => privateKeyToAccount(keccak256(toHex(name))).address

describe('contracts/tools/deploy.ts', () => {
  let anvil: Anvil
  let folder: string
  before(async () => {
    anvil = await startAnvil()
    folder = mkdtempSync(join(tmpdir(), 'deployments-'))
  })
  after(async () => {
    await anvil.stop()
    rmSync(folder, { recursive: true })
  })

  function deploy(
    change: Record<string, string> = {},
    ...args: string[]
  ): Promise<{ code: number | null; out: string; err: string }> {
    const env = {
      ...childEnvironment(),
      RPC_URL: anvil.rpcUrl,
      CHAIN_ID: '31337',
      DEPLOYER_PRIVATE_KEY: deployerKey,
      TIMELOCK_PROPOSERS: addressOf('proposer'),
      SIGNER_ADDRESSES: `${addressOf('signer 1')}, ${addressOf('signer 2')}`,
      LIMITER_ADDRESSES: addressOf('limiter'),
      LINKER_ADDRESSES: addressOf('linker'),
      FREEZER_ADDRESSES: addressOf('freezer'),
      PAUSER_ADDRESSES: `${addressOf('pauser 1')},${addressOf('pauser 2')}`,
      UNPAUSER_ADDRESSES: addressOf('unpauser'),
      TOKEN_NAME: 'Ringgit Coin',
      TOKEN_SYMBOL: 'MYRC',
      MINT_CAPACITY: '1000000.5',
      DEPLOYMENTS_DIR: folder,
      ...change,
    }
    const child = spawn(process.execPath, [fileURLToPath(new URL('deploy.ts', import.meta.url)), ...args], { env })
    const [out, err]: [string[], string[]] = [[], []]
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk.toString()))
    return new Promise((resolve) => {
      child.once('close', (code) => resolve({ code, out: out.join(''), err: err.join('') }))
    })
  }

  it('deploys nothing for whoever asks for help', async () => {
    const { code, out, err } = await deploy({}, '--help')
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^This deploys contracts; .* It takes no arguments, such as --help: nothing was done\.$/m)
    assert.deepEqual(readdirSync(folder), [])
  })

  it('refuses bad settings, naming each and showing none', async () => {
    const { code, out, err } = await deploy({
      DEPLOYER_PRIVATE_KEY: 'hunter2',
      LINKER_ADDRESSES: '0x12',
      SEIZURE_ADDRESS: 'nowhere',
      BURN_CEILING_CAPACITY: 'much',
    })
    assert.equal(code, 1)
    assert.equal(out, '')
    assert.match(err, /DEPLOYER_PRIVATE_KEY.*\n.*SEIZURE_ADDRESS.*\n.*LINKER_ADDRESSES.*\n.*BURN_CEILING_CAPACITY/)
    assert.doesNotMatch(err, /hunter2|nowhere|much/)
  })

  it('refuses one key for two roles unless asked to', async () => {
    for (const change of [
      { LINKER_ADDRESSES: addressOf('signer 1') },
      { LINKER_ADDRESSES: deployerAddress },
      { ADMIN_ADDRESS: addressOf('limiter') },
      { TIMELOCK_PROPOSERS: addressOf('signer 1') },
      { TIMELOCK_EXECUTORS: `${addressOf('proposer')},${addressOf('pauser 2')}` },
    ]) {
      const { code, err } = await deploy(change)
      assert.equal(code, 1)
      assert.match(err, /each role, those of the timelock too, and the deployer, needs an address of its own/)
    }
  })

  it('refuses what is unsafe, one line each, and keeps no record of it', async () => {
    const { code, err } = await deploy({
      ADMIN_ADDRESS: deployerAddress,
      ALLOW_SHARED_KEYS: 'true',
      MINT_CEILING_CAPACITY: '10000001',
      BURN_REFILL_PER_SECOND: '201',
    })
    assert.equal(code, 1)
    assert.deepEqual(err.trim().split('\n'), [
      'The deployer must not be the admin.',
      'The ceiling of mints is above the stated maximum.',
      'The burn limit is above its ceiling.',
    ])
    const key = await deploy({ ADMIN_ADDRESS: addressOf('a key') })
    assert.match(key.err, /is no timelock: it has no code/)
    assert.throws(() => readFileSync(join(folder, '31337.json')))
  })

  it('refuses another chain, and keeps no record of it', async () => {
    const refused = await deploy({ CHAIN_ID: '1' })
    assert.equal(refused.code, 1)
    assert.match(refused.err, /The RPC address is of chain 31337, not 1/)
    assert.throws(() => readFileSync(join(folder, '1.json')))
  })

  it('refuses a chain that is too old in one sentence, and keeps no record of it', async () => {
    const old = await startAnvil(['--hardfork', 'london'])
    try {
      const { code, err } = await deploy({ RPC_URL: old.rpcUrl })
      assert.equal(code, 1)
      assert.match(err, /^The contracts need a chain of at least the EVM version Cancun, .*: .*\n$/)
      assert.throws(() => readFileSync(join(folder, '31337.json')))
    } finally {
      await old.stop()
    }
  })

  it('shows neither URL nor key when the node cannot be reached', async () => {
    const { code, err } = await deploy({ RPC_URL: 'http://127.0.0.1:9/secret-path' })
    assert.equal(code, 1)
    assert.match(err, /127\.0\.0\.1:9/)
    assert.doesNotMatch(err, /secret-path|ac0974bec/)
  })

  it('refuses a deployer that cannot pay for all of it, and keeps no record of it', async () => {
    const poor = `0x${'11'.repeat(32)}` as const
    const node = connectNode(anvil.rpcUrl)
    const has = (wei: bigint) =>
      node.request('anvil_setBalance', [privateKeyToAccount(poor).address, `0x${wei.toString(16)}`])
    await has(0n)
    const empty = await deploy({ DEPLOYER_PRIVATE_KEY: poor })
    assert.equal(empty.code, 1)
    assert.match(
      empty.err,
      /^The deployer 0x\w+ has 0 native coin, and deploying takes some 0\.0\d+ at .*: send it some\. Nothing was sent\.$/m,
    )
    assert.doesNotMatch(empty.err, /11111111/)
    // Enough for the first of the five.
    await has(5n * 10n ** 15n)
    assert.match((await deploy({ DEPLOYER_PRIVATE_KEY: poor })).err, /has 0\.005 native coin/)
    assert.throws(() => readFileSync(join(folder, '31337.json')))
  })

  it('says what the node said, and what to do about what it had begun', async () => {
    const records = mkdtempSync(join(folder, 'refused-'))
    const node = await startFaultyRpc(anvil.rpcUrl, ({ method }) =>
      method === 'eth_sendRawTransaction' ? { kind: 'error', message: 'the pool is full' } : { kind: 'none' },
    )
    try {
      const { code, err } = await deploy({ RPC_URL: node.url, DEPLOYMENTS_DIR: records })
      assert.equal(code, 1)
      assert.match(err, /the pool is full/)
      assert.doesNotMatch(err, /ac0974bec/)
    } finally {
      await node.close()
    }
    const { err } = await deploy({ DEPLOYMENTS_DIR: records })
    assert.match(
      err,
      /did not finish\. Look at the deployer's transactions, .* remove the record, and deploy again\.$/m,
    )
  })

  it('deploys once, prints and records what a chains file needs, and refuses a second time', async () => {
    const first = await deploy()
    assert.equal(first.code, 0, first.err)
    const printed = JSON.parse(first.out)
    assert.equal(printed.chainId, 31337)
    for (const name of ['coin', 'settlement', 'coinImplementation', 'settlementImplementation']) {
      assert.match(printed[name], /^0x[0-9a-fA-F]{40}$/)
    }
    assert.match(printed.deployment.admin, /^0x[0-9a-fA-F]{40}$/)
    assert.deepEqual(printed.deployment, {
      admin: printed.deployment.admin,
      limiters: [addressOf('limiter')],
      freezers: [addressOf('freezer')],
      pausers: [addressOf('pauser 1'), addressOf('pauser 2')],
      unpausers: [addressOf('unpauser')],
      ceilings: {
        mint: { capacity: '4000000', refillPerSecond: '200' },
        burn: { capacity: '4000000', refillPerSecond: '200' },
        transfer: { capacity: '1000000', refillPerSecond: '100' },
      },
    })
    const record = JSON.parse(readFileSync(join(folder, '31337.json'), 'utf8'))
    assert.deepEqual(record, { status: 'finished', ...printed })

    const second = await deploy()
    assert.equal(second.code, 1)
    assert.match(second.err, new RegExp(`the coin of this chain is ${printed.coin}`))
  })
})
