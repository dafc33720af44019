/** Standard output for log lines. */
import { fstatSync } from 'node:fs'
import { type DestinationStream, pino } from 'pino'

const STANDARD_OUTPUT = 1

/**
 * Opens standard output: lines of one turn of the event loop are written together at its end. A file takes them at once; a pipe or a terminal
 * may have a reader that has stopped reading, for whom nobody here waits, so another thread writes to it. What is held when the process ends in any
 * way but by a signal that it cannot hear is still written.
 */
export function openLogOutput(): DestinationStream & { flushSync(): void } {
  const output = pino.destination({ dest: STANDARD_OUTPUT, sync: fstatSync(STANDARD_OUTPUT).isFile() })
  let held = ''
  const release = (): void => {
    const lines = held
    held = ''
    if (lines !== '') output.write(lines)
  }
  const flushSync = (): void => {
    release()
    output.flushSync()
  }
  process.on('exit', flushSync)
  return {
    write(line) {
      if (held === '') setImmediate(release)
      held += line
    },
    flushSync,
  }
}
