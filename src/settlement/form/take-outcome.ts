/** An order takes what a foreign batch has done with it. */
import type { Queryable } from '../../db/database.ts'
import { adoptOrder } from '../../orders/life/signed.sql.ts'
import { decideBatch, judgeBooked } from '../../payouts/decide-batch.ts'
import { holdPayoutOf } from '../../payouts/held-redeems.sql.ts'
import { readSource } from '../tables/batches.sql.ts'
import { judgeNamed, nameOrder, type SettledTag } from '../tables/foreign.sql.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import { bookMoreMinted } from './minted-back.ts'

/** The batch is at full depth, so the order goes through its whole life at once. */
export async function take(tx: Queryable, chainId: number, order: PendingOrder, settled: SettledTag): Promise<void> {
  const { orderId } = order
  const { batchId, index, successBitmap, settledAt: effectiveAt } = settled
  const heldFor = await adoptOrder(tx, { chainId, batchId }, orderId, index)
  await decideBatch(
    tx,
    { chainId, batchId, orderIds: [orderId], successBitmap, reasons: new Map() },
    { source: `${await readSource(tx, chainId, batchId)}/${index}`, effectiveAt },
  )
  // Its coin is burnt, whoever had held it. What it was held for is nobody's to let go but theirs who held it.
  if (heldFor !== undefined) await holdPayoutOf(tx, orderId, heldFor)
  await nameOrder(tx, chainId, settled, orderId)
  await bookMoreMinted(tx, order, settled)
  await judgeBooked(tx)
  await judgeNamed(tx)
}
