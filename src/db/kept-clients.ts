/**
 * Clients of a pool that are kept between statements. Taking one from the pool and giving it back costs this process as much as a
 * short statement: promises, timers, listeners.
 */
import type pg from 'pg'

export type KeptClients = {
  /** A client that nobody uses, if one is kept; whoever takes it gives it back. */
  take(): pg.PoolClient | undefined
  /** Keeps a client, or releases it where somebody waits for the pool. @param broken whether it must not be used again */
  give(client: pg.PoolClient, broken: boolean): void
  /** Releases what was not taken since the last call. */
  tick(): void
  /** Releases all of them, now and from now on. */
  close(): void
}

/**
 * @param onLoss called when a connection that is kept was lost
 */
export function keepClients(pool: pg.Pool, onLoss: (error: Error) => void): KeptClients {
  let kept: pg.PoolClient[] = []
  /** The fewest that were kept since the last tick: nobody needed them. */
  let unused = 0
  let closed = false
  const lost = new WeakSet<object>()

  pool.on('connect', (client) => {
    // A connection in use also reports its loss to its statement; without a listener the event would end the process.
    client.on('error', (error) => {
      lost.add(client)
      if (!kept.includes(client as pg.PoolClient)) return
      kept = kept.filter((other) => other !== client)
      unused = Math.min(unused, kept.length)
      onLoss(error)
      ;(client as pg.PoolClient).release(true)
    })
  })

  return {
    take() {
      const client = kept.pop()
      unused = Math.min(unused, kept.length)
      return client
    },
    give(client, broken) {
      if (broken || lost.has(client)) client.release(true)
      else if (closed || pool.waitingCount > 0) client.release()
      else kept.push(client)
    },
    tick() {
      for (const client of kept.splice(0, unused)) client.release()
      unused = kept.length
    },
    close() {
      closed = true
      for (const client of kept.splice(0)) client.release()
    },
  }
}
