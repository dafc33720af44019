/** When no admin has a token any more: whoever has the machine and its settings makes a new admin, on the record. */
import { isOperatorName, makeToken, newOperatorId } from './operator.ts'

export type NewAdmin = { operatorId: string; name: string; token: string; secretSha256: string }

/** A new admin with a token of their own; undefined when nobody can go by this name. */
export function newAdmin(name: string): NewAdmin | undefined {
  if (!isOperatorName(name)) return undefined
  const operatorId = newOperatorId()
  return { operatorId, name, ...makeToken(operatorId) }
}
