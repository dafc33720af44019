/** Files that the transport has brought and that were not taken in yet: what each waits for, and since when. */

import type { TakenFile } from '../bank-files/folder/incoming.ts'
import { FileWaitsError } from '../bank-files/refusal.ts'
import type { Queryable } from '../db/database.ts'

/** `reason`: what it waits for. */
export type LeftFile = { name: string; reason: string; since: Date }

const MOST_LISTED = 100
const OTHERWISE = 'It could not be read or taken in: the log of the payer says why.'

/** Keeps which files a round has left, and forgets those that it has not. */
export async function keepLeft(db: Queryable, files: readonly TakenFile[]): Promise<void> {
  const left = files.flatMap(({ name, contentHash, ...file }) =>
    file.result === 'left' ? [{ key: contentHash ?? name, name, reason: reasonOf(file.error) }] : [],
  )
  await db.query(
    `with gone as (delete from bank_left where not (file_key = any ($1::text[])))
     insert into bank_left as l (file_key, name, reason) select distinct on (k) k, n, left(r, 500) from unnest($1::text[], $2::text[], $3::text[]) as f (k, n, r)
     on conflict (file_key) do update set reason = excluded.reason where l.reason <> excluded.reason`,
    [left.map(({ key }) => key), left.map(({ name }) => name), left.map(({ reason }) => reason)],
  )
}

const AWAY = 'The folder could not be read: the log of the payer says why.'

/** Keeps that the folder itself cannot be read, and what was left in it before; the next round that reads it forgets that. */
export async function keepAway(db: Queryable, folder: string): Promise<void> {
  await db.query(
    'insert into bank_left (file_key, name, reason) values ($1, $1, $2) on conflict (file_key) do nothing',
    [folder, AWAY],
  )
}

/** Words of other errors may be anything, and stand in the log. */
function reasonOf(error: unknown): string {
  return error instanceof FileWaitsError ? error.message : OTHERWISE
}

/** How long the oldest of them has waited, in seconds; 0 when none does. */
export async function readLeftSeconds(db: Queryable): Promise<number> {
  const [row] = await db.query<{ seconds: number | null }>(
    'select extract(epoch from now() - min(since))::float8 as seconds from bank_left',
  )
  return row?.seconds ?? 0
}

/** Those that were left, the oldest first. */
export async function listLeft(db: Queryable): Promise<LeftFile[]> {
  return await db.query<LeftFile>(`select name, reason, since from bank_left order by since, name limit ${MOST_LISTED}`)
}
