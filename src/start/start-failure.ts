/** Why the service could not start, in words that say what to do. */
import { createServer } from 'node:net'
import { ConfigError } from '../config.ts'
import { DatabaseUnavailableError, DatabaseUnsuitableError } from '../db/database.ts'
import { readFileError } from '../db/file-errors.ts'
import { FolderInUseError } from '../db/folder-lock.ts'
import { MigrationError } from '../db/migrate.ts'

/** A start that failed for a reason that the message states in plain words. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

const PLAIN = [ConfigError, StartError, DatabaseUnsuitableError, FolderInUseError, MigrationError]

const DISK_FULL = '(SQLSTATE 53100)'
const READ_ONLY = '(SQLSTATE 25006)'

/** The text for the terminal: a sentence for what users can mend, the whole error for what they can't. */
export function describeStartFailure(error: unknown): string {
  if (PLAIN.some((kind) => error instanceof kind)) return (error as Error).message
  const trouble = readFileError(error)
  if (trouble !== undefined) return `${trouble.file ?? 'The data folder'} cannot be used: ${trouble.why}.`
  if (error instanceof DatabaseUnavailableError) {
    if (error.message.includes(DISK_FULL)) return `The disk of the database is full: ${error.message}.`
    if (error.message.includes(READ_ONLY))
      return `The database lets nobody write: ${error.message}. Does DATABASE_URL lead to a standby that was not promoted?`
    return `The database cannot be reached: ${error.message}. Check DATABASE_URL and that the server runs.`
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** No address, or none of this machine. */
const NOT_OURS: ReadonlySet<string | undefined> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'])

type Listening = {
  host: string
  port: number
  /** The environment variable that names the port. */
  setting: 'PORT' | 'OPERATOR_PORT'
}

/**
 * Runs a `listen` and says which setting to change when the port is taken, or the host is not this machine's.
 * @throws StartError
 */
export async function listenOn(listen: () => Promise<unknown>, { host, port, setting }: Listening): Promise<void> {
  try {
    await listen()
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EADDRINUSE') throw new StartError(`Port ${port} is taken. Choose another one with ${setting}.`)
    if (code === 'EACCES')
      throw new StartError(`This user may not open port ${port}. Choose another one with ${setting}.`)
    if (NOT_OURS.has(code))
      throw new StartError(
        `${setting.replace('PORT', 'HOST')} is ${host}, which is no address of this machine. Set it to one; 127.0.0.1 always is.`,
      )
    throw error
  }
}

/**
 * Finds out whether a port can be opened, before anything slower begins.
 * @throws StartError
 */
export async function checkPort(listening: Listening): Promise<void> {
  const { host, port } = listening
  const server = createServer()
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, exclusive: true }, resolve)
    })
  await listenOn(listen, listening)
  await new Promise((resolve) => server.close(resolve))
}
