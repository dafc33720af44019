/**
 * A second copy of the chain's state. Anvil writes its state file in place: when it is killed in the middle (say, with
 * its container), it leaves half a file, which it refuses at the next start. The copy is at most some seconds older,
 * and the settler sends again what is missing in it.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs'
import type { Logger } from 'pino'
import { createWorkLoop, type WorkLoop } from '../../work-loop.ts'

const COPY_EVERY_MS = 5_000
/** How a complete state file ends. */
const ENDING = '"historical_states":null}'

/** Replaces a state file that anvil could not load with its copy. Does nothing when there is no copy. */
export function recoverState(stateFile: string, logger: Logger): void {
  if (!existsSync(stateFile) || isJson(stateFile) || !existsSync(copyOf(stateFile))) return
  copyFileSync(copyOf(stateFile), stateFile)
  logger.warn('the local chain was killed while it wrote its state; it continues from a copy some seconds older')
}

/** Makes the loop that copies the state file whenever it is complete. */
export function createStateCopier(stateFile: string, logger: Logger): WorkLoop {
  let copiedMs = 0
  return createWorkLoop({
    name: 'sandbox chain state',
    logger,
    pollMs: COPY_EVERY_MS,
    async work() {
      const changedMs = statSync(stateFile, { throwIfNoEntry: false })?.mtimeMs
      if (changedMs === undefined || changedMs === copiedMs) return false
      const aside = `${copyOf(stateFile)}.new`
      copyFileSync(stateFile, aside)
      if (!isComplete(aside)) return false
      renameSync(aside, copyOf(stateFile))
      copiedMs = changedMs
      return false
    },
  })
}

function copyOf(stateFile: string): string {
  return `${stateFile}.copy`
}

function isJson(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'))
    return true
  } catch {
    return false
  }
}

/** Looks only at the end: the file can be large, and this runs while the service works. */
function isComplete(file: string): boolean {
  const descriptor = openSync(file, 'r')
  try {
    const { size } = fstatSync(descriptor)
    const tail = Buffer.alloc(Math.min(size, ENDING.length))
    readSync(descriptor, tail, 0, tail.length, size - tail.length)
    return tail.toString('utf8') === ENDING
  } finally {
    closeSync(descriptor)
  }
}
