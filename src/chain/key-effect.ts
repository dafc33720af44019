/** Whether the chain shows the effect of an operator's action. */
import type { Address, Hex } from 'viem'
import type { ChainConfig } from '../config.ts'
import { type AgreedHead, agree } from './quorum.ts'
import { readCall } from './reads.ts'

/** A view call of a contract, and the raw result that it returns once the action has taken effect. */
type Shown = { to: Address; effect: { data: Hex; expected: Hex } }

/** At the agreed head, or at the end of a block. */
export async function isShown(
  config: ChainConfig,
  at: AgreedHead,
  { to, effect }: Shown,
  blockNumber?: bigint,
): Promise<boolean> {
  const block = blockNumber ?? { blockHash: at.head.hash }
  const { value } = await agree(at.nodes, config.quorum, (node) => readCall(node, { to, data: effect.data }, block))
  return value === effect.expected
}

/** So many blocks ago that it is at full depth now. */
export function wasShownAtDepth(config: ChainConfig, at: AgreedHead, action: Shown): Promise<boolean> {
  const depth = BigInt(config.confirmations) - 1n
  if (at.head.number < depth) return Promise.resolve(false)
  return isShown(config, at, action, at.head.number - depth).catch(() => false)
}
