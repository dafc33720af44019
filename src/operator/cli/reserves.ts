/** coin reserves … */
import type { Command } from 'commander'
import { get } from './client.ts'
import { add } from './command.ts'

export function register(noun: Command): void {
  add(noun, 'report', 'what the ringgit at the bank covers, part by part', (options) =>
    get('/reserves', options),
  ).option('--as-of <instant>', 'as of an instant, such as 2026-11-20T16:00:00Z')
}
