/** How far a listener has got. */
export type FeedCursor = {
  /** Every transaction before this one has ended, and its events were delivered to the listener. */
  transactionId: bigint
  /** Events that can still appear have a higher sequence number. */
  sequenceFloor: bigint
}

/** The cursor as text, opaque to listeners. */
export function formatCursor({ transactionId, sequenceFloor }: FeedCursor): string {
  return `${transactionId}-${sequenceFloor}`
}

/** Reads a cursor back. @returns undefined for anything that `formatCursor` did not make */
export function parseCursor(text: string): FeedCursor | undefined {
  const [, transactionId, sequenceFloor] = /^(\d{1,18})-(\d{1,18})$/.exec(text) ?? []
  if (transactionId === undefined || sequenceFloor === undefined) return undefined
  return { transactionId: BigInt(transactionId), sequenceFloor: BigInt(sequenceFloor) }
}
