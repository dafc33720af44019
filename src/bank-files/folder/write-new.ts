/** Writes a file so that it is either there, whole and durable, or not there at all. */
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { type FileOps, isTaken, syncFolder, undefinedWhenMissing } from './layout.ts'
import { readUpTo } from './read-up-to.ts'

const PART = /^\..+\.[0-9a-f-]{36}\.part$/
/** Longer than the writing of any file takes. */
const LEFT_AFTER_MS = 3_600_000

/**
 * Writes under a hidden name, makes it durable, and gives it its name by a hard link, which never overwrites.
 * @param mayStill asked last, once everything that takes long is done: where it rejects, nothing is there
 * @returns `exists` when the name was taken; the file of that name is untouched
 */
export async function writeNew(
  fs: FileOps,
  folder: string,
  name: string,
  bytes: Uint8Array,
  mayStill: () => Promise<unknown>,
): Promise<'written' | 'exists'> {
  const part = await writePart(fs, folder, name, bytes)
  try {
    await mayStill()
    await fs.link(part, path.join(folder, name))
    return 'written'
  } catch (error) {
    if (isTaken(error)) return 'exists'
    throw error
  } finally {
    await syncFolder(fs, folder)
    await fs.unlink(part)
  }
}

/** Writes a file whole, replacing one of that name if there is one. */
export async function replaceFile(fs: FileOps, folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const part = await writePart(fs, folder, name, bytes)
  await fs.rename(part, path.join(folder, name))
  await syncFolder(fs, folder)
}

async function writePart(fs: FileOps, folder: string, name: string, bytes: Uint8Array): Promise<string> {
  const part = path.join(folder, `.${name}.${randomUUID()}.part`)
  const handle = await fs.open(part, 'wx', 0o640)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } catch (error) {
    await fs.unlink(part)
    throw error
  } finally {
    await handle.close()
  }
  return part
}

/** Removes what processes left that were killed while they wrote; what may still be being written stays. */
export async function removeLeftParts(fs: FileOps, folder: string, now: Date): Promise<void> {
  for (const name of await fs.readdir(folder)) {
    if (!PART.test(name)) continue
    const part = path.join(folder, name)
    const stats = await fs.lstat(part).catch(undefinedWhenMissing)
    if (stats === undefined || now.getTime() - stats.mtimeMs < LEFT_AFTER_MS) continue
    await fs.unlink(part).catch(undefinedWhenMissing)
  }
}

/** No payment file is as long: what is need not be held in memory to be told from each of ours. */
const LONGEST = 64 * 2 ** 20

/**
 * The bytes of a file, or undefined when there is none; of one that is longer than any of ours its beginning.
 * @throws NotAFileError for a pipe, a link and the like: reading one may wait for ever, and say nothing of it
 */
export async function readIfThere(fs: FileOps, folder: string, name: string): Promise<Uint8Array | undefined> {
  return await readUpTo(fs, path.join(folder, name), LONGEST).catch(undefinedWhenMissing)
}
