/**
 * Under which prefixes payment files may have been put out. The bank profile may have got another one since the backup that was restored: what went out
 * under the one before is known to the folder alone, and would be paid again.
 */
import type { FileOps, Folders } from '../bank-files/folder/layout.ts'
import { listKeptPrefixes } from '../bank-files/folder/outgoing.ts'
import type { Queryable } from '../db/database.ts'
import { listPrefixes } from './files.sql.ts'

/** That of the profile first, then those of which the database or the folder has files. */
export async function everyPrefix(
  { db, fs, setup: { prefix } }: { db: Queryable; fs: FileOps; setup: { prefix: string } },
  folders: Folders,
): Promise<string[]> {
  return [...new Set([prefix, ...(await listPrefixes(db)), ...(await listKeptPrefixes(fs, folders))])]
}
