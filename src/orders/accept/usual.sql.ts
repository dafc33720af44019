/** The accepting statement of usual mints: what their decisions took for granted must be so in its snapshot. */
import type { Queryable } from '../../db/database.ts'
import { type RowsColumn, rowsOf, rowsParam } from '../../db/rows-param.ts'
import { orderTag } from '../../values/order-tag.ts'
import { DENIED_JOIN, IS_LIMIT_BELIEVED, limitJoin } from './facts.sql.ts'
import { CREATED_AT, type NewRecord, RECORD_COLUMNS, recordCtes } from './record.sql.ts'

/** What became of a usual mint: undefined when something was not as taken for granted, and nothing was recorded. */
export type UsualWritten = { createdAt: Date; deliveriesDue: boolean } | undefined

const COLUMNS: readonly RowsColumn<NewRecord>[] = [
  ...RECORD_COLUMNS,
  ['tag', 'text', ({ acceptance: { order } }) => orderTag(order.integrationId, order.referenceId)],
]

/** One index look-up for each fact, as when facts are read; each line of the condition is a fact of `usualMintFacts`. */
const JUDGED = `judged as materialized (
    select q.*, ${CREATED_AT},
      k.order_id is null
      and o.order_id is null
      and c.integration_id is not distinct from q.integration_id
      and c.verification_status = 'VERIFIED' and c.is_resident and c.can_mint
      and i.tag is null
      and d.address is null
      and not coalesce(${IS_LIMIT_BELIEVED} and l.capacity_micro > 0 and l.capacity_micro < q.amount_micro, false)
      as is_usual
    from request q
    left join lateral (
      select order_id from idempotency_keys
      where integration_id = q.integration_id and idempotency_key = q.idempotency_key limit 1) k on true
    left join lateral (
      select order_id from orders where integration_id = q.integration_id and reference_id = q.reference_id limit 1) o on true
    left join lateral (
      select integration_id, verification_status, is_resident, can_mint from customers
      where customer_id = q.customer_id limit 1) c on true
    left join lateral (
      select tag from foreign_instructions where tag = q.tag limit 1) i on true
    ${DENIED_JOIN}
    ${limitJoin('MINT')}),
  usual as materialized (select * from judged where is_usual)`

const TEXT = `with request as materialized (
    select r.* from ${rowsOf('$2', 'r', COLUMNS)}
    cross join (select set_config('lock_timeout', $1, true)) as patience),
  ${JUDGED},
  ${recordCtes('usual', undefined)}
  select place, created_at, exists (select from planned_deliveries) as deliveries_due from usual`

/**
 * Records those mints that count towards no cap and are as usual; they are dated by the database's clock.
 * @param patienceMs how long to wait for a row that somebody else has locked
 * @returns what became of each, in the order given
 * @throws the database's error, and then none was recorded; a violated constraint means that one of them lost a race
 */
export async function recordUsualMints(
  db: Queryable,
  records: readonly NewRecord[],
  patienceMs: number,
): Promise<UsualWritten[]> {
  const rows = await db.query<{ place: bigint; created_at: Date; deliveries_due: boolean }>(TEXT, [
    `${patienceMs}ms`,
    rowsParam(COLUMNS, records),
  ])
  const written: UsualWritten[] = records.map(() => undefined)
  for (const { place, created_at: createdAt, deliveries_due: deliveriesDue } of rows)
    written[Number(place) - 1] = { createdAt, deliveriesDue }
  return written
}
