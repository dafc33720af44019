// engine: postgres; both in test:long
/** What a batch's end means for its orders: which complete, which fail, what is given back, and who is told. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { failRefunded } from '../../src/orders/life/outcome.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { readEvents } from '../support/events.ts'
import {
  ACCEPTED_AT,
  addUsage,
  changesOf,
  KEYS,
  type PlacedOrder,
  placeOrder,
  seedTwoOfEverything,
} from '../support/two-of-everything.ts'
import { type BatchName, createBatchSteps, txHash } from './batch-steps.ts'

let db: TestDatabase
let steps: ReturnType<typeof createBatchSteps>

before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  await seedTwoOfEverything(db)
  steps = createBatchSteps(db)
})
after(() => db.close())

let ours: BatchName
let other: BatchName
let batchId = 0n
const name = (kind: string) => `order-${batchId}-${kind}`

const OURS = [
  'mint-ok',
  'mint-no',
  'transfer-ok',
  'transfer-no',
  'transfer-2-no',
  'redeem-ok',
  'redeem-no',
  'redeem-2-no',
]
const SUCCEEDED = [0, 2, 5]
const REASONS = { 1: 'recipient_frozen', 3: 'insufficient_balance' }

/** Two mined batches with one id, one on each chain, whose orders share references, keys, customers and wallets. */
beforeEach(async () => {
  batchId += 1n
  ours = { chainId: 1, batchId }
  other = { chainId: 2, batchId }
  await db.query('delete from wallet_earmarks')
  await db.query('delete from transfer_usage')
  await db.query('delete from withdrawal_usage')
  await db.query('delete from customer_residuals')
  const orders = await placeAll([
    { direction: 'MINT', party: 'a1', reference: name('mint-ok') },
    { direction: 'MINT', party: 'a1', reference: name('mint-no') },
    { direction: 'TRANSFER', party: 'a1', reference: name('transfer-ok'), amountMicro: 1n },
    { direction: 'TRANSFER', party: 'a1', reference: name('transfer-no'), amountMicro: 20n },
    { direction: 'TRANSFER', party: 'a2', reference: name('transfer-2-no'), amountMicro: 300n },
    { direction: 'REDEEM', party: 'a1', reference: name('redeem-ok'), amountMicro: 54_321n },
    { direction: 'REDEEM', party: 'a1', reference: name('redeem-no'), amountMicro: 20_000n },
    { direction: 'REDEEM', party: 'a2', reference: name('redeem-2-no'), amountMicro: 300_000n },
  ])
  const others = await placeAll([
    { direction: 'MINT', party: 'b1', reference: name('mint-ok'), chainId: 2 },
    { direction: 'REDEEM', party: 'a1', reference: name('elsewhere'), amountMicro: 10_000n, chainId: 2 },
    { direction: 'TRANSFER', party: 'b1', reference: name('transfer-no'), amountMicro: 5n, chainId: 2 },
  ])
  await steps.submit(ours, orders)
  await steps.submit(other, others)
})

async function placeAll(orders: readonly PlacedOrder[]): Promise<bigint[]> {
  const ids: bigint[] = []
  for (const order of orders) ids.push(await placeOrder(db, order))
  return ids
}

const changes = (work: () => Promise<unknown>) => changesOf(db, work)
const line = (kind: string) => `order a/${name(kind)} chain 1`
const event = (kind: string, type: string) => `event a/${name(kind)} ${type}`
const at = (kind: string) => `${batchId}#${OURS.indexOf(kind)} ${txHash('b')} 50`

