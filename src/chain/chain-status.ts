/** What operators see about a chain. */
import type { Address } from 'viem'
import type { ChainConfig } from '../config.ts'
import { compareDeployment } from './deployment/compare.ts'
import type { DeploymentProblem } from './deployment/verify.ts'
import { findFinalityProblems } from './finality-tag.ts'
import { coinAbi } from './generated/coin.ts'
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
  /** `gasBalance` is wei of the native currency. */
  signers: { address: Address; nonce: bigint; gasBalance: bigint }[]
  /** How the contracts differ from what the configuration says about them, and which nodes do not say what is finalized. */
  findings: DeploymentProblem[]
}

type Asked = { config: ChainConfig; nodes: readonly RpcNode[]; signers: readonly Signer[] }

/** Asks one node. @throws RpcAnswerError, RpcUnreachableError */
export async function readStatus({ config, nodes, signers }: Asked, node: RpcNode): Promise<ChainStatus> {
  const isPaused = (address: Address) => readView(node, { address, abi: coinAbi, functionName: 'paused' })
  const [block, paused, settlementPaused, findings, silent, accounts] = await Promise.all([
    readBlock(node, 'latest'),
    isPaused(config.coin.address),
    isPaused(config.settlement),
    compareDeployment(config, node),
    findFinalityProblems(config, nodes),
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
    settlementPaused: settlementPaused as boolean,
    signers: accounts,
    findings: [...findings, ...silent.map((text) => ({ text, danger: false }))],
  }
}
