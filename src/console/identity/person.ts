/** From what the provider says to who it is here. */
import { hash } from 'node:crypto'
import type { IdentityProviderConfig } from '../../config.ts'
import { type Identity, isOperatorName, tidyName } from '../../operators/operator.ts'
import type { OperatorRole } from '../../operators/roles.ts'
import type { Claims } from './provider.ts'

export type Person = {
  identity: Identity
  /** The name by which they go, and the one for when somebody else has it. */
  names: readonly [string, string]
  /** Undefined when no group of theirs has one. */
  role: OperatorRole | undefined
}

/** Reads the claims of an ID token that was checked. */
export function personOf(
  claims: Claims,
  { groupsClaim, roles }: Pick<IdentityProviderConfig, 'groupsClaim' | 'roles'>,
): Person {
  const { iss: issuer, sub: subject } = claims
  const groups = new Set([claims[groupsClaim] ?? []].flat().filter((group) => typeof group === 'string'))
  const mark = hash('sha256', `${issuer}\n${subject}`).slice(0, 8)
  const given = [claims.name, claims.preferred_username].flatMap((each) =>
    typeof each === 'string' ? [tidyName(each).trim().slice(0, 80).trim()] : [],
  )
  const name = given.find(isOperatorName) ?? `person ${mark}`
  return {
    identity: { issuer, subject },
    names: [name, `${name} (${mark})`],
    role: roles.find(({ group }) => groups.has(group))?.role,
  }
}
