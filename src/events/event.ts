/** What happened to an order: the event, and the webhook body that tells of it (contract "Events"). */
import { hash } from 'node:crypto'
import { COIN_DECIMALS, formatAmount } from '../money.ts'

export const EVENT_TYPES = [
  'mint.pending',
  'mint.completed',
  'mint.failed',
  'redeem.pending',
  'redeem.completed',
  'redeem.failed',
  'transfer.completed',
  'transfer.failed',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** An event as it is kept: what its body is made of, and nothing that changes later. */
export type OrderEvent = {
  eventId: string
  type: EventType
  referenceId: string
  amountMicro: bigint
  txHash: string | null
  blockNumber: bigint | null
  /** When the order changed, which the body calls `createdAt`. */
  happenedAt: Date
}

/**
 * The id of an event. An order has each type of event once, so these name the event for ever: after a restore the same
 * event has the same id, and a receiver that has seen it recognises it.
 */
export function eventIdOf(integrationId: string, referenceId: string, type: EventType): string {
  return `evt_${hash('sha256', `${integrationId}/${referenceId}/${type}`).slice(0, 32)}`
}

/** The ids of all events that an order can have. */
export function eventIdsOf({
  integrationId,
  referenceId,
}: Pick<EventSubject, 'integrationId' | 'referenceId'>): string[] {
  return EVENT_TYPES.map((type) => eventIdOf(integrationId, referenceId, type))
}

/** The part of an order that an event tells of. */
export type EventSubject = {
  integrationId: string
  referenceId: string
  status: string
  direction: string
  amountMicro: bigint
  txHash: string | null
  blockNumber: bigint | null
}

/** The event type for an order that has just reached its status; undefined where the contract names none. */
export function eventTypeOf(subject: Pick<EventSubject, 'direction' | 'status'>): EventType | undefined {
  const type = `${subject.direction.toLowerCase()}.${subject.status}`
  return EVENT_TYPES.find((known) => known === type)
}

/**
 * The event of a state change.
 * @param subject the order after the change
 * @param happenedAt when it changed
 * @returns undefined when the contract names no event for this direction and status
 */
export function eventOf(subject: EventSubject, happenedAt: Date): OrderEvent | undefined {
  const type = eventTypeOf(subject)
  if (type === undefined) return undefined
  const { integrationId, referenceId, amountMicro, txHash, blockNumber } = subject
  return {
    eventId: eventIdOf(integrationId, referenceId, type),
    type,
    referenceId,
    amountMicro,
    txHash,
    blockNumber,
    happenedAt,
  }
}

/** The amounts that orders and events both show, in the shortest form (contract "Order"); a transfer has no ringgit. */
export function shownAmounts({ direction, amountMicro }: { direction: string; amountMicro: bigint }) {
  const coin = formatAmount(amountMicro)
  return { myr: direction === 'TRANSFER' ? null : coin, coin, decimals: COIN_DECIMALS }
}

/** What the event says with which operators try an endpoint: of the usual shape, under a type of its own and a reference that no order has. */
export const TEST_EVENT = {
  type: 'webhook.test',
  data: {
    referenceId: 'webhook-test',
    status: 'pending',
    direction: 'MINT',
    amounts: { myr: '1', coin: '1', decimals: COIN_DECIMALS },
    blockchain: { txHash: null, blockNumber: null },
  },
} as const

/**
 * The webhook body of an event. It follows from the event's own row, none of which ever changes, so every delivery attempt
 * and every page of events has the same bytes.
 */
export function bodyOf(event: OrderEvent): string {
  const { eventId: id, type, referenceId, amountMicro, txHash, blockNumber, happenedAt } = event
  const [direction = '', status] = type.split('.')
  const shown = direction.toUpperCase()
  return JSON.stringify({
    id,
    type,
    createdAt: happenedAt.toISOString(),
    data: {
      referenceId,
      status,
      direction: shown,
      amounts: shownAmounts({ direction: shown, amountMicro }),
      blockchain: { txHash, blockNumber: blockNumber === null ? null : blockNumber.toString() },
    },
  })
}
