/** coin payout … */
import type { Command } from 'commander'
import { get, pathOf, post } from './client.ts'
import { add, fields, paged, table } from './command.ts'

export function register(noun: Command): void {
  paged(
    add(
      noun,
      'list',
      'payouts, oldest first',
      (options) => get('/payouts', options),
      table('payouts', fields('payoutId', 'customerId', 'amountMyr', 'status', 'attempts', 'createdAt', 'lastError')),
    ).option('--status <status>', 'queued, held, sent, paid, rejected, returned, paid_by_hand or refunded'),
  )
  add(noun, 'retry <id>', 'pay one that came back again, as a new attempt; bring a queued one forward', (_, id = '') =>
    post(pathOf('payouts', id, 'retry')),
  )
  add(noun, 'hold <id>', 'stop a queued one', (options, id = '') =>
    post(pathOf('payouts', id, 'hold'), options),
  ).requiredOption('--reason <text>', 'why, for the audit log')
  add(noun, 'release <id>', 'pay one that is held and that the bank has not paid', (options, id = '') =>
    post(pathOf('payouts', id, 'release'), options),
  ).requiredOption('--reason <text>', 'why, for the audit log')
  add(noun, 'mark-paid <id>', 'record one that the bank has paid', (options, id = '') =>
    post(pathOf('payouts', id, 'mark-paid'), options),
  ).requiredOption('--reference <text>', "the bank's reference")
}
