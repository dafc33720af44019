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
