/** coin key … */
import type { Command } from 'commander'
import { get, pathOf, post } from './client.ts'
import { add, fields, gather, paged, rename, table, wholeNumber } from './command.ts'
import { CliError } from './errors.ts'

export function register(noun: Command): void {
  const create = add(noun, 'create', 'issue an API key; it is shown this once', (options) =>
    post('/keys', rename(options, { integration: 'integrationId', ip: 'ipAllowlist' })),
  )
    .requiredOption('--integration <id>', 'the partner it is for')
    .requiredOption('--scopes <list>', 'all, or names separated by commas')
  settings(create)
  const set = add(
    noun,
    'set <keyId>',
    'change what is named, keep the rest; takes effect everywhere within a second',
    ({ anyAddress, ...options }, keyId = '') => {
      if (anyAddress === true && options.ip !== undefined) {
        throw new CliError('USAGE', 'Give either --ip or --any-address, not both.')
      }
      const change = rename(options, { ip: 'ipAllowlist' })
      return post(pathOf('keys', keyId, 'set'), anyAddress === true ? { ...change, ipAllowlist: [] } : change)
    },
  )
  settings(set).option('--any-address', 'from anywhere')
  paged(
    add(
      noun,
      'list',
      'keys of a partner, oldest first',
      (options) => get('/keys', rename(options, { integration: 'integrationId' })),
      table(
        'keys',
        fields(
          'keyId',
          'environment',
          'createdAt',
          'expiresAt',
          'revokedAt',
          'lastUsedAt',
          'lastUsedFrom',
          'ipAllowlist',
          'scopes',
        ),
      ),
    ).requiredOption('--integration <id>', 'the partner'),
  )
  add(noun, 'revoke <keyId>', 'stop a key at once', (_, keyId = '') => post(pathOf('keys', keyId, 'revoke')))
  add(noun, 'rotate <keyId>', 'issue a successor with the same settings', (options, keyId = '') =>
    post(pathOf('keys', keyId, 'rotate'), options),
  )
    .option('--overlap <duration>', 'how long the old key still works, 0 for not at all (default 7d)')
    .option('--expires <instant>', 'when the new key ends, or never (default: when the old one would)')
}

function settings(command: Command): Command {
  return command
    .option('--ip <cidr>', 'only from this address or range; may be given several times', gather)
    .option('--expires <instant>', 'when it ends, in ISO 8601')
    .option('--rate-read <n>', 'reads a minute', wholeNumber)
    .option('--rate-write <n>', 'writes a minute', wholeNumber)
    .option('--rate-balances <n>', 'balance reads a minute', wholeNumber)
    .option('--transfer-tx-cap <coin>', 'the most that one transfer may move')
    .option('--transfer-day-cap <coin>', 'the most that transfers of one UTC day may move')
    .option('--mint-day-cap <myr>', 'the most that mints confirmed on one UTC day may total')
}
