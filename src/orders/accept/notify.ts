import type { Queryable } from '../../db/database.ts'

/** Channels that wake a loop in another process. */
export type WakeChannel = 'orders_accepted' | 'deliveries_due'

export type Notifier = {
  /** Sends the notification soon, after the caller's commit; equal ones that are asked for meanwhile become one. */
  notify(channel: WakeChannel, payload: string): void
}

const NOTIFY = 'select pg_notify($1, $2)'

/**
 * Sends notifications beside the statements that cause them, at most one of each kind at a time. PostgreSQL makes
 * commits that notify wait for one another, so a notification inside of every accepting statement would allow only
 * one commit at a time. One that is lost costs a poll interval, nothing else: whoever listens also polls.
 */
export function createNotifier(db: Queryable): Notifier {
  const sending = new Map<string, { again: boolean }>()

  async function send(channel: WakeChannel, payload: string, name: string, state: { again: boolean }): Promise<void> {
    try {
      do {
        state.again = false
        await db.query(NOTIFY, [channel, payload])
      } while (state.again)
    } catch {
      // A notification that cannot be sent is a lost one.
    } finally {
      sending.delete(name)
    }
  }

  return {
    notify(channel, payload) {
      const name = `${channel} ${payload}`
      const underWay = sending.get(name)
      if (underWay !== undefined) {
        underWay.again = true
        return
      }
      const state = { again: false }
      sending.set(name, state)
      void send(channel, payload, name, state)
    },
  }
}
