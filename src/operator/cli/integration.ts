/** coin integration … */
import type { Command } from 'commander'
import { get, pathOf, post } from './client.ts'
import { add, fields, paged, table } from './command.ts'
import { CliError } from './errors.ts'
import { fromStandardInput } from './hidden.ts'

export function register(noun: Command): void {
  add(noun, 'create', 'onboard a partner', (options) => post('/integrations', options)).requiredOption(
    '--name <name>',
    'what people call it',
  )
  paged(
    add(
      noun,
      'list',
      'all partners, oldest first',
      (options) => get('/integrations', options),
      table('integrations', fields('integrationId', 'status', 'dpaSignedOn', 'createdAt', 'name')),
    ),
  )
  add(noun, 'show <id>', 'one partner', (_, id = '') => get(pathOf('integrations', id)))
  add(noun, 'suspend <id>', 'stop all keys of a partner', (_, id = '') => post(pathOf('integrations', id, 'suspend')))
  add(noun, 'resume <id>', 'let the keys of a suspended partner work again', (_, id = '') =>
    post(pathOf('integrations', id, 'resume')),
  )
  add(
    noun,
    'release-orders <id>',
    'let go what the suspension of a partner has held, 2000 orders at a time',
    (options, id = '') => post(pathOf('integrations', id, 'release-orders'), options),
  ).requiredOption('--reason <text>', 'why, for the audit log')
  add(
    noun,
    'reject-orders <id>',
    'fail what is held for one reason, such as a theft, and was never signed, 500 orders at a time',
    (options, id = '') => post(pathOf('integrations', id, 'reject-orders'), options),
  )
    .requiredOption('--held <text>', 'what they are held for: integration_suspended, or your words')
    .requiredOption('--reason <text>', 'why, for the audit log')
  add(noun, 'set <id>', 'put the data processing agreement on file, or remove it', ({ dpaSigned, dpa }, id = '') => {
    if ((dpaSigned === undefined) === (dpa !== false)) {
      throw new CliError('USAGE', 'Give either --dpa-signed with a day such as 2026-01-31, or --no-dpa.')
    }
    return post(pathOf('integrations', id, 'set'), { dpaSignedOn: dpa === false ? null : dpaSigned })
  })
    .option('--dpa-signed <date>', 'the day it was signed')
    .option('--no-dpa', 'there is none')
  add(
    noun,
    'add-remitter <id>',
    'register a bank account from which the partner pays for its mints',
    (options, id = '') => post(pathOf('integrations', id, 'remitters'), options),
  ).requiredOption('--account <->', 'the account number: "-" reads it from standard input', fromStandardInput)
  add(noun, 'remove-remitter <id>', 'remove a bank account that the partner no longer pays from', (options, id = '') =>
    post(pathOf('integrations', id, 'remitters', 'remove'), options),
  ).requiredOption('--account <->', 'the account number: "-" reads it from standard input', fromStandardInput)
}
