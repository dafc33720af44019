/** The connection for notifications: one of its own to PostgreSQL, opened again whenever it breaks. */
import type pg from 'pg'
import type { DatabaseLogger } from './database.ts'
import { toDatabaseError } from './failures.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000
/** A connection that was cut silently is only noticed by using it. */
const HEARTBEAT_MS = 15_000

export type KeptConnection = {
  /** The connection while it stands. */
  current(): pg.Client | undefined
  /** Opens it unless it stands. @throws DatabaseUnavailableError, and what the server refuses */
  ensure(): Promise<void>
  /** Ends it for good. */
  close(): Promise<void>
}

type Options = {
  makeClient: () => pg.Client
  /** Done on every new connection before it counts as standing. */
  prepare: (fresh: pg.Client) => Promise<void>
  /** Whether one that broke is to be opened again. */
  isNeeded: () => boolean
  /** Cut out of every message. */
  secret: string
  logger: DatabaseLogger | undefined
}

/** Nothing is connected until the first `ensure`. */
export function keepConnection({ makeClient, prepare, isNeeded, secret, logger }: Options): KeptConnection {
  let client: pg.Client | undefined
  let connecting: Promise<void> | undefined
  let pauseMs = FIRST_PAUSE_MS
  let retryTimer: NodeJS.Timeout | undefined
  let closed = false

  async function connect(): Promise<void> {
    const fresh = await opened(makeClient(), { prepare, secret, lost })
    if (closed) return void (await fresh.end())
    client = fresh
    pauseMs = FIRST_PAUSE_MS
    keepUsing(fresh, { isCurrent: () => fresh === client, lost })
  }

  function ensure(): Promise<void> {
    if (client !== undefined) return Promise.resolve()
    connecting ??= connect().finally(() => {
      connecting = undefined
    })
    return connecting
  }

  function lost(which: pg.Client, error: Error): void {
    if (which !== client) return
    client = undefined
    which.end().catch(() => {})
    if (closed) return
    logger?.warn({ reason: toDatabaseError(error, secret).message }, 'connection for notifications lost')
    reconnectLater()
  }

  function reconnectLater(): void {
    // It may have been opened meanwhile, and lost again.
    clearTimeout(retryTimer)
    retryTimer = setTimeout(() => {
      if (closed || !isNeeded()) return
      ensure().then(
        () => logger?.info({}, 'connection for notifications is back'),
        () => reconnectLater(),
      )
    }, pauseMs)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }

  return {
    current: () => client,
    ensure,
    async close() {
      closed = true
      clearTimeout(retryTimer)
      await connecting?.catch(() => {})
      const last = client
      client = undefined
      await last?.end()
    },
  }
}

type Lost = (which: pg.Client, error: Error) => void

async function opened(
  fresh: pg.Client,
  { prepare, secret, lost }: Pick<Options, 'prepare' | 'secret'> & { lost: Lost },
): Promise<pg.Client> {
  fresh.on('error', (error) => lost(fresh, error))
  fresh.on('end', () => lost(fresh, new Error('the connection ended')))
  try {
    await fresh.connect()
    await prepare(fresh)
    return fresh
  } catch (error) {
    fresh.removeAllListeners('end')
    fresh.end().catch(() => {})
    throw toDatabaseError(error, secret)
  }
}

/** Asks it something again and again, as long as it is the one that stands. */
function keepUsing(client: pg.Client, { isCurrent, lost }: { isCurrent: () => boolean; lost: Lost }): void {
  const beat = () => {
    if (!isCurrent()) return
    client.query('select 1').then(
      () => keepUsing(client, { isCurrent, lost }),
      (error: Error) => lost(client, error),
    )
  }
  setTimeout(beat, HEARTBEAT_MS).unref()
}
