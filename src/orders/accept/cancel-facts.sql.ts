/** The facts of a cancellation in one query: the order, and whether what the database may have lost can still settle it. */
import type { Queryable } from '../../db/database.ts'
import { onLostChain } from '../../db/lost-chains.sql.ts'
import { DATABASE_TIMELINE, NEWEST_BEFORE } from '../../db/timeline.sql.ts'
import { isUnheldForLong, wasHeldLately } from '../../leases/leases.sql.ts'
import { BATCH_OF_ORDER, ORDER_COLUMNS } from '../row.sql.ts'
import type { CallKey } from './call.ts'
import { baseOf, KEY_COLUMNS } from './facts.sql.ts'
import type { CancelFacts } from './facts.ts'

/** Where nobody has settled for long, the next settler asks for a fence: until then nobody has looked whether the database is an older copy. */
const IS_UNFENCED = `(h.fenced_on is distinct from ${DATABASE_TIMELINE} or ${isUnheldForLong(`'settlement:' || h.chain_id`)})
  and not ${onLostChain('h.chain_id')}`

const CANCEL_FACTS = `select now() as now, ${KEY_COLUMNS}, ${ORDER_COLUMNS},
    coalesce((select ${IS_UNFENCED} from chains h where h.chain_id = o.chain_id), false)
      or coalesce(o.order_id > ${NEWEST_BEFORE}, false) and coalesce(
        (select bool_or(${IS_UNFENCED}) from chains h where h.chain_id = any ($4::bigint[])), false) as is_unfenced
  from (values (1)) as one
  left join idempotency_keys k on k.integration_id = $1 and k.idempotency_key = $2
  left join orders o on o.integration_id = $1 and o.reference_id = $3
  ${BATCH_OF_ORDER}`

/**
 * Chains that somebody settles. One that is given up leaves the files of those first that answer partners, and what a lost history has signed
 * there can be executed as long as it is settled.
 */
export async function listSettled(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ chain_id: bigint }>(
    `select chain_id from chains h where ${wasHeldLately("'settlement:' || h.chain_id")}`,
  )
  return rows.map(({ chain_id: chainId }) => Number(chainId))
}

/**
 * The facts of a cancellation: the order with that reference, of any direction.
 * @param chainIds those that are configured, and that somebody settles
 */
export async function readCancelFacts(
  db: Queryable,
  { caller, idempotencyKey }: CallKey,
  { referenceId, chainIds }: { referenceId: string; chainIds: readonly number[] },
): Promise<CancelFacts> {
  const [row, ...more] = await db.query(CANCEL_FACTS, [caller.integrationId, idempotencyKey, referenceId, chainIds])
  if (row === undefined || more.length > 0) throw new Error('the facts query did not return one row')
  return { ...baseOf(row), isUnfenced: row.is_unfenced as boolean }
}
