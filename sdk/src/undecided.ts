/** What an attempt says about whether a POST may have been accepted. */

/**
 * What the API refuses before it looks for the answer that an Idempotency-Key was given: it says nothing of earlier calls with that key. What is wrong
 * with the body or the key itself was wrong then, too.
 */
const BEFORE_REMEMBERED: ReadonlySet<string> = new Set([
  'UNAUTHORIZED',
  'IP_NOT_ALLOWED',
  'SCOPE_DENIED',
  'REQUEST_TIMEOUT',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
])

type Posted = {
  method: 'GET' | 'POST'
  /** Whether an attempt before this one may have been accepted. */
  undecided: boolean
  /** Whether the caller gave the Idempotency-Key, so that an earlier call may have carried it. */
  isKeyGiven: boolean
}

/**
 * Whether what was posted may have been accepted.
 * @param refusedAs the code with which the API, and nothing between, refused it with a 4xx; '' where that could not be read; undefined where it did not
 */
export function isUndecided({ method, undecided, isKeyGiven }: Posted, refusedAs: string | undefined): boolean {
  if (method !== 'POST') return false
  return undecided || refusedAs === undefined || (isKeyGiven && (refusedAs === '' || BEFORE_REMEMBERED.has(refusedAs)))
}
