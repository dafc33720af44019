/** Who may write what about a payout: claims, late answers, retries, and the simulated bank's book. */
// Runbook: Payouts are held
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { openDetails } from '../../src/bank-details/bank-details.ts'
import { endToEndIdOf } from '../../src/bank-files/end-to-end-id.ts'
import type { Queryable } from '../../src/db/database.ts'
import { createPayoutAdmin } from '../../src/payouts/admin.ts'
import {
  type ClaimedPayout,
  claimDuePayouts,
  claimSentPayments,
  hurryPayouts,
  postponePayout,
  tendPayouts,
} from '../../src/payouts/claims.sql.ts'
import { findPayout, listPayouts } from '../../src/payouts/payouts.sql.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import { createSimulatedRail } from '../../src/payouts/rails/simulated.ts'
import { markRefused, markSent } from '../../src/payouts/record-news.ts'
import { giveBank, TEST_SECRETS } from '../support/bank-details.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import {
  accountOf,
  CUSTOMERS,
  changesOf,
  integrationOf,
  type Party,
  placeOrder,
  readState,
  seedTwoOfEverything,
} from '../support/two-of-everything.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'

const CLAIM_MS = 60_000
const claimOf = (rail: string, limit = 10) => claimDuePayouts(db, { rail, limit, claimMs: CLAIM_MS })

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  await seedTwoOfEverything(db)
})
after(() => db.close())

type Queued = { payoutId: string; orderId: bigint; party: Party; line: string }
let first: Queued
let second: Queued
let third: Queued
let round = 0
const sentAs = (railReference: string) => ({ railReference, effectiveAt: new Date() })
const { retry } = createPayoutAdmin()
const reject = (claimed: ClaimedPayout, reason: string) => db.transaction((tx) => markRefused(tx, claimed, reason))
/** Whether it is news that the rail has the payout's first payment. */
const send = async (tx: Queryable, { payoutId }: Queued, told: ReturnType<typeof sentAs>) =>
  (await markSent(tx, { payoutId, attempt: 1 }, told))?.outcome === 'recorded'

/** Three payouts of three customers; those of the two integrations have equal references. */
beforeEach(async () => {
  round += 1
  await db.query('delete from payout_attempts')
  await db.query('delete from payouts')
  for (const party of Object.keys(CUSTOMERS) as Party[]) {
    await giveBank(db, accountOf(party), { customerId: CUSTOMERS[party] })
  }
  first = await queue('a1', 'first', { amountSen: 1_205n })
  second = await queue('b1', 'first', { amountSen: 7n })
  third = await queue('a2', 'third', { amountSen: 300n, bankReference: 'INV-3' })
})

type Details = { amountSen?: bigint; bankReference?: string }

async function queue(party: Party, kind: string, { amountSen = 1n, bankReference }: Details = {}): Promise<Queued> {
  const reference = `redeem-${round}-${kind}`
  const orderId = await placeOrder(db, {
    ...{ direction: 'REDEEM', party, reference, bankReference: bankReference ?? null },
    state: 'payoutPending',
  })
  const redeem = { orderId, customerId: CUSTOMERS[party], amountMicro: amountSen * 10_000n }
  await db.transaction((tx) => queuePayouts(tx, [redeem]))
  const [row] = await db.query<{ payout_id: string }>('select payout_id from payouts where order_id = $1', [orderId])
  const line = `payout ${party[0]}/${reference}`
  return { payoutId: row?.payout_id ?? '', orderId, party, line }
}

/** Without the orders, whose phase follows their payout (phases.test.ts). */
const changes = async (work: () => Promise<unknown>) =>
  Object.fromEntries(Object.entries(await changesOf(db, work)).filter(([line]) => !line.startsWith('order ')))

async function makeDue(...payouts: Queued[]): Promise<void> {
  const ids = payouts.map(({ payoutId }) => payoutId)
  await withoutGuards(db, (tx) =>
    tx.query(`update payouts set next_attempt_at = now(), claimed_until = null where payout_id = any ($1::text[])`, [
      ids,
    ]),
  )
}

/** What the rail is told, without the id of the bank account. */
function opened(claimed: ClaimedPayout | undefined) {
  if (claimed?.payment === undefined) return undefined
  const { bankId, customerId, sealed, ...payment } = claimed.payment
  const { bic, account, name } = openDetails(TEST_SECRETS, { bankId, customerId, sealed })
  return { ...payment, bic, account, name }
}

