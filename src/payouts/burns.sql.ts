/** Burns that payouts are for: which of them no payer has seen on the chain yet, what the database says of them, and what was seen. */
import type { Queryable } from '../db/database.ts'
import { onLostChain } from '../db/lost-chains.sql.ts'
import { DATABASE_TIMELINE } from '../db/timeline.sql.ts'
import { ZERO_ADDRESS } from '../orders/address.ts'
import { orderTag } from '../values/order-tag.ts'
import { mayMake } from './moves.ts'

/** What an instruction did, as the database has it. Wallets as in orders. */
export type Instructed = {
  direction: 'MINT' | 'REDEEM' | 'TRANSFER'
  walletAddress: string
  debitAddress: string | null
  amountMicro: bigint
  tag: `0x${string}`
}

/** A payout with its redeem, and the place at which that is said to be burnt. */
export type Unseen = { payoutId: string; batchId: bigint; index: number; redeem: Instructed }

type OrderRow = {
  integration_id: string
  reference_id: string
  direction: Instructed['direction']
  wallet_address: string
  debit_address: string | null
  amount_micro: bigint
}
const ORDER = 'o.integration_id, o.reference_id, o.direction, o.wallet_address, o.debit_address, o.amount_micro'

function instructedBy(row: OrderRow): Instructed {
  return {
    direction: row.direction,
    walletAddress: row.wallet_address,
    debitAddress: row.debit_address,
    amountMicro: row.amount_micro,
    tag: orderTag(row.integration_id, row.reference_id),
  }
}

const IS_UNSEEN = `p.burn is null and p.order_id is not null and p.status in ('queued', 'rejected', 'returned')`

/**
 * The payouts of a chain whose burn is to be looked for now, each with its place: where its redeem was called burnt; or, once that batch was given up,
 * where a batch of others has burnt it.
 */
export async function findUnseen(db: Queryable, chainId: number, limit: number): Promise<Unseen[]> {
  const rows = await db.query<OrderRow & { payout_id: string; batch_id: bigint | null; batch_index: number | null }>(
    `select p.payout_id, coalesce(i.batch_id, o.batch_id) as batch_id, coalesce(i.instruction_index, o.batch_index) as batch_index, ${ORDER}
     from payouts p cross join lateral (select * from orders where order_id = p.order_id limit 1) o
     left join lateral (select batch_id, instruction_index from foreign_instructions where order_id = o.order_id limit 1) i on true
     where ${IS_UNSEEN} and p.chain_id = $1 and p.next_attempt_at <= now() order by p.next_attempt_at limit $2`,
    [chainId, limit],
  )
  return rows.map((row) => ({
    payoutId: row.payout_id,
    batchId: row.batch_id ?? 0n,
    index: row.batch_index ?? -1,
    redeem: instructedBy(row),
  }))
}

/**
 * SQL: whether a chain is not fenced on this timeline of the database. Then what a lost history has signed may still be executed there, or has minted coin
 * back that was not read yet.
 */
const unfenced = (chainId: string) =>
  `exists (select from chains c where c.chain_id = ${chainId} and c.fenced_on is distinct from ${DATABASE_TIMELINE})`

/** Whether a lost history may still have coin minted back on a chain. Until then nobody knows of a burn there whether its coin is gone. */
export async function mayBeMintedBack(db: Queryable, chainId: number): Promise<boolean> {
  return (await db.query(`select where ${unfenced('$1')}`, [chainId])).length > 0
}

const ON_LOST =
  'The chain of its redeem is lost, so that nobody sees its burn there: run "coin payout hold", see that it was burnt, and pay it by hand ("coin payout mark-paid").'
const ELSEWHERE = 'The chain of its redeem is not in the chains file of this payer, so that nobody sees its burn there.'

/** Says why they wait, of queued payouts whose burn is on none of these chains, or on one that is lost. @returns of how many that was not said before */
export async function tellElsewhere(db: Queryable, chainIds: readonly number[]): Promise<number> {
  const rows = await db.query(
    `update payouts p set last_error = s.said, updated_at = now()
     from orders o cross join lateral (select case when ${onLostChain('o.chain_id')} then $3 else $2 end as said) s
     where ${IS_UNSEEN} and p.status || '' = 'queued' and p.last_error is distinct from s.said
       and o.order_id = p.order_id and (o.chain_id <> all ($1::bigint[]) or ${onLostChain('o.chain_id')}) returning payout_id`,
    [chainIds.map(BigInt), ELSEWHERE, ON_LOST],
  )
  return rows.length
}

type BatchRow = { mined_block: bigint | null; is_foreign: boolean; fence_tag: `0x${string}` | null; taken_back: number }

/** `takenBack`: how many under its id were final before, and given up. */
export type RecordedBatch = { batchId: bigint; blockNumber: bigint; takenBack: number; instructions: Instructed[] }

/**
 * What the database says that a batch did, and in which block. Undefined when it has no such batch, or none that is final: one that was given up
 * has burnt nothing, whatever nodes say that are behind.
 */
export async function readBatch(db: Queryable, chainId: number, batchId: bigint): Promise<RecordedBatch | undefined> {
  const [batch] = await db.query<BatchRow>(
    `select mined_block, is_foreign, fence_tag, taken_back::int as taken_back from batches
     where chain_id = $1 and batch_id = $2 and status = 'final'`,
    [chainId, batchId],
  )
  if (batch === undefined) return undefined
  const { is_foreign: isForeign, fence_tag: tag, taken_back: takenBack } = batch
  const instructions = tag === null ? await (isForeign ? readForeign : readOwn)(db, chainId, batchId) : [fenceOf(tag)]
  return { batchId, blockNumber: batch.mined_block ?? 0n, takenBack, instructions }
}

