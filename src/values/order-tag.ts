/** The name of an order on chain. */
import { REFUNDS, REMINTS } from './house.ts'
import { keccak256Hex } from './keccak.ts'

/** Eight bytes. */
const TAG_DIGITS = 16

/**
 * The first 8 bytes of keccak256(integrationId ‖ 0x00 ‖ referenceId), in hex. Integration ids are random and never published,
 * so it reveals nothing to strangers. Orders of the house are named otherwise, each kind in its way.
 */
export function orderTag(integrationId: string, referenceId: string): `0x${string}` {
  if (integrationId === REFUNDS) return refundTag(referenceId)
  if (integrationId === REMINTS) return `0x${referenceId.slice(2, 2 + TAG_DIGITS)}`
  return `0x${hashOfPair(integrationId, referenceId).slice(0, TAG_DIGITS)}`
}

/** The name of a refund on chain: the first 8 bytes of keccak256 of its name, which begins with its payout's id. */
export function refundTag(name: string): `0x${string}` {
  return `0x${keccak256Hex(name).slice(0, TAG_DIGITS)}`
}

/** keccak256 of two ids, in hex without `0x`. No id contains a zero byte, so no two pairs make the same text. */
export function hashOfPair(first: string, second: string): string {
  return keccak256Hex(`${first}\0${second}`)
}
