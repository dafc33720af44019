/** What speaks against settling orders that were accepted earlier (read-only). */
import type { Queryable } from '../../db/database.ts'
import { DATABASE_TIMELINE, MAY_BE_FROM_BEFORE } from '../../db/timeline.sql.ts'
import { REFUNDS } from '../../values/house.ts'

export type Objection = { orderId: bigint; reason: string }

/**
 * The orders, of those given that have not ended, whose integration or customer was suspended since their acceptance,
 * one of whose wallets was denied, or that debit a wallet that is not their customer's, with the first of these reasons. Also refunds of
 * another timeline of the database, until their rail has said that the payout was not paid again: a history that is lost may have rejected one, and had it
 * retried. Whether they are in a batch makes no difference. The contract asks only whether a wallet is linked to anybody.
 */
export async function readObjections(db: Queryable, orderIds: readonly bigint[]): Promise<Objection[]> {
  return await db.query<Objection>(
    `select * from (
       select o.order_id as "orderId", case
           when i.status = 'suspended' then 'integration_suspended'
           when c.verification_status in ('SUSPENDED', 'REJECTED') then 'customer_suspended'
           when d.address is not null then 'wallet_denied'
           when o.debit_address is not null and w.address is null then 'wallet_not_linked'
           when b.payout_id is not null then 'refund_from_before' end as reason
       from unnest($1::bigint[]) as s (order_id) join orders o on o.order_id = s.order_id and o.status = 'pending'
       left join integrations i on i.integration_id = o.integration_id
       left join customers c on c.customer_id = o.customer_id
       left join wallets w on w.customer_id = o.customer_id and w.address = o.debit_address
       left join lateral (select d.address from screening_denials d
         where d.address in (lower(o.wallet_address), lower(o.debit_address)) limit 1) d on true
       left join lateral (select p.payout_id from payouts p left join payout_attempts a on a.payout_id = p.payout_id and a.attempt = p.attempt
         where o.integration_id = '${REFUNDS}' and p.payout_id = split_part(o.reference_id, '/', 1) and ${MAY_BE_FROM_BEFORE}
           and coalesce(a.asked_on, p.made_on) <> (select ${DATABASE_TIMELINE}) and coalesce(p.unretried_on, '') <> (select ${DATABASE_TIMELINE})
         limit 1) b on true) judged
     where reason is not null order by 1`,
    [orderIds],
  )
}
