/** The contracts of a run, deployed by the project's own command, and the keys that have roles in them. */
import path from 'node:path'
import type { Hex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { childEnvironment } from '../../support/child-environment.ts'
import { startGuarded } from '../../support/guarded-process.ts'
import { atLeast, waitFor } from '../../support/wait-for.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
const MNEMONIC = 'test test test test test test test test test test test junk'
export const CHAIN_ID = 31_337

const KEY_NAMES = [
  'deployer',
  'admin',
  'signer',
  'second',
  'linker',
  'pauser',
  'freezer',
  'limiter',
  'unpauser',
] as const
export type KeyName = (typeof KEY_NAMES)[number]
type Contracts = { coin: Hex; settlement: Hex }

/** One of anvil's development accounts. */
export function keyOf(name: KeyName): { address: string; privateKey: Hex } {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex: KEY_NAMES.indexOf(name) })
  const key = account.getHdKey().privateKey
  if (key === null) throw new Error(`no key ${name}`)
  return { address: account.address, privateKey: `0x${Buffer.from(key).toString('hex')}` }
}

/** Runs the project's own command, as an operator would. */
export async function deploy(rpcUrl: string, folder: string): Promise<Contracts> {
  const command = await startGuarded(process.execPath, [path.join(ROOT, 'contracts/tools/deploy.ts')], {
    cwd: ROOT,
    env: {
      ...childEnvironment(),
      RPC_URL: rpcUrl,
      CHAIN_ID: String(CHAIN_ID),
      DEPLOYER_PRIVATE_KEY: keyOf('deployer').privateKey,
      ADMIN_ADDRESS: keyOf('admin').address,
      ADMIN_MAY_BE_A_KEY: 'true',
      LINK_WITHOUT_CONSENT: 'true',
      SIGNER_ADDRESSES: [keyOf('signer').address, keyOf('second').address].join(','),
      LIMITER_ADDRESSES: keyOf('limiter').address,
      LINKER_ADDRESSES: keyOf('linker').address,
      FREEZER_ADDRESSES: keyOf('freezer').address,
      PAUSER_ADDRESSES: keyOf('pauser').address,
      UNPAUSER_ADDRESSES: keyOf('unpauser').address,
      TOKEN_NAME: 'Ringgit Coin',
      TOKEN_SYMBOL: 'COIN',
      ...plentyOf('MINT', 'BURN', 'TRANSFER', 'MINT_CEILING', 'BURN_CEILING', 'TRANSFER_CEILING', 'MAX'),
      DEPLOYMENTS_DIR: path.join(folder, 'deployments'),
    },
  })
  await waitFor('the contracts to be deployed', () => !command.running(), { timeoutMs: atLeast(60_000) })
  if ((await command.exited) !== 0) throw new Error(`The contracts were not deployed: ${command.output()}`)
  return JSON.parse(command.output()) as Contracts
}

function plentyOf(...names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => [
      [`${name}_CAPACITY`, '1000000000'],
      [`${name}_REFILL_PER_SECOND`, '1000000'],
    ]),
  )
}

/** The chains file of the service, which sees the chain only through `rpcUrls`. */
export function chainsFile({ coin, settlement }: Contracts, rpcUrls: readonly string[], confirmations: number): string {
  const signer = (name: string) => ({ type: 'key', privateKeyEnv: `${name}_KEY` })
  return JSON.stringify({
    chains: [
      {
        key: 'torture',
        name: 'Torture',
        chainId: CHAIN_ID,
        nativeCurrency: { name: 'Ether', symbol: 'ETH' },
        explorer: { baseUrl: 'https://explorer.example' },
        confirmations,
        rpcUrls,
        quorum: Math.floor(rpcUrls.length / 2) + 1,
        pollIntervalMs: 200,
        bumpAfterBlocks: 4,
        maxFeePerGasGwei: 500,
        coin: { address: coin, name: 'Ringgit Coin', symbol: 'COIN' },
        settlement,
        signers: [signer('SIGNER'), signer('SECOND')],
        linker: signer('LINKER'),
        freezer: signer('FREEZER'),
        pauser: signer('PAUSER'),
        unpauser: signer('UNPAUSER'),
      },
    ],
  })
}

/** The keys that the chains file names. */
export function keysForService(): Record<string, string> {
  return {
    SIGNER_KEY: keyOf('signer').privateKey,
    SECOND_KEY: keyOf('second').privateKey,
    LINKER_KEY: keyOf('linker').privateKey,
    FREEZER_KEY: keyOf('freezer').privateKey,
    PAUSER_KEY: keyOf('pauser').privateKey,
    UNPAUSER_KEY: keyOf('unpauser').privateKey,
  }
}
