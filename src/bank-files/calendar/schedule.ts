/** The day on which a payment is carried out. */
import { addDays, localTime } from '../day.ts'
import type { BankRail } from '../rails.ts'
import { catchRefusal, type Reading, refuse } from '../refusal.ts'
import { type Calendar, isBankingDay } from './calendar.ts'

/**
 * The day on which a rail carries out what is handed over at an instant: the same day if the rail works on it and its
 * cut-off has not passed, otherwise the rail's next working day. Refused when the calendar does not reach that far.
 */
export function executionDay(calendar: Calendar, rail: BankRail, at: Date): Reading<string> {
  return catchRefusal(() => {
    const { day, time } = localTime(calendar.timeZone, at)
    const { cutOff } = calendar.rails[rail]
    const worksToday = isWorkingDay(calendar, rail, day)
    const isInTime = cutOff === null || time < `${cutOff}:00`
    return worksToday && isInTime ? day : nextWorkingDay(calendar, rail, day)
  })
}

/** How long the calendar still covers, in seconds; below zero once its last day is over. */
export function secondsCovered({ timeZone, coversTo }: Calendar, at: Date): number {
  const { day, time } = localTime(timeZone, at)
  return (Date.parse(addDays(coversTo, 1)) - Date.parse(`${day}T${time}Z`)) / 1_000
}

function nextWorkingDay(calendar: Calendar, rail: BankRail, after: string): string {
  let day = addDays(after, 1)
  while (!isWorkingDay(calendar, rail, day)) day = addDays(day, 1)
  return day
}

/** Refuses days outside the calendar, so every search ends. */
function isWorkingDay(calendar: Calendar, rail: BankRail, day: string): boolean {
  const isWorking = isBankingDay(calendar, day)
  if (isWorking === undefined) {
    return refuse(
      'wrong_content',
      `The calendar covers ${calendar.coversFrom} to ${calendar.coversTo}, not ${day}; bring it up to date.`,
    )
  }
  return isWorking || calendar.rails[rail].everyDay
}
