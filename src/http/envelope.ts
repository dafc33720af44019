/** The answers of the API as text: success and error envelope (contract "Conventions", "Errors"). */
import { ERRORS, type ErrorCode, type ErrorMeta } from '../errors.ts'

const API_VERSION = 'v1'
/** Names a request, in its answer and in the log (`correlationId`). */
export const REQUEST_ID = 'x-request-id'
export const JSON_TYPE = 'application/json; charset=utf-8'

/** The JSON text of a successful answer: `ok: true` and the result's fields at top level. */
export function successBody(result: Record<string, unknown>): string {
  return JSON.stringify({ ok: true, ...result })
}

/** The JSON text of a refusal; `meta` is left out when there is none. */
export function errorBody(code: ErrorCode, meta?: ErrorMeta, message: string = ERRORS[code].message): string {
  return JSON.stringify({ ok: false, error: { code, message, meta } })
}

/**
 * The headers that every answer carries, whatever wrote it. No cache on the way may keep one: an old status of an order, or a `NOT_FOUND` from before
 * it was there, would be taken for what is so.
 * @param sunsetDate when this version is retired (RFC 8594); undefined while it is not deprecated
 */
export function constantHeaders(sunsetDate: Date | undefined): Record<string, string> {
  const always = { 'x-coin-api-version': API_VERSION, 'cache-control': 'no-store' }
  return sunsetDate === undefined ? always : { ...always, sunset: sunsetDate.toUTCString() }
}
