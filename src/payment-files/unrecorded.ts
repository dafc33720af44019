/** A payment file that went out and of which the database does not know that: nothing that is about it is taken in before it does. */
import { type FileOps, foldersOf } from '../bank-files/folder/layout.ts'
import { hashPutOut } from '../bank-files/folder/outgoing.ts'
import { FileWaitsError } from '../bank-files/refusal.ts'
import type { PaymentSetup } from '../bank-files/setup.ts'
import type { Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { isToPutOut, readLastNumber, type StoredFile } from './files.sql.ts'
import { everyPrefix } from './prefixes.ts'

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
  setup: Pick<PaymentSetup, 'prefix'>,
  messageId: string,
  stored: StoredFile | undefined,
): Promise<boolean> {
  const folders = foldersOf(folder)
  const [, prefix = '', number] = /^([A-Z0-9]{1,12})-(\d{8})$/.exec(messageId) ?? []
  const isExpected =
    stored === undefined
      ? number !== undefined && Number(number) > (await readLastNumber(tx, prefix))
      : await isToPutOut(tx, messageId)
  if (!isExpected || (await hashPutOut(fs, folders, messageId)) === undefined) return false
  // Others may put theirs there, too: those are never read back, and would be waited for for ever.
  return stored !== undefined || (await everyPrefix({ db: tx, fs, setup }, folders)).includes(prefix)
}
