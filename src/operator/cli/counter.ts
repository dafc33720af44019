/** coin counter … */
import type { Command } from 'commander'
import { post } from './client.ts'
import { add } from './command.ts'

export function register(noun: Command): void {
  add(
    noun,
    'recount <kind> <subject>',
    'set a counter that reconcile names to what its orders come to',
    (options, kind = '', subject = '') => post('/counters/recount', { ...options, kind, subject }),
  ).requiredOption('--reason <text>', 'why, for the audit log')
}
