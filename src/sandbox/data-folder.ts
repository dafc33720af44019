/** DATA_DIR: created when it is missing, and checked before anything is started in it. */
import { accessSync, constants, mkdirSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import { readFileError } from '../db/file-errors.ts'
import { StartError } from '../start/start-failure.ts'

/** An empty database and chain take about 60 MB; with less than this, the first hours would fill the disk. */
const NEEDED_BYTES = 200 * 1024 * 1024

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
    fail(readFileError(error)?.why ?? String(error))
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
