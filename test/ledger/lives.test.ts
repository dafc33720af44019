// engine: postgres; both in test:long
/** Random lives of orders and payouts: after every step the books balance and say what the orders say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pino } from 'pino'
import type { Database } from '../../src/db/database.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import type { PaymentKey } from '../../src/payouts/attempts.sql.ts'
import type { RailAnswer } from '../../src/payouts/rail.ts'
import { markPaid, markRejected, markReturned, markSent } from '../../src/payouts/record-news.ts'
import { createBatchSteps } from '../life/batch-steps.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { createTestDatabase } from '../support/database.ts'
import { payDue } from '../support/pay-due.ts'
import { sealBooks } from '../support/seal-books.ts'
import { CHAINS, type Party, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'

const amount = fc.oneof(fc.bigInt({ min: 1n, max: 30_000n }), fc.bigInt({ min: 1n, max: 10n ** 13n }))
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('place' as const),
      direction: fc.constantFrom('MINT' as const, 'REDEEM' as const, 'TRANSFER' as const),
      party: fc.constantFrom<Party>('a1', 'a2', 'b1'),
      chainId: fc.constantFrom(...CHAINS),
      amountMicro: amount,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      chainId: fc.constantFrom(...CHAINS),
      outcome: fc.nat(255),
      again: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pay' as const),
      answer: fc.constantFrom('accepted' as const, 'refused' as const, 'unknown' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('bank' as const),
      says: fc.constantFrom('sent' as const, 'paid' as const, 'returned' as const, 'rejected' as const),
      of: fc.nat(1_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('operator' as const),
      does: fc.constantFrom(
        'retry' as const,
        'hold' as const,
        'release' as const,
        'markPaid' as const,
        'refund' as const,
      ),
      to: fc.nat(1_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('seal' as const), limit: fc.integer({ min: 1, max: 5 }) }) },
)

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const redeem = { kind: 'place', direction: 'REDEEM', party: 'a1', chainId: 1, amountMicro: 15_000n } as const
/** Every life begins with one of each, so that none proves nothing: minted, burnt, a part of a sen kept, sent, refused. */
const BEGINNING: readonly Step[] = [
  { ...redeem, direction: 'MINT' },
  redeem,
  { kind: 'settle', chainId: 1, outcome: 255, again: false },
  { kind: 'pay', answer: 'accepted' },
  { ...redeem, party: 'b1' },
  { kind: 'settle', chainId: 1, outcome: 255, again: true },
  { kind: 'pay', answer: 'refused' },
  { kind: 'bank', says: 'paid', of: 0 },
  // The rail had refused it: another payment is made, and then the first one is paid too.
  { kind: 'operator', does: 'retry', to: 1 },
  { kind: 'pay', answer: 'accepted' },
  { kind: 'bank', says: 'paid', of: 1 },
  { kind: 'bank', says: 'returned', of: 0 },
  { kind: 'operator', does: 'markPaid', to: 0 },
  { ...redeem, party: 'a2', amountMicro: 1_234_567n },
  { kind: 'settle', chainId: 1, outcome: 255, again: false },
  { kind: 'pay', answer: 'refused' },
  { kind: 'operator', does: 'refund', to: 2 },
  { kind: 'settle', chainId: 1, outcome: 255, again: true },
]

/** What the accounts must come to, from orders, payouts and residuals alone. */
const EXPECTED = `
  select 'coins:' || o.chain_id as account, sum(case o.direction when 'MINT' then -o.amount_micro else o.amount_micro end) as amount
  from orders o left join batches b on b.chain_id = o.chain_id and b.batch_id = o.batch_id
  where (o.direction = 'MINT' and o.status = 'completed')
    or (o.direction = 'REDEEM' and (o.status = 'completed' or o.failure_reason = 'refunded' or (o.status = 'processing' and b.status = 'final'))) group by 1
  union all
  select 'mint_receivable:' || integration_id, sum(amount_micro) from orders
  where direction = 'MINT' and status = 'completed' and integration_id <> 'refunds' group by 1
  union all
  select 'redeem_payable:' || o.integration_id, -sum(p.amount_sen) * 10000 from payouts p join orders o using (order_id)
  where p.status in ('queued', 'held', 'rejected', 'returned') group by 1
  union all
  select 'payout_clearing:' || case p.status when 'sent' then p.rail else 'by_hand' end, -sum(p.amount_sen) * 10000
  from payouts p where p.status in ('sent', 'paid_by_hand') group by 1
  union all
  select 'reserve:512', -sum(p.amount_sen) * 10000 from payout_attempts a join payouts p using (payout_id) where a.status = 'paid'
  union all
  select 'unallocated:512', sum(p.amount_sen) * 10000 from payout_attempts a join payouts p using (payout_id)
  where a.status = 'paid' and a.is_extra
  union all
  select 'residual:' || c.integration_id, -sum(r.owed_micro) from customer_residuals r join customers c using (customer_id) group by 1`

