/** coin overview */
import type { Command } from 'commander'
import { get } from './client.ts'
import { bind } from './command.ts'
import { printFields, type Row } from './output.ts'

/** The service counts no further what waits for a person. */
const MOST_COUNTED = 1_000

export function register(noun: Command): void {
  bind(
    noun,
    () => get('/overview'),
    (result) => printFields({ ...result, alarms: counted(result.alarms as Row) }),
  )
}

function counted(alarms: Row): Row {
  const shown = Object.entries(alarms).map(([name, many]) => [name, Number(many) < MOST_COUNTED ? many : `${many}+`])
  return Object.fromEntries(shown)
}
