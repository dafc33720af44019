/** What happened to an order: the event and its frozen webhook body (contract "Events"). */
import { hash } from 'node:crypto'

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

export type OrderEvent = { eventId: string; type: EventType; payload: string }

/**
 * The id of an event. An order has each type of event once, so these name the event for ever: after a restore the same
 * event has the same id, and a receiver that has seen it recognises it.
 */
export function eventIdOf(integrationId: string, referenceId: string, type: EventType): string {
  return `evt_${hash('sha256', `${integrationId}/${referenceId}/${type}`).slice(0, 32)}`
}

/** The part of an order, as the API shows it, that an event contains. */
export type EventSubject = {
  referenceId: string
  status: string
  direction: string
  amounts: { myr: string | null; coin: string; decimals: number }
  blockchain: { txHash: string | null; blockNumber: string | null }
}

/** The event type for an order that has just reached its status; undefined where the contract names none. */
export function eventTypeOf(subject: Pick<EventSubject, 'direction' | 'status'>): EventType | undefined {
  const type = `${subject.direction.toLowerCase()}.${subject.status}`
  return EVENT_TYPES.find((known) => known === type)
}

/**
 * The event of a state change with its webhook body, frozen here: every delivery attempt sends these bytes.
 * @param integrationId the integration of the order
 * @param subject the order's view (`viewOrder`) after the change
 * @param at when it changed
 * @returns undefined when the contract names no event for this direction and status
 */
export function eventOf(integrationId: string, subject: EventSubject, at: Date): OrderEvent | undefined {
  const type = eventTypeOf(subject)
  if (type === undefined) return undefined
  const { referenceId, status, direction, amounts, blockchain } = subject
  const eventId = eventIdOf(integrationId, referenceId, type)
  const { myr, coin, decimals } = amounts
  const data = { referenceId, status, direction, amounts: { myr, coin, decimals }, blockchain }
  return { eventId, type, payload: JSON.stringify({ id: eventId, type, createdAt: at.toISOString(), data }) }
}
