/** A refusal on the command line: the operator API's own, or that it cannot be asked. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: string

  /** @param sentence says what to do */
  constructor(code: string, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.code = code
  }
}
