/** The possible results of a decision. */
import type { Refusal } from '../../errors.ts'
import { formatAmount } from '../../money.ts'
import type { NewOrder, Order } from '../order.ts'
import type { ChainQuestions } from './facts.ts'

/** An addition to a usage counter, refused by the database when it would pass `capMicro`. */
export type UsageAddition = {
  /** The key of a mint or transfer, or the customer of a redeem. */
  owner: string
  /** The UTC day, or the first day of the UTC month, as `YYYY-MM-DD`. */
  period: string
  capMicro: bigint
}

/** An earmark on the debited wallet, refused by the database when the balance does not cover it or the facts are stale. */
export type EarmarkAddition = { epoch: bigint; balanceMicro: bigint }

export type Acceptance = { order: NewOrder; usage: UsageAddition | undefined; earmark: EarmarkAddition | undefined }

export type Decision =
  /** Nothing is recorded. */
  | { kind: 'refuse'; refusal: Refusal }
  /** The order with that reference is the answer, unchanged. */
  | { kind: 'existing'; order: Order }
  /** A new order. */
  | { kind: 'accept'; acceptance: Acceptance }
  /** `order` as it will be, once its row has left `payment_pending`: submitted, with what it then takes, or cancelled. */
  | { kind: 'advance'; order: Order; usage: UsageAddition | undefined }
  /** Undecided until the chain has been asked. */
  | { kind: 'askChain'; questions: ChainQuestions }

/** A refusal; checks return it or undefined, so that they chain with `??`. */
export function refuse(code: Refusal['code'], meta?: Refusal['meta']): Decision {
  return { kind: 'refuse', refusal: meta === undefined ? { code } : { code, meta } }
}

/** The referenceId names an order already, and another one than is asked for. */
export function refuseReference(): Decision {
  const detail = 'It is the referenceId: it names an order for its whole life, and another order needs another one.'
  return { kind: 'refuse', refusal: { code: 'IDEMPOTENCY_CONFLICT', detail } }
}

/** Below or above a limit that the contract leaves to the issuer, and that nothing else tells the partner. */
export function refuseLimit(code: Refusal['code'], limitMicro: bigint, meta?: Refusal['meta']): Decision {
  const detail = `The limit is ${formatAmount(limitMicro)}.`
  return { kind: 'refuse', refusal: meta === undefined ? { code, detail } : { code, meta, detail } }
}
