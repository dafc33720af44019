/** What others did on the chains that nobody has explained yet (read-only). */
import type { Queryable } from '../../db/database.ts'
import type { Direction, Order } from '../../orders/order.ts'
import { planOutcome } from '../../settlement/explain/outcome.ts'
import { DONE_BY_OTHERS } from '../../settlement/tables/ended-alike.sql.ts'
import { readPlaced } from '../../settlement/tables/placed.sql.ts'
import type { MovedBy } from './difference.ts'

/** Instructions of a batch, and movements, that are listed; the first ones are enough to act on. */
const MAX_INSTRUCTIONS = 1_000
const MAX_FINDINGS = 100
/** So many outcomes are compared with what their orders were told, each by a query of its own: there are a few, unless somebody has written more past the service. */
const MAX_OUTCOMES = 1_000

/** An executed instruction of an unexplained foreign batch that no order took. To give a batch up explains nothing; `isGivenUp`: it waits for a settler. The amount may be above every bigint of the database. */
export type ForeignRow = {
  chainId: number
  batchId: bigint
  txHash: string
  block: bigint
  signer: string
  direction: Direction
  walletAddress: string
  debitAddress: string | null
  amountMicro: bigint
  isGivenUp: boolean
}

/** By chain and batch, in the sequence of the instructions. */
export async function findForeignInstructions(db: Queryable): Promise<ForeignRow[]> {
  const rows = await db.query<Omit<ForeignRow, 'chainId' | 'amountMicro'> & { chainId: bigint; amountMicro: string }>(
    `select i.chain_id as "chainId", i.batch_id as "batchId", b.tx_hash as "txHash", b.mined_block as block, b.signer,
       i.direction, i.wallet_address as "walletAddress", i.debit_address as "debitAddress", i.amount_micro::text as "amountMicro",
       e.gives_up is true as "isGivenUp"
     from foreign_instructions i join batches b on b.chain_id = i.chain_id and b.batch_id = i.batch_id
       left join batch_explanations e on e.chain_id = i.chain_id and e.batch_id = i.batch_id
     where i.succeeded and i.order_id is null and b.is_foreign and e.gives_up is distinct from false
     order by i.chain_id, i.batch_id, i.instruction_index limit ${MAX_INSTRUCTIONS}`,
  )
  return rows.map((row) => ({ ...row, chainId: Number(row.chainId), amountMicro: BigInt(row.amountMicro) }))
}

export type OpenMovement = {
  chainId: number
  movementId: string
  details: string
  afterBlock: bigint
  seenBlock: bigint
  /** As the watch of the chain has recorded them. */
  transactions: MovedBy[]
}

/** What was seen on the chains beside batches, until an operator resumes the chain. */
export async function findOpenMovements(db: Queryable): Promise<OpenMovement[]> {
  const rows = await db.query<Omit<OpenMovement, 'chainId'> & { chainId: bigint }>(
    `select chain_id as "chainId", movement_id::text as "movementId", details, after_block as "afterBlock", seen_block as "seenBlock",
       transactions
     from foreign_movements where ended_at is null and kind <> 'batch' order by chain_id, movement_id limit ${MAX_FINDINGS}`,
  )
  return rows.map((row) => ({ ...row, chainId: Number(row.chainId) }))
}

export type OtherOutcome = { chainId: number; batchId: bigint; seenAt: Date }

/**
 * Batches of ours that the chain has executed again with another outcome, until operators have explained that. Not those in which it concerns nothing
 * but burns that no payer had seen: their payouts are held for that.
 */
export async function findOtherOutcomes(db: Queryable): Promise<OtherOutcome[]> {
  const rows = await db.query<Omit<OtherOutcome, 'chainId'> & { chainId: bigint; executed: number[] }>(
    `select chain_id as "chainId", batch_id as "batchId", seen_at as "seenAt", executed from batch_outcomes
     where explained_at is null order by chain_id, batch_id limit ${MAX_OUTCOMES}`,
  )
  const found: OtherOutcome[] = []
  for (const { chainId, batchId, seenAt, executed } of rows) {
    if (found.length === MAX_FINDINGS) break
    const placed = await readPlaced(db, Number(chainId), batchId)
    const does = Object.values(planOutcome(placed, executed)).flat()
    // Until then nothing of it is made good, also where it is once more what was said before.
    const waits = placed.filter(({ noted }) => noted !== null && !noted.isGood && !noted.isUndone)
    if (does.length + waits.length > 0) found.push({ chainId: Number(chainId), batchId, seenAt })
  }
  return found
}

/** How many there are beyond those that are compared; settlers take back what is as the orders were told. */
export async function countMoreOutcomes(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ more: bigint }>(
    `select greatest(count(*) - ${MAX_OUTCOMES}, 0) as more from batch_outcomes where explained_at is null`,
  )
  return row?.more ?? 0n
}

export type EndedConflict = Pick<Order, 'chainId' | 'integrationId' | 'direction' | 'status' | 'amountMicro'> & {
  order: string
  isDoneByOthers: boolean
}

/** Orders that failed or were cancelled although a foreign batch has moved coin for them, until an operator has said something about it. */
export async function findEndedConflicts(db: Queryable): Promise<EndedConflict[]> {
  const rows = await db.query<Omit<EndedConflict, 'chainId'> & { chainId: bigint }>(
    `select o.chain_id as "chainId", o.integration_id || '/' || o.reference_id as "order", o.integration_id as "integrationId", o.direction, o.status,
       o.amount_micro as "amountMicro", exists (select from ${DONE_BY_OTHERS}) as "isDoneByOthers"
     from tag_conflicts t join orders o on o.order_id = t.order_id
     where o.status in ('failed', 'cancelled') order by 1, 2 limit ${MAX_FINDINGS}`,
  )
  return rows.map((row) => ({ ...row, chainId: Number(row.chainId) }))
}
