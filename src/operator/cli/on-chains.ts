/** Results of commands that act on several chains. */
import type { Result } from './client.ts'
import { fields } from './command.ts'
import { printTable, type Row } from './output.ts'

/** Returns the result, and sets the exit code to 1 when the action failed on a chain. */
export function whetherAllWorked(result: Result): Result {
  if (result.ok !== true) process.exitCode = 1
  return result
}

/** Prints one line for each chain. */
export function printChains(result: Result): void {
  printTable(result.chains as Row[], fields('chainId', 'ok', 'txHash', 'error'))
}
