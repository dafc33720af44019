/** Types of the API under the names that callers use. */
import type { Order as AnyOrder, OrderEvent as SentEvent } from './generated/api.ts'

/** An order as every route returns it. */
export type Order = AnyOrder
export type OrderStatus = Order['status']
export type Direction = Order['direction']

/**
 * A verified webhook: an event as `events.list` gives it, or a `webhook.test`, which operators send to try an endpoint. Acknowledge that, and do nothing.
 */
export type WebhookEvent = SentEvent | (Omit<SentEvent, 'type'> & { type: 'webhook.test' })

/** Options of any call. */
export type CallOptions = {
  /** Ends the call, whatever it is doing; the call then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** For each attempt; default: the client's. */
  timeoutMs?: number | undefined
  /** Attempts after the first one; default: the client's. */
  maxRetries?: number | undefined
}

/** Options of a call that changes something. */
export type WriteOptions = CallOptions & {
  /** Names the logical operation, 1 to 255 characters; default: a new UUID, the same for all of the call's retries. */
  idempotencyKey?: string | undefined
}
