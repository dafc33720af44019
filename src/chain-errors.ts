/** What goes wrong between this service and a chain, for whoever must tell it from other failures without knowing the chain. */

/** Something did not work with a chain just now. Nothing is decided by it: to do the same again is safe, and can help. */
export class ChainError extends Error {
  override readonly name: string = 'ChainError'
}

/** The chain cannot be asked right now. */
export class ChainUnreadableError extends ChainError {
  override readonly name = 'ChainUnreadableError'
}
