/** How the tests' issuer writes payment files, and when. */
import { parseCalendar } from '../../src/bank-files/calendar/calendar.ts'
import type { PaymentSetup } from '../../src/bank-files/setup.ts'
import { accepted, DEBTOR, PROFILE, sample } from './bank-files.ts'

/** A Friday morning in Kuala Lumpur: before every cut-off. */
export const NOW = new Date('2026-11-20T02:00:00Z')

/** A month later: the days of every statement of a test are over. */
export const MONTH_END = new Date('2026-12-20T02:00:00Z')

export const SILENT = { info() {}, warn() {}, error() {}, fatal() {}, debug() {} }

export const PAYMENTS: PaymentSetup = {
  prefix: 'COIN',
  from: { key: 'main', ...DEBTOR },
  profile: PROFILE,
  calendar: accepted(parseCalendar(sample('calendar.json'))),
  rails: ['duitnow', 'ibg', 'rentas'],
}
