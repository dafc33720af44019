/** How much of a redeem is paid out now, in whole sen, and how much, below one sen, stays owed to the customer. */
import { SEN_IN_MICRO } from '../money.ts'

export type Split = { amountSen: bigint; owedMicro: bigint }

/**
 * Splits a burnt amount, together with what was owed before, into whole sen and a rest that goes out with a later payout.
 * @param amountMicro the burnt amount
 * @param owedMicro left over from earlier redeems of the customer; below zero, and by less than a sen, where as much went out too early:
 * that comes off, but a redeem of a sen or more is never without a payout
 * @returns `amountSen` may be 0, and then nothing is paid yet
 */
export function splitAmount(amountMicro: bigint, owedMicro: bigint): Split {
  const totalMicro = amountMicro + owedMicro
  const wholeSen = totalMicro / SEN_IN_MICRO
  const amountSen = wholeSen === 0n && amountMicro >= SEN_IN_MICRO ? 1n : wholeSen
  return { amountSen, owedMicro: totalMicro - amountSen * SEN_IN_MICRO }
}

/**
 * So much of what was owed before goes out with a redeem, and no more: the database accepts no greater payout (`payouts_begin`). More is
 * owed where somebody has written it past the service, and may not keep the redeem's batch, and all behind it, from being recorded.
 */
const MOST_OF_BEFORE = 10n * SEN_IN_MICRO

export type Redeem = { orderId: bigint; customerId: string; amountMicro: bigint }
export type NewPayout = { orderId: bigint; customerId: string; amountSen: bigint }

/**
 * The payouts of burnt redeems, in the given order, and what each customer is owed afterwards. A redeem that does not
 * reach a whole sen has no payout: its amount stays owed.
 * @param owedMicro what the customers are owed before; 0 for a missing customer
 */
export function planPayouts(
  redeems: readonly Redeem[],
  owedMicro: ReadonlyMap<string, bigint>,
): { payouts: NewPayout[]; owedMicro: Map<string, bigint> } {
  const owedAfter = new Map(owedMicro)
  const payouts: NewPayout[] = []
  for (const { orderId, customerId, amountMicro } of redeems) {
    const before = owedAfter.get(customerId) ?? 0n
    const kept = before > MOST_OF_BEFORE ? before - MOST_OF_BEFORE : 0n
    const split = splitAmount(amountMicro, before - kept)
    owedAfter.set(customerId, split.owedMicro + kept)
    if (split.amountSen > 0n) payouts.push({ orderId, customerId, amountSen: split.amountSen })
  }
  return { payouts, owedMicro: owedAfter }
}
