/**
 * Making good an order that had failed, and that the chain has executed after all when it executed its batch again (outcome.ts). Its partner was told
 * that no value moved.
 * - A mint: its coin is there, so its integration owes the ringgit, as for any mint.
 * - A redeem: what it has burnt is minted back.
 * - A transfer is only noted: its receiver alone can send it back.
 * - An order of the house that was to mint coin back, or again, has done so: nothing else is to do it, and what has done it since is owed.
 */
import type { Queryable } from '../../db/database.ts'
import type { Order } from '../../orders/order.ts'
import { bookExecuted } from '../../payouts/executed.sql.ts'
import { endUnpaid, findRedeemOf, type NotEnded } from '../../payouts/lost-burn.sql.ts'
import { REFUNDS, REMINTS } from '../../values/house.ts'
import { closeLost, type LostOrder, lockLostOf } from '../tables/lost.sql.ts'
import { bookTurned } from '../tables/turned.sql.ts'
import type { MadeGood } from './made-good.ts'

type Refused = { refused: 'under_way' | 'reminted' | NotEnded }
type Remint = (
  tx: Queryable,
  order: Order,
  lost: LostOrder,
) => Promise<MadeGood | { refused: 'under_way' | 'reminted' }>

/** @param remint mints its coin to its wallet */
export async function makeExecutedGood(
  tx: Queryable,
  order: Order,
  lost: LostOrder,
  remint: Remint,
): Promise<MadeGood | Refused> {
  if (order.direction === 'REDEEM') return await remint(tx, order, lost)
  const done = await (order.direction === 'TRANSFER' ? 'noted' : keepMinted(tx, order))
  if (typeof done !== 'object') await closeLost(tx, order.orderId)
  return done
}

async function keepMinted(tx: Queryable, order: Order): Promise<'even' | 'booked' | Refused> {
  if (order.integrationId === REMINTS) return await keepReminted(tx, order)
  if (order.integrationId === REFUNDS) return await keepRefunded(tx, order)
  await bookExecuted(tx, order)
  return 'booked'
}

/** What was lost is there again by it, unless that was made good otherwise since. */
async function keepReminted(tx: Queryable, order: Order): Promise<'even' | 'booked' | Refused> {
  const of = await lockLostOf(tx, order)
  if (of !== undefined && !of.isClosed) {
    if (of.remintStatus === 'pending' || of.remintStatus === 'processing') return { refused: 'under_way' }
    if (!isMinting(of)) {
      await closeLost(tx, of.orderId)
      await bookTurned(tx, [of.orderId])
      return 'even'
    }
  }
  await bookExecuted(tx, order)
  return 'booked'
}

/** Its payout ends as minted back, unless that was paid, or minted back, since: then the holder has the coin beside it. */
export async function keepRefunded(
  tx: Queryable,
  order: Order,
  bookBeside: () => Promise<void> = () => bookExecuted(tx, order),
): Promise<'even' | 'booked' | Refused> {
  const redeem = await findRedeemOf(tx, order)
  const done = redeem === undefined ? 'paid' : await endUnpaid(tx, redeem, order)
  if (done === 'ended') return 'even'
  if (done !== 'paid') return { refused: done }
  await bookBeside()
  return 'booked'
}

/** Whether an order of the house mints it, or has done so. */
export const isMinting = ({ remintStatus }: Pick<LostOrder, 'remintStatus'>): boolean =>
  remintStatus === 'pending' || remintStatus === 'processing' || remintStatus === 'completed'
