/** The table `lost_chains`, and what of a chain's own rows goes with it. Whoever writes has locked the chain (`lockChain`). */
import type { Queryable } from '../../db/database.ts'

/** When a settler last saw a block of the chain, and whether that is so long ago that it may be called lost. */
export type LastSeen = { observedBlock: bigint; observedAt: Date; isLongAgo: boolean }

/** Undefined of a chain that no settler has ever worked with. */
export async function findLastSeen(db: Queryable, chainId: number): Promise<LastSeen | undefined> {
  const [row] = await db.query<LastSeen>(
    `select observed_block as "observedBlock", observed_at as "observedAt", observed_at < now() - interval '1 day' as "isLongAgo"
     from chains where chain_id = $1`,
    [chainId],
  )
  return row
}

/** @returns false where it is lost already */
export async function insertLostChain(
  tx: Queryable,
  { chainId, reason, lostBy }: { chainId: number; reason: string; lostBy: string },
): Promise<boolean> {
  const rows = await tx.query(
    'insert into lost_chains (chain_id, reason, lost_by) values ($1, $2, $3) on conflict do nothing returning chain_id',
    [chainId, reason, lostBy],
  )
  return rows.length > 0
}

/**
 * The chain is there again. What it did meanwhile is not known here: as after a restore it is read to the end, and fenced, before anything is signed.
 * @returns false where it was not lost
 */
export async function deleteLostChain(tx: Queryable, chainId: number): Promise<boolean> {
  // Seen now, by the word of two people: called lost again at once, it would have been booked on for a moment as on any other chain.
  await tx.query('update chains set fenced_on = null, observed_at = now() where chain_id = $1', [chainId])
  await tx.query('update settlement_holds set history_read_on = null where chain_id = $1', [chainId])
  return (await tx.query('delete from lost_chains where chain_id = $1 returning chain_id', [chainId])).length > 0
}

const IN_FLIGHT = `select min(batch_id) as first from batches where chain_id = $1 and status in ('signed', 'mined')`

/** The first batch of the chain that is not decided. */
export async function findFirstInFlight(db: Queryable, chainId: number): Promise<bigint | undefined> {
  const [row] = await db.query<{ first: bigint | null }>(IN_FLIGHT, [chainId])
  return row?.first ?? undefined
}

/** Whether anything was begun on the chain that is neither final nor given up. */
export async function isAnythingOpen(db: Queryable, chainId: number): Promise<boolean> {
  const rows = await db.query(
    `select where exists (select from orders where chain_id = $1 and status = 'pending')
       or exists (select from batches where chain_id = $1 and status in ('signed', 'mined'))`,
    [chainId],
  )
  return rows.length > 0
}

/** The chain of an order, if it is lost. */
export async function findLostChainOf(db: Queryable, orderId: bigint): Promise<number | undefined> {
  const [row] = await db.query<{ chainId: number }>(
    'select chain_id::float8 as "chainId" from orders join lost_chains using (chain_id) where order_id = $1',
    [orderId],
  )
  return row?.chainId
}
