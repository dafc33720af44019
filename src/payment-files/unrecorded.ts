/** A payment file that went out and of which the database does not know that: nothing that is about it is taken in before it does. */
import { type FileOps, foldersOf } from '../bank-files/folder/layout.ts'
import { hashPutOut } from '../bank-files/folder/outgoing.ts'
import { FileWaitsError } from '../bank-files/refusal.ts'
import type { Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { isToPutOut, readLastNumber, type StoredFile } from './files.sql.ts'

/** Ask again: what is about the file is taken in once the database knows of it. */
export class UnrecordedFileError extends FileWaitsError {
  constructor(messageId: string) {
    super(
      `${messageId} lies in the folder, and the database does not know yet that it went out: within a minute it does or, after a restore, once "coin bank read-back --reason …" was run.`,
    )
  }
}

export type PlaceDeps = { tx: Queryable; secrets: SecretBox; fs: FileOps; folder: string }

/**
 * Whether a file went out of which the database does not know that: the process was killed in between, or the database was restored. A line is
 * taken apart when it is taken in, or never.
 */
export async function isUnrecorded(
  { tx, fs, folder }: Omit<PlaceDeps, 'secrets'>,
  messageId: string,
  stored: StoredFile | undefined,
): Promise<boolean> {
  // Of any prefix: the bank profile may have got another one since.
  const [, prefix = '', number] = /^([A-Z0-9]{1,12})-(\d{8})$/.exec(messageId) ?? []
  const isExpected =
    stored === undefined
      ? number !== undefined && Number(number) > (await readLastNumber(tx, prefix))
      : await isToPutOut(tx, messageId)
  return isExpected && (await hashPutOut(fs, foldersOf(folder), messageId)) !== undefined
}
