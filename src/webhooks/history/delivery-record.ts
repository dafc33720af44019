/** A delivery as operators see it. */

/** One POST: what was answered, or why it counts as failed. */
export type AttemptRecord = {
  /** Grows with every claim; a gap is an attempt whose process died before it recorded the result. */
  attempt: number
  startedAt: Date
  durationMs: number
  httpStatus: number | null
  /** null when it was acknowledged. */
  error: string | null
  /** The beginning of the answer, at most 1 KiB, without control characters. */
  responseExcerpt: string | null
}

export type DeliveryRecord = {
  deliveryId: string
  eventId: string
  endpointId: string
  type: string
  /** due: to be attempted · delivered · exhausted: the schedule is used up · dropped: the endpoint was disabled */
  status: 'due' | 'delivered' | 'exhausted' | 'dropped'
  /** Attempts with a known result since `scheduledFrom`. */
  attempts: number
  /** The instant the schedule counts from: creation, or the latest replay. */
  scheduledFrom: Date
  /** null unless due. */
  nextAttemptAt: Date | null
  createdAt: Date
  /** The latest attempts, oldest first, those before a replay included. */
  attemptLog: AttemptRecord[]
}
