/** How old is what an account still comes to, or was overpaid on it (pure): what came first is settled first. */

/** Upper ends of the ages that are told apart, in days; what is older is the last part. */
const AGES_DAYS = [1, 7, 30, 90] as const

export type Ages = {
  totalMicro: bigint
  /** One part for each of `AGES_DAYS`, then one for what is older. */
  partsMicro: readonly bigint[]
}

/** What was added to an account on a day; `daysAgo` 0 is the day of the report. */
export type Growth = { daysAgo: number; amountMicro: bigint }

/**
 * Splits a balance by age: the newest additions are what is still open, because the oldest are settled first. One below zero was overpaid, and
 * its parts are below zero as well.
 * @param growth of the last 90 days, of what is open or of what was overpaid; what they do not explain is older
 */
export function ageOf(balanceMicro: bigint, growth: readonly Growth[]): Ages {
  const parts = Array.from({ length: AGES_DAYS.length + 1 }, () => 0n)
  const sign = balanceMicro < 0n ? -1n : 1n
  let left = sign * balanceMicro
  for (const { daysAgo, amountMicro } of growth.toSorted((one, other) => one.daysAgo - other.daysAgo)) {
    const part = AGES_DAYS.findIndex((days) => daysAgo < days)
    if (part === -1) break
    const open = amountMicro < left ? amountMicro : left
    left -= open
    parts[part] = (parts[part] ?? 0n) + sign * open
  }
  parts[AGES_DAYS.length] = sign * left
  return { totalMicro: balanceMicro, partsMicro: parts }
}
