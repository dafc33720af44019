/** Standard output for log lines. */
import { fstatSync } from 'node:fs'
import { type DestinationStream, pino } from 'pino'

const STANDARD_OUTPUT = 1
/** How long the end of the process waits for a write that is under way, lest its last lines tear it. */
const LAST_WRITE_MS = 100
const MOST_HELD_BYTES = 32 * 1024 * 1024

/** What every line says of the process. */
export const LOG_BASE = { service: 'stablecoin-partner-api', pid: process.pid } as const

let unwrittenSince: number | undefined

/** How long lines have waited for whoever reads standard output, or for the disk of its file; 0 while none waits. */
export function secondsUnwritten(): number {
  return unwrittenSince === undefined ? 0 : (performance.now() - unwrittenSince) / 1_000
}

export type LogOutput = DestinationStream & {
  flushSync(): void
  /** Calls back once everything is written. While another thread still writes, the end of the process would tear a line. */
  flush(written: () => void): void
}

/**
 * Opens standard output: lines of one turn of the event loop are written together at its end. A file takes them at once; a pipe or a terminal
 * may have a reader that has stopped reading, for whom nobody here waits, so another thread writes to it. What is held when the process ends in any
 * way but by a signal that it cannot hear is still written. Where it cannot be written, because a disk is full, it is tried again with the next
 * lines; the process goes on meanwhile, and ends without it.
 * @param options.maxBytes how much is held for a reader that does not read, or a disk; what comes then is lost, and a line says how much that was
 */
export function openLogOutput({ maxBytes = MOST_HELD_BYTES } = {}): LogOutput {
  const sync = fstatSync(STANDARD_OUTPUT).isFile()
  const output = pino.destination({ dest: STANDARD_OUTPUT, sync, maxLength: maxBytes })
  letGoOn(output)
  let held = ''
  let lostLines = 0
  let isLost = false
  let isWriting = false
  output.on('drop', () => {
    isLost = true
  })
  output.on('drain', () => {
    isWriting = false
    unwrittenSince = undefined
  })
  const release = (): void => {
    const lines = held
    held = ''
    if (lines === '') return
    isLost = false
    isWriting = true
    unwrittenSince ??= performance.now()
    output.write(lostLines > 0 ? noticeOf(lostLines) + lines : lines)
    lostLines = isLost ? lostLines + lines.split('\n').length - 1 : 0
  }
  const flushSync = (): void => {
    release()
    output.flushSync()
  }
  process.on('exit', () => {
    release()
    // What the other thread writes cannot be waited for without an event loop; a reader that reads has it long before this is over.
    if (!sync && isWriting) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_WRITE_MS)
    output.flushSync()
  })
  return {
    write(line) {
      if (held === '') setImmediate(release)
      held += line
    },
    flushSync,
    flush(written) {
      release()
      if (sync || !isWriting) written()
      else output.once('drain', written)
    },
  }
}

/**
 * An error of the output ends nothing. Flushing waits until everything is written, which it is not to do for a disk that is full. Pino's own
 * listener goes: once a pipe has lost its reader it writes nothing ever again, also to the next reader of a named one.
 */
function letGoOn(output: ReturnType<typeof pino.destination>): void {
  let isFailing = false
  output.removeAllListeners('error')
  output.on('error', () => {
    isFailing = true
  })
  output.on('write', () => {
    isFailing = false
  })
  const flushSync = output.flushSync.bind(output)
  output.flushSync = () => {
    if (!isFailing) flushSync()
  }
}

function noticeOf(lostLines: number): string {
  const time = new Date().toISOString()
  const msg = 'log lines were lost: whoever reads standard output was too slow'
  return `${JSON.stringify({ level: 'warn', time, ...LOG_BASE, lostLines, msg })}\n`
}
