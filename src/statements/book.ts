/** Books lines: what each belongs to, its place in the ledger, and what it means for a payout, in one transaction. */
import type { Database, Queryable } from '../db/database.ts'
import { type Account, accountOf } from '../ledger/accounts.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { SEN_IN_MICRO } from '../money.ts'
import { moveReturn, paymentName, saidReturned, setShown } from '../payouts/attempts.sql.ts'
import { markPaid, markReturned } from '../payouts/record-news.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { closeClaim } from './claims.ts'
import { findBookedWith, findUnbooked, lockLine, readFacts } from './facts.sql.ts'
import { hasLineOf, insertPaidMints, lockBooking, markMatched, markUnallocated } from './lines.sql.ts'
import { type Line, type Match, matchLine } from './match.ts'
import { effectiveAtOf, entryOfLine, entryOfMove } from './postings.ts'

const AT_ONCE = { batch: 200, rounds: 10 }

export type BookDeps = {
  db: Database
  /** Opens who paid and who was paid. */
  secrets: SecretBox
  logger: { error(fields: object, message: string): void }
  now: () => Date
  /** The line after which the next call goes on; without it, each begins with the oldest. */
  place?: { after: bigint }
}

/**
 * Books lines that are to be booked, oldest first: so many that neither a request nor the end of the process waits for long.
 * One that cannot be booked now is left for the next time, and keeps none of those behind it from being booked: the next call goes on
 * where this one ends, and begins with the oldest again after the last.
 * @returns whether there may be more, unless none of these could be booked: then a pause is due
 */
export async function bookLines(deps: BookDeps, { batch, rounds } = AT_ONCE): Promise<boolean> {
  const { place = { after: 0n } } = deps
  let booked = 0
  for (let round = 0; round < rounds; round += 1) {
    const lines = await findUnbooked(deps.db, { after: place.after, limit: batch })
    for (const lineNo of lines) {
      if (await tryToBook(deps, lineNo)) booked += 1
      place.after = lineNo
    }
    if (lines.length < batch) {
      place.after = 0n
      return false
    }
  }
  return booked > 0
}

/** Books one line by itself. @returns false when it could not be booked, which is said */
async function tryToBook({ db, secrets, logger, now }: BookDeps, lineNo: bigint): Promise<boolean> {
  try {
    const extra = await db.transaction((tx) => bookLine(tx, secrets, lineNo, now()))
    if (extra !== undefined) {
      const fields = { line: String(lineNo), payment: extra }
      logger.error(fields, 'a statement shows a payment that was made once too often: see "coin payout show"')
    }
    return true
  } catch (error) {
    logger.error({ err: error, line: String(lineNo) }, 'a line of a statement was not booked; it is tried again')
    return false
  }
}

/** Books one line, unless another process has. @returns the payment that it shows, when that was made once too often */
async function bookLine(tx: Queryable, secrets: SecretBox, lineNo: bigint, now: Date): Promise<string | undefined> {
  await lockBooking(tx)
  const line = await lockLine(tx, secrets, lineNo, 'unbooked')
  if (line === undefined) return undefined
  const match = matchLine(line, await readFacts(tx, secrets, line))
  if (match.kind === 'payout') return await bookPayment(tx, line, match, now)
  const { account, mark } = bookingOf(tx, line, match)
  await recordEntries(tx, [entryOfLine(line, account, now)])
  await mark()
  return undefined
}

type Booking = { account: Account; mark: () => Promise<void> }

function bookingOf(tx: Queryable, line: Line, match: Exclude<Match, { kind: 'payout' }>): Booking {
  const { lineNo, bankAccount } = line
  if (match.kind === 'unallocated') {
    return { account: accountOf('unallocated', bankAccount), mark: () => markUnallocated(tx, lineNo, match.reason) }
  }
  if (match.kind === 'own_transfer') {
    const { kind, between: to } = match
    return { account: accountOf('own_transfers', to), mark: () => markMatched(tx, lineNo, { kind, to }) }
  }
  const { integrationId } = match
  return {
    account: accountOf('mint_receivable', integrationId),
    async mark() {
      if (match.kind === 'mint') await insertPaidMints(tx, lineNo, match.orderIds)
      await markMatched(tx, lineNo, { kind: match.kind, to: integrationId })
    },
  }
}

