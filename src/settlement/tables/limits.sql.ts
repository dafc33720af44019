/** The table `chain_limits`. Writes run under the chain's lease. */
import type { Queryable } from '../../db/database.ts'
import type { Direction } from '../../orders/order.ts'

/** More than any order can be over. */
const MOST_MICRO = 2n ** 63n - 1n

/** Writes the most that the bucket of each direction can hold, as read just now. */
export async function writeLimits(
  tx: Queryable,
  chainId: number,
  limits: readonly { direction: Direction; capacityMicro: bigint }[],
): Promise<void> {
  await tx.query(
    `insert into chain_limits (chain_id, direction, capacity_micro)
     select $1, l.direction, l.capacity_micro from unnest($2::text[], $3::bigint[]) as l (direction, capacity_micro)
     on conflict (chain_id, direction) do update set capacity_micro = excluded.capacity_micro, read_at = now()`,
    [
      chainId,
      limits.map(({ direction }) => direction),
      limits.map(({ capacityMicro }) => (capacityMicro < MOST_MICRO ? capacityMicro : MOST_MICRO)),
    ],
  )
}
