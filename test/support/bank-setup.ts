/** How the tests' issuer writes payment files, and when. */
import { parseCalendar } from '../../src/bank-files/calendar/calendar.ts'
import type { PaymentSetup } from '../../src/bank-files/setup.ts'
import { accepted, DEBTOR, PROFILE, sample } from './bank-files.ts'

/** A Friday morning in Kuala Lumpur: before every cut-off. */
export const NOW = new Date('2026-11-20T02:00:00Z')

/** When the days of every statement of a test are over: those near its own clock, and those near the machine's. */
export const ALL_OVER = new Date(Math.max(NOW.getTime(), Date.now()) + 365 * 86_400_000)

export const SILENT = { info() {}, warn() {}, error() {}, fatal() {}, debug() {} }

export const PAYMENTS: PaymentSetup = {
  prefix: 'COIN',
  from: { key: 'main', ...DEBTOR },
  profile: PROFILE,
  calendar: accepted(parseCalendar(sample('calendar.json'))),
  rails: ['duitnow', 'ibg', 'rentas'],
}
