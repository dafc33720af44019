/** coin operator … */
import type { Command } from 'commander'
import { get, pathOf, post } from './client.ts'
import { add, fields, table } from './command.ts'

export function register(noun: Command): void {
  add(noun, 'add', 'let a person in; their token is shown this once', (options) => post('/operators', options))
    .requiredOption('--name <name>', 'what the audit log calls them; theirs for ever')
    .requiredOption('--role <role>', 'viewer, support, onboarding, treasury, compliance or admin')
  add(
    noun,
    'list',
    'everybody who is or was let in',
    () => get('/operators'),
    table('operators', fields('operatorId', 'name', 'role', 'createdAt', 'signedInAt', 'disabledAt')),
  )
  add(noun, 'disable <id>', "end a person's token at once", (_, id = '') => post(pathOf('operators', id, 'disable')))
  add(
    noun,
    'sign-out <id>',
    'end every browser and every token for commands of a person, your own or as an admin of another; their own token stays',
    (_, id = '') => post(pathOf('operators', id, 'sign-out')),
  )
  add(noun, 'rotate <id>', 'replace a token, your own or as an admin another; shown this once', (_, id = '') =>
    post(pathOf('operators', id, 'rotate')),
  )
}