const idsOf = (claimed: readonly Pick<ClaimedPayout, 'payoutId'>[]) => claimed.map(({ payoutId }) => payoutId).sort()
const idOf = ({ payoutId }: Queued) => payoutId

/** Claims one payout and no other. */
async function claimOne({ payoutId }: Queued, rail = 'http'): Promise<ClaimedPayout> {
  await db.query(
    `update payouts set claimed_until = null, next_attempt_at = case payout_id when $1 then now() else now() + interval '1 day' end
     where status = 'queued'`,
    [payoutId],
  )
  const [claimed, ...more] = await claimOf(rail)
  assert.ok(claimed !== undefined && claimed.payoutId === payoutId && more.length === 0)
  return claimed
}

describe('a claim', () => {
  it('takes each due payout once, with its own amount, account and reference', async () => {
    const claimed = await claimOf('http')
    const shown = claimed.map((each) => {
      const { payoutId, orderId, attempts } = each
      return { payoutId, orderId, attempts, instruction: opened(each) }
    })
    const references = [`redeem-${round}-first`, `redeem-${round}-first`, `redeem-${round}-third`]
    const expected = [first, second, third].map(({ payoutId, orderId, party }, index) => ({
      ...{ payoutId, orderId, attempts: 1 },
      instruction: {
        payoutId,
        endToEndId: endToEndIdOf({
          integrationId: integrationOf(party),
          referenceId: references[index] ?? '',
          attempt: 1,
        }),
        amountSen: [1_205n, 7n, 300n][index],
        ...accountOf(party),
        reference: [`redeem-${round}-first`, `redeem-${round}-first`, 'INV-3'][index],
      },
    }))
    const byId = (a: { payoutId: string }, b: { payoutId: string }) => (a.payoutId < b.payoutId ? -1 : 1)
    assert.deepEqual(shown.toSorted(byId), expected.toSorted(byId))
    assert.deepEqual(await claimOf('http'), [])
  })

  it('leaves alone what is not due yet, what is decided, and what another rail was chosen for', async () => {
    const other = await queue('a1', 'other-rail')
    await db.query(`update payouts set rail = 'simulated' where payout_id = $1`, [other.payoutId])
    await db.query(`update payouts set next_attempt_at = now() + interval '1 minute' where payout_id = $1`, [
      first.payoutId,
    ])
    await db.query(`update payouts set status = 'sent', rail = 'http', rail_reference = 'R' where payout_id = $1`, [
      second.payoutId,
    ])
    assert.deepEqual(idsOf(await claimOf('http')), [third.payoutId])
    assert.deepEqual(idsOf(await claimOf('simulated')), [other.payoutId])
  })

  it('lasts as long as it says, and no longer', async () => {
    await claimOne(first)
    const [row] = await db.query<{ seconds: number }>(
      `select extract(epoch from claimed_until - now())::float8 as seconds from payouts where payout_id = $1`,
      [first.payoutId],
    )
    assert.ok(row !== undefined && row.seconds > 50 && row.seconds <= 60, `${row?.seconds} s`)
  })

  it('takes at most so many, the longest due ones', async () => {
    await db.query(`update payouts set next_attempt_at = now() - interval '1 hour' where payout_id = $1`, [
      third.payoutId,
    ])
    await db.query(`update payouts set next_attempt_at = now() - interval '1 minute' where payout_id = $1`, [
      second.payoutId,
    ])
    assert.deepEqual(idsOf(await claimOf('http', 1)), [third.payoutId])
    assert.deepEqual(idsOf(await claimOf('http', 1)), [second.payoutId])
  })

  it('fixes the account at the first attempt, for that payout alone', async () => {
    await claimOne(first)
    await giveBank(db, { bic: 'NEW', account: '99', name: 'New' })
    await makeDue(first, second)
    const claimed = await claimOf('http')
    const accounts = new Map(claimed.map((each) => [each.payoutId, opened(each)]))
    const { bic, account, name } = accountOf('a1')
    assert.deepEqual([accounts.get(first.payoutId)?.bic, accounts.get(first.payoutId)?.account], [bic, account])
    assert.equal(accounts.get(first.payoutId)?.name, name)
    assert.deepEqual([accounts.get(second.payoutId)?.bic, accounts.get(second.payoutId)?.account], ['NEW', '99'])
    assert.equal(accounts.get(second.payoutId)?.name, 'New')
  })

  it('has no payment while the customer has no account', async () => {
    await giveBank(db, null, { customerId: CUSTOMERS.a1 })
    const claimed = await claimOf('http')
    const without = claimed.filter(({ payment }) => payment === undefined)
    assert.deepEqual(idsOf(without), [first.payoutId])
  })
})

