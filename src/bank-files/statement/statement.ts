/** What a bank says happened on an account, as data: statements with balances, notifications without. */
import type { FileIdentity } from '../definitions.ts'
import type { Direction } from '../xml/values.ts'

export type { Direction }

/** Who paid in, or who was paid. */
export type Counterparty = { name: string | null; account: string | null }

/** Why a payment came back. */
export type ReturnReason = { code: string; text: string | null }

/** Several payments that the bank booked as one sum, with the ids of the payment file as far as the bank names them. */
export type BookedTogether = { paymentFileId: string | null; sectionId: string | null; count: number | null }

export type StatementLine = {
  /** Place in the file, counted from 1: the entry and, within it, the detail. */
  entry: number
  detail: number
  direction: Direction
  amountSen: bigint
  bookedOn: string
  valueOn: string
  /** True when the bank undoes an earlier entry: such a credit was a debit. */
  isReversal: boolean
  /** The bank's own reference of the entry. */
  servicerReference: string | null
  endToEndId: string | null
  instructionId: string | null
  paymentFileId: string | null
  sectionId: string | null
  /** What the payer wrote, its parts joined by a blank; empty when the payer wrote nothing. */
  remittanceText: string
  /** The payer's structured reference. */
  creditorReference: string | null
  /** What the bank adds in words. */
  additionalText: string | null
  counterparty: Counterparty
  returned: ReturnReason | null
  bookedTogether: BookedTogether | null
  /** The bank's transaction code: `PMNT/RCDT/DMCT`, or its own. */
  transactionCode: string | null
}

/** One account's lines between two balances. Balances are sen, below zero when overdrawn. */
export type Statement = {
  statementId: string
  /** The bank's running number, if it has one. */
  sequence: string | null
  account: string
  openedOn: string
  openingSen: bigint
  closedOn: string
  closingSen: bigint
  lines: readonly StatementLine[]
}

/** One account's lines as they happen: `booked` lines will be on the statement, the others may be. */
export type Notification = {
  notificationId: string
  account: string
  lines: readonly (StatementLine & { booked: boolean })[]
}

/** A CSV file has no message id, so its content is its identity, and it does not say when it was made. */
export type StatementIdentity =
  | FileIdentity
  | { definition: 'csv'; messageId: string; createdAt: null; contentHash: string }

/** `leftOut`: accounts in other currencies that the file is about as well. */
export type StatementFile = {
  identity: StatementIdentity
  statements: readonly Statement[]
  leftOut?: readonly string[]
}

export type NotificationFile = {
  identity: FileIdentity
  notifications: readonly Notification[]
  leftOut: readonly string[]
}

/** Words for it, or nothing but marks and zeros. */
const NO_REFERENCE = /^(?:NOT ?PROVIDED|NONREF|NONE|NIL|NULL|N\/?A|[^\p{L}1-9]*)$/iu

/** A reference or an id; null where the bank has written in its place that there is none, as ISO 20022 and SWIFT have them do, or in words of its own. */
export function givenId(text: string | null): string | null {
  return text === null || NO_REFERENCE.test(text) ? null : text
}

/** Sen by which a line changes the balance. */
export function changeOf({ direction, amountSen }: Pick<StatementLine, 'direction' | 'amountSen'>): bigint {
  return direction === 'credit' ? amountSen : -amountSen
}

/** Sen by which lines change the balance. */
export function netOf(lines: readonly StatementLine[]): bigint {
  return lines.reduce((sum, line) => sum + changeOf(line), 0n)
}

export type Continuation = 'first' | 'follows' | 'gap' | 'late'

type Numbered = Partial<Pick<Statement, 'sequence'>>

/**
 * How a statement follows the newest one of its account: it must open with the balance with which that one closed, and
 * where the bank numbers its statements, no number may be missing between them. Numbers that begin again tell nothing.
 */
export function continuationOf(
  last: (Pick<Statement, 'closedOn' | 'closingSen'> & Numbered) | undefined,
  next: Pick<Statement, 'openingSen' | 'closedOn'> & Numbered,
): Continuation {
  if (last === undefined) return 'first'
  if (next.closedOn < last.closedOn) return 'late'
  if (isNumberMissing(last.sequence ?? '', next.sequence ?? '')) return 'gap'
  return next.openingSen === last.closingSen ? 'follows' : 'gap'
}

const NUMBER = /^\d{1,18}$/

/** Whether a bank's numbers say that one statement comes right after another. */
export function isNextNumber(last: string, next: string): boolean {
  return NUMBER.test(last) && NUMBER.test(next) && BigInt(next) === BigInt(last) + 1n
}

/** Whether numbers of a bank's statements leave one out between them. */
export function isNumberMissing(last: string, next: string): boolean {
  return NUMBER.test(last) && NUMBER.test(next) && BigInt(next) > BigInt(last) + 1n
}
