/** How far a listener has come. */
export type FeedCursor = {
  /** Every transaction before this one has ended, and its events were given out. */
  transactionId: bigint
  /** Events that can still appear have a higher sequence number. */
  sequenceFloor: bigint
}

/** The cursor as listeners carry it: opaque to them. */
export function formatCursor({ transactionId, sequenceFloor }: FeedCursor): string {
  return `${transactionId}-${sequenceFloor}`
}

/** Reads a cursor back. @returns undefined for anything that `formatCursor` did not make */
export function parseCursor(text: string): FeedCursor | undefined {
  const [, transactionId, sequenceFloor] = /^(\d{1,18})-(\d{1,18})$/.exec(text) ?? []
  if (transactionId === undefined || sequenceFloor === undefined) return undefined
  return { transactionId: BigInt(transactionId), sequenceFloor: BigInt(sequenceFloor) }
}
