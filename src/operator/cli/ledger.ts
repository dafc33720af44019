/** coin ledger … */
import type { Command } from 'commander'
import { get, post } from './client.ts'
import { add, fields, paged, table } from './command.ts'
import { csvOf } from './csv.ts'
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
  paged(
    add(
      noun,
      'entries',
      'journal entries, newest first',
      (options) => get('/ledger/entries', options),
      table('entries', COLUMNS),
    ),
  ).option('--account <name>', 'only those that move this account, such as coins:1, or any of this kind, such as coins')
  add(noun, 'close', 'close every day up to this one: what comes later counts on the first open day', (options) =>
    post('/ledger/close', options),
  ).requiredOption('--through <day>', 'a day that is over, such as 2026-11-20')
  addVerify(noun, '/ledger/verify', 'entry')
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
