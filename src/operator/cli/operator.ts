/** coin operator … */
import type { Command } from 'commander'
import { get, pathOf, post } from './client.ts'
import { add, fields, table } from './command.ts'

export function register(noun: Command): void {
  add(noun, 'add', 'let a person in; their token is shown this once', (options) => post('/operators', options))
    .requiredOption('--name <name>', 'their name in the audit log; nobody else ever gets it')
    .requiredOption('--role <role>', 'viewer, support, onboarding, treasury, compliance or admin')
  add(
    noun,
    'list',
    'everybody who has or had access',
    () => get('/operators'),
    table('operators', fields('operatorId', 'name', 'role', 'createdAt', 'signedInAt', 'disabledAt')),
  )
  add(noun, 'disable <id>', "end a person's token at once", (_, id = '') => post(pathOf('operators', id, 'disable')))
  add(
    noun,
    'sign-out <id>',
    "end all console sessions and tokens for commands, yours or as an admin another person's; a token of one's own stays",
    (_, id = '') => post(pathOf('operators', id, 'sign-out')),
  )
  add(noun, 'rotate <id>', "replace your own token, or as an admin another person's; shown this once", (_, id = '') =>
    post(pathOf('operators', id, 'rotate')),
  )
}