test('a final batch completes what succeeded, fails what did not, and sends burnt redeems to their payout', async () => {
  await steps.mine(ours)
  await steps.mine(other)
  const changed = await changes(() => steps.finalise(ours, { succeeded: SUCCEEDED, reasons: REASONS }))
  assert.deepEqual(changed, {
    [line('mint-ok')]: `completed COMPLETED ${at('mint-ok')}`,
    [line('mint-no')]: `failed FAILED ${at('mint-no')} recipient_frozen`,
    [line('transfer-ok')]: `completed COMPLETED ${at('transfer-ok')}`,
    [line('transfer-no')]: `failed FAILED ${at('transfer-no')} insufficient_balance`,
    [line('transfer-2-no')]: `failed FAILED ${at('transfer-2-no')} instruction_failed`,
    [line('redeem-ok')]: `processing PAYOUT_PENDING ${at('redeem-ok')}`,
    [line('redeem-no')]: `failed FAILED ${at('redeem-no')} instruction_failed`,
    [line('redeem-2-no')]: `failed FAILED ${at('redeem-2-no')} instruction_failed`,
    [event('mint-ok', 'mint.completed')]: '1 for a',
    [event('mint-no', 'mint.failed')]: '1 for a',
    [event('transfer-ok', 'transfer.completed')]: '1 for a',
    [event('transfer-no', 'transfer.failed')]: '1 for a',
    [event('transfer-2-no', 'transfer.failed')]: '1 for a',
    [event('redeem-no', 'redeem.failed')]: '1 for a',
    [event('redeem-2-no', 'redeem.failed')]: '1 for a',
    'transfers a1 2026-10-31': '1',
    'transfers a2 2026-10-31': '0',
    'withdrawals a1 2026-10-01': '64321',
    'withdrawals a2 2026-10-01': '0',
    [`payout a/${name('redeem-ok')}`]: 'queued 5 a1 asked 0',
    'residual a1': '4321',
  })
  assert.deepEqual(await changes(() => steps.finalise(ours, { succeeded: SUCCEEDED, reasons: REASONS })), {})
  assert.deepEqual(
    await changes(() => steps.finalise(ours, { succeeded: [] })),
    {},
    'another word changes nothing either',
  )
})

test('a burnt redeem whose payout was not refunded does not fail', async () => {
  await steps.mine(ours)
  await steps.finalise(ours, { succeeded: SUCCEEDED })
  const [row] = await db.query<{ order_id: bigint }>(
    'select order_id from orders where reference_id = $1 and chain_id = 1',
    [name('redeem-ok')],
  )
  assert.ok(row)
  assert.deepEqual(await changes(() => db.transaction((tx) => failRefunded(tx, row.order_id))), {})
})

test('a batch that is not mined decides nothing', async () => {
  assert.deepEqual(await changes(() => steps.finalise(ours, { succeeded: SUCCEEDED })), {})
})

test('redeems of one customer in one batch share what is left over below one sen; one without a whole sen is completed', async () => {
  const ids = await placeAll([
    { direction: 'REDEEM', party: 'a2', reference: name('small'), amountMicro: 6_000n },
    { direction: 'REDEEM', party: 'a1', reference: name('not-shared'), amountMicro: 6_000n },
    { direction: 'REDEEM', party: 'a2', reference: name('rest'), amountMicro: 5_000n },
  ])
  const batch = { chainId: 1, batchId: batchId + 1_000n }
  await steps.submit(batch, ids)
  await steps.mine(batch)
  const changed = await changes(() => steps.finalise(batch, { succeeded: [0, 1, 2] }))
  assert.equal(changed[line('small')], `completed COMPLETED ${batch.batchId}#0 ${txHash('b')} 50`)
  assert.equal(changed[line('not-shared')], `completed COMPLETED ${batch.batchId}#1 ${txHash('b')} 50`)
  assert.equal(changed[line('rest')], `processing PAYOUT_PENDING ${batch.batchId}#2 ${txHash('b')} 50`)
  assert.equal(changed[`payout a/${name('rest')}`], 'queued 1 a2 asked 0')
  assert.equal(changed[`payout a/${name('small')}`], undefined)
  assert.deepEqual([changed['residual a2'], changed['residual a1']], ['1000', '6000'])

  const [next = 0n] = await placeAll([
    { direction: 'REDEEM', party: 'a1', reference: name('later'), amountMicro: 4_000n },
  ])
  const later = { chainId: 1, batchId: batchId + 2_000n }
  await steps.submit(later, [next])
  await steps.mine(later)
  const paid = await changes(() => steps.finalise(later, { succeeded: [0] }))
  assert.equal(paid[`payout a/${name('later')}`], 'queued 1 a1 asked 0')
  assert.deepEqual([paid['residual a1'], paid['residual a2']], ['0', undefined])
})

