/** The name of an order on chain; and the orders of the house, whose names are made otherwise. */
import { keccak256Hex } from './keccak.ts'

/** Whose the orders are that mint coin back: no integration has this id, so no partner ever sees one. */
export const REFUNDS = 'refunds'

/**
 * Whose the orders are that mint again what the chain has lost: no integration has this id either. Each is named by the tag of the lost
 * order, and has it: a database that was restored to before takes the one for the other, and so mints nothing twice.
 */
export const REMINTS = 'remints'

/** The house: whose orders are owed already, so that they have no event and count in no cap, book and reserve; as SQL has a list. */
export const HOUSE = `('${REFUNDS}', '${REMINTS}')`

/** Whether an order is one of the house. */
export function isOfHouse({ integrationId }: { integrationId: string }): boolean {
  return integrationId === REFUNDS || integrationId === REMINTS
}

/** Eight bytes. */
const TAG_DIGITS = 16

/**
 * The first 8 bytes of keccak256(integrationId ‖ 0x00 ‖ referenceId), in hex. Integration ids are random and never published,
 * so it reveals nothing to strangers.
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
