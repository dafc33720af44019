/** What operators do on a chain. */
import type { Logger } from 'pino'
import { type Address, getAddress, type Hex } from 'viem'
import { ChainError, ChainUnreadableError } from '../chain-errors.ts'
import type { ChainConfig, SignerConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { type ChainStatus, readStatus } from './chain-status.ts'
import { coinAbi } from './generated/coin.ts'
import { requireAccepted } from './key-accepted.ts'
import { type KeyAction, performKeyAction } from './key-action.ts'
import { freezeCall, type KeyName, linkCall, pauseCall, unlinkCall } from './key-calls.ts'
import { type KeyGas, readKeyGas } from './key-gas.ts'
import { type Consent, type LinkState, readLinkState, type WalletLink } from './links.ts'
import { RpcAnswerError, type RpcNode } from './node.ts'
import { agree, agreedHead } from './quorum.ts'
import { createReader, inTurn } from './reader.ts'
import { readView } from './reads.ts'
import { createSigner, type Signer } from './signer.ts'
import { performStop, type Stop } from './stop.ts'

/** This process does not have the key that the action needs. */
export class KeyMissingError extends ChainError {
  override readonly name = 'KeyMissingError'
  readonly keyName: KeyName
  readonly chainId: number

  constructor(keyName: KeyName, chainId: number) {
    super(`the chains file names no ${keyName} key for chain ${chainId}`)
    this.keyName = keyName
    this.chainId = chainId
  }
}

/** `settlementOnly`: holders can still move their coins. */
export type StopScope = { settlementOnly?: boolean | undefined }

/** `coin`: nothing moves; `settlement`: orders wait, while holders can move their coins. */
export type Stopped = 'coin' | 'settlement' | 'nothing'

/**
 * The actions are idempotent, are serialised across processes, and resolve at `confirmations` with the hash of the
 * transaction they sent, or undefined when there was nothing to do. After a crash they are simply run again. They throw
 * KeyMissingError, KeyActionRefusedError when the contracts refuse, and KeyActionLateError when they take too long; the
 * reads throw ChainUnreadableError.
 */
export type ChainAdmin = {
  /** Throws KeyMissingError when this process has no such key. */
  requireKey(name: KeyName): void
  /** Links a wallet to an account, without a consent where the coin demands none. */
  linkWallet(link: WalletLink & { consent?: Consent | undefined }): Promise<Hex | undefined>
  /** Throws KeyActionRefusedError when the coin would refuse the link, as for a consent that is not the holder's. Nothing is sent. */
  requireLinkable(link: WalletLink & { consent?: Consent | undefined }): Promise<void>
  unlinkWallet(link: WalletLink): Promise<Hex | undefined>
  linkState(link: WalletLink): Promise<LinkState>
  freeze(address: string): Promise<Hex | undefined>
  unfreeze(address: string): Promise<Hex | undefined>
  /** `deadlineMs`: how long to see it through; default 3 minutes. */
  pause(scope?: StopScope & { deadlineMs?: number }): Promise<Hex | undefined>
  unpause(scope?: StopScope): Promise<Hex | undefined>
  /** What is stopped there now: a small part of `status`, for whoever asks often. */
  stopped(): Promise<Stopped>
  status(): Promise<ChainStatus>
  isFrozen(address: string): Promise<boolean>
  /** False when the chain has no sanctions oracle configured. */
  isSanctioned(address: string): Promise<boolean>
  /** The gas money of the keys that this process has. Throws NoQuorumError when no node answers. */
  keyGas(): Promise<KeyGas[]>
  /**
   * Coin in existence, micro units, at the end of a block, as a quorum of nodes says; of the newest one when no number is given, as one node
   * does. Throws NoQuorumError too.
   */
  supply(blockNumber?: bigint): Promise<bigint>
}

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
  const ask = <T>(read: (node: RpcNode) => Promise<T>): Promise<T> => askUpToDate(deps, (asked) => inTurn(asked)(read))
  const keys: Record<KeyName, Signer | undefined> = {
    linker: signerOf(config.linker),
    freezer: signerOf(config.freezer),
    pauser: signerOf(config.pauser),
    unpauser: signerOf(config.unpauser),
  }
  const keyOf = (name: KeyName): Signer => {
    const key = keys[name]
    if (key === undefined) throw new KeyMissingError(name, config.chainId)
    return key
  }
  const perform = async (name: KeyName, action: KeyAction) =>
    performKeyAction({ ...deps, rivals: othersOf(config, name, keys[name]) }, keyOf(name), action)
  const stops = createStops(config, ask)
  return {
    requireKey: (name) => void keyOf(name),
    linkWallet: ({ consent, ...link }) => perform('linker', linkCall(config, link, consent)),
    requireLinkable: ({ consent, ...link }) => requireAccepted(deps, keyOf('linker'), linkCall(config, link, consent)),
    unlinkWallet: (link) => perform('linker', unlinkCall(config, link)),
    linkState: (link) => ask((node) => readLinkState(node, config.coin.address, link)),
    freeze: (address) => perform('freezer', freezeCall(config, 'freeze', getAddress(address))),
    unfreeze: (address) => perform('freezer', freezeCall(config, 'unfreeze', getAddress(address))),
    // Pausing the coin also stops settlements, in one transaction.
    pause: async ({ settlementOnly, deadlineMs } = {}) =>
      performStop(deadlineMs === undefined ? deps : { ...deps, deadlineMs }, {
        signer: keyOf('pauser'),
        action: pauseCall(config, 'pause', settlementOnly === true ? 'settlement' : 'coin'),
        rivals: rivalsOf(config, keys.unpauser),
      }),
    async unpause({ settlementOnly } = {}) {
      // Without the key there may be nothing to do.
      if (keys.unpauser === undefined && !(await stops.isAny(settlementOnly === true))) return undefined
      const settlement = await perform('unpauser', pauseCall(config, 'unpause', 'settlement'))
      if (settlementOnly === true) return settlement
      return (await perform('unpauser', pauseCall(config, 'unpause', 'coin'))) ?? settlement
    },
    stopped: stops.all,
    status: () => ask((node) => readStatus(deps, node)),
    isFrozen: (address) => askUpToDate(deps, (asked) => createReader(config, asked).isFrozen(address)),
    isSanctioned: (address) => askUpToDate(deps, (asked) => createReader(config, asked).isSanctioned(address)),
    keyGas: () => {
      const operators = Object.entries(keys) as [KeyName, Signer | undefined][]
      return readKeyGas(config, nodes, [...operators, ...deps.signers.map((signer) => ['signer', signer] as const)])
    },
    async supply(blockNumber) {
      const view = { address: config.coin.address, abi: coinAbi, functionName: 'totalSupply' }
      if (blockNumber === undefined) return (await ask((node) => readView(node, view))) as bigint
      const { value } = await agree(nodes, config.quorum, (node) => readView(node, view, blockNumber))
      return value as bigint
    },
  }
}

