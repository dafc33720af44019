/**
 * Cursors of order pages: where a page ended, as an opaque text. They carry a digest over the integration, so that
 * anything but a cursor given to this integration is recognised. They are not secret and grant nothing.
 */
import { createHash } from 'node:crypto'

/** The place of an order in the list, which is newest first and, within an instant, by descending order id. */
export type Position = { createdAt: Date; orderId: bigint }

const VERSION = 1
const POSITION_BYTES = 17
const DIGEST_BYTES = 8
/** 25 bytes in base64url. */
const CURSOR_PATTERN = /^[A-Za-z0-9_-]{34}$/
const MAX_TIME_MS = 8_640_000_000_000_000n

/** Writes a position as a cursor: version, milliseconds, order id, digest; base64url. */
export function encodeCursor(integrationId: string, { createdAt, orderId }: Position): string {
  const bytes = Buffer.alloc(POSITION_BYTES)
  bytes.writeUInt8(VERSION, 0)
  bytes.writeBigInt64BE(BigInt(createdAt.getTime()), 1)
  bytes.writeBigInt64BE(orderId, 9)
  return Buffer.concat([bytes, digest(integrationId, bytes)]).toString('base64url')
}

/** Reads a cursor back; undefined when it is not one that `encodeCursor` wrote for this integration. */
export function decodeCursor(integrationId: string, cursor: string): Position | undefined {
  if (!CURSOR_PATTERN.test(cursor)) return undefined
  const all = Buffer.from(cursor, 'base64url')
  const bytes = all.subarray(0, POSITION_BYTES)
  const genuine =
    all.toString('base64url') === cursor && digest(integrationId, bytes).equals(all.subarray(POSITION_BYTES))
  if (!genuine || bytes.readUInt8(0) !== VERSION) return undefined
  const timeMs = bytes.readBigInt64BE(1)
  if (timeMs < 0n || timeMs > MAX_TIME_MS) return undefined
  return { createdAt: new Date(Number(timeMs)), orderId: bytes.readBigInt64BE(9) }
}

function digest(integrationId: string, bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).update(integrationId).digest().subarray(0, DIGEST_BYTES)
}
