/** Instants, days and durations in operators' requests. */
import { isDay } from '../bank-files/day.ts'
import { parseInstant } from '../values/instant.ts'
import { OperatorError } from './errors.ts'

const DURATION_PATTERN = /^(\d{1,6})([smhd]?)$/
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * Reads an instant in ISO 8601: a day (its start in UTC), or a day and time with `Z` or an offset.
 * @throws OperatorError BAD_REQUEST, also for a day that no calendar has
 */
export function readInstant(field: string, value: string): Date {
  const instant = parseInstant(value)
  if (instant !== undefined) return instant.at
  throw new OperatorError('BAD_REQUEST', `"${field}" must be an ISO 8601 instant, such as 2027-01-31T00:00:00Z.`)
}

/** Reads a calendar day `YYYY-MM-DD`, from 1900 to 2199. @throws OperatorError BAD_REQUEST */
export function parseDay(field: string, value: string): string {
  if (isDay(value)) return value
  throw new OperatorError('BAD_REQUEST', `"${field}" must be a day, such as 2026-01-31.`)
}

/**
 * Reads a duration such as `90s`, `10m`, `12h`, `7d`; `0` needs no unit.
 * @returns milliseconds
 * @throws OperatorError BAD_REQUEST
 */
export function parseDuration(field: string, value: string, maxMs: number): number {
  const [, count = '', unit = ''] = DURATION_PATTERN.exec(value) ?? []
  const isZero = count !== '' && Number(count) === 0
  const durationMs = isZero ? 0 : Number(count) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? Number.NaN)
  if (count !== '' && durationMs >= 0 && durationMs <= maxMs) return durationMs
  const maxDays = Math.floor(maxMs / UNIT_MS.d)
  throw new OperatorError('BAD_REQUEST', `"${field}" must be a duration such as 30m, 12h or 7d, at most ${maxDays}d.`)
}

/** As parseDuration, and a number alone is days: banks are waited for in days. */
export function parseAge(field: string, value: string, maxMs: number): number {
  return parseDuration(field, /^\d+$/.test(value) ? `${value}d` : value, maxMs)
}
