/** ISO 8601 instants, as partners and operators write them. */

const INSTANT_PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+-])(\d{2})(?::?(\d{2}))?))?$/

/** The same instants in the basic format of ISO 8601, which leaves out what separates. */
const BASIC_PATTERN = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(?:(\d{2})([.,]\d{1,9})?)?(Z|[+-]\d{2}(?:\d{2})?))?$/

/** The range of all instants here; one outside it is moved to the nearer end. */
export const EARLIEST = new Date(0)
export const LATEST = new Date('9999-12-31T23:59:59.999Z')

/** An instant to the millisecond, and whether a remainder below it was cut off. */
export type Instant = { at: Date; hasRemainder: boolean }

/**
 * Parses an ISO 8601 date and time with its zone, such as `2026-03-01T08:00:00.5+08:00`. Seconds, fraction and the zone's minutes may be left out; the
 * zone may also be written `+0800`, which is what PHP calls ISO 8601. A date alone means its first instant in UTC. A time without a zone names no
 * instant and is refused, as is a day or time that does not exist.
 * @returns undefined when the text is none of these
 */
export function parseInstant(text: string): Instant | undefined {
  const match = text.length <= 40 ? INSTANT_PATTERN.exec(text) : null
  if (match === null) return undefined
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', sign, offHour, offMinute] = match
  const ms = fraction.padEnd(3, '0').slice(0, 3)
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`
  const localMs = Date.parse(local)
  if (Number.isNaN(localMs) || new Date(localMs).toISOString() !== local) return undefined
  const offsetMs = offsetOf(sign, offHour, offMinute)
  if (offsetMs === undefined) return undefined
  const at = new Date(Math.min(Math.max(localMs - offsetMs, EARLIEST.getTime()), LATEST.getTime()))
  return { at, hasRemainder: /[1-9]/.test(fraction.slice(3)) }
}

/** The first millisecond that does not begin before an instant: the one in which a remainder lies did. */
export function firstMillisecondFrom({ at, hasRemainder }: Instant): Date {
  return new Date(Math.min(at.getTime() + (hasRemainder ? 1 : 0), LATEST.getTime()))
}

/**
 * Parses an instant in a query. The contract takes ISO 8601 there, so the basic format is read too (`20260301T080000Z`). The plus of a zone arrives as a
 * blank when its sender did not escape it, because queries are read as forms are; a blank means nothing else there.
 */
export function parseInstantInQuery(text: string): Instant | undefined {
  return parseInstant(extended(text.replace(/(?<=T[\d:.,]+) (?=\d{2}(?::?\d{2})?$)/, '+')))
}

function extended(text: string): string {
  const match = BASIC_PATTERN.exec(text)
  if (match === null) return text
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = match
  const date = `${year}-${month}-${day}`
  if (hour === undefined) return date
  return `${date}T${hour}:${minute}${second === undefined ? '' : `:${second}${fraction}`}${zone}`
}

function offsetOf(sign: string | undefined, hours = '00', minutes = '00'): number | undefined {
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  const ms = (Number(hours) * 60 + Number(minutes)) * 60_000
  return sign === '-' ? -ms : ms
}
