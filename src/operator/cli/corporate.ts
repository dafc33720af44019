/** coin corporate … */
import type { Command } from 'commander'
import { get, pathOf, post } from './client.ts'
import { add, field, paged, rename, table, yesOrNo } from './command.ts'

const DETAILS = [
  ['--name <name>', 'company name'],
  ['--status <status>', 'UNVERIFIED, PENDING, VERIFIED, REJECTED or SUSPENDED'],
  ['--stage <label>', 'verification stage, such as COMPLETE'],
  ['--country <code>', 'jurisdiction, ISO 3166-1 alpha-2'],
  ['--industry <text>', 'what it does'],
] as const

export function register(noun: Command): void {
  const link = add(noun, 'link', 'link a company to a partner', (options) =>
    post('/corporates', rename(options, { integration: 'integrationId' })),
  ).requiredOption('--integration <id>', 'the partner that onboarded it')
  const set = add(noun, 'set <id>', 'change what is named, keep the rest', (options, id = '') =>
    post(pathOf('corporates', id, 'set'), options),
  )
  for (const [flags, about] of DETAILS) {
    link.requiredOption(flags, about)
    set.option(flags, about)
  }
  for (const command of [link, set]) {
    command
      .option('--can-mint <yes|no>', 'switch mints on or off', yesOrNo)
      .option('--can-redeem <yes|no>', 'switch redeems on or off', yesOrNo)
      .option('--can-payroll <yes|no>', 'switch payroll on or off', yesOrNo)
  }
  add(noun, 'show <id>', 'one company', (_, id = '') => get(pathOf('corporates', id)))
  paged(
    add(
      noun,
      'list',
      'companies of a partner, oldest first',
      (options) => get('/corporates', rename(options, { integration: 'integrationId' })),
      table('corporates', {
        corporateId: field('corporateId'),
        status: field('verification.status'),
        stage: field('verification.stage'),
        country: field('jurisdiction.countryCode'),
        industry: field('industry'),
        companyName: field('companyName'),
      }),
    ).requiredOption('--integration <id>', 'the partner'),
  )
}