test('usage goes back to the UTC day and month of the acceptance, whenever and wherever the order fails', async () => {
  const first = '2026-11-01T00:00:00.000Z'
  await db.query('delete from transfer_usage')
  await db.query('delete from withdrawal_usage')
  const orders: PlacedOrder[] = [ACCEPTED_AT, first].flatMap((createdAt, index) => [
    { direction: 'TRANSFER', party: 'a1', reference: name(`transfer-at-${index}`), amountMicro: 5n, createdAt },
    { direction: 'REDEEM', party: 'a1', reference: name(`redeem-at-${index}`), amountMicro: 70_000n, createdAt },
  ])
  const ids = await placeAll(orders)
  for (const day of ['2026-10-01', '2026-10-30', '2026-10-31', '2026-11-01', '2026-11-02']) {
    await addUsage(db, 'transfer', 'a1', day, 100n)
  }
  for (const month of ['2026-09-01', '2026-10-01', '2026-11-01', '2026-12-01']) {
    await addUsage(db, 'withdrawal', 'a1', month, 100n)
  }
  const batch = { chainId: 1, batchId: batchId + 1_000n }
  await steps.submit(batch, ids)
  await steps.mine(batch)
  // In a zone eight hours ahead, where both instants lie in November.
  const changed = await changes(() => steps.finalise(batch, { succeeded: [] }, 'Asia/Kuala_Lumpur'))
  const usage = Object.entries(changed).filter(([key]) => /^(transfers|withdrawals) /.test(key))
  assert.deepEqual(Object.fromEntries(usage), {
    'transfers a1 2026-10-31': '100',
    'transfers a1 2026-11-01': '100',
    'withdrawals a1 2026-10-01': '100',
    'withdrawals a1 2026-11-01': '100',
  })
})

test('a failed transfer of a key that replaced another is given back to that one’s counter', async () => {
  await db.query('update api_keys set cap_key_id = $2 where key_id = $1', [KEYS.a2, KEYS.a1])
  const [id = 0n] = await placeAll([
    { direction: 'TRANSFER', party: 'a2', reference: name('transfer-replaced'), amountMicro: 5n, state: 'created' },
  ])
  await db.query('delete from transfer_usage')
  for (const party of ['a1', 'a2', 'b1'] as const) await addUsage(db, 'transfer', party, '2026-10-31', 100n)
  const batch = { chainId: 1, batchId: batchId + 1_600n }
  await steps.submit(batch, [id])
  await steps.mine(batch)
  const changed = await changes(() => steps.finalise(batch, { succeeded: [] }))
  await db.query('update api_keys set cap_key_id = null')
  const usage = Object.entries(changed).filter(([key]) => key.startsWith('transfers '))
  assert.deepEqual(usage, [['transfers a1 2026-10-31', '95']])
})

test('a failed mint is given back to the key that confirmed it, on the day it did; one that never counted gives nothing back', async () => {
  await db.query('delete from mint_usage')
  const ids = await placeAll(
    ['same', 'later', 'other', 'never'].map((reference) => ({
      direction: 'MINT' as const,
      party: 'a1' as const,
      reference: name(`mint-${reference}`),
      amountMicro: 5n,
      state: 'paymentPending' as const,
    })),
  )
  const counted = [
    [KEYS.a1, '2026-10-31'],
    [KEYS.a1, '2026-11-02'],
    [KEYS.a2, '2026-10-31'],
    [null, null],
  ] as const
  for (const [index, [keyId, day]] of counted.entries()) {
    await db.query(
      `update orders set status = 'pending', mint_cap_key_id = $2, mint_cap_day = $3::text::date where order_id = $1`,
      [ids[index] ?? 0n, keyId, day],
    )
  }
  for (const party of ['a1', 'a2', 'b1'] as const) {
    for (const day of ['2026-10-31', '2026-11-01', '2026-11-02']) await addUsage(db, 'mint', party, day, 100n)
  }
  const batch = { chainId: 1, batchId: batchId + 1_500n }
  await steps.submit(batch, ids)
  await steps.mine(batch)
  const mints = (changed: Record<string, string | undefined>) =>
    Object.fromEntries(Object.entries(changed).filter(([key]) => key.startsWith('mints ')))
  assert.deepEqual(mints(await changes(() => steps.finalise(batch, { succeeded: [1] }))), {
    'mints a1 2026-10-31': '95',
    'mints a2 2026-10-31': '95',
  })
})

test('the webhook body of an end shows the order as it is then', async () => {
  await steps.mine(ours)
  await steps.finalise(ours, { succeeded: SUCCEEDED, reasons: REASONS })
  const told = await readEvents(db, name('transfer-no'))
  const ends = told.filter(({ integrationId, type }) => integrationId.endsWith('a') && type.endsWith('ed'))
  const bodies = ends.map(({ payload }) => JSON.parse(payload))
  assert.deepEqual(
    bodies.map(({ type, data }) => ({ type, data })),
    [
      {
        type: 'transfer.failed',
        data: {
          referenceId: name('transfer-no'),
          status: 'failed',
          direction: 'TRANSFER',
          amounts: { myr: null, coin: '0.00002', decimals: 6 },
          blockchain: { txHash: txHash('b'), blockNumber: '50' },
        },
      },
    ],
  )
})
