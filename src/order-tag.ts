/** The name of an order on chain. */
import { keccak_256 } from '@noble/hashes/sha3'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils'

/** Whose the orders are that mint coin back: no integration has this id, so no partner ever sees one. */
export const REFUNDS = 'refunds'

/**
 * The first 8 bytes of keccak256(integrationId ‖ 0x00 ‖ referenceId), in hex. Integration ids are random and never published,
 * so it reveals nothing to strangers.
 */
export function orderTag(integrationId: string, referenceId: string): `0x${string}` {
  if (integrationId === REFUNDS) return refundTag(referenceId)
  return `0x${bytesToHex(hashOfPair(integrationId, referenceId).slice(0, 8))}`
}

/** The name of a refund on chain: the first 8 bytes of keccak256 of its name, which begins with its payout's id. */
export function refundTag(name: string): `0x${string}` {
  return `0x${bytesToHex(keccak_256(utf8ToBytes(name)).slice(0, 8))}`
}

/** keccak256 of two ids. No id contains a zero byte, so no two pairs make the same text. */
export function hashOfPair(first: string, second: string): Uint8Array {
  return keccak_256(utf8ToBytes(`${first}\0${second}`))
}
