/** The audit log as a sealed log. */
import type { Queryable } from '../db/database.ts'
import { GENESIS, type Seal, type SealedEntry } from '../seals/chain.ts'
import type { InsertedRange, InsertedStep, SealedLog, StoredSeal, Unsealed } from '../seals/sealed-log.ts'
import { type SealRow, sealedInstant, storedSealFromRow } from '../seals/sealing.sql.ts'

/** Every column of an entry `a`, as text: jsonb says the same in one way only. */
const COVERED = `a.audit_id, jsonb_build_array(${sealedInstant('a.created_at')}, a.actor, a.origin, a.action, a.target,
  a.details::text, a.before::text, a.after::text) as fields`

type Row = { audit_id: bigint; fields: unknown[] }

const entryOf = ({ audit_id: entryId, fields }: Row): SealedEntry => ({ entryId, fields })

async function readNewest(db: Queryable): Promise<Seal> {
  const [row] = await db.query<Seal>(
    `select position, encode(hash, 'hex') as hash from audit_seals order by position desc limit 1`,
  )
  return row ?? GENESIS
}

async function readUnsealed(tx: Queryable, limit: number): Promise<Unsealed<SealedEntry>[]> {
  const rows = await tx.query<Row & { is_sealed: boolean }>(
    `select ${COVERED}, (select position from audit_seals s where s.audit_id = a.audit_id) is not null as is_sealed
     from (select audit_id from audit_unsealed order by audit_id limit $1) u join audit_log a using (audit_id) order by a.audit_id`,
    [limit],
  )
  return rows.map(({ is_sealed: isSealed, ...row }) => ({ ...entryOf(row), isSealed }))
}

async function store(
  tx: Queryable,
  seals: readonly (Seal & { entryId: bigint })[],
  entryIds: readonly bigint[],
): Promise<void> {
  await tx.query(
    `with done as (delete from audit_unsealed where audit_id = any ($4::bigint[]))
     insert into audit_seals (position, audit_id, hash)
     select s.position, s.audit_id, decode(s.hash, 'hex')
     from unnest($1::bigint[], $2::bigint[], $3::text[]) as s (position, audit_id, hash)`,
    [
      seals.map(({ position }) => position),
      seals.map(({ entryId }) => entryId),
      seals.map(({ hash }) => hash),
      entryIds,
    ],
  )
}

async function readSeals(
  db: Queryable,
  { after, until, limit }: { after: bigint; until: bigint; limit: number },
): Promise<StoredSeal<SealedEntry>[]> {
  const rows = await db.query<SealRow<Row>>(
    `select s.position, s.audit_id as sealed_id, encode(s.hash, 'hex') as hash, a.audit_id is not null as is_there, ${COVERED}
     from audit_seals s left join audit_log a using (audit_id)
     where s.position > $1 and s.position <= $2 order by s.position limit $3`,
    [after, until, limit],
  )
  return rows.map((row) => storedSealFromRow(row, entryOf))
}

async function count(db: Queryable): Promise<{ highest: bigint; entries: bigint }> {
  const [row] = await db.query<{ highest: bigint; entries: bigint }>(
    'select coalesce(max(audit_id), 0) as highest, count(*) as entries from audit_log',
  )
  return row ?? { highest: 0n, entries: 0n }
}

async function findInserted(db: Queryable, { after, until, limit }: InsertedRange): Promise<InsertedStep> {
  const [row] = await db.query<InsertedStep>(
    `with step as materialized (select audit_id from audit_log
       where ($1::bigint is null or audit_id > $1) and audit_id <= $2 order by audit_id limit $3::int)
     select max(a.audit_id) as last, min(a.audit_id) filter (where
       not exists (select from audit_seals s where s.audit_id = a.audit_id)
       and not exists (select from audit_unsealed u where u.audit_id = a.audit_id)) as inserted
     from step a`,
    [after, until, limit],
  )
  return row ?? { last: null, inserted: null }
}

/** How long the oldest line of the audit log has waited for its seal, in seconds: more than a few say that none is made. */
export async function readUnsealedSeconds(db: Queryable): Promise<number> {
  const [row] = await db.query<{ seconds: number }>(
    `select greatest(extract(epoch from now() - a.created_at), 0)::float8 as seconds
     from audit_unsealed u join audit_log a using (audit_id) order by u.audit_id limit 1`,
  )
  return row?.seconds ?? 0
}

export const SEALED_AUDIT: SealedLog = {
  name: 'audit log',
  sentence: 'the audit log was sealed',
  lock: 7_261_020,
  readNewest,
  readUnsealed,
  store,
  readSeals,
  count,
  findInserted,
}
