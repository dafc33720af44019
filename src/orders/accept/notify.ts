/** Tells other processes that there is work for them. */
import { setTimeout as pause } from 'node:timers/promises'
import type { DELIVERIES_DUE, ORDERS_ACCEPTED } from '../../db/channels.ts'
import type { Queryable } from '../../db/database.ts'

/** Channels that wake a loop in another process. */
export type WakeChannel = typeof ORDERS_ACCEPTED | typeof DELIVERIES_DUE

export type Notifier = {
  /** Sends the notification soon; equal ones requested meanwhile are merged. Call it after the commit. */
  notify(channel: WakeChannel, payload: string): void
}

/**
 * The pause between two equal notifications: under load they would otherwise cost as much as the orders they announce.
 */
const GAP_MS = 20

const NOTIFY = 'select pg_notify($1, $2)'

/**
 * Sends notifications beside the statements that cause them, at most one of each kind at a time. PostgreSQL makes
 * commits that notify wait for one another, so a notification inside every accepting statement would allow only one
 * commit at a time. The first is sent at once, equal ones that follow it a few milliseconds later. A lost one costs a
 * poll interval and nothing else, because every listener also polls.
 */
export function createNotifier(db: Queryable): Notifier {
  const sending = new Map<string, { again: boolean }>()

  async function send(channel: WakeChannel, payload: string, name: string, state: { again: boolean }): Promise<void> {
    try {
      do {
        state.again = false
        await db.query(NOTIFY, [channel, payload])
        await pause(GAP_MS, undefined, { ref: false })
      } while (state.again)
    } catch {
      // A notification that cannot be sent is simply lost.
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
