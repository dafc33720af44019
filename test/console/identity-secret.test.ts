// engine: pglite
/** The client secret at the identity provider is replaced: sessions stay, nobody signs in with the old one, and with the new one everybody does. */
// Runbook: Every key is replaced in turn
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { IdentityProviderConfig } from '../../src/config.ts'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type IdentityProvider, signInThere, startIdentityProvider } from '../support/identity-provider.ts'
import { freePort } from '../support/ports.ts'

const [OLD, NEW] = ['the-old-secret-of-the-console-there', 'the-new-secret-of-the-console-there'] as const

let db: TestDatabase
let port: number
let provider: IdentityProvider
/** The process before, and the one that was started with the new secret. */
let before_: OperatorFixture
let after_: OperatorFixture

const configOf = (clientSecret: string): IdentityProviderConfig => ({
  issuer: `http://localhost:${port}`,
  clientId: 'console',
  clientSecret,
  groupsClaim: 'groups',
  roles: [{ group: 'coin-admins', role: 'admin' }],
})

async function startProvider(secret: string): Promise<void> {
  const redirectUri = [before_, after_].map(({ url }) => `${url}/console/signed-in`)
  provider = await startIdentityProvider(port, { console: { secret, redirectUri } })
  for (const login of ['u1', 'u2']) provider.accounts.set(login, { name: `Person ${login}`, groups: ['coin-admins'] })
}

before(async () => {
  ;[port, db] = await Promise.all([freePort(), createTestDatabase()])
  before_ = await startOperator({ db, identity: configOf(OLD) })
  after_ = await startOperator({ db, identity: configOf(NEW) })
  await startProvider(OLD)
})
after(async () => {
  await before_?.close()
  await after_?.close()
  await provider?.stop()
  await db?.close()
})

const cookieOf = (response: Response, name: string) =>
  response.headers
    .getSetCookie()
    .find((line) => line.startsWith(`${name}=`))
    ?.split(';')[0] ?? ''

/** @returns the answer to the browser that comes back, and the session it has got; empty when none */
async function signIn(api: OperatorFixture, login: string): Promise<{ status: number; text: string; session: string }> {
  const begun = await fetch(new URL('/console/sign-in', api.url), { redirect: 'manual' })
  await begun.text()
  const back = await signInThere(begun.headers.get('location') ?? '', login)
  const ended = await fetch(back, { redirect: 'manual', headers: { cookie: cookieOf(begun, 'console-login') } })
  return { status: ended.status, text: await ended.text(), session: cookieOf(ended, 'console') }
}

async function nameOf(api: OperatorFixture, session: string): Promise<string> {
  const response = await fetch(`${api.url}/operator/v1/whoami`, { headers: { cookie: session } })
  return ((await response.json()) as { name: string }).name
}

test('whoever is in stays in; who comes is let in by processes with the secret that the provider has now, and by no other', async () => {
  const first = await signIn(before_, 'u1')
  assert.equal(first.status, 200, first.text)
  const early = await signIn(after_, 'u2')
  assert.deepEqual([early.status < 400, early.session], [false, ''], 'the provider does not know the new secret yet')

  await provider.stop()
  await startProvider(NEW)
  const late = await signIn(before_, 'u2')
  assert.deepEqual([late.status < 400, late.session], [false, ''], 'the provider has forgotten the old secret')
  assert.equal(await nameOf(before_, first.session), 'Person u1')
  assert.equal(await nameOf(after_, first.session), 'Person u1')
  const second = await signIn(after_, 'u2')
  assert.equal(second.status, 200, second.text)
  assert.equal(await nameOf(after_, second.session), 'Person u2')
  for (const { log } of [before_, after_]) assert.ok(![OLD, NEW].some((secret) => log.join('').includes(secret)))
})
