/** The operator API's refusals: a code for programs and one sentence that says what to do. */

/** Error code → HTTP status. */
export const OPERATOR_ERRORS = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  TOO_MANY_REQUESTS: 429,
  SERVER_ERROR: 500,
  CHAIN_UNAVAILABLE: 502,
  SERVICE_UNAVAILABLE: 503,
} as const satisfies Record<string, number>

export type OperatorErrorCode = keyof typeof OPERATOR_ERRORS

/** A refusal; the error handler turns it into `{ ok: false, error: { code, message } }`. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
  readonly code: OperatorErrorCode

  /** @param sentence says what to do; shown to the operator as it is */
  constructor(code: OperatorErrorCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.code = code
  }
}

/** The refusal for an id that names nothing. */
export function notFound(what: string, id: string, listing: string): OperatorError {
  return new OperatorError('NOT_FOUND', `There is no ${what} ${id.slice(0, 220)}. List them with "coin ${listing}".`)
}

/** `value`, or the refusal when it is undefined. */
export function found<T>(value: T | undefined, what: string, id: string, listing: string): T {
  if (value === undefined) throw notFound(what, id, listing)
  return value
}
