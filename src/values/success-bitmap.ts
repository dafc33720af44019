/** What a batch has done, as the contract records it: bit i is set when instruction i was executed. */

/** Whether the instruction at this index was executed. */
export const hasSucceeded = (successBitmap: bigint, index: number): boolean =>
  ((successBitmap >> BigInt(index)) & 1n) === 1n
