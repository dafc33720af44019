// engine: postgres; both in test:long
/** Signing in through a real OpenID Connect provider: who gets in as what, and what is not believed. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { IdentityProviderConfig } from '../../src/config.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { emptyTables } from '../support/empty-tables.ts'
import {
  type IdentityProvider,
  signInThere,
  startIdentityProvider,
  type TokenAnswer,
} from '../support/identity-provider.ts'
import { freePort } from '../support/ports.ts'

const SECRET = 'secret-of-the-console-at-the-provider'
const OTHER = 'secret-of-another-client-there'

let db: TestDatabase
let api: OperatorFixture
let live: OperatorFixture
let provider: IdentityProvider
let port: number
let auditedBefore: bigint

const configOf = (issuer: string): IdentityProviderConfig => ({
  issuer,
  clientId: 'console',
  clientSecret: SECRET,
  groupsClaim: 'groups',
  roles: [
    { group: 'coin-admins', role: 'admin' },
    { group: 'coin-money', role: 'treasury' },
    { group: 'everybody=all', role: 'viewer' },
  ],
})

before(async () => {
  port = await freePort()
  db = await createTestDatabase()
  const identity = configOf(`http://localhost:${port}`)
  api = await startOperator({ db, identity })
  live = await startOperator({ db, identity, environment: 'live' })
  provider = await startIdentityProvider(port, {
    console: { secret: SECRET, redirectUri: `${api.url}/console/signed-in` },
    other: { secret: OTHER, redirectUri: `${api.url}/console/signed-in` },
  })
})
beforeEach(async () => {
  await emptyTables(db)
  provider.tamper((body) => body)
  provider.accounts.clear()
  const [last] = await db.query<{ id: bigint }>('select coalesce(max(audit_id), 0) as id from audit_log')
  auditedBefore = last?.id ?? 0n
  provider.accounts.set('u1', { name: 'Aminah', groups: ['staff', 'coin-admins'] })
  provider.accounts.set('u2', { name: 'Bala', groups: ['everybody=all', 'coin-money'] })
})
after(async () => {
  await api.close()
  await live.close()
  await provider.stop()
  await db.close()
})

type Page = { status: number; text: string; cookies: string[]; location: string | null }

async function get(path: string, cookie = ''): Promise<Page> {
  const response = await fetch(new URL(path, api.url), { redirect: 'manual', headers: { cookie } })
  const cookies = response.headers.getSetCookie()
  return { status: response.status, text: await response.text(), cookies, location: response.headers.get('location') }
}

/** What the service has sealed for a browser. */
function openedBy(pending: string): string {
  const box = createSecretBox(new Uint8Array(32).fill(7))
  return box.open(pending.slice(pending.indexOf('=') + 1), 'sign-in at the identity provider')
}

const cookieOf = ({ cookies }: Page, name: string) =>
  cookies.find((line) => line.startsWith(`${name}=`))?.split(';')[0] ?? ''

/** Goes to the provider, and comes to the point where the browser is sent back. */
async function there(login: string): Promise<{ pending: string; back: URL; sent: URL }> {
  const begun = await get('/console/sign-in')
  assert.equal(begun.status, 303, begun.text)
  const sent = new URL(begun.location ?? '')
  return { pending: cookieOf(begun, 'console-login'), back: await signInThere(sent.href, login), sent }
}

async function signIn(login: string): Promise<Page> {
  const { pending, back } = await there(login)
  return get(back.href, pending)
}

