/** The three ways a ringgit travels between banks, and what each of them carries. */
import { saySen } from '../money.ts'

export const RAILS = ['duitnow', 'ibg', 'rentas'] as const
export type BankRail = (typeof RAILS)[number]

export type RailRule = {
  /** Smallest and largest payment, in sen, both included. */
  minSen: bigint
  maxSen: bigint
  /** The local instrument that names the rail in a payment file, in the debtor bank's own word. */
  localInstrument: string
}

export type RailRules = Readonly<Record<BankRail, RailRule>>

/** The rails' own limits. A bank may set lower limits and its own words; see `railRulesWith`. */
export const RAIL_RULES: RailRules = {
  duitnow: { minSen: 1n, maxSen: 1_000_000_000n, localInstrument: 'DUITNOW' },
  ibg: { minSen: 1n, maxSen: 100_000_000n, localInstrument: 'IBG' },
  rentas: { minSen: 1_000_000n, maxSen: 99_999_999_999_999n, localInstrument: 'RENTAS' },
}

/**
 * Rules with a bank's own words and limits.
 * @throws RangeError when a limit goes beyond the rail's, or two rails have the same word
 */
export function railRulesWith(changes: Readonly<Partial<Record<BankRail, Partial<RailRule>>>>): RailRules {
  const changed = (rail: BankRail): RailRule => {
    const own = RAIL_RULES[rail]
    const rule = { ...own, ...changes[rail] }
    if (rule.minSen < own.minSen || rule.maxSen > own.maxSen || rule.minSen > rule.maxSen) {
      throw new RangeError(`${rail} carries ${saySen(own.minSen)} to ${saySen(own.maxSen)} at most.`)
    }
    return rule
  }
  const rules = { duitnow: changed('duitnow'), ibg: changed('ibg'), rentas: changed('rentas') }
  const words = new Set(RAILS.map((rail) => rules[rail].localInstrument))
  if (words.size < RAILS.length || [...words].some((word) => !/^[A-Za-z0-9 -]{1,35}$/.test(word))) {
    throw new RangeError('Each rail has a word of its own, of 1 to 35 letters, digits, blanks and dashes.')
  }
  return rules
}

/** True when a rail carries an amount. */
export function carries(rules: RailRules, rail: BankRail, amountSen: bigint): boolean {
  return amountSen >= rules[rail].minSen && amountSen <= rules[rail].maxSen
}

/** The first of the preferred rails that carries an amount; undefined when none does. */
export function railFor(rules: RailRules, preferred: readonly BankRail[], amountSen: bigint): BankRail | undefined {
  return preferred.find((rail) => carries(rules, rail, amountSen))
}
