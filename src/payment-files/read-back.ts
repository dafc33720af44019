/** After a restore: what the folder holds was sent, so the database learns it from there. */
import { foldersOf } from '../bank-files/folder/layout.ts'
import { hashPutOut, listPaymentFiles, readPaymentFileBytes } from '../bank-files/folder/outgoing.ts'
import { paymentsOf } from '../bank-files/payment-file/file.ts'
import { type ReadSentFile, readSentFile } from '../bank-files/payment-file/read.ts'
import type { Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import {
  allowFiling,
  findFile,
  insertFile,
  listToPutOut,
  lockNumbers,
  lockToPutOut,
  readLastNumber,
} from './files.sql.ts'
import { giveUpFile } from './give-up.ts'
import { takeOutOfFile, upsertReadBack } from './payments.sql.ts'
import { everyPrefix } from './prefixes.ts'
import { refuseOtherFolder } from './right-folder.ts'
import type { FilingDeps } from './run.ts'

/** `wentOut`: whether the transport had it; of what was only kept the folder says that it never went out. */
export type ReadBack = { files: { messageId: string; payments: number; wentOut: boolean }[]; problems: string[] }

/** What a read-back would record: files as they lie there, and what is in the way. */
export type Unknown = {
  files: { messageId: string; contentHash: string; payments: number; amountSen: bigint; wentOut: boolean }[]
  problems: string[]
}

type Reading = Pick<FilingDeps, 'fs' | 'folder' | 'setup'>
type ReadFile = { file: ReadSentFile; content: string; wentOut: boolean }

/** What the folder held when a read-back began, for as long as its transaction lasts: what is approved in it is what it records. */
const held = new WeakMap<Queryable, Awaited<ReturnType<typeof readUnknown>>>()

/**
 * Records the payments of every file in the folder that the database does not know, or knows with other content and has
 * not put out, and lets files be written again. With a problem nothing is changed.
 * @throws OtherFolderError where the folder is not that into which files were put before
 * @param also called after all of it, in the same transaction
 * @param first called in it before anything is changed
 */
export async function readBack(
  { db, secrets, ...reading }: Reading & Pick<FilingDeps, 'db' | 'secrets'>,
  also: (tx: Queryable, result: ReadBack) => Promise<void> = async () => {},
  first: (tx: Queryable) => Promise<void> = async () => {},
): Promise<ReadBack> {
  return await db.transaction(async (tx) => {
    await lockNumbers(tx)
    const there = await readUnknown(tx, reading)
    held.set(tx, there)
    await first(tx)
    const { read, problems } = there
    const result: ReadBack = { files: [], problems }
    if (problems.length > 0) return result
    for (const each of read) result.files.push(await record({ tx, secrets, ...reading }, each))
    await allowFiling(tx)
    await also(tx, result)
    return result
  })
}

/** What a read-back would record now; within one, what it records. @throws OtherFolderError as `readBack` */
export async function findUnknown(tx: Queryable, reading: Reading): Promise<Unknown> {
  const { read, problems } = held.get(tx) ?? (await readUnknown(tx, reading))
  const files = read.map(({ file, wentOut }) => {
    const payments = paymentsOf(file)
    const amountSen = payments.reduce((sum, payment) => sum + payment.amountSen, 0n)
    const { messageId, identity } = file
    return { messageId, contentHash: identity.contentHash, payments: payments.length, amountSen, wentOut }
  })
  return { files, problems }
}

async function readUnknown(tx: Queryable, { fs, folder, setup }: Reading) {
  const folders = foldersOf(folder)
  // Beside a disk that is not mounted there is nothing to read back, and files would be written again.
  await refuseOtherFolder({ db: tx, fs, folder, setup }, folders)
  const problems: string[] = []
  const read: ReadFile[] = []
  for (const { messageId, contentHash, isPutOut } of await listUnknown(tx, { fs, folders, setup })) {
    const known = await findFile(tx, messageId)
    if (known?.contentHash === contentHash) continue
    const bytes = await readPaymentFileBytes(fs, folders, messageId)
    const file = bytes === undefined ? undefined : readSentFile(bytes, setup.profile)
    // Written by operators, as `OtherFolderError` says.
    if (known?.isPutOut && !isPutOut && bytes?.length === 0) continue
    if (known?.isPutOut) problems.push(`${messageId} was put out with other content.`)
    else if (file === undefined || bytes === undefined) problems.push(`${messageId} is gone.`)
    else if (!file.ok) problems.push(`${messageId}: ${file.refusal.sentence}`)
    else if (file.value.messageId !== messageId) problems.push(`${messageId} names itself otherwise.`)
    else read.push({ file: file.value, content: Buffer.from(bytes).toString('utf8'), wentOut: isPutOut })
  }
  return { read, problems }
}

async function listUnknown(
  tx: Queryable,
  { fs, folders, setup }: Pick<Reading, 'fs' | 'setup'> & { folders: ReturnType<typeof foldersOf> },
) {
  const files = []
  for (const prefix of await everyPrefix({ db: tx, fs, setup }, folders)) {
    const numbers = (await listToPutOut(tx, prefix)).map(({ fileNumber }) => fileNumber)
    const after = numbers.length === 0 ? await readLastNumber(tx, prefix) : Math.min(...numbers) - 1
    files.push(...(await listPaymentFiles(fs, folders, { prefix, after })))
  }
  return files
}

async function record(
  { tx, secrets, ...place }: Recording,
  { file, content, wentOut }: ReadFile,
): Promise<ReadBack['files'][number]> {
  const { messageId, identity } = file
  const [prefix = '', number] = messageId.split('-')
  const fileNumber = Number(number)
  await takeOutOfFile(tx, messageId)
  const stored = { prefix, fileNumber, messageId, content, contentHash: identity.contentHash }
  await insertFile(tx, secrets, stored, { isReadBack: true })
  const payments = paymentsOf(file)
  const former = new Set<string>()
  for (const { endToEndId, amountSen, payee, isResident, remittanceText: remittance } of payments) {
    const payment = { endToEndId, payoutId: null, amountSen, ...payee, isResident, remittance }
    const before = await upsertReadBack(tx, secrets, payment, messageId)
    if (before !== undefined) former.add(before)
  }
  for (const before of former) await withdrawFormer({ tx, ...place }, before, messageId)
  return { messageId, payments: payments.length, wentOut }
}

type Recording = Reading & { tx: Queryable; secrets: SecretBox }

/**
 * The history that is lost had withdrawn a file that this state has still to put out, and sent its payments in another one. It never goes
 * out: they would be paid twice.
 */
async function withdrawFormer(
  { tx, fs, folder }: Pick<Recording, 'tx' | 'fs' | 'folder'>,
  former: string,
  messageId: string,
): Promise<void> {
  const folders = foldersOf(folder)
  // Locked first: a payer that is putting it out just then has done so before the folder is asked.
  if ((await lockToPutOut(tx, former)) === undefined || (await hashPutOut(fs, folders, former)) !== undefined) return
  await giveUpFile(tx, { fs, folders }, { messageId: former, reason: `its payments went out in ${messageId}` })
}
