/** Ends payments of a backup that were not put out, and whose coin the lost history has minted back, or had paid by a retry: nothing of them has left. */
import type { Queryable } from '../db/database.ts'
import { lockPayout } from '../payouts/attempts.sql.ts'
import { recordNews } from '../payouts/record-news.ts'
import { findReminted, listReminted, sayReminted } from '../payouts/reminted.sql.ts'
import { idsOfRetries, sayRetried } from '../payouts/unretried.sql.ts'
import { orderTag } from '../values/order-tag.ts'
import { findFiled, findNotOut, isNotOut, type NotOut } from './minted-back.sql.ts'
import type { FilingDeps } from './run.ts'

/** Each in a transaction of its own, before a file is put out or made. */
export async function endMintedBack({ db, logger }: Pick<FilingDeps, 'db' | 'logger'>): Promise<void> {
  const payments = (await findNotOut(db)).map((payment) => ({
    payment,
    laterIds: idsOfRetries({ ...payment, attempt: payment.newest }),
  }))
  const filed = await findFiled(
    db,
    payments.flatMap(({ laterIds }) => laterIds),
  )
  const reminted = await findMintedBack(db, payments)
  for (const { payment, laterIds } of payments) {
    const { payoutId, endToEndId } = payment
    const later = laterIds.find((id) => filed.has(id))
    if (later === undefined && !reminted.has(payoutId)) continue
    const retried = later === undefined ? undefined : sayRetried(later, payoutId, `in ${filed.get(later)}`)
    const reason = await db.transaction((tx) => endOne(tx, payment, retried))
    if (reason !== undefined)
      logger.error(
        { payoutId, endToEndId, reason },
        'a payment of before a restore goes into no file; an operator must act',
      )
  }
}

/** The payouts of those whose coin was minted back: of many, few are worth a transaction. */
async function findMintedBack(db: Queryable, payments: readonly { payment: NotOut }[]): Promise<ReadonlySet<string>> {
  const tagged = payments
    .filter(({ payment }) => payment.isMinted)
    .map(({ payment: { payoutId, refunds, integrationId, referenceId } }) => ({
      payoutId,
      refunds,
      tag: orderTag(integrationId, referenceId),
    }))
  return new Set(
    (await listReminted(db, tagged)).filter(({ isExplained }) => !isExplained).map(({ payoutId }) => payoutId),
  )
}

/** @param retried why it is not made, where it was retried and its coin was not minted back */
async function endOne(
  tx: Queryable,
  { endToEndId, payoutId, attempt }: NotOut,
  retried: string | undefined,
): Promise<string | undefined> {
  const locked = await lockPayout(tx, payoutId)
  const mayLeave = locked?.status === 'queued' || locked?.status === 'sent'
  if (!mayLeave || locked.attempt !== attempt || !(await isNotOut(tx, endToEndId))) return undefined
  const reminted = await findReminted(tx, payoutId)
  const reason = reminted === undefined || reminted.isExplained ? retried : sayReminted(reminted)
  if (reason !== undefined)
    await recordNews(tx, { payoutId, attempt }, { kind: 'rejected', reason, effectiveAt: new Date() })
  return reason
}