describe('an answer that comes late', () => {
  it('of refusal or doubt changes nothing once the rail has accepted the payout', async () => {
    const claimed = await claimOne(first)
    await db.transaction((tx) => send(tx, first, sentAs('R-1')))
    assert.deepEqual(await changes(() => reject(claimed, 'late')), {})
    assert.deepEqual(await changes(() => postponePayout(db, claimed, { afterMs: 5, reason: 'late' })), {})
  })

  it('of refusal or doubt changes nothing once the payout was claimed again', async () => {
    const early = await claimOne(first)
    await makeDue(first)
    const late = await claimOne(first)
    assert.equal(late.attempts, 2)
    assert.deepEqual(await changes(() => reject(early, 'late')), {})
    assert.equal(await reject(early, 'late'), false)
    assert.deepEqual(await changes(() => postponePayout(db, early, { afterMs: 5, reason: 'late' })), {})
    await postponePayout(db, late, { afterMs: 0, reason: 'no answer' })
    assert.deepEqual(idsOf(await claimOf('http')), [first.payoutId])
  })

  it('of doubt changes nothing once the payout was refused', async () => {
    const claimed = await claimOne(first)
    await reject(claimed, 'closed')
    assert.deepEqual(await changes(() => postponePayout(db, claimed, { afterMs: 5, reason: 'late' })), {})
  })

  it('of acceptance is believed, whatever was believed before: the rail has the payout', async () => {
    const early = await claimOne(first)
    await makeDue(first)
    const late = await claimOne(first)
    assert.equal(await reject(late, 'no'), true)
    assert.equal(early.payoutId, late.payoutId)
    assert.equal(await db.transaction((tx) => send(tx, first, sentAs('R-1'))), true)
    assert.equal((await findPayout(db, first.payoutId))?.status, 'sent')
  })
})

describe('an answer', () => {
  it('of acceptance is recorded once, for its payout alone', async () => {
    const claimed = await claimOne(first)
    await postponePayout(db, claimed, { afterMs: 5, reason: 'no answer' })
    const changed = await changes(() => db.transaction((tx) => send(tx, first, sentAs('R-1'))))
    assert.equal(changed[first.line], 'sent 1205 a1 http attempts 1 10a1 R-1')
    const name = first.line.slice('payout '.length)
    assert.deepEqual(Object.keys(changed), [`event ${name} redeem.completed`, first.line])
    assert.equal(await db.transaction((tx) => send(tx, first, sentAs('R-2'))), false)
    assert.equal((await findPayout(db, first.payoutId))?.railReference, 'R-1')
  })

  it('of refusal is recorded for its payout alone', async () => {
    const claimed = await claimOne(first)
    await db.query('update payouts set attempts = 1')
    const changed = await changes(() => reject(claimed, 'closed'))
    assert.deepEqual(changed, { [first.line]: 'rejected 1205 a1 http attempts 1 10a1 closed' })
  })

  it('of doubt makes its payout alone due again after the pause', async () => {
    const claimed = await claimOne(first)
    await db.query(`update payouts set attempts = 1, next_attempt_at = now() + interval '1 day'`)
    const changed = await changes(() => postponePayout(db, claimed, { afterMs: 30_000, reason: 'no answer' }))
    assert.deepEqual(changed, { [first.line]: 'queued 1205 a1 http attempts 1 10a1 no answer' })
    const rows = await db.query<{ payout_id: string; seconds: number }>(
      `select payout_id, extract(epoch from next_attempt_at - now())::float8 as seconds from payouts
       where next_attempt_at < now() + interval '1 hour'`,
    )
    assert.deepEqual(
      rows.map((row) => row.payout_id),
      [first.payoutId],
    )
    const seconds = rows[0]?.seconds ?? 0
    assert.ok(seconds > 20 && seconds <= 30, `${seconds} s`)
  })

  it('dates the payout', async () => {
    const isFresh = async () => {
      const [row] = await db.query<{ fresh: boolean }>(
        `select updated_at > now() - interval '1 hour' as fresh from payouts where payout_id = $1`,
        [first.payoutId],
      )
      return row?.fresh
    }
    const age = () => withoutGuards(db, (tx) => tx.query(`update payouts set updated_at = now() - interval '1 day'`))
    await age()
    const claimed = await claimOne(first)
    assert.equal(await isFresh(), true, 'claimed')
    await age()
    await postponePayout(db, claimed, { afterMs: 0, reason: 'no answer' })
    assert.equal(await isFresh(), true, 'postponed')
    await age()
    await reject(claimed, 'closed')
    assert.equal(await isFresh(), true, 'refused')
    await age()
    await db.transaction((tx) => retry(tx, first.payoutId))
    assert.equal(await isFresh(), true, 'queued again')
    await age()
    await db.transaction((tx) => send(tx, first, sentAs('R')))
    assert.equal(await isFresh(), true, 'accepted')
  })
})

