/** The orders of the house: what it owes already and puts right on the chain by itself, under integrations that no partner has. */

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
