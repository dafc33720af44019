/** The books say what orders and payments say: at the end each account, and at every moment what may never be apart. */
import { casesOf, isOpen } from '../cases.ts'
import type { Rule, Violation } from '../evidence.ts'

const MICRO_PER_SEN = 10_000n

/** Debits are positive. Coin and payments belong to chain and rail, everything else to the integration. */
export const booksTellTheOrders: Rule = (evidence) => {
  const cases = casesOf(evidence)
  // What is still open is told by another rule, and may be booked or not.
  if (cases.some(({ order }) => order !== undefined && isOpen(order))) return []
  const expected = new Map<string, bigint>()
  const add = (account: string, amountMicro: bigint) =>
    expected.set(account, (expected.get(account) ?? 0n) + amountMicro)
  const paid = Map.groupBy(evidence.bank.payments, ({ reference }) => reference)
  for (const { intent, order } of cases) {
    const { direction, integrationId, amountMicro, reference } = intent
    if (order?.status !== 'completed' || direction === 'TRANSFER') continue
    if (direction === 'MINT') {
      add(`mint_receivable:${integrationId}`, amountMicro)
      add('coins', -amountMicro)
      continue
    }
    const paidMicro = (paid.get(reference) ?? []).reduce((sum, { amountSen }) => sum + amountSen, 0n) * MICRO_PER_SEN
    add('coins', amountMicro)
    add('payout_clearing', -paidMicro)
    add(`residual:${integrationId}`, paidMicro - amountMicro)
  }
  const booked = new Map(evidence.books.map(({ account, balanceMicro }) => [account, balanceMicro] as const))
  return [...new Set([...expected.keys(), ...booked.keys()])].flatMap((subject): Violation[] => {
    const [is, should] = [booked.get(subject) ?? 0n, expected.get(subject) ?? 0n]
    return is === should ? [] : [{ rule: 'books', subject, message: `is ${is}, orders and payments come to ${should}` }]
  })
}

export const momentsHold: Rule = ({ moments: { looks, wrong } }) => [
  ...(looks > 0 ? [] : [{ rule: 'moments', subject: 'run', message: 'nobody looked while it went on' }]),
  ...wrong.map((message) => ({ rule: 'moments', subject: message.split(':')[0] ?? '', message })),
]