type Ask = <T>(read: (node: RpcNode) => Promise<T>) => Promise<T>

/** `isAny`: whether settlement, or the coin if that is asked for too, is stopped. */
function createStops({ coin, settlement }: ChainConfig, ask: Ask) {
  const isPaused = async (address: Address) =>
    (await ask((node) => readView(node, { address, abi: coinAbi, functionName: 'paused' }))) === true
  return {
    async isAny(settlementOnly: boolean): Promise<boolean> {
      const addresses = settlementOnly ? [settlement] : [settlement, coin.address]
      return (await Promise.all(addresses.map(isPaused))).includes(true)
    },
    async all(): Promise<Stopped> {
      const [isCoin, isSettlement] = await Promise.all([isPaused(coin.address), isPaused(settlement)])
      if (isCoin) return 'coin'
      return isSettlement ? 'settlement' : 'nothing'
    },
  }
}

/**
 * Asks the nodes that agree on the head, and the others only where none of these answers: one that stands still answers like any other, and may do
 * so while they still think. All of them when too few agree, and none once more where none has said anything.
 * @throws ChainUnreadableError where none does
 */
async function askUpToDate<T>(
  { config, nodes }: AdminDeps,
  ask: (asked: readonly RpcNode[]) => Promise<T>,
): Promise<T> {
  if (nodes.length === 1) return await ask(nodes)
  const heard = new Set<string>()
  const agreed = await agreedHead(
    nodes.map((node) => heardFrom(node, heard)),
    config.quorum,
  ).catch(() => undefined)
  if (agreed === undefined && heard.size === 0) throw new ChainUnreadableError('no RPC address answered')
  const others = agreed?.nodes.slice(config.quorum) ?? []
  try {
    return await ask(agreed?.nodes.slice(0, config.quorum) ?? nodes)
  } catch (error) {
    if (!(error instanceof ChainUnreadableError) || others.length === 0) throw error
    return await ask(others)
  }
}

/** Notes that a node has said anything, be it an error. */
function heardFrom(node: RpcNode, heard: Set<string>): RpcNode {
  return {
    label: node.label,
    async request(...asked) {
      try {
        const answer = await node.request(...asked)
        heard.add(node.label)
        return answer
      } catch (error) {
        if (error instanceof RpcAnswerError) heard.add(node.label)
        throw error
      }
    },
  }
}

/** Whoever can undo a stop, as far as this process knows. */
function rivalsOf(config: ChainConfig, unpauser: Signer | undefined): Stop['rivals'] {
  const own = unpauser === undefined ? [] : [{ address: unpauser.address, signer: unpauser }]
  return [...own, ...othersOf(config, 'unpauser', unpauser).map((address) => ({ address }))]
}

/** Whoever else may hold such a key, as far as this process knows. */
function othersOf({ deployment }: ChainConfig, name: KeyName, own: Signer | undefined): Address[] {
  const holders = deployment?.roles[`${name}s`] ?? []
  return holders.map((address) => getAddress(address)).filter((address) => address !== own?.address)
}

function signerOf(config: SignerConfig | undefined): Signer | undefined {
  return config === undefined ? undefined : createSigner(config)
}
