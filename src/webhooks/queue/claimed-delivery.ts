/** A delivery that this process may attempt until its claim expires. */
export type ClaimedDelivery = {
  deliveryId: bigint
  /** The fence: a result counts only while there was no later claim or replay. It also numbers the attempt. */
  claim: number
  claimedAt: Date
  eventId: string
  /**
   * When the event happened, to the microsecond, as PostgreSQL writes it; it decides the month in which the delivery
   * lies.
   */
  eventAt: string
  /** The frozen body. */
  payload: string
  endpointId: string
  endpointStatus: 'enabled' | 'disabled' | 'removed'
  url: string
  secretEncrypted: string
  /** Failed attempts since `scheduledFrom`. */
  attempts: number
  scheduledFrom: Date
}

/** The state in which an attempt leaves its delivery. `due` names the next attempt. */
export type Verdict =
  | { status: 'due'; nextAttemptAt: Date }
  | { status: 'delivered' }
  | { status: 'exhausted' }
  | { status: 'dropped' }
