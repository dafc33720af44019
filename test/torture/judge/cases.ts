/** Evidence put in order: one case per reference, with everything that concerns it. */
import type { Attempt, Evidence, Intent, ListedOrder, Purpose } from './evidence.ts'

export type Case = {
  intent: Intent
  attempts: readonly Attempt[]
  /** What the service lists under the reference. */
  order: ListedOrder | undefined
}

const OPEN = new Set(['pending', 'processing'])
const CREATING = new Set<Purpose>(['create', 'same reference, other key'])

/** The cases, in the order in which clients began them. */
export function casesOf({ intents, attempts, orders }: Evidence): Case[] {
  const attemptsOf = Map.groupBy(attempts, ({ reference }) => reference)
  const orderOf = new Map(orders.map((order) => [order.reference, order]))
  return intents.map((intent) => ({
    intent,
    attempts: attemptsOf.get(intent.reference) ?? [],
    order: orderOf.get(intent.reference),
  }))
}

/** Whether an order may still move. `payment_pending` may not: nothing happens to it until its partner asks. */
export function isOpen({ status }: ListedOrder): boolean {
  return OPEN.has(status)
}

export function isAcknowledged({ status }: Attempt): boolean {
  return status >= 200 && status < 300
}

/** A refusal that a client may rely on: the contract's "never retry another 4xx". */
export function isRefused({ status }: Attempt): boolean {
  return status >= 400 && status < 500 && status !== 429
}

/** Attempts that would make the order if it was not there. */
export function creating({ attempts }: Case): Attempt[] {
  return attempts.filter(({ purpose }) => CREATING.has(purpose))
}

/** What an answer says about its order; undefined when it has none. */
export function orderIn(
  text: string,
): { status: string; direction: string; amountRaw: string; wallet: string } | undefined {
  try {
    const { status, direction, amounts, walletAddress } = JSON.parse(text) as {
      status: string
      direction: string
      amounts: { amountRaw: string }
      walletAddress: string
    }
    return { status, direction, amountRaw: amounts.amountRaw, wallet: walletAddress.toLowerCase() }
  } catch {
    return undefined
  }
}
