/** Whether a chain runs what the compiler made. */
import type { Hex } from 'viem'
import { RpcAnswerError, type RpcNode } from '../node.ts'

/** The least EVM version of the contracts (contracts/tools/settings.ts). */
export const LEAST_EVM_VERSION = 'Cancun'

/** Creation code that stores transiently, copies memory and creates a contract without code: PUSH0, TSTORE, MCOPY. */
const PROBE: Hex = '0x5f5f5d5f5f5f5e5f5ff3'

/** The chain refuses an instruction that the contracts are made of. */
export class EvmTooOldError extends Error {
  override readonly name = 'EvmTooOldError'
}

/**
 * Runs one instruction of every age that the contracts need, without sending a transaction.
 * @throws EvmTooOldError with what the node said; RpcUnreachableError
 */
export async function requireEvmVersion(node: RpcNode): Promise<void> {
  try {
    await node.request('eth_call', [{ data: PROBE }, 'latest'])
  } catch (error) {
    if (!(error instanceof RpcAnswerError)) throw error
    throw new EvmTooOldError(
      `The contracts need a chain of at least the EVM version ${LEAST_EVM_VERSION}, and this one does not run its instructions: ${error.message}`,
    )
  }
}
