/** Amounts that should be equal and are not, as differences. */
import { formatAmount } from '../../money.ts'
import type { Direction } from '../../orders/order.ts'
import type { WrongUsage } from './counted.sql.ts'
import type { CounterKind } from './counters.ts'
import type { Difference } from './difference.ts'
import type { Disagreement } from './findings.sql.ts'
import type { UsageFindings } from './usage.ts'

/** Two amounts that should be one. */
export function disagreement(
  kind: Difference['kind'],
  found: Disagreement,
  recorded: string,
  orders: string,
): Difference {
  const { subject, recordedMicro, ordersMicro } = found
  return {
    kind,
    subject,
    message: `${formatAmount(recordedMicro)} is ${recorded}, but ${orders} come to ${formatAmount(ordersMicro)}.`,
  }
}

/** Of a counter, which a command puts right. */
export function wrongCounter(kind: CounterKind, ...found: [Disagreement, string, string]): Difference {
  const { subject, message } = disagreement(kind, ...found)
  return {
    kind,
    subject,
    message: `${message} Once you know why: "coin counter recount ${kind} ${subject} --reason …".`,
  }
}

const WHAT_IS_COUNTED: Record<Direction, { kind: CounterKind; recorded: string; orders: string }> = {
  MINT: { kind: 'mint_usage', recorded: 'counted for the key', orders: 'its mints confirmed on that day' },
  TRANSFER: { kind: 'transfer_usage', recorded: 'counted for the key', orders: 'its transfers of that day' },
  REDEEM: { kind: 'withdrawal_usage', recorded: 'counted for the customer', orders: 'their redeems of this month' },
}

/** Counters of usage, and sums of ended orders, that differ from their orders. */
export function usageTroubles({ counters, sums }: UsageFindings): Difference[] {
  const subjectOf = ({ direction, owner, period }: WrongUsage) =>
    direction === 'REDEEM' ? owner : `${owner}:${period}`
  return [
    ...counters.map((found) => {
      const { kind, recorded, orders } = WHAT_IS_COUNTED[found.direction]
      return wrongCounter(kind, { ...found, subject: subjectOf(found) }, recorded, orders)
    }),
    ...sums.map((found) => {
      const recorded = 'what ended orders came to when first added up'
      const subject = `${found.direction} ${subjectOf(found)}`
      return disagreement('ended_changed', { ...found, subject }, recorded, 'added up again, they')
    }),
  ]
}
