/** Orders whose row says otherwise than `order_holds` whether they are kept out of batches. */
import type { Queryable } from '../../db/database.ts'

/** The first ones are enough to act on. */
const MAX_FINDINGS = 100

/** `isHeld`: it is held, and its row does not say so; otherwise its row says so, and nothing holds it. */
export type WrongMark = { order: string; amountMicro: bigint; isHeld: boolean }

/**
 * Triggers write that into the row, so that the owner of the tables can write past them, as can a restore of one table. Those that are marked are one
 * range of `orders_awaiting_settlement` for each chain.
 */
export async function findWrongMarks(db: Queryable): Promise<WrongMark[]> {
  return await db.query<WrongMark>(
    `(select o.integration_id || '/' || o.reference_id as order, o.amount_micro as "amountMicro", false as "isHeld"
       from chains c join orders o on o.chain_id = c.chain_id and o.status = 'pending' and o.is_held
       where not exists (select from order_holds h where h.order_id = o.order_id) limit ${MAX_FINDINGS})
     union all
     (select o.integration_id || '/' || o.reference_id, o.amount_micro, true
       from order_holds h cross join lateral (select * from orders where order_id = h.order_id limit 1) o
       where o.status = 'pending' and not o.is_held limit ${MAX_FINDINGS})
     order by 1 limit ${MAX_FINDINGS}`,
  )
}
