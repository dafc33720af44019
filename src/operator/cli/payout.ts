/** coin payout … */
import type { Command } from 'commander'
import { get, pathOf, post, type Result } from './client.ts'
import { add, fields, gather, HELD, type Options, paged, table } from './command.ts'
import { csvOf } from './csv.ts'
import { printFields, type Row } from './output.ts'

const COLUMNS = ['payoutId', 'referenceId', 'amountMyr', 'status', 'since', 'bankAccountEnding', 'owner', 'lastError']
const CSV_COLUMNS = ['integrationId', 'customerId', 'endToEndId', 'rail', 'railReference', 'createdAt']
/** The API's largest. */
const A_PAGE = 500

export function register(noun: Command): void {
  registerList(noun)
  const one = (usage: string, about: string, request: Parameters<typeof add>[3]) =>
    add(noun, usage, about, request, ({ payout }) => printFields(payout as Row))
  one('show <id>', 'one payout: its order, account, payments, and what is claimed back', (_, id = '') =>
    get(pathOf('payouts', id)),
  )
  one('assign <id>', 'record who looks after one that came back', (options, id = '') =>
    post(pathOf('payouts', id, 'assign'), options),
  ).requiredOption('--to <name>', 'the operator who looks after it')
  one('retry <id>', 'pay again what came back, as a new attempt; or bring a queued one forward', (_, id = '') =>
    post(pathOf('payouts', id, 'retry')),
  )
  one('refund <id>', 'of one that came back, mint the coin to the wallet it was burnt from', (_, id = '') =>
    post(pathOf('payouts', id, 'refund')),
  )
  add(
    noun,
    'resettle <id>',
    'for a redeem called burnt that the chain has not burnt: let it await a batch again',
    (options, id = '') => post(pathOf('payouts', id, 'resettle'), options),
    ({ ok: _, ...done }) => printFields(done as Row),
  ).requiredOption('--reason <text>', 'why, for the audit log')
  one('settle-residual', 'pay a customer the whole sen that earlier payouts left over', (options) =>
    post(pathOf('payouts', 'settle-residual'), { customerId: options.customer }),
  ).requiredOption('--customer <id>', 'the customer')
  one('hold <id>', 'stop a queued one', (options, id = '') =>
    post(pathOf('payouts', id, 'hold'), options),
  ).requiredOption('--reason <text>', 'why, for the audit log')
  one('release <id>', 'pay one that is held and that the bank has not paid', (options, id = '') =>
    post(pathOf('payouts', id, 'release'), options),
  )
    .option(...HELD, gather)
    .requiredOption('--reason <text>', 'why, for the audit log')
  one('mark-paid <id>', 'record one that the bank has paid', (options, id = '') =>
    post(pathOf('payouts', id, 'mark-paid'), options),
  ).requiredOption('--reference <text>', "the bank's reference")
  one(
    'mark-unpaid <id>',
    'record that one which counts as sent, paid or paid by hand was never paid',
    (options, id = '') => post(pathOf('payouts', id, 'mark-unpaid'), options),
  )
    .option(
      '--payment <id>',
      "which payment: its end-to-end id in the bank's letter, or the reference of one by hand; must be given where there were several",
    )
    .requiredOption('--reason <text>', 'why, for the audit log')
}

/** Why it is as it is, as the console says it: what was last said of one that is held is not why it is held. */
function why({ isBeingRefunded, holdReason, lastError }: Row): unknown {
  return isBeingRefunded === true ? 'its coin is being minted back' : (holdReason ?? lastError)
}

function registerList(noun: Command): void {
  let csv = false
  const show = table('payouts', { ...fields(...COLUMNS.slice(0, -1)), why })
  paged(
    add(
      noun,
      'list',
      'payouts, oldest first',
      ({ csv: asCsv, ...options }) => {
        csv = asCsv === true
        return csv && options.limit === undefined ? wholeList(options) : get('/payouts', options)
      },
      (result) => (csv ? showCsv(result) : show(result)),
    )
      .option(
        '--older-than <age>',
        'only those in their present status for longer, such as 3d or 12h; a bare number is days',
      )
      .option('--unpaid', 'only those that are not known to be paid: queued, held, sent, rejected or returned')
      .option('--csv', 'print CSV: all of them, unless --limit says how many')
      .option('--status <status>', 'queued, held, sent, paid, rejected, returned, paid_by_hand or refunded'),
  )
}

/** Every page from `after` on: nobody sees of a file that it is only the beginning of a list. */
async function wholeList(options: Options): Promise<Result> {
  const payouts: unknown[] = []
  let { after } = options
  do {
    const page = await get('/payouts', { ...options, limit: A_PAGE, after })
    payouts.push(...(page.payouts as unknown[]))
    after = page.next ?? undefined
  } while (after !== undefined)
  return { payouts, next: null }
}

function showCsv({ payouts, next }: Result): void {
  process.stdout.write(csvOf([...COLUMNS, ...CSV_COLUMNS], payouts as Row[]))
  if (typeof next === 'string') process.stderr.write(`More: add --after ${next}\n`)
}
