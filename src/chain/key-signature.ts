/** What an operator's key signs: who stops a chain, or freezes a wallet, is told of a signer that does not, not of a chain. */
import { KeyUnsignedError } from './key-action-errors.ts'
import type { SignedTransaction, UnsignedTransaction } from './signed-transaction.ts'
import type { Signer } from './signer.ts'

/** @throws KeyUnsignedError with what the signer answered, or what was wrong with its answer */
export async function signedByKey(signer: Signer, transaction: UnsignedTransaction): Promise<SignedTransaction> {
  try {
    return await signer.sign(transaction)
  } catch (error) {
    throw new KeyUnsignedError(signer.address, error instanceof Error ? error.message : String(error))
  }
}
