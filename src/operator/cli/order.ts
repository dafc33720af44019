/** coin order … */
import type { Command } from 'commander'
import { get, pathOf, post } from './client.ts'
import { add, field, gather, HELD, paged, rename, table } from './command.ts'
import { CliError } from './errors.ts'
import { printFields, say } from './output.ts'

/** What has no index: to look for it in every order that ever was would take too long. */
const OF_THE_NEWEST = 'Transactions, wallets, customers and bank references'

export function register(noun: Command): void {
  const shown = table('orders', {
    order: (row) => `${row.integrationId}/${row.referenceId}`,
    direction: field('direction'),
    status: field('status'),
    phase: field('phase'),
    coin: field('amounts.coin'),
    createdAt: field('timestamps.createdAt'),
    waiting: (row) => row.waiting ?? row.failureReason,
  })
  paged(
    add(
      noun,
      'list',
      'orders of all partners, newest first',
      (options) => get('/orders', rename(options, { integration: 'integrationId' })),
      shown,
    )
      .option('--status <status>', 'only orders in this status')
      .option('--stuck', 'only unfinished ones without progress for a while, with the reason')
      .option('--older-than <duration>', 'how long a while is (default 10m)')
      .option('--integration <id>', 'only those of this partner'),
  )
  add(
    noun,
    'find <text>',
    'orders by reference, transaction, wallet, customer, bank reference or payout, newest first',
    (_, text = '') => get('/orders/find', { text }),
    (result) => {
      shown(result)
      if (result.isWhole === false) say('These are the newest; more orders have that.')
      if (typeof result.searchedSince === 'string')
        say(`${OF_THE_NEWEST} were looked for in orders since ${result.searchedSince} only.`)
    },
  )
  add(
    noun,
    'show <order>',
    'everything about one order, named integrationId/referenceId',
    (_, order = '') => get(pathOfOrder(order)),
    ({ asSeen: _, ...shown }) => printFields(shown),
  )
  for (const [verb, about] of [
    ['hold', 'keep an order that was not signed yet out of batches'],
    ['release', 'let a held order go on'],
    ['reject', 'fail an order that was never signed, and give back what it held'],
    ['make-good', 'mint again, or book, what the chain has lost of a completed order, or has executed of a failed one'],
  ] as const) {
    const command = add(noun, `${verb} <order>`, about, (options, order = '') =>
      post(pathOfOrder(order, verb), options),
    ).requiredOption('--reason <text>', 'why, for the audit log')
    if (verb === 'release') command.option(...HELD, gather)
    if (verb === 'make-good')
      command.option(
        '--unpaid',
        'of a redeem that is not paid: it fails, its holder keeps the coin, and nobody is ever paid',
      )
  }
}

function pathOfOrder(order: string, ...more: string[]): string {
  const slash = order.indexOf('/')
  if (slash > 0 && slash < order.length - 1) {
    return pathOf('orders', order.slice(0, slash), order.slice(slash + 1), ...more)
  }
  throw new CliError('USAGE', 'Name the order as integrationId/referenceId: find it with "coin order list".')
}
