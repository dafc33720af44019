/** Verification of customers and corporates (contract "Customer", "Corporate"). */

export const VERIFICATION_STATUSES = ['UNVERIFIED', 'PENDING', 'VERIFIED', 'REJECTED', 'SUSPENDED'] as const
export type VerificationStatus = (typeof VERIFICATION_STATUSES)[number]

const LABEL_PATTERN = /^[A-Z][A-Z0-9_]{0,31}$/

/** A sentence when a level or stage is not a label such as `TIER_2` or `COMPLETE`; undefined when it is. */
export function labelProblem(what: 'level' | 'stage', label: string): string | undefined {
  if (LABEL_PATTERN.test(label)) return undefined
  const example = what === 'level' ? 'TIER_2' : 'COMPLETE'
  return `The verification ${what} must be 1 to 32 capital letters, digits and "_", such as ${example}.`
}

/** The SQL of `verified_at` for a new status: the instant it became VERIFIED is kept while it stays so, else null. */
export function verifiedAtSql(statusParam: string, current: string): string {
  return `case when ${statusParam} = 'VERIFIED' then coalesce(${current}, now()) end`
}
