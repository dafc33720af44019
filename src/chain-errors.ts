/**
 * Failures between this service and a chain, for code that must tell them from other failures without importing the
 * chain.
 */

/** Something failed with a chain just now. Nothing follows from it: doing the same again is safe and may help. */
export class ChainError extends Error {
  override readonly name: string = 'ChainError'
}

/** The chain cannot be read right now. */
export class ChainUnreadableError extends ChainError {
  override readonly name = 'ChainUnreadableError'
}
