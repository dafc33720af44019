/** What each field and parameter must be, which `BAD_REQUEST` says of the one that it names. */
import type { Refusal } from './errors.ts'

const INSTANT =
  'ISO 8601 with its zone, such as 2026-03-01T08:00:00+08:00 or 2026-03-01T00:00:00Z, or a date alone, and be given once'

const MUST_BE = {
  customerId: 'be a string: the id that the issuer gave your customer',
  chainId:
    'be a whole number that a double holds exactly; in a body it is no string, and in an address it is given once',
  fiatConfirmed: 'be true or false, not a string',
  bankReference: 'be a string of up to 255 characters without control characters; leave it out if there is none',
  direction: 'be MINT, REDEEM or TRANSFER, and be given once',
  status: 'be one of payment_pending, pending, processing, completed, failed and cancelled, and be given once',
  createdAfter: `be ${INSTANT}`,
  createdBefore: `be ${INSTANT}`,
  since: `be ${INSTANT}`,
  types: 'be names of event types with commas between them, such as mint.completed,mint.failed, and be given once',
  limit: 'be a whole number from 1 to 100, and be given once',
  cursor: 'be the nextCursor of an earlier page of the same list, unchanged, and be given once',
} as const

export type FieldName = keyof typeof MUST_BE

/** The refusal of a field or parameter that is missing or wrong. Meta `{field}`. */
export function badField(field: FieldName): Refusal {
  return { code: 'BAD_REQUEST', meta: { field }, detail: `${field} must ${MUST_BE[field]}.` }
}
