/** What a line of a statement belongs to (pure). What is not certain belongs to nothing: an operator looks at it. */
import { SEN_IN_MICRO, sayRinggit } from '../money.ts'
import { absolute } from '../values/bigints.ts'

export type Line = {
  lineNo: bigint
  bankAccount: string
  /** Where it stands: account, statement, place. */
  place: string
  /** Credits positive. */
  amountMicro: bigint
  bookedOn: string
  isReversal: boolean
  endToEndId: string | null
  remittance: string
  remitterAccount: string | null
  returnCode: string | null
  /** How often what it belonged to was taken back. */
  takenBack: number
  /** The other account of the issuer that it came from or went to. */
  ownAccount: string | null
  /** Who paid, and the text, are sealed under a key that is lost. */
  isUnread?: boolean
}

export type Payment = { payoutId: string; attempt: number; amountSen: bigint }

export type ReferencedMint = {
  orderId: bigint
  integrationId: string
  referenceId: string
  amountMicro: bigint
  status: string
  /** Whether an earlier line has paid it. */
  isPaid: boolean
}

/** What the database knows about the names in a line. */
export type Facts = {
  /** Payments of ours under the line's end-to-end id. */
  payments: readonly Payment[]
  /** Mints whose references stand in the remittance text. */
  mints: readonly ReferencedMint[]
  /** The integration whose registered account paid. */
  remitterOf: string | undefined
}

export type Match =
  | { kind: 'payout'; payment: Payment; what: 'paid' | 'returned' }
  | { kind: 'mint'; integrationId: string; orderIds: readonly bigint[] }
  | { kind: 'remitter'; integrationId: string }
  /** `between`: the accounts that it left and reached. */
  | { kind: 'own_transfer'; between: string }
  | { kind: 'unallocated'; reason: string }

/** The place of what an account's first statement opens with. */
const OPENING = '/0.0'

const UNREAD = 'Who paid, and the text, were sealed under a key that is lost.'

const nothing = (reason: string): Match => ({ kind: 'unallocated', reason })

/** What a line belongs to. */
export function matchLine(line: Line, facts: Facts): Match {
  if (line.place.endsWith(OPENING)) return nothing('What the account held before its first statement.')
  if (facts.payments.length > 0) return matchPayment(line, facts)
  if (line.ownAccount !== null) return { kind: 'own_transfer', between: betweenOf(line, line.ownAccount) }
  if (line.amountMicro < 0n && (line.isReversal || line.returnCode !== null))
    return nothing('The bank reverses a credit.')
  if (line.amountMicro < 0n) return nothing('A debit that names no payment of ours.')
  if (line.isReversal) return nothing('The bank reverses a debit that names no payment of ours.')
  if (line.returnCode !== null) return nothing('The bank gives back a payment that is none of ours.')
  if (line.isUnread === true) return nothing(UNREAD)
  const mints = countingMints(facts)
  if (mints.length > 0) return matchMints(line, mints)
  if (facts.remitterOf !== undefined) return { kind: 'remitter', integrationId: facts.remitterOf }
  if (facts.mints.length > 0) {
    return nothing(
      `${namesOf(facts.mints)} may be just a word, and the account that paid is not registered for any partner.`,
    )
  }
  return nothing(line.remittance === '' ? 'A credit without a text.' : 'A credit that names no mint and no remitter.')
}

/** What the bank reverses, or gives back, had gone the other way. */
function betweenOf({ bankAccount, amountMicro, isReversal, returnCode }: Line, ownAccount: string): string {
  const isLeaving = amountMicro < 0n !== (isReversal || returnCode !== null)
  return isLeaving ? `${bankAccount}/${ownAccount}` : `${ownAccount}/${bankAccount}`
}

function matchPayment(line: Line, facts: Facts): Match {
  const { amountMicro, isReversal } = line
  const [payment, other] = facts.payments
  if (payment === undefined || other !== undefined) return nothing('Several payments have this end-to-end id.')
  const owedMicro = payment.amountSen * SEN_IN_MICRO
  const movedMicro = absolute(amountMicro)
  if (movedMicro !== owedMicro) {
    return nothing(`${payment.payoutId} is a payment of ${sayRinggit(owedMicro)}, not of this amount.`)
  }
  if (amountMicro < 0n && isReversal) return nothing(`The bank reverses a return of ${payment.payoutId}.`)
  const isSaidReturned = isReversal || line.returnCode !== null
  if (amountMicro > 0n && line.isUnread === true && !isSaidReturned) {
    return nothing(`It names ${payment.payoutId} as if it gave that back. ${UNREAD}`)
  }
  if (amountMicro > 0n && paysIn(line, facts)) {
    return nothing(`It names ${payment.payoutId} as if it gave that back, but also looks like a payment for mints.`)
  }
  return { kind: 'payout', payment, what: amountMicro < 0n ? 'paid' : 'returned' }
}

