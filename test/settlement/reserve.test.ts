// engine: postgres
/** With RESERVE_GUARD=hold no mint is signed beyond the reserve; everything else goes on. */
// Runbook: The reserve does not cover mints
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { holdOrders } from '../../src/orders/life/hold.sql.ts'
import { readReserveFacts } from '../../src/reserves/facts.sql.ts'
import { committedOf } from '../../src/reserves/guard.ts'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { bankNotifies, bankSays } from '../support/reserve.ts'
import { keyOf, wallet } from './fixture.ts'
import { ERROR, type Stepped, type SteppedChain, startStepped } from './stepped.ts'

const HOUR = 3_600_000
let chain: SteppedChain
let taken: bigint
before(async () => {
  chain = await startStepped({ confirmations: 1, signers: [keyOf('signer')] })
})
after(() => chain.end())

const mint = (seed: number, amountMicro: bigint) => ({ direction: 'MINT', amountMicro, to: wallet(seed) }) as const

async function begin(guard: 'off' | 'warn' | 'hold'): Promise<Stepped> {
  const s = await chain.begin()
  s.work.reserve = { guard, maxAgeMs: 36 * HOUR }
  // What the rows of another chain come to.
  taken = committedOf(await readReserveFacts(s.db))
  await s.mine(3)
  await s.round()
  return s
}

/** A statement that leaves this much beyond what the rows of another chain take. */
const says = (s: Stepped, amountMicro: bigint, options?: Parameters<typeof bankSays>[2]) =>
  bankSays(s.db, taken + amountMicro, options)

async function statesOf(s: Stepped, orders: readonly bigint[]): Promise<string[]> {
  return Promise.all(orders.map(async (order) => (await s.order(order)).status))
}

/** Rounds and blocks, as many as anything under way needs. */
async function settle(s: Stepped): Promise<void> {
  for (let n = 0; n < 3; n += 1) {
    await s.round()
    await s.mine()
    await s.round()
  }
}

async function waitingOf(coin: OperatorFixture, s: Stepped, orderId: bigint | undefined): Promise<string> {
  const [row] = await s.db.query<{ integration_id: string; reference_id: string }>(
    'select integration_id, reference_id from orders where order_id = $1',
    [orderId ?? 0n],
  )
  return (await coin.call('GET', `/orders/${row?.integration_id}/${row?.reference_id}`)).body.waiting
}

test('mints beyond the reserve wait and say so; what is covered and what needs none goes on; more money lets them go', async () => {
  const s = await begin('hold')
  const coin = await startOperator({ db: s.db, chains: [s.chain] })
  try {
    await says(s, 100n)
    const [first, second, third] = (await s.place(mint(1, 60n), mint(2, 60n), mint(3, 1n))) as [bigint, bigint, bigint]
    await settle(s)
    // The third would fit, but nobody overtakes the second for ever.
    assert.deepEqual(await statesOf(s, [first, second, third]), ['completed', 'pending', 'pending'])
    assert.equal(s.held(), 'reserve')
    assert.match(await waitingOf(coin, s, second), /^reserve: .*"covered":"0\.00004"/)
    const [transfer, redeem] = (await s.place(
      { direction: 'TRANSFER', amountMicro: 5n, from: wallet(1), to: wallet(2) },
      { direction: 'REDEEM', amountMicro: 5n, from: wallet(1) },
    )) as [bigint, bigint]
    await settle(s)
    for (const order of [transfer, redeem]) assert.notEqual((await s.order(order)).status, 'pending')
    assert.doesNotMatch(String(await waitingOf(coin, s, transfer)), /reserve/)
    assert.deepEqual(await statesOf(s, [second, third]), ['pending', 'pending'])
    await bankNotifies(s.db, 20n)
    await settle(s)
    assert.deepEqual(await statesOf(s, [second, third]), ['completed', 'pending'])
    await says(s, 121n, { daysAgo: 0 })
    await settle(s)
    assert.deepEqual(await statesOf(s, [second, third]), ['completed', 'completed'])
  } finally {
    await coin.close()
  }
})

test('a mint that would fit is not said not to be covered, and goes on once the one before it is held', async () => {
  const s = await begin('hold')
  const coin = await startOperator({ db: s.db, chains: [s.chain] })
  try {
    await says(s, 100n)
    const [large] = (await s.place(mint(1, 600n))) as [bigint]
    await settle(s)
    const [small] = (await s.place(mint(1, 1n))) as [bigint]
    await settle(s)
    assert.deepEqual(await statesOf(s, [large, small]), ['pending', 'pending'])
    const said = await waitingOf(coin, s, small)
    assert.match(
      said,
      /does not cover this mint, or one that waits before it: .* Where "covered" is more than 0, "coin order hold ORDER --reason …" of the first that waits.*"covered":"0\.0001"/,
    )
    await holdOrders(s.db, [{ orderId: large, reason: 'who pays for it?' }])
    await settle(s)
    assert.deepEqual(await statesOf(s, [large, small]), ['pending', 'completed'])
  } finally {
    await coin.close()
  }
})

test('without a statement, and with one that is too old, mints wait and say why', async () => {
  const s = await begin('hold')
  const [order] = (await s.place(mint(1, 5n))) as [bigint]
  await settle(s)
  assert.deepEqual(s.work.memory.holds.held, { reason: 'reserve', details: { reason: 'no statement was read yet' } })
  await says(s, 100n, { daysAgo: 4 })
  await settle(s)
  const old = { reason: 'a statement is too old', accounts: 'main' }
  assert.deepEqual(s.work.memory.holds.held, { reason: 'reserve', details: old })
  assert.deepEqual(await statesOf(s, [order]), ['pending'])
  await says(s, 100n)
  await settle(s)
  assert.deepEqual(await statesOf(s, [order]), ['completed'])
  assert.equal(s.held(), 'none')
})

test('what another chain was granted between the choice and the signature is not granted again', async () => {
  const s = await begin('hold')
  await says(s, 100n)
  const [order] = (await s.place(mint(1, 60n))) as [bigint]
  s.work.onStep = async (step) => {
    if (step === 'batch-signed') await says(s, 50n)
  }
  await s.round()
  assert.deepEqual(await statesOf(s, [order]), ['pending'])
  assert.equal(s.work.memory.holds.held.reason, 'reserve')
  assert.deepEqual(await s.batches(), [])
  s.work.onStep = () => {}
  await says(s, 60n)
  await settle(s)
  assert.deepEqual(await statesOf(s, [order]), ['completed'])
})

test('a guard that warns signs and says so once a minute; one that is off says nothing', async () => {
  const told = (s: Stepped) => s.logged.filter(({ level, msg }) => level === ERROR && msg.includes('reserve')).length
  for (const [guard, lines] of [
    ['warn', 1],
    ['off', 0],
  ] as const) {
    const s = await begin(guard)
    const orders = (await s.place(mint(1, 5n))) as bigint[]
    await settle(s)
    orders.push(...((await s.place(mint(1, 6n))) as bigint[]))
    await settle(s)
    assert.deepEqual(await statesOf(s, orders), ['completed', 'completed'])
    assert.equal(told(s), lines)
    if (guard === 'off') return
    s.passMs(60_001)
    await s.place(mint(1, 7n))
    await settle(s)
    assert.equal(told(s), 2)
    await says(s, 1_000n)
    s.passMs(60_001)
    await s.place(mint(1, 8n))
    await settle(s)
    assert.equal(told(s), 2)
  }
})
