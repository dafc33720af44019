/** Whether a chain can run what the compiler produced. */
import type { Hex } from 'viem'
import { RpcAnswerError, type RpcNode } from '../node.ts'

/** The lowest EVM version that the contracts run on (contracts/tools/settings.ts). */
const LEAST_EVM_VERSION = 'Cancun'

/** Creation code that uses PUSH0, TSTORE and MCOPY and creates a contract without code. */
const PROBE: Hex = '0x5f5f5d5f5f5f5e5f5ff3'

/** The chain refuses an instruction that the contracts use. */
export class EvmTooOldError extends Error {
  override readonly name = 'EvmTooOldError'
}

/**
 * Runs an instruction of each EVM version that the contracts need, without sending a transaction.
 * @throws EvmTooOldError with the node's answer; RpcUnreachableError
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
