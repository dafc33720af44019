/** What shows that processes disagree: each says what it goes by, and Prometheus compares them. */
import { createHash } from 'node:crypto'
import { Gauge, type Registry } from 'prom-client'

/** A chain on which orders are accepted, and that no settler's chains file has, would be missed by nobody: only settlers say whether they settle a chain. */
export function showOffered(registry: Registry, chainIds: () => Iterable<number>): void {
  new Gauge({
    name: 'chain_offered',
    help: '1 for each chain on which this process accepts orders',
    labelNames: ['chain'],
    registers: [registry],
    collect() {
      this.reset()
      for (const chain of chainIds()) this.set({ chain }, 1)
    },
  })
}

/** @param settings names and values. The number follows from the value, so that whoever has another value shows another number */
export function showSettings(registry: Registry, settings: Iterable<readonly [name: string, value: string]>): void {
  const gauge = new Gauge({
    name: 'service_setting',
    help: 'A number that follows from the value of a setting in which processes must agree',
    labelNames: ['setting', 'value'],
    registers: [registry],
  })
  for (const [setting, value] of settings) gauge.set({ setting, value }, numberOf(value))
}

const numberOf = (value: string) => Number.parseInt(createHash('sha256').update(value).digest('hex').slice(0, 12), 16)

/**
 * By the process's clock keys end, payments that a rail accepts are dated and webhooks are signed.
 * @param readNow the database's clock; what it says is of some moment while it is asked
 */
export function showClock(registry: Registry, readNow: () => Promise<Date>, nowMs: () => number = Date.now): void {
  new Gauge({
    name: 'clock_ahead_seconds',
    help: 'How far the clock of this process is ahead of that of the database; below zero where it is behind',
    registers: [registry],
    async collect() {
      const beforeMs = nowMs()
      const there = await readNow().catch(() => undefined)
      if (there === undefined) return
      const [aheadMs, behindMs] = [beforeMs - there.getTime(), there.getTime() - nowMs()]
      this.set((aheadMs > 0 ? aheadMs : Math.min(-behindMs, 0)) / 1_000)
    },
  })
}