describe('the rail', () => {
  const SIMULATED = 'simulated'
  const tend = (rail: string) => db.transaction((tx) => tendPayouts(tx, rail))
  const lineOf = async ({ line }: Queued) => (await readState(db))[line]

  it('is chosen at the first claim, whichever was configured when the payout was queued', async () => {
    const claimed = await claimOne(first, SIMULATED)
    assert.equal(await lineOf(first), 'queued 1205 a1 simulated attempts 1 10a1')
    await postponePayout(db, claimed, { afterMs: 0, reason: 'no answer' })
    await makeDue(first, second)
    assert.deepEqual(idsOf(await claimOf('http')), [second.payoutId])
    assert.deepEqual(idsOf(await claimOf(SIMULATED)), [first.payoutId])
  })

  it('that was asked keeps the payout when another is configured: it is held, and goes on when that rail is back', async () => {
    await postponePayout(db, await claimOne(first, SIMULATED), { afterMs: 0, reason: 'no answer' })
    const held = await changes(async () =>
      assert.deepEqual(await tend('http'), { held: 1, heldUnasked: 0, released: 0 }),
    )
    assert.deepEqual(held, { [first.line]: 'held 1205 a1 simulated rail_not_configured attempts 1 10a1 no answer' })
    assert.deepEqual(await changes(() => tend('http')), {}, 'once')
    await makeDue(first)
    assert.equal((await claimOf(SIMULATED)).length, 0, 'what is held is not claimed')
    assert.equal(await db.transaction((tx) => retry(tx, first.payoutId)), undefined)
    const released = await changes(async () =>
      assert.deepEqual(await tend(SIMULATED), { held: 0, heldUnasked: 0, released: 1 }),
    )
    assert.deepEqual(released, { [first.line]: 'queued 1205 a1 simulated attempts 1 10a1 no answer' })
    assert.deepEqual(idsOf(await claimOf(SIMULATED)), [first.payoutId])
  })

  it('is not waited for longer than any pause lasts, whatever the clock was when a payout was put off or claimed', async () => {
    await db.query(`update payouts set next_attempt_at = now() + interval '1 day' where payout_id = $1`, [
      first.payoutId,
    ])
    await db.query(`update payouts set claimed_until = now() + interval '1 day' where payout_id = $1`, [
      second.payoutId,
    ])
    await db.query(`update payouts set next_attempt_at = now() + interval '5 minutes' where payout_id = $1`, [
      third.payoutId,
    ])
    assert.deepEqual(await claimOf('http'), [])
    assert.equal(await hurryPayouts(db, 60_000), 2)
    assert.deepEqual(idsOf(await claimOf('http')), [first.payoutId], 'whoever has the other may be asking the rail')
    await db.query(`update payouts set claimed_until = claimed_until - interval '1 minute' where payout_id = $1`, [
      second.payoutId,
    ])
    assert.deepEqual(idsOf(await claimOf('http')), [second.payoutId])
    assert.equal(await hurryPayouts(db, 60_000), 0)
  })

  it('is asked what became of what it has taken, whatever the clock was when it was asked last', async () => {
    for (const payout of [first, second]) {
      await claimOne(payout)
      await db.transaction((tx) => send(tx, payout, sentAs(`R-${payout.payoutId}`)))
    }
    const putOff = (days: number, { payoutId }: Queued) =>
      db.query(`update payouts set next_attempt_at = now() + $2 * interval '1 day' where payout_id = $1`, [
        payoutId,
        days,
      ])
    const sentFor = (days: number, { payoutId }: Queued) =>
      db.query(`update payouts set status_since = now() - $2 * interval '1 day' where payout_id = $1`, [payoutId, days])
    await hurryPayouts(db, 60_000)
    await sentFor(5, second)
    await putOff(1, second)
    for (const [days, since] of [
      [300, 5],
      [1.9, 5],
      [1.1, 5],
      [0.6, 0.5],
      [0.1, -2],
    ] as const) {
      await sentFor(since, first)
      await putOff(days, first)
      assert.equal(await hurryPayouts(db, 60_000), 1, `${days} days ahead after ${since}`)
      assert.deepEqual(idsOf(await claimSentPayments(db, 'http', 10)), [first.payoutId])
      assert.equal(await hurryPayouts(db, 60_000), 0, 'as far as it was put off now')
    }
  })

  it('of nobody yet, of an attempt under way, and of what is decided is left as it is', async () => {
    await claimOne(first, SIMULATED)
    await reject(await claimOne(second, SIMULATED), 'closed')
    await claimOne(third, SIMULATED)
    await db.transaction((tx) => send(tx, third, sentAs('R-3')))
    await queue('a1', 'untouched')
    await makeDue(second, third)
    assert.deepEqual(await changes(() => tend('http')), {})
  })

  it('is chosen anew for a retry after a refusal', async () => {
    await reject(await claimOne(first, SIMULATED), 'closed')
    await db.transaction((tx) => retry(tx, first.payoutId))
    assert.equal((await claimOne(first)).payoutId, first.payoutId)
    assert.equal(await lineOf(first), 'queued 1205 a1 http attempts 2 10a1 closed')
  })

  it('that says late that it has a held payout, or one that was queued again, is believed', async () => {
    for (const payout of [first, second]) {
      const claimed = await claimOne(payout, SIMULATED)
      if (payout === first) {
        await makeDue(first)
        await tend('http')
      } else {
        await reject(claimed, 'closed')
        await db.transaction((tx) => retry(tx, second.payoutId))
      }
      await db.transaction((tx) => send(tx, payout, sentAs('R-1')))
    }
    assert.equal(await lineOf(first), 'sent 1205 a1 simulated attempts 1 10a1 R-1')
    assert.equal(await lineOf(second), 'sent 7 b1 simulated attempts 1 10b1 R-1')
  })

  it('and its reason are dated when a payout is held and when it is released', async () => {
    await postponePayout(db, await claimOne(first, SIMULATED), { afterMs: 0, reason: 'no answer' })
    for (const rail of ['http', SIMULATED]) {
      await db.query(`update payouts set updated_at = now() - interval '1 day'`)
      await tend(rail)
      const rows = await db.query(`select payout_id from payouts where updated_at > now() - interval '1 hour'`)
      assert.deepEqual(rows, [{ payout_id: first.payoutId }], rail)
    }
  })
})

