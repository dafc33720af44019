import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Anvil, startAnvil } from './anvil.ts'

// The first key of anvil's well-known mnemonic, funded on every fresh anvil.
const deployerKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
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

  function deploy(change: Record<string, string> = {}): Promise<{ code: number | null; out: string; err: string }> {
    const env = {
      PATH: process.env.PATH ?? '',
      RPC_URL: anvil.rpcUrl,
      CHAIN_ID: '31337',
      DEPLOYER_PRIVATE_KEY: deployerKey,
      ADMIN_ADDRESS: addressOf('admin'),
      OPERATOR_ADDRESSES: `${addressOf('operator 1')}, ${addressOf('operator 2')}`,
      PAUSER_ADDRESS: addressOf('pauser'),
      FREEZER_ADDRESS: addressOf('freezer'),
      LINKER_ADDRESS: addressOf('linker'),
      TOKEN_NAME: 'Ringgit Coin',
      TOKEN_SYMBOL: 'MYRC',
      MINT_CAPACITY: '1000000',
      MINT_REFILL_PER_SECOND: '11.5',
      DEBIT_CAPACITY: '1000000',
      DEBIT_REFILL_PER_SECOND: '11.5',
      DEPLOYMENTS_DIR: folder,
      ...change,
    }
    const child = spawn(process.execPath, [fileURLToPath(new URL('deploy.ts', import.meta.url))], { env })
    const [out, err]: [string[], string[]] = [[], []]
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk.toString()))
    return new Promise((resolve) => {
      child.once('close', (code) => resolve({ code, out: out.join(''), err: err.join('') }))
    })
  }

  it('refuses bad settings, naming each and showing none', async () => {
    const { code, out, err } = await deploy({
      DEPLOYER_PRIVATE_KEY: 'hunter2',
      LINKER_ADDRESS: '0x12',
      MINT_CAPACITY: '',
    })
    assert.equal(code, 1)
    assert.equal(out, '')
    assert.match(err, /DEPLOYER_PRIVATE_KEY.*\n.*LINKER_ADDRESS.*\n.*MINT_CAPACITY/)
    assert.doesNotMatch(err, /hunter2/)
  })

  it('refuses one key for two roles unless asked to', async () => {
    const { code, err } = await deploy({ LINKER_ADDRESS: addressOf('operator 1') })
    assert.equal(code, 1)
    assert.match(err, /each role needs an address of its own/)
  })

  it('refuses another chain, and keeps no record of it', async () => {
    const refused = await deploy({ CHAIN_ID: '1' })
    assert.equal(refused.code, 1)
    assert.match(refused.err, /RPC_URL is of chain 31337, CHAIN_ID is 1/)
    assert.throws(() => readFileSync(join(folder, '1.json')))
  })

  it('shows neither URL nor key when the node cannot be reached', async () => {
    const { code, err } = await deploy({ RPC_URL: 'http://127.0.0.1:9/secret-path' })
    assert.equal(code, 1)
    assert.doesNotMatch(err, /secret-path|ac0974bec/)
  })

  it('deploys once, prints and records the addresses, and refuses a second time', async () => {
    const first = await deploy()
    assert.equal(first.code, 0, first.err)
    const printed = JSON.parse(first.out)
    assert.equal(printed.chainId, 31337)
    for (const name of ['coin', 'settlement', 'coinImplementation', 'settlementImplementation']) {
      assert.match(printed[name], /^0x[0-9a-fA-F]{40}$/)
    }
    const record = JSON.parse(readFileSync(join(folder, '31337.json'), 'utf8'))
    assert.deepEqual(record, { status: 'finished', ...printed })

    const second = await deploy()
    assert.equal(second.code, 1)
    assert.match(second.err, new RegExp(`the coin of this chain is ${printed.coin}`))
  })

  it('refuses when a deployment was started and did not finish', async () => {
    const records = mkdtempSync(join(folder, 'unfinished-'))
    writeFileSync(join(records, '31337.json'), '{"status":"started"}')
    const { code, err } = await deploy({ DEPLOYMENTS_DIR: records })
    assert.equal(code, 1)
    assert.match(err, /was started and did not finish/)
  })
})