/**
 * Whether a credit under our end-to-end id may be somebody's own payment: a payer writes whatever id they like, and whoever was paid
 * knows ours. What the bank itself calls a return or a reversal is one.
 */
function paysIn({ isReversal, returnCode }: Line, facts: Facts): boolean {
  if (isReversal || returnCode !== null) return false
  return facts.remitterOf !== undefined || countingMints(facts).length > 0
}

const namesOf = (mints: readonly ReferencedMint[]) => mints.map(({ referenceId }) => referenceId).join(', ')

/**
 * The mints whose references count. Partners choose references, and one may choose a word that another one's bank
 * writes: from a registered account only its integration's count, from any other only those that are no plain words.
 */
function countingMints({ mints, remitterOf }: Facts): readonly ReferencedMint[] {
  if (remitterOf !== undefined) return mints.filter(({ integrationId }) => integrationId === remitterOf)
  return mints.filter(({ referenceId }) => isDistinctive(referenceId))
}

/** A text may name several mints of one integration; together they come to the amount, to the sen. */
function matchMints({ amountMicro }: Line, mints: readonly ReferencedMint[]): Match {
  const integrations = new Set(mints.map(({ integrationId }) => integrationId))
  const [integrationId = ''] = integrations
  const names = namesOf(mints)
  if (integrations.size > 1) return nothing(`The text names mints of several integrations: ${names}.`)
  const paid = mints.find(({ isPaid }) => isPaid)
  if (paid !== undefined) return nothing(`${paid.referenceId} was paid before.`)
  const ended = mints.find(({ status }) => status === 'failed' || status === 'cancelled')
  if (ended !== undefined) return nothing(`${ended.referenceId} is ${ended.status}.`)
  const dueMicro = mints.reduce((sum, mint) => sum + toSenUp(mint.amountMicro), 0n)
  if (dueMicro !== amountMicro) return nothing(`${names}: ${sayRinggit(dueMicro)} is due, not this amount.`)
  return { kind: 'mint', integrationId, orderIds: mints.map(({ orderId }) => orderId) }
}

/** Banks move whole sen: the part of one that a mint may have is paid as a whole one. */
function toSenUp(amountMicro: bigint): bigint {
  return ((amountMicro + SEN_IN_MICRO - 1n) / SEN_IN_MICRO) * SEN_IN_MICRO
}

const MONTH = '(?:0[1-9]|1[0-2])'
const DAY = '(?:0[1-9]|[12]\\d|3[01])'
/** 2026-11-20, 20.11.2026, 2026-11, 11/2026, 201126, 261120 and 2026, with a mark between their parts or none. */
const DATES = [
  `20\\d\\d[-./_]?${MONTH}[-./_]?${DAY}`,
  `${DAY}[-./_]?${MONTH}[-./_]?20\\d\\d`,
  `20\\d\\d[-./_]?${MONTH}`,
  `${MONTH}[-./_]?20\\d\\d`,
  `${DAY}[-./_]?${MONTH}[-./_]?2\\d`,
  `2\\d[-./_]?${MONTH}[-./_]?${DAY}`,
  '20\\d\\d',
]
const DATE = new RegExp(`(?<!\\d)(?:${DATES.join('|')})(?!\\d)`, 'g')
const MIN_DISTINCTIVE_LENGTH = 12
const MIN_DIGITS = 4

/** Whether a reference is no plain word, and no word with a date: 12 characters, a letter, and four digits of no date. */
export function isDistinctive(referenceId: string): boolean {
  const digits = referenceId.replace(DATE, ' ').replace(/\D/g, '')
  return referenceId.length >= MIN_DISTINCTIVE_LENGTH && /\p{L}/u.test(referenceId) && digits.length >= MIN_DIGITS
}

const MAX_WORDS = 40
/** A reference with a few marks about it. The longest field of a CSV, one word of nothing but marks, would take seconds to look through. */
const LONGEST_WORD = 120

/** The words of a text that could be reference ids: 8 to 100 characters, also without the mark that ends a sentence. */
export function referencesIn(remittance: string): string[] {
  const short = remittance.split(/[\s,;]+/).filter((word) => word.length <= LONGEST_WORD)
  const words = short.flatMap((word) => [word, word.replace(/[.:)]+$/, '').replace(/^[(]+/, '')])
  return [...new Set(words)].filter((word) => word.length >= 8 && word.length <= 100).slice(0, MAX_WORDS)
}
