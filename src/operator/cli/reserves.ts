/** coin reserves … */
import type { Command } from 'commander'
import { get } from './client.ts'
import { add } from './command.ts'

export function register(noun: Command): void {
  add(noun, 'report', 'what the ringgit at the bank covers, part by part', () => get('/reserves'))
}
