/** coin overview */
import type { Command } from 'commander'
import { get } from './client.ts'
import { bind } from './command.ts'

export function register(noun: Command): void {
  bind(noun, () => get('/overview'))
}
