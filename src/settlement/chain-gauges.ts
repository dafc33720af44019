/** Gauges of what a settler knows of a chain, which it can take back: who stops settling knows nothing of it any more. */
import { Gauge, type Registry } from 'prom-client'

export type ChainGauge = {
  /** @param label the value of its second label, where it has one */
  set(chain: number, value: number, label?: string): void
  /** Takes back what it shows of a chain. */
  forget(chain: number): void
}

/** Makes gauges labelled by chain; `forget` takes back what any of them shows of one. */
export function createChainGauges(registry: Registry): {
  gauge(name: string, help: string, second?: string): ChainGauge
  forget(chain: number): void
} {
  const all: ChainGauge[] = []
  return {
    gauge(name, help, second) {
      const labelNames = second === undefined ? ['chain'] : ['chain', second]
      const gauge = new Gauge({ name: `settlement_${name}`, help, labelNames, registers: [registry] })
      const shown = new Map<number, Set<string | undefined>>()
      const labels = (chain: number, label: string | undefined) =>
        second === undefined ? { chain } : { chain, [second]: label ?? '' }
      const one: ChainGauge = {
        set(chain, value, label) {
          gauge.set(labels(chain, label), value)
          const known = shown.get(chain) ?? new Set()
          shown.set(chain, known.add(label))
        },
        forget(chain) {
          for (const label of shown.get(chain) ?? []) gauge.remove(labels(chain, label))
          shown.delete(chain)
        },
      }
      all.push(one)
      return one
    },
    forget(chain) {
      for (const each of all) each.forget(chain)
    },
  }
}
