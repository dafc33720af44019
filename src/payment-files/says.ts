/** What a payment file says that went out: as it is sealed, or where no key opens that, as our own copy of it lies in the folder. */
import { contentHashOf } from '../bank-files/definitions.ts'
import { foldersOf } from '../bank-files/folder/layout.ts'
import { readPaymentFileBytes } from '../bank-files/folder/outgoing.ts'
import { SecretBoxError, UnknownKeyError } from '../secrets/secrets.ts'
import { openFile, type StoredFile } from './files.sql.ts'
import { isCalledLost } from './lost.sql.ts'
import type { PlaceDeps } from './unrecorded.ts'

/**
 * The bytes of a file that was stored. A bank speaks of files for weeks after a key was lost, and a statement that names one would hold up all
 * that follow it.
 * @throws SecretBoxError when it does not open, and no copy with its digest is there
 */
async function readStored({ secrets, fs, folder }: Omit<PlaceDeps, 'tx'>, stored: StoredFile): Promise<Uint8Array> {
  try {
    return new Uint8Array(Buffer.from(openFile(secrets, stored), 'utf8'))
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error
    const copy = await readPaymentFileBytes(fs, foldersOf(folder), stored.messageId)
    if (copy === undefined || contentHashOf(copy) !== stored.contentHash) throw error
    return copy
  }
}

/**
 * The same; undefined where its key was called lost since, and no copy is there either: nobody will ever read it again.
 * @throws SecretBoxError where it may still be read
 */
export async function readUnlessLost(deps: PlaceDeps, stored: StoredFile): Promise<Uint8Array | undefined> {
  try {
    return await readStored(deps, stored)
  } catch (error) {
    if (error instanceof UnknownKeyError && (await isCalledLost(deps.tx, error.keyId, stored))) return undefined
    throw error
  }
}
