/** What is to be known before days are closed, because nobody opens them again: what the books lack of them, as far as it is known. */
import type { Queryable } from '../../db/database.ts'
import { readBooksAge } from '../../reserves/proofs.sql.ts'
import { readBankBalances } from '../../statements/balances.sql.ts'
import { readNewestRun } from '../reconcile/runs.sql.ts'

const WEEK_MS = 7 * 86_400_000

/**
 * A sentence for each account whose statements do not reach the last of the days, one for each that never had any, and one where the newest
 * reconciliation found differences; null where there is nothing to say. It keeps nobody from closing: at weekends many banks send none, and a
 * difference may take weeks.
 * @param awaited the accounts of the bank profile, by their keys
 */
export async function noteOnClosing(
  db: Queryable,
  through: string,
  awaited: readonly string[] = [],
): Promise<string | null> {
  const [balances, run] = [await readBankBalances(db), await readNewestRun(db)]
  const sentences = balances
    .filter(
      ({ closedOn, closingMicro, creditsSinceMicro }) =>
        closedOn < through && (closingMicro !== 0n || creditsSinceMicro !== 0n || isWithinWeek(closedOn, through)),
    )
    .map(
      ({ bankAccount, closedOn }) =>
        `The statements of ${bankAccount} end with ${closedOn}: what the bank has booked since then counts on the first open day.`,
    )
  if (balances.length === 0 && (await readBooksAge(db)) !== undefined)
    sentences.push('No bank statement was ever taken in: what the banks have booked counts on the first open day.')
  else if (balances.length > 0) {
    const known = new Set(balances.map(({ bankAccount }) => bankAccount))
    for (const bankAccount of awaited.filter((each) => !known.has(each)))
      sentences.push(
        `No statement of ${bankAccount} was ever applied: what the bank has booked counts on the first open day.`,
      )
  }
  const found = [...(run?.differences ?? [])].filter(([, many]) => many > 0)
  if (run !== undefined && found.length > 0)
    sentences.push(
      `The newest hourly reconciliation (${run.finishedAt.toISOString()}) found differences (${found.map(([kind, many]) => `${kind}: ${many}`).join(', ')}): see "coin reconcile".`,
    )
  return sentences.length === 0 ? null : sentences.join(' ')
}

/** Of an account that is empty: closed at the bank, it gets no more statements; swept each day, it closes with nothing whatever has come in. */
function isWithinWeek(closedOn: string, through: string): boolean {
  return Date.parse(through) - Date.parse(closedOn) <= WEEK_MS
}
