/** The Idempotency-Key of a POST, and what makes two POSTs the same (contract "Idempotency"). */
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors.ts'
import { RoundedNumber } from '../http-server/exact-number.ts'

/** 1 to 255 visible ASCII characters; blanks inside are allowed (those at the ends are not part of a header's value). */
export const IDEMPOTENCY_KEY_PATTERN = '^[!-~]([ -~]{0,253}[!-~])?$'
const IDEMPOTENCY_KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN)

/**
 * The request's Idempotency-Key.
 * @throws ApiError IDEMPOTENCY_KEY_REQUIRED when it is missing, empty, too long, not ASCII or sent more than once
 */
export function readIdempotencyKey(request: IncomingMessage): string {
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) throw new ApiError('IDEMPOTENCY_KEY_REQUIRED')
  // Node joins repeated headers with a comma and a blank; only a value that has these is worth a closer look.
  if (key.includes(', ') && (request.headersDistinct['idempotency-key']?.length ?? 0) > 1) {
    throw new ApiError('IDEMPOTENCY_KEY_REQUIRED')
  }
  return key
}

/**
 * Names method, path and body: equal for requests that differ only in key order and white space of the body.
 * @param path with decoded parameters, without query
 * @param body accepted by parseJsonObject, so that its RFC 8785 form exists
 */
export function fingerprintOf(method: string, path: string, body: Record<string, unknown>): string {
  return hash('sha256', `${method} ${path}\n${canonicalForm(body)}`)
}

/**
 * The form of RFC 8785. A body of one level has it from JSON.stringify once its names are in order: numbers and texts are written as the RFC says, and
 * an object keeps the order of names that begin with a letter.
 */
function canonicalForm(body: Record<string, unknown>): string {
  const sorted: Record<string, unknown> = {}
  for (const name of Object.keys(body).sort()) {
    const value = body[name]
    if (!isLetter(name.charCodeAt(0)) || (typeof value === 'object' && value !== null)) return deepForm(body)
    sorted[name] = value
  }
  return JSON.stringify(sorted)
}

/**
 * RFC 8785, at any depth. A number that no double holds, of which the RFC says nothing, stands as it was written: no double is written like one, so
 * that it is no other value's form.
 */
function deepForm(value: unknown): string {
  if (value instanceof RoundedNumber) return value.rounded
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(deepForm).join(',')}]`
  const object = value as Record<string, unknown>
  const members = Object.keys(object)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${deepForm(object[name])}`)
  return `{${members.join(',')}}`
}

/** Whether a UTF-16 code is one of a to z, in either case. */
function isLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x7a
}
