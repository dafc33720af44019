/** What operators do on a chain, and what they see of it. */

import type { Logger } from 'pino'
import { type Address, encodeFunctionData, getAddress, type Hex, zeroHash } from 'viem'
import type { ChainConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { coinAbi } from './generated/coin.ts'
import { type KeyAction, performKeyAction } from './key-action.ts'
import type { RpcNode } from './node.ts'
import { inTurn } from './reader.ts'
import { readBlock, readGasBalance, readNonce, readView } from './reads.ts'
import { createSigner, type Signer } from './signer.ts'

export type ChainStatus = {
  chainId: number
  head: bigint
  /** Without credentials, paths and queries. */
  rpcUrls: string[]
  coin: Address
  settlement: Address
  paused: boolean
  /** `gasBalance` is wei of the native currency. */
  signers: { address: Address; nonce: bigint; gasBalance: bigint }[]
}

/**
 * The actions are idempotent, serialised over processes, and resolve at `confirmations` with the hash of the transaction
 * they sent, undefined when there was nothing to do. After a crash they are simply run again.
 * They throw KeyActionLateError when it takes too long; the reads throw ChainUnreadableError.
 */
export type ChainAdmin = {
  linkWallet(address: string): Promise<Hex | undefined>
  unlinkWallet(address: string): Promise<Hex | undefined>
  pause(): Promise<Hex | undefined>
  unpause(): Promise<Hex | undefined>
  status(): Promise<ChainStatus>
  /** Coin in existence, micro units, at the end of a block; of the newest one when no number is given. */
  supply(blockNumber?: bigint): Promise<bigint>
}

const TRUE: Hex = `0x${'1'.padStart(64, '0')}`
const FALSE: Hex = zeroHash

export type AdminDeps = {
  config: ChainConfig
  nodes: readonly RpcNode[]
  signers: readonly Signer[]
  db: Database
  logger: Logger
  deadlineMs?: number
}

/** Makes the operator's view of a chain. */
export function createAdmin(deps: AdminDeps): ChainAdmin {
  const { config, nodes } = deps
  const ask = inTurn(nodes)
  const linker = createSigner(config.linker)
  const pauser = createSigner(config.pauser)
  const linking = (name: 'linkWallet' | 'unlinkWallet', wallet: string) =>
    performKeyAction(deps, linker, linkAction(config, name, getAddress(wallet)))
  const pausing = (name: 'pause' | 'unpause') => performKeyAction(deps, pauser, pauseAction(config, name))

  return {
    linkWallet: (address) => linking('linkWallet', address),
    unlinkWallet: (address) => linking('unlinkWallet', address),
    pause: () => pausing('pause'),
    unpause: () => pausing('unpause'),
    status: () => ask((node) => readStatus(deps, node)),
    async supply(blockNumber) {
      const view = { address: config.coin.address, abi: coinAbi, functionName: 'totalSupply' }
      return (await ask((node) => readView(node, view, blockNumber ?? 'latest'))) as bigint
    },
  }
}

function linkAction(config: ChainConfig, name: 'linkWallet' | 'unlinkWallet', wallet: Address): KeyAction {
  return {
    name: `${name} ${wallet}`,
    to: config.coin.address,
    data: encodeFunctionData({ abi: coinAbi, functionName: name, args: [wallet] }),
    effect: {
      data: encodeFunctionData({ abi: coinAbi, functionName: 'isLinked', args: [wallet] }),
      expected: name === 'linkWallet' ? TRUE : FALSE,
    },
  }
}

function pauseAction(config: ChainConfig, name: 'pause' | 'unpause'): KeyAction {
  return {
    name,
    to: config.coin.address,
    data: encodeFunctionData({ abi: coinAbi, functionName: name }),
    effect: {
      data: encodeFunctionData({ abi: coinAbi, functionName: 'paused' }),
      expected: name === 'pause' ? TRUE : FALSE,
    },
  }
}

async function readStatus({ config, nodes, signers }: AdminDeps, node: RpcNode): Promise<ChainStatus> {
  const [block, paused, accounts] = await Promise.all([
    readBlock(node, 'latest'),
    readView(node, { address: config.coin.address, abi: coinAbi, functionName: 'paused' }),
    Promise.all(
      signers.map(async ({ address }) => ({
        address,
        nonce: await readNonce(node, address, 'latest'),
        gasBalance: await readGasBalance(node, address),
      })),
    ),
  ])
  return {
    chainId: config.chainId,
    head: block?.number ?? 0n,
    rpcUrls: nodes.map(({ label }) => label),
    coin: config.coin.address,
    settlement: config.settlement,
    paused: paused as boolean,
    signers: accounts,
  }
}
