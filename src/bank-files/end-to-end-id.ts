/** The id that a payment carries through every bank to the statement. */
import { createHash } from 'node:crypto'

const LENGTH = 12
const BASE = 36
const RANGE = BigInt(BASE) ** BigInt(LENGTH)
const PATTERN = /^[0-9A-Z]{12}$/

export type PaymentAttempt = {
  integrationId: string
  referenceId: string
  /** 1 for a payout's first payment, and one more for each retry after a rejection or return. */
  attempt: number
}

/**
 * 12 characters of base 36 (the shortest limit of any bank: HSBC's for IBG), derived from the order and the attempt
 * alone: a restored database makes the same id, and the bank knows it. At 62 bits, two of 10 million payments collide
 * with a probability of one in 95,000; whoever stores the ids must keep them unique.
 * @throws RangeError for an attempt that is no positive integer, or an id that contains NUL, which separates the parts
 */
export function endToEndIdOf({ integrationId, referenceId, attempt }: PaymentAttempt): string {
  if (!Number.isSafeInteger(attempt) || attempt < 1) throw new RangeError('An attempt is counted from 1.')
  if (`${integrationId}${referenceId}`.includes('\u0000')) throw new RangeError('An id holds NUL.')
  const digest = createHash('sha256').update(`${integrationId}\u0000${referenceId}\u0000${attempt}`, 'utf8').digest()
  const number = digest.readBigUInt64BE(0) * 2n ** 64n + digest.readBigUInt64BE(8)
  return (number % RANGE).toString(BASE).toUpperCase().padStart(LENGTH, '0')
}

/** True for a text that could be one of our end-to-end ids. */
export function isEndToEndId(text: string): boolean {
  return PATTERN.test(text)
}
