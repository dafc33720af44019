/**
 * Hands payment files over to the bank's transport, each number once.
 *
 * A file is first kept (in `kept`, under a name that nothing overwrites), then put out. After a kill in between, the
 * same call goes on where it stopped. To see whether a file was put out, look in `out` first and then in `out/taken`:
 * the transport moves files one way only, so none can slip past and be put out a second time.
 */
import path from 'node:path'
import { contentHashOf } from '../definitions.ts'
import { type FileOps, type Folders, syncFolder, undefinedWhenMissing } from './layout.ts'
import { readIfThere, writeNew } from './write-new.ts'

export type HandOver =
  | { result: 'handed_over' }
  /** The same bytes were put out before. */
  | { result: 'already_handed_over' }
  /** Another file has this number: the database is behind what was sent. Nothing was written. */
  | { result: 'number_taken'; contentHash: string }

/** The file name of a payment file. */
function fileNameOf(messageId: string): string {
  return `${messageId}.xml`
}

/**
 * Keeps a payment file and puts it out. Repeating it with the same bytes changes nothing.
 * @param mayStill rejects where this process may not put it out any more, because it slept, or its disk did
 */
export async function handOver(
  fs: FileOps,
  folders: Folders,
  file: { messageId: string; bytes: Uint8Array },
  mayStill: () => Promise<unknown>,
): Promise<HandOver> {
  const name = fileNameOf(file.messageId)
  const contentHash = contentHashOf(file.bytes)
  // A file that is out but not kept was put there by another service, or before `kept` was lost.
  const putOut = await hashPutOut(fs, folders, file.messageId)
  if (putOut !== undefined && putOut !== contentHash) return { result: 'number_taken', contentHash: putOut }
  if ((await writeNew(fs, folders.kept, name, file.bytes, mayStill)) === 'exists') {
    const kept = contentHashOf((await readIfThere(fs, folders.kept, name)) ?? new Uint8Array())
    if (kept !== contentHash) return { result: 'number_taken', contentHash: kept }
  }
  const before = await hashPutOut(fs, folders, file.messageId)
  if (before !== undefined) return sameOrTaken(before, contentHash)
  if ((await writeNew(fs, folders.out, name, file.bytes, mayStill)) === 'written') return { result: 'handed_over' }
  return sameOrTaken((await hashPutOut(fs, folders, file.messageId)) ?? contentHash, contentHash)
}

/** Says of our copy of a file that it was never put out, so that after a restore nobody believes that it was sent. */
export async function takeBackKept(fs: FileOps, { kept }: Folders, messageId: string): Promise<void> {
  const name = path.join(kept, fileNameOf(messageId))
  await fs.rename(name, `${name}.withdrawn`).catch(undefinedWhenMissing)
  await syncFolder(fs, kept)
}

function sameOrTaken(found: string, wanted: string): HandOver {
  return found === wanted ? { result: 'already_handed_over' } : { result: 'number_taken', contentHash: found }
}

/** The content hash of a file that was put out. The order of the two look-ups matters; see the top of this file. */
export async function hashPutOut(fs: FileOps, { out, taken }: Folders, messageId: string): Promise<string | undefined> {
  const name = fileNameOf(messageId)
  const bytes = (await readIfThere(fs, out, name)) ?? (await readIfThere(fs, taken, name))
  return bytes === undefined ? undefined : contentHashOf(bytes)
}

export type PaymentFileThere = { messageId: string; contentHash: string; isKept: boolean; isPutOut: boolean }

/**
 * The payment files of a prefix in the folders whose number is above `after`, in order. One that the database does not
 * know was sent by a later state of the database, or by another service: nothing more may be sent until it has been
 * read back.
 */
export async function listPaymentFiles(
  fs: FileOps,
  folders: Folders,
  { prefix, after }: { prefix: string; after: number },
): Promise<PaymentFileThere[]> {
  const listed = await Promise.all([folders.out, folders.taken, folders.kept].map((folder) => fs.readdir(folder)))
  const names = new Set(listed.flat().filter((name) => (numberOf(name, prefix) ?? 0) > after))
  const files: PaymentFileThere[] = []
  for (const name of [...names].sort()) {
    const kept = await readIfThere(fs, folders.kept, name)
    const messageId = name.slice(0, -'.xml'.length)
    const putOut = await hashPutOut(fs, folders, messageId)
    const contentHash = putOut ?? (kept === undefined ? undefined : contentHashOf(kept))
    if (contentHash === undefined) continue
    files.push({ messageId, contentHash, isKept: kept !== undefined, isPutOut: putOut !== undefined })
  }
  return files
}

/** The prefixes of the payment files that we have kept. */
export async function listKeptPrefixes(fs: FileOps, { kept }: Folders): Promise<string[]> {
  const names = await fs.readdir(kept)
  return [...new Set(names.flatMap((name) => /^([A-Z0-9]{1,12})-\d{8}\.xml$/.exec(name)?.[1] ?? []))]
}

function numberOf(name: string, prefix: string): number | undefined {
  const number = name.startsWith(`${prefix}-`) ? /^(\d{8})\.xml$/.exec(name.slice(prefix.length + 1))?.[1] : undefined
  return number === undefined ? undefined : Number(number)
}

/** The bytes of a payment file, in whichever folder it lies. */
export async function readPaymentFileBytes(
  fs: FileOps,
  folders: Folders,
  messageId: string,
): Promise<Uint8Array | undefined> {
  const name = fileNameOf(messageId)
  for (const folder of [folders.out, folders.taken, folders.kept]) {
    const bytes = await readIfThere(fs, folder, name)
    if (bytes !== undefined) return bytes
  }
  return undefined
}
