/** Ends payments of a backup that were not put out, and whose coin the lost history has minted back: nothing of them has left. */
import type { Queryable } from '../db/database.ts'
import { lockPayout } from '../payouts/attempts.sql.ts'
import { recordNews } from '../payouts/record-news.ts'
import { findReminted, sayReminted } from '../payouts/reminted.sql.ts'
import { findMaybeMintedBack, isNotOut, type NotOut } from './minted-back.sql.ts'
import type { FilingDeps } from './run.ts'

/** Each in a transaction of its own, before a file is put out or made. */
export async function endMintedBack({ db, logger }: Pick<FilingDeps, 'db' | 'logger'>): Promise<void> {
  for (const payment of await findMaybeMintedBack(db)) {
    const { payoutId, endToEndId } = payment
    if (await db.transaction((tx) => endOne(tx, payment)))
      logger.error(
        { payoutId, endToEndId },
        'a payment goes into no file: its coin was minted back; an operator must act',
      )
  }
}

async function endOne(tx: Queryable, { endToEndId, payoutId, attempt }: NotOut): Promise<boolean> {
  const locked = await lockPayout(tx, payoutId)
  if (locked?.status !== 'sent' || locked.attempt !== attempt || !(await isNotOut(tx, endToEndId))) return false
  const reminted = await findReminted(tx, payoutId)
  if (reminted === undefined || reminted.isExplained) return false
  const refusal = { kind: 'rejected', reason: sayReminted(reminted), effectiveAt: new Date() } as const
  await recordNews(tx, { payoutId, attempt }, refusal)
  return true
}
