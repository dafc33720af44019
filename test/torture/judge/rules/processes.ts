/** No process died by itself, none logged a fatal error, all stopped properly, and the service's own books agree. */
import type { Rule } from '../evidence.ts'

/** What the run itself does behind the service's back must be noticed; that is no fault. */
const NOTICED = /"kind":"(limit|role)"/

export const processesBehave: Rule = ({ processes: { deaths, fatals, lastExits } }) => [
  ...deaths.map((message) => ({ rule: 'processes', subject: 'died', message })),
  ...fatals.filter((line) => !NOTICED.test(line)).map((message) => ({ rule: 'processes', subject: 'fatal', message })),
  ...lastExits
    .filter(({ code }) => code !== 0)
    .map(({ name, code }) => ({ rule: 'processes', subject: name, message: `stopped with exit code ${code}` })),
]

export const booksAgree: Rule = ({ reconciliation: { ok, differences } }) =>
  ok ? [] : [{ rule: 'reconcile', subject: 'service', message: differences.join(' · ') }]