type PaymentMatch = Extract<Match, { kind: 'payout' }>

async function bookPayment(tx: Queryable, line: Line, match: PaymentMatch, now: Date): Promise<string | undefined> {
  if (match.what === 'returned' && (await closeClaim(tx, line, match.payment, now))) return undefined
  const wasBooked = await applyPayment(tx, line, match, now)
  if (wasBooked !== undefined) {
    await markMatched(tx, line.lineNo, wasBooked)
    return wasBooked.kind === 'extra_payout' && match.what === 'paid' ? wasBooked.to : undefined
  }
  await recordEntries(tx, [entryOfLine(line, accountOf('unallocated', line.bankAccount), now)])
  await markUnallocated(tx, line.lineNo, `${match.payment.payoutId} was ${match.what} before, by another line.`)
  return undefined
}

type Said = Pick<PaymentMatch, 'payment' | 'what'>

/**
 * Tells a payout what a line says about one of its payments, and books it.
 * @param said.isAssigned an operator says so, and the line stands in the books already
 * @returns what the line belongs to; undefined when another line has said the same before: nothing was booked then
 */
export async function applyPayment(
  tx: Queryable,
  line: Line,
  { payment, what, isAssigned = false }: Said & { isAssigned?: boolean },
  now: Date,
): Promise<{ kind: 'payout' | 'extra_payout'; to: string } | undefined> {
  const to = paymentName(payment)
  if (await hasLineOf(tx, to, what === 'paid' ? 'debit' : 'credit')) return undefined
  const { bankAccount, place } = line
  // What an operator says takes effect with the entry that says so: between the two the reserve would not be the bank's.
  const news = { bankAccount, reference: place, effectiveAt: isAssigned ? now : effectiveAtOf(line, now) }
  const result =
    what === 'paid'
      ? await markPaid(tx, payment, { ...news, isShown: true })
      : await markReturned(tx, payment, { ...news, isShown: true, reason: line.returnCode ?? 'returned by the bank' })
  if (result === undefined) return undefined
  if (result.outcome === 'known' && what === 'paid') await setShown(tx, payment, true)
  if (result.outcome === 'known') await moveReserve(tx, line, { payment, what, isAssigned }, now)
  return { kind: result.outcome === 'extra' ? 'extra_payout' : 'payout', to }
}

/** Where the books have what the rail said. What it called paid, and then returned, is its return alone once the debit is shown. */
async function findStanding(tx: Queryable, payment: Said['payment'], what: Said['what']): Promise<string | undefined> {
  const bookedWith = await findBookedWith(tx, payment, what)
  if (what === 'returned' || bookedWith === undefined) return bookedWith
  const isBoth = (await findBookedWith(tx, payment, 'returned')) === bookedWith
  if (!isBoth || (await hasLineOf(tx, paymentName(payment), 'credit'))) return bookedWith
  const apart = saidReturned(bookedWith)
  await moveReturn(tx, payment, apart)
  return apart
}

/** The rail said so first, and it was booked on the rail's word: now it is on the account's statement. */
async function moveReserve(
  tx: Queryable,
  line: Line,
  { payment, what, isAssigned }: Said & { isAssigned: boolean },
  now: Date,
): Promise<void> {
  const bookedWith = await findStanding(tx, payment, what)
  if (bookedWith === undefined || bookedWith === line.bankAccount) return
  const from = accountOf('reserve', bookedWith)
  const movedMicro = payment.amountSen * SEN_IN_MICRO
  const move = { from, amountMicro: what === 'paid' ? -movedMicro : movedMicro }
  await recordEntries(tx, [isAssigned ? entryOfMove(line, move, now) : entryOfLine(line, from, now)])
}
