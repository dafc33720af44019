/** Redeems whose burn the chain has lost: the holder has the coin again, and ringgit, too, where it was paid. */
import type { Queryable } from '../db/database.ts'
import { readNow } from '../db/now.sql.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { entryOfLostBurn } from '../ledger/lost-postings.ts'
import { entryOfRefund } from '../ledger/postings.ts'
import { SEN_IN_MICRO } from '../money.ts'
import { failRefunded } from '../orders/life/outcome.ts'
import type { Order } from '../orders/order.ts'
import { REFUNDS } from '../values/house.ts'
import { type LockedPayout, lockPayout } from './attempts.sql.ts'
import { mayMake, PAYOUT_MOVES } from './moves.ts'
import { type HoldReason, hasCameBack, type PayoutStatus } from './payout.ts'
import { refundNameOf } from './payouts.sql.ts'
import { CAME_BACK } from './refund.sql.ts'
import { BURNT_AGAIN, TAKEN_REFUSED, UNBURNT } from './said-by-settlers.ts'

export type Burnt = Pick<Order, 'orderId' | 'integrationId' | 'chainId' | 'batchId' | 'amountMicro'>

/** Also where the coin was minted back: the holder has it twice. */
const PAID: readonly PayoutStatus[] = ['sent', 'paid', 'paid_by_hand', 'refunded']

/**
 * Books that its integration owes the ringgit, as for a mint.
 * @returns false while nobody has paid it: then nobody owes anything for having the coin
 */
export async function bookLostBurn(tx: Queryable, { orderId, ...order }: Order): Promise<boolean> {
  const text = 'select status from payouts where order_id = $1 for update'
  const [payout] = await tx.query<{ status: PayoutStatus }>(text, [orderId])
  if (payout !== undefined && !PAID.includes(payout.status)) return false
  await book(tx, { ...order, orderId })
  return true
}

/**
 * Books what of a redeem was not minted back, where the chain has lost its refund, too: the holder has all of the coin again, and that part,
 * less than a sen, had gone out with a later payout. @param isBooked all of it is booked as owed already, so that the rest is taken back
 */
export async function bookLostPart(tx: Queryable, redeem: Burnt, refundedMicro: bigint, isBooked = false) {
  const amountMicro = (isBooked ? 0n : redeem.amountMicro) - refundedMicro
  if (amountMicro !== 0n) await book(tx, { ...redeem, amountMicro }, isBooked)
}

async function book(tx: Queryable, order: Burnt, isTakenBack = false): Promise<void> {
  const { batchId, orderId } = order
  if (batchId === null) throw new Error(`order ${orderId} was never burnt`)
  await recordEntries(tx, [entryOfLostBurn({ ...order, batchId, effectiveAt: await readNow(tx), isTakenBack })])
}

/**
 * Holds the payouts of these redeems that no rail was asked to pay until operators release them. What a rail was asked for may be paid, and
 * goes on. Locks all of them: whoever is about to have coin minted back, or has just done so, is seen from then on.
 * @param options.isTaken a batch of others had burnt it: whoever would pay again what has come back, or let go what people hold, reads that there, because nothing else says so
 * @returns the redeems of those that it has held, or that people hold and who read that from now on
 */
export async function holdLostBurns(
  tx: Queryable,
  orderIds: readonly bigint[],
  { isTaken = false } = {},
): Promise<bigint[]> {
  await tx.query('select from payouts where order_id = any ($1::bigint[]) order by payout_id for update', [orderIds])
  const held = await tx.query<{ id: bigint }>(
    `update payouts set status = 'held', hold_reason = 'by_operator', status_since = now(), last_error = $2, updated_at = now()
     where order_id = any ($1::bigint[]) and rail is null and (${mayMake('hold')} or hold_reason = 'maybe_paid_before') returning order_id as id`,
    [orderIds, isTaken ? TAKEN_REFUSED : UNBURNT],
  )
  if (!isTaken) {
    await takeBackBurntAgain(tx, orderIds)
    return held.map(({ id }) => id)
  }
  const told = await tx.query<{ id: bigint; status: PayoutStatus }>(
    `update payouts set last_error = $2 || coalesce(case status when 'held' then ' ' else $3 end || last_error, '') where order_id = any ($1::bigint[])
       and (${mayMake('retry')} or hold_reason = 'by_operator') and not starts_with(coalesce(last_error, ''), $2) returning order_id as id, status`,
    [orderIds, TAKEN_REFUSED, CAME_BACK],
  )
  return [...held, ...told.filter(({ status }) => status === 'held')].map(({ id }) => id)
}

