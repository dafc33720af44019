/** Sums of several orders: the evidence of the other tests has one of each, in which adding up cannot go wrong. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Direction, Intent, ListedOrder } from './evidence.ts'
import { nothingIsLeftOver, redeemsArePaidOnce } from './rules/bank.ts'
import { ordersNameTheirTransaction } from './rules/chain.ts'
import {
  earmarksAreReleased,
  mintUsageIsRight,
  transferUsageIsRight,
  withdrawalUsageIsRight,
} from './rules/counters.ts'
import { ALICE, BOB, type Draft, soundEvidence } from './sound-evidence.ts'

type Given = { direction: Direction; micro: bigint; at?: string; status?: string; owner?: string; debited?: string }

const TODAY = '2026-01-02T03:04:05.678Z'
const TOMORROW = '2026-01-03T00:00:00.000Z'
const NEXT_MONTH = '2026-02-01T00:00:00.000Z'

/** Evidence of these orders alone; `owner` names both key and customer. */
function evidenceOf(...given: readonly Given[]): Draft {
  const sound = soundEvidence()
  const parts = given.map(
    ({ direction, micro, at = TODAY, status = 'completed', owner = 'one', debited = ALICE }, n) => {
      const [intent, order] = [sound.intents[0], sound.orders[0]]
      if (intent === undefined || order === undefined) throw new Error('nothing to go by')
      const same = {
        reference: `ref-${n}`,
        direction,
        amountMicro: micro,
        wallet: direction === 'TRANSFER' ? BOB : ALICE,
      }
      const own: Intent = {
        ...intent,
        ...same,
        keyId: owner,
        customerId: owner,
        debited: direction === 'MINT' ? null : debited,
      }
      const listed: ListedOrder = { ...order, ...same, status, createdAt: at }
      return { own, listed }
    },
  )
  return {
    ...sound,
    intents: parts.map(({ own }) => own),
    orders: parts.map(({ listed }) => listed),
    keys: [{ keyId: 'one', transferDayCapMicro: 11n, mintDayCapMicro: 11n }],
    customers: [{ customerId: 'one', bankAccount: 'a', monthlyCapMicro: 11n }],
    tables: { orderCount: parts.length, mintUsage: [], transferUsage: [], withdrawalUsage: [], earmarks: [] },
    bank: { payments: [], conflicts: [] },
  }
}

const told = (violations: readonly { rule: string; subject: string; message: string }[]) =>
  violations.map(({ rule, subject, message }) => `${rule} ${subject}: ${message}`)

test('transfers of a key add up by day, without those that failed, and may reach its cap', () => {
  const given: Given[] = [
    { direction: 'TRANSFER', micro: 5n },
    { direction: 'TRANSFER', micro: 6n, status: 'pending' },
    { direction: 'TRANSFER', micro: 7n, status: 'failed' },
    { direction: 'TRANSFER', micro: 4n, at: TOMORROW },
    { direction: 'TRANSFER', micro: 90n, owner: 'without a cap' },
    { direction: 'REDEEM', micro: 1n },
  ]
  const right = [
    { keyId: 'one', day: '2026-01-02', committedMicro: 11n },
    { keyId: 'one', day: '2026-01-03', committedMicro: 4n },
    { keyId: 'without a cap', day: '2026-01-02', committedMicro: 90n },
  ]
  const saidOf = (transferUsage: typeof right, ...more: Given[]) => {
    const evidence = evidenceOf(...given, ...more)
    return told(transferUsageIsRight({ ...evidence, tables: { ...evidence.tables, transferUsage } }))
  }
  assert.deepEqual(saidOf(right), [])
  assert.deepEqual(saidOf(right.slice(1)), ['usage one 2026-01-02: counted 0, orders come to 11'])
  const [first, ...others] = right as [(typeof right)[number], ...typeof right]
  assert.deepEqual(saidOf([{ ...first, committedMicro: 18n }, ...others]), [
    'usage one 2026-01-02: counted 18, orders come to 11',
  ])
  assert.deepEqual(saidOf([...right, { keyId: 'two', day: '2026-01-02', committedMicro: 1n }]), [
    'usage two 2026-01-02: counted 1, orders come to 0',
  ])
  assert.deepEqual(saidOf([{ ...first, committedMicro: 12n }, ...others], { direction: 'TRANSFER', micro: 1n }), [
    'caps one 2026-01-02: 12 passed the cap of 11',
  ])
})

