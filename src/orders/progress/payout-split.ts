/** What of a redeem is paid out now, in whole sen, and what stays owed to the customer below one sen. */
import { SEN_IN_MICRO } from '../../money.ts'

export type PayoutSplit = { amountSen: bigint; owedMicro: bigint }

/**
 * Splits a burned amount, together with what was owed before, into whole sen and a rest that goes out with a later payout.
 * @param amountMicro the burned amount
 * @param owedMicro left over from earlier redeems of the customer
 * @returns `amountSen` may be 0: then nothing is paid yet
 */
export function splitPayout(amountMicro: bigint, owedMicro: bigint): PayoutSplit {
  const totalMicro = amountMicro + owedMicro
  return { amountSen: totalMicro / SEN_IN_MICRO, owedMicro: totalMicro % SEN_IN_MICRO }
}