/** Of those that are held still: whoever had read that, or is about to let one go for it, reads that the burn is lost once more. */
async function takeBackBurntAgain(tx: Queryable, orderIds: readonly bigint[]): Promise<void> {
  await tx.query(
    `update payouts set last_error = $2, updated_at = now()
     where order_id = any ($1::bigint[]) and status || '' = 'held' and hold_reason = 'by_operator' and last_error = $3`,
    [orderIds, UNBURNT, BURNT_AGAIN],
  )
}

/** Says of payouts that are held so, and whose burns the chain has again, that they may go on. @returns those */
export async function tellBurntAgain(tx: Queryable, orderIds: readonly bigint[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `update payouts set last_error = $2, updated_at = now()
     where order_id = any ($1::bigint[]) and status || '' = 'held' and hold_reason = 'by_operator' and last_error = $3 returning payout_id as id`,
    [orderIds, BURNT_AGAIN, UNBURNT],
  )
  return rows.map(({ id }) => id)
}

/** The orders that are to mint coin of these redeems back, and are not decided yet. */
export async function findRefundsOf(tx: Queryable, orderIds: readonly bigint[]): Promise<bigint[]> {
  const rows = await tx.query<{ order_id: bigint }>(
    `select r.order_id from payouts p
       join orders r on r.integration_id = '${REFUNDS}' and r.reference_id = ${refundNameOf('p.refunds')} and r.status = 'pending'
     where p.order_id = any ($1::bigint[]) and p.refunds > 0`,
    [orderIds],
  )
  return rows.map(({ order_id: orderId }) => orderId)
}

/** The redeem whose coin an order of the house was to mint back. */
export async function findRedeemOf(
  db: Queryable,
  { referenceId }: Pick<Order, 'referenceId'>,
): Promise<(Burnt & Pick<Order, 'customerId'>) | undefined> {
  const [row] = await db.query<Omit<Burnt, 'chainId'> & Pick<Order, 'customerId'> & { chain: bigint }>(
    `select o.order_id as "orderId", o.integration_id as "integrationId", o.chain_id as chain, o.batch_id as "batchId",
       o.amount_micro as "amountMicro", o.customer_id as "customerId"
     from payouts p cross join lateral (select * from orders where order_id = p.order_id limit 1) o
     where p.payout_id = split_part($1, '/', 1)`,
    [referenceId],
  )
  if (row === undefined) return undefined
  const { chain, ...redeem } = row
  return { ...redeem, chainId: Number(chain) }
}

/** The payout of a redeem. */
export async function findPayoutOf(db: Queryable, orderId: bigint): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>('select payout_id as id from payouts where order_id = $1', [orderId])
  return row?.id
}

/** The same, unless it was paid, or its coin minted back. */
export async function findUnpaidOf(db: Queryable, orderId: bigint): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    'select payout_id as id from payouts where order_id = $1 and status <> all ($2::text[])',
    [orderId, [...PAID]],
  )
  return row?.id
}

/** Why a payout is not ended unpaid: it is to go out, or it has left, or may have; or its coin is being minted back. */
export type NotEnded = 'queued' | 'paid' | 'maybe_paid' | 'refunding'

/** Of a payout `p`: no rail was asked for its newest payment, nor may a lost history have asked one. Earlier ones are over, or it does not end so. */
const IS_UNASKED = `rail is null and not ask_first
  and not exists (select from payout_attempts a where a.payout_id = p.payout_id and a.attempt = p.attempt)`

type Held = { payout_id: string; hold_reason: HoldReason | null; is_unasked: boolean }

