/** Whether the folder is the one into which files were put before: where its disk is not mounted, its place is there all the same, and no bank sees it. */
import type { Folders } from '../bank-files/folder/layout.ts'
import { readPaymentFileBytes } from '../bank-files/folder/outgoing.ts'
import type { Queryable } from '../db/database.ts'
import { listPrefixes, readLastPutOut } from './files.sql.ts'
import type { FilingDeps } from './run.ts'

export class OtherFolderError extends Error {
  constructor(folder: string, messageId: string) {
    super(
      `${folder} does not hold ${messageId}, which was put out, or of which a bank has reported: is its disk mounted, and is it the folder of before? Where that file is gone for good, write an empty file kept/${messageId}.xml into it.`,
    )
  }
}

/** Where payment files lie, and how the next of them is called. */
export type Place = Pick<FilingDeps, 'fs' | 'folder'> & { setup: Pick<FilingDeps['setup'], 'prefix'> }

/**
 * Before the first file of a new prefix is put out, the newest of any other is looked for.
 * @throws OtherFolderError where the folder does not hold the newest file that was put out; nothing is put out then
 */
export async function refuseOtherFolder(
  { db, fs, folder, setup: { prefix } }: Place & { db: Queryable },
  folders: Folders,
): Promise<void> {
  const newest = (await readLastPutOut(db, prefix))?.messageId ?? (await readNewestOfOthers(db))
  if (newest === undefined || (await readPaymentFileBytes(fs, folders, newest)) !== undefined) return
  throw new OtherFolderError(folder, newest)
}

async function readNewestOfOthers(db: Queryable): Promise<string | undefined> {
  const last = await Promise.all((await listPrefixes(db)).map((each) => readLastPutOut(db, each)))
  const known = last.filter((each) => each !== undefined)
  return known.toSorted((a, b) => b.putOutAt.getTime() - a.putOutAt.getTime())[0]?.messageId
}
