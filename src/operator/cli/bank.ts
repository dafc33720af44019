/** coin bank … */
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { INCOMING_BOUNDS } from '../../bank-files/folder/incoming.ts'
import { get, pathOf, post, type Result } from './client.ts'
import { add, fields, paged, table } from './command.ts'
import { CliError } from './errors.ts'
import { printTable, type Row, say } from './output.ts'

export function register(noun: Command): void {
  add(
    noun,
    'import <file>',
    'take in a statement, notification or status report; exits with 1 when it is set aside',
    async (options, file = '') => {
      const result = await post('/bank/import', { name: path.basename(file), content: contentOf(file), ...options })
      if (result.setAside !== 0) process.exitCode = 1
      return result
    },
  ).option(
    '--as-booked <reason>',
    'why entries count as booked, although their transactions do not make their amounts, or two of them say the same under one reference',
  )
  add(noun, 'export', 'put what waits into a payment file now', () => post('/bank/export'))
  add(noun, 'read-back', 'learn from the folder what a lost state of the database has sent', (options) =>
    post('/bank/read-back', options),
  ).requiredOption('--reason <text>', 'why, for the audit log')
  add(noun, 'withdraw-unopened', 'set payment files aside for good that no key opens', (options) =>
    post('/bank/withdraw-unopened', options),
  ).requiredOption('--reason <text>', 'why, for the audit log')
  registerStatements(noun)
  const files = add(
    noun,
    'files',
    'files from the bank, newest first',
    (options) => get('/bank/files', options),
    table('files', fields('at', 'state', 'name', 'messageId', 'code', 'reason')),
  ).option('--set-aside', 'only those that were set aside')
  paged(files)
  add(
    noun,
    'awaited',
    'mints whose ringgit the bank has not seen, by integration',
    () => get('/bank/awaited'),
    showAwaited,
  )
  registerLines(noun.command('lines').description('lines that belong to something'))
  registerUnallocated(noun.command('unallocated').description('money that nothing explains yet'))
}

function registerStatements(noun: Command): void {
  const statements = add(
    noun,
    'statements',
    'the last statement of each account, and those that wait for an earlier one',
    (options) => get('/bank/statements', options),
    showStatements,
  )
  paged(statements)
  const applied = add(
    statements,
    'list',
    'those of an account of yours that were applied, newest first, with the days before each that have none',
    (options) => get('/bank/statements/applied', options),
    table(
      'statements',
      fields('statementId', 'openedOn', 'opening', 'closedOn', 'closing', 'lines', 'daysWithout', 'appliedAt', 'file'),
    ),
  ).requiredOption('--of <account>', 'one of your own bank accounts')
  paged(applied)
  add(statements, 'withdraw <statement>', 'set a wrong one that waits aside, for good', (options, statement = '') =>
    post(pathOf('bank', 'statements', statement, 'withdraw'), options),
  ).requiredOption('--reason <text>', 'why, for the audit log')
  add(
    statements,
    'bridge <statement>',
    'book what the bank has corrected before one that waits, so that it follows',
    (options, statement = '') => post(pathOf('bank', 'statements', statement, 'bridge'), options),
  )
    .requiredOption(
      '--difference <ringgit>',
      'what it opens with beyond what the last one closed with, such as -1.50; 0 if only a number is missing',
    )
    .option(
      '--parts <ringgit,…>',
      'of which lines it consists, such as -10,8.50, where the bank has corrected several things',
    )
    .requiredOption('--reason <text>', 'why, for the audit log')
}

/** What the bank has said of a line: by that people ask it what the line is. */
const SAID = [
  'lineId',
  'bookedOn',
  'amountMyr',
  'counterparty',
  'counterpartyAccount',
  'remittance',
  'endToEndId',
  'bankAccount',
  'statement',
  'madeOf',
]

function registerLines(lines: Command): void {
  const listed = add(
    lines,
    'list',
    'those of a partner, a payout or a bank account of yours, newest first; or of a statement, as it has them',
    (options) => get('/bank/lines', options),
    table('lines', fields(...SAID, 'state', 'as', 'belongsTo', 'reverses')),
  )
    .option('--of <id>', 'an integration, a payout, or one of your own bank accounts')
    .option('--statement <number>', 'a statement, applied or waiting, by its number')
  paged(listed)
  add(
    lines,
    'take-back <line>',
    'take back what a line belongs to, so that nothing explains it',
    (options, line = '') => post(pathOf('bank', 'lines', line, 'take-back'), options),
  )
    .option('--from <id>', 'what it is taken back from; must be given if it was taken back before')
    .option('--replaced-by <line>', 'of a line of a payment: the unallocated line that is what this one was taken for')
    .option('--charges <ringgit>', 'with --replaced-by: what the bank took beside that payment, or kept of it')
    .option('--surplus <ringgit>', 'with --replaced-by: what came back on top of it')
    .requiredOption('--reason <text>', 'why, for the audit log')
}

