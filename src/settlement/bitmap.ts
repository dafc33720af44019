/** The instructions that a batch has executed, as a list of their indexes (pure). */
import { MAX_INSTRUCTIONS } from '../chain/instructions.ts'
import { hasSucceeded } from '../values/success-bitmap.ts'

/** The indexes of the instructions that were executed. */
export function executedIn(successBitmap: bigint): number[] {
  return Array.from({ length: MAX_INSTRUCTIONS }, (_, index) => index).filter((index) =>
    hasSucceeded(successBitmap, index),
  )
}

/** Whether two lists of indexes, both in their sequence, are the same. */
export const areSame = (one: readonly number[], other: readonly number[]): boolean => one.join() === other.join()
