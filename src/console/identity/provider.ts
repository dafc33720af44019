/**
 * The company's OpenID Connect provider: authorization code with PKCE, state and nonce (RFC 6749, 7636, 9207; OpenID Connect Core).
 * The library checks issuer, audience, signature, times and nonce of the ID token; here it is only told to.
 */
import * as oidc from 'openid-client'
import type { IdentityProviderConfig } from '../../config.ts'
import { OperatorError } from '../../operator/errors.ts'
import { boundedFetch } from './bounded-fetch.ts'

/** What the browser keeps, sealed, while somebody is at the provider. */
export type Pending = { state: string; nonce: string; verifier: string }

export type Claims = Readonly<Record<string, unknown>> & { iss: string; sub: string }

export type Provider = {
  /** @returns where to send the browser, and what it keeps meanwhile. @throws OperatorError SERVICE_UNAVAILABLE */
  begin(redirectUri: string): Promise<{ url: URL; pending: Pending }>
  /**
   * What the provider says of whom it has sent back.
   * @param answered the address to which it sent them
   * @throws OperatorError UNAUTHORIZED when anything about it is wrong; SERVICE_UNAVAILABLE when it does not answer
   */
  finish(answered: URL, pending: Pending): Promise<Claims>
}

const TIMEOUT_S = 5
/** Keys of the provider are renewed in between by the library. */
const KEPT_MS = 60 * 60_000
/** Renewed no more often than this for answers that anybody may make up who reaches this port: a code that is none, or another state. */
const RENEWED_AFTER_MS = 10_000
const SCOPE = 'openid profile'
/** ASCII, as OpenID Connect Core has it, without controls. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/
const AWAY =
  'The identity provider does not answer, so nobody can sign in now. Whoever is signed in stays signed in until their session ends. Try again; break-glass makes an admin without it.'
const REFUSED = 'The identity provider has not confirmed who you are: sign in again.'

/** Nothing is asked of the provider until somebody signs in. */
export function createProvider(config: IdentityProviderConfig, warn: (error: unknown) => void): Provider {
  let known: { configuration: Promise<oidc.Configuration>; untilMs: number } | undefined
  let renewedMs = Number.NEGATIVE_INFINITY

  /** It may have another key since, or answer elsewhere: whoever signs in again is not to wait until that is asked for by itself. */
  function renewAfter(error: unknown): void {
    if (mayBeMadeUp(error) && performance.now() - renewedMs < RENEWED_AFTER_MS) return
    renewedMs = performance.now()
    known = undefined
  }

  async function configurationOf(): Promise<oidc.Configuration> {
    if (known === undefined || known.untilMs < performance.now()) {
      known = { configuration: discover(config), untilMs: performance.now() + KEPT_MS }
    }
    const asked = known
    try {
      return await asked.configuration
    } catch (error) {
      if (known === asked) known = undefined
      warn(error)
      throw new OperatorError('SERVICE_UNAVAILABLE', AWAY)
    }
  }

  return {
    async begin(redirectUri) {
      const configuration = await configurationOf()
      const pending = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
      }
      return { url: await signInUrl(configuration, redirectUri, pending), pending }
    },

    async finish(answered, { state, nonce, verifier }) {
      const configuration = await configurationOf()
      try {
        const tokens = await oidc.authorizationCodeGrant(configuration, answered, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (claims === undefined || !SUBJECT.test(claims.sub)) throw new OperatorError('UNAUTHORIZED', REFUSED)
        return claims
      } catch (error) {
        warn(error)
        if (isAway(error)) throw new OperatorError('SERVICE_UNAVAILABLE', AWAY)
        renewAfter(error)
        throw new OperatorError('UNAUTHORIZED', REFUSED)
      }
    },
  }
}

async function signInUrl(configuration: oidc.Configuration, redirectUri: string, pending: Pending): Promise<URL> {
  return oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: SCOPE,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
  })
}

async function discover({ issuer, clientId, clientSecret }: IdentityProviderConfig): Promise<oidc.Configuration> {
  const execute = [
    oidc.enableNonRepudiationChecks,
    // Settings have seen to it that only a provider on this machine is asked over http.
    ...(new URL(issuer).protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
  ]
  return await oidc.discovery(new URL(issuer), clientId, undefined, oidc.ClientSecretBasic(clientSecret), {
    execute,
    timeout: TIMEOUT_S,
    [oidc.customFetch]: boundedFetch,
  })
}

/** Whether it was refused before the provider had confirmed anybody. */
function mayBeMadeUp(error: unknown): boolean {
  if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError) return true
  return error instanceof oidc.ClientError && error.code === 'OAUTH_INVALID_RESPONSE'
}

/** Whether nothing came back, or only an error of a server, rather than an answer that must not be believed. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof TypeError && error.message === 'fetch failed') return true
  if (error instanceof oidc.ClientError && error.code === 'OAUTH_TIMEOUT') return true
  const { cause } = error
  return cause instanceof Response ? cause.status >= 500 : cause !== undefined && cause !== error && isAway(cause)
}
