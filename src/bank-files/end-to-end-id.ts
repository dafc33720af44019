/** The id that a payment carries through every bank to the statement. */
import { createHash } from 'node:crypto'

const LENGTH = 12
const BASE = 36
const RANGE = BigInt(BASE) ** BigInt(LENGTH)
const PATTERN = /^[0-9A-Z]{12}$/

export type PaymentAttempt = {
  integrationId: string
  referenceId: string
  /** 1 for a payout's first payment, one more for each retry after it was rejected or returned. */
  attempt: number
}

/**
 * 12 characters of base 36 (the shortest limit of the banks: HSBC's for IBG) that follow from the order and the attempt
 * alone: a restored database makes the same one, and the bank knows it. 62 bits, so 10 million payments meet by chance
 * with a probability of one in 95,000; whoever stores them keeps them unique.
 * @throws RangeError for an attempt that is no positive integer, or an id that holds NUL, which separates the parts
 */
export function endToEndIdOf({ integrationId, referenceId, attempt }: PaymentAttempt): string {
  if (!Number.isSafeInteger(attempt) || attempt < 1) throw new RangeError('An attempt is counted from 1.')
  if (`${integrationId}${referenceId}`.includes('\u0000')) throw new RangeError('An id holds NUL.')
  const digest = createHash('sha256').update(`${integrationId}\u0000${referenceId}\u0000${attempt}`, 'utf8').digest()
  const number = digest.readBigUInt64BE(0) * 2n ** 64n + digest.readBigUInt64BE(8)
  return (number % RANGE).toString(BASE).toUpperCase().padStart(LENGTH, '0')
}

/** True for what could be an end-to-end id of ours. */
export function isEndToEndId(text: string): boolean {
  return PATTERN.test(text)
}
