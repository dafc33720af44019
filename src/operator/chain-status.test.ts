import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statusOfChains } from './chain-status.ts'
import type { OperatorChain } from './deps.ts'

const chainOf = (chainId: number, status: OperatorChain['admin']['status']) =>
  ({
    config: { chainId, rpcUrls: ['http://node.test/key'], coin: { address: '0xc' }, settlement: '0x5' },
    admin: { status, keyGas: async () => [] },
  }) as unknown as OperatorChain

const STATUS = { rpcUrls: [], coin: '0xc', settlement: '0x5', paused: true, settlementPaused: false, signers: [] }

test('a chain whose nodes take for ever hides no other one, and is not called away', async () => {
  const slow = chainOf(1, () => new Promise(() => {}))
  const away = chainOf(2, () => Promise.reject(new Error('no answer')))
  const there = chainOf(3, async () => ({ ...STATUS, chainId: 3, head: 7n, findings: [] }) as never)
  const statuses = await statusOfChains([slow, away, there], new Map(), 10)
  assert.deepEqual(
    statuses.map(({ chainId, ok, head, paused }) => [chainId, ok, head, paused]),
    [
      [1, false, null, null],
      [2, false, null, null],
      [3, true, 7, true],
    ],
  )
  assert.match(statuses[0]?.error ?? '', /too slowly/)
  assert.match(statuses[1]?.error ?? '', /No RPC address answers/)
  assert.deepEqual(statuses[0]?.rpcUrls, ['http://node.test'])
})
