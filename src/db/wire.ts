/** Messages of PostgreSQL's protocol, version 3. */

/** Execute (the portal without a name, all rows), then Sync. */
const EXECUTE_AND_SYNC = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4])
const BIND = 0x42

/**
 * Bind, Execute and Sync of a prepared statement: parameters and columns in their text form.
 * @param name of ASCII characters
 */
export function executionOf(name: string, values: readonly (string | null)[]): Buffer {
  const lengths = values.map((value) => (value === null ? -1 : Buffer.byteLength(value)))
  const valueBytes = lengths.reduce((total, length) => total + 4 + Math.max(0, length), 0)
  // The length itself, two names and their ends, no formats, the values and their number, no formats.
  const bindBytes = 4 + 1 + name.length + 1 + 2 + 2 + valueBytes + 2
  const bytes = Buffer.allocUnsafe(1 + bindBytes + EXECUTE_AND_SYNC.length)
  bytes[0] = BIND
  let at = bytes.writeInt32BE(bindBytes, 1)
  at = bytes.writeInt8(0, at)
  at += bytes.write(name, at, 'latin1')
  at = bytes.writeInt8(0, at)
  at = bytes.writeInt16BE(0, at)
  at = bytes.writeInt16BE(values.length, at)
  for (let place = 0; place < values.length; place += 1) {
    const length = lengths[place] as number
    at = bytes.writeInt32BE(length, at)
    if (length > 0) at += bytes.write(values[place] as string, at, 'utf8')
  }
  at = bytes.writeInt16BE(0, at)
  EXECUTE_AND_SYNC.copy(bytes, at)
  return bytes
}

/** How long the message is that begins at a place of `bytes`, its type included. */
export function messageLength(bytes: Buffer, at: number): number {
  return 1 + bytes.readUInt32BE(at + 1)
}

/** Faster than `toString`, and not among the types. */
type Slices = { latin1Slice(start: number, end: number): string; utf8Slice(start: number, end: number): string }

/** Longer rows are read column by column: a column that is kept would keep the text of its whole row. */
const MAX_ROW_BYTES = 4096
/** Longer columns are faster to decode than to look through. */
const MAX_LOOKED_THROUGH = 128

/**
 * The columns of a DataRow message.
 * @param start where the number of columns stands
 * @param take gets the place and the text of each column that is not null
 */
export function readColumns(
  bytes: Buffer,
  start: number,
  end: number,
  take: (place: number, text: string) => void,
): void {
  const slices = bytes as Buffer & Slices
  const row = end - start > MAX_ROW_BYTES ? undefined : slices.latin1Slice(start, end)
  const count = bytes.readInt16BE(start)
  let at = start + 2
  for (let place = 0; place < count; place += 1) {
    const length = bytes.readInt32BE(at)
    at += 4
    if (length === -1) continue
    const next = at + length
    const isPart = row !== undefined && length <= MAX_LOOKED_THROUGH && isAscii(bytes, at, next)
    take(place, isPart ? row.substring(at - start, next - start) : slices.utf8Slice(at, next))
    at = next
  }
}

function isAscii(bytes: Buffer, start: number, end: number): boolean {
  let bits = 0
  for (let at = start; at < end; at += 1) bits |= bytes[at] as number
  return bits < 0x80
}
