/** Cursors of order pages. */
import { decodeCursor as decode, encodeCursor as encode } from '../../values/cursor.ts'

/** The place of an order in the list, which is newest first and, within an instant, by descending order id. */
export type Position = { createdAt: Date; orderId: bigint }

const MAX_TIME_MS = 8_640_000_000_000_000n

/** Writes a position as a cursor. */
export function encodeCursor(integrationId: string, { createdAt, orderId }: Position): string {
  return encode('orders', integrationId, [BigInt(createdAt.getTime()), orderId])
}

/** Reads a cursor back; undefined when it is not one that `encodeCursor` wrote for this integration. */
export function decodeCursor(integrationId: string, cursor: string): Position | undefined {
  const [timeMs, orderId] = decode('orders', integrationId, cursor) ?? []
  if (timeMs === undefined || orderId === undefined || timeMs < 0n || timeMs > MAX_TIME_MS) return undefined
  return { createdAt: new Date(Number(timeMs)), orderId }
}
