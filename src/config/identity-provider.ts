/** OIDC_… → the company's identity provider, through which operators sign in. */
import type { Environment } from './environment.ts'
import { isLoopbackHost } from './loopback.ts'
import { type IdentityProviderConfig, OPERATOR_ROLES } from './types.ts'

const MIN_SECRET_LENGTH = 16
/** What an identity provider needs beside its address. */
const NEEDED = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLES']

/** Undefined without OIDC_ISSUER. Problems are reported to `settings`. */
export function readIdentityProvider(settings: Environment): IdentityProviderConfig | undefined {
  const issuer = settings.url('OIDC_ISSUER', ['https:', 'http:'])
  const clientId = settings.optional('OIDC_CLIENT_ID')
  const clientSecret = settings.token('OIDC_CLIENT_SECRET', MIN_SECRET_LENGTH)
  const groupsClaim = settings.text('OIDC_GROUPS_CLAIM', 'groups')
  const roles = readRoles(settings)
  if (issuer === undefined) {
    for (const name of NEEDED) {
      if (settings.isSet(name) && !settings.isSet('OIDC_ISSUER')) settings.report(`${name} needs OIDC_ISSUER.`)
    }
    return undefined
  }
  const { protocol, hostname } = new URL(issuer)
  if (protocol !== 'https:' && !isLoopbackHost(hostname)) {
    settings.report('OIDC_ISSUER must be an https address (http only to this machine).')
  }
  for (const name of NEEDED) {
    if (!settings.isSet(name)) settings.report(`${name} is required with OIDC_ISSUER.`)
  }
  return { issuer, clientId: clientId ?? '', clientSecret: clientSecret ?? '', groupsClaim, roles }
}

/** `group=role,…`, in the order in which they count for whoever is in several. */
function readRoles(settings: Environment): IdentityProviderConfig['roles'] {
  const pairs = (settings.optional('OIDC_ROLES') ?? '').split(',').filter((pair) => pair.trim() !== '')
  return pairs.flatMap((pair) => {
    const at = pair.lastIndexOf('=')
    const [group, role] = [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()]
    const known = OPERATOR_ROLES.find((one) => one === role)
    if (group !== '' && known !== undefined) return [{ group, role: known }]
    settings.report(
      `OIDC_ROLES must be a comma-separated list of group=role, with the roles ${OPERATOR_ROLES.join(', ')}.`,
    )
    return []
  })
}
