/** Orders for which a foreign batch moved coin after they had ended, or that wait to take what one has done. */
import type { Hex } from 'viem'
import type { Queryable } from '../../db/database.ts'
import { REMINTS } from '../../values/house.ts'
import { orderTag } from '../../values/order-tag.ts'
import type { PendingOrder } from './waiting.sql.ts'

/** An executed instruction of a foreign batch, and the failed or cancelled order whose tag it has. */
export type EndedOrder = {
  orderId: bigint
  tag: Hex
  batchId: bigint
  index: number
  integrationId: string
  referenceId: string
  status: string
}

const MAX_CANDIDATES = 10_000

/**
 * The orders of a chain, failed or cancelled, for which the foreign batches between two ids, both included, have moved coin.
 * Orders are found by kind, wallet and amount; their tags decide.
 */
export async function readEndedAlike(
  db: Queryable,
  chainId: number,
  { first, last }: { first: bigint; last: bigint },
): Promise<EndedOrder[]> {
  const candidates = await db.query<EndedOrder>(
    `select o.order_id as "orderId", i.batch_id as "batchId", i.instruction_index::int as index, i.tag, o.integration_id as "integrationId",
       o.reference_id as "referenceId", o.status
     from foreign_instructions i join orders o on o.chain_id = i.chain_id and o.wallet_address = i.wallet_address
       and o.direction = i.direction and o.amount_micro = i.amount_micro and o.status in ('failed', 'cancelled')
     where i.chain_id = $1 and i.batch_id between $2 and $3 and i.succeeded and i.order_id is null
       and i.not_of_order_id is distinct from o.order_id
     order by i.batch_id, i.instruction_index, o.order_id limit ${MAX_CANDIDATES}`,
    [chainId, first, last],
  )
  return candidates.filter(({ tag, integrationId, referenceId }) => tag === orderTag(integrationId, referenceId))
}

/**
 * The instructions of a foreign batch that orders wait to take: posted again after a loss, equal in everything, in no batch and held by nobody.
 * @returns their places
 */
export async function readAwaited(db: Queryable, chainId: number, batchId: bigint): Promise<ReadonlySet<number>> {
  const candidates = await db.query<Omit<EndedOrder, 'status'>>(
    `select o.order_id as "orderId", i.batch_id as "batchId", i.instruction_index::int as index, i.tag, o.integration_id as "integrationId",
       o.reference_id as "referenceId"
     from foreign_instructions i join orders o on o.chain_id = i.chain_id and o.wallet_address = i.wallet_address
       and o.direction = i.direction and o.amount_micro = i.amount_micro and o.debit_address is not distinct from i.debit_address
       and o.status = 'pending'
     where i.chain_id = $1 and i.batch_id = $2 and i.order_id is null and i.not_of_order_id is distinct from o.order_id
       and not exists (select from order_holds h where h.order_id = o.order_id)
       and not exists (select from tag_conflicts t where t.order_id = o.order_id)
       and not exists (select from signed_orders f where f.order_id = o.order_id and f.batch_id is not null)
     order by i.instruction_index limit ${MAX_CANDIDATES}`,
    [chainId, batchId],
  )
  const own = candidates.filter(({ tag, integrationId, referenceId }) => tag === orderTag(integrationId, referenceId))
  return new Set(own.map(({ index }) => index))
}

/** Mints that wait for their payment and may be what foreign batches from `fromBatchId` on have settled; tags decide. */
export async function readUnpaidAlike(tx: Queryable, chainId: number, fromBatchId: bigint): Promise<PendingOrder[]> {
  return await tx.query<PendingOrder>(
    `select distinct o.order_id as "orderId", o.integration_id as "integrationId", o.reference_id as "referenceId", o.direction,
       o.wallet_address as "walletAddress", o.debit_address as "debitAddress", o.amount_micro as "amountMicro"
     from foreign_instructions i join orders o on o.chain_id = i.chain_id and o.wallet_address = i.wallet_address
       and o.status = 'payment_pending' and o.order_id + 0 > 0 and o.amount_micro = i.amount_micro
     where i.chain_id = $1 and i.batch_id >= $2 and i.direction = 'MINT' and i.order_id is null order by 1 limit 10000`,
    [chainId, fromBatchId],
  )
}

/**
 * Names, for what foreign batches between two ids have moved, the orders that were decided by batches of ours from there on: those were given
 * up, so that this is all that the chain has done for them. Also those that were lost before. Where the latest order that mints one again has not
 * failed, that has minted it, or takes this outcome, and nothing else of the tag is named. And a redeem that had failed because its coin was
 * minted back: what did that is lost by itself, and is not even with a burn that is there.
 */
export async function nameGivenUp(
  tx: Queryable,
  chainId: number,
  { first, last }: { first: bigint; last: bigint },
): Promise<void> {
  const candidates = await tx.query<Omit<EndedOrder, 'status'>>(
    `select o.order_id as "orderId", i.batch_id as "batchId", i.instruction_index::int as index, i.tag, o.integration_id as "integrationId",
       o.reference_id as "referenceId"
     from foreign_instructions i join orders o on o.chain_id = i.chain_id and o.wallet_address = i.wallet_address
       and o.direction = i.direction and o.amount_micro = i.amount_micro and o.debit_address is not distinct from i.debit_address
       and (o.status in ('completed', 'processing') and (o.batch_id >= $2 or exists (
          select from lost_orders l where l.order_id = o.order_id))
        or o.status = 'failed' and o.failure_reason = 'refunded' and exists (
          select from lost_orders l where l.order_id = o.order_id and l.closed_at is null))
       left join lateral (select r.order_id, r.status in ('pending', 'processing', 'completed') as counts from orders r
         where r.integration_id = '${REMINTS}' and split_part(r.reference_id, '/', 1) = i.tag order by r.order_id desc limit 1) remint on true
     where i.chain_id = $1 and i.batch_id between $2 and $3 and i.succeeded and i.order_id is null
       and case when remint.counts then o.order_id = remint.order_id else o.integration_id <> '${REMINTS}' end
     order by i.batch_id, i.instruction_index limit ${MAX_CANDIDATES}`,
    [chainId, first, last],
  )
  const own = candidates.filter(({ tag, integrationId, referenceId }) => tag === orderTag(integrationId, referenceId))
  for (const { batchId, index, orderId } of own) {
    await tx.query(
      `update foreign_instructions i set order_id = $4 where chain_id = $1 and batch_id = $2 and instruction_index = $3
         and not exists (select from foreign_instructions o where o.order_id = $4)`,
      [chainId, batchId, index, orderId],
    )
  }
}
