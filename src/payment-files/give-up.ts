/** Giving a stored payment file up that did not go out: what is still due of it goes into another one. */
import type { Folders } from '../bank-files/folder/layout.ts'
import { takeBackKept } from '../bank-files/folder/outgoing.ts'
import type { Queryable } from '../db/database.ts'
import { withdrawFile } from './files.sql.ts'
import { takeOutOfFile } from './payments.sql.ts'
import type { FilingDeps } from './run.ts'

/**
 * It never goes out from now on. The caller has locked it, and knows that it is not out.
 * @param place where our copy of it lies; undefined in a process that has no such folder
 */
export async function giveUpFile(
  tx: Queryable,
  place: { fs: FilingDeps['fs']; folders: Folders } | undefined,
  { messageId, reason }: { messageId: string; reason: string },
): Promise<void> {
  if (place !== undefined) await takeBackKept(place.fs, place.folders, messageId)
  // First: the database lets a payment out of no file that may still go out.
  await withdrawFile(tx, messageId, reason)
  await takeOutOfFile(tx, messageId)
}
