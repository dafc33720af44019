/** The bank paid every completed redeem once, in full to the sen, to the right account, and nobody else. */
import { type Case, casesOf, isOpen } from '../cases.ts'
import type { Payment, Rule, Violation } from '../evidence.ts'

const MICRO_PER_SEN = 10_000n

export const redeemsArePaidOnce: Rule = (evidence) => {
  const { bank, customers } = evidence
  const accountOf = new Map(customers.map(({ customerId, bankAccount }) => [customerId, bankAccount]))
  const paid = Map.groupBy(bank.payments, ({ reference }) => reference)
  const redeems = casesOf(evidence).filter(({ intent }) => intent.direction === 'REDEEM')
  const known = new Set(redeems.map(({ intent }) => intent.reference))
  const violations: Violation[] = bank.conflicts.map((payoutId) => {
    return { rule: 'bank', subject: payoutId, message: 'came again with other details' }
  })
  for (const { reference, payoutId } of bank.payments) {
    if (!known.has(reference))
      violations.push({ rule: 'bank', subject: payoutId, message: `pays unknown ${reference}` })
  }
  for (const one of redeems) {
    const payments = paid.get(one.intent.reference) ?? []
    for (const message of troublesOf(one, payments, accountOf.get(one.intent.customerId))) {
      violations.push({ rule: 'bank', subject: one.intent.reference, message })
    }
  }
  return violations
}

function troublesOf({ intent, order }: Case, payments: readonly Payment[], account: string | undefined): string[] {
  const status = order?.status ?? 'no order'
  const least = status === 'completed' ? 1 : 0
  const most = least === 1 || (order !== undefined && isOpen(order)) ? 1 : 0
  const wholeSen = intent.amountMicro / MICRO_PER_SEN
  return [
    ...(payments.length < least ? [`${status}, but never paid`] : []),
    ...(payments.length > most ? [`${status}, but paid ${payments.length} times`] : []),
    ...payments.flatMap(({ amountSen, account: to }) => [
      // What earlier redeems left over, below one sen each, can add up to one sen more.
      ...(amountSen === wholeSen || amountSen === wholeSen + 1n
        ? []
        : [`paid ${amountSen} sen of ${intent.amountMicro}`]),
      ...(to === account ? [] : [`paid to ${to}, not to ${account}`]),
    ]),
  ]
}

/** Over all redeems of a customer less than one sen is left over, and never too much is paid. */
export const nothingIsLeftOver: Rule = (evidence) => {
  const redeems = casesOf(evidence).filter(({ intent }) => intent.direction === 'REDEEM')
  const paid = Map.groupBy(evidence.bank.payments, ({ reference }) => reference)
  return [...Map.groupBy(redeems, ({ intent }) => intent.customerId)].flatMap(([customerId, cases]) => {
    if (cases.some(({ order }) => order !== undefined && isOpen(order))) return []
    const done = cases.filter(({ order }) => order?.status === 'completed')
    const owed = done.reduce((sum, { intent }) => sum + intent.amountMicro, 0n)
    const payments = done.flatMap(({ intent }) => paid.get(intent.reference) ?? [])
    const left = owed - payments.reduce((sum, { amountSen }) => sum + amountSen * MICRO_PER_SEN, 0n)
    if (left >= 0n && left < MICRO_PER_SEN) return []
    return [{ rule: 'bank', subject: customerId, message: `redeems less payments leave ${left}` }]
  })
}
