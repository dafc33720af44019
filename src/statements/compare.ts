/** Compares what is stored of statements with what the bank said, with one another, and with the ledger. */
import type { Queryable } from '../db/database.ts'
import { sayRinggit } from '../money.ts'
import { type SecretBox, SecretBoxError, UnknownKeyError } from '../secrets/secrets.ts'
import { absolute } from '../values/bigints.ts'
import { findWrongAllocations } from './allocations.sql.ts'
import { type ListedClaim, listOpenClaims } from './claims.sql.ts'
import {
  findWrongLines,
  readLines,
  readNet,
  readNewestStatements,
  readReserves,
  type StoredStatement,
} from './compare.sql.ts'
import { digestOf } from './digest.ts'
import { readKeysOf, readLostThrough } from './lost-keys.sql.ts'
import { findNotShown, type NotShown } from './notified.sql.ts'
import { findOpenTransfers, type OpenTransfer } from './transfers.sql.ts'
import { findUnshown, type Unshown } from './unshown.sql.ts'
import { countWaiting, listWaiting, missingNumbers, opensAsLast } from './waiting.sql.ts'

export type StatementTrouble = {
  kind:
    | 'reserve'
    | 'statement_changed'
    | 'statement_unopened'
    | 'statement_missing'
    | 'statement_line'
    | 'notified_missing'
    | 'own_transfer'
    | 'payout_unshown'
    | 'payout_twice'
  /** A payout, an account, a statement (`main/S1`), a line (`main/S1/3.1`), or what was notified (account, day and reference). */
  subject: string
  message: string
}

/**
 * Costs the same however old the books are: what is older than the newest statements was compared while it was new.
 * @param also older statements that are compared as well (`main/S1`)
 */
export async function findStatementTroubles(
  db: Queryable,
  secrets: SecretBox,
  also: readonly string[] = [],
): Promise<StatementTrouble[]> {
  const statements = await readNewestStatements(db, also)
  const changed: StatementTrouble[] = []
  for (const statement of statements) changed.push(...(await compareStatement(db, secrets, statement)))
  const numbers = statements.map(({ statementNo }) => statementNo)
  const wrong = await findWrongLines(db, numbers)
  return [
    ...changed,
    ...wrong.map(({ place, amountMicro, bookedMicro }) => ({
      kind: 'statement_line' as const,
      subject: place,
      message: `The line is of ${sayRinggit(amountMicro)}, but ${sayRinggit(bookedMicro)} is booked for it.`,
    })),
    ...(await findWrongAllocations(db, numbers)).map(({ place, lines, amountMicro, madeMicro }) => ({
      kind: 'statement_line' as const,
      subject: place,
      message: `The lines that were allocated (${lines}) come to ${sayRinggit(amountMicro)}, but the lines made of them to ${sayRinggit(madeMicro)}.`,
    })),
    ...(await compareReserves(db)),
    ...(await findMissing(db)),
    ...(await findNotShown(db)).map(notShown),
    ...(await findOpenTransfers(db)).map(openTransfer),
    ...(await findUnshown(db)).map(unshown),
    ...(await listOpenClaims(db)).map(openClaim),
  ]
}

async function compareStatement(
  db: Queryable,
  secrets: SecretBox,
  statement: StoredStatement,
): Promise<StatementTrouble[]> {
  const { bankAccount, statementId, openingMicro, closingMicro, previousClosingMicro, position } = statement
  const subject = `${bankAccount}/${statementId}`
  const trouble = (message: string): StatementTrouble => ({ kind: 'statement_changed', subject, message })
  const troubles: StatementTrouble[] = []
  const lines = await readOpened(db, secrets, statement)
  const isOpen = typeof lines !== 'string'
  const unknown = lines === 'unknown key' ? await findNotLost(db, secrets, statement) : []
  if (unknown.length > 0) troubles.push({ kind: 'statement_unopened', subject, message: sayUnopened(unknown) })
  if (lines === 'altered') troubles.push(trouble('It cannot be compared: its payers and payees do not open.'))
  const offMicro = closingMicro - openingMicro - (isOpen ? netOf(lines) : await readNet(db, statement.statementNo))
  if (isOpen ? digestOf(statement, lines) !== statement.digest : offMicro !== 0n) {
    const by = offMicro === 0n ? 'its balances still agree' : `its lines and balances differ by ${sayRinggit(offMicro)}`
    troubles.push(
      trouble(`It is no longer what the bank said: a line or balance was changed, removed or added (${by}).`),
    )
  }
  if (position > 1n && previousClosingMicro !== openingMicro) {
    troubles.push(trouble('Its opening balance is not the closing balance of the statement before it.'))
  }
  return troubles
}

/** Keys that are not known here, and that nobody has called lost for this statement. */
async function findNotLost(db: Queryable, secrets: SecretBox, { statementNo }: StoredStatement): Promise<string[]> {
  const unknown: string[] = []
  for (const keyId of await readKeysOf(db, statementNo)) {
    if (secrets.knows(keyId)) continue
    if (((await readLostThrough(db, keyId)) ?? -1n) < statementNo) unknown.push(keyId)
  }
  return unknown
}

