/** coin audit … */
import type { Command } from 'commander'
import { get } from './client.ts'
import { add, fields, paged, table } from './command.ts'
import { addVerify } from './verify.ts'

export function register(noun: Command): void {
  paged(
    add(
      noun,
      'list',
      'what operators did, newest first',
      (options) => get('/audit', options),
      table('entries', fields('auditId', 'at', 'actor', 'origin', 'action', 'target', 'details', 'before', 'after')),
    ),
  )
    .option('--actor <name>', 'what one person did')
    .option('--target <id>', 'what was done to one thing, or with a wallet of this address')
    .option('--since <instant>', 'since then, in ISO 8601')
  addVerify(noun, '/audit/verify', 'line')
}
