/** coin approval … */
import type { Command } from 'commander'
import { get, pathOf, post } from './client.ts'
import { add, fields, paged, table } from './command.ts'

export function register(noun: Command): void {
  paged(
    add(
      noun,
      'list',
      'what waits for a second person, or did, newest first',
      (options) => get('/approvals', options),
      table('approvals', fields('approvalId', 'command', 'target', 'requestedBy', 'status', 'expiresAt')),
    ).option('--status <status>', 'waiting, approved, rejected, withdrawn, used or void'),
  )
  add(noun, 'show <id>', 'exactly what was asked for, and what became of it', (_, id = '') =>
    get(pathOf('approvals', id)),
  )
  add(noun, 'approve <id>', 'let who asked run exactly that, once', (_, id = '') =>
    post(pathOf('approvals', id, 'approve')),
  )
  add(noun, 'reject <id>', 'refuse it; or take back what you asked for or approved', (options, id = '') =>
    post(pathOf('approvals', id, 'reject'), options),
  ).requiredOption('--reason <text>', 'why')
}
