/** Requests to try, as data: what to send, and what is answered. */
import type { ErrorCode } from '../../errors.ts'
import type { OrderPhase, OrderStatus } from '../../orders/order.ts'

export type Expected = {
  /** Of the answer; 0: the connection ends without one. */
  status: number
  code?: ErrorCode
  /** `meta.reason` of a POLICY_REJECTED. */
  reason?: string
  /** What becomes of the order, read again within so many seconds. */
  order?: { status: OrderStatus; phase: OrderPhase; withinSeconds: number }
}

export type Try = {
  says: string
  method: 'GET' | 'POST'
  path: string
  /** null: leave the header out. */
  idempotencyKey?: string | null
  body?: unknown
  /** Blanks to add to the body, or characters to the value of a header of one's own, because they would not fit here. */
  add?: { to: 'body' | 'headers'; bytes: number }
  /** Send it up to so many times; one of them is answered so. */
  repeat?: number
  expect: Expected
}

/** How soon an order is decided on the sandbox's own chain, when nothing disturbs it; a public chain may take longer. */
const SETTLED = 30

/** The phase with which each status of an order ends up here. */
const PHASES = {
  payment_pending: 'PAYMENT_PENDING',
  pending: 'ORDER_CREATED',
  processing: 'PAYOUT_PENDING',
  completed: 'COMPLETED',
  failed: 'FAILED',
  cancelled: 'FAILED',
} as const satisfies Record<OrderStatus, OrderPhase>

/** Accepted, and what becomes of it. */
export function becomes(
  status: OrderStatus,
  phase: OrderPhase = PHASES[status],
  withinSeconds: number = SETTLED,
): Expected {
  return { status: 201, order: { status, phase, withinSeconds } }
}

/** Refused for a reason of POLICY_REJECTED. */
export function policy(reason: string): Expected {
  return { status: 400, code: 'POLICY_REJECTED', reason }
}

/** What the requests are about: a customer that was made, and names that nobody has used yet. */
export type Subject = {
  customerId: string
  walletAddress: string
  /** Somebody else's. */
  recipient: string
  /** A reference and idempotency key of which only the number differs. */
  name: (number: number) => string
}

/** Writes requests about one subject, each under names of its own. */
export function requestsAbout({ customerId, walletAddress, recipient, name }: Subject) {
  let count = 0
  const next = () => {
    count += 1
    return name(count)
  }
  const post = (path: string, says: string, body: unknown, expect: Expected): Try => {
    const idempotencyKey = next()
    return { says, method: 'POST', path, idempotencyKey, body, expect }
  }
  type Changes = Record<string, unknown>
  return {
    mint(says: string, amountMyr: string, expect: Expected, changes: Changes = {}): Try {
      const body = { amountMyr, walletAddress, customerId, fiatConfirmed: true, ...changes }
      return post('/v1/mints', says, { referenceId: name(count + 1), ...body }, expect)
    },
    redeem(says: string, amountCoin: string, expect: Expected, changes: Changes = {}): Try {
      const body = { amountCoin, walletAddress, customerId, ...changes }
      return post('/v1/redeems', says, { referenceId: name(count + 1), ...body }, expect)
    },
    transfer(says: string, amountCoin: string, expect: Expected, changes: Changes = {}): Try {
      const body = { amountCoin, walletAddress: recipient, customerId, ...changes }
      return post('/v1/transfers', says, { referenceId: name(count + 1), ...body }, expect)
    },
    cancel(says: string, referenceId: string, expect: Expected): Try {
      return post(`/v1/mints/${referenceId}/cancel`, says, {}, expect)
    },
    get: (says: string, path: string, expect: Expected): Try => ({ says, method: 'GET', path, expect }),
  }
}

/** The reference in a request to try. */
export function referenceOf({ body }: Try): string {
  return (body as { referenceId: string }).referenceId
}
