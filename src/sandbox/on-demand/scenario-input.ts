/** Reads the body of a request for an outcome. Nothing is coerced; what is unknown is ignored, as everywhere. */
import { type ApiError, refused, scopesNeeded } from '../../errors.ts'

type Body = Record<string, unknown>

/** @throws ApiError BAD_REQUEST, meta `{field}` */
export function scenarioOf<Name extends string>({ scenario }: Body, names: readonly Name[]): Name {
  const name = names.find((known) => known === scenario)
  if (name === undefined) throw wrong('scenario', `one of ${names.join(', ')}`)
  return name
}

/** A whole number from 1 to `most`, when there is one. @throws ApiError BAD_REQUEST, meta `{field}` */
export function countOf(body: Body, field: 'seconds' | 'times', most: number): number | undefined {
  const value = body[field]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value
  throw wrong(field, `a whole number from 1 to ${most}`)
}

/** @throws ApiError SCOPE_DENIED unless the key has all of them */
export function requireScopes({ scopes }: { scopes: ReadonlySet<string> }, needed: readonly string[]): void {
  if (!needed.every((scope) => scopes.has(scope))) throw refused(scopesNeeded(needed))
}

function wrong(field: 'scenario' | 'seconds' | 'times', mustBe: string): ApiError {
  return refused({ code: 'BAD_REQUEST', meta: { field }, detail: `${field} must be ${mustBe}.` })
}
