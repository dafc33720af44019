/** Reading a file of which nobody knows how large it is. */
import type { FileOps } from './layout.ts'

/** The bytes of a file, or of a larger one its first `limit`. */
export async function readUpTo(fs: FileOps, file: string, limit: number): Promise<Uint8Array> {
  const handle = await fs.open(file, 'r')
  try {
    const { size } = await handle.stat()
    const buffer = Buffer.alloc(Math.min(size + 1, limit))
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
