// engine: postgres
/** Who settles a chain, when a round begins, and what the settler says about itself. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { Database } from '../../src/db/database.ts'
import { acquireLease } from '../../src/leases/leases.sql.ts'
import { noMetrics } from '../../src/settlement/metrics.ts'
import { startFaultyRpc } from '../support/faulty-rpc.ts'
import { waitFor } from '../support/wait-for.ts'
import { orderState, wallet } from './fixture.ts'
import { QUICK, type Scenario, startScenario } from './scenario.ts'

const LEASE = 'settlement:31337'
/** Longer than a busy machine keeps a process waiting: a lease that runs out meanwhile is rightly lost. */
const LEASE_MS = 4_000
const mint = { direction: 'MINT', amountMicro: 5n, to: wallet(1) } as const
const isLeading = (settler: Awaited<ReturnType<Scenario['settle']>>) => settler.states()[0]?.leading === true

test('a settler that stops releases its lease, and another one takes it at once', async () => {
  const s = await startScenario()
  try {
    const settler = await s.settle({ holder: 'first', times: { ...QUICK, leaseMs: 600_000 } })
    await waitFor('it to lead', () => isLeading(settler))
    assert.deepEqual(settler.states(), [{ chainId: 31_337, leading: true, held: 'none' }])
    assert.equal(await acquireLease(s.db, LEASE, 'second', 1_000), undefined)
    await settler.stop()
    assert.deepEqual(settler.states(), [{ chainId: 31_337, leading: false, held: 'none' }])
    assert.equal((await acquireLease(s.db, LEASE, 'second', 1_000))?.token, 2n)
  } finally {
    await s.end()
  }
})

test('a settler extends its lease, notices a stolen one even while nothing happens, and leads again when it is free', async () => {
  const s = await startScenario()
  const leads: boolean[] = []
  try {
    const metrics = { ...noMetrics, leading: (_chain: number, leading: boolean) => void leads.push(leading) }
    const settler = await s.settle({ holder: 'first', metrics, times: { ...QUICK, leaseMs: LEASE_MS } })
    await waitFor('it to lead', () => isLeading(settler))
    const expiry = async () =>
      (await s.db.query<{ expires_at: Date }>('select expires_at from leases where name = $1', [LEASE]))[0]?.expires_at
    const first = await expiry()
    await waitFor('the lease to be extended twice', async () => Number(await expiry()) > Number(first) + LEASE_MS / 2)
    assert.deepEqual(leads, [false, true])
    await s.db.query(
      `update leases set holder = 'thief', token = token + 1, expires_at = now() + interval '1 second' where name = $1`,
      [LEASE],
    )
    await waitFor('it to notice', () => leads.length >= 3)
    await waitFor('it to lead again', () => leads.length >= 4)
    assert.deepEqual(leads, [false, true, false, true])
    const [order] = await s.place(mint)
    await s.until(order, 'completed')
  } finally {
    await s.end()
  }
})

test('a settler that waits for the lease asks ten times while it lasts', async () => {
  const s = await startScenario()
  const timers = mock.method(globalThis, 'setTimeout')
  try {
    await acquireLease(s.db, LEASE, 'another', 60_000)
    await s.settle({ times: { ...QUICK, leaseMs: 12_340 } })
    const pauses = () => timers.mock.calls.map(({ arguments: [, ms] }) => ms)
    await waitFor('it to wait', () => pauses().includes(1_234))
  } finally {
    timers.mock.restore()
    await s.end()
  }
})

test('a settler that leads does not ask about its lease in each round', async () => {
  const s = await startScenario()
  let [rounds, extended] = [0, 0]
  const watched: Database = {
    ...s.db,
    query(text, params) {
      if (text.includes('update leases set expires_at = now() + ')) extended += 1
      return s.db.query(text, params)
    },
  }
  const inFlight = (_chain: number, status: string): void => {
    if (status === 'mined') rounds += 1
  }
  const leaseMs = 3_000
  try {
    const began = performance.now()
    await s.settle({ db: watched, metrics: { ...noMetrics, inFlight }, times: { ...QUICK, leaseMs } })
    await waitFor('forty rounds', () => rounds >= 40)
    // Three times while it lasts by a clock, and twice before a round.
    assert.ok(extended <= 2 + (5 * (performance.now() - began)) / leaseMs, `${extended} times`)
  } finally {
    await s.end()
  }
})

test('a wake begins a round at once, however long the poll', async () => {
  const s = await startScenario({ config: { pollIntervalMs: 600_000 } })
  try {
    const settler = await s.settle()
    await waitFor('it to lead', () => isLeading(settler))
    const [order = 0n] = await s.place(mint)
    await waitFor('the order to be taken', async () => {
      settler.wake(31_337)
      settler.wake(1)
      return (await orderState(s.db, order)).status !== 'pending'
    })
  } finally {
    await s.end()
  }
})

test('with the wrong chain nothing is led, and the state says why', async () => {
  const s = await startScenario()
  const held: string[] = []
  try {
    const metrics = { ...noMetrics, held: (_chain: number, reason: string) => void held.push(reason) }
    const settler = await s.settle({ metrics, config: { coin: { ...s.config.coin, address: wallet(1) } } })
    await waitFor('the mismatch', () => held.length > 0)
    assert.deepEqual(settler.states(), [{ chainId: 31_337, leading: false, held: 'chain-mismatch' }])
    assert.deepEqual([...new Set(held)], ['chain-mismatch'])
    assert.deepEqual(await s.db.query('select holder from leases where name = $1', [LEASE]), [])
  } finally {
    await s.end()
  }
})

test('after a failed round another node is asked', async () => {
  const s = await startScenario()
  let refused = 0
  const broken = await startFaultyRpc(s.rpcUrl, ({ method }) => {
    if (method !== 'eth_estimateGas') return { kind: 'none' }
    refused += 1
    return { kind: 'error', message: 'internal error' }
  })
  const slow = await startFaultyRpc(s.rpcUrl, ({ method }) =>
    method === 'eth_getBlockByNumber' ? { kind: 'delay', ms: 60 } : { kind: 'none' },
  )
  try {
    await s.settle({ config: { rpcUrls: [broken.url, slow.url], quorum: 1 } })
    const [order] = await s.place(mint)
    await s.until(order, 'completed')
    assert.ok(refused >= 1)
  } finally {
    await s.end()
    await Promise.all([broken.close(), slow.close()])
  }
})
