/**
 * Takes in what the bank's transport brought, each content once.
 *
 * A file is claimed by moving it into `working` under a name of its own, so that the transport may bring another file
 * of the same name meanwhile. Then it is read, given to `take`, and moved to `done` or, with a reason beside it, to
 * `set-aside`. If the process is killed anywhere, the next run finds the file in `in` or in `working` and does the
 * rest; `take` recognises by the content's hash what it has already applied. The same holds where two processes read the
 * folder for a while: a file that the other one is working on looks like one that was left, and may vanish at any moment.
 */
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { contentHashOf } from '../definitions.ts'
import type { FileRefusal } from '../refusal.ts'
import { type FileOps, type Folders, syncFolder, undefinedWhenMissing } from './layout.ts'
import { readUpTo } from './read-up-to.ts'
import { removeLeftParts, replaceFile } from './write-new.ts'

export type IncomingFile = { name: string; bytes: Uint8Array; contentHash: string }

/** `leftOut`: statements of it that do not count, because others had told them or they are about none of our accounts, each with the reason. */
export type Taken =
  | { result: 'applied'; leftOut?: readonly string[] }
  | { result: 'repeated' }
  | { result: 'refused'; refusal: FileRefusal }

/**
 * Applies a file whole or not at all. It must answer `repeated` to a content hash it has seen. When it throws, the file
 * stays for the next run. `hasLeft`: whether a file before it was left for the next run, or is in the hands of another process.
 */
export type Take = (file: IncomingFile, hasLeft: boolean) => Promise<Taken>

export type IncomingBounds = {
  maxBytes: number
  /** The most files of one run; the rest wait for the next. */
  maxFiles: number
  /** Files changed more recently are left alone: the transport may still be writing them. */
  minAgeMs: number
}

export const INCOMING_BOUNDS: IncomingBounds = { maxBytes: 16 * 2 ** 20, maxFiles: 1_000, minAgeMs: 10_000 }

/** A file that is too large to be read, and so is not given to `take`. `contentHash`: of its beginning. */
export type Unread = { name: string; contentHash: string; refusal: FileRefusal }

export type IncomingDeps = {
  fs: FileOps
  folders: Folders
  now: () => Date
  bounds?: IncomingBounds
  /** Keeps why a file was not read, before it is set aside. When it throws, the file stays for the next run. */
  keepUnread?: (file: Unread) => Promise<void>
}

/** `left`: reading or taking it failed; it stays in `working` and is tried again by the next run. */
export type TakenFile = { name: string; contentHash: string | null } & (Taken | { result: 'left'; error: unknown })

/**
 * Takes in what is there: first what an earlier run left, then what is new, by name; of all that, status reports first, because a statement
 * may be about what they say. A file that fails does not stop the others.
 */
export async function takeIncoming(deps: IncomingDeps, take: Take): Promise<TakenFile[]> {
  const { fs, folders, now } = deps
  await removeLeftParts(fs, folders.setAside, now())
  // What moves on meanwhile, by another process, is seen at least once in this order.
  const brought = await listIncoming(deps)
  const left = (await fs.readdir(folders.working)).sort(byOwnName)
  const all = [
    ...left.map((name) => ({ folder: folders.working, name })),
    ...brought.map((name) => ({ folder: folders.in, name })),
  ]
  const reports: typeof all = []
  const others: typeof all = []
  for (const file of all) ((await isReport(fs, path.join(file.folder, file.name))) ? reports : others).push(file)
  const taken: TakenFile[] = []
  let isElsewhere = false
  for (const { folder, name } of [...reports, ...others]) {
    // Each when its turn comes: until then it lies under the name that gives it its place, whoever reads the folder next.
    const claimed = folder === folders.working ? name : await claim(fs, folders, name)
    if (claimed === undefined) {
      isElsewhere = true
      continue
    }
    const hasLeft = isElsewhere || taken.some(({ result }) => result === 'left')
    const one = await takeOne(deps, claimed, (file) => take(file, hasLeft))
    if (one !== undefined) taken.push(one)
  }
  return taken
}

/** Where a file's beginning names the message that it is. */
const BEGINNING = 4_096

/** Whether it looks like a status report. What cannot be read is none: why not is said when it is taken. */
async function isReport(fs: FileOps, file: string): Promise<boolean> {
  const beginning = await readUpTo(fs, file, BEGINNING).catch(() => new Uint8Array())
  return Buffer.from(beginning).includes('pain.002.001')
}

