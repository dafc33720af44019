/** The nonces of operators' keys: the next one, and whether something of a key waits in the pools. */
import type { Address } from 'viem'
import type { ChainConfig } from '../config.ts'
import { answersOf } from './answers.ts'
import { KeyActionLateError } from './key-action-errors.ts'
import { type AgreedHead, agree } from './quorum.ts'
import { readNonce } from './reads.ts'

/** The key's next nonce as of the agreed head. */
export async function nonceAt(config: ChainConfig, at: AgreedHead, address: Address): Promise<bigint> {
  const block = { blockHash: at.head.hash }
  const { value } = await agree(at.nodes, config.quorum, (node) => readNonce(node, address, block))
  return value
}

/** Of these keys, those of which something waits in the pools. */
export async function whoWaits(config: ChainConfig, at: AgreedHead, keys: readonly Address[]): Promise<Address[]> {
  const waiting = await Promise.all(keys.map((address) => isWaiting(config, at, address)))
  return keys.filter((_, index) => waiting[index])
}

/**
 * Whether a transaction of the key waits in the pools, such as that of an action which was cut off or took too long: it may do the opposite. Of
 * two nodes that differ nobody can tell which one is wrong.
 */
async function isWaiting(config: ChainConfig, at: AgreedHead, address: Address): Promise<boolean> {
  const used = await nonceAt(config, at, address)
  const answers = await answersOf(
    at.nodes,
    (node) => readNonce(node, address, 'pending'),
    () => true,
  )
  const pending = answers.flatMap((answer) => ('value' in answer ? [answer.value] : []))
  const waiting = pending.filter((nonce) => nonce > used)
  return waiting.length > 0 && 2 * waiting.length >= pending.length
}

const MOST_IN_VAIN = 3

/**
 * Notes a nonce that was used without effect. Code that is not ours, as of a wallet that is a contract, may say yes when it is asked and no when it
 * counts, and the key would pay for it again and again.
 * @throws KeyActionLateError after the third
 */
export function noteInVain({ name }: { name: string }, sent: { nonce: bigint } | undefined, inVain: Set<bigint>): void {
  if (sent !== undefined) inVain.add(sent.nonce)
  if (inVain.size < MOST_IN_VAIN) return
  throw new KeyActionLateError(
    `${name}: it was mined ${inVain.size} times, and each time without effect; look at its transactions before you run it again`,
  )
}
