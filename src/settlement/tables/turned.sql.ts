/**
 * Orders that were made good and that the chain has then done as they were told after all: there is coin beside, or too little, as long as what made
 * them good is there, too. What of that the books have is counted in `lost_orders` (`turns`).
 */
import type { Queryable } from '../../db/database.ts'
import { bookBurnsBeside, bookTurns, type Turn } from '../../payouts/executed.sql.ts'
import { REMINTS } from '../../values/house.ts'
import type { Placed } from './placed.sql.ts'
import { remintStatusOf } from './remint-status.sql.ts'

type Row = Omit<Turn, 'isExecuted' | 'chainId'> & { chain: bigint; executed: boolean; isUndone: boolean }

const NAME = (order: string, lost: string) =>
  `split_part(case ${order}.integration_id when '${REMINTS}' then ${order}.reference_id else ${lost}.remint end, '/', 1)`

/** With each order all that mint the same again, and what they mint again. */
const UNBOOKED = `with named as (
    select ${NAME('o', 'l')} as name from orders o left join lost_orders l on l.order_id = o.order_id where o.order_id = any ($1::bigint[])),
  rows as (
    select l.*, o.direction, o.amount_micro, coalesce(c.integration_id, o.integration_id) as owner,
      l.undone and (l.closed_at is not null or (${remintStatusOf(NAME('o', 'l'), `(case o.integration_id when '${REMINTS}' then o.order_id else 0 end)`)}) is not distinct from 'completed') as is_beside
    from lost_orders l join orders o on o.order_id = l.order_id left join customers c on c.customer_id = o.customer_id
    where o.order_id = any ($1::bigint[]) or ${NAME('o', 'l')} in (select name from named))
  select order_id as "orderId", chain_id as chain, batch_id as "batchId", owner as "integrationId", direction, amount_micro as "amountMicro",
    turns::int as turns, executed, is_beside as "isUndone"
  from rows where is_beside <> (turns % 2 = 1) order by order_id`

/**
 * Books burns by a batch of redeems that had left it as not burnt, or that these are gone again: the coin of their holders is not there, and nothing is paid
 * for it, so that their integration is owed it, whatever became of the redeem elsewhere.
 */
export async function bookBeside(
  tx: Queryable,
  batch: { chainId: number; batchId: bigint },
  placed: readonly Placed[],
): Promise<void> {
  if (placed.length === 0) return
  await bookBurnsBeside(tx, batch, placed)
  await tx.query(
    `update batch_outcomes set beside = array(
       select unnest(beside) except select unnest($3::smallint[]) union all (select unnest($3::smallint[]) except select unnest(beside)))
     where chain_id = $1 and batch_id = $2`,
    [batch.chainId, batch.batchId, placed.map(({ index }) => index)],
  )
}

/** Books what has changed of that since these orders, or what mints them again, were made good, lost or done again. */
export async function bookTurned(tx: Queryable, orderIds: readonly bigint[]): Promise<void> {
  const rows = await tx.query<Row>(UNBOOKED, [orderIds])
  await bookTurns(
    tx,
    rows.map(({ chain, executed, isUndone, ...row }) => ({
      ...row,
      chainId: Number(chain),
      isExecuted: isUndone !== executed,
    })),
  )
  await tx.query('update lost_orders set turns = turns + 1 where order_id = any ($1::bigint[])', [
    rows.map(({ orderId }) => orderId),
  ])
}
