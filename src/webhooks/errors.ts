/** Refusals in the management of webhooks. */

/** A refusal: a code for programs and a sentence that tells the operator what to do. Never holds a secret. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code: 'BAD_REQUEST' | 'NOT_FOUND' | 'CONFLICT'

  constructor(code: WebhookError['code'], sentence: string) {
    super(sentence)
    this.code = code
  }
}

/** What was found of an endpoint. @throws WebhookError NOT_FOUND when it is undefined */
export function existing<T>(value: T | undefined, endpointId: string): T {
  if (value !== undefined) return value
  throw new WebhookError(
    'NOT_FOUND',
    `There is no webhook endpoint ${endpointId.slice(0, 100)}. List them with "coin webhook list".`,
  )
}

/** Undefined for a removed endpoint: nothing can be done with it any more. */
export function notRemoved<T extends { status: string }>(endpoint: T | undefined): T | undefined {
  return endpoint?.status === 'removed' ? undefined : endpoint
}
