/** Minting a payout's coin back to the wallet that it was burnt from. */
import type { Queryable } from '../db/database.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { entryOfRefund } from '../ledger/postings.ts'
import { SEN_IN_MICRO } from '../money.ts'
import { failRefunded } from '../orders/life/outcome.ts'
import { insertRefund } from '../orders/life/refund.sql.ts'
import type { Order } from '../orders/order.ts'
import { least } from '../values/bigints.ts'
import { REFUNDS } from '../values/house.ts'
import { type LockedPayout, lockPayout } from './attempts.sql.ts'
import { refundName } from './lost-refunds.sql.ts'
import { mayMake } from './moves.ts'
import { applySteps } from './news.sql.ts'
import { planUnrefunded } from './news.ts'
import { hasCameBack } from './payout.ts'
import { MINTED_AFTER_ALL } from './said-by-settlers.ts'

/**
 * Begins to mint back what was burnt for a payout that came back: the whole amount, less what of its part of a sen has gone out
 * with a later payout. Where a history that the database has lost has done so, under the name and of the amount that it had there.
 * @returns false when it did not come back, or is being minted back, or no payer has seen the burn on the chain
 */
export async function beginRefund(tx: Queryable, locked: LockedPayout): Promise<boolean> {
  const { payoutId, orderId, status, amountSen, refunds, lostRefund } = locked
  if (!hasCameBack(status) || locked.isRefundOpen || orderId === null) return false
  const [redeem] = await tx.query<{
    amount_micro: bigint
    customer_id: string
    owed_micro: bigint
    burn: string | null
  }>(
    `select o.amount_micro, p.burn, r.customer_id, r.owed_micro - r.reserved_micro as owed_micro
     from orders o join payouts p using (order_id) join customer_residuals r on r.customer_id = p.customer_id
     where o.order_id = $1 for update of r`,
    [orderId],
  )
  if (redeem === undefined) throw new Error(`payout ${payoutId} has no redeem`)
  // Minted back is only what is known to be gone.
  if (redeem.burn === null) return false
  const partMicro = redeem.amount_micro - amountSen * SEN_IN_MICRO
  const lost = lostRefund?.isWhole ? lostRefund : undefined
  const askedMicro = lost === undefined ? partMicro : lost.amountMicro - amountSen * SEN_IN_MICRO
  const residualMicro = least(least(partMicro, redeem.owed_micro), askedMicro)
  await reserve(tx, redeem.customer_id, residualMicro)
  // One of a name that was used here takes what that has minted as well.
  const number = Math.max(lost?.number ?? 0, refunds + 1)
  await tx.query('update payouts set refunds = $2, updated_at = now() where payout_id = $1', [payoutId, number])
  const name = refundName(payoutId, number)
  await insertRefund(tx, { redeemOrderId: orderId, name, amountMicro: amountSen * SEN_IN_MICRO + residualMicro })
  return true
}

/** Only what goes back to the holder is kept from later payouts. */
async function reserve(tx: Queryable, customerId: string, micro: bigint): Promise<void> {
  if (micro === 0n) return
  await tx.query(
    'update customer_residuals set reserved_micro = reserved_micro + greatest($2::bigint, 0) where customer_id = $1',
    [customerId, micro],
  )
}

/**
 * Takes off what a refund had reserved. Where that is not there, somebody has written past the service, as `reconcile` says: it may stop neither the
 * refund's batch nor all batches behind it.
 */
async function takeReserved(tx: Queryable, customerId: string, taken: { owedMicro: bigint; reservedMicro: bigint }) {
  await tx.query(
    `update customer_residuals set owed_micro = greatest(owed_micro - $2::bigint, -9999),
       reserved_micro = least(greatest(reserved_micro - greatest($3::bigint, 0), 0), greatest(owed_micro - $2::bigint, 0))
     where customer_id = $1`,
    [customerId, taken.owedMicro, taken.reservedMicro],
  )
}

type Refund = Pick<Order, 'referenceId' | 'chainId' | 'customerId' | 'amountMicro'>

const payoutOf = ({ referenceId }: Refund) => referenceId.split('/')[0] ?? ''

