/** LISTEN on a connection of its own that is opened again whenever it breaks. */
import type pg from 'pg'
import { channelName } from './channel.ts'
import { type DatabaseLogger, DatabaseUnavailableError } from './database.ts'
import { toDatabaseError } from './failures.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000
/** A connection that was cut silently is only noticed by using it. */
const HEARTBEAT_MS = 15_000

type Listener = (payload: string) => void

export type NotificationHub = {
  listen(channel: string, onNotify: Listener): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** Nothing is connected until the first `listen`. `secret` is cut out of every message. */
export function createNotificationHub(options: {
  makeClient: () => pg.Client
  secret: string
  logger: DatabaseLogger | undefined
}): NotificationHub {
  const { makeClient, secret, logger } = options
  const listeners = new Map<string, Set<Listener>>()
  let client: pg.Client | undefined
  let connecting: Promise<void> | undefined
  let pauseMs = FIRST_PAUSE_MS
  let retryTimer: NodeJS.Timeout | undefined
  let closed = false

  async function connect(): Promise<void> {
    const fresh = makeClient()
    fresh.on('error', (error) => lost(fresh, error))
    fresh.on('end', () => lost(fresh, new Error('the connection ended')))
    fresh.on('notification', ({ channel, payload }) => tell(channel, payload ?? ''))
    try {
      await fresh.connect()
      for (const channel of listeners.keys()) await fresh.query(`listen ${channel}`)
    } catch (error) {
      fresh.removeAllListeners('end')
      fresh.end().catch(() => {})
      throw toDatabaseError(error, secret)
    }
    if (closed) return void (await fresh.end())
    client = fresh
    pauseMs = FIRST_PAUSE_MS
    beat(fresh)
  }

  function ensureConnected(): Promise<void> {
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
    retryTimer = setTimeout(() => {
      if (closed || listeners.size === 0) return
      ensureConnected().then(
        () => logger?.info({}, 'connection for notifications is back'),
        () => reconnectLater(),
      )
    }, pauseMs)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }

  function beat(on: pg.Client): void {
    const timer = setTimeout(() => {
      if (on !== client) return
      on.query('select 1').then(
        () => beat(on),
        (error: Error) => lost(on, error),
      )
    }, HEARTBEAT_MS)
    timer.unref()
  }

  function tell(channel: string, payload: string): void {
    for (const onNotify of listeners.get(channel) ?? []) {
      try {
        onNotify(payload)
      } catch (error) {
        logger?.warn({ err: error }, 'a listener for notifications failed')
      }
    }
  }

  async function forget(channel: string, onNotify: Listener): Promise<void> {
    const those = listeners.get(channel)
    those?.delete(onNotify)
    if (those?.size !== 0) return
    listeners.delete(channel)
    await client?.query(`unlisten ${channel}`).catch(() => {})
  }

  return {
    async listen(channel, onNotify) {
      channelName(channel)
      if (closed) throw new DatabaseUnavailableError('the database is closed')
      listeners.set(channel, (listeners.get(channel) ?? new Set()).add(onNotify))
      try {
        await ensureConnected()
        await client?.query(`listen ${channel}`)
      } catch (error) {
        await forget(channel, onNotify)
        throw toDatabaseError(error, secret)
      }
      return () => forget(channel, onNotify)
    },
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
