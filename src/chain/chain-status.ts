/** What operators see about a chain. */
import type { Address } from 'viem'
import type { ChainConfig } from '../config.ts'
import { compareDeployment } from './deployment/compare.ts'
import type { DeploymentProblem } from './deployment/verify.ts'
import { findFinalityProblems } from './finality-tag.ts'
import { coinAbi } from './generated/coin.ts'
import { neededWei } from './key-gas.ts'
import { findLaggingNodes } from './lagging.ts'
import type { RpcNode } from './node.ts'
import { readBlock, readGasBalance, readNonce, readView } from './reads.ts'
import type { Signer } from './signer.ts'

export type ChainStatus = {
  chainId: number
  head: bigint
  /** Without credentials, paths and queries. */
  rpcUrls: string[]
  coin: Address
  settlement: Address
  /** Whether the coin is paused, so that nothing moves. */
  paused: boolean
  /** Whether settlement alone is paused, so that orders wait while holders can move their coins. */
  settlementPaused: boolean
  /** `gasBalance` is wei of the native currency; `neededWei`: what a whole batch costs; `isLow`: it has less. */
  signers: { address: Address; nonce: bigint; gasBalance: bigint; neededWei?: bigint; isLow: boolean }[]
  /** How the contracts differ from what the configuration says about them, and which nodes do not say what is finalized, or are behind others. */
  findings: DeploymentProblem[]
}

type Asked = { config: ChainConfig; nodes: readonly RpcNode[]; signers: readonly Signer[] }

/** Asks one node. @throws RpcAnswerError, RpcUnreachableError */
export async function readStatus({ config, nodes, signers }: Asked, node: RpcNode): Promise<ChainStatus> {
  const isPaused = (address: Address) => readView(node, { address, abi: coinAbi, functionName: 'paused' })
  const [block, paused, settlementPaused, findings, silent, lagging, accounts] = await Promise.all([
    readBlock(node, 'latest'),
    isPaused(config.coin.address),
    isPaused(config.settlement),
    compareDeployment(config, node),
    findFinalityProblems(config, nodes),
    findLaggingNodes(config, nodes),
    Promise.all(signersOf(config, signers).map((address) => readSigner(config, node, address))),
  ])
  return {
    chainId: config.chainId,
    head: block?.number ?? 0n,
    rpcUrls: nodes.map(({ label }) => label),
    coin: config.coin.address,
    settlement: config.settlement,
    paused: paused as boolean,
    settlementPaused: settlementPaused as boolean,
    signers: accounts,
    findings: [...findings, ...[...silent, ...lagging].map((text) => ({ text, danger: false }))],
  }
}

/** Those that this process signs with; where it does not, as where operators' commands arrive, all whom the chains file names. */
const signersOf = ({ deployment }: ChainConfig, signers: readonly Signer[]): readonly Address[] =>
  signers.length > 0 ? signers.map(({ address }) => address) : (deployment?.roles.signers ?? [])

async function readSigner(config: ChainConfig, node: RpcNode, address: Address) {
  const gasBalance = await readGasBalance(node, address)
  const nonce = await readNonce(node, address, 'latest')
  const needed = neededWei('signer', config)
  return { address, nonce, gasBalance, neededWei: needed, isLow: gasBalance < needed }
}
