/** What the courier reports about itself. */
export type CourierMetrics = {
  /** Called after every POST. `durationMs` is the time the endpoint took. */
  attempted(result: 'acknowledged' | 'failed', durationMs: number): void
  /** Called after a delivery has come to its end. */
  settled(status: 'delivered' | 'exhausted' | 'dropped'): void
  /** Called after every look for work, with the number in flight in this process. */
  inFlight(count: number): void
}
