/**
 * Connections that are not open yet. The files of certificates that DATABASE_URL names are read for each of them, so that renewed ones are used
 * without a restart.
 */
import pg from 'pg'
import { DatabaseUnsuitableError } from './database.ts'

/** What of an address leads to files. */
const NAMES_OF_FILES = ['sslrootcert', 'sslcert', 'sslkey']
/** What else of it is in what was read of them. */
const MODES = ['ssl', 'sslmode', 'uselibpqcompat']

/**
 * Makes a maker of connections. Where a file cannot be read just now, because it is being replaced, the connection is made with what was read last: the
 * pool makes connections in its own callbacks, too, where an error would end the process.
 * @throws DatabaseUnsuitableError where a file cannot be read at first
 */
export function createClientMaker(config: pg.ClientConfig): () => pg.Client {
  let readLast: pg.ClientConfig
  const read = (): pg.Client => {
    const client = new pg.Client(config)
    readLast = withoutFiles(config, client)
    return client
  }
  if (!NAMES_OF_FILES.some((name) => config.connectionString?.includes(name))) return () => new pg.Client(config)
  try {
    read()
  } catch (error) {
    const { code, path } = error as { code?: string; path?: string }
    throw path === undefined
      ? error
      : new DatabaseUnsuitableError(`DATABASE_URL names ${path}, which cannot be read: ${code}.`)
  }
  return () => {
    try {
      return read()
    } catch {
      return new pg.Client(readLast)
    }
  }
}

function withoutFiles({ connectionString = '', ...others }: pg.ClientConfig, made: pg.Client): pg.ClientConfig {
  const url = new URL(connectionString)
  for (const name of [...NAMES_OF_FILES, ...MODES]) url.searchParams.delete(name)
  return { ...others, connectionString: url.href, ssl: made.ssl }
}
