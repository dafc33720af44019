/** The name of an order on chain. */
import { keccak_256 } from '@noble/hashes/sha3'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils'

/**
 * The first 8 bytes of keccak256(integrationId ‖ 0x00 ‖ referenceId), in hex. Integration ids are random and never published,
 * so it reveals nothing to strangers.
 */
export function orderTag(integrationId: string, referenceId: string): `0x${string}` {
  return `0x${bytesToHex(hashOfPair(integrationId, referenceId).slice(0, 8))}`
}

/** keccak256 of two ids. No id contains a zero byte, so no two pairs make the same text. */
export function hashOfPair(first: string, second: string): Uint8Array {
  return keccak_256(utf8ToBytes(`${first}\0${second}`))
}
