/** The contracts of the sandbox's chain: deployed once, found again at every later start. */
import path from 'node:path'
import type { Address } from 'viem'
import { findCodeProblems } from '../chain/deployment/code.ts'
import { deployContracts } from '../chain/deployment/deploy.ts'
import { patient } from '../chain/deployment/patient.ts'
import { connectNode } from '../chain/node.ts'
import type { DeploymentConfig } from '../config.ts'
import { StartError } from '../start/start-failure.ts'
import { ADMIN, developmentAccount, FREEZER, LIMITER, LINKER, PAUSER, SIGNER, UNPAUSER } from './accounts.ts'
import { SANDBOX_CHAIN_ID } from './chain/local-chain.ts'
import { patientRpc } from './chain/rpc.ts'
import { readKeptJson, writeKept } from './kept-file.ts'

export const TOKEN = { name: 'Ringgit Coin', symbol: 'COIN' }

export type Contracts = { coin: Address; settlement: Address; genesisHash: string }

/** The most that the contracts can count, many times the largest amount of an order. */
const PLENTY = { capacityMicro: 2n ** 64n - 1n, refillPerSecondMicro: 2n ** 64n - 1n }
const UNLIMITED = { limit: PLENTY, ceiling: PLENTY }

const addressOf = (index: number) => developmentAccount(index).address

/**
 * What the sandbox deploys and expects at every later start. Its admin is a key, and wallets are linked without
 * consent.
 */
export const SANDBOX_DEPLOYMENT: DeploymentConfig = {
  roles: {
    admin: addressOf(ADMIN),
    signers: [addressOf(SIGNER)],
    limiters: [addressOf(LIMITER)],
    linkers: [addressOf(LINKER)],
    freezers: [addressOf(FREEZER)],
    pausers: [addressOf(PAUSER)],
    unpausers: [addressOf(UNPAUSER)],
  },
  ceilings: { mint: PLENTY, burn: PLENTY, transfer: PLENTY },
  unsafe: { admin: true, linkWithoutConsent: true },
}

/**
 * The deployed contracts.
 * @throws StartError when the chain is not the one on which they were deployed, or they are of another version
 */
export async function deployOnce(dataDir: string, rpcUrl: string): Promise<Contracts> {
  const file = path.join(dataDir, 'contracts.json')
  const kept = readKeptJson<Contracts>(file)
  const genesis = await patientRpc<{ hash: string }>(rpcUrl, 'eth_getBlockByNumber', ['0x0', false])
  if (kept !== undefined) {
    await requireSame(rpcUrl, kept, genesis.hash)
    return kept
  }
  const { coin, settlement } = await deployContracts({
    rpcUrl,
    chainId: SANDBOX_CHAIN_ID,
    deployer: developmentAccount(ADMIN),
    roles: SANDBOX_DEPLOYMENT.roles,
    token: TOKEN,
    limits: { mint: UNLIMITED, burn: UNLIMITED, transfer: UNLIMITED },
    maximum: PLENTY,
    unsafe: { admin: true, linkWithoutConsent: true },
    pollingIntervalMs: 25,
  })
  const contracts = { coin, settlement, genesisHash: genesis.hash }
  writeKept(file, `${JSON.stringify(contracts, null, 2)}\n`)
  return contracts
}

async function requireSame(rpcUrl: string, contracts: Contracts, genesisHash: string): Promise<void> {
  const code = await patientRpc<string>(rpcUrl, 'eth_getCode', [contracts.coin, 'latest'])
  if (code === '0x' || contracts.genesisHash !== genesisHash) {
    throw new StartError(
      'The local chain has lost its state, so it no longer fits the database. `npm run sandbox:reset` starts afresh.',
    )
  }
  const problems = await findCodeProblems(patient(connectNode(rpcUrl)), contracts.coin, contracts.settlement)
  if (problems.length === 0) return
  throw new StartError(
    'The contracts of the local chain are of another version of this program. `npm run sandbox:reset` starts afresh.',
  )
}
