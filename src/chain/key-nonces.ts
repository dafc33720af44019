/** The nonces of operators' keys: the next one, and whether something of a key waits in the pools. */
import type { Address } from 'viem'
import type { ChainConfig } from '../config.ts'
import { answersOf } from './answers.ts'
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
