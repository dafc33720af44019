/** A refusal on the command line: one from the operator API, or that the API cannot be reached. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: string

  /** @param sentence says what to do */
  constructor(code: string, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.code = code
  }
}
