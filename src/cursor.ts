/**
 * Opaque cursors: where a page ended, as text. They carry a digest over the integration, so that anything but a cursor
 * given to this integration for this kind of page is recognised. They are not secret and grant nothing.
 */
import { createHash } from 'node:crypto'

/** The kind of pages to which a cursor belongs. A number is never reused for another form of cursor. */
export const CURSOR_KINDS = { orders: 1, events: 2 } as const
export type CursorKind = keyof typeof CURSOR_KINDS

/** Two numbers from 0 to 2⁶³ − 1 that name a place. */
export type Place = readonly [major: bigint, minor: bigint]

const PLACE_BYTES = 17
const DIGEST_BYTES = 8
/** 25 bytes in base64url. */
const PATTERN = /^[A-Za-z0-9_-]{34}$/

/** Writes a place as a cursor: kind, the two numbers, digest; base64url. */
export function encodeCursor(kind: CursorKind, integrationId: string, [major, minor]: Place): string {
  const bytes = Buffer.alloc(PLACE_BYTES)
  bytes.writeUInt8(CURSOR_KINDS[kind], 0)
  bytes.writeBigInt64BE(major, 1)
  bytes.writeBigInt64BE(minor, 9)
  return Buffer.concat([bytes, digest(integrationId, bytes)]).toString('base64url')
}

/** Reads a cursor back; undefined when it is not one that `encodeCursor` wrote for this integration and kind. */
export function decodeCursor(kind: CursorKind, integrationId: string, cursor: string): Place | undefined {
  if (!PATTERN.test(cursor)) return undefined
  const all = Buffer.from(cursor, 'base64url')
  const bytes = all.subarray(0, PLACE_BYTES)
  const genuine = all.toString('base64url') === cursor && digest(integrationId, bytes).equals(all.subarray(PLACE_BYTES))
  if (!genuine || bytes.readUInt8(0) !== CURSOR_KINDS[kind]) return undefined
  return [bytes.readBigInt64BE(1), bytes.readBigInt64BE(9)]
}

function digest(integrationId: string, bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).update(integrationId).digest().subarray(0, DIGEST_BYTES)
}
