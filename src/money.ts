/**
 * Decimal strings ⇄ bigint of 10⁻⁶ units: the only place that converts.
 * Coin and ringgit amounts share the unit (1 coin = 1 MYR, contract "What the service does").
 */

/** One coin or one ringgit in micro units. */
export const ONE_IN_MICRO = 1_000_000n
/** Decimal places of the coin, on every chain. */
export const COIN_DECIMALS = 6
/** One sen (RM 0.01) in micro units. */
export const SEN_IN_MICRO = 10_000n

const MAX_AMOUNT_LENGTH = 20
const SEN_PATTERN = /^(0|[1-9]\d{0,11})(?:\.(\d{1,2}))?$/
/** The grammar of an amount that is positive or zero: a regular expression without anchors. */
export const AMOUNT_GRAMMAR = '(0|[1-9]\\d{0,11})(\\.\\d{1,6})?'
const AMOUNT_PATTERN = new RegExp(`^(-?)${AMOUNT_GRAMMAR}$`)

export type ParsedAmount =
  | { ok: true; amountMicro: bigint }
  | { ok: false; code: 'INVALID_AMOUNT' | 'AMOUNT_NEGATIVE_OR_ZERO' }

/**
 * Parses an amount of a request body by `AMOUNT_GRAMMAR`. The length is checked first, so that no input costs more than
 * a short one.
 * @returns the positive amount, or the contract's error code: `AMOUNT_NEGATIVE_OR_ZERO` for zero and for the same
 *   grammar with a leading minus, `INVALID_AMOUNT` for everything else (JSON numbers included)
 */
export function parseAmount(value: unknown): ParsedAmount {
  if (typeof value !== 'string' || value.length > MAX_AMOUNT_LENGTH) return { ok: false, code: 'INVALID_AMOUNT' }
  const match = AMOUNT_PATTERN.exec(value)
  if (match === null) return { ok: false, code: 'INVALID_AMOUNT' }
  const [, sign, whole = '0', fraction = '.'] = match
  const amountMicro = BigInt(whole) * ONE_IN_MICRO + BigInt(fraction.slice(1).padEnd(6, '0'))
  if (sign === '-' || amountMicro === 0n) return { ok: false, code: 'AMOUNT_NEGATIVE_OR_ZERO' }
  return { ok: true, amountMicro }
}

/** Formats micro units in the shortest decimal form: `1000`, `1000.5`, `-0.25`. */
export function formatAmount(amountMicro: bigint): string {
  const sign = amountMicro < 0n ? '-' : ''
  const absolute = amountMicro < 0n ? -amountMicro : amountMicro
  const whole = absolute / ONE_IN_MICRO
  const fraction = (absolute % ONE_IN_MICRO).toString().padStart(6, '0').replace(/0+$/, '')
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`
}

/** Formats micro units as people read them in a sentence, with its thousands apart and at least two decimals: `RM 1,234,567.50`. */
export function sayRinggit(amountMicro: bigint): string {
  const [whole = '', fraction = ''] = formatAmount(amountMicro).split('.')
  return `RM ${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')}`
}

/** Formats whole sen as people read them in a sentence: see `sayRinggit`. */
export function saySen(amountSen: bigint): string {
  return sayRinggit(amountSen * SEN_IN_MICRO)
}

/**
 * Parses ringgit as banks write them: at most 12 digits (as micro units they fit a bigint of the database, and so do their sums)
 * with at most two decimals, no sign, no leading zero, no separators.
 * @returns whole sen; undefined for everything else. Nothing is ever rounded
 */
export function parseSen(text: string): bigint | undefined {
  if (text.length > MAX_AMOUNT_LENGTH) return undefined
  const [match, whole = '', fraction = ''] = SEN_PATTERN.exec(text) ?? []
  return match === undefined ? undefined : BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'))
}

/** Formats whole sen as ringgit with exactly two decimals: `1234.50`, `-0.05`. */
export function formatSen(amountSen: bigint): string {
  const sign = amountSen < 0n ? '-' : ''
  const absolute = amountSen < 0n ? -amountSen : amountSen
  return `${sign}${absolute / 100n}.${(absolute % 100n).toString().padStart(2, '0')}`
}
