/** What operators look at: money that nothing explains, files, and mints whose ringgit the bank has not seen. */
import type { Queryable } from '../db/database.ts'
import { MADE_OF } from './allocations.sql.ts'

export type ListedLine = {
  lineNo: bigint
  bankAccount: string
  statementId: string
  entry: number
  detail: number
  amountMicro: bigint
  bookedOn: string
  /** Who paid or was paid, and the bank's words, of `bank_details`. */
  bankId: string | null
  endToEndId: string | null
  reason: string | null
  /** The numbers of the lines that it was made of; null for what the bank has said. */
  madeOf: string | null
}

/** SQL: the columns of `ListedLine`, of a line `l` of the statement `s`. */
export const LISTED_LINE = `l.line_no as "lineNo", l.bank_account as "bankAccount", s.statement_id as "statementId", l.entry, l.detail,
    l.amount_micro as "amountMicro", l.booked_on::text as "bookedOn", l.bank_id as "bankId", l.end_to_end_id as "endToEndId", l.reason,
    ${MADE_OF} as "madeOf"`

/** Unallocated lines, oldest first. */
export async function listUnallocated(
  db: Queryable,
  { after, limit }: { after: bigint | undefined; limit: number },
): Promise<ListedLine[]> {
  return await db.query<ListedLine>(
    `select ${LISTED_LINE} from bank_lines l join bank_statements s using (statement_no)
     where l.state = 'unallocated' and l.line_no > $1 order by l.line_no limit $2`,
    [after ?? 0n, limit],
  )
}

export type ListedFile = {
  contentHash: string
  name: string
  definition: string | null
  messageId: string | null
  refusal: { code: string; sentence: string } | null
  /** Its statements that were withdrawn since, each with the reason; null where there is none. `all`: none of it is left. */
  withdrawn: { said: string; all: boolean } | null
  importedAt: Date
}

/** A page of files, the newest first, or of those that were set aside. @param after the hash of the file after which it begins */
export async function listFiles(
  db: Queryable,
  { onlySetAside, limit, after }: { onlySetAside: boolean; limit: number; after: string | undefined },
): Promise<ListedFile[]> {
  const rows = await db.query<{
    content_hash: string
    name: string
    definition: string | null
    message_id: string | null
    refusal_code: string | null
    refusal_sentence: string | null
    imported_at: Date
    withdrawn: string | null
    is_withdrawn: boolean | null
  }>(
    `with page as materialized (select content_hash, name, definition, message_id, refusal_code, refusal_sentence, imported_at from bank_imports
       where (not $1 or refusal_code is not null) and ($3::text is null or (imported_at, content_hash) <
         (select c.imported_at, c.content_hash from bank_imports c where c.content_hash = $3))
       order by imported_at desc, content_hash desc limit $2)
     select page.*, w.said as withdrawn, w.is_withdrawn from page
     left join (select s.content_hash, bool_and(s.withdrawn_at is not null) as is_withdrawn,
         string_agg(s.bank_account || '/' || s.statement_id || ' (' || s.withdrawn_for || ')', ', ' order by s.statement_no)
           filter (where s.withdrawn_at is not null) as said
       from bank_statements s where s.content_hash in (select content_hash from page) group by 1) w using (content_hash)
     order by imported_at desc, content_hash desc`,
    [onlySetAside, limit, after ?? null],
  )
  return rows.map((row) => ({
    contentHash: row.content_hash,
    name: row.name,
    definition: row.definition,
    messageId: row.message_id,
    refusal:
      row.refusal_code === null ? null : { code: row.refusal_code, sentence: row.refusal_sentence ?? row.refusal_code },
    withdrawn: row.withdrawn === null ? null : { said: row.withdrawn, all: row.is_withdrawn === true },
    importedAt: row.imported_at,
  }))
}

/**
 * Whether this very content was taken in before, and no statement of another file was withdrawn since because of which something of it may have been left
 * out. Not by which of the two came first: the clock of a database that has taken over may be behind.
 */
export async function wasTaken(db: Queryable, contentHash: string): Promise<boolean> {
  const rows = await db.query(
    `select from bank_imports i where content_hash = $1 and refusal_code is null
       and not exists (select from bank_statements s where s.content_hash <> i.content_hash and s.withdrawn_at > i.imported_at)`,
    [contentHash],
  )
  return rows.length > 0
}

/** `openMicro`: what of it is unpaid; of the oldest, all that the newer ones leave of what is receivable. */
export type UnpaidMint = {
  integrationId: string
  referenceId: string
  amountMicro: bigint
  openMicro: bigint
  completedAt: Date
}

/** How many of an integration's newest mints are looked through. */
const NEWEST_MINTS = 5_000

/**
 * Settled mints whose ringgit no line has paid by name, of one integration, newest first, until they come to
 * `receivableMicro`: what was paid as a sum settled the oldest of them.
 */
export async function listUnpaidMints(
  db: Queryable,
  integrationId: string,
  receivableMicro: bigint,
): Promise<UnpaidMint[]> {
  const rows = await db.query<{ reference_id: string; amount_micro: bigint; open_micro: string; completed_at: Date }>(
    `select reference_id, amount_micro, least(amount_micro, $2::numeric - newer)::text as open_micro, completed_at from (
       select o.reference_id, o.amount_micro, coalesce(o.updated_at, o.created_at) as completed_at, o.created_at,
         sum(o.amount_micro) over (order by o.created_at desc, o.order_id desc) - o.amount_micro as newer
       from (select * from orders where integration_id collate "C" = $1 and direction = 'MINT' and status = 'completed'
         order by created_at desc, order_id desc limit ${NEWEST_MINTS}) o
       where not exists (select from bank_paid_mints p where p.order_id = o.order_id)) m
     where newer < $2::numeric order by created_at desc limit 1000`,
    [integrationId, String(receivableMicro)],
  )
  return rows.map((row) => ({
    integrationId,
    referenceId: row.reference_id,
    amountMicro: row.amount_micro,
    openMicro: BigInt(row.open_micro),
    completedAt: row.completed_at,
  }))
}
