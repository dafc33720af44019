/** The chain moved what completed orders say, once, and nothing else. */
import { casesOf, isOpen } from '../cases.ts'
import type { Evidence, Intent, ListedOrder, Movement, Rule, Violation } from '../evidence.ts'

const NOBODY = `0x${'0'.repeat(40)}`

type Move = Pick<Movement, 'from' | 'to' | 'amountMicro'>

function moveOf({ direction, wallet, debited, amountMicro }: Intent): Move {
  if (direction === 'MINT') return { from: NOBODY, to: wallet, amountMicro }
  if (direction === 'REDEEM') return { from: wallet, to: NOBODY, amountMicro }
  return { from: debited ?? '', to: wallet, amountMicro }
}

const keyOf = ({ from, to, amountMicro }: Move): string => `${from} → ${to} of ${amountMicro}`

const placesOf = (movements: readonly Movement[]): string =>
  movements.map(({ txHash, blockNumber }) => `${txHash} in block ${blockNumber}`).join(', ')

/** What the blocks list is evidence only while they are one chain. */
export const theNodeHasOneChain: Rule = ({ chain }) =>
  chain.breaks.map((message) => ({ rule: 'node', subject: 'chain', message }))

/** Clients give every order an amount of its own, so a movement identifies its order. */
export const movementsMatchOrders: Rule = (evidence) => {
  const found = Map.groupBy(evidence.chain.movements, keyOf)
  const meant = Map.groupBy(casesOf(evidence), ({ intent }) => keyOf(moveOf(intent)))
  const violations: Violation[] = []
  for (const [move, cases] of meant) {
    const orders = cases.flatMap(({ order }) => order ?? [])
    const least = orders.filter(({ status }) => status === 'completed').length
    const most = least + orders.filter(isOpen).length
    const count = found.get(move)?.length ?? 0
    const subject = cases.map(({ intent }) => intent.reference).join(', ')
    const ends = orders.map(({ status }) => status).join(', ') || 'no order'
    if (count < least) violations.push({ rule: 'chain', subject, message: `${ends}, but never moved: ${move}` })
    if (count > most) {
      const message = `${ends}, but moved ${count} times: ${move}, in ${placesOf(found.get(move) ?? [])}`
      violations.push({ rule: 'chain', subject, message })
    }
  }
  for (const [move, movements] of found) {
    if (meant.has(move)) continue
    violations.push({ rule: 'chain', subject: movements[0]?.txHash ?? '', message: `nobody asked for: ${move}` })
  }
  return violations
}

export const ordersNameTheirTransaction: Rule = (evidence) => {
  const found = Map.groupBy(evidence.chain.movements, keyOf)
  return casesOf(evidence).flatMap(({ intent, order }) => {
    if (order?.status !== 'completed') return []
    const where = found.get(keyOf(moveOf(intent))) ?? []
    const isNamed = where.some(
      ({ txHash, blockNumber }) => txHash === order.txHash && blockNumber === order.blockNumber,
    )
    if (isNamed || where.length === 0) return []
    const message = `names ${order.txHash} in block ${order.blockNumber}; it moved in ${placesOf(where)}`
    return [{ rule: 'transaction', subject: intent.reference, message }]
  })
}

/** Read from the coin's storage, not from its events. */
export const balancesAddUp: Rule = (evidence) => {
  const expected = new Map<string, bigint>()
  for (const { intent, order } of casesOf(evidence)) {
    if (order === undefined || !hasMoved(evidence, intent, order)) continue
    const { from, to, amountMicro } = moveOf(intent)
    expected.set(from, (expected.get(from) ?? 0n) - amountMicro)
    expected.set(to, (expected.get(to) ?? 0n) + amountMicro)
  }
  const { balances, supplyMicro } = evidence.chain
  const expectedSupply = -(expected.get(NOBODY) ?? 0n)
  expected.delete(NOBODY)
  return [
    ...(supplyMicro === expectedSupply
      ? []
      : [{ rule: 'supply', subject: 'coin', message: `is ${supplyMicro}, orders come to ${expectedSupply}` }]),
    ...[...new Set([...expected.keys(), ...balances.keys()])]
      .filter((wallet) => (balances.get(wallet) ?? 0n) !== (expected.get(wallet) ?? 0n))
      .map((wallet) => {
        const message = `holds ${balances.get(wallet) ?? 0n}, orders come to ${expected.get(wallet) ?? 0n}`
        return { rule: 'balances', subject: wallet, message }
      }),
  ]
}

/** Whether the coin of an order has moved; for a redeem that waits for its payout, only the chain can tell. */
function hasMoved({ chain }: Evidence, intent: Intent, order: ListedOrder): boolean {
  if (order.status === 'completed') return true
  const key = keyOf(moveOf(intent))
  return isOpen(order) && chain.movements.some((movement) => keyOf(movement) === key)
}
