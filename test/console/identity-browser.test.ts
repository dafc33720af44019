// engine: pglite
/** Signing in through the identity provider in a real browser, which keeps cookies of other sites to itself. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { startBrowser, type TestBrowser, violations } from '../support/browser.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { freePort } from '../support/ports.ts'

let api: OperatorFixture
let provider: IdentityProvider
let browser: TestBrowser
before(async () => {
  const [port, started] = await Promise.all([freePort(), startBrowser()])
  browser = started
  const secret = 'secret-of-the-console-at-the-provider'
  const roles = [{ group: 'coin-admins', role: 'admin' as const }]
  const issuer = `http://localhost:${port}`
  api = await startOperator({
    environment: 'live',
    identity: { issuer, clientId: 'console', clientSecret: secret, groupsClaim: 'groups', roles },
  })
  const redirectUri = `${api.url}/console/signed-in`
  provider = await startIdentityProvider(port, { console: { secret, redirectUri } })
  provider.accounts.set('u1', { name: 'Aminah', groups: ['coin-admins'] })
})
after(async () => {
  await browser.close()
  await api.close()
  await provider.stop()
})

it('leads there and back, gives a token for commands, and ends both', async () => {
  const { page, close } = await browser.open()
  await page.goto(`${api.url}/console/`)
  await page.getByLabel('Or a token of break-glass').waitFor()
  assert.deepEqual(await violations(browser, page), [])
  await page.getByRole('link', { name: 'Sign in with your company’s account' }).click()
  await page.getByPlaceholder('Enter any login').fill('u1')
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Aminah · admin').waitFor()
  assert.equal(page.url(), `${api.url}/console/`)
  await page.getByRole('button', { name: 'Commands' }).click()
  await page.getByRole('button', { name: 'Make a token' }).click()
  const shown = page.locator('dialog code[title]')
  await shown.waitFor()
  assert.deepEqual(await violations(browser, page), [])
  const token = await shown.getAttribute('title')
  const { stdout } = await api.cli(['whoami', '--json'], { OPERATOR_TOKEN: token ?? '' })
  assert.equal(JSON.parse(stdout).name, 'Aminah')
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Or a token of break-glass').waitFor()
  await close()
})
