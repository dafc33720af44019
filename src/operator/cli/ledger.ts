/** coin ledger … */
import type { Command } from 'commander'
import { get, post, type Result } from './client.ts'
import { add, fields, type Options, paged, table } from './command.ts'
import { csvOf, csvRowsOf } from './csv.ts'
import { CliError } from './errors.ts'
import { printTable, type Row } from './output.ts'
import { addVerify } from './verify.ts'

export function register(noun: Command): void {
  let csv = false
  add(
    noun,
    'balances',
    'the balance of every account: debits positive, credits negative',
    ({ csv: asCsv, ...options }) => {
      csv = asCsv === true
      return get('/ledger/balances', options)
    },
    ({ asOf, accounts }) =>
      csv ? void process.stdout.write(balancesCsv(asOf, accounts as Row[])) : printTable(accounts as Row[], BALANCES),
  )
    .option(
      '--as-of <day>',
      'at the end of a day of the books, such as 2026-11-20, or at an instant, such as 2026-11-20T04:00:00Z',
    )
    .option('--csv', 'print CSV')
  registerEntries(noun)
  add(noun, 'close', 'close every day up to this one: what comes later counts on the first open day', (options) =>
    post('/ledger/close', options),
  ).requiredOption('--through <day>', 'a day that is over, such as 2026-11-20')
  addVerify(noun, '/ledger/verify', 'entry')
}

function registerEntries(noun: Command): void {
  let csv = false
  const entries = add(
    noun,
    'entries',
    'journal entries, newest first',
    async ({ csv: asCsv, ...options }) => {
      csv = asCsv === true
      if (!csv) return await get('/ledger/entries', options)
      if (entries.opts().json === true) throw new CliError('USAGE', 'Give --csv or --json.')
      return await printEntries(options)
    },
    (result) => (csv ? undefined : table('entries', COLUMNS)(result)),
  )
  paged(entries)
    .option(
      '--account <name>',
      'only those that move this account, such as coins:1, or any of this kind, such as coins',
    )
    .option('--from <day>', 'only those that count on this day of the books or later, the newest day first')
    .option('--through <day>', 'only those that count on this day of the books or earlier')
    .option(
      '--reference <name>',
      'those called so, or so and more after a slash, by their names, such as payout/po_…, batch/1/7 or statement/main/S1',
    )
    .option('--csv', 'print CSV: all of them, a row for each account that an entry moves')
}

const ENTRIES_CSV = ['entryId', 'position', 'day', 'effectiveAt', 'recordedAt', 'reference', 'account', 'amount']
const MOST_AT_ONCE = '500'

/** Prints page after page, so that they need not fit into memory. Nothing of it is left to be shown. */
async function printEntries(options: Options): Promise<Result> {
  process.stdout.write(csvOf(ENTRIES_CSV, []))
  let next: unknown = options.after
  do {
    const page = await get('/ledger/entries', { limit: MOST_AT_ONCE, ...options, after: next })
    const rows = (page.entries as Row[]).flatMap(({ lines, ...entry }) =>
      (lines as Row[]).map((line) => ({ ...entry, ...line })),
    )
    process.stdout.write(csvRowsOf(ENTRIES_CSV, rows))
    next = page.next
  } while (typeof next === 'string')
  return {}
}

const BALANCES = fields('account', 'owner', 'balance')
const BALANCES_CSV = ['asOf', 'account', 'integrationId', 'chainId', 'owner', 'balance']

/** Each row says as of when, because a file is looked at later; empty: as it is now. */
function balancesCsv(asOf: unknown, accounts: readonly Row[]): string {
  return csvOf(
    BALANCES_CSV,
    accounts.map((account) => ({ asOf, ...account })),
  )
}

const COLUMNS = {
  ...fields('entryId', 'day', 'reference'),
  lines: (row: Row) =>
    (row.lines as { account: string; amount: string }[])
      .map(({ account, amount }) => `${account} ${amount}`)
      .join(', '),
}