test('redeems of a customer add up by month, and mints of a key over all days, each with its cap', () => {
  const redeems = evidenceOf(
    { direction: 'REDEEM', micro: 5n },
    { direction: 'REDEEM', micro: 7n, at: TOMORROW },
    { direction: 'REDEEM', micro: 4n, at: NEXT_MONTH },
  )
  const withdrawalUsage = [
    { customerId: 'one', month: '2026-01-01', committedMicro: 12n },
    { customerId: 'one', month: '2026-02-01', committedMicro: 4n },
  ]
  assert.deepEqual(told(withdrawalUsageIsRight({ ...redeems, tables: { ...redeems.tables, withdrawalUsage } })), [
    'caps one 2026-01: 12 passed the cap of 11',
  ])
  const mints = evidenceOf({ direction: 'MINT', micro: 5n }, { direction: 'MINT', micro: 9n, owner: 'without a cap' })
  const usage = (...committed: bigint[]) => {
    const mintUsage = committed.map((committedMicro, n) => ({ keyId: 'one', day: `2026-01-0${n + 2}`, committedMicro }))
    return told(mintUsageIsRight({ ...mints, tables: { ...mints.tables, mintUsage } }))
  }
  assert.deepEqual(usage(2n, 3n), [])
  assert.deepEqual(usage(2n, 4n), ['usage one : counted 6, orders come to 5'])
  assert.deepEqual(usage(3n), ['usage one : counted 3, orders come to 5'])
})

test('earmarks are at most what the open orders of that wallet take', () => {
  const evidence = evidenceOf(
    { direction: 'TRANSFER', micro: 5n, status: 'pending' },
    { direction: 'REDEEM', micro: 6n, status: 'processing' },
    { direction: 'TRANSFER', micro: 7n, status: 'completed' },
    { direction: 'TRANSFER', micro: 8n, status: 'pending', debited: BOB },
  )
  const earmarked = (wallet: string, earmarkedMicro: bigint) =>
    told(earmarksAreReleased({ ...evidence, tables: { ...evidence.tables, earmarks: [{ wallet, earmarkedMicro }] } }))
  assert.deepEqual(earmarked(ALICE, 11n), [])
  assert.deepEqual(earmarked(ALICE, 12n), [`earmarks ${ALICE}: 12 is earmarked, open orders take 11`])
  assert.deepEqual(earmarked(ALICE, -1n), [`earmarks ${ALICE}: -1 is earmarked, open orders take 11`])
  assert.deepEqual(earmarked(BOB, 9n), [`earmarks ${BOB}: 9 is earmarked, open orders take 8`])
})

test('what is left of a customer’s redeems goes out a sen at a time, and never a sen too much', () => {
  const [half, open] = [15_000n, { direction: 'REDEEM', micro: 90_000n, status: 'processing' } as const]
  const paid = (sens: readonly bigint[], ...more: Given[]) => {
    const evidence = evidenceOf(...sens.map((): Given => ({ direction: 'REDEEM', micro: half })), ...more)
    const payments = sens.map((amountSen, n) => ({
      payoutId: `po-${n}`,
      reference: `ref-${n}`,
      amountSen,
      account: 'a',
    }))
    const found = { ...evidence, bank: { payments, conflicts: [] } }
    return [...told(redeemsArePaidOnce(found)), ...told(nothingIsLeftOver(found))]
  }
  assert.deepEqual(paid([1n, 2n]), [])
  assert.deepEqual(paid([1n, 1n]), ['bank one: redeems less payments leave 10000'])
  assert.deepEqual(paid([2n, 1n, 2n]), ['bank one: redeems less payments leave -5000'])
  assert.deepEqual(paid([1n, 3n]), ['bank ref-1: paid 3 sen of 15000', 'bank one: redeems less payments leave -10000'])
  assert.deepEqual(paid([1n, 0n]), ['bank ref-1: paid 0 sen of 15000', 'bank one: redeems less payments leave 20000'])
  assert.deepEqual(paid([1n, 2n], { direction: 'REDEEM', micro: half, status: 'failed' }), [])
  // While one is open, what is left may belong to it.
  assert.deepEqual(paid([1n, 1n], open), [])
})

test('a redeem that is still open may have been paid, but not twice', () => {
  const evidence = evidenceOf({ direction: 'REDEEM', micro: 10_000n, status: 'processing' })
  const payment = { payoutId: 'po', reference: 'ref-0', amountSen: 1n, account: 'a' }
  const saidOf = (...payments: (typeof payment)[]) =>
    told(redeemsArePaidOnce({ ...evidence, bank: { payments, conflicts: [] } }))
  assert.deepEqual(saidOf(), [])
  assert.deepEqual(saidOf(payment), [])
  assert.deepEqual(saidOf(payment, payment), ['bank ref-0: processing, but paid 2 times'])
})

test('an order may name no other block than that of its transaction', () => {
  const evidence = soundEvidence()
  const [order] = evidence.orders
  if (order === undefined) throw new Error('no order')
  Object.assign(order, { blockNumber: 13n })
  assert.deepEqual(told(ordersNameTheirTransaction(evidence)), [
    'transaction ref-mint: names 0xref-mint in block 13; it moved in 0xref-mint in block 12',
  ])
})
