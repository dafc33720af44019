/** Bank files as the books keep them: accounts by their keys, amounts in micro units, credits positive. */
import { createHash } from 'node:crypto'
import type { Notification, Statement, StatementLine } from '../bank-files/statement/statement.ts'
import { changeOf } from '../bank-files/statement/statement.ts'
import { SEN_IN_MICRO } from '../money.ts'
import { onOneLine } from '../values/on-one-line.ts'
import { type DigestedLine, type DigestedStatement, digestOf } from './digest.ts'
import { type Together, togetherOf } from './together.ts'

export type NewStatement = DigestedStatement & {
  /** The bank's own name of it. */
  statementId: string
  sequence: string | null
  lines: readonly NewLine[]
  digest: string
  /** SHA-256 of the account's number; undefined of what operators make. */
  accountDigest?: string
}

const digestOfAccount = (account: string) => createHash('sha256').update(account).digest('hex')

/**
 * `ownAccount`: which other account of the issuer it came from or went to. `together`: what names the payments of ours that it was. Its digest
 * follows from neither.
 */
export type NewLine = DigestedLine & { ownAccount: string | null; together: Together | null }

/** Tells an account of the issuer, other than this one, from everybody's. */
export type OwnAccountOf = (number: string | null, bankAccount: string) => string | null

export type NewNotified = {
  /** Derived from what it says: a second notification of the same movement has the same. */
  key: string
  /** Which notification of its file said so, counted from 1. */
  notification: number
  bankAccount: string
  amountMicro: bigint
  bookedOn: string
  servicerReference: string | null
  endToEndId: string | null
  remittance: string
  remitterAccount: string | null
  ownAccount: string | null
  together: Together | null
  /** As that of a statement. */
  accountDigest?: string
}

/** The first day of a statement's lines; undefined where it has none. */
export function firstDayOf({ lines }: { lines: readonly { bookedOn: string }[] }): string | undefined {
  return lines.map(({ bookedOn }) => bookedOn).sort()[0]
}

/** A bank's statement in the form of the books. */
export function statementOf(statement: Statement, bankAccount: string, ownAccountOf: OwnAccountOf): NewStatement {
  const { statementId, sequence, openedOn, openingSen, closedOn, closingSen } = statement
  const balances = { openingMicro: openingSen * SEN_IN_MICRO, closingMicro: closingSen * SEN_IN_MICRO }
  const head = { bankAccount, openedOn, closedOn, ...balances }
  const lines = statement.lines
    .filter(({ amountSen }) => amountSen > 0n)
    .map((line) => ({
      ...lineOf(line),
      ownAccount: ownAccountOf(line.counterparty.account, bankAccount),
      together: togetherOf(line),
    }))
  const accountDigest = digestOfAccount(statement.account)
  return { ...head, statementId, sequence, lines, digest: digestOf(head, lines), accountDigest }
}

/**
 * The booked movements of a notification. Two that say the same in one notification are two; in two notifications they
 * are one.
 */
export function notifiedOf(
  { account, lines }: Pick<Notification, 'account' | 'lines'>,
  {
    bankAccount,
    notification,
    ownAccountOf,
  }: { bankAccount: string; notification: number; ownAccountOf: OwnAccountOf },
): NewNotified[] {
  const seen = new Map<string, number>()
  const accountDigest = digestOfAccount(account)
  return lines
    .filter(({ booked, amountSen }) => booked && amountSen > 0n)
    .map((line) => {
      const { bookedOn, servicerReference, endToEndId, remittance, remitterAccount, amountMicro } = lineOf(line)
      const told = { bankAccount, amountMicro, bookedOn, servicerReference, endToEndId, remittance, remitterAccount }
      // Of the account, what is shown: the key must not tell it to whoever tries out numbers.
      const ending = remitterAccount?.slice(-4) ?? null
      const text = JSON.stringify({ ...told, remitterAccount: ending, amountMicro: String(amountMicro) })
      const count = (seen.get(text) ?? 0) + 1
      seen.set(text, count)
      const ownAccount = ownAccountOf(line.counterparty.account, bankAccount)
      const key = createHash('sha256').update(`${text}#${count}`).digest('hex')
      return { ...told, ownAccount, together: togetherOf(line), notification, key, accountDigest }
    })
}

function lineOf(line: StatementLine): DigestedLine {
  return {
    entry: line.entry,
    detail: line.detail,
    amountMicro: changeOf(line) * SEN_IN_MICRO,
    bookedOn: line.bookedOn,
    valueOn: line.valueOn,
    isReversal: line.isReversal,
    servicerReference: storable(line.servicerReference, MAX_ID),
    endToEndId: storable(line.endToEndId, MAX_ID),
    remittance: storable(remittanceOf(line)) ?? '',
    remitterName: storable(line.counterparty.name),
    remitterAccount: storable(line.counterparty.account),
    returnCode: storable(line.returned?.code ?? null),
  }
}

/** Everything that the payer may have written a reference into. */
function remittanceOf({ remittanceText, creditorReference, additionalText }: StatementLine): string {
  return [remittanceText, creditorReference, additionalText].filter((part) => part !== null && part !== '').join(' ')
}

const MAX_TEXT = 2_000
/** An index holds these; ISO 20022 gives them 35 characters, a CSV any number. */
const MAX_ID = 255

function storable(text: string | null, maxLength = MAX_TEXT): string | null {
  return text === null ? null : onOneLine(text, maxLength)
}
