/** Orders whose row says otherwise than `order_holds` whether they are held, as differences. */
import type { Queryable } from '../../db/database.ts'
import { formatAmount } from '../../money.ts'
import type { Difference } from './difference.ts'
import { findWrongMarks, type WrongMark } from './held.sql.ts'

/** Each with the command that puts it right: whoever holds an order marks it, and whoever lets it go ends the mark. */
export async function findHeldOtherwise(db: Queryable): Promise<Difference[]> {
  return (await findWrongMarks(db)).map(wrongMark)
}

function wrongMark({ order, amountMicro, isHeld }: WrongMark): Difference {
  const hold = `"coin order hold ${order} --reason …"`
  const message = isHeld
    ? `is held, but not marked so: it is not settled, but each look for what is due reads past it. Once you know why: ${hold}, which marks it.`
    : `is marked as held, but nothing holds it: it waits for ever. Once you know why: ${hold}, then "coin order release ${order} --held … --reason …" to have it settled.`
  return { kind: 'order_hold', subject: order, message: `${order} over ${formatAmount(amountMicro)} ${message}` }
}