/** What the API says of who has this session. */
async function whoami(page: Page): Promise<{ status: number; body: Record<string, string> }> {
  const response = await fetch(`${api.url}/operator/v1/whoami`, { headers: { cookie: cookieOf(page, 'console') } })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

const people = () =>
  db.query<{ name: string; role: string; disabled: boolean; subject: string | null }>(
    'select name, role, disabled_at is not null as disabled, subject from operators order by created_at, name',
  )
/** What the audit log, which nothing empties, has got since the test began. */
const audited = async () =>
  (
    await db.query<{ line: string }>(
      `select actor || ' ' || action as line from audit_log where audit_id > $1 order by audit_id`,
      [auditedBefore],
    )
  ).map(({ line }) => line)

describe('whoever the provider confirms', () => {
  it('is let in with the role of their group, and known by issuer and subject for ever', async () => {
    const page = await signIn('u1')
    assert.equal(page.status, 200, page.text)
    assert.match(page.text, /<meta http-equiv="refresh" content="0;url=\/console\/">/)
    assert.match(cookieOf(page, 'console-login'), /=$/)
    const { body } = await whoami(page)
    assert.deepEqual([body.name, body.role], ['Aminah', 'admin'])
    // They have another name there now, and are the same person; a second one may take theirs.
    provider.accounts.set('u1', { name: 'Aminah binti Ali', groups: 'coin-money' })
    provider.accounts.set('u3', { name: 'Aminah', groups: ['everybody=all'] })
    assert.equal((await whoami(await signIn('u1'))).body.operatorId, body.operatorId)
    assert.equal((await signIn('u3')).status, 200)
    const [first, second] = await people()
    assert.deepEqual(first, { name: 'Aminah', role: 'treasury', disabled: false, subject: 'u1' })
    assert.match(second?.name ?? '', /^Aminah \([0-9a-f]{8}\)$/)
    assert.deepEqual((await audited()).slice(0, 4), [
      'service operator.add-from-provider',
      'Aminah console.sign-in',
      'service operator.role-from-provider',
      'Aminah console.sign-in',
    ])
  })

  it('is called by no name that looks like that of somebody else', async () => {
    provider.accounts.set('u1', { name: 'Amélie  Tan', groups: ['coin-admins'] })
    await signIn('u1')
    const alike = ['Ame\u0301lie Tan', 'Amélie\u00a0Tan', '\u2003Amélie Tan ', 'Ａmélie Tan']
    for (const [index, name] of alike.entries()) {
      provider.accounts.set(`a${index}`, { name, groups: ['coin-money'] })
      assert.equal((await signIn(`a${index}`)).status, 200)
    }
    const [first, ...others] = (await people()).map(({ name }) => name)
    assert.equal(first, 'Amélie Tan')
    assert.equal(others.length, alike.length)
    for (const name of others) assert.match(name, /^Amélie Tan \([0-9a-f]{8}\)$/)
  })

  it('is of several groups in the first that is named', async () => {
    assert.equal((await whoami(await signIn('u2'))).body.role, 'treasury')
  })

  it('is refused without a group, and leaves nothing', async () => {
    provider.accounts.set('u1', { name: 'Aminah', groups: ['coin-admins-of-old'] })
    const page = await signIn('u1')
    assert.equal(page.status, 403)
    assert.match(page.text, /none of your groups has a role here/)
    assert.equal(cookieOf(page, 'console'), '')
    assert.deepEqual([await people(), await audited()], [[], []])
  })

  it('has no access left once the group is gone at a sign-in, and has it again with the group', async () => {
    const before = await signIn('u1')
    assert.equal((await whoami(before)).status, 200)
    provider.accounts.set('u1', { name: 'Aminah', groups: [] })
    assert.equal((await signIn('u1')).status, 403)
    assert.equal((await whoami(before)).status, 401)
    assert.equal((await people())[0]?.disabled, true)
    provider.accounts.set('u1', { name: 'Aminah', groups: ['coin-money'] })
    assert.deepEqual((await whoami(await signIn('u1'))).body.role, 'treasury')
    assert.ok((await audited()).includes('service operator.end-from-provider'))
  })

  it('comes back with the group to none of the sessions and tokens from before', async () => {
    const page = await signIn('u1')
    const made = await fetch(`${api.url}/console/session/command-token`, {
      method: 'POST',
      headers: { cookie: cookieOf(page, 'console'), origin: api.url, 'content-type': 'application/json' },
      body: '{}',
    })
    const { token } = (await made.json()) as { token: string }
    const withToken = async () => {
      const response = await fetch(`${api.url}/operator/v1/whoami`, { headers: { authorization: `Bearer ${token}` } })
      await response.text()
      return response.status
    }
    assert.deepEqual([(await whoami(page)).status, await withToken()], [200, 200])
    provider.accounts.set('u1', { name: 'Aminah', groups: [] })
    assert.equal((await signIn('u1')).status, 403)
    provider.accounts.set('u1', { name: 'Aminah', groups: ['coin-money'] })
    assert.equal((await whoami(await signIn('u1'))).status, 200)
    assert.deepEqual([(await whoami(page)).status, await withToken()], [401, 401])
  })

  it('stays out when an admin has disabled them', async () => {
    const { operatorId = '' } = (await whoami(await signIn('u2'))).body
    assert.equal((await api.call('POST', `/operators/${operatorId}/disable`, {})).status, 200)
    const page = await signIn('u2')
    assert.equal(page.status, 403)
    assert.match(page.text, /Bala was disabled by an admin/)
    // Not even by way of a lost group.
    provider.accounts.set('u2', { name: 'Bala', groups: [] })
    await signIn('u2')
    provider.accounts.set('u2', { name: 'Bala', groups: ['coin-money'] })
    assert.equal((await signIn('u2')).status, 403)
  })

  it('gets a token for commands in the console, which ends with the person', async () => {
    const page = await signIn('u2')
    const headers = { cookie: cookieOf(page, 'console'), origin: api.url, 'content-type': 'application/json' }
    const asked = () => fetch(`${api.url}/console/session/command-token`, { method: 'POST', headers, body: '{}' })
    const { token } = (await (await asked()).json()) as { token: string }
    assert.match(token, /^coin_command_[0-9A-Za-z]{43}$/)
    const { stdout } = await api.cli(['whoami', '--json'], { OPERATOR_TOKEN: token })
    assert.equal(JSON.parse(stdout).name, 'Bala')
    // A cookie is no token, nor a token a cookie.
    const secret = cookieOf(page, 'console').split('=')[1]
    for (const wrong of [`coin_command_${secret}`, String(secret), `${token.slice(0, -1)}!`]) {
      assert.equal((await api.call('GET', '/whoami', undefined, { authorization: `Bearer ${wrong}` })).status, 401)
    }
    const { operatorId = '' } = (await whoami(page)).body
    await api.call('POST', `/operators/${operatorId}/disable`, {})
    assert.equal((await api.call('GET', '/whoami', undefined, { authorization: `Bearer ${token}` })).status, 401)
    assert.equal((await asked()).status, 401)
  })

  it('signs out with the tokens for commands that were made in the session, and with no others', async () => {
    const begin = async () => {
      const page = await signIn('u1')
      const headers = { cookie: cookieOf(page, 'console'), origin: api.url, 'content-type': 'application/json' }
      const post = (path: string) =>
        fetch(`${api.url}/console/session/${path}`, { method: 'POST', headers, body: '{}' })
      const { token } = (await (await post('command-token')).json()) as { token: string }
      const works = async () =>
        (await api.call('GET', '/whoami', undefined, { authorization: `Bearer ${token}` })).status
      return { post, works }
    }
    const [one, other] = [await begin(), await begin()]
    assert.deepEqual([await one.works(), await other.works()], [200, 200])
    assert.equal((await one.post('end')).status, 200)
    assert.deepEqual([await one.works(), await other.works()], [401, 200])
  })
})

describe('what is not believed', () => {
  const refused = async (page: Page) => {
    assert.equal(page.status, 401, page.text)
    assert.equal(cookieOf(page, 'console'), '')
    assert.deepEqual(await people(), [])
  }

  it('an answer with another state, or for a browser that asked for nothing', async () => {
    const { pending, back } = await there('u1')
    const other = new URL(back)
    other.searchParams.set('state', 'x'.repeat(43))
    await refused(await get(other.href, pending))
    await refused(await get(back.href))
    await refused(await get(back.href, (await there('u2')).pending))
    await refused(await get(back.href, `${pending.slice(0, -4)}AAAA`))
    await refused(await get(back.href, `${pending}; ${pending}`))
    const elsewhere = new URL(back)
    elsewhere.searchParams.set('iss', 'https://thief.example')
    await refused(await get(elsewhere.href, pending))
  })

  it('a code for the second time', async () => {
    const { pending, back } = await there('u1')
    assert.equal((await get(back.href, pending)).status, 200)
    const again = await get(back.href, pending)
    assert.equal(again.status, 401)
    assert.equal(cookieOf(again, 'console'), '')
  })

  /** The ID token with which the provider answers, which nobody receives. */
  async function stolen(walk: () => Promise<unknown>): Promise<string> {
    let token: string | undefined
    provider.tamper((body: TokenAnswer) => {
      token ??= body.id_token
      return {}
    })
    await walk()
    provider.tamper((body) => body)
    assert.ok(token !== undefined)
    return token
  }

  it('an ID token of another sign-in: its nonce is not this one', async () => {
    const token = await stolen(() => signIn('u1'))
    const { pending, back } = await there('u1')
    provider.tamper((body) => ({ ...body, id_token: token }))
    await refused(await get(back.href, pending))
  })

  it('an ID token for another client, though its nonce is right', async () => {
    const { pending, back, sent } = await there('u1')
    const token = await stolen(async () => {
      const forOther = new URL(sent)
      forOther.searchParams.set('client_id', 'other')
      const code = (await signInThere(forOther.href, 'u1')).searchParams.get('code') ?? ''
      const verifier = JSON.parse(openedBy(pending)) as { verifier: string }
      await fetch(`${provider.issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`other:${OTHER}`).toString('base64')}` },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          code_verifier: verifier.verifier,
          redirect_uri: `${api.url}/console/signed-in`,
        }),
      })
    })
    const [, payload = ''] = token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, string>
    assert.deepEqual([claims.aud, claims.nonce], ['other', sent.searchParams.get('nonce')])
    provider.tamper((body) => ({ ...body, id_token: token }))
    await refused(await get(back.href, pending))
  })

  it('an ID token that somebody else has signed', async () => {
    const { pending, back } = await there('u1')
    provider.tamper((body) => {
      const [head = '', payload = '', signature = ''] = (body.id_token ?? '').split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
      const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'u2' })).toString('base64url')
      return { ...body, id_token: `${head}.${changed}.${signature}` }
    })
    await refused(await get(back.href, pending))
  })
})

