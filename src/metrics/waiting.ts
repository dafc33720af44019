/** Gauges of one number of seconds: how long what should take a moment has waited, how long something is still good for. */
import { Gauge, type Registry } from 'prom-client'

export const SECONDS = {
  auditUnsealed: {
    name: 'audit_oldest_unsealed_seconds',
    help: 'How long the oldest line of the audit log has waited for its seal',
  },
  eventsHeldBack: {
    name: 'events_held_back_seconds',
    help: 'How long the same transaction has kept newer events from whoever reads them',
  },
  filesWaiting: {
    name: 'payment_files_waiting_seconds',
    help: 'How long the oldest payment waits that was accepted and is in no file that was put out',
  },
  bankFilesLeft: {
    name: 'bank_files_left_seconds',
    help: 'How long the oldest file waits that the bank has sent and that could not be taken in',
  },
  calendarCovers: {
    name: 'bank_calendar_covers_seconds',
    help: 'How long the calendar of banks still covers, below zero once its last day is over',
  },
} as const

/** Registers it; it stays as it was where nothing says it. */
export function showSeconds(
  registry: Registry,
  named: Readonly<Record<'name' | 'help', string>>,
  readSeconds: () => Promise<number>,
): void {
  new Gauge({
    ...named,
    registers: [registry],
    async collect() {
      const seconds = await readSeconds().catch(() => undefined)
      if (seconds !== undefined) this.set(seconds)
    },
  })
}
