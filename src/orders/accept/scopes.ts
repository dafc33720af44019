/** Which scopes each POST needs (contract "Scopes"). */
import type { Caller } from './call.ts'

export const REDEEM_SCOPES = ['redeem:create', 'redeem:execute'] as const
export const TRANSFER_SCOPES = ['transfer:create', 'transfer:execute'] as const
export const CANCEL_SCOPES = ['mint:create'] as const

/** A mint that says `fiatConfirmed: true` is submitted for settlement, which needs a right of its own. */
export function mintScopes(body: Record<string, unknown>): readonly string[] {
  return body.fiatConfirmed === true ? ['mint:create', 'mint:execute'] : ['mint:create']
}

/** Whether the caller's key carries every scope that is needed. */
export function holdsScopes(caller: Caller, needed: readonly string[]): boolean {
  return needed.every((scope) => caller.scopes.has(scope))
}
