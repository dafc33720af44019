/** What the courier tells of itself. */
export type CourierMetrics = {
  /** After every POST. `durationMs` is what the endpoint took. */
  attempted(result: 'acknowledged' | 'failed', durationMs: number): void
  /** After a delivery has come to its end. */
  settled(status: 'delivered' | 'exhausted' | 'dropped'): void
  /** After every look for work: how many are in flight in this process. */
  inFlight(count: number): void
}
