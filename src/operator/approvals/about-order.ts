/** An order as whoever decides about it has to see it: by what moves, and what would become of it. */
import type { Queryable } from '../../db/database.ts'
import { formatAmount } from '../../money.ts'
import { readOrderHolds, sayHold } from '../holds.ts'
import { type HeldFor, listHeldFor, sumHeldFor } from '../orders/held-for.sql.ts'
import { isGood, sayDoneByOthers, sayLost } from '../orders/lost.ts'
import { orderNamed } from '../orders/name.ts'
import { findOrderWithFacts, type OrderWithFacts } from '../orders/orders.sql.ts'
import { sayDisowning, sayEndingUnpaid, sayMakingGood, sayRejecting, sayReleasing } from '../orders/would.ts'
import type { Asked } from './asked.ts'

type Facts = Record<string, unknown>

/** @returns undefined when there is no such order */
export async function describeOrder(
  db: Queryable,
  command: string,
  { params: { integrationId = '', referenceId = '' }, body }: Asked,
): Promise<Facts | undefined> {
  const found = await findOrderWithFacts(db, integrationId, referenceId)
  if (found === undefined) return undefined
  const { order, facts } = found
  const { direction, amountMicro, status, customerId, walletAddress } = order
  const { held, lost, isDoneByOthers, hasTagConflict } = facts
  const { now: holds } = await readOrderHolds(db, `${integrationId}/${referenceId}`, held)
  return {
    direction,
    amount: formatAmount(amountMicro),
    status,
    held,
    ...(holds.length > 1 && { heldForAll: holds.map(sayHold).join('; ') }),
    customerId,
    walletAddress,
    ...(hasTagConflict && { conflict: CONFLICT }),
    ...(isDoneByOthers && (lost === undefined || isGood(lost))
      ? { lost: sayDoneByOthers(order) }
      : lost && { lost: sayLost(order, lost) }),
    would: wouldOf(command, found, body),
  }
}

/** So many are named; the list of orders has the others. */
const MOST_NAMED = 25

/** What would be rejected together. */
export async function describeHeldFor(db: Queryable, of: HeldFor): Promise<Facts> {
  const { orders, amountMicro, besides } = await sumHeldFor(db, of)
  const named = (await listHeldFor(db, of, MOST_NAMED)).map(
    (each) => `${each.name} (${formatAmount(each.amountMicro)})`,
  )
  const more = orders > named.length ? ` and ${orders - named.length} more` : ''
  return {
    heldFor: of.held,
    orders: String(orders),
    amount: formatAmount(amountMicro),
    which: `${named.join(', ')}${more}`,
    ...(besides > 0 && { besides: `${besides} more are held for something else, too, and stay held` }),
    would: `Each: ${sayRejecting(of)}`,
  }
}

const CONFLICT =
  'Others have settled something under its tag: compare it with "coin batch list --unexplained" and "coin batch show CHAIN ID" first.'

function wouldOf(command: string, { order, facts }: OrderWithFacts, body: Asked['body']): string | null {
  if (command === 'order release') return sayReleasing(order, facts)
  if (command === 'order reject') return sayRejecting(order)
  return body.unpaid === true ? sayEndingUnpaid(order) : (sayMakingGood(order, facts) ?? null)
}

/** The order of which a word about a batch says that an instruction is not its own; nothing where it names none. */
export async function describeNotOrder(db: Queryable, { notOrder, index }: Asked['body']): Promise<Facts> {
  if (typeof notOrder !== 'string') return {}
  const named = orderNamed(notOrder)
  const found = named && (await findOrderWithFacts(db, named.integrationId, named.referenceId))
  if (found === undefined) return { notOrder: `${notOrder}, which is no order` }
  const { direction, amountMicro, status, walletAddress } = found.order
  return {
    notOrder: `${notOrder}: ${direction} of ${formatAmount(amountMicro)} coin, ${status}, wallet ${walletAddress}`,
    notInstruction: index === undefined ? 'all in this batch with its tag' : String(index),
    would: sayDisowning(found.order),
  }
}
