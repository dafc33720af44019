/** coin close */
import type { Command } from 'commander'
import { closeCsv } from '../close/csv.ts'
import type { CloseReport } from '../close/report.ts'
import { AGE_NAMES, FLOW_COLUMNS } from '../close/report.ts'
import { get, type Result } from './client.ts'
import { bind, fields } from './command.ts'
import { printTable, say } from './output.ts'

export function register(noun: Command): void {
  let csv = false
  bind(
    noun,
    ({ csv: asCsv, ...options }) => {
      csv = asCsv === true
      return get('/close', options)
    },
    (result) => (csv ? void process.stdout.write(closeCsv(result as CloseReport)) : show(result)),
  )
    .requiredOption('--date <day>', 'a day in the time zone of the books, such as 2026-11-20')
    .option('--csv', 'print CSV')
}

function show(result: Result): void {
  const { day, timezone, closed, note, flows, open, unpaidPayouts, unpaidAsOf } = result as CloseReport
  process.stdout.write(`${day} (${timezone}), ${closed ? 'closed' : 'open: it may still change'}\n\n`)
  if (note !== null) say(`Before it is closed: ${note}`)
  if (note !== null) say('')
  printTable(flows, fields(...FLOW_COLUMNS))
  process.stdout.write('\nOpen at the end of the day, by age:\n')
  printTable(open, fields('account', 'owner', 'total', ...AGE_NAMES))
  process.stdout.write(`\nPayouts not paid, as of ${unpaidAsOf}:\n`)
  printTable(unpaidPayouts, fields('integrationId', 'status', 'age', 'payouts', 'amount', 'oldest'))
}
