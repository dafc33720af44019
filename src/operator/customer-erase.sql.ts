/** Why a customer cannot be erased yet. */
import type { Queryable } from '../db/database.ts'
import { countOpenClaims } from '../statements/claims.sql.ts'

/**
 * `givenBackUntil`: until when a bank may still give back the newest of what was sent; null when nothing was sent lately. `claims`: what was paid
 * twice and has not come back. `begun`: of the wallets, those of which nothing but the beginning of a link is known.
 */
export type Open = {
  orders: number
  payouts: number
  givenBackUntil: Date | null
  claims: number
  wallets: number
  begun: string[]
  owedSen: bigint
}

type Row = {
  orders: bigint
  payouts: bigint
  given_back_until: Date | null
  wallets: bigint
  begun: string[]
  owed_sen: bigint | null
}

/** A bank may still give back what it was told to pay, also after its statement has shown the payment. */
const GIVEN_BACK_WITHIN = `interval '30 days'`

/** What of a customer is not over: orders, payouts, what was paid twice, wallets that are linked or were about to be, and ringgit that is owed in whole sen. */
export async function readOpen(tx: Queryable, customerId: string): Promise<Open> {
  const [row] = await tx.query<Row>(
    `select
       (select count(*) from orders where customer_id = $1 and status = 'pending')
         + (select count(*) from orders where customer_id = $1 and status = 'processing')
         + (select count(*) from orders where customer_id = $1 and status = 'payment_pending' and order_id + 0 > 0) as orders,
       (select count(*) from payouts where customer_id = $1 and status in ('queued', 'held', 'rejected', 'returned')) as payouts,
       (select max(status_since) + ${GIVEN_BACK_WITHIN} from payouts where customer_id = $1
         and status in ('sent', 'paid', 'paid_by_hand') and status_since > now() - ${GIVEN_BACK_WITHIN}) as given_back_until,
       (select count(*) from wallets where customer_id = $1) as wallets,
       array(select distinct l.address from wallet_links l where l.customer_id = $1
         and not exists (select from wallets w where (w.customer_id, w.address) = (l.customer_id, l.address)) order by 1) as begun,
       (select owed_micro / 10000 from customer_residuals where customer_id = $1) as owed_sen`,
    [customerId],
  )
  if (row === undefined) throw new Error('nothing was read')
  const { orders, payouts, given_back_until: givenBackUntil, wallets, begun, owed_sen: owedSen } = row
  const counts = { orders: Number(orders), payouts: Number(payouts), wallets: Number(wallets) + begun.length, begun }
  return { ...counts, claims: await countOpenClaims(tx, customerId), givenBackUntil, owedSen: owedSen ?? 0n }
}
