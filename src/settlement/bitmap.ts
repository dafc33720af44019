/** What a batch has done, of each instruction (pure). Bit i is set when instruction i was executed. */
import { MAX_INSTRUCTIONS } from '../chain/instructions.ts'

export const hasSucceeded = (successBitmap: bigint, index: number): boolean =>
  ((successBitmap >> BigInt(index)) & 1n) === 1n

/** The indexes of the instructions that were executed. */
export function executedIn(successBitmap: bigint): number[] {
  return Array.from({ length: MAX_INSTRUCTIONS }, (_, index) => index).filter((index) =>
    hasSucceeded(successBitmap, index),
  )
}

/** Whether two lists of indexes, both in their sequence, are the same. */
export const areSame = (one: readonly number[], other: readonly number[]): boolean => one.join() === other.join()