describe('of an ID token that came from the provider itself', () => {
  const HOUR = 3_600
  const nowS = () => Math.floor(Date.now() / 1000)
  const NEVER: Readonly<Record<string, [() => object, object?]>> = {
    'not signed': [() => ({}), { alg: 'none' }],
    'not signed, and says so in capitals': [() => ({}), { alg: 'NONE' }],
    'signed with the public key as a shared secret': [() => ({}), { alg: 'HS256' }],
    'signed by another method than the provider names for its key': [() => ({}), { alg: 'RS512' }],
    'signed with a key that the provider does not publish': [() => ({}), { kid: 'another' }],
    'with something in its head that must be understood': [() => ({}), { crit: ['b64'], b64: false }],
    over: [() => ({ iat: nowS() - 2 * HOUR, exp: nowS() - HOUR })],
    'not yet in force': [() => ({ nbf: nowS() + HOUR })],
    'without an end': [() => ({ exp: undefined })],
    'of another issuer': [() => ({ iss: 'http://localhost:1' })],
    'of the same issuer, but for a slash': [() => ({ iss: `${provider.issuer}/` })],
    'for nobody': [() => ({ aud: [] })],
    'for several, and not handed to this one': [() => ({ aud: ['console', 'other'], azp: 'other' })],
    'for several, and handed to nobody': [() => ({ aud: ['console', 'other'] })],
    'with two nonces': [() => ({ nonce: ['a', 'b'] })],
    'without a nonce': [() => ({ nonce: undefined })],
    'of nobody': [() => ({ sub: '' })],
    'of a number': [() => ({ sub: 2 })],
  }
  for (const [what, [claims, header]] of Object.entries(NEVER)) {
    it(`one is refused that is ${what}`, async () => {
      const { pending, back } = await there('u1')
      provider.tamper((body) => ({ ...body, id_token: provider.forged(body.id_token ?? '', claims(), { ...header }) }))
      const page = await get(back.href, pending)
      assert.equal(page.status, 401, page.text)
      assert.equal(cookieOf(page, 'console'), '')
      assert.deepEqual(await people(), [])
    })
  }

  it('one is refused that brings the key of its own signature, and no address in its head is asked', async () => {
    const thief = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const jwk = { ...thief.publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }
    let asked = 0
    const elsewhere = createServer((_, response) => {
      asked += 1
      response.end(JSON.stringify({ keys: [jwk] }))
    })
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
    const address = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/keys`
    const heads = [
      { jwk },
      { jku: address },
      { x5u: address },
      { jwk, jku: address, kid: '../../keys' },
      { kid: address },
    ]
    for (const head of heads) {
      const { pending, back } = await there('u1')
      provider.tamper((body) => ({
        ...body,
        id_token: provider.forged(body.id_token ?? '', {}, head, thief.privateKey),
      }))
      const page = await get(back.href, pending)
      assert.equal(page.status, 401, JSON.stringify(head))
      assert.equal(cookieOf(page, 'console'), '')
    }
    elsewhere.close()
    assert.deepEqual([asked, await people()], [0, []])
  })

  it('one is taken that says nothing else', async () => {
    const { pending, back } = await there('u1')
    const claims = { aud: ['console', 'other'], azp: 'console', email_verified: false }
    provider.tamper((body) => ({ ...body, id_token: provider.forged(body.id_token ?? '', claims) }))
    assert.equal((await get(back.href, pending)).status, 200)
  })
})

describe('while the provider is down', () => {
  it('sessions go on, and whoever signs in is told', async () => {
    const session = await signIn('u1')
    const begun = await there('u2')
    await provider.stop()
    try {
      assert.equal((await whoami(session)).status, 200)
      const late = await get(begun.back.href, begun.pending)
      assert.equal(late.status, 503)
      assert.match(late.text, /The identity provider does not answer, so nobody can sign in now\./)
      const fresh = await startOperator({ db, identity: configOf(`http://localhost:${port}`) })
      const asked = await fetch(`${fresh.url}/console/sign-in`, { redirect: 'manual' })
      assert.equal(asked.status, 503)
      assert.match(await asked.text(), /Whoever is signed in stays signed in until their session ends/)
      await fresh.close()
    } finally {
      await provider.listen()
    }
    assert.equal((await signIn('u2')).status, 200)
  })
})

describe('when the provider has another key from one moment to the next', () => {
  it('whoever is refused for it gets in at the second try', async () => {
    assert.equal((await signIn('u1')).status, 200)
    for (const change of [provider.changeKey, provider.keepKey]) {
      change()
      await signIn('u1')
      const page = await signIn('u1')
      assert.equal(page.status, 200, page.text)
    }
  })
})

describe('live with a provider', () => {
  it('refuses tokens of people, and makes none, but takes the one that break-glass has made', async () => {
    const { token, operatorId } = await api.person('viewer', 'Chong')
    const asChong = { authorization: `Bearer ${token}` }
    const answer = await live.call('GET', '/whoami', undefined, asChong)
    assert.equal(answer.status, 401)
    assert.match(answer.body.error.message, /sign in to the console through the identity provider/)
    assert.equal((await live.call('POST', '/operators', { name: 'Dewi', role: 'viewer' })).status, 409)
    await db.query('update operators set is_emergency = true where operator_id = $1', [operatorId])
    assert.equal((await live.call('GET', '/whoami', undefined, asChong)).status, 200)
    const ways = await (await fetch(`${live.url}/console/ways`)).json()
    assert.deepEqual(ways, { ok: true, provider: '/console/sign-in', tokens: false })
  })
})
