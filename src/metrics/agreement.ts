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
