/** Every event of an order reached its receiver, signed, under one id and with one body; and no other event did. */
import { casesOf } from '../cases.ts'
import type { Hook, Intent, ListedOrder, Rule } from '../evidence.ts'

function expectedTypes({ direction }: Intent, order: ListedOrder | undefined): string[] {
  const name = direction.toLowerCase()
  const begins = direction === 'TRANSFER' ? [] : [`${name}.pending`]
  switch (order?.status) {
    case 'completed':
    case 'failed':
      return [...begins, `${name}.${order.status}`]
    case 'pending':
    case 'processing':
      return begins
    default:
      return []
  }
}

export const everyEventArrives: Rule = (evidence) => {
  const arrived = Map.groupBy(evidence.hooks, ({ reference }) => reference)
  const known = new Set(evidence.intents.map(({ reference }) => reference))
  const strangers = evidence.hooks.filter(({ reference }) => !known.has(reference))
  return [
    ...strangers.map(({ eventId, type }) => ({ rule: 'webhooks', subject: eventId, message: `${type} of no order` })),
    ...casesOf(evidence).flatMap(({ intent, order }) => {
      const expected = expectedTypes(intent, order)
      const hooks = arrived.get(intent.reference) ?? []
      const types = new Set(hooks.map(({ type }) => type))
      return [
        ...expected.filter((type) => !types.has(type)).map((type) => `${type} never arrived`),
        ...[...types].filter((type) => !expected.includes(type)).map((type) => `${type}, but it is ${order?.status}`),
        ...hooks.flatMap((hook) => troublesOf(hook, intent, order)),
      ].map((message) => ({ rule: 'webhooks', subject: intent.reference, message }))
    }),
  ]
}

function troublesOf(hook: Hook, intent: Intent, order: ListedOrder | undefined): string[] {
  const { type, status, amountCoin, integrationId, isSigned, txHash } = hook
  const [direction, state] = type.split('.')
  return [
    ...(isSigned ? [] : [`${type} arrived with a wrong signature`]),
    ...(integrationId === intent.integrationId ? [] : [`${type} went to another integration`]),
    ...(status === state && direction === intent.direction.toLowerCase() ? [] : [`${type} says ${status}`]),
    ...(microOf(amountCoin) === intent.amountMicro ? [] : [`${type} says ${amountCoin}`]),
    ...(state !== 'completed' || order === undefined || txHash === order.txHash
      ? []
      : [`${type} names ${txHash}, the order ${order.txHash}`]),
  ]
}

export const eventsAreStable: Rule = ({ hooks }) => [
  ...[...Map.groupBy(hooks, ({ reference, type }) => `${reference} ${type}`)]
    .filter(([, same]) => new Set(same.map(({ eventId }) => eventId)).size > 1)
    .map(([subject]) => ({ rule: 'webhooks', subject, message: 'came under two event ids' })),
  ...[...Map.groupBy(hooks, ({ eventId }) => eventId)]
    .filter(([, same]) => new Set(same.map(({ body }) => body)).size > 1)
    .map(([subject]) => ({ rule: 'webhooks', subject, message: 'came with two different bodies' })),
]

/** They may arrive in any order; by their own word each happens after what comes before it in the life of its order. */
export const eventsAreInOrder: Rule = (evidence) => {
  const arrived = Map.groupBy(evidence.hooks, ({ reference }) => reference)
  return casesOf(evidence).flatMap(({ intent, order }) => {
    const hooks = arrived.get(intent.reference) ?? []
    const begun = hooks.filter(({ type }) => type.endsWith('.pending')).map(({ happenedAt }) => happenedAt)
    const ended = hooks.filter(({ type }) => !type.endsWith('.pending')).map(({ happenedAt }) => happenedAt)
    const isAfter = (later: readonly string[], earlier: readonly string[]) =>
      later.every((one) => earlier.every((other) => Date.parse(one) >= Date.parse(other)))
    const accepted = order === undefined ? [] : [order.createdAt]
    if (isAfter(ended, begun) && isAfter([...begun, ...ended], accepted)) return []
    const message = `accepted ${accepted.join()}, pending ${begun.join()}, ended ${ended.join()}`
    return [{ rule: 'webhooks', subject: intent.reference, message }]
  })
}

/** A decimal string in units of 10^-6; undefined when it is none. */
function microOf(amount: string): bigint | undefined {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(amount)
  return match === null ? undefined : BigInt(`${match[1]}${(match[2] ?? '').padEnd(6, '0')}`)
}
