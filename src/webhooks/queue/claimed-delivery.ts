/** A delivery that this process may attempt until its claim expires. */
export type ClaimedDelivery = {
  deliveryId: bigint
  /** Fences: a result counts only while no later claim or replay was made. Numbers the attempt, too. */
  claim: number
  claimedAt: Date
  eventId: string
  /** When the event happened, as PostgreSQL writes it, to the microsecond: names the month in which the delivery is. */
  eventAt: string
  /** The frozen body. */
  payload: string
  endpointId: string
  endpointStatus: 'enabled' | 'disabled'
  url: string
  secretEncrypted: string
  /** Failed attempts since `scheduledFrom`. */
  attempts: number
  scheduledFrom: Date
}

/** What an attempt leaves its delivery in. `due` names the next attempt. */
export type Verdict =
  | { status: 'due'; nextAttemptAt: Date }
  | { status: 'delivered' }
  | { status: 'exhausted' }
  | { status: 'dropped' }
