/** Payment files that wait and that no key opens, set aside by operators: what is in them goes into the next file. */
import { foldersOf } from '../bank-files/folder/layout.ts'
import { hashPutOut } from '../bank-files/folder/outgoing.ts'
import type { Queryable } from '../db/database.ts'
import { type SecretBox, SecretBoxError } from '../secrets/secrets.ts'
import { lockNumbers, lockToPutOut, openFile, type StoredFile } from './files.sql.ts'
import { giveUpFile } from './give-up.ts'
import { listFiled } from './lost.sql.ts'
import { type Place, refuseOtherFolder } from './right-folder.ts'
import { listNotOut } from './unopened.sql.ts'

/** At a time: each is looked for in the folder. */
const MOST_WITHDRAWN = 1_000

/** `place`: where payment files lie; undefined in a process that has no such folder. */
export type UnopenedDeps = { secrets: SecretBox; place: Place | undefined }

export type Unopened = {
  messageId: string
  contentHash: string
  payments: number
  amountSen: bigint
}

/**
 * Those that would be withdrawn: payers have said that they do not open, they do not open here, and they did not go out. Where there is no folder nobody
 * knows that of a file with payments, and no payer looks. Held as they are until the transaction ends.
 * @throws OtherFolderError where the folder is not that into which files were put before: what went out would not be seen in it
 */
export async function lockUnopened(tx: Queryable, deps: UnopenedDeps): Promise<Unopened[]> {
  await lockNumbers(tx)
  if (deps.place !== undefined) await refuseOtherFolder({ db: tx, ...deps.place }, foldersOf(deps.place.folder))
  const files: Unopened[] = []
  for (const messageId of await listNotOut(tx, deps.place !== undefined, MOST_WITHDRAWN)) {
    const file = await lockToPutOut(tx, messageId)
    if (file === undefined || isOpened(deps.secrets, file)) continue
    const payments = await listFiled(tx, messageId)
    const mayBeOut = await (deps.place === undefined ? payments.length > 0 : isOut(deps.place, messageId))
    if (mayBeOut) continue
    const amountSen = payments.reduce((sum, payment) => sum + payment.amountSen, 0n)
    files.push({ messageId, contentHash: file.contentHash, payments: payments.length, amountSen })
  }
  return files
}

/** Withdraws them, as they were locked in this transaction. Their payments wait for the next file. */
export async function withdrawUnopened(
  tx: Queryable,
  { place }: UnopenedDeps,
  files: readonly Unopened[],
  reason: string,
): Promise<void> {
  const where = place && { fs: place.fs, folders: foldersOf(place.folder) }
  for (const { messageId } of files)
    await giveUpFile(tx, where, { messageId, reason: `it did not open, and was withdrawn: ${reason}` })
}

async function isOut({ fs, folder }: Place, messageId: string): Promise<boolean> {
  return (await hashPutOut(fs, foldersOf(folder), messageId)) !== undefined
}

function isOpened(secrets: SecretBox, file: StoredFile): boolean {
  try {
    openFile(secrets, file)
    return true
  } catch (error) {
    if (error instanceof SecretBoxError) return false
    throw error
  }
}
