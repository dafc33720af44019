/** Amounts in operators' requests. */
import { parseAmount, parseSen, saySen } from '../money.ts'
import { OperatorError } from './errors.ts'

/**
 * Reads a limit in ringgit or coin. Zero is allowed: it forbids everything.
 * @returns micro units
 * @throws OperatorError BAD_REQUEST
 */
export function parseLimit(field: string, value: string): bigint {
  if (value === '0') return 0n
  const parsed = parseAmount(value)
  if (parsed.ok) return parsed.amountMicro
  throw new OperatorError(
    'BAD_REQUEST',
    `"${field}" must be 0 or a decimal with at most 6 decimal places, such as 50000.`,
  )
}

/** Reads ringgit that need not be given. @returns sen, 0 when it is not @throws OperatorError BAD_REQUEST */
export function senOf(field: string, given: string | undefined): bigint {
  const sen = given === undefined ? 0n : parseSen(given)
  if (sen !== undefined) return sen
  throw new OperatorError('BAD_REQUEST', `"${field}" must be ringgit with at most two decimals, such as 1.50.`)
}

/** What somebody has given as ringgit, as sentences say ringgit; as it was given where it is none. */
export function sayGiven(given: string): string {
  const sen = parseSen(given)
  return sen === undefined ? `RM ${given}` : saySen(sen)
}
