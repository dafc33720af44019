/** coin customer … */
import type { Command } from 'commander'
import { get, pathOf, post } from './client.ts'
import { add, field, type Options, paged, rename, table, yesOrNo } from './command.ts'
import { CliError } from './errors.ts'
import { fromStandardInput } from './hidden.ts'
import { say } from './output.ts'

const shown = table('customers', {
  customerId: field('customerId'),
  integrationId: field('integrationId'),
  externalId: field('externalId'),
  status: field('verification.status'),
  account: field('bank.account'),
  name: field('bank.name'),
})

export function register(noun: Command): void {
  const link = add(noun, 'link', 'link a customer to a partner', (options) => post('/customers', toFields(options)))
    .requiredOption('--integration <id>', 'the partner that onboarded it')
    .requiredOption('--type <type>', 'RETAIL or ENTERPRISE')
    .requiredOption('--status <status>', 'UNVERIFIED, PENDING, VERIFIED, REJECTED or SUSPENDED')
    .requiredOption('--level <label>', 'verification level, such as TIER_2')
    .requiredOption('--country <code>', 'ISO 3166-1 alpha-2, such as MY')
  details(link)
  const set = add(noun, 'set <id>', 'change what is named, keep the rest', (options, id = '') =>
    post(pathOf('customers', id, 'set'), toFields(options)),
  )
    .option('--type <type>', 'RETAIL or ENTERPRISE')
    .option('--status <status>', 'UNVERIFIED, PENDING, VERIFIED, REJECTED or SUSPENDED')
    .option('--level <label>', 'verification level, such as TIER_2')
    .option('--country <code>', 'ISO 3166-1 alpha-2, such as MY')
    .option('--no-bank', 'remove the bank account')
  details(set)
  add(noun, 'suspend <id>', 'stop all orders of a customer', (_, id = '') => post(pathOf('customers', id, 'suspend')))
  add(
    noun,
    'release-orders <id>',
    'let go what the suspension of a customer has held, 2000 orders at a time',
    (options, id = '') => post(pathOf('customers', id, 'release-orders'), options),
  ).requiredOption('--reason <text>', 'why, for the audit log')
  add(
    noun,
    'find <text>',
    'customers by id, external id, wallet, account number or words of a name; "-" reads that from standard input',
    (_, given = '') => post('/customers/find', { text: given === '-' ? fromStandardInput(given) : given }),
    (result) => {
      shown(result)
      if (result.isByName === false) say('No name was looked for: that takes a word of two letters or more.')
    },
  )
  add(noun, 'export <id>', 'everything that is kept about one customer', (_, id = '') =>
    get(pathOf('customers', id, 'export')),
  )
  add(noun, 'erase <id>', 'erase for ever what the books do not need of a customer', ({ reason }, id = '') =>
    post(pathOf('customers', id, 'erase'), { reason }),
  ).requiredOption('--reason <text>', 'why: who asked for it, and when')
  add(noun, 'show <id>', 'one customer with wallets and bank account', (_, id = '') => get(pathOf('customers', id)))
  paged(
    add(
      noun,
      'list',
      'customers of a partner, oldest first',
      (options) => get('/customers', rename(options, { integration: 'integrationId' })),
      table('customers', {
        customerId: field('customerId'),
        type: field('accountType'),
        status: field('verification.status'),
        level: field('verification.level'),
        country: field('residency.countryCode'),
        resident: field('residency.isResident'),
        remaining: field('limits.monthlyWithdrawalRemaining'),
        createdAt: field('createdAt'),
      }),
    ).requiredOption('--integration <id>', 'the partner'),
  )
}

function details(command: Command): void {
  command
    .option('--resident', 'resides in Malaysia; the default when a customer is linked')
    .option('--non-resident', 'limited to RM 100,000 a mint or redeem')
    .option('--external-id <id>', 'what the partner or the issuer calls it elsewhere')
    .option('--bank-bic <bic>', 'BIC of the bank that redeems are paid to')
    .option('--bank-account <->', 'account number, digits only: "-" reads it from standard input', fromStandardInput)
    .option('--bank-name <name>', 'name of the account holder')
    .option('--monthly-cap <myr>', 'the most that redeems of one UTC month may total')
    .option('--can-mint <yes|no>', 'switch mints on or off', yesOrNo)
    .option('--can-redeem <yes|no>', 'switch redeems on or off', yesOrNo)
    .option('--can-transfer <yes|no>', 'switch transfers on or off', yesOrNo)
}

function toFields({ resident, nonResident, bank, ...options }: Options): Options {
  if (resident === true && nonResident === true) {
    throw new CliError('USAGE', 'Give either --resident or --non-resident, not both.')
  }
  const fields = rename(options, { integration: 'integrationId' })
  if (resident === true || nonResident === true) fields.resident = resident === true
  if (bank === false) fields.removeBank = true
  return fields
}
