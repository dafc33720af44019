/** coin reserves … */
import type { Command } from 'commander'
import { get } from './client.ts'
import { add } from './command.ts'

export function register(noun: Command): void {
  add(noun, 'report', 'what the ringgit at the bank covers, part by part', (options) =>
    get('/reserves', options),
  ).option(
    '--as-of <day>',
    'at the end of a day of the books, such as 2026-11-20, or at an instant, such as 2026-11-20T04:00:00Z',
  )
  add(
    noun,
    'proof',
    'the proof of reserves that was signed last on a day; --json gives what can be verified',
    (options) => get('/reserves/proof', options),
  ).requiredOption('--day <day>', 'a day in the time zone of the books, such as 2026-12-31')
}
