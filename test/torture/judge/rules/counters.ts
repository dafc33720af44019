/** Usage and earmarks end at what the orders say, and no cap was passed. */
import { type Case, casesOf, isOpen } from '../cases.ts'
import type { Direction, Evidence, Rule, Violation } from '../evidence.ts'

const COUNTS = new Set(['pending', 'processing', 'completed'])
const DAY = 10
const MONTH = 7

/** Sums of orders that count, by owner and UTC day or month of their acceptance. */
function sumsOf(evidence: Evidence, direction: Direction, ownerOf: (one: Case) => string, length: number) {
  const sums = new Map<string, bigint>()
  for (const one of casesOf(evidence)) {
    if (one.intent.direction !== direction || one.order === undefined || !COUNTS.has(one.order.status)) continue
    const key = `${ownerOf(one)} ${one.order.createdAt.slice(0, length)}`
    sums.set(key, (sums.get(key) ?? 0n) + one.intent.amountMicro)
  }
  return sums
}

function compare(rule: string, sums: ReadonlyMap<string, bigint>, counted: ReadonlyMap<string, bigint>): Violation[] {
  return [...new Set([...sums.keys(), ...counted.keys()])]
    .filter((key) => (sums.get(key) ?? 0n) !== (counted.get(key) ?? 0n))
    .map((subject) => {
      return {
        rule,
        subject,
        message: `counted ${counted.get(subject) ?? 0n}, orders come to ${sums.get(subject) ?? 0n}`,
      }
    })
}

function overCap(
  rule: string,
  sums: ReadonlyMap<string, bigint>,
  caps: ReadonlyMap<string, bigint | null>,
): Violation[] {
  return [...sums].flatMap(([subject, sum]) => {
    const cap = caps.get(subject.split(' ')[0] ?? '') ?? null
    return cap === null || sum <= cap ? [] : [{ rule, subject, message: `${sum} passed the cap of ${cap}` }]
  })
}

/** A mint counts on the day on which it was confirmed, so its own day says nothing: sums are compared over all days. */
export const mintUsageIsRight: Rule = (evidence) => {
  const capOf = new Map(evidence.keys.map(({ keyId, mintDayCapMicro }) => [keyId, mintDayCapMicro] as const))
  const ofCapped = (sums: ReadonlyMap<string, bigint>) =>
    new Map([...sums].filter(([key]) => (capOf.get(key.trim()) ?? null) !== null))
  const sums = ofCapped(sumsOf(evidence, 'MINT', ({ intent }) => intent.keyId, 0))
  const counted = new Map<string, bigint>()
  for (const { keyId, committedMicro } of evidence.tables.mintUsage) {
    counted.set(`${keyId} `, (counted.get(`${keyId} `) ?? 0n) + committedMicro)
  }
  const days = evidence.tables.mintUsage.map((row) => [`${row.keyId} ${row.day}`, row.committedMicro] as const)
  return [...compare('usage', sums, counted), ...overCap('caps', new Map(days), capOf)]
}

export const transferUsageIsRight: Rule = (evidence) => {
  const sums = sumsOf(evidence, 'TRANSFER', ({ intent }) => intent.keyId, DAY)
  const counted = evidence.tables.transferUsage.map((row) => [`${row.keyId} ${row.day}`, row.committedMicro] as const)
  const caps = evidence.keys.map(({ keyId, transferDayCapMicro }) => [keyId, transferDayCapMicro] as const)
  return [...compare('usage', sums, new Map(counted)), ...overCap('caps', sums, new Map(caps))]
}

export const withdrawalUsageIsRight: Rule = (evidence) => {
  const sums = sumsOf(evidence, 'REDEEM', ({ intent }) => intent.customerId, MONTH)
  const counted = evidence.tables.withdrawalUsage.map(({ customerId, month, committedMicro }) => {
    return [`${customerId} ${month.slice(0, MONTH)}`, committedMicro] as const
  })
  const caps = evidence.customers.map(({ customerId, monthlyCapMicro }) => [customerId, monthlyCapMicro] as const)
  return [...compare('usage', sums, new Map(counted)), ...overCap('caps', sums, new Map(caps))]
}

/** Only orders that are still open may hold coin back. */
export const earmarksAreReleased: Rule = (evidence) => {
  const open = casesOf(evidence).filter(({ order }) => order !== undefined && isOpen(order))
  return evidence.tables.earmarks.flatMap(({ wallet, earmarkedMicro }) => {
    const most = open
      .filter(({ intent }) => intent.debited === wallet)
      .reduce((sum, { intent }) => sum + intent.amountMicro, 0n)
    if (earmarkedMicro >= 0n && earmarkedMicro <= most) return []
    return [{ rule: 'earmarks', subject: wallet, message: `${earmarkedMicro} is earmarked, open orders take ${most}` }]
  })
}
