/** What the nodes say of a call of an operator's key before it is sent: whether the contracts take it, and what gas it needs. */
import type { Address, Hex } from 'viem'
import type { ChainConfig } from '../config.ts'
import { estimateOf } from './answers.ts'
import { KeyActionRefusedError } from './key-action-errors.ts'
import type { RpcNode } from './node.ts'
import { agreedHead } from './quorum.ts'
import { readGasEstimate } from './reads.ts'
import { revertName } from './settlement-reads.ts'
import type { Signer } from './signer.ts'

/** `name`: the operator's name for it. `stops`: it stops something, and so runs no code but the contracts'. */
type Call = { name: string; to: Address; data: Hex; stops?: boolean }

/**
 * Asks the nodes whether the contracts would take the call now, and sends nothing.
 * @throws KeyActionRefusedError when they would not; ChainError when too few nodes tell
 */
export async function requireAccepted(
  { config, nodes }: { config: ChainConfig; nodes: readonly RpcNode[] },
  signer: Signer,
  action: Call,
): Promise<void> {
  await estimateCall((await agreedHead(nodes, config.quorum)).nodes, signer, action)
}

/**
 * The most that a call may use. To link a wallet that is a contract runs its code, which may use up as much as a transaction may have: whoever
 * has such a wallet would empty the key, which could then unlink nobody either.
 */
const MOST_CALL_GAS = 1_000_000n

/** @throws KeyActionRefusedError when the contracts would refuse the call, or it would use more gas than any should that stops nothing */
export async function estimateCall(
  nodes: readonly RpcNode[],
  signer: Signer,
  { to, data, name, stops }: Call,
): Promise<bigint> {
  const gas = await estimateOf(nodes, (node) => readGasEstimate(node, { from: signer.address, to, data })).catch(
    (error: unknown) => {
      const reason = revertName(error)
      throw reason === undefined ? error : new KeyActionRefusedError(name, reason)
    },
  )
  if (stops !== true && gas > MOST_CALL_GAS) throw new KeyActionRefusedError(name, 'TooMuchGas')
  return gas
}
