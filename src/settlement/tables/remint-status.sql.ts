/** SQL: how far the coin of a lost order is minted again. */
import { REMINTS } from '../../values/house.ts'

/** What the chain has lost of what had minted it again, and not done once more. */
const IS_GONE =
  'exists (select from lost_orders again where again.order_id = r.order_id and not again.executed and not again.undone)'

/**
 * How far one of its tries is: `completed` where one is there, `lost` where the chain has lost what was minted, otherwise as the newest is.
 * @param name SQL: of any of them
 * @param after SQL: only those that were made after this order
 */
export const remintStatusOf = (name: string, after = '0'): string =>
  `select t.status from (
     select r.order_id, case when ${IS_GONE} then 'lost' else r.status end as status from orders r
     where ${name}::text is not null and r.integration_id = '${REMINTS}' and split_part(r.reference_id, '/', 1) = split_part(${name}, '/', 1) and r.order_id > ${after}) t
   order by array_position(array['completed', 'pending', 'processing', 'lost'], t.status), t.order_id desc limit 1`
