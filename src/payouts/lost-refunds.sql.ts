/** Coin of payouts that refunds have minted back in a history which the database has lost: only a refund of the same name may follow, which takes that. */
import type { Queryable } from '../db/database.ts'
import { onLostChain } from '../db/lost-chains.sql.ts'
import { REFUNDS } from '../values/house.ts'
import { refundTag } from '../values/order-tag.ts'

/** The name of a payout's refund: every try has another, because a name that a chain has seen never settles again. */
export function refundName(payoutId: string, number: number): string {
  return number === 1 ? payoutId : `${payoutId}/${number}`
}

/** So many tries of the lost history are looked for behind those that are known here: some may have been rejected before they were signed. */
const MOST_TRIES = 5

/** SQL: the least that mints all of a redeem `o` with the payout `p` back: but for its part of a sen, and for what was paid too much of earlier ones, which is less than a sen. */
export const LEAST_MINTED = 'least(o.amount_micro, p.amount_sen * 10000) - 9999'

/**
 * SQL: whether operators have said what the batch of a foreign instruction `i` was. To give it up says nothing of that: what the chain has lost may be executed
 * again. On a chain that is gone for good it stays given up, and nothing is.
 */
export const IS_EXPLAINED = `exists (select from batch_explanations e where e.chain_id = i.chain_id and e.batch_id = i.batch_id and (not e.gives_up or ${onLostChain('i.chain_id')}))`

/** `number`: which try it was; `isWhole`: it has minted what was burnt to the wallet that it was burnt from, but for parts of a sen. */
export type LostRefund = { number: number; batchId: bigint; index: number; amountMicro: bigint; isWhole: boolean }

/**
 * The first such refund of each of these payouts that has one. These do not count:
 * - what operators have said to be no refund of the payout;
 * - what a refund that has failed here asked for: that is made good by itself;
 * - what has the name of a refund and cannot be one of ours, because no history mints less than all whole sen, or to another wallet, as soon as operators
 *   have explained its batch: it would keep any refund from being begun, and then there is none to reject.
 * @param payouts `refunds`: how often its coin was to be minted back
 */
export async function readLostRefunds(
  db: Queryable,
  payouts: readonly { payoutId: string; refunds: number }[],
): Promise<(LostRefund & { payoutId: string })[]> {
  const tries = payouts.flatMap(({ payoutId, refunds }) =>
    Array.from({ length: refunds + MOST_TRIES }, (_, index) => {
      const number = index + 1
      return { payoutId, number, name: refundName(payoutId, number) }
    }),
  )
  const rows = await db.query<Omit<LostRefund, 'amountMicro'> & { payoutId: string; amount_micro: string }>(
    `select distinct on (n.payout_id) n.payout_id as "payoutId", n.number, i.batch_id as "batchId", i.instruction_index::int as index,
       i.amount_micro::text as amount_micro, w.is_whole as "isWhole"
     from unnest($1::text[], $2::int[], $3::text[], $4::text[]) as n (payout_id, number, name, tag)
       join foreign_instructions i on i.tag = n.tag and i.direction = 'MINT' and i.succeeded and i.order_id is null and i.not_of_order_id is null
       cross join lateral (select * from payouts where payout_id = n.payout_id limit 1) p
       cross join lateral (select * from orders where order_id = p.order_id limit 1) o
       cross join lateral (select i.wallet_address = o.wallet_address and i.amount_micro <= o.amount_micro
         and i.amount_micro >= ${LEAST_MINTED} as is_whole) w
     where i.chain_id = o.chain_id
       and (w.is_whole or not ${IS_EXPLAINED})
       and not exists (
       select from (select * from orders where integration_id = '${REFUNDS}' and reference_id = n.name limit 1) r
       where r.status = 'failed' and (not w.is_whole or r.wallet_address = i.wallet_address and r.amount_micro = i.amount_micro))
     order by n.payout_id, w.is_whole desc, n.number`,
    [
      tries.map(({ payoutId }) => payoutId),
      tries.map(({ number }) => number),
      tries.map(({ name }) => name),
      tries.map(({ name }) => refundTag(name)),
    ],
  )
  // A thief may name any amount: text, for it may be above every bigint of the database.
  return rows.map(({ amount_micro: amount, ...place }) => ({ ...place, amountMicro: BigInt(amount) }))
}

/** See `readLostRefunds`, of one payout. */
export async function findLostRefund(
  db: Queryable,
  payout: { payoutId: string; refunds: number },
): Promise<LostRefund | undefined> {
  return (await readLostRefunds(db, [payout]))[0]
}
