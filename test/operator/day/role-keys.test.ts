// engine: pglite; only in test:long
/** The keys of operators' commands are replaced one after another on a real chain: the new one acts, and the old one does not any more. */
// Runbook: Every key is replaced in turn
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type Address, createPublicClient, createWalletClient, type Hex, http, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { connectChain } from '../../../src/chain/chain.ts'
import { receiptOf } from '../../../src/chain/deployment/receipt.ts'
import { ROLE_IDS } from '../../../src/chain/deployment/roles.ts'
import { coinAbi } from '../../../src/chain/generated/coin.ts'
import type { ChainConfig } from '../../../src/config.ts'
import { account, deployChain, keyOf, linkOf, rpc, silent } from '../../settlement/fixture.ts'
import { type Anvil, startAnvil } from '../../support/anvil.ts'
import { newAddress } from '../../support/api.ts'
import { childEnvironment } from '../../support/child-environment.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { type OperatorFixture, startOperator } from '../fixture.ts'

const TAKE_ROLE = path.join(import.meta.dirname, '../../../contracts/tools/take-role.ts')

type Name = 'linker' | 'freezer' | 'pauser' | 'unpauser'

let anvil: Anvil
let db: TestDatabase
/** What the processes have now. */
let config: ChainConfig

before(async () => {
  ;[anvil, db] = await Promise.all([startAnvil(), createTestDatabase()])
  config = await deployChain(anvil.rpcUrl)
})
after(async () => {
  await db?.close()
  await anvil?.stop()
})

/** Pauser and unpauser are roles of both contracts. */
const contractsOf = (name: Name): Address[] =>
  name === 'linker' || name === 'freezer' ? [config.coin.address] : [config.coin.address, config.settlement]

/** As the timelock does it. */
async function grant(name: Name, holder: Address): Promise<void> {
  const admin = createWalletClient({ account: account('deployer'), transport: http(anvil.rpcUrl) })
  const node = createPublicClient({ transport: http(anvil.rpcUrl), pollingInterval: 20 })
  for (const address of contractsOf(name)) {
    const args = [ROLE_IDS[name], holder] as const
    const hash = await admin.writeContract({ address, abi: coinAbi, functionName: 'grantRole', args, chain: null })
    assert.equal((await receiptOf(node, hash)).status, 'success')
  }
  await rpc(anvil.rpcUrl, 'anvil_setBalance', holder, toHex(10n ** 18n))
}

/** `npm run contracts:take-role` of a pauser's key. */
async function take(name: Name, holder: Address, pauserKey: Hex): Promise<void> {
  for (const CONTRACT of contractsOf(name)) {
    const env = { RPC_URL: anvil.rpcUrl, PAUSER_PRIVATE_KEY: pauserKey, CONTRACT, ROLE: name, HOLDER: holder }
    const { stdout } = await promisify(execFile)(process.execPath, [TAKE_ROLE], {
      env: { ...childEnvironment(), ...env },
    })
    assert.equal((JSON.parse(stdout) as { taken: string }).taken, holder)
  }
}

/** The deployment as the chains file says it, with other holders of a role. */
function withHolders(given: ChainConfig, name: Name, holders: Address[]): ChainConfig {
  const { deployment } = given
  assert.ok(deployment !== undefined)
  return { ...given, deployment: { ...deployment, roles: { ...deployment.roles, [`${name}s`]: holders } } }
}

/** A process with the role `operator`, started with these settings. */
async function withProcess<T>(given: ChainConfig, work: (coin: OperatorFixture) => Promise<T>): Promise<T> {
  const coin = await startOperator({ db, chains: [connectChain(given, { db, logger: silent })] })
  try {
    return await work(coin)
  } finally {
    await coin.close()
  }
}

async function findingsOf(coin: OperatorFixture): Promise<string[]> {
  const { chains } = await coin.run('chain', 'status')
  return chains[0].findings.map(({ text }: { text: string }) => text)
}

const wallet = newAddress()
/** What each key is for, done by command; and the call that shows what a key can do by itself. */
const ACTS: Readonly<Record<Name, (coin: OperatorFixture) => Promise<void>>> = {
  async freezer(coin) {
    assert.equal((await coin.run('wallet', 'freeze', wallet)).ok, true)
    assert.equal((await coin.run('screening', 'check', wallet)).permitted, false)
    assert.equal((await coin.run('wallet', 'unfreeze', wallet)).ok, true)
  },
  async pauser(coin) {
    assert.equal((await coin.run('chain', 'pause')).ok, true)
    assert.equal((await coin.run('chain', 'resume')).ok, true)
  },
  async unpauser(coin) {
    assert.equal((await coin.run('chain', 'pause')).ok, true)
    assert.equal((await coin.run('chain', 'resume')).ok, true)
  },
  async linker() {
    const { admin } = connectChain(config, { db, logger: silent })
    assert.notEqual(await admin.linkWallet(linkOf(wallet)), undefined)
    assert.notEqual(await admin.unlinkWallet(linkOf(wallet)), undefined)
  },
}
const ALONE: Readonly<Record<Name, (old: ChainConfig) => Promise<unknown>>> = {
  freezer: (old) => connectChain(old, { db, logger: silent }).admin.freeze(newAddress()),
  linker: (old) => connectChain(old, { db, logger: silent }).admin.linkWallet(linkOf(newAddress())),
  pauser: (old) => connectChain(old, { db, logger: silent }).admin.pause({ deadlineMs: 2_000 }),
  async unpauser(old) {
    const { admin } = connectChain(config, { db, logger: silent })
    await admin.pause()
    try {
      return await connectChain(old, { db, logger: silent }).admin.unpause()
    } finally {
      await admin.unpause()
    }
  },
}

describe('a key of operators’ commands is replaced', () => {
  // The pauser last: it takes the others' roles.
  for (const name of ['linker', 'freezer', 'unpauser', 'pauser'] as const) {
    it(name, async () => {
      const before_ = config
      const old = account(name).address
      const privateKey = generatePrivateKey()
      const { address } = privateKeyToAccount(privateKey)

      await grant(name, address)
      // Both beside each other, then the new one alone, as in the runbook.
      config = withHolders({ ...config, [name]: { type: 'key', privateKey } }, name, [old, address])
      await withProcess(config, async (coin) => {
        assert.deepEqual(await findingsOf(coin), [])
        await ACTS[name](coin)
      })
      await take(name, old, name === 'pauser' ? privateKey : keyOf('pauser').privateKey)
      config = withHolders(config, name, [address])
      await withProcess(config, async (coin) => {
        await ACTS[name](coin)
        assert.deepEqual(await findingsOf(coin), [])
      })
      await assert.rejects(ALONE[name](before_), /refused by the contract/)
    })
  }
})
