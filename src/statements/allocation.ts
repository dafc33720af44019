/**
 * Which lines are made of one or several that an operator says to be certain payments together: one for each payment, and one for what is the issuer's own
 * (pure).
 */
import { SEN_IN_MICRO, sayRinggit } from '../money.ts'
import { paymentName } from '../payouts/attempts.sql.ts'
import { absolute } from '../values/bigints.ts'
import type { SaidCharges } from './charges.ts'
import type { Line, Payment } from './match.ts'

/** A line of the bank, and the payments of ours that have its end-to-end id. */
export type NamingLine = Pick<Line, 'lineNo' | 'bankAccount' | 'amountMicro' | 'endToEndId'> & {
  names: readonly Pick<Payment, 'payoutId' | 'attempt'>[]
}

/** `endToEndId`: under which it went out, where that is known. */
export type NamedPayment = Payment & { endToEndId?: string }

/** `claims`: what was paid once more than it was to be, or gives that back; a payout may be among both. */
export type SaidPayments = { payments: readonly NamedPayment[]; claims?: readonly NamedPayment[] } & SaidCharges

/** What is made: of a payment, of what was paid once too often, or of what the bank has for itself, or gave on top. */
export type Part = { amountMicro: bigint; endToEndId: string | null } & (
  | { kind: 'payout' | 'claim'; payment: Payment }
  | { kind: 'own_funds' }
)

/** @returns the parts, which come to what the lines come to; or why these lines are not these payments */
export function planAllocation(lines: readonly NamingLine[], said: SaidPayments): Part[] | string {
  const { payments, claims = [], chargesSen = 0n, surplusSen = 0n } = said
  const sentence = whyNot(lines, [...payments, ...claims])
  if (sentence !== undefined) return sentence
  const isCredit = sum(lines) > 0n
  const partOf = (kind: 'payout' | 'claim', payment: NamedPayment): Part => {
    const naming = lines.find(({ names }) => names.some(({ payoutId }) => payoutId === payment.payoutId))
    const endToEndId = naming?.endToEndId ?? payment.endToEndId ?? null
    return { kind, payment, amountMicro: (isCredit ? 1n : -1n) * payment.amountSen * SEN_IN_MICRO, endToEndId }
  }
  const paid = payments.map((payment) => partOf('payout', payment))
  const claimed = claims.map((payment) => partOf('claim', payment))
  // In the order in which they follow: once too often is what was paid before, and what comes back is first what was too much.
  const parts = isCredit ? [...claimed, ...paid] : [...paid, ...claimed]
  const restMicro = sum(lines) - sum(parts)
  if (restMicro !== (surplusSen - chargesSen) * SEN_IN_MICRO || (restMicro > 0n && !isCredit))
    return sayRest(sum(lines), sum(parts), restMicro)
  return restMicro === 0n ? parts : [...parts, { kind: 'own_funds', amountMicro: restMicro, endToEndId: null }]
}

function whyNot(lines: readonly NamingLine[], payments: readonly NamedPayment[]): string | undefined {
  const [first] = lines
  const [payment] = payments
  if (first === undefined || payment === undefined) return 'Name a line and a payout.'
  // Where somebody knows the name under which it went out, and the line has none, the line that is made has it.
  if (lines.length === 1 && payments.length === 1 && payment.endToEndId === undefined)
    return 'One line of one payout is assigned: "coin bank unallocated assign ID --reason …".'
  if (lines.some(({ amountMicro }) => amountMicro > 0n !== first.amountMicro > 0n))
    return 'Some of the lines are debits and some credits.'
  if (lines.some(({ bankAccount }) => bankAccount !== first.bankAccount))
    return 'The lines are of several bank accounts.'
  const another = lines.find(({ names }) => names.length > 0 && !names.some((name) => isAmong(payments, name)))
  if (another === undefined) return undefined
  return `Line ${another.lineNo} names another payment, ${another.names.map(paymentName).join(' and ')}: say that it is that one's.`
}

function isAmong(payments: readonly Payment[], { payoutId }: Pick<Payment, 'payoutId'>): boolean {
  return payments.some((payment) => payment.payoutId === payoutId)
}

function sum(each: readonly { amountMicro: bigint }[]): bigint {
  return each.reduce((total, { amountMicro }) => total + amountMicro, 0n)
}

function sayRest(linesMicro: bigint, paymentsMicro: bigint, restMicro: bigint): string {
  const sums = `The lines come to ${unsigned(linesMicro)} and the payouts to ${unsigned(paymentsMicro)}`
  if (restMicro === 0n) return `${sums}: nothing of that is the issuer's own.`
  if (restMicro < 0n) return `${sums}: the charges of the bank would be ${unsigned(restMicro)}.`
  return linesMicro < 0n ? `${sums}.` : `${sums}: the surplus would be ${unsigned(restMicro)}.`
}

const unsigned = (micro: bigint) => sayRinggit(absolute(micro))
