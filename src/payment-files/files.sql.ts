/** Numbered payment files, sealed because they name payees and their accounts, and the stop that keeps new ones back. */
import type { Queryable } from '../db/database.ts'
import type { SealedTable, SealedValue } from '../secrets/resealing.ts'
import type { SecretBox } from '../secrets/secrets.ts'

const NUMBERING_LOCK = 7_261_031

export type StoredFile = {
  messageId: string
  fileNumber: number
  /** See `openFile`. */
  sealed: string
  contentHash: string
  isPutOut: boolean
  /** It never goes out; what is still due of it is in another file, or will be. */
  isWithdrawn: boolean
}

type FileRow = {
  message_id: string
  file_number: number
  content: string
  content_hash: string
  is_put_out: boolean
  is_withdrawn: boolean
}

const COLUMNS =
  'message_id, file_number, content, content_hash, put_out_at is not null as is_put_out, withdrawn_at is not null as is_withdrawn'

function fileFromRow(row: FileRow): StoredFile {
  return {
    messageId: row.message_id,
    fileNumber: row.file_number,
    sealed: row.content,
    contentHash: row.content_hash,
    isPutOut: row.is_put_out,
    isWithdrawn: row.is_withdrawn,
  }
}

/** Waits until nobody else gives out numbers; holds until the transaction ends. */
export async function lockNumbers(tx: Queryable): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${NUMBERING_LOCK})`)
}

/** The highest number of a prefix; 0 when there is none. */
export async function readLastNumber(db: Queryable, prefix: string): Promise<number> {
  const [row] = await db.query<{ last: number | null }>(
    'select max(file_number) as last from payment_files where prefix = $1',
    [prefix],
  )
  return row?.last ?? 0
}

/** The prefixes of all files, each by a look into the index: there are few, and each has a file for every minute with payments. */
export async function listPrefixes(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ prefix: string }>(
    `select prefix from (
      with recursive known as (
        select (select prefix from payment_files order by prefix limit 1) as prefix
        union all
        select (select f.prefix from payment_files f where f.prefix > k.prefix order by f.prefix limit 1) from known k where k.prefix is not null)
      select prefix from known) p where prefix is not null`,
  )
  return rows.map(({ prefix }) => prefix)
}

/** The file of a prefix with the highest number that is known to lie in the folder; undefined when there is none. */
export async function readLastPutOut(
  db: Queryable,
  prefix: string,
): Promise<{ messageId: string; putOutAt: Date } | undefined> {
  const [row] = await db.query<{ message_id: string; put_out_at: Date }>(
    'select message_id, put_out_at from payment_files where prefix = $1 and put_out_at is not null order by file_number desc limit 1',
    [prefix],
  )
  return row && { messageId: row.message_id, putOutAt: row.put_out_at }
}

/** A file by the id of its message, whether or not it went out. */
export async function findFile(db: Queryable, messageId: string): Promise<StoredFile | undefined> {
  const [row] = await db.query<FileRow>(`select ${COLUMNS} from payment_files where message_id = $1`, [messageId])
  return row && fileFromRow(row)
}

/** What a file says. @throws SecretBoxError when it does not open */
export function openFile(secrets: SecretBox, { messageId, sealed }: StoredFile): string {
  return secrets.open(sealed, messageId)
}

/** SQL: whether a file is not known to lie in the folder, and is to. */
const IS_TO_PUT_OUT = 'put_out_at is null and withdrawn_at is null'

/**
 * Files that are not known to lie in the folder, in order; those that did not open come last. Of every prefix, unless one is named: a file
 * keeps its name when the bank profile gets another one.
 */
export async function listToPutOut(db: Queryable, prefix?: string): Promise<StoredFile[]> {
  const rows = await db.query<FileRow>(
    `select ${COLUMNS} from payment_files where ($1::text is null or prefix = $1) and ${IS_TO_PUT_OUT}
     order by not_opened_since nulls first, file_number limit 100`,
    [prefix ?? null],
  )
  return rows.map(fileFromRow)
}

/** Whether a file is one of these. */
export async function isToPutOut(db: Queryable, messageId: string): Promise<boolean> {
  const rows = await db.query(`select from payment_files where message_id = $1 and ${IS_TO_PUT_OUT}`, [messageId])
  return rows.length > 0
}

/** Such a file, locked; undefined when it is put out or withdrawn by now. */
export async function lockToPutOut(tx: Queryable, messageId: string): Promise<StoredFile | undefined> {
  const [row] = await tx.query<FileRow>(
    `select ${COLUMNS} from payment_files where message_id = $1 and ${IS_TO_PUT_OUT} for update`,
    [messageId],
  )
  return row && fileFromRow(row)
}

export type NewFile = { prefix: string; fileNumber: number; messageId: string; content: string; contentHash: string }

/** Stores a file under its number. `isReadBack`: it lies in the folder already, and what the database had under its name did not go out. */
export async function insertFile(
  tx: Queryable,
  secrets: SecretBox,
  file: NewFile,
  { isReadBack = false } = {},
): Promise<void> {
  const sealed = secrets.seal(file.content, file.messageId)
  await tx.query(
    `insert into payment_files (message_id, prefix, file_number, content, content_hash, is_read_back, put_out_at)
     values ($1, $2, $3, $4, $5, $6, case when $6 then now() end)
     on conflict (message_id) do update set content = excluded.content, content_hash = excluded.content_hash,
       is_read_back = true, put_out_at = now(), not_opened_since = null, withdrawn_at = null, withdrawn_for = null
     where excluded.is_read_back and payment_files.put_out_at is null`,
    [file.messageId, file.prefix, file.fileNumber, sealed, file.contentHash, isReadBack],
  )
}

/** It is known to lie in the folder. */
export async function markPutOut(db: Queryable, messageId: string): Promise<void> {
  await db.query(
    'update payment_files set put_out_at = now(), not_opened_since = null where message_id = $1 and put_out_at is null',
    [messageId],
  )
}

/** Says of a file that it waits because it does not open. */
export async function markFileUnopened(db: Queryable, messageId: string): Promise<void> {
  await db.query(
    'update payment_files set not_opened_since = now() where message_id = $1 and put_out_at is null and not_opened_since is null',
    [messageId],
  )
}

/** A file never goes out. Its number stays used up. */
export async function withdrawFile(tx: Queryable, messageId: string, reason: string): Promise<void> {
  await tx.query(
    `update payment_files set withdrawn_at = now(), withdrawn_for = left($2, 500), not_opened_since = null
     where message_id = $1 and put_out_at is null`,
    [messageId, reason],
  )
}

/** Why nothing may be filed; undefined when it may. */
export async function readStop(db: Queryable): Promise<{ reason: string; since: Date } | undefined> {
  const [row] = await db.query<{ reason: string; since: Date }>('select reason, since from payment_file_stop')
  return row
}

/** Nothing is filed from now on. Another reason replaces the one before; the stop stays as old as it is. */
export async function stopFiling(db: Queryable, reason: string): Promise<void> {
  await db.query(
    `insert into payment_file_stop (reason) values ($1) on conflict (is_only) do update set reason = excluded.reason
     where payment_file_stop.reason <> excluded.reason`,
    [reason],
  )
}

/** Ends the stop. */
export async function allowFiling(tx: Queryable): Promise<void> {
  await tx.query('delete from payment_file_stop')
}

/** Payment files, as far as they are sealed under an earlier key. */
export const SEALED_FILES: SealedTable<Queryable> = {
  name: 'payment_files',
  find: (tx, { prefix, after, limit }) =>
    tx.query<SealedValue>(
      `select message_id as key, message_id as "boundTo", content as sealed from payment_files
       where not starts_with(content, $1) and message_id collate "C" > $2 order by message_id collate "C" limit $3::int`,
      [prefix, after, limit],
    ),
  async replace(tx, { key, sealed }, { sealed: anew }) {
    const rows = await tx.query(
      'update payment_files set content = $3 where message_id = $1 and content = $2 returning message_id',
      [key, sealed, anew],
    )
    return rows.length > 0
  },
}
