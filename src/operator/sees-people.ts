/**
 * What is shown of people and accounts to whoever may not see customers: nothing. Four digits with a bank and a customer's external id say who
 * somebody is, and a look that shows them is recorded elsewhere.
 */
import { lineOf } from '../operators/commands.ts'
import type { RecordedAuditEntry } from './audit.sql.ts'
import type { Principal } from './authenticate.ts'
import { mayRun } from './require-role.ts'

/** In place of what is not shown; what there is none of stays null. */
const HIDDEN = 'hidden'
/** As `LOOKS` of `subjects.ts` and the routes name them in the audit log. */
const PERSONAL = new Set(['externalId', 'bankBic', 'bankAccount', 'account', 'remitters'])

/** Whether somebody may see bank details and customers. */
export function seesPeople(principal: Pick<Principal, 'roles'>): boolean {
  return mayRun(lineOf('GET', '/customers/:customerId'), principal)
}

/** The digits of accounts, or as many words in their place. */
export function accountsFor(principal: Pick<Principal, 'roles'>, masked: readonly string[]): readonly string[] {
  return seesPeople(principal) ? masked : masked.map(() => HIDDEN)
}

/** A payout in a list, as somebody may see it. */
export function payoutFor<T extends { bankBic: string | null; bankAccountEnding: string | null }>(
  principal: Pick<Principal, 'roles'>,
  payout: T,
): T {
  return seesPeople(principal) ? payout : { ...payout, bankBic: null, bankAccountEnding: null }
}

/** An entry of the audit log as somebody may see it. What is stored and sealed stays whole. */
export function entryFor(principal: Pick<Principal, 'roles'>, entry: RecordedAuditEntry): RecordedAuditEntry {
  if (seesPeople(principal)) return entry
  const { details, before, after } = entry
  return { ...entry, details: without(details), before: before && without(before), after: after && without(after) }
}

function without(facts: Record<string, unknown>): Record<string, unknown> {
  const shown = Object.entries(facts).map(([name, value]) => [name, PERSONAL.has(name) ? hide(value) : value])
  return Object.fromEntries(shown)
}

function hide(value: unknown): unknown {
  if (value === null) return null
  return Array.isArray(value) ? value.map(() => HIDDEN) : HIDDEN
}
