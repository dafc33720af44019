/**
 * Error code → HTTP status and message: the one table that code, OpenAPI and docs are checked against
 * (contract "Errors"; codes that the contract leaves open are marked).
 */
export const ERRORS = {
  INVALID_JSON: { status: 400, message: 'The request body must be a JSON object, sent as application/json.' },
  IDEMPOTENCY_KEY_REQUIRED: {
    status: 400,
    message: 'One Idempotency-Key header of 1 to 255 visible ASCII characters is required.',
  },
  INVALID_AMOUNT: {
    status: 400,
    message:
      'The amount must be a decimal string: at most 12 digits without a leading zero, and at most 6 decimal places.',
  },
  AMOUNT_NEGATIVE_OR_ZERO: { status: 400, message: 'The amount must be greater than zero.' },
  AMOUNT_BELOW_FLOOR: { status: 400, message: 'The amount is below the minimum for a mint.' },
  AMOUNT_ABOVE_REDEEM_CEILING: { status: 400, message: 'The amount is above the maximum for a redeem.' },
  FOREIGNER_LIMIT_EXCEEDED: {
    status: 400,
    message: 'The amount is above the per-transaction limit for non-resident customers.',
  },
  INVALID_WALLET_ADDRESS: {
    status: 400,
    message:
      'The wallet address is not a valid EVM address, is the zero address, or its checksum (EIP-55) is wrong or missing.',
  },
  INVALID_REFERENCE_ID: {
    status: 400,
    message: 'The referenceId must be 8 to 100 characters from letters, digits, ".", "_", "-" and ":".',
  },
  INVALID_CHAIN_ID: { status: 400, message: 'The chainId is not one of the configured chains.' },
  INSUFFICIENT_BALANCE: { status: 400, message: 'The wallet balance is too low.' },
  MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED: {
    status: 400,
    message: "The redeem is above the customer's remaining monthly withdrawal limit.",
  },
  TRANSFER_PER_TX_CAP_EXCEEDED: { status: 400, message: 'The transfer is above the per-transaction cap.' },
  TRANSFER_DAILY_CAP_EXCEEDED: { status: 400, message: 'The transfer would exceed the daily cap.' },
  POLICY_REJECTED: { status: 400, message: 'The request was rejected by a policy check.' },
  BAD_REQUEST: { status: 400, message: 'The request is malformed, or a field or parameter is missing or invalid.' },
  UNAUTHORIZED: { status: 401, message: 'Invalid or expired API key.' },
  IP_NOT_ALLOWED: { status: 403, message: 'The source address is not allowed for this API key.' },
  SCOPE_DENIED: { status: 403, message: 'The API key does not permit this operation.' },
  CUSTOMER_NOT_VERIFIED: { status: 403, message: 'The customer is not verified for this operation.' },
  RECIPIENT_NOT_PERMITTED: { status: 403, message: 'The recipient is not permitted.' },
  NOT_FOUND: { status: 404, message: 'Not found.' },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    message: 'The Idempotency-Key or referenceId was already used with different details.',
  },
  ORDER_NOT_CANCELLABLE: { status: 409, message: 'The order can no longer be cancelled.' },
  REQUEST_TIMEOUT: { status: 408, message: 'The request was not received in time.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is too large.' },
  RATE_LIMITED: { status: 429, message: 'Too many requests. Retry after the indicated time.' },
  HEADERS_TOO_LARGE: { status: 431, message: 'The request headers are too large.' },
  SERVER_ERROR: { status: 500, message: 'An unexpected error occurred. Retry with backoff.' },
  SETTLEMENT_FAILED: {
    status: 502,
    message: 'The settlement submission failed. Retry with the same Idempotency-Key.',
  },
  SERVICE_UNAVAILABLE: { status: 503, message: 'The service is temporarily unavailable. Retry with backoff.' },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof ERRORS
export type ErrorMeta = Record<string, unknown>

/** A refusal as a value: what pure decisions return. `detail` is a sentence for whoever reads the answer, after the message of the code. */
export type Refusal = { code: ErrorCode; meta?: ErrorMeta; detail?: string }

/** A refusal thrown at the edges; the HTTP error handler turns it into the envelope. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly meta: ErrorMeta | undefined

  constructor(code: ErrorCode, meta?: ErrorMeta, options: ErrorOptions & { detail?: string | undefined } = {}) {
    const { detail, ...rest } = options
    super(detail === undefined ? ERRORS[code].message : `${ERRORS[code].message} ${detail}`, rest)
    this.code = code
    this.meta = meta
  }

  /** Whether the same request may succeed later (contract "Errors": 429 and 5xx, never another 4xx). */
  get retryable(): boolean {
    const { status } = ERRORS[this.code]
    return status === 429 || status >= 500
  }
}

/** What to throw where a refusal ends a request. */
export function refused({ code, meta, detail }: Refusal): ApiError {
  return new ApiError(code, meta, { detail })
}

/** A key without a scope that the operation needs. */
export function scopesNeeded(scopes: readonly string[]): Refusal {
  return { code: 'SCOPE_DENIED', detail: `It needs ${scopes.join(' and ')}.` }
}

/** A key that was used for another request. The other cause of this code is a referenceId. */
export const KEY_CONFLICT: Refusal = {
  code: 'IDEMPOTENCY_CONFLICT',
  detail:
    'It is the Idempotency-Key: it goes with the first request that it was sent with, and another request needs another one.',
}