function sayUnopened(keyIds: readonly string[]): string {
  const [keyId = ''] = keyIds
  return `Its payers and payees were sealed under a key that is not known here (${keyIds.join(', ')}), so it is compared without them: set SECRETS_KEY_PREVIOUS. If that key is lost, two people say so: "coin secrets lost ${keyId} --reason …".`
}

const netOf = (lines: readonly { amountMicro: bigint }[]) =>
  lines.reduce((sum, { amountMicro }) => sum + amountMicro, 0n)

/** Why it does not open, where a line does not: under a key that was lost nobody has changed anything by that. */
async function readOpened(db: Queryable, secrets: SecretBox, { statementNo }: StoredStatement) {
  try {
    return await readLines(db, secrets, statementNo)
  } catch (error) {
    if (error instanceof UnknownKeyError) return 'unknown key'
    if (error instanceof SecretBoxError) return 'altered'
    throw error
  }
}

async function compareReserves(db: Queryable): Promise<StatementTrouble[]> {
  return (await readReserves(db)).flatMap(({ bankAccount, statementId, closingMicro, bookedMicro }) => {
    if (bookedMicro === closingMicro) return []
    const message = `The books have ${sayRinggit(bookedMicro)}, but ${statementId} closes with ${sayRinggit(closingMicro)}.`
    return [{ kind: 'reserve' as const, subject: bankAccount, message }]
  })
}

/** How many that wait are named one by one. */
const MOST_NAMED = 100

async function findMissing(db: Queryable): Promise<StatementTrouble[]> {
  const kind = 'statement_missing' as const
  const listed = await listWaiting(db, { limit: MOST_NAMED })
  const more = listed.length < MOST_NAMED ? 0 : (await countWaiting(db)) - listed.length
  const rest = {
    kind,
    subject: 'others',
    message: `${more} more ${more === 1 ? 'statement waits' : 'statements wait'}: see "coin bank statements".`,
  }
  const named = listed.map((waiting): StatementTrouble => {
    const { bankAccount, statementId, lastStatementId, lastClosedOn } = waiting
    const missing = missingNumbers(waiting) || 'a statement'
    const last = `${lastStatementId ?? 'the first'} (closed on ${lastClosedOn ?? '?'})`
    const message = opensAsLast(waiting)
      ? `It opens as ${last} closed, and waits because it tells again what others tell: withdraw it, unless more of its days is still to come.`
      : `It waits because ${missing} is missing between it and ${last}.`
    return { kind, subject: `${bankAccount}/${statementId}`, message }
  })
  return more > 0 ? [...named, rest] : named
}

function openTransfer({ between, balanceMicro, day }: OpenTransfer): StatementTrouble {
  const [from, to] = between.split('/')
  const amount = sayRinggit(absolute(balanceMicro))
  const what =
    balanceMicro < 0n ? `came to ${to} from ${from}, whose statements` : `left ${from} for ${to}, whose statements`
  return {
    kind: 'own_transfer',
    subject: between,
    message: `${amount} ${what} do not show it, a week after ${day}.`,
  }
}

function notShown({ bankAccount, bookedOn, name, amountMicro, closedOn }: NotShown): StatementTrouble {
  const what = `${amountMicro < 0n ? 'a debit' : 'a credit'} of ${sayRinggit(absolute(amountMicro))}`
  return {
    kind: 'notified_missing',
    subject: `${bankAccount}/${bookedOn}/${name}`,
    message: `The bank has notified ${what} for ${bookedOn}, but no statement up to ${closedOn} shows it.`,
  }
}

const SAID: Record<Unshown['status'], (by: string, since: string) => string> = {
  sent: (by, since) => `has been with its rail (${by}) since ${since}`,
  paid: (by, since) => `was called paid by its rail (${by}) on ${since}`,
  paid_by_hand: (_, since) => `was called paid by hand by an operator on ${since}`,
}

function unshown({ payoutId, status, amountMicro, since, by }: Unshown): StatementTrouble {
  const message = `${payoutId} over ${sayRinggit(amountMicro)} ${SAID[status](by, since)}, but a week of statements after that shows no debit of it: ask the bank, and if it was never paid, run "coin payout mark-unpaid ${payoutId} --payment … --reason …".`
  return { kind: 'payout_unshown', subject: payoutId, message }
}

function openClaim({ to, place, bookedOn, amountMicro }: ListedClaim): StatementTrouble {
  const [payoutId = ''] = to.split('/')
  const message = `${sayRinggit(amountMicro)} left by ${place} of ${bookedOn} for ${payoutId}, which was already paid, and has not come back: have the bank recall it. A credit that names the payment closes this by itself; assign any other one with "--claim ${payoutId}".`
  return { kind: 'payout_twice', subject: to, message }
}
