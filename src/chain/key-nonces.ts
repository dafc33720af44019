/** The nonces of an operator's key: the next one, and whether something of it waits in the pools. */
import type { ChainConfig } from '../config.ts'
import { answersOf } from './answers.ts'
import { type AgreedHead, agree } from './quorum.ts'
import { readNonce } from './reads.ts'
import type { Signer } from './signer.ts'

/** The key's next nonce as of the agreed head. */
export async function nonceAt(config: ChainConfig, at: AgreedHead, signer: Signer): Promise<bigint> {
  const block = { blockHash: at.head.hash }
  const { value } = await agree(at.nodes, config.quorum, (node) => readNonce(node, signer.address, block))
  return value
}

/**
 * Whether a transaction of the key waits in the pools, such as that of an action which was cut off or took too long: it may do the opposite. Of
 * two nodes that differ nobody can tell which one is wrong.
 */
export async function isWaiting(config: ChainConfig, at: AgreedHead, signer: Signer): Promise<boolean> {
  const used = await nonceAt(config, at, signer)
  const answers = await answersOf(
    at.nodes,
    (node) => readNonce(node, signer.address, 'pending'),
    () => true,
  )
  const pending = answers.flatMap((answer) => ('value' in answer ? [answer.value] : []))
  const waiting = pending.filter((nonce) => nonce > used)
  return waiting.length > 0 && 2 * waiting.length >= pending.length
}