/**
 * Ends the payout of a lost burn for good, because its holder has the coin and keeps it, as if it had been minted back: nobody is paid, what was
 * payable is coin again, and a redeem that is not completed fails. What had gone out of a sen with a later payout, its integration owes.
 * @param minted the refund that was executed after all, where that is why: the redeem itself may be lost, too
 * @param isBooked it was made good while it was paid, and that payment came back since: its integration owes its ringgit no more
 */
export async function endUnpaid(
  tx: Queryable,
  redeem: Burnt & Pick<Order, 'customerId'>,
  minted: Pick<Burnt, 'orderId' | 'batchId' | 'amountMicro'> = redeem,
  isBooked = false,
): Promise<'ended' | NotEnded> {
  const [held] = await tx.query<Held>(
    `select payout_id, hold_reason, ${IS_UNASKED} as is_unasked from payouts p where order_id = $1 for update`,
    [redeem.orderId],
  )
  // Of less than a sen nothing is to be paid by itself.
  const payout = held && (await lockPayout(tx, held.payout_id))
  if (held === undefined || payout === undefined) return 'paid'
  const why = whyNotEnded(payout, held, minted !== redeem)
  if (why !== undefined) return why
  const { payoutId, integrationId, amountSen, status } = payout
  const { chainId } = redeem
  const { amountMicro, batchId, orderId } = minted
  const residualMicro = await takePart(tx, redeem.customerId, amountMicro - amountSen * SEN_IN_MICRO)
  if (status === 'held') for (const move of ['release', 'refuse'] as const) await moveOn(tx, payoutId, move)
  await moveOn(tx, payoutId, 'refund')
  const effectiveAt = await readNow(tx)
  const booked = { payoutId, name: 'lost', integrationId, chainId, amountSen, residualMicro, effectiveAt }
  await recordEntries(tx, [entryOfRefund(booked)])
  const backMicro = amountSen * SEN_IN_MICRO + residualMicro
  await bookLostPart(tx, { ...redeem, amountMicro, batchId, orderId }, backMicro, isBooked)
  await failRefunded(tx, redeem.orderId)
  return 'ended'
}

/** @param isMinted its coin was minted back: what its bank has paid all the same is extra, and settles it no more */
function whyNotEnded(payout: LockedPayout, held: Held, isMinted: boolean): NotEnded | undefined {
  const { status, attempts, isRefunding } = payout
  if (PAID.includes(status)) return 'paid'
  if (status === 'queued') return 'queued'
  if (isRefunding) return 'refunding'
  const own = attempts.filter(({ isExtra }) => !(isMinted && isExtra))
  if (own.some((each) => !hasCameBack(each.status))) return 'maybe_paid'
  return status === 'held' && !(held.hold_reason === 'by_operator' && held.is_unasked) ? 'maybe_paid' : undefined
}

/** Takes the part of a sen that a redeem has left over from what its customer is owed, as far as it has not gone out with a later payout. @returns how much */
async function takePart(tx: Queryable, customerId: string, partMicro: bigint): Promise<bigint> {
  const [row] = await tx.query<{ free_micro: bigint }>(
    'select owed_micro - reserved_micro as free_micro from customer_residuals where customer_id = $1 for update',
    [customerId],
  )
  const free = row?.free_micro ?? 0n
  const residualMicro = partMicro < free ? partMicro : free
  if (residualMicro === 0n) return 0n
  await tx.query('update customer_residuals set owed_micro = owed_micro - $2::bigint where customer_id = $1', [
    customerId,
    residualMicro,
  ])
  return residualMicro
}

async function moveOn(tx: Queryable, payoutId: string, move: 'release' | 'refuse' | 'refund'): Promise<void> {
  const rows = await tx.query(
    `update payouts set status = $2, hold_reason = null, status_since = now(), last_error = null, updated_at = now()
     where payout_id = $1 and ${mayMake(move)} returning payout_id`,
    [payoutId, PAYOUT_MOVES[move].to],
  )
  if (rows.length !== 1) throw new Error(`payout ${payoutId} has moved`)
}