async function check(db: Database): Promise<void> {
  const rows = await db.query<{ account: string; amount: string }>(
    `select account, sum(amount)::text as amount from (${EXPECTED}) e group by account having sum(amount) <> 0 order by account`,
  )
  const balances = (await readBalances(db)).filter(({ balanceMicro }) => balanceMicro !== 0n)
  assert.deepEqual(
    Object.fromEntries(balances.map(({ kind, owner, balanceMicro }) => [`${kind}:${owner}`, String(balanceMicro)])),
    Object.fromEntries(rows.map((row) => [row.account, row.amount])),
  )
  assert.equal(
    balances.reduce((total, { balanceMicro }) => total + balanceMicro, 0n),
    0n,
  )
}

const answerOf = (result: RailAnswer['result']): RailAnswer =>
  result === 'accepted' ? { result, railReference: 'R' } : { result, reason: 'because' }

async function tell(db: Database, payment: PaymentKey, says: 'sent' | 'paid' | 'returned' | 'rejected'): Promise<void> {
  const effectiveAt = new Date()
  const line = { bankAccount: '512', reference: 'S', effectiveAt, reason: 'because' }
  await db.transaction(async (tx) => {
    if (says === 'sent') await markSent(tx, payment, { railReference: 'R', effectiveAt })
    else if (says === 'paid') await markPaid(tx, payment, line)
    else if (says === 'returned') await markReturned(tx, payment, line)
    else await markRejected(tx, payment, line)
  })
}

test('the books balance after every step of any life of orders and payouts', async () => {
  const seen = new Set<string>()
  let refunded = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 50, maxLength: 50 }), async (steps) => {
      const db = await createTestDatabase({ believesBurns: true })
      try {
        await seedTwoOfEverything(db)
        const batch = createBatchSteps(db)
        const pending = new Map<number, bigint[]>(CHAINS.map((chainId) => [chainId, []]))
        let serial = 0
        for (const each of [...BEGINNING, ...steps]) {
          serial += 1
          if (each.kind === 'place') {
            const orderId = await placeOrder(db, { ...each, reference: `reference-${serial}` })
            pending.get(each.chainId)?.push(orderId)
          } else if (each.kind === 'settle') {
            const orderIds = pending.get(each.chainId)?.splice(0, 8) ?? []
            if (orderIds.length === 0) continue
            const name = { chainId: each.chainId, batchId: BigInt(serial) }
            const succeeded = orderIds.flatMap((_, index) => (((each.outcome >> index) & 1) === 1 ? [index] : []))
            await batch.submit(name, orderIds)
            await batch.mine(name)
            await batch.finalise(name, { succeeded })
            if (each.again) await batch.finalise(name, { succeeded })
          } else if (each.kind === 'pay') {
            const rail = { name: 'rail', initiate: async () => answerOf(each.answer) }
            await payDue({ db, rail, secrets: TEST_SECRETS, logger: pino({ level: 'silent' }) })
          } else if (each.kind === 'bank') {
            const rows = await db.query<{ payout_id: string; attempt: number }>(
              'select payout_id, attempt from payout_attempts order by asked_at, payout_id, attempt',
            )
            const row = rows[each.of % Math.max(rows.length, 1)]
            if (row !== undefined) await tell(db, { payoutId: row.payout_id, attempt: row.attempt }, each.says)
          } else if (each.kind === 'operator') {
            const rows = await db.query<{ payout_id: string }>(
              'select payout_id from payouts order by created_at, payout_id',
            )
            const row = rows[each.to % Math.max(rows.length, 1)]
            if (row !== undefined) await db.transaction((tx) => payoutAdmin[each.does](tx, row.payout_id, 'BY HAND'))
            const refunds = await db.query<{ order_id: bigint; chain_id: bigint }>(
              `select order_id, chain_id from orders where integration_id = 'refunds' and status = 'pending'`,
            )
            for (const { order_id: orderId, chain_id: chainId } of refunds) {
              const waiting = pending.get(Number(chainId)) ?? []
              if (!waiting.includes(orderId)) waiting.unshift(orderId)
            }
          } else {
            await sealBooks(db, each.limit)
          }
          await check(db)
        }
        while ((await sealBooks(db, 3)).sealed > 0) await check(db)
        assert.equal((await verifyLedger(db)).firstBad, null)
        for (const { kind } of await readBalances(db)) seen.add(kind)
        refunded += (await db.query(`select from payouts where status = 'refunded'`)).length
      } finally {
        await db.close()
      }
    }),
    { numRuns: 5, endOnFailure: true },
  )
  assert.ok(refunded > 0, 'coin was minted back')
  const all = ['reserve', 'unallocated', 'coins', 'mint_receivable', 'redeem_payable', 'payout_clearing', 'residual']
  assert.deepEqual(
    all.filter((each) => !seen.has(each)),
    [],
  )
})
