/** Guards a folder that only one process may open. The lock of a killed process is recovered automatically. */
import { randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { startOf } from '../process-table.ts'

type Holder = { pid: number; startedAt: string }

/** The folder is open in a living process. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError'
}

/**
 * Takes the lock file `<folder>.lock` and returns the function that releases it.
 * @param called the folder that people know, where the lock stands for it
 * @throws FolderInUseError when a living process (this one included) holds it
 */
export function lockFolder(folder: string, called = folder): () => void {
  const lockPath = `${path.resolve(folder)}.lock`
  mkdirSync(path.dirname(lockPath), { recursive: true })
  const own = JSON.stringify({ pid: process.pid, startedAt: startOf(process.pid) ?? '' } satisfies Holder)
  const candidate = `${lockPath}.${randomUUID()}`
  writeFileSync(candidate, own)
  try {
    while (!tryLink(candidate, lockPath)) removeIfStale(lockPath, called)
  } finally {
    rmSync(candidate)
  }
  return () => {
    if (readIfThere(lockPath) === own) rmSync(lockPath, { force: true })
  }
}

/** Hard-linking a finished file is atomic, so nobody ever sees a lock without its holder. */
function tryLink(candidate: string, lockPath: string): boolean {
  try {
    linkSync(candidate, lockPath)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function removeIfStale(lockPath: string, called: string): void {
  const seen = readIfThere(lockPath)
  if (seen === undefined) return
  const holder = parseHolder(seen)
  if (holder !== undefined && startOf(holder.pid) === holder.startedAt) {
    throw new FolderInUseError(
      `The data folder ${called} is in use by process ${holder.pid}. Stop that process, or choose another folder.`,
    )
  }
  const aside = `${lockPath}.${randomUUID()}`
  try {
    renameSync(lockPath, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  // Another process may have taken the lock between our look and the rename: then we put its lock back.
  if (readIfThere(aside) !== seen) tryLink(aside, lockPath)
  rmSync(aside)
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, startedAt } = JSON.parse(text) as Partial<Holder>
    return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt } : undefined
  } catch {
    return undefined
  }
}