/** The coin exists again: the payout is refunded, and its redeem is as if it had never been burnt. */
export async function endRefund(tx: Queryable, refund: Refund, effectiveAt: Date): Promise<void> {
  const payoutId = payoutOf(refund)
  const locked = await lockPayout(tx, payoutId)
  if (locked === undefined) throw new Error(`there is no payout for the refund ${refund.referenceId}`)
  const { amountSen, integrationId, orderId } = locked
  const residualMicro = refund.amountMicro - amountSen * SEN_IN_MICRO
  const rows = await tx.query(
    `update payouts set status = 'refunded', status_since = now(), last_error = null, updated_at = now()
     where payout_id = $1 and ${mayMake('refund')} returning payout_id`,
    [payoutId],
  )
  if (rows.length !== 1) throw new Error(`payout ${payoutId} was minted back, but is ${locked.status}`)
  await takeReserved(tx, refund.customerId, { owedMicro: residualMicro, reservedMicro: residualMicro })
  const { chainId, referenceId: name } = refund
  await recordEntries(tx, [
    entryOfRefund({ payoutId, name, integrationId, chainId, amountSen, residualMicro, effectiveAt }),
  ])
  if (orderId !== null) await failRefunded(tx, orderId)
}

/** Nothing was minted back, and under this name nothing ever will be: the payout is as it was, and says why. */
export async function failRefund(tx: Queryable, refund: Refund, reason: string): Promise<void> {
  const payoutId = payoutOf(refund)
  const locked = await lockPayout(tx, payoutId)
  if (locked === undefined) throw new Error(`there is no payout for the refund ${refund.referenceId}`)
  const partMicro = refund.amountMicro - locked.amountSen * SEN_IN_MICRO
  if (partMicro > 0n) await takeReserved(tx, refund.customerId, { owedMicro: 0n, reservedMicro: partMicro })
  const said = await sayUnrefunded(tx, payoutId, reason)
  await tx.query('update payouts set last_error = $2, updated_at = now() where payout_id = $1', [payoutId, said])
  const news = { kind: 'rejected', reason: said, effectiveAt: new Date() } as const
  await applySteps(tx, locked, planUnrefunded(locked).steps, { news, attempt: 0 })
}

const OF_REFUNDS = `payout_id in (select split_part(reference_id, '/', 1) from orders where order_id = any ($1::bigint[]) and integration_id = '${REFUNDS}')`

/**
 * Holds the payouts whose coin these refunds, which had failed, have minted back after all, where no rail was asked to pay: they were to be paid again since.
 * Locks all of them: whoever is about to have one paid again, or its coin minted back once more, sees what has done so, or is seen from then on.
 */
export async function holdMintedBack(tx: Queryable, orderIds: readonly bigint[]): Promise<void> {
  if (orderIds.length === 0) return
  await tx.query(`select from payouts where ${OF_REFUNDS} order by payout_id for update`, [orderIds])
  await tx.query(
    `update payouts set status = 'held', hold_reason = 'by_operator', status_since = now(), last_error = $2, updated_at = now()
     where ${OF_REFUNDS} and rail is null and (${mayMake('hold')} or hold_reason = 'maybe_paid_before')`,
    [orderIds, MINTED_AFTER_ALL],
  )
}

const NOT_MINTED = 'The coin was not minted back: '
/** What stands before a bank's own reason, where something else is said of a payout that came back. */
export const CAME_BACK = ' Why the payout came back: '

/** With the bank's own reason, which is what whoever decides what to do next needs; once, however often a refund has failed. */
async function sayUnrefunded(tx: Queryable, payoutId: string, reason: string): Promise<string> {
  const [row] = await tx.query<{ last_error: string | null }>('select last_error from payouts where payout_id = $1', [
    payoutId,
  ])
  const before = row?.last_error ?? ''
  const why = before.startsWith(NOT_MINTED) ? before.split(CAME_BACK).slice(1).join(CAME_BACK) : before
  return `${NOT_MINTED}${reason}.${why === '' ? '' : CAME_BACK + why}`
}
