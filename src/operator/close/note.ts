/** What is to be known before days are closed, because nobody opens them again: what the books lack of them, as far as it is known. */
import type { Queryable } from '../../db/database.ts'
import { endOfDay } from '../../ledger/periods.sql.ts'
import { readBooksAge } from '../../reserves/proofs.sql.ts'
import { readBankBalances } from '../../statements/balances.sql.ts'
import { type Run, readNewestRun } from '../reconcile/runs.sql.ts'
import { type Behind, readNotBooked, readNotFinal } from './behind.sql.ts'

const WEEK_MS = 7 * 86_400_000

/**
 * A sentence for each account whose statements do not reach the last of the days, one for each that never had any, one for each chain or account of which
 * something is not booked yet, and one where the newest reconciliation found differences, or is older than the days; null where there is nothing to say.
 * It keeps nobody from closing: at weekends many banks send no statement, and a difference may take weeks.
 * @param awaited the accounts of the bank profile, by their keys
 */
export async function noteOnClosing(
  db: Queryable,
  through: string,
  awaited: readonly string[] = [],
): Promise<string | null> {
  const sentences = [
    ...(await ofStatements(db, through, awaited)),
    ...(await readNotBooked(db, through)).map((lines) => sayNotBooked(lines, through)),
    ...(await readNotFinal(db, through)).map((batches) => sayNotFinal(batches, through)),
    ...sayRun(await readNewestRun(db), through, {
      over: await endOfDay(db, through),
      hasBooks: (await readBooksAge(db)) !== undefined,
    }),
  ]
  return sentences.length === 0 ? null : sentences.join(' ')
}

async function ofStatements(db: Queryable, through: string, awaited: readonly string[]): Promise<string[]> {
  const balances = await readBankBalances(db)
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
  return sentences
}

function sayNotBooked({ of: bankAccount, many }: Behind<string>, through: string): string {
  return many === 1
    ? `A line of ${bankAccount} up to ${through} is not booked: it counts on the first open day.`
    : `${many} lines of ${bankAccount} up to ${through} are not booked: they count on the first open day.`
}

function sayNotFinal({ of: chainId, many }: Behind<number>, through: string): string {
  const what =
    many === 1
      ? `a batch that was signed by the end of ${through} is not final: what it has moved`
      : `${many} batches that were signed by the end of ${through} are not final: what they have moved`
  return `On chain ${chainId} ${what} there by then counts on the first open day.`
}

/** What nobody has compared is not known to agree. */
function sayRun(
  run: Run | undefined,
  through: string,
  { over, hasBooks }: { over: Date; hasBooks: boolean },
): string[] {
  if (run === undefined) return hasBooks ? ['Nothing was ever reconciled by itself: run "coin reconcile".'] : []
  const finishedAt = run.finishedAt.toISOString()
  const found = [...run.differences].filter(([, many]) => many > 0)
  const old =
    run.finishedAt <= over
      ? `Nothing was reconciled by itself since ${through} was over (the newest hourly reconciliation: ${finishedAt}): run "coin reconcile".`
      : undefined
  const said = found.map(([kind, many]) => `${kind}: ${many}`).join(', ')
  const differs =
    found.length > 0
      ? `The newest hourly reconciliation (${finishedAt}) found differences (${said}): see "coin reconcile".`
      : undefined
  return [old, differs].filter((sentence) => sentence !== undefined)
}

/** Of an account that is empty: closed at the bank, it gets no more statements; swept each day, it closes with nothing whatever has come in. */
function isWithinWeek(closedOn: string, through: string): boolean {
  return Date.parse(through) - Date.parse(closedOn) <= WEEK_MS
}
