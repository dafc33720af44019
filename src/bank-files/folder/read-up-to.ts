/** Reading a file of which nobody knows how large it is, or whether it is one: others may write into the folder. */
import { constants } from 'node:fs'
import type { FileOps } from './layout.ts'

/**
 * What lay there as a file a moment ago may be a link or a pipe by now. No link is followed, and no pipe waited for: that would hold one of the four
 * threads by which a process reads files and finds addresses, for ever. Windows knows neither.
 */
const OPENING = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
/** What opening a link, or a socket, is refused with. */
const NO_FILE = ['ELOOP', 'EMLINK', 'ENXIO']

/** A pipe, a link, a folder or the like lies where a file should. */
class NotAFileError extends Error {
  override name = 'NotAFileError'
  constructor(file: string) {
    super(`${file} is no file of its own, but a pipe, a link or the like: find out who put it there, and remove it.`)
  }
}

/**
 * The bytes of a file, or of a larger one its first `limit`.
 * @throws NotAFileError
 */
export async function readUpTo(fs: FileOps, file: string, limit: number): Promise<Uint8Array> {
  const handle = await fs.open(file, OPENING).catch((error: unknown) => {
    throw NO_FILE.includes(String((error as { code?: unknown }).code)) ? new NotAFileError(file) : error
  })
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new NotAFileError(file)
    const buffer = Buffer.alloc(Math.min(stats.size + 1, limit))
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return new Uint8Array(buffer.subarray(0, length))
  } finally {
    await handle.close()
  }
}