/** A fence settles no order: it mints nothing to nobody. */
function fenceOf(tag: `0x${string}`): Instructed {
  return { direction: 'MINT', walletAddress: ZERO_ADDRESS, debitAddress: null, amountMicro: 0n, tag }
}

async function readOwn(db: Queryable, chainId: number, batchId: bigint): Promise<Instructed[]> {
  const rows = await db.query<OrderRow>(
    `select ${ORDER} from batches b cross join lateral unnest(b.order_ids) with ordinality as l (order_id, position)
     cross join lateral (select * from orders where order_id = l.order_id limit 1) o
     where b.chain_id = $1 and b.batch_id = $2 order by l.position`,
    [chainId, batchId],
  )
  return rows.map(instructedBy)
}

async function readForeign(db: Queryable, chainId: number, batchId: bigint): Promise<Instructed[]> {
  const rows = await db.query<Omit<OrderRow, 'amount_micro'> & { amount_micro: string; tag: `0x${string}` }>(
    `select direction, wallet_address, debit_address, amount_micro, tag from foreign_instructions
     where chain_id = $1 and batch_id = $2 order by instruction_index`,
    [chainId, batchId],
  )
  return rows.map((row) => ({
    direction: row.direction,
    walletAddress: row.wallet_address,
    debitAddress: row.debit_address,
    amountMicro: BigInt(row.amount_micro),
    tag: row.tag,
  }))
}

export type SeenBurn = { payoutId: string; burn: string }

/**
 * The name of a burn, for ever: its place. Where batches under the same id were given up before, its name differs from theirs, as in the books
 * (values/batch-source.ts), because one burn pays one payout.
 */
export function burnOf(chainId: number, { batchId, takenBack }: RecordedBatch, index: number): string {
  return `${chainId}/${batchId}/${index}${takenBack > 0 ? `/again/${takenBack}` : ''}`
}

/**
 * Notes burns that were seen in a batch, but not:
 * - a burn that another payout has;
 * - that of a payout which somebody else is about to change: it is looked at again;
 * - one that a settler has seen refused when the chain executed the batch again: nothing would say later that it is lost;
 * - any of a batch that was given up meanwhile;
 * - any while the chain is not fenced (`mayBeMintedBack`).
 * @param tx locks the payouts in a statement before: whoever gives the batch up waits from then on, or has done so already, and is seen
 * @returns the payouts that may be paid now
 */
export async function noteBurns(
  tx: Queryable,
  { chainId, batchId, takenBack }: Pick<RecordedBatch, 'batchId' | 'takenBack'> & { chainId: number },
  seen: readonly SeenBurn[],
): Promise<string[]> {
  const free = await tx.query<{ payout_id: string }>(
    'select payout_id from payouts where payout_id = any ($1::text[]) and burn is null order by payout_id for update skip locked',
    [seen.map(({ payoutId }) => payoutId)],
  )
  const ids = new Set(free.map(({ payout_id: payoutId }) => payoutId))
  const own = seen.filter(({ payoutId }) => ids.has(payoutId))
  const rows = await tx.query<{ payout_id: string }>(
    `update payouts p set burn = s.burn, last_error = case p.status when 'queued' then null else p.last_error end, updated_at = now()
     from unnest($1::text[], $2::text[]) as s (payout_id, burn)
     where p.payout_id = s.payout_id and p.burn is null and not exists (select from payouts t where t.burn = s.burn)
       and exists (select from batches where chain_id = $3 and batch_id = $4 and status = 'final' and taken_back = $5)
       and not ${unfenced('$3')}
       and not exists (select from batch_outcomes o where o.chain_id = $3 and o.batch_id = $4
         and split_part(s.burn, '/', 3)::int <> all (o.executed)) returning p.payout_id`,
    [own.map(({ payoutId }) => payoutId), own.map(({ burn }) => burn), BigInt(chainId), batchId, takenBack],
  )
  return rows.map(({ payout_id: payoutId }) => payoutId)
}

/** The payouts that have these burns. */
export async function findByBurn(db: Queryable, burns: readonly string[]): Promise<SeenBurn[]> {
  const rows = await db.query<{ payout_id: string; burn: string }>(
    'select payout_id, burn from payouts where burn = any ($1::text[])',
    [burns],
  )
  return rows.map(({ payout_id: payoutId, burn }) => ({ payoutId, burn }))
}

/** Looks for these burns again after a while. */
export async function postponeUnseen(
  db: Queryable,
  payoutIds: readonly string[],
  { afterMs, reason }: { afterMs: number; reason: string },
): Promise<void> {
  await db.query(
    `update payouts p set next_attempt_at = now() + $2 * interval '1 millisecond',
       last_error = case p.status when 'queued' then $3 else p.last_error end, updated_at = now()
     where p.payout_id = any ($1::text[]) and ${IS_UNSEEN}`,
    [payoutIds, afterMs, reason],
  )
}

/** Holds a payout whose burn the chain denies. @returns whether it was still to be paid */
export async function holdUnburnt(db: Queryable, payoutId: string, reason: string): Promise<boolean> {
  const rows = await db.query(
    `update payouts set status = 'held', hold_reason = 'burn_not_seen', status_since = now(), last_error = $2, updated_at = now()
     where payout_id = $1 and burn is null and ${mayMake('hold')} returning payout_id`,
    [payoutId, reason],
  )
  return rows.length > 0
}