describe('a retry', () => {
  it('of a refused payout makes it due at once, for the account that the customer has now', async () => {
    await reject(await claimOne(first), 'closed')
    await claimOne(second)
    await db.query(`update payouts set next_attempt_at = now() + interval '1 day'`)
    await giveBank(db, { bic: 'NEW', account: '99', name: 'New' })
    const changed = await changes(() => db.transaction((tx) => retry(tx, first.payoutId)))
    assert.deepEqual(changed, { [first.line]: 'queued 1205 a1 attempts 1 closed' })
    const [claimed, ...more] = await claimOf('http')
    assert.deepEqual([claimed?.payoutId, more.length], [first.payoutId, 0])
    const { bic, account, name } = opened(claimed) ?? {}
    assert.deepEqual([bic, account, name], ['NEW', '99', 'New'])
  })

  it('of a payout that waits brings it forward, for the account it was asked about with', async () => {
    await postponePayout(db, await claimOne(first), { afterMs: 300_000, reason: 'no answer' })
    await giveBank(db, { bic: 'NEW', account: '99', name: 'New' })
    const queued = await db.transaction((tx) => retry(tx, first.payoutId))
    assert.equal(queued?.payoutId, first.payoutId)
    const [claimed] = await claimOf('http')
    assert.equal(claimed?.payoutId, first.payoutId)
    const { bic, account, name } = opened(claimed) ?? {}
    assert.deepEqual({ bic, account, name }, accountOf('a1'))
  })

  it('of an accepted payout, or of none, does nothing', async () => {
    await db.transaction((tx) => send(tx, first, sentAs('R-1')))
    const changed = await changes(async () => {
      assert.equal(await db.transaction((tx) => retry(tx, first.payoutId)), undefined)
      assert.equal(await db.transaction((tx) => retry(tx, 'po_none')), undefined)
    })
    assert.deepEqual(changed, {})
  })

  it('wakes the payer, and so does a new payout', async () => {
    let rung = 0
    const unlisten = await db.listen('payouts_due', () => {
      rung += 1
    })
    await db.transaction((tx) => retry(tx, first.payoutId))
    await waitFor('the payer to be woken by a retry', () => rung === 1)
    await queue('a1', 'another')
    await waitFor('the payer to be woken by a new payout', () => rung === 2)
    await unlisten()
  })
})

