/** Every acknowledged order exists, is what was asked for, and has come to an end that the acknowledgements allow. */
import { type Case, casesOf, creating, isAcknowledged, isOpen, isRefused, orderIn } from '../cases.ts'
import type { Evidence, Rule, Violation } from '../evidence.ts'

const DECIDED = ['completed', 'failed']
const ENDED = new Set([...DECIDED, 'cancelled'])

export const acknowledgedOrdersExist: Rule = (evidence) => {
  const { intents, orders, tables } = evidence
  const known = new Set(intents.map(({ reference }) => reference))
  const violations: Violation[] = []
  const tell = (subject: string, message: string) => violations.push({ rule: 'orders', subject, message })
  for (const one of casesOf(evidence)) {
    const { intent, order } = one
    const asked = creating(one)
    if (order === undefined && asked.some(isAcknowledged)) tell(intent.reference, 'was acknowledged and is lost')
    if (order !== undefined && asked.every(isRefused)) tell(intent.reference, 'was refused and yet exists')
  }
  for (const { reference } of orders) if (!known.has(reference)) tell(reference, 'exists, and nobody asked for it')
  const distinct = new Set(orders.map(({ reference }) => reference))
  if (distinct.size < orders.length) tell('list', `${orders.length - distinct.size} references are listed twice`)
  if (tables.orderCount !== orders.length) tell('list', `${tables.orderCount} rows, but ${orders.length} are listed`)
  return violations
}

export const ordersAreWhatWasAsked: Rule = (evidence) =>
  casesOf(evidence).flatMap(({ intent, order }) => {
    if (order === undefined) return []
    const told = [order.integrationId, order.direction, order.amountMicro, order.wallet].join(' ')
    const asked = [intent.integrationId, intent.direction, intent.amountMicro, intent.wallet].join(' ')
    return told === asked
      ? []
      : [{ rule: 'orders', subject: intent.reference, message: `is ${told}, asked was ${asked}` }]
  })

export const ordersEndAsAcknowledged: Rule = (evidence) =>
  casesOf(evidence).flatMap((one) => {
    const { intent, order } = one
    if (order === undefined || isOpen(order)) return []
    const allowed = allowedEnds(one)
    if (allowed.includes(order.status)) return []
    const message = `ended as ${order.status} (${order.phase}); acknowledged was ${allowed.join(' or ')}`
    return [{ rule: 'ends', subject: intent.reference, message }]
  })

/** An answered confirmation or cancellation decides; an unanswered one may or may not have happened. */
function allowedEnds({ intent, attempts }: Case): readonly string[] {
  if (intent.direction !== 'MINT' || intent.confirmed) return DECIDED
  const moves = attempts.filter(({ purpose }) => purpose === 'confirm' || purpose === 'cancel')
  const told = moves.filter(isAcknowledged).map(({ text }) => orderIn(text)?.status ?? '')
  if (told.includes('cancelled')) return ['cancelled']
  if (told.some((status) => status !== 'payment_pending')) return DECIDED
  const unanswered = new Set(
    moves.filter((move) => !isAcknowledged(move) && !isRefused(move)).map(({ purpose }) => purpose),
  )
  return [
    'payment_pending',
    ...(unanswered.has('confirm') ? DECIDED : []),
    ...(unanswered.has('cancel') ? ['cancelled'] : []),
  ]
}

export const endsStay: Rule = (evidence) =>
  casesOf(evidence).flatMap((one) => {
    const { intent, attempts } = one
    const subject = intent.reference
    const acknowledgedMs = Math.min(
      ...creating(one)
        .filter(isAcknowledged)
        .map(({ endedMs }) => endedMs),
    )
    const looks = attempts.filter(({ purpose }) => purpose === 'look')
    const missed = looks.filter(({ status, startedMs }) => status === 404 && startedMs > acknowledgedMs)
    const ends = looks.filter(({ text }) => ENDED.has(orderIn(text)?.status ?? ''))
    const [first] = ends.toSorted((a, b) => a.endedMs - b.endedMs)
    const later =
      first === undefined ? [] : looks.filter(({ startedMs, status }) => status === 200 && startedMs > first.endedMs)
    return [
      ...missed.map(() => ({ rule: 'looks', subject, message: 'was acknowledged, then not found' })),
      ...later
        .filter(({ text }) => text !== first?.text)
        .map(({ text }) => ({ rule: 'looks', subject, message: `changed after its end: ${first?.text} → ${text}` })),
    ]
  })

/**
 * An order fails because one of its wallets was frozen, or because it lacked coin that was to come from a failed order.
 * Nothing else in a run may fail an order.
 */
export const failuresHaveACause: Rule = (evidence) => {
  const failed = casesOf(evidence).filter(({ order }) => order?.status === 'failed')
  const suspects = new Set(evidence.frozenWallets)
  const walletsOf = ({ intent }: Case) => [intent.wallet, ...(intent.debited === null ? [] : [intent.debited])]
  let open = failed
  for (;;) {
    const explained = open.filter((one) => walletsOf(one).some((wallet) => suspects.has(wallet)))
    if (explained.length === 0) break
    for (const wallet of explained.flatMap(walletsOf)) suspects.add(wallet)
    open = open.filter((one) => !explained.includes(one))
  }
  return open.map(({ intent }) => ({
    rule: 'failures',
    subject: intent.reference,
    message: `a ${intent.direction} failed although none of its wallets was ever frozen`,
  }))
}

export const everythingEnds: Rule = (evidence: Evidence) => [
  ...evidence.unsettled.map((message) => ({ rule: 'settling', subject: 'run', message })),
  ...evidence.orders.filter(isOpen).map(({ reference, status, phase }) => ({
    rule: 'settling',
    subject: reference,
    message: `still ${status} (${phase})`,
  })),
]