/** The name under which the transport brought a claimed file. */
const ownNameOf = (claimed: string) => claimed.slice(claimed.indexOf('.') + 1)

/** What is left of a bank's first statements is taken as it would have been: what is from before the first one taken is refused. */
function byOwnName(one: string, other: string): number {
  const [first, second] = [ownNameOf(one), ownNameOf(other)]
  return first < second ? -1 : Number(first > second)
}

/** The names of complete files, in order. Hidden files, and anything that is not a plain file, are not ours. */
async function listIncoming({ fs, folders, now, bounds = INCOMING_BOUNDS }: IncomingDeps): Promise<string[]> {
  const names: string[] = []
  for (const name of (await fs.readdir(folders.in)).sort()) {
    if (names.length >= bounds.maxFiles) break
    if (name.startsWith('.')) continue
    const stats = await fs.lstat(path.join(folders.in, name)).catch(undefinedWhenMissing)
    // A time to come was set by a transport that keeps the sender's clock or zone; while it writes, the time is now.
    if (stats?.isFile() && Math.abs(now().getTime() - stats.mtimeMs) >= bounds.minAgeMs) names.push(name)
  }
  return names
}

/** @returns the name in `working`; undefined when somebody else was faster */
async function claim(fs: FileOps, folders: Folders, name: string): Promise<string | undefined> {
  const claimed = `${randomUUID()}.${safeName(name)}`
  try {
    await fs.rename(path.join(folders.in, name), path.join(folders.working, claimed))
  } catch (error) {
    return undefinedWhenMissing(error)
  }
  await syncFolder(fs, folders.working)
  await syncFolder(fs, folders.in)
  return claimed
}

/** @returns undefined when another process has dealt with it and moved it away */
async function takeOne(
  deps: IncomingDeps,
  claimed: string,
  take: (file: IncomingFile) => Promise<Taken>,
): Promise<TakenFile | undefined> {
  const { fs, folders, bounds = INCOMING_BOUNDS, keepUnread = async () => {} } = deps
  const name = ownNameOf(claimed)
  let contentHash: string | null = null
  try {
    const bytes = await readUpTo(fs, path.join(folders.working, claimed), bounds.maxBytes + 1).catch(
      undefinedWhenMissing,
    )
    if (bytes === undefined) return undefined
    if (bytes.byteLength > bounds.maxBytes) {
      const refusal: FileRefusal = { code: 'too_large', sentence: `The file has more than ${bounds.maxBytes} bytes.` }
      await keepUnread({ name, contentHash: contentHashOf(bytes), refusal })
      const outcome = { result: 'refused' as const, refusal }
      return await finish(deps, claimed, { name, contentHash, ...outcome }, `unread-${claimed.replace('.', '-')}`)
    }
    contentHash = contentHashOf(bytes)
    const outcome = await take({ name, bytes, contentHash })
    return await finish(deps, claimed, { name, contentHash, ...outcome }, `${contentHash}-${name}`)
  } catch (error) {
    return { name, contentHash, result: 'left', error }
  }
}

/** The reason is written before the file is moved, so that no file is set aside without one. */
async function finish(
  { fs, folders, now }: IncomingDeps,
  claimed: string,
  file: { name: string; contentHash: string | null } & Taken,
  keptAs: string,
): Promise<TakenFile> {
  if (file.result === 'refused') {
    const { name, contentHash, refusal } = file
    const reason = { name, contentHash, ...refusal, setAsideAt: now().toISOString() }
    await replaceFile(
      fs,
      folders.setAside,
      `${keptAs}.reason.json`,
      Buffer.from(`${JSON.stringify(reason, null, 2)}\n`),
    )
  }
  const target = file.result === 'refused' ? folders.setAside : folders.done
  // Where it is gone, another process has moved it to the same place: both have said the same of it.
  await fs.rename(path.join(folders.working, claimed), path.join(target, keptAs)).catch(undefinedWhenMissing)
  await syncFolder(fs, target)
  await syncFolder(fs, folders.working)
  return file
}

/** A name of letters, digits, dots, dashes and underscores, short enough to follow a hash. */
function safeName(name: string): string {
  return name.replace(/[^\w.-]/g, '_').slice(0, 100)
}
