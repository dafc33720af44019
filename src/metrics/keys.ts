/** The gas money of keys as Prometheus reads it. */
import { Gauge, type Registry } from 'prom-client'
import type { KeyGas, KeyMetrics } from '../chain/key-gas.ts'

/** Registers its gauges; `forget` takes back what they show of a chain. */
export function keyMetrics(registry: Registry): KeyMetrics {
  const [labelNames, registers] = [['chain', 'key', 'address'], [registry]]
  const gas = new Gauge({ name: 'key_gas_wei', help: 'Gas money of a key', labelNames, registers })
  const low = new Gauge({
    name: 'key_gas_low',
    help: '1 when a key has less gas money than its dearest use costs',
    labelNames,
    registers,
  })
  const shown = new Map<number, Map<string, Record<string, string | number>>>()
  const labelsOf = (chain: number, { name, address }: Pick<KeyGas, 'name' | 'address'>) => {
    const labels = { chain, key: name, address }
    shown.set(chain, (shown.get(chain) ?? new Map()).set(`${name} ${address}`, labels))
    return labels
  }
  return {
    gas: (chain, key, wei) => gas.set(labelsOf(chain, key), Number(wei)),
    isLow: (chain, key, isLow) => low.set(labelsOf(chain, key), isLow ? 1 : 0),
    forget(chain) {
      for (const labels of shown.get(chain)?.values() ?? []) for (const gauge of [gas, low]) gauge.remove(labels)
      shown.delete(chain)
    },
  }
}
