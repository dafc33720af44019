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
