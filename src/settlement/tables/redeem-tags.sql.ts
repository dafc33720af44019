/** The redeems whose coin orders of the house are to mint back. */
import type { Hex } from 'viem'
import type { Queryable } from '../../db/database.ts'
import { LEAST_MINTED, readLostRefunds, refundName } from '../../payouts/lost-refunds.sql.ts'
import { REFUNDS } from '../../values/house.ts'
import { orderTag, refundTag } from '../../values/order-tag.ts'
import type { PendingOrder } from './waiting.sql.ts'

/**
 * `amountMicro`: of the redeem; what is minted back may be less, but not less than `leastMicro`, by what of its part of a sen has gone out with a later payout.
 * `lostTag`: of the refund of a lost history that has minted it back, under whichever name.
 */
export type RedeemTag = {
  orderId: bigint
  tag: Hex
  amountMicro: bigint
  leastMicro: bigint
  lostTag: Hex | undefined
}

export const tagsOf = (redeems: ReadonlyMap<bigint, RedeemTag>): Hex[] =>
  [...redeems.values()].flatMap(({ tag, lostTag }) => (lostTag === undefined ? [tag] : [tag, lostTag]))

/** The tags of the redeems whose coin these orders mint back, by the number of the order. */
export async function readRedeemTags(
  db: Queryable,
  orders: readonly PendingOrder[],
): Promise<ReadonlyMap<bigint, RedeemTag>> {
  const refunds = orders.filter(({ integrationId }) => integrationId === REFUNDS)
  if (refunds.length === 0) return new Map()
  const rows = await db.query<{
    refund: bigint
    payoutId: string
    refunds: number
    orderId: bigint
    integrationId: string
    referenceId: string
    amountMicro: bigint
    leastMicro: bigint
  }>(
    `select r.order_id as refund, p.payout_id as "payoutId", p.refunds::int as refunds, o.order_id as "orderId", o.integration_id as "integrationId",
       o.reference_id as "referenceId", o.amount_micro as "amountMicro", ${LEAST_MINTED} as "leastMicro"
     from unnest($1::bigint[], $2::text[]) as r (order_id, payout_id) join payouts p on p.payout_id = r.payout_id
       cross join lateral (select * from orders where order_id = p.order_id limit 1) o`,
    [refunds.map(({ orderId }) => orderId), refunds.map(({ referenceId }) => referenceId.split('/')[0] ?? '')],
  )
  const lost = (await readLostRefunds(db, rows)).filter(({ isWhole }) => isWhole)
  const lostTags = new Map(lost.map(({ payoutId, number }) => [payoutId, refundTag(refundName(payoutId, number))]))
  return new Map(
    rows.map(({ refund, payoutId, integrationId, referenceId, orderId, amountMicro, leastMicro }) => [
      refund,
      { orderId, tag: orderTag(integrationId, referenceId), amountMicro, leastMicro, lostTag: lostTags.get(payoutId) },
    ]),
  )
}
