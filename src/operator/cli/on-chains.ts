/** Results of commands that act on several chains. */
import type { Result } from './client.ts'
import { fields } from './command.ts'
import { printTable, type Row } from './output.ts'

/** The result, after the exit code was set to 1 when a chain did not do it. */
export function whetherAllWorked(result: Result): Result {
  if (result.ok !== true) process.exitCode = 1
  return result
}

/** One line a chain. */
export function printChains(result: Result): void {
  printTable(result.chains as Row[], fields('chainId', 'ok', 'txHash', 'error'))
}
