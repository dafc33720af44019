/** What a bank says happened on an account, as data: statements with balances, notifications without. */
import type { FileIdentity } from '../definitions.ts'
import type { Direction } from '../xml/values.ts'

export type { Direction }

/** Who paid in, or who was paid. */
export type Counterparty = { name: string | null; account: string | null }

/** Why a payment came back. */
export type ReturnReason = { code: string | null; text: string | null }

/** Many payments that the bank booked as one: the ids of the payment file, as far as the bank names them. */
export type BookedTogether = { paymentFileId: string | null; sectionId: string | null; count: number | null }

export type StatementLine = {
  /** Place in the file, counted from 1: the entry, and the detail within it. */
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
  /** What the payer wrote, one blank between its parts; empty when nothing was. */
  remittanceText: string
  /** The structured reference of the payer. */
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

/** One account's lines as they happen: `booked` ones will stand on the statement, others may. */
export type Notification = {
  notificationId: string
  account: string
  lines: readonly (StatementLine & { booked: boolean })[]
}

/** CSV has no message id of its own, so its content is its id, and nobody says when it was made. */
export type StatementIdentity =
  | FileIdentity
  | { definition: 'csv'; messageId: string; createdAt: null; contentHash: string }

export type StatementFile = { identity: StatementIdentity; statements: readonly Statement[] }

export type NotificationFile = { identity: FileIdentity; notifications: readonly Notification[] }

/** Sen by which a line changes the balance. */
export function changeOf({ direction, amountSen }: Pick<StatementLine, 'direction' | 'amountSen'>): bigint {
  return direction === 'credit' ? amountSen : -amountSen
}

/** Sen by which lines change the balance. */
export function netOf(lines: readonly StatementLine[]): bigint {
  return lines.reduce((sum, line) => sum + changeOf(line), 0n)
}

/**
 * True when a credit gives back a payment of ours: it names our end-to-end id. The bank says so only at times; a credit that
 * it calls a return and that names no id of ours is somebody else's case.
 */
export function givesBack(line: StatementLine, endToEndId: string): boolean {
  return line.direction === 'credit' && line.endToEndId === endToEndId
}

export type Continuation = 'first' | 'follows' | 'gap' | 'already_covered'

/** How a statement stands to the last one of its account: it must open with the balance that the last one closed with. */
export function continuationOf(
  last: Pick<Statement, 'closedOn' | 'closingSen'> | undefined,
  next: Pick<Statement, 'openingSen' | 'closedOn'>,
): Continuation {
  if (last === undefined) return 'first'
  if (next.closedOn < last.closedOn) return 'already_covered'
  return next.openingSen === last.closingSen ? 'follows' : 'gap'
}