describe('queueing', () => {
  it('gives each redeem a payout of its own, and a second one never', async () => {
    assert.equal(new Set([first, second, third].map(idOf)).size, 3)
    for (const { payoutId } of [first, second, third]) {
      assert.match(payoutId, /^po_[0-9a-f]{24}$/)
    }
    const redeems = [first, third].map(({ orderId, party }) => ({
      ...{ orderId, customerId: CUSTOMERS[party], amountMicro: 77_777n },
    }))
    const fresh = await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference: `redeem-${round}-fresh` })
    const both = [...redeems, { orderId: fresh, customerId: CUSTOMERS.a1, amountMicro: 10_000n }]
    const line = `payout a/redeem-${round}-fresh`
    const changed = await changes(async () => {
      const paid = await db.transaction((tx) => queuePayouts(tx, both))
      assert.deepEqual([...paid.keys()].sort(), [first.orderId, third.orderId, fresh].sort())
      assert.equal(paid.get(fresh), 1n)
    })
    assert.deepEqual(changed, { [line]: 'queued 1 a1 attempts 0' })
    assert.deepEqual(await changes(() => db.transaction((tx) => queuePayouts(tx, both))), {})
    assert.deepEqual(await changes(() => db.transaction((tx) => queuePayouts(tx, []))), {})
  })

  it('names payout and payment by integration and reference alone, so that a restored database makes the same names', async () => {
    const facts: [Party, string, string][] = [
      ['a1', `same-${round}-reference`, '2026-10-31T23:59:59.999Z'],
      ['a1', `same-${round}-reference`, '2026-10-31T23:59:59.998Z'],
      ['a1', `same-${round}-another`, '2026-10-31T23:59:59.999Z'],
      ['b1', `same-${round}-reference`, '2026-10-31T23:59:59.999Z'],
    ]
    const ids: string[] = []
    for (const [party, reference, createdAt] of facts) {
      const orderId = await placeOrder(db, { direction: 'REDEEM', party, reference, createdAt })
      await db.transaction((tx) => queuePayouts(tx, [{ orderId, customerId: CUSTOMERS[party], amountMicro: 10_000n }]))
      const [row] = await db.query<{ ids: string }>(
        `select payout_id || ' ' || end_to_end_id as ids from payouts where order_id = $1`,
        [orderId],
      )
      ids.push(row?.ids ?? '')
      await db.query('delete from payouts where order_id = $1', [orderId])
      await db.query('delete from orders where order_id = $1', [orderId])
    }
    assert.equal(ids[0], ids[1])
    assert.equal(new Set(ids).size, 3)
    assert.equal(new Set(ids.flatMap((both) => both.split(' '))).size, 6)
  })
})

