/**
 * SQL of the table `lost_keys`: people have said that a key which sealed who paid and was paid in statements is not to be had any more. Only
 * what was there when they said so counts: whoever changes rows past the service could put a lost key's name on a later seal.
 */
import type { Queryable } from '../db/database.ts'

/** What a key has sealed of statements that nobody has called lost yet. */
export type SealedUnder = {
  statements: bigint
  lines: bigint
  /** How many of these lines are still to be booked: those of a statement that waits for another are, too, once that comes. */
  unbooked: bigint
  /** Days on which the first and the last of these statements closed. */
  from: string
  until: string
  /** The newest of them, and when it was taken in: a process had the key then. */
  through: bigint
  lastSealed: Date
}

/** A line that was made of others shares their seal, and is none of the bank's. */
const SEALED_UNDER = `select count(distinct l.statement_no) as statements, count(*) as lines,
    count(*) filter (where l.state = 'unbooked') as unbooked, min(s.closed_on)::text as "from",
    max(s.closed_on)::text as until, max(l.statement_no) as through, max(s.imported_at) as "lastSealed"
  from bank_details d join bank_lines l using (bank_id) join bank_statements s using (statement_no)
  where starts_with(d.sealed, 'sb1.' || $1 || '.') and l.made_by is null and s.withdrawn_at is null and l.statement_no > $2
  having count(*) > 0`

/** Undefined where it has sealed nothing of them. */
export async function findSealedUnder(db: Queryable, keyId: string): Promise<SealedUnder | undefined> {
  const lostThrough = (await readLostThrough(db, keyId)) ?? 0n
  return (await db.query<SealedUnder>(SEALED_UNDER, [keyId, lostThrough]))[0]
}

/** The newest statement of which a key was called lost; undefined where nobody has said so. */
export async function readLostThrough(db: Queryable, keyId: string): Promise<bigint | undefined> {
  const [row] = await db.query<{ through: bigint }>(
    'select through_statement as through from lost_keys where key_id = $1 order by through_statement desc limit 1',
    [keyId],
  )
  return row?.through
}

/** Records it for good; once more of a key that was found, sealed more, and is lost again. @returns false when it was said before */
export async function insertLostKey(
  tx: Queryable,
  { keyId, through, reason }: { keyId: string; through: bigint; reason: string },
): Promise<boolean> {
  const rows = await tx.query(
    'insert into lost_keys (key_id, through_statement, reason) values ($1, $2, $3) on conflict do nothing returning key_id',
    [keyId, through, reason],
  )
  return rows.length > 0
}

/** The keys under which the lines of a statement are sealed. */
export async function readKeysOf(db: Queryable, statementNo: bigint): Promise<string[]> {
  const rows = await db.query<{ key: string }>(
    `select distinct split_part(d.sealed, '.', 2) as key from bank_lines l join bank_details d using (bank_id)
     where l.statement_no = $1 and l.entry > 0 and l.made_by is null order by key`,
    [statementNo],
  )
  return rows.map(({ key }) => key)
}
