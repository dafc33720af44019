/**
 * Payments that wait for a file and are needless, because the bank has carried out an earlier one of their payouts after all. They have
 * certainly not left: the earlier one settles the payout, and nothing is paid twice.
 */
import type { Queryable } from '../db/database.ts'
import { lockPayout } from '../payouts/attempts.sql.ts'
import { recordNews } from '../payouts/record-news.ts'
import type { FilingDeps } from './run.ts'
import { findNeedless, withdrawNeedless } from './undue.sql.ts'

const REASON = 'It never left: the bank has carried out an earlier payment.'

/** Ends those payments, each in a transaction of its own, before a file is made. */
export async function endNeedless({ db, logger }: Pick<FilingDeps, 'db' | 'logger'>): Promise<void> {
  for (const { endToEndId, payoutId, attempt } of await findNeedless(db)) {
    if (await db.transaction((tx) => endOne(tx, { endToEndId, payoutId, attempt })))
      logger.info({ payoutId, endToEndId }, 'a payment goes into no file: the bank has carried out an earlier one')
  }
}

async function endOne(
  tx: Queryable,
  { endToEndId, payoutId, attempt }: { endToEndId: string; payoutId: string; attempt: number },
): Promise<boolean> {
  const locked = await lockPayout(tx, payoutId)
  const isStill = locked?.status === 'sent' && locked.attempt === attempt && locked.attempts.some((one) => one.isExtra)
  if (!isStill || !(await withdrawNeedless(tx, endToEndId))) return false
  await recordNews(tx, { payoutId, attempt }, { kind: 'rejected', reason: REASON, effectiveAt: new Date() })
  return true
}
