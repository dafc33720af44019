/** Three queued payouts of three customers, anew for each test, and who claims, answers and looks at them. */
import assert from 'node:assert/strict'
import { openDetails } from '../../src/bank-details/bank-details.ts'
import type { Queryable } from '../../src/db/database.ts'
import type { ClaimedPayout } from '../../src/payouts/claims.sql.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import { markRefused, markSent } from '../../src/payouts/record-news.ts'
import { giveBank, TEST_SECRETS } from '../support/bank-details.ts'
import { claimPayouts } from '../support/claim-payouts.ts'
import { createTestDatabase } from '../support/database.ts'
import {
  accountOf,
  CUSTOMERS,
  changesOf,
  type Party,
  placeOrder,
  seedTwoOfEverything,
} from '../support/two-of-everything.ts'
import { withoutGuards } from '../support/without-guards.ts'

const CLAIM_MS = 60_000

/** `line`: its name in `changes`. */
export type Queued = { payoutId: string; orderId: bigint; party: Party; line: string }
type Details = { amountSen?: bigint; bankReference?: string }
type Told = { railReference: string; effectiveAt: Date }

export const sentAs = (railReference: string): Told => ({ railReference, effectiveAt: new Date() })
/** Whether it is news that the rail has the payout's first payment. */
export const send = async (tx: Queryable, { payoutId }: Queued, told: Told) =>
  (await markSent(tx, { payoutId, attempt: 1 }, told))?.outcome === 'recorded'
export const idsOf = (claimed: readonly Pick<ClaimedPayout, 'payoutId'>[]) =>
  claimed.map(({ payoutId }) => payoutId).sort()
export const idOf = ({ payoutId }: Pick<Queued, 'payoutId'>) => payoutId

/** What the rail is told, without the id of the bank account. */
export function opened(claimed: ClaimedPayout | undefined) {
  if (claimed?.payment === undefined) return undefined
  const { bankId, customerId, sealed, ...payment } = claimed.payment
  const { bic, account, name } = openDetails(TEST_SECRETS, { bankId, customerId, sealed })
  return { ...payment, bic, account, name }
}

export type ThreePayouts = Awaited<ReturnType<typeof createThreePayouts>>

export async function createThreePayouts() {
  const db = await createTestDatabase({ believesBurns: true })
  await seedTwoOfEverything(db)
  let round = 0

  async function queue(party: Party, kind: string, { amountSen = 1n, bankReference }: Details = {}): Promise<Queued> {
    const reference = `redeem-${round}-${kind}`
    const orderId = await placeOrder(db, {
      direction: 'REDEEM',
      party,
      reference,
      bankReference: bankReference ?? null,
      state: 'payoutPending',
    })
    const redeem = { orderId, customerId: CUSTOMERS[party], amountMicro: amountSen * 10_000n }
    await db.transaction((tx) => queuePayouts(tx, [redeem]))
    const [row] = await db.query<{ payout_id: string }>('select payout_id from payouts where order_id = $1', [orderId])
    const line = `payout ${party[0]}/${reference}`
    return { payoutId: row?.payout_id ?? '', orderId, party, line }
  }

  /** Those of the two integrations have equal references. */
  async function queueThree() {
    round += 1
    await db.query('delete from payout_attempts')
    await db.query('delete from payouts')
    for (const party of Object.keys(CUSTOMERS) as Party[]) {
      await giveBank(db, accountOf(party), { customerId: CUSTOMERS[party] })
    }
    return {
      first: await queue('a1', 'first', { amountSen: 1_205n }),
      second: await queue('b1', 'first', { amountSen: 7n }),
      third: await queue('a2', 'third', { amountSen: 300n, bankReference: 'INV-3' }),
    }
  }

  const claimOf = (rail: string, limit = 10) => claimPayouts(db, { rail, limit, claimMs: CLAIM_MS })
  const s = {
    db,
    ...(await queueThree()),
    queue,
    claimOf,
    /** In the references of these payouts. */
    round: () => round,
    async renew(): Promise<void> {
      Object.assign(s, await queueThree())
    },
    reject: (claimed: ClaimedPayout, reason: string) => db.transaction((tx) => markRefused(tx, claimed, reason)),
    /** Without the orders, whose phase follows their payout (phases.test.ts). */
    changes: async (work: () => Promise<unknown>) =>
      Object.fromEntries(Object.entries(await changesOf(db, work)).filter(([line]) => !line.startsWith('order '))),
    async makeDue(...payouts: Queued[]): Promise<void> {
      await withoutGuards(db, (tx) =>
        tx.query(
          `update payouts set next_attempt_at = now(), claimed_until = null where payout_id = any ($1::text[])`,
          [payouts.map(idOf)],
        ),
      )
    },
    /** Claims one payout and no other. */
    async claimOne({ payoutId }: Queued, rail = 'http'): Promise<ClaimedPayout> {
      await db.query(
        `update payouts set claimed_until = null, next_attempt_at = case payout_id when $1 then now() else now() + interval '1 day' end
         where status = 'queued'`,
        [payoutId],
      )
      const [claimed, ...more] = await claimOf(rail)
      assert.ok(claimed !== undefined && claimed.payoutId === payoutId && more.length === 0)
      return claimed
    },
  }
  return s
}
