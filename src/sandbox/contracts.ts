/** The contracts of the sandbox's chain: deployed once, found again at every later start. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Address } from 'viem'
import { deployContracts } from '../chain/deploy.ts'
import { StartError } from '../start-failure.ts'
import { ADMIN, developmentAccount, FREEZER, LINKER, PAUSER, SIGNER } from './accounts.ts'
import { SANDBOX_CHAIN_ID } from './chain/local-chain.ts'
import { rpc } from './chain/rpc.ts'
import { writeKept } from './kept-file.ts'

export const TOKEN = { name: 'Ringgit Coin', symbol: 'COIN' }

export type Contracts = { coin: Address; settlement: Address; genesisHash: string }

/** More than the largest amount that an order can have, many times over. */
const PLENTY = { capacityMicro: 10n ** 24n, refillPerSecondMicro: 10n ** 24n }

/**
 * The deployed contracts.
 * @throws StartError when the chain is not the one on which they were deployed
 */
export async function deployOnce(dataDir: string, rpcUrl: string): Promise<Contracts> {
  const file = path.join(dataDir, 'contracts.json')
  const genesis = await rpc<{ hash: string }>(rpcUrl, 'eth_getBlockByNumber', ['0x0', false])
  if (existsSync(file)) {
    const contracts = JSON.parse(readFileSync(file, 'utf8')) as Contracts
    const code = await rpc<string>(rpcUrl, 'eth_getCode', [contracts.coin, 'latest'])
    if (code !== '0x' && contracts.genesisHash === genesis.hash) return contracts
    throw new StartError(
      'The local chain has lost its state, so it no longer fits the database. `npm run sandbox:reset` starts anew.',
    )
  }
  const { coin, settlement } = await deployContracts({
    rpcUrl,
    chainId: SANDBOX_CHAIN_ID,
    deployer: developmentAccount(ADMIN),
    roles: {
      admin: developmentAccount(ADMIN).address,
      operators: [developmentAccount(SIGNER).address],
      pauser: developmentAccount(PAUSER).address,
      freezer: developmentAccount(FREEZER).address,
      linker: developmentAccount(LINKER).address,
    },
    token: TOKEN,
    limits: { mint: PLENTY, debit: PLENTY },
    pollingIntervalMs: 25,
  })
  const contracts = { coin, settlement, genesisHash: genesis.hash }
  writeKept(file, `${JSON.stringify(contracts, null, 2)}\n`)
  return contracts
}
