/** The tables `reserve_proofs`, whose one row is the newest proof of reserves, and `reserve_proofs_of_days`, which has the last one of each day. */
import type { Queryable } from '../db/database.ts'
import { MISSING } from './beside-books.sql.ts'
import type { SignedReserves } from './statement.ts'

/**
 * The highest block of a chain `c` up to which every batch is in the books. The contract executes batches in their order, so one that is
 * signed below one that was found is executed, too: its transaction is not found yet, and is in any block from the batch before it on.
 */
export const DECIDED_BLOCK = `least(c.observed_block,
  (select min(b.mined_block) - 1 from batches b where b.chain_id = c.chain_id and b.status = 'mined'),
  (select coalesce((select p.mined_block - 1 from batches p
      where p.chain_id = c.chain_id and p.batch_id < l.batch_id and p.status in ('mined', 'final') order by p.batch_id desc limit 1), 0)
    from (select min(s.batch_id) as batch_id from batches s where s.chain_id = c.chain_id and s.status = 'signed') l
    where exists (select from batches f where f.chain_id = c.chain_id and f.batch_id > l.batch_id and f.status in ('mined', 'final'))))`

/** The id of the last batch of a chain that is final here, of ours or of others; 0 before the first. */
export async function readLastFinal(db: Queryable, chainId: number): Promise<bigint> {
  const [row] = await db.query<{ id: bigint }>(
    `select batch_id as id from batches where chain_id = $1 and status = 'final' order by batch_id desc limit 1`,
    [chainId],
  )
  return row?.id ?? 0n
}

/** The highest block of a chain up to which every batch is in the books; undefined while no settler has looked at it. */
export async function readDecidedBlock(db: Queryable, chainId: number): Promise<bigint | undefined> {
  const [row] = await db.query<{ block: bigint }>(
    `select ${DECIDED_BLOCK} as block from chains c where c.chain_id = $1`,
    [chainId],
  )
  return row?.block
}

/** Micro coin that is gone from its chain, and for which the books owe nothing yet. */
export async function readMissing(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ micro: string }>(`select ${MISSING}::text as micro`)
  return BigInt(row?.micro ?? 0)
}

/**
 * Keeps a proof as the newest one, and as that of its day in the books' time zone, unless a newer one is there. One from the future is none: the clock was set
 * back since it was made.
 */
export async function storeProof(db: Queryable, proof: SignedReserves): Promise<void> {
  await db.query(
    `with of_day as (
       insert into reserve_proofs_of_days as p (day, made_at, proof) select ($1::timestamptz at time zone timezone)::date, $1, $2::jsonb from ledger_book
       on conflict (day) do update set made_at = excluded.made_at, proof = excluded.proof where p.made_at <= excluded.made_at or p.made_at > now())
     insert into reserve_proofs as p (made_at, proof) values ($1, $2::jsonb)
     on conflict (is_only) do update set made_at = excluded.made_at, proof = excluded.proof where p.made_at <= excluded.made_at or p.made_at > now()`,
    [new Date(proof.madeAt), JSON.stringify(proof)],
  )
}

/** The last proof that was made on a day of the books; or, where there is none, of which day the last one before it is. */
export async function readProofOfDay(
  db: Queryable,
  day: string,
): Promise<{ proof: SignedReserves } | { newestBefore: string | undefined }> {
  const [row] = await db.query<{ day: string; proof: SignedReserves }>(
    'select day::text as day, proof from reserve_proofs_of_days where day <= $1::date order by day desc limit 1',
    [day],
  )
  return row?.day === day ? { proof: row.proof } : { newestBefore: row?.day }
}

/** The newest proof; undefined before the first. */
export async function readProof(db: Queryable): Promise<SignedReserves | undefined> {
  const [row] = await db.query<{ proof: SignedReserves }>('select proof from reserve_proofs')
  return row?.proof
}

/** How old the newest proof is, by the database's clock; undefined before the first. */
export async function readProofAge(db: Queryable): Promise<number | undefined> {
  const [row] = await db.query<{ age: number }>(
    'select extract(epoch from now() - made_at)::float8 * 1000 as age from reserve_proofs',
  )
  return row?.age
}

/** How long ago the first entry of the books was recorded, in milliseconds; undefined before it. */
export async function readBooksAge(db: Queryable): Promise<number | undefined> {
  const [row] = await db.query<{ age: number }>(
    'select extract(epoch from now() - recorded_at)::float8 * 1000 as age from ledger_entries order by entry_id limit 1',
  )
  return row?.age
}
