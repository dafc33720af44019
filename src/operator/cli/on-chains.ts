/** Results of commands that act on several chains. */
import type { Result } from './client.ts'
import { fields } from './command.ts'
import { printTable, type Row } from './output.ts'

/** All was done that the process could do; it cannot reach every chain. */
const DONE_HERE = 4

/**
 * Returns the result, and sets the exit code: 1 when the action failed on a chain, 4 when the only chains that lack it are those that the process's chains
 * file does not name. To try again helps against the first alone.
 */
export function whetherAllWorked(result: Result): Result {
  if (result.ok === true) return result
  const failed = (result.chains as { ok: boolean; isConfigured?: boolean }[]).filter(({ ok }) => !ok)
  process.exitCode = failed.length > 0 && failed.every((each) => each.isConfigured === false) ? DONE_HERE : 1
  return result
}

/** Prints one line for each chain. */
export function printChains(result: Result): void {
  printTable(result.chains as Row[], fields('chainId', 'ok', 'txHash', 'error'))
}
