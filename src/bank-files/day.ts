/** Days as `YYYY-MM-DD`, and the time on the clocks of a time zone at an instant. */

const DAY_PATTERN = /^(\d{4})-(\d{2})-(\d{2})$/
const DAY_MS = 86_400_000

/** The banks' clocks, wherever the books' days begin (`BOOKS_TIMEZONE`). */
export const BANK_TIME_ZONE = 'Asia/Kuala_Lumpur'
/** The same as an offset: Malaysia has not changed its clocks since 1982. */
export const BANK_OFFSET = '+08:00'

/** True for a day that exists, from 1900 to 2199. */
export function isDay(text: string): boolean {
  const [match, year = ''] = DAY_PATTERN.exec(text) ?? []
  if (match === undefined || year < '1900' || year > '2199') return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** The day that lies a number of days later, or earlier when the number is negative. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** 1 for Monday to 7 for Sunday. */
export function weekdayOf(day: string): number {
  return new Date(Date.parse(`${day}T00:00:00Z`)).getUTCDay() || 7
}

/** The day and time (`HH:MM:SS`) shown by the clocks of a time zone. @throws RangeError when the zone is unknown */
export function localTime(timeZone: string, at: Date): { day: string; time: string } {
  const parts = new Map<string, string>(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  const get = (type: string) => parts.get(type) ?? ''
  return {
    day: `${get('year')}-${get('month')}-${get('day')}`,
    time: `${get('hour')}:${get('minute')}:${get('second')}`,
  }
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const two = '2-digit'
  const fields = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, calendar: 'iso8601', hourCycle: 'h23', ...fields })
  formats.set(timeZone, format)
  return format
}
