/** A bank that refuses a payment of a file by its status report: the payout hears of it, and so does its rail, which is asked before anything is paid anew. */
import type { Queryable } from '../../src/db/database.ts'
import { storeReported } from '../../src/payment-files/payments.sql.ts'
import type { News } from '../../src/payouts/news.sql.ts'
import { recordNews } from '../../src/payouts/record-news.ts'

type Refusal = Extract<News, { kind: 'rejected' }>

export async function refuse(tx: Queryable, payment: { payoutId: string; attempt: number }, news: Refusal) {
  const [row] = await tx.query<{ endToEndId: string }>(
    'select end_to_end_id as "endToEndId" from payout_attempts where payout_id = $1 and attempt = $2',
    [payment.payoutId, payment.attempt],
  )
  const { endToEndId = '' } = row ?? {}
  const { reason, effectiveAt } = news
  await storeReported(tx, { endToEndId, code: 'RJCT', meaning: 'rejected', reason }, effectiveAt)
  return await recordNews(tx, payment, news)
}
