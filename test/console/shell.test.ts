// engine: pglite
/** The console in a real browser: signing in, what is around every page, and the pages in all four ways. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type OperatorFixture, startOperator, TOKEN } from '../operator/fixture.ts'
import { addChain, addOrder, addParty, type Party } from '../operator/world.ts'
import { type Look, lookAt, signIn, startBrowser, type TestBrowser } from '../support/browser.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'

let db: TestDatabase
let api: OperatorFixture
let browser: TestBrowser
let party: Party
const CHAIN = 31_337
before(async () => {
  ;[db, browser] = await Promise.all([createTestDatabase(), startBrowser()])
  api = await startOperator({ db })
  await addChain(db, CHAIN, 60n)
  party = await addParty(db)
  const other = await addParty(db)
  for (const [index, state] of (['completed', 'created', 'confirming'] as const).entries()) {
    for (const each of [party, other]) {
      await addOrder(db, each, {
        chainId: CHAIN,
        direction: 'MINT',
        amountMicro: 1_250_500_000n * BigInt(index + 1),
        state,
        referenceId: `invoice-${state}`,
      })
    }
  }
})
after(async () => {
  await browser.close()
  await api.close()
  await db.close()
})

const LOOKS: readonly Look[] = [{ name: 'orders', path: '/console/orders', ready: 'main table' }]

describe('the console', () => {
  it('lets a person in with their token, and out again', async () => {
    const person = await api.person('compliance', 'Aminah')
    const { page, close } = await browser.open()
    await page.goto(`${api.url}/console/orders`)
    await page.getByLabel('Your token').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('The operator token is missing or wrong').waitFor()
    await page.getByLabel('Your token').fill(person.token)
    await page.keyboard.press('Enter')
    await page.getByText('Aminah · compliance').waitFor()
    assert.equal(await page.locator('main h1').textContent(), 'Orders')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Your token').waitFor()
    await page.goto(`${api.url}/console/orders`)
    await page.getByLabel('Your token').waitFor()
    await close()
  })

  it('lets the first person of a sandbox in by the link that its start has printed, once', async () => {
    const link = `${api.url}/console/#login=${api.issueLogin()}`
    const { page, close } = await browser.open()
    await page.goto(link)
    await page.getByText('operator · admin').waitFor()
    assert.equal(page.url(), `${api.url}/console/`)
    const other = await browser.open()
    await other.page.goto(link)
    await other.page.getByRole('alert').getByText('This link was used before').waitFor()
    await other.close()
    await close()
  })

  it('returns to the login when the person is disabled', async () => {
    const { token, operatorId } = await api.person('viewer')
    const { page, close } = await browser.open()
    await signIn(page, api.url, token, '/console/orders')
    await api.call('POST', `/operators/${operatorId}/disable`, {})
    await page.getByRole('alert').getByText('Your session has ended').waitFor()
    await close()
  })

  it('asks and answers where the keyboard is', async () => {
    const { page, close } = await browser.open()
    await signIn(page, api.url, TOKEN, `/console/orders/${party.integrationId}/invoice-created`)
    await page.getByRole('button', { name: 'Hold …' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await page.keyboard.type('asked by the police')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await dialog.getByText('Done.').waitFor()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('held: asked by the police').waitFor()
    await page.getByText('Times are those of Asia/Kuala_Lumpur (UTC+08:00).').waitFor()
    await close()
  })

  it('has filters and sorting in the address, which shows the same to somebody else', async () => {
    const { page, close } = await browser.open()
    await signIn(page, api.url, TOKEN, '/console/orders')
    await page.getByLabel('Status').selectOption('completed')
    await page.getByRole('button', { name: 'Coin' }).click()
    await page.getByRole('button', { name: 'Coin' }).click()
    await page.getByLabel('Integration').fill(party.integrationId)
    await page.keyboard.press('Enter')
    await waitFor('the filtered list', async () => (await page.locator('tbody tr').count()) === 1)
    const address = page.url()
    assert.deepEqual(Object.fromEntries(new URL(address).searchParams), {
      status: 'completed',
      sort: '-coin',
      integrationId: party.integrationId,
    })
    await page.goto(`${api.url}/console/`)
    await page.goto(address)
    await page.locator('tbody tr').first().waitFor()
    assert.equal(await page.locator('tbody tr').count(), 1)
    assert.equal(await page.getByLabel('Status').inputValue(), 'completed')
    assert.equal(await page.locator('th[aria-sort]').getAttribute('aria-sort'), 'descending')
    await page.goto(`${api.url}/console/orders?status=failed`)
    await page.getByText('No order fits these filters.').waitFor()
    await page.goto(`${api.url}/console/orders?status=nonsense`)
    await page.getByRole('alert').getByText('"status" must be one of').waitFor()
    await close()
  })

  it('says once what an order is, where its phase says nothing more than its status', async () => {
    const { page, close } = await browser.open()
    await signIn(page, api.url, TOKEN, '/console/orders?sort=-coin')
    const said = async (state: string) =>
      await page
        .getByRole('row')
        .filter({ hasText: `invoice-${state}` })
        .first()
        .locator('td')
        .allTextContents()
    await page.locator('tbody tr').first().waitFor()
    assert.deepEqual((await said('completed')).slice(3, 5), ['completed', '–'])
    assert.deepEqual((await said('confirming')).slice(3, 5), ['processing', 'confirming'])
    await close()
  })

  it('has an icon for whatever else a browser shows of this port, and that is no try of a token', async () => {
    const { count } = api.wrongTokens
    const icon = await fetch(`${api.url}/favicon.ico`)
    assert.deepEqual([icon.status, icon.headers.get('content-type')], [200, 'image/svg+xml'])
    assert.equal(api.wrongTokens.count, count)
  })

  it('sorts by amount as numbers', async () => {
    const { page, close } = await browser.open()
    await signIn(page, api.url, TOKEN, '/console/orders?sort=coin')
    await page.locator('tbody tr').first().waitFor()
    const shown = (await page.locator('tbody .money').allTextContents()).map((text) => Number(text.replaceAll(',', '')))
    assert.deepEqual(
      shown,
      shown.toSorted((a, b) => a - b),
    )
    await close()
  })

  it('shows what is new without loading again, and says when the service does not answer', async () => {
    const { page, close } = await browser.open()
    await signIn(page, api.url, TOKEN, '/console/orders')
    await page.getByText('invoice-created').first().waitFor()
    await page.getByLabel('Integration').pressSequentially('int_half')
    const referenceId = 'invoice-just-now'
    await addOrder(db, party, {
      chainId: CHAIN,
      direction: 'MINT',
      amountMicro: 5_000_000n,
      state: 'created',
      referenceId,
    })
    await page.getByText(referenceId).waitFor()
    assert.equal(await page.getByLabel('Integration').inputValue(), 'int_half')
    await page.route('**/operator/v1/**', (route) => route.abort())
    await page.getByText('The service does not answer. Trying again').waitFor()
    assert.ok(await page.getByText(referenceId).isVisible())
    await page.unroute('**/operator/v1/**')
    await page.locator('.connection.live').waitFor()
    await close()
  })

  it('is worked with a keyboard', async () => {
    const { page, close } = await browser.open()
    await signIn(page, api.url, TOKEN, '/console/orders')
    await page.locator('tbody tr').first().waitFor()
    await page.keyboard.press('/')
    assert.equal(await page.evaluate('document.activeElement.type'), 'search')
    await page.goto(`${api.url}/console/orders`)
    await page.locator('tbody tr').first().waitFor()
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the page')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'main')
    await close()
  })

  it('is light or dark as its reader chooses, from then on', async () => {
    const { page, close } = await browser.open({ theme: 'light' })
    await signIn(page, api.url, TOKEN)
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const light = await ground()
    await page.getByRole('button', { name: 'Use dark colours' }).click()
    assert.notEqual(await ground(), light)
    await page.reload()
    await page.getByRole('button', { name: 'Use light colours' }).waitFor()
    assert.notEqual(await ground(), light)
    await close()
  })

  it('shows its pages without a violation or an error, wide and on a phone, light and dark', async () => {
    await lookAt(browser, { url: api.url, token: TOKEN }, LOOKS)
  })
})
