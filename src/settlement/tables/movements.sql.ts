/** The table `foreign_movements`: what happened on a chain that nobody here asked for. */
import type { Address, Hex } from 'viem'
import type { Queryable } from '../../db/database.ts'

export const MOVEMENT_KINDS = ['batch', 'supply', 'role', 'limit', 'code', 'timelock'] as const
export type MovementKind = (typeof MOVEMENT_KINDS)[number]

/** A transaction behind a movement. Amounts in coin, as decimal strings; null where they are not known. */
export type MovementTransaction = {
  txHash: Hex
  block: string | null
  from: Address | null
  to: Address | null
  amount: string | null
}

export type Movement = {
  kind: MovementKind
  /** One sentence without its full stop. */
  details: string
  afterBlock: bigint
  seenBlock: bigint
  /** Of a batch, with the digest of its instructions. */
  batchId?: bigint
  digest?: string
  /** How much more coin exists than batches have made. */
  amountMicro?: bigint
  transactions: readonly MovementTransaction[]
  /** Whether nothing is settled until an operator resumes the chain. */
  pauses: boolean
}

const MAX_TRANSACTIONS = 100

/** Of a movement `m` that was ended: its batch was given up since, and is not final. */
const IS_GIVEN_UP = `m.ended_at is not null and exists (select from batches b where b.chain_id = m.chain_id and b.batch_id = m.batch_id
    and b.taken_back > 0 and not (b.status = 'final' and b.digest = m.digest))`

/**
 * Records a movement, under the chain's lease. Returns false for a batch that is recorded already; one with other instructions under its id is not, nor one
 * that was given up since it was ended: executed once more, nobody has said anything of it.
 */
export async function insertMovement(tx: Queryable, chainId: number, movement: Movement): Promise<boolean> {
  const rows = await tx.query(
    `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, batch_id, amount_micro, transactions, pauses, digest)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 where not exists (
       select from foreign_movements m where m.chain_id = $1 and m.batch_id = $6 and m.digest = $10 and not (${IS_GIVEN_UP}))
     on conflict (chain_id, batch_id, digest) where ended_at is null do nothing returning movement_id`,
    [
      chainId,
      movement.kind,
      movement.details,
      movement.afterBlock,
      movement.seenBlock,
      movement.batchId ?? null,
      movement.amountMicro === undefined ? null : String(movement.amountMicro),
      JSON.stringify(movement.transactions.slice(0, MAX_TRANSACTIONS)),
      movement.pauses,
      movement.digest ?? null,
    ],
  )
  return rows.length > 0
}

/**
 * Takes an operator's word that what was seen on a chain is known. Settlement goes on there, unless more was seen. Returns those that were open.
 * @param upTo the newest that they have seen
 */
export async function endMovements(tx: Queryable, chainId: number, upTo: bigint): Promise<bigint[]> {
  const rows = await tx.query<{ id: bigint }>(
    `update foreign_movements set ended_at = now()
     where chain_id = $1 and ended_at is null and movement_id <= $2 returning movement_id as id`,
    [chainId, upTo],
  )
  return rows.map(({ id }) => id).sort((a, b) => Number(a - b))
}

/** Ends the movement that a batch was, because it has been explained; not that of another, which a reorganisation has taken from its id. */
export async function endMovementOf(tx: Queryable, chainId: number, batchId: bigint): Promise<void> {
  await tx.query(
    `update foreign_movements m set ended_at = now() from batches b
     where m.chain_id = $1 and m.batch_id = $2 and m.ended_at is null
       and b.chain_id = m.chain_id and b.batch_id = m.batch_id and b.digest = m.digest`,
    [chainId, batchId],
  )
}

/** The newest movement of any chain; undefined when there was none. */
export async function newestMovement(db: Queryable): Promise<bigint | undefined> {
  const [row] = await db.query<{ movement_id: bigint }>(
    'select movement_id from foreign_movements order by movement_id desc limit 1',
  )
  return row?.movement_id
}

/** Whether something was seen on a chain under this number, known by now or not. */
export async function isMovement(db: Queryable, chainId: number, movementId: bigint): Promise<boolean> {
  const seen = 'select from foreign_movements where chain_id = $1 and movement_id = $2'
  return (await db.query(seen, [chainId, movementId])).length > 0
}

/** How many of what was seen on a chain, or on all, up to this number no operator has acknowledged, and the oldest of them. */
export async function countOpenMovements(
  db: Queryable,
  { chainId, upTo }: { chainId: number | undefined; upTo?: bigint },
): Promise<{ count: number; oldest: bigint | null }> {
  const [row] = await db.query<{ count: bigint; oldest: bigint | null }>(
    `select count(*) as count, min(movement_id) as oldest from foreign_movements
     where ended_at is null and ($1::bigint is null or chain_id = $1) and ($2::bigint is null or movement_id <= $2)`,
    [chainId ?? null, upTo ?? null],
  )
  return { count: Number(row?.count ?? 0n), oldest: row?.oldest ?? null }
}

export type SeenMovement = { movementId: bigint; chainId: number; details: string; seenBlock: bigint; seenAt: Date }

/** What was seen on a chain, or on all, that no operator has acknowledged; newest first, at most `limit`. */
export async function listOpenMovements(
  db: Queryable,
  { chainId, limit, upTo }: { chainId: number | undefined; limit: number; upTo?: bigint },
): Promise<SeenMovement[]> {
  const rows = await db.query<{
    movement_id: bigint
    chain_id: bigint
    details: string
    seen_block: bigint
    seen_at: Date
  }>(
    `select movement_id, chain_id, details, seen_block, seen_at from foreign_movements
     where ended_at is null and ($1::bigint is null or chain_id = $1) and ($3::bigint is null or movement_id <= $3)
     order by movement_id desc limit $2::int`,
    [chainId ?? null, limit, upTo ?? null],
  )
  return rows.map((row) => ({
    movementId: row.movement_id,
    chainId: Number(row.chain_id),
    details: row.details,
    seenBlock: row.seen_block,
    seenAt: row.seen_at,
  }))
}
