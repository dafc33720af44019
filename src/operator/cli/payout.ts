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
    ).option('--status <status>', 'queued, held, sent or rejected'),
  )
  add(noun, 'retry <id>', 'initiate a rejected payout again, under the same id', (_, id = '') =>
    post(pathOf('payouts', id, 'retry')),
  )
  add(noun, 'release <id>', 'pay one that the bank has not paid before', (options, id = '') =>
    post(pathOf('payouts', id, 'release'), options),
  ).requiredOption('--reason <text>', 'why, for the audit log')
  add(noun, 'mark-paid <id>', 'record one that the bank has paid before', (options, id = '') =>
    post(pathOf('payouts', id, 'mark-paid'), options),
  ).requiredOption('--reference <text>', "the bank's reference")
}
