/** Up to which block what a chain shows counts for good, as a function of what its nodes say (pure). */

/**
 * The highest block whose contents are final.
 * @param confirmations blocks from the one that is final to the head, both counted
 * @param finalized the newest block that the nodes call finalized; undefined where depth alone counts
 */
export function finalBlockOf(headNumber: bigint, confirmations: number, finalized: bigint | undefined): bigint {
  const deepBlock = headNumber - BigInt(confirmations) + 1n
  return finalized === undefined || finalized > deepBlock ? deepBlock : finalized
}
