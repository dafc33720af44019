/** A configured chain's contracts against what its configuration says of them. */
import type { ChainConfig } from '../../config.ts'
import type { RpcNode } from '../node.ts'
import { agree } from '../quorum.ts'
import { patient } from './patient.ts'
import { type DeploymentProblem, findDeploymentProblems } from './verify.ts'

type Configured = Pick<ChainConfig, 'coin' | 'settlement' | 'deployment'>

/**
 * Asks one node.
 * @returns as `findDeploymentProblems`; none when the configuration does not say who is to hold which power
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
 * What `quorum` nodes say alike.
 * @throws NoQuorumError when too few can tell: nothing is wrong then, and nothing is known to be right
 */
export async function agreeOnDeployment(
  config: Configured & Pick<ChainConfig, 'quorum'>,
  nodes: readonly RpcNode[],
): Promise<DeploymentProblem[]> {
  const { value } = await agree(nodes, config.quorum, (node) => compareDeployment(config, patient(node)))
  return value
}
