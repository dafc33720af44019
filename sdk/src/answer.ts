/** An answer's status, headers and text, kept apart from the result, so that the result stays what the API sent. */

/** The answer that a result or an error came from. */
export type Answer = {
  /** HTTP status. */
  status: number
  headers: Headers
  /** The body exactly as it came; empty when it was longer than any of the API's (2 MiB), or that of a 4xx broke off. */
  text: string
  /** `X-Request-Id`: the correlation id to quote to support, whatever the outcome of the call. */
  correlationId: string | undefined
  /** Whether this is the stored answer of an earlier POST with the same Idempotency-Key. */
  replayed: boolean
  /** Where the key stands in its rate bucket, when the answer says so; `resetAt` in seconds since the epoch. */
  rateLimit: RateLimit | undefined
}

export type RateLimit = { limit: number; remaining: number; resetAt: number }

const ANSWERS = new WeakMap<object, Answer>()

/**
 * The answer that a call's result came from: status, headers, text, correlation id.
 * @param result what a call of the client resolved with
 * @returns undefined for any other object, a copy of a result included
 */
export function answerOf(result: object): Answer | undefined {
  return ANSWERS.get(result)
}

/** Lets `answerOf` find the answer of a result. */
export function rememberAnswer(result: object, answer: Answer): void {
  ANSWERS.set(result, answer)
}

/** Reads what an answer's headers say. */
export function describeAnswer({ status, headers }: Response, text: string): Answer {
  return {
    status,
    headers,
    text,
    correlationId: headers.get('x-request-id') ?? undefined,
    replayed: headers.get('x-coin-idempotent-replay') === 'true',
    rateLimit: rateLimitOf(headers),
  }
}

function rateLimitOf(headers: Headers): RateLimit | undefined {
  const limit = headers.get('x-ratelimit-limit')
  if (limit === null) return undefined
  const number = (name: string) => Number(headers.get(name))
  return { limit: Number(limit), remaining: number('x-ratelimit-remaining'), resetAt: number('x-ratelimit-reset') }
}
