/** Which of the configured chains a command is about. */
import { Type } from 'typebox'
import type { OperatorChain } from './deps.ts'
import { OperatorError } from './errors.ts'

/** A chain id in a body. */
export const ChainId = Type.Integer({ minimum: 1, description: 'a chain id' })

/** All chains, or the named one. @throws OperatorError NOT_FOUND when it is not configured */
export function chooseChains(chains: readonly OperatorChain[], chainId: number | undefined): readonly OperatorChain[] {
  if (chainId === undefined) return chains
  const chosen = chains.filter(({ config }) => config.chainId === chainId)
  if (chosen.length > 0) return chosen
  throw new OperatorError(
    'NOT_FOUND',
    `The chain ${chainId} is not configured. ${chains.length === 0 ? 'None is.' : `Configured: ${idsOf(chains)}.`}`,
  )
}

/** The named chain, or the only one. @throws OperatorError as `chooseChains`, and BAD_REQUEST when there are several */
export function chooseChain(chains: readonly OperatorChain[], chainId: number | undefined): OperatorChain {
  const [chain, ...more] = chooseChains(chains, chainId)
  if (chain !== undefined && more.length === 0) return chain
  throw new OperatorError('BAD_REQUEST', `Name the chain with --chain: one of ${idsOf(chains)}.`)
}

function idsOf(chains: readonly OperatorChain[]): string {
  return chains.map(({ config }) => config.chainId).join(', ')
}
