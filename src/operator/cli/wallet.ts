/** coin wallet … */
import type { Command } from 'commander'
import { get, post } from './client.ts'
import { add, fields, rename, table } from './command.ts'

export function register(noun: Command): void {
  add(noun, 'add', 'link a wallet on every configured chain and record it; safe to repeat', (options) =>
    post('/wallets', rename(options, { customer: 'customerId' })),
  )
    .requiredOption('--customer <id>', 'its owner')
    .requiredOption('--address <address>', 'EVM address')
    .option('--primary', 'transfers are paid from it (the first one is primary anyway)')
    .option('--shared', 'allow a wallet that another customer has too')
  add(
    noun,
    'list',
    'wallets of a customer',
    (options) => get('/wallets', rename(options, { customer: 'customerId' })),
    table('wallets', fields('address', 'isPrimary', 'createdAt')),
  ).requiredOption('--customer <id>', 'the customer')
}
