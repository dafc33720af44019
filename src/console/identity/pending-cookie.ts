/**
 * What a browser keeps while somebody is at the provider, sealed, so that any process of the service can go on. It comes
 * back with the provider's redirect, which another site begins: hence SameSite=Lax, and nothing but this in it.
 */
import { type SecretBox, SecretBoxError } from '../../secrets/secrets.ts'
import type { Pending } from './provider.ts'

const OVER_TLS = '__Host-console-login'
const HERE = 'console-login'
const LIFETIME_S = 600
const BOUND_TO = 'sign-in at the identity provider'

/** @returns the value of a Set-Cookie header; without `pending` one that removes the cookie */
export function setPending(secrets: SecretBox, origin: string, pending: Pending | undefined): string {
  const secure = origin.startsWith('https:')
  const until = Date.now() + LIFETIME_S * 1000
  const value = pending === undefined ? '' : secrets.seal(JSON.stringify({ ...pending, until }), BOUND_TO)
  const age = pending === undefined ? 0 : LIFETIME_S
  return `${secure ? OVER_TLS : HERE}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}

/** What the browser kept; undefined when it kept nothing, something of another form, or too long. */
export function readPending(secrets: SecretBox, origin: string, header: string | undefined): Pending | undefined {
  const name = origin.startsWith('https:') ? OVER_TLS : HERE
  const values = (header ?? '').split(';').flatMap((part) => {
    const at = part.indexOf('=')
    return part.slice(0, at).trim() === name ? [part.slice(at + 1).trim()] : []
  })
  const [value, ...others] = values
  if (value === undefined || others.length > 0) return undefined
  try {
    const { until, ...pending } = JSON.parse(secrets.open(value, BOUND_TO)) as Pending & { until: number }
    return until > Date.now() ? pending : undefined
  } catch (error) {
    if (error instanceof SecretBoxError) return undefined
    throw error
  }
}
