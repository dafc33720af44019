/** When banks work: cut-offs, weekends and holidays, from a file that an operator keeps. */
import { type Static, Type } from 'typebox'
import { isDay, weekdayOf } from '../day.ts'
import { jsonFileReader } from '../json-file.ts'
import { type BankRail, RAILS } from '../rails.ts'
import { catchRefusal, type Reading, refuse } from '../refusal.ts'

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
const Strict = { additionalProperties: false }
const Weekday = Type.Integer({ minimum: 1, maximum: 7 })

const RAIL = Type.Object(
  {
    /**
     * A file handed over before this time, by the calendar's clock, is carried out on the same day; null: at any time.
     */
    cutOff: Type.Union([Type.Null(), Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' })]),
    /** True when the rail works on weekends and holidays too. */
    everyDay: Type.Boolean(),
  },
  Strict,
)

/** The calendar file as JSON Schema; a test compares it with docs/samples/calendar.schema.json. */
export const CALENDAR_SCHEMA = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    timeZone: Type.String({ minLength: 1, maxLength: 60 }),
    /** The first and last day for which holidays are known. Outside them nothing is scheduled. */
    coversFrom: Day,
    coversTo: Day,
    /** The days of the weekend: 1 for Monday to 7 for Sunday. */
    weekend: Type.Array(Weekday, { maxItems: 6, uniqueItems: true }),
    holidays: Type.Array(Type.Object({ day: Day, name: Type.String({ minLength: 1, maxLength: 100 }) }, Strict), {
      maxItems: 1000,
    }),
    rails: Type.Object({ duitnow: RAIL, ibg: RAIL, rentas: RAIL }, Strict),
  },
  Strict,
)

export type RailHours = Static<typeof RAIL>

export type Calendar = {
  timeZone: string
  coversFrom: string
  coversTo: string
  weekend: ReadonlySet<number>
  holidays: ReadonlyMap<string, string>
  rails: Readonly<Record<BankRail, RailHours>>
}

const readFile = jsonFileReader('The calendar', CALENDAR_SCHEMA)

/** Reads a calendar file in the form of docs/samples/calendar.json. */
export function parseCalendar(text: string): Reading<Calendar> {
  const file = readFile(text)
  return file.ok ? catchRefusal(() => checked(file.value)) : file
}

function checked(file: Static<typeof CALENDAR_SCHEMA>): Calendar {
  const { timeZone, coversFrom, coversTo, weekend, holidays, rails } = file
  for (const day of [coversFrom, coversTo, ...holidays.map((holiday) => holiday.day)]) {
    if (!isDay(day)) refuse('wrong_content', `The calendar: ${day} is not a day.`)
    if (day < coversFrom || day > coversTo)
      refuse('wrong_content', `The calendar: ${day} lies outside the days it covers.`)
  }
  if (!isTimeZone(timeZone)) refuse('wrong_content', 'The calendar: the time zone is not known.')
  const named = new Map(holidays.map(({ day, name }) => [day, name]))
  if (named.size < holidays.length) refuse('duplicated_id', 'The calendar names a holiday twice.')
  for (const rail of RAILS) {
    if (rails[rail].cutOff === null && !rails[rail].everyDay) {
      refuse('wrong_content', `The calendar: ${rail} has no cut-off, so it must work every day.`)
    }
  }
  return { timeZone, coversFrom, coversTo, weekend: new Set(weekend), holidays: named, rails }
}

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }) !== undefined
  } catch {
    return false
  }
}

/** True when banks work on a day; undefined when the calendar does not cover it. */
export function isBankingDay(calendar: Calendar, day: string): boolean | undefined {
  if (day < calendar.coversFrom || day > calendar.coversTo) return undefined
  return !calendar.weekend.has(weekdayOf(day)) && !calendar.holidays.has(day)
}
