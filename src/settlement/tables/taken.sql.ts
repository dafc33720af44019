/** What batches of others have done, where the chain has executed them again with another outcome, and the orders that have taken an outcome of theirs. */
import type { Queryable } from '../../db/database.ts'
import { executedIn } from '../bitmap.ts'
import { IS_MADE_GOOD } from './ended-alike.sql.ts'
import type { SettledTag } from './foreign.sql.ts'

type Done = Pick<SettledTag, 'batchId' | 'successBitmap'>

/**
 * That is what its instructions have done. Of one that moved coin, and whose outcome an order has taken, what that was told stays. One that had moved none,
 * and has now, is no order's any more: the order has failed, and others have carried it out after it had ended; nor is one that was made good for that, and
 * has moved none now.
 * @returns the places of those of which that was not known
 */
export async function noteOtherOutcome(
  tx: Queryable,
  chainId: number,
  { batchId, successBitmap }: Done,
): Promise<number[]> {
  const rows = await tx.query<{ index: number }>(
    `update foreign_instructions i set succeeded = not succeeded, order_id = null
     where chain_id = $1 and batch_id = $2
       and (order_id is null or not succeeded or exists (select from orders o where o.order_id = i.order_id and ${IS_MADE_GOOD})) and succeeded <> (instruction_index = any ($3::int[]))
     returning instruction_index::int as index`,
    [chainId, batchId, executedIn(successBitmap)],
  )
  return rows.map(({ index }) => index)
}

/** Whether anything of such a batch is kept, or was taken, otherwise than it has done by a record. */
export async function isOtherwise(
  db: Queryable,
  chainId: number,
  { successBitmap }: Pick<Done, 'successBitmap'>,
  batchId: bigint,
): Promise<boolean> {
  const rows = await db.query(
    `select from foreign_instructions where chain_id = $1 and batch_id = $2 and succeeded <> (instruction_index = any ($3::int[])) limit 1`,
    [chainId, batchId, executedIn(successBitmap)],
  )
  return rows.length > 0
}

/** The orders that have taken an outcome which is none by what it has done now: redeems whose burn is refused, and whatever had failed and was executed. */
export async function readTakenOtherwise(
  tx: Queryable,
  chainId: number,
  { batchId, successBitmap }: Done,
): Promise<{ refused: bigint[]; executed: bigint[] }> {
  const rows = await tx.query<{ order_id: bigint; direction: string; succeeded: boolean }>(
    `select order_id, direction, succeeded from foreign_instructions
     where chain_id = $1 and batch_id = $2 and order_id is not null and succeeded <> (instruction_index = any ($3::int[]))`,
    [chainId, batchId, executedIn(successBitmap)],
  )
  const refused = rows.filter(({ direction, succeeded }) => succeeded && direction === 'REDEEM')
  const executed = rows.filter(({ succeeded }) => !succeeded)
  return {
    refused: refused.map(({ order_id: orderId }) => orderId),
    executed: executed.map(({ order_id: orderId }) => orderId),
  }
}
