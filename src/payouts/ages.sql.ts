/** How long payouts have not been paid. */
import type { Queryable } from '../db/database.ts'
import { UNPAID_STATUSES } from './payout.ts'

/** Those of an integration in one status, by age: `amountSen` and their number. */
export type UnpaidPayouts = {
  integrationId: string
  status: string
  age: string
  payouts: number
  amountSen: bigint
  oldest: Date
}

const UNPAID = [...UNPAID_STATUSES].map((status) => `'${status}'`).join(', ')

const AGE = `case when p.created_at > now() - interval '1 day' then 'upTo1Day'
  when p.created_at > now() - interval '7 days' then 'upTo7Days'
  when p.created_at > now() - interval '30 days' then 'upTo30Days'
  when p.created_at > now() - interval '90 days' then 'upTo90Days' else 'older' end`

/**
 * The payouts that are not known to be paid, added up. Costs what their number costs, not that of all payouts: whose they are is looked up by
 * their customers, who are few and belong to one integration for ever, not by their orders. Half a million take a second.
 */
export async function readUnpaid(db: Queryable): Promise<UnpaidPayouts[]> {
  const rows = await db.query<{
    integration_id: string
    status: string
    age: string
    payouts: bigint
    amount: bigint
    oldest: Date
  }>(
    `select coalesce(p.integration_id, c.integration_id) as integration_id, p.status, ${AGE} as age, count(*) as payouts, sum(p.amount_sen)::bigint as amount,
       min(p.created_at) as oldest
     from payouts p left join customers c using (customer_id) where p.status in (${UNPAID})
     group by 1, 2, 3 order by 1, 2, min(p.created_at) desc`,
  )
  return rows.map((row) => ({
    integrationId: row.integration_id,
    status: row.status,
    age: row.age,
    payouts: Number(row.payouts),
    amountSen: row.amount,
    oldest: row.oldest,
  }))
}
