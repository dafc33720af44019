/** An empty key is seen before it is needed: counted, told once, shown by the probes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { waitFor } from '../../test/support/wait-for.ts'
import type { KeyGas } from '../chain/key-gas.ts'
import { createKeyWatch } from './key-watch.ts'

const ADDRESS = `0x${'1'.repeat(40)}` as const
const SHORT = "it has 0.000000000000000005, needs 1 of the chain's own coin: send 0.999999999999999995 or more"
const key = (name: KeyGas['name'], balanceWei: bigint, isLow: boolean): KeyGas => {
  return { name, address: ADDRESS, balanceWei, neededWei: 10n ** 18n, isLow }
}

test('each key is counted, what is low is told once, and a chain that cannot be read keeps what was seen', async () => {
  let keys = [key('pauser', 5n, true), key('signer', 9n, false)]
  let [looks, isReadable] = [0, true]
  const lines: { level: number; keys: string[] }[] = []
  const gauges = new Map<string, string>()
  const keyGas = async () => {
    looks += 1
    if (!isReadable) throw new Error('no node answers')
    return keys
  }
  let isLost = false
  let forgotten = 0
  const watch = createKeyWatch({
    chains: [
      { config: { chainId: 1 }, admin: { keyGas } },
      { config: { chainId: 2 }, admin: { keyGas: () => Promise.reject(new Error('away')) } },
    ],
    logger: pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    metrics: {
      gas: (chain, { name }, wei) => void gauges.set(`gas ${chain} ${name}`, String(wei)),
      isLow: (chain, { name }, low) => void gauges.set(`low ${chain} ${name}`, String(low)),
      forget(chain) {
        forgotten += 1
        gauges.set(`forgotten ${chain}`, 'yes')
      },
    },
    isLost: (chainId) => isLost && chainId === 1,
    pollMs: 1,
  })
  const look = async (times: number) => {
    const before = looks
    await waitFor('looks', () => looks > before + times)
  }
  watch.start()
  try {
    await look(3)
    assert.deepEqual(watch.lowKeys(1), ['pauser'])
    assert.deepEqual(watch.lowKeys(2), [])
    assert.deepEqual(
      lines.map(({ level, keys: told }) => [level, told]),
      [[50, [`pauser ${ADDRESS}: ${SHORT}`]]],
    )
    assert.deepEqual(Object.fromEntries(gauges), {
      'gas 1 pauser': '5',
      'low 1 pauser': 'true',
      'gas 1 signer': '9',
      'low 1 signer': 'false',
    })
    isReadable = false
    await look(2)
    assert.deepEqual(watch.lowKeys(1), ['pauser'])
    ;[isReadable, keys] = [true, [key('pauser', 50n, false)]]
    await look(2)
    assert.deepEqual([watch.lowKeys(1), gauges.get('low 1 pauser'), lines.length], [[], 'false', 1])
    keys = [key('pauser', 5n, true)]
    await look(2)
    assert.deepEqual(watch.lowKeys(1), ['pauser'])
    isLost = true
    await waitFor('nothing to be said of its keys', () => gauges.get('forgotten 1') === 'yes')
    const before = looks
    await waitFor('more rounds', () => forgotten > 3)
    assert.deepEqual([watch.lowKeys(1), looks], [[], before])
  } finally {
    await watch.stop()
  }
})
