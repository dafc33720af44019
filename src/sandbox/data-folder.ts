/** DATA_DIR: created when it is missing, and checked before anything is started in it. */
import { accessSync, constants, mkdirSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import { StartError } from '../start-failure.ts'

/** An empty database and chain take about 60 MB; with less than this, the first hours would fill the disk. */
const NEEDED_BYTES = 200 * 1024 * 1024

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'this user’s share of its disk is used up',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'it is a file',
  ENOENT: 'it cannot be made there',
  ENAMETOOLONG: 'its name is too long',
}

/** Makes the folder, which only its owner may read. @throws StartError when it cannot be made or written to, or its disk is full */
export function makeDataFolder(dataDir: string): void {
  const folder = path.resolve(dataDir)
  const fail = (why: string): never => {
    throw new StartError(`The data folder ${folder} cannot be used: ${why}. Choose another one with DATA_DIR.`)
  }
  try {
    make(folder)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    fail(WORDS[code] ?? `the system says ${code}`)
  }
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < NEEDED_BYTES)
    fail(`its disk has ${Math.floor((bavail * bsize) / 1024 / 1024)} MB left, and a sandbox needs 200 MB`)
}

/**
 * Makes one folder after another, because Node's recursive mkdir never returns on a file system that makes none, such
 * as /proc.
 */
function make(folder: string): void {
  const there = statSync(folder, { throwIfNoEntry: false })
  if (there?.isDirectory() === true) return
  if (there === undefined && path.dirname(folder) !== folder) make(path.dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}
