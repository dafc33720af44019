/** Taking a payout away whose redeem was never burnt: no rail was asked for it, and a burn makes it anew. */
import type { Queryable } from '../db/database.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { entryOfUnburnt } from '../ledger/postings.ts'
import { SEN_IN_MICRO } from '../money.ts'
import { unburnOrder } from '../orders/life/unburnt.sql.ts'

/** A payout whose burn a payer has looked for in vain, and the place at which its redeem is said to be burnt. */
export type Unburnt = {
  payoutId: string
  orderId: bigint
  chainId: number
  batchId: bigint
  index: number
  integrationId: string
  referenceId: string
  acceptedAt: Date
}

/** Of a payout `p`: held because of its burn, and no rail, no bank and no operator has done anything about it. */
const IS_UNASKED = `p.status || '' = 'held' and p.hold_reason = 'burn_not_seen' and p.burn is null and p.times_asked = 0 and p.refunds = 0
  and p.by_hand = 0 and not exists (select from payout_attempts a where a.payout_id = p.payout_id)`

/** Locks such a payout; undefined when it is none. */
export async function lockUnburnt(tx: Queryable, payoutId: string): Promise<Unburnt | undefined> {
  await tx.query('select from payouts where payout_id = $1 for update', [payoutId])
  return await findUnburnt(tx, payoutId)
}

/** Such a payout; undefined when it is none. */
export async function findUnburnt(db: Queryable, payoutId: string): Promise<Unburnt | undefined> {
  const [row] = await db.query<Omit<Unburnt, 'chainId'> & { chainId: bigint }>(
    `select p.payout_id as "payoutId", o.order_id as "orderId", o.chain_id as "chainId", o.batch_id as "batchId",
       o.batch_index::int as index, o.integration_id as "integrationId", o.reference_id as "referenceId", o.created_at as "acceptedAt"
     from payouts p join orders o using (order_id) where p.payout_id = $1 and o.status || '' = 'processing' and ${IS_UNASKED}`,
    [payoutId],
  )
  return row && { ...row, chainId: Number(row.chainId) }
}

/**
 * Undoes what was written when its redeem was called burnt: the redeem awaits a batch again, the books take back what they had, and the
 * payout goes.
 * @param abandonedId see `unburnOrder`
 * @returns false when parts of a sen that it left over go back with a refund that is under way, or have gone out before
 */
export async function takeUnburntAway(
  tx: Queryable,
  { payoutId, orderId, chainId, batchId }: Unburnt,
  abandonedId: bigint | null,
): Promise<boolean> {
  const [row] = await tx.query<{
    integration_id: string
    customer_id: string
    amount_micro: bigint
    fee_micro: bigint
    amount_sen: bigint
    created_at: Date
    now: Date
  }>(
    `select o.integration_id, o.customer_id, o.amount_micro, o.fee_micro, p.amount_sen, p.created_at, now() as now
     from payouts p join orders o using (order_id) where p.payout_id = $1`,
    [payoutId],
  )
  if (row === undefined) throw new Error(`payout ${payoutId} has no redeem`)
  const partMicro = row.amount_micro - row.amount_sen * SEN_IN_MICRO
  if (!(await takePartBack(tx, row.customer_id, partMicro))) return false
  await unburnOrder(tx, orderId, abandonedId)
  await tx.query('delete from payouts where payout_id = $1', [payoutId])
  const { integration_id: integrationId, amount_micro: amountMicro, fee_micro: feeMicro, amount_sen: amountSen } = row
  const burnt = { integrationId, amountMicro, feeMicro, payoutSen: amountSen }
  const name = `${payoutId}/${row.created_at.getTime()}`
  const source = `batch/${chainId}/${batchId}`
  await recordEntries(tx, [entryOfUnburnt({ chainId, source, name, burnt, effectiveAt: row.now })])
  return true
}

/** What went out with another payout meanwhile is less than a sen, and comes off the next one. */
async function takePartBack(tx: Queryable, customerId: string, partMicro: bigint): Promise<boolean> {
  const rows = await tx.query(
    `update customer_residuals set owed_micro = owed_micro - $2::bigint
     where customer_id = $1 and owed_micro - $2::bigint > -10000 and reserved_micro <= greatest(owed_micro - $2::bigint, 0)
     returning customer_id`,
    [customerId, partMicro],
  )
  return rows.length > 0
}
