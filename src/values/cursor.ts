/**
 * Opaque cursors: where a page ended, as text. They carry a digest over the integration, so that anything but a cursor
 * given to this integration for this kind of page is recognised. They are not secret and grant nothing.
 */
import { createHash } from 'node:crypto'

/** The kind of pages to which a cursor belongs. A number is never reused for another form of cursor. */
const CURSOR_KINDS = { orders: 1, events: 3 } as const
export type CursorKind = keyof typeof CURSOR_KINDS

/** Numbers from 0 to 2⁶³ − 1 that name a place. */
export type Places = {
  orders: readonly [timeMs: bigint, orderId: bigint]
  events: readonly [transactionId: bigint, sequence: bigint, mark: bigint]
}

const NUMBERS = { orders: 2, events: 3 } as const satisfies Record<CursorKind, number>
const NUMBER_BYTES = 8
const DIGEST_BYTES = 8
const LONGEST = 44
const PATTERN = /^[A-Za-z0-9_-]+$/

/** Writes a place as a cursor: kind, the numbers, digest; base64url. */
export function encodeCursor<K extends CursorKind>(kind: K, integrationId: string, place: Places[K]): string {
  const bytes = Buffer.alloc(placeBytes(kind))
  bytes.writeUInt8(CURSOR_KINDS[kind], 0)
  for (const [index, number] of place.entries()) bytes.writeBigInt64BE(number, 1 + index * NUMBER_BYTES)
  return Buffer.concat([bytes, digest(integrationId, bytes)]).toString('base64url')
}

function placeBytes(kind: CursorKind): number {
  return 1 + NUMBERS[kind] * NUMBER_BYTES
}

/** Reads a cursor back; undefined when it is not one that `encodeCursor` wrote for this integration and kind. */
export function decodeCursor<K extends CursorKind>(
  kind: K,
  integrationId: string,
  cursor: string,
): Places[K] | undefined {
  if (cursor.length > LONGEST || !PATTERN.test(cursor)) return undefined
  const all = Buffer.from(cursor, 'base64url')
  const length = placeBytes(kind)
  if (all.length !== length + DIGEST_BYTES || all.toString('base64url') !== cursor) return undefined
  const bytes = all.subarray(0, length)
  const isGenuine = digest(integrationId, bytes).equals(all.subarray(length))
  if (!isGenuine || bytes.readUInt8(0) !== CURSOR_KINDS[kind]) return undefined
  const numbers = Array.from({ length: NUMBERS[kind] }, (_, index) => bytes.readBigInt64BE(1 + index * NUMBER_BYTES))
  return numbers as unknown as Places[K]
}

function digest(integrationId: string, bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).update(integrationId).digest().subarray(0, DIGEST_BYTES)
}
