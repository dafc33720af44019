/** After a restore: what the folder holds was sent, so the database learns it from there. */
import { foldersOf } from '../bank-files/folder/layout.ts'
import { listPaymentFiles, readPaymentFileBytes } from '../bank-files/folder/outgoing.ts'
import { paymentsOf } from '../bank-files/payment-file/file.ts'
import { type ReadPaymentFile, readPaymentFile } from '../bank-files/payment-file/read.ts'
import type { Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { allowFiling, findFile, insertFile, listToPutOut, lockNumbers, readLastNumber } from './files.sql.ts'
import { takeOutOfFile, upsertReadBack } from './payments.sql.ts'
import type { FilingDeps } from './run.ts'

export type ReadBack = { files: { messageId: string; payments: number }[]; problems: string[] }

/** What a read-back would record: files as they lie there, and what is in the way. */
export type Unknown = {
  files: { messageId: string; contentHash: string; payments: number; amountSen: bigint }[]
  problems: string[]
}

type Reading = Pick<FilingDeps, 'fs' | 'folder' | 'setup'>
type ReadFile = { file: ReadPaymentFile; content: string }

/** What the folder held when a read-back began, for as long as its transaction lasts: what is approved in it is what it records. */
const held = new WeakMap<Queryable, Awaited<ReturnType<typeof readUnknown>>>()

/**
 * Records the payments of every file in the folder that the database does not know, or knows with other content and has
 * not put out, and lets files be written again. With a problem nothing is changed.
 * @param first called before anything is changed, @param also after all of it, in the same transaction
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
    for (const each of read) result.files.push(await record({ tx, secrets }, reading.setup.prefix, each))
    await allowFiling(tx)
    await also(tx, result)
    return result
  })
}

/** What a read-back would record now; within one, what it records. */
export async function findUnknown(tx: Queryable, reading: Reading): Promise<Unknown> {
  const { read, problems } = held.get(tx) ?? (await readUnknown(tx, reading))
  const files = read.map(({ file }) => {
    const payments = paymentsOf(file)
    const amountSen = payments.reduce((sum, payment) => sum + payment.amountSen, 0n)
    const { messageId, identity } = file
    return { messageId, contentHash: identity.contentHash, payments: payments.length, amountSen }
  })
  return { files, problems }
}

async function readUnknown(tx: Queryable, { fs, folder, setup }: Reading) {
  const folders = foldersOf(folder)
  const problems: string[] = []
  const read: ReadFile[] = []
  for (const { messageId, contentHash } of await listUnknown(tx, { fs, folders, prefix: setup.prefix })) {
    const known = await findFile(tx, messageId)
    if (known?.contentHash === contentHash) continue
    const bytes = await readPaymentFileBytes(fs, folders, messageId)
    const file = bytes === undefined ? undefined : readPaymentFile(bytes, setup.profile)
    if (known?.isPutOut) problems.push(`${messageId} was put out with other content.`)
    else if (file === undefined || bytes === undefined) problems.push(`${messageId} is gone.`)
    else if (!file.ok) problems.push(`${messageId}: ${file.refusal.sentence}`)
    else if (file.value.messageId !== messageId) problems.push(`${messageId} names itself otherwise.`)
    else read.push({ file: file.value, content: Buffer.from(bytes).toString('utf8') })
  }
  return { read, problems }
}

async function listUnknown(
  tx: Queryable,
  { fs, folders, prefix }: { fs: FilingDeps['fs']; folders: ReturnType<typeof foldersOf>; prefix: string },
) {
  const numbers = (await listToPutOut(tx, prefix)).map(({ fileNumber }) => fileNumber)
  const after = numbers.length === 0 ? await readLastNumber(tx, prefix) : Math.min(...numbers) - 1
  return await listPaymentFiles(fs, folders, { prefix, after })
}

async function record(
  { tx, secrets }: { tx: Queryable; secrets: SecretBox },
  prefix: string,
  { file, content }: ReadFile,
) {
  const { messageId, identity } = file
  const fileNumber = Number(messageId.slice(prefix.length + 1))
  await takeOutOfFile(tx, messageId)
  await insertFile(tx, secrets, { prefix, fileNumber, messageId, content, contentHash: identity.contentHash }, true)
  const payments = paymentsOf(file)
  for (const { endToEndId, amountSen, payee, isResident, remittanceText: remittance } of payments) {
    const payment = { endToEndId, payoutId: null, amountSen, ...payee, isResident, remittance }
    await upsertReadBack(tx, secrets, payment, messageId)
  }
  return { messageId, payments: payments.length }
}