function registerUnallocated(unallocated: Command): void {
  paged(
    add(
      unallocated,
      'list',
      'lines, oldest first',
      (options) => get('/bank/unallocated', options),
      table('lines', fields(...SAID, 'reason')),
    ),
  )
  add(unallocated, 'assign <line>', 'say what a line is', (options, line = '') =>
    post(pathOf('bank', 'unallocated', line, 'assign'), options),
  )
    .option('--integration <id>', 'it pays the mints of this partner')
    .option('--fees', 'with --integration: it pays the fees that the partner was charged')
    .option('--payout <id>', 'it paid this payout, or gave it back')
    .option('--claim <id>', 'it paid this payout once more than it was to be, or gave that back')
    .option('--charges <ringgit>', 'with --payout or --claim: what the bank took beside it, or kept of it')
    .option('--surplus <ringgit>', 'with these: what came back on top of it, such as interest')
    .option('--reverses <line>', 'the bank takes this credit back by it, or a part of it')
    .option('--own-funds', "it is the issuer's own: charges, interest, its own money")
    .requiredOption('--reason <text>', 'why, for the audit log')
  registerAllocate(unallocated)
}

function registerAllocate(unallocated: Command): void {
  add(
    unallocated,
    'allocate <line>',
    'say which payouts a line is together, or which lines are one payout, also where they were paid twice',
    (options, line = '') => post(pathOf('bank', 'unallocated', line, 'allocate'), options),
  )
    .option('--payouts <ids>', 'the payouts that it paid or gave back, with commas between them')
    .option('--claims <ids>', 'likewise those that it paid once more than it was to, or of which it gave that back')
    .option('--with <lines>', 'further lines that are part of it, with commas between them')
    .option('--charges <ringgit>', 'what the bank took beside the payouts, or kept of them')
    .option('--surplus <ringgit>', 'of credits: what came back on top of them')
    .requiredOption('--reason <text>', 'why, for the audit log')
}

function contentOf(file: string): string {
  const content = bytesOf(file).toString('base64')
  if (content === '') throw new CliError('USAGE', `${file} is empty: fetch it from the bank again.`)
  return content
}

/** One that is larger than any that is taken in may be too large to be held. */
function bytesOf(file: string): Buffer {
  const { maxBytes } = INCOMING_BOUNDS
  let size = 0
  try {
    size = statSync(file).size
    if (size <= maxBytes) return readFileSync(file)
  } catch {
    throw new CliError('USAGE', `${file} cannot be read.`)
  }
  throw new CliError('USAGE', `${file} has ${size} bytes, and ${maxBytes} are the most: ask for it in several files.`)
}

function showStatements({ accounts, waiting, next, filesStopped, filesWaiting, notified }: Result): void {
  const stop = filesStopped as { reason: string; since: string } | null
  if (stop !== null) {
    say(`Payment files are stopped since ${stop.since}: ${stop.reason} Run "coin bank read-back --reason …".`)
    say('')
  }
  printTable(
    accounts as Row[],
    fields('bankAccount', 'statementId', 'closedOn', 'closing', 'creditsSince', 'unbooked', 'importedAt'),
  )
  if ((filesWaiting as Row[]).length > 0) {
    process.stdout.write('\nFiles from the bank that were not taken in yet:\n')
    printTable(filesWaiting as Row[], fields('name', 'since', 'reason'))
  }
  if ((notified as Row[]).length > 0) {
    process.stdout.write('\nNotified, and on no statement yet:\n')
    printTable(notified as Row[], fields('bankAccount', 'bookedOn', 'amount', 'endToEndId', 'reference'))
  }
  if ((waiting as Row[]).length === 0) return
  process.stdout.write('\nWaiting for a statement that is missing:\n')
  printTable(waiting as Row[], fields('statementNo', 'bankAccount', 'statementId', 'openedOn', 'opening', 'missing'))
  if (typeof next === 'string') say(`More: add --after ${next}`)
}

function showAwaited({ integrations }: Result): void {
  printTable(integrations as Row[], fields('integrationId', 'receivable', 'oldestDays', 'notListed'))
  for (const { integrationId, mints } of integrations as (Row & { mints: Row[] })[]) {
    if (mints.length === 0) continue
    process.stdout.write(`\n${String(integrationId)}\n`)
    printTable(mints, fields('referenceId', 'amountMyr', 'openMyr', 'completedAt', 'ageDays'))
  }
}
