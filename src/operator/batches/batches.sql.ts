/** Read-only facts about batches, ours and foreign ones. */
import { zeroAddress } from 'viem'
import type { Queryable } from '../../db/database.ts'
import { onLostChain } from '../../db/lost-chains.sql.ts'
import type { Direction } from '../../orders/order.ts'
import { readEndedAlike } from '../../settlement/tables/ended-alike.sql.ts'

export type BatchRow = {
  chainId: number
  batchId: bigint
  status: string
  isForeign: boolean
  signer: string
  nonce: bigint
  /** Of its instructions. */
  digest: string
  txHash: string | null
  blockNumber: bigint | null
  instructions: number
  /** Instructions of a foreign batch that no order took, but for those of nothing: a fence is nobody's to explain. */
  unmatched: number
  /** Orders that wait because of it. */
  waitingOrders: number
  /** `givesUp`: it says that the batch is given up, which no settler has done yet. */
  explanation: { reason: string; at: Date; givesUp: boolean } | null
  /**
   * Of a batch of ours that the chain has executed again: the indexes of the instructions that it has executed now, as a settler has seen. `reason`: what
   * operators have said of that, null before.
   */
  otherOutcome: { executed: number[]; seenAt: Date; reason: string | null; at: Date | null } | null
  createdAt: Date
  finalizedAt: Date | null
  successBitmap: bigint | null
}

type Raw = {
  chain_id: bigint
  batch_id: bigint
  status: string
  is_foreign: boolean
  signer: string
  nonce: bigint
  digest: string
  tx_hash: string | null
  mined_block: bigint | null
  order_count: number
  unmatched: bigint
  waiting: bigint
  reason: string | null
  explained_at: Date | null
  gives_up: boolean | null
  executed: number[] | null
  seen_at: Date | null
  outcome_reason: string | null
  outcome_at: Date | null
  created_at: Date
  finalized_at: Date | null
  success_bitmap: string | null
}

const COLUMNS = `b.chain_id, b.batch_id, b.status, b.is_foreign, b.signer, b.nonce, b.digest, b.tx_hash, b.mined_block, b.order_count,
  f.unmatched, f.waiting, e.reason, e.explained_at, e.gives_up, x.executed, x.seen_at, x.reason as outcome_reason, x.explained_at as outcome_at, b.created_at, b.finalized_at, b.success_bitmap`
const JOINS = `cross join lateral (
    select count(*) filter (where i.order_id is null and i.amount_micro > 0) as unmatched,
      count(t.order_id) filter (where i.not_of_order_id is distinct from t.order_id) as waiting
    from foreign_instructions i left join tag_conflicts t on t.chain_id = i.chain_id and t.tag = i.tag
    where b.is_foreign and i.chain_id = b.chain_id and i.batch_id = b.batch_id) f
  left join batch_explanations e on e.chain_id = b.chain_id and e.batch_id = b.batch_id
  left join batch_outcomes x on x.chain_id = b.chain_id and x.batch_id = b.batch_id`

export type BatchPage = {
  chainId: number | undefined
  /** Only foreign ones. */
  foreign: boolean
  /**
   * Only those that nobody has explained: foreign ones of which no order took an instruction, also where they are to be given up, or for which an order
   * waits; and ours with another outcome.
   */
  unexplained: boolean
  after: { chainId: number; batchId: bigint } | undefined
  limit: number
}

/** To give a batch up explains nothing: a settler has still to do it. On a chain that is lost none does. */
const IS_EXPLAINED = `(e.reason is not null and (not e.gives_up or ${onLostChain('b.chain_id')}))`

/** Each part by an index of its own: of ours, next to none. */
const MAYBE_OPEN = `(select * from batches where is_foreign
    union all select b.* from batch_outcomes join batches b using (chain_id, batch_id) where explained_at is null)`

/** At most `limit` batches, by chain, newest first. */
export async function listBatches(db: Queryable, page: BatchPage): Promise<BatchRow[]> {
  const onlyForeign = page.foreign ? 'and b.is_foreign' : ''
  const onlyOpen = page.unexplained
    ? `and ((b.is_foreign and not ${IS_EXPLAINED} and f.unmatched > 0) or f.waiting > 0 or x.seen_at is not null)`
    : ''
  const rows = await db.query<Raw>(
    `select ${COLUMNS} from ${page.unexplained ? MAYBE_OPEN : 'batches'} b ${JOINS}
     where ($1::bigint is null or b.chain_id = $1) ${onlyForeign} ${onlyOpen}
       and ($2::bigint is null or b.chain_id > $2 or (b.chain_id = $2 and b.batch_id < $3))
     order by b.chain_id, b.batch_id desc limit $4::int`,
    [page.chainId ?? null, page.after?.chainId ?? null, page.after?.batchId ?? null, page.limit],
  )
  return rows.map(fromRow)
}

