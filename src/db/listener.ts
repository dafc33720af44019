/** LISTEN on a connection of its own: who listens to which channel. */
import type pg from 'pg'
import { type DatabaseLogger, DatabaseUnavailableError } from './database.ts'
import { toDatabaseError } from './failures.ts'
import { keepConnection } from './kept-connection.ts'
import { channelName, tellListener } from './notifications.ts'

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
  const { secret, logger } = options
  const listeners = new Map<string, Set<Listener>>()
  let closed = false
  const connection = keepConnection({ ...options, isNeeded: () => listeners.size > 0, prepare: listenToAll })

  async function listenToAll(fresh: pg.Client): Promise<void> {
    fresh.on('notification', ({ channel, payload }) => tell(channel, payload ?? ''))
    for (const channel of listeners.keys()) await fresh.query(`listen ${channel}`)
  }

  function tell(channel: string, payload: string): void {
    for (const onNotify of listeners.get(channel) ?? []) tellListener(onNotify, payload, logger)
  }

  async function forget(channel: string, onNotify: Listener): Promise<void> {
    const those = listeners.get(channel)
    those?.delete(onNotify)
    if (those?.size !== 0) return
    listeners.delete(channel)
    await connection
      .current()
      ?.query(`unlisten ${channel}`)
      .catch(() => {})
  }

  return {
    async listen(channel, onNotify) {
      channelName(channel)
      if (closed) throw new DatabaseUnavailableError('the database is closed')
      listeners.set(channel, (listeners.get(channel) ?? new Set()).add(onNotify))
      try {
        await connection.ensure()
        await connection.current()?.query(`listen ${channel}`)
      } catch (error) {
        await forget(channel, onNotify)
        throw toDatabaseError(error, secret)
      }
      return () => forget(channel, onNotify)
    },
    async close() {
      closed = true
      await connection.close()
    },
  }
}
