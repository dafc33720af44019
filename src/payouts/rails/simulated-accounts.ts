/**
 * Account numbers of payees that bring about what a bank does otherwise, so that it can be tried out: docs/SANDBOX.md.
 */
const SIMULATED = {
  /** Not taken at all. */
  refused: '^0+$',
  /** Paid, and then given back. */
  returned: '^(0+1$|999)',
  /** Accepted, and then not carried out. */
  rejected: '^0+2$',
  /** Without an answer for a while. */
  slow: '^0+3$',
  /** Paid, and on a statement only later. */
  debitedLate: '^888',
} as const

export const SLOW_MS = 10_000
export const DEBITED_LATE_MS = 120_000

export type Behaviour = keyof typeof SIMULATED

/** What an account number brings about; null: it is paid. No number brings about two things. */
export function behaviourOf(account: string): Behaviour | null {
  return (Object.keys(SIMULATED) as Behaviour[]).find((behaviour) => brings(behaviour, account)) ?? null
}

/** Whether an account number brings about an outcome. */
export function brings(outcome: Behaviour, account: string): boolean {
  return new RegExp(SIMULATED[outcome]).test(account)
}