/** One batch; undefined when there is none with that id. */
export async function findBatch(db: Queryable, chainId: number, batchId: bigint): Promise<BatchRow | undefined> {
  const [row] = await db.query<Raw>(
    `select ${COLUMNS} from batches b ${JOINS} where b.chain_id = $1 and b.batch_id = $2`,
    [chainId, batchId],
  )
  return row === undefined ? undefined : fromRow(row)
}

function fromRow(row: Raw): BatchRow {
  return {
    chainId: Number(row.chain_id),
    batchId: row.batch_id,
    status: row.status,
    isForeign: row.is_foreign,
    signer: row.signer,
    nonce: row.nonce,
    digest: row.digest,
    txHash: row.tx_hash,
    blockNumber: row.mined_block,
    instructions: row.order_count,
    unmatched: Number(row.unmatched),
    waitingOrders: Number(row.waiting),
    explanation:
      row.reason === null || row.explained_at === null
        ? null
        : { reason: row.reason, at: row.explained_at, givesUp: row.gives_up === true },
    otherOutcome:
      row.executed === null || row.seen_at === null
        ? null
        : { executed: row.executed, seenAt: row.seen_at, reason: row.outcome_reason, at: row.outcome_at },
    createdAt: row.created_at,
    finalizedAt: row.finalized_at,
    successBitmap: row.success_bitmap === null ? null : BigInt(row.success_bitmap),
  }
}

/** How many batches would be given up besides this one: all that are final behind it. */
export async function countFinalBehind(db: Queryable, { chainId, batchId }: BatchRow): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) from batches where chain_id = $1 and batch_id > $2 and status = 'final'`,
    [chainId, batchId],
  )
  return Number(row?.count ?? 0n)
}

export type InstructionRow = {
  index: number
  direction: Direction
  walletAddress: string
  debitAddress: string | null
  amountMicro: bigint
  /** Null where it follows from the order. */
  tag: string | null
  /** Null where the batch's bitmap says it; false of a redeem that has left the batch as not burnt. */
  succeeded: boolean | null
  /** The order that it settles, or that took its outcome, as integrationId/referenceId. */
  order: string | null
  /** The order that waits because of it. */
  waitingOrder: string | null
  /** The order of which an operator has said that it is not its instruction. */
  notOfOrder: string | null
  /** The failed or cancelled order for which it has moved coin nevertheless. */
  endedOrder: string | null
}

const NAME = (order: string) => `${order}.integration_id || '/' || ${order}.reference_id`

/** The instructions of a batch, at most 255, in their sequence; of a fence, the one of nothing. */
export async function readInstructions(
  db: Queryable,
  { chainId, batchId, isForeign }: Pick<BatchRow, 'chainId' | 'batchId' | 'isForeign'>,
): Promise<InstructionRow[]> {
  // A thief may name any amount: text, for it may be above every bigint of the database.
  const rows = await db.query<Omit<InstructionRow, 'amountMicro' | 'endedOrder'> & { amountMicro: string }>(
    isForeign
      ? `select i.instruction_index as index, i.direction, i.wallet_address as "walletAddress", i.debit_address as "debitAddress",
           i.amount_micro::text as "amountMicro", i.tag, i.succeeded, ${NAME('o')} as "order",
           ${NAME('w')} as "waitingOrder", ${NAME('n')} as "notOfOrder"
         from foreign_instructions i
         left join orders o on o.order_id = i.order_id left join orders n on n.order_id = i.not_of_order_id
         left join lateral (
           select t.order_id from tag_conflicts t
           where t.chain_id = i.chain_id and t.tag = i.tag and t.order_id is distinct from i.not_of_order_id limit 1) t on true
         left join orders w on w.order_id = t.order_id
         where i.chain_id = $1 and i.batch_id = $2 order by i.instruction_index`
      : `select s.position::int - 1 as index, o.direction, o.wallet_address as "walletAddress", o.debit_address as "debitAddress",
           o.amount_micro::text as "amountMicro", null as tag,
           case when b.status = 'final' and o.batch_id is distinct from b.batch_id then false end as succeeded, ${NAME('o')} as "order",
           null as "waitingOrder", null as "notOfOrder"
         from batches b cross join lateral unnest(b.order_ids) with ordinality as s (order_id, position)
         join orders o on o.order_id = s.order_id
         where b.chain_id = $1 and b.batch_id = $2
         union all select 0, 'MINT', '${zeroAddress}', null, '0', b.fence_tag, null, null, null, null
         from batches b where b.chain_id = $1 and b.batch_id = $2 and b.fence_tag is not null order by index`,
    [chainId, batchId],
  )
  const ended = isForeign ? await readEndedAlike(db, chainId, { first: batchId, last: batchId }) : []
  const names = new Map(ended.map((order) => [order.index, `${order.integrationId}/${order.referenceId}`]))
  return rows.map((row) => ({
    ...row,
    amountMicro: BigInt(row.amountMicro),
    endedOrder: names.get(Number(row.index)) ?? null,
  }))
}
