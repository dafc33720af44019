/** A real OpenID Connect provider on this machine, and a browser that signs in there with a name and no questions. */
import { createHmac, generateKeyPairSync, randomBytes, sign as signWith } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import Provider from 'oidc-provider'

export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>

/** What the provider says of somebody: by their login. */
export type Account = { name: string; groups: readonly string[] | string }

/**
 * @param clients id → secret and addresses to come back to
 */
export async function startIdentityProvider(
  port: number,
  clients: Readonly<Record<string, { secret: string; redirectUri: string | readonly string[] }>>,
) {
  // Another site than that of the service, which tests reach as 127.0.0.1.
  const issuer = `http://localhost:${port}`
  const accounts = new Map<string, Account>()
  let tamper: (body: TokenAnswer) => TokenAnswer = (body) => body
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'key-1', use: 'sig', alg: 'RS256' }
  let published: object | undefined
  const provider = new Provider(issuer, {
    clients: Object.entries(clients).map(([id, { secret, redirectUri }]) => ({
      client_id: id,
      client_secret: secret,
      redirect_uris: [redirectUri].flat(),
      response_types: ['code'],
      grant_types: ['authorization_code'],
    })),
    jwks: { keys: [jwk] },
    pkce: { required: () => true },
    // Groups are in the ID token.
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], profile: ['name', 'groups'] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    findAccount: (_: unknown, login: string) => ({
      accountId: login,
      claims: async () => ({ sub: login, ...(accounts.get(login) ?? { name: login, groups: [] }) }),
    }),
  })
  provider.use(async (context, next) => {
    await next()
    if (context.path === '/token') context.body = tamper(context.body as TokenAnswer)
    if (context.path === '/jwks' && published !== undefined) context.body = { keys: [published] }
  })
  const server = createServer(provider.callback())
  const listen = () => once(server.listen(port, 'localhost'), 'listening')
  await listen()
  const here = {
    issuer,
    accounts,
    /** From now on it signs with another key, and publishes no other; until `keepKey`. */
    changeKey(): void {
      const next = generateKeyPairSync('rsa', { modulusLength: 2048 })
      published = { ...next.publicKey.export({ format: 'jwk' }), kid: 'key-2', use: 'sig', alg: 'RS256' }
      tamper = (body) => ({
        ...body,
        id_token: here.forged(body.id_token ?? '', {}, { kid: 'key-2' }, next.privateKey),
      })
    },
    keepKey(): void {
      published = undefined
      tamper = (body) => body
    },
    /** Changes what its token endpoint answers from now on. */
    tamper(change: typeof tamper) {
      tamper = change
    },
    /**
     * An ID token like `token` but for these claims and this header, signed as the header says: with HS256, by the public key.
     * @param by the key that signs otherwise; default: the provider's
     */
    forged(token: string, claims: object, header: Readonly<Record<string, unknown>> = {}, by = privateKey): string {
      const [head, payload] = token
        .split('.', 2)
        .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as { alg?: string })
      const whole = { ...head, ...header }
      const text = [whole, { ...payload, ...claims }]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
      const signatures: Readonly<Record<string, () => Buffer>> = {
        RS256: () => signWith('sha256', Buffer.from(text), by),
        RS512: () => signWith('sha512', Buffer.from(text), by),
        HS256: () =>
          createHmac('sha256', publicKey.export({ type: 'spki', format: 'pem' }))
            .update(text)
            .digest(),
      }
      return `${text}.${signatures[String(whole.alg)]?.().toString('base64url') ?? ''}`
    },
    listen,
    async stop() {
      server.closeAllConnections()
      if (server.listening) await once(server.close(), 'close')
    },
  }
  return here
}

export type TokenAnswer = { id_token?: string }

/**
 * Follows the provider from the address to which the service has sent a browser, as a person who enters `login` and agrees.
 * @returns the address to which it sends the browser back
 */
export async function signInThere(start: string, login: string): Promise<URL> {
  const jar = new Map<string, string>()
  let next = new URL(start)
  const { origin } = next
  let form: URLSearchParams | undefined
  for (let step = 0; step < 12; step += 1) {
    const response = await fetch(next, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    })
    form = undefined
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    const location = response.headers.get('location')
    if (location !== null) {
      next = new URL(location, next)
      if (next.origin !== origin) return next
      continue
    }
    const page = await response.text()
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
    if (prompt === undefined) throw new Error(`the provider shows: ${page.slice(-1_000)}`)
    form = new URLSearchParams({ prompt, ...(prompt === 'login' ? { login, password: 'any' } : {}) })
  }
  throw new Error('the provider leads nowhere')
}
