/** What a bank took beside a payment, kept of one that came back, or gave on top of it: the issuer's own, said to the sen (pure). */
import { SEN_IN_MICRO, sayRinggit, saySen } from '../money.ts'
import type { Line } from './match.ts'

/** `chargesSen`: what the bank took beside a payment, or kept of one that it gave back; `surplusSen`: what it gave on top of the latter. */
export type SaidCharges = { chargesSen?: bigint; surplusSen?: bigint }

/** What the bank has for itself of a line, when the rest of it is a payment or gives one back; below zero what it gave on top. */
export function chargesIn({ amountMicro }: Pick<Line, 'amountMicro'>, { amountSen }: { amountSen: bigint }): bigint {
  const paymentMicro = amountSen * SEN_IN_MICRO
  return (amountMicro > 0n ? paymentMicro : -paymentMicro) - amountMicro
}

/** The same, or a sentence where an operator has not said just that. A debit of less than the payment did not pay it. */
export function chargesSaidOf(
  line: Pick<Line, 'amountMicro'>,
  payment: { payoutId: string; amountSen: bigint } & SaidCharges,
): bigint | string {
  const chargesMicro = chargesIn(line, payment)
  const { payoutId, amountSen, chargesSen = 0n, surplusSen = 0n } = payment
  const isPossible = chargesMicro >= 0n || line.amountMicro > 0n
  if (isPossible && chargesMicro === (chargesSen - surplusSen) * SEN_IN_MICRO) return chargesMicro
  const sentence = `${payoutId} is of ${saySen(amountSen)}, and the line is of another amount`
  if (!isPossible) return `${sentence}.`
  if (chargesMicro < 0n) return `${sentence}: the surplus would be ${sayRinggit(-chargesMicro)}.`
  return `${sentence}: the charges of the bank would be ${sayRinggit(chargesMicro)}.`
}
