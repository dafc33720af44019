/**
 * Redeems whose coin others have minted back: a history that a restore has lost, by a refund of their payout; or under their own tag, where the chain had
 * executed after all what their partner was told had failed. To pay one as well would leave its holder with coin and ringgit.
 * Its place: docs/ARCHITECTURE.md, "A payout's path".
 */
import type { Queryable } from '../db/database.ts'
import { orderTag } from '../values/order-tag.ts'
import { IS_EXPLAINED, readLostRefunds } from './lost-refunds.sql.ts'
import { mayMake } from './moves.ts'

/** Where the coin of a payout's redeem was minted back; `isExplained`: operators have said that no order asked for it; `isRefund`: by a refund. */
export type Reminted = {
  payoutId: string
  batchId: bigint
  index: number
  amountMicro: bigint
  isExplained: boolean
  isRefund: boolean
}

type Tagged = { payoutId: string; tag: `0x${string}`; refunds?: number }

/** Of these payouts those whose coin was minted back, all of it and to the same wallet, with the first such place. */
async function readReminted(db: Queryable, payouts: readonly Tagged[]): Promise<Reminted[]> {
  return await db.query<Reminted>(
    `select distinct on (p.payout_id) p.payout_id as "payoutId", i.batch_id as "batchId", i.instruction_index::int as index,
       o.amount_micro as "amountMicro", false as "isRefund", ${IS_EXPLAINED} as "isExplained"
     from unnest($1::text[], $2::text[]) as t (payout_id, tag) join payouts p on p.payout_id = t.payout_id
       cross join lateral (select * from orders where order_id = p.order_id limit 1) o
       join foreign_instructions i on i.tag = t.tag and i.chain_id + 0 = o.chain_id and i.direction = 'MINT' and i.succeeded and i.order_id is null
         and i.wallet_address = o.wallet_address and i.amount_micro = o.amount_micro and i.not_of_order_id is distinct from o.order_id
     order by p.payout_id, i.batch_id, i.instruction_index`,
    [payouts.map(({ payoutId }) => payoutId), payouts.map(({ tag }) => tag)],
  )
}

/** Where refunds of a lost history have minted back the coin of these payouts. */
async function readRefunded(
  db: Queryable,
  payouts: readonly { payoutId: string; refunds: number }[],
): Promise<Reminted[]> {
  const refunded = await readLostRefunds(db, payouts)
  return refunded.filter(({ isWhole }) => isWhole).map((each) => ({ ...each, isExplained: false, isRefund: true }))
}

/** Where the coin of a payout was minted back, if it was. */
export async function findReminted(db: Queryable, payoutId: string): Promise<Reminted | undefined> {
  const [redeem] = await db.query<{ integrationId: string; referenceId: string; refunds: number }>(
    `select o.integration_id as "integrationId", o.reference_id as "referenceId", p.refunds::int as refunds from payouts p join orders o using (order_id)
     where p.payout_id = $1`,
    [payoutId],
  )
  if (redeem === undefined) return undefined
  const tag = orderTag(redeem.integrationId, redeem.referenceId)
  const { refunds } = redeem
  return (await readRefunded(db, [{ payoutId, refunds }]))[0] ?? (await readReminted(db, [{ payoutId, tag }]))[0]
}

/** Where the coin of these payouts was minted back, of those that it was. */
export async function listReminted(db: Queryable, payouts: readonly Tagged[]): Promise<Reminted[]> {
  if (payouts.length === 0) return []
  const refunded = await readRefunded(
    db,
    payouts.map(({ payoutId, refunds = 0 }) => ({ payoutId, refunds })),
  )
  const isRefunded = new Set(refunded.map(({ payoutId }) => payoutId))
  const byTag = await readReminted(db, payouts)
  return [...refunded, ...byTag.filter(({ payoutId }) => !isRefunded.has(payoutId))]
}

/**
 * Refuses to pay those of these payouts whose coin was minted back, and that no rail was asked for: operators end them.
 * @param options.unlessExplained not those of which operators have said that no order asked for that
 * @returns those that were refused
 */
export async function refuseReminted(
  tx: Queryable,
  payouts: readonly Tagged[],
  { unlessExplained = false } = {},
): Promise<Reminted[]> {
  const reminted = (await listReminted(tx, payouts)).filter(({ isExplained }) => !(unlessExplained && isExplained))
  if (reminted.length === 0) return []
  const refused = await tx.query<{ payout_id: string }>(
    `update payouts p set status = 'rejected', status_since = now(), last_error = s.said, updated_at = now()
     from unnest($1::text[], $2::text[]) as s (payout_id, said) where p.payout_id = s.payout_id and p.rail is null and p.${mayMake('refuse')} returning p.payout_id`,
    [reminted.map(({ payoutId }) => payoutId), reminted.map(sayReminted)],
  )
  const ids = new Set(refused.map(({ payout_id: payoutId }) => payoutId))
  return reminted.filter(({ payoutId }) => ids.has(payoutId))
}

/** What that means, and what to do. */
export const sayReminted = ({ batchId, index, isRefund }: Reminted): string =>
  `Its coin was minted back in a batch that this service did not make (instruction ${index} of batch ${batchId}), so that the holder has it: "coin payout refund" takes that outcome and mints nothing.${isRefund ? '' : ELSE}`

const ELSE = ` Only where its partner was told that the redeem is done, run "coin batch explain CHAIN ID --reason …" of that batch, then "coin payout retry".`
