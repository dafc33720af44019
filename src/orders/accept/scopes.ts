/** Which scopes each POST needs (contract "Scopes"). */
import { KINDS } from '../kinds.ts'
import type { Caller } from './call.ts'

const [CREATE_MINT] = KINDS.MINT.scopes
export const CANCEL_SCOPES: readonly string[] = [CREATE_MINT]

/** A mint with `fiatConfirmed: true` is submitted for settlement, which needs a scope of its own. */
export function mintScopes(body: Record<string, unknown>): readonly string[] {
  return body.fiatConfirmed === true ? KINDS.MINT.scopes : [CREATE_MINT]
}

/** Whether the caller's key has every needed scope. */
export function holdsScopes(caller: Caller, needed: readonly string[]): boolean {
  return needed.every((scope) => caller.scopes.has(scope))
}