describe('the list', () => {
  it('shows the oldest first, page by page, of one status when asked', async () => {
    await withoutGuards(db, (tx) =>
      tx.query(
        `update payouts set created_at = now() - case payout_id when $1 then interval '3 hours' else interval '2 hours' end`,
        [third.payoutId],
      ),
    )
    const together = [first, second].map(idOf).sort()
    const all = { status: undefined, after: undefined, limit: 10 }
    const listed = async (page: Partial<Parameters<typeof listPayouts>[1]>) =>
      (await listPayouts(db, { ...all, ...page })).map(({ payoutId }) => payoutId)
    assert.deepEqual(await listed({}), [third.payoutId, ...together])
    assert.deepEqual(await listed({ limit: 2 }), [third.payoutId, together[0]])
    assert.deepEqual(await listed({ after: third.payoutId }), together)
    assert.deepEqual(await listed({ after: together[0] }), together.slice(1))
    await db.query(`update payouts set status = 'rejected', rail = 'http' where payout_id = $1`, [first.payoutId])
    assert.deepEqual(await listed({ status: 'rejected' }), [first.payoutId])
    assert.deepEqual(await listed({ status: 'sent' }), [])
    assert.deepEqual(await listed({ status: 'queued', after: third.payoutId }), [second.payoutId])
  })

  it('and a single look show a payout whole', async () => {
    await reject(await claimOne(first), 'closed')
    const found = await findPayout(db, first.payoutId)
    assert.ok(found)
    const { bankId, createdAt, updatedAt, nextAttemptAt, statusSince, endToEndId, ...rest } = found
    assert.match(bankId ?? '', /^bnk_/)
    assert.ok(statusSince >= createdAt && /^[0-9A-Z]{12}$/.test(endToEndId))
    assert.ok(createdAt instanceof Date && updatedAt >= createdAt && nextAttemptAt instanceof Date)
    assert.deepEqual(rest, {
      payoutId: first.payoutId,
      orderId: first.orderId,
      integrationId: integrationOf('a1'),
      referenceId: `redeem-${round}-first`,
      customerId: CUSTOMERS.a1,
      amountSen: 1_205n,
      rail: 'http',
      status: 'rejected',
      holdReason: null,
      owner: null,
      attempt: 1,
      attempts: 1,
      bankBic: accountOf('a1').bic,
      accountEnding: accountOf('a1').account.slice(-4),
      railReference: null,
      lastError: 'closed',
      refundOrder: null,
      isBeingRefunded: false,
    })
    assert.equal(await findPayout(db, 'po_none'), undefined)
  })
})

describe('the simulated bank', () => {
  const payment = { amountSen: 100n, bankId: 'bnk_1', bic: 'MBBEMYKL', account: '1122', name: 'TEST', reference: 'r' }

  it('takes the same payment again, and no other under its id', async () => {
    const rail = createSimulatedRail(db)
    const accepted = { result: 'accepted', railReference: 'SIM-E1' }
    assert.deepEqual(await rail.initiate({ payoutId: 'po_1', endToEndId: 'E1', ...payment }), accepted)
    assert.deepEqual(await rail.initiate({ payoutId: 'po_2', endToEndId: 'E2', ...payment, amountSen: 5n }), {
      ...accepted,
      railReference: 'SIM-E2',
    })
    assert.deepEqual(await rail.initiate({ payoutId: 'po_1', endToEndId: 'E1', ...payment }), accepted)
    for (const change of [{ amountSen: 101n }, { bankId: 'bnk_2' }, { reference: 'z' }]) {
      const answer = await rail.initiate({ payoutId: 'po_1', endToEndId: 'E1', ...payment, ...change })
      assert.equal(answer.result, 'refused', JSON.stringify(Object.keys(change)))
    }
  })

  it('refuses account numbers of zeros, and only those', async () => {
    const rail = createSimulatedRail(db)
    for (const [account, result] of [
      ['0', 'refused'],
      ['0000000', 'refused'],
      ['00001', 'accepted'],
      ['10000', 'accepted'],
      ['00100', 'accepted'],
    ] as const) {
      const answer = await rail.initiate({ payoutId: 'po_zero', endToEndId: `E${account}`, ...payment, account })
      assert.equal(answer.result, result, account)
    }
    const booked = await db.query(`select 1 from simulated_rail_payments where behaviour = 'refused'`)
    assert.deepEqual(booked, [])
  })
})
