/** Compares a chain's contracts with what the configuration says about them. */
import type { ChainConfig } from '../../config.ts'
import type { RpcNode } from '../node.ts'
import { agree } from '../quorum.ts'
import { patient } from './patient.ts'
import { type DeploymentProblem, findDeploymentProblems } from './verify.ts'

type Configured = Pick<ChainConfig, 'coin' | 'settlement' | 'deployment'>

/**
 * Asks one node.
 * @returns as `findDeploymentProblems` does; nothing when the configuration does not say who should hold which power
 * @throws RpcAnswerError, RpcUnreachableError when the node cannot tell
 */
export async function compareDeployment(
  { coin, settlement, deployment }: Configured,
  node: RpcNode,
): Promise<DeploymentProblem[]> {
  if (deployment === undefined) return []
  const { address, ...token } = coin
  return await findDeploymentProblems(node, { ...deployment, coin: address, settlement, token })
}

/**
 * The problems on which `quorum` nodes agree.
 * @throws NoQuorumError when too few can tell, so that nothing is known to be wrong or right
 */
export async function agreeOnDeployment(
  config: Configured & Pick<ChainConfig, 'quorum'>,
  nodes: readonly RpcNode[],
): Promise<DeploymentProblem[]> {
  const { value } = await agree(nodes, config.quorum, (node) => compareDeployment(config, patient(node)))
  return value
}
