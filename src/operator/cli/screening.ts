/** coin screening … */
import type { Command } from 'commander'
import { get, post } from './client.ts'
import { add, fields, paged, table } from './command.ts'

export function register(noun: Command): void {
  add(noun, 'deny <address>', 'let no order have an address as its wallet or recipient', (_, address) =>
    post('/screening/deny', { address }),
  )
  add(noun, 'allow <address>', 'take an address off the deny list', (_, address) =>
    post('/screening/allow', { address }),
  )
  paged(
    add(
      noun,
      'list',
      'addresses that no order may have',
      (options) => get('/screening', options),
      table('denials', fields('address', 'deniedSince')),
    ),
  )
  add(noun, 'check <address>', 'what screening says about an address', (_, address) =>
    get('/screening/check', { address }),
  )
}
