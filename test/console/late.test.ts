// engine: pglite
/** The console in a real browser, where answers come late or say less than there is, or the page is looked at again after a while. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, it } from 'node:test'
import type { APIResponse, Page } from 'playwright-core'
import { type OperatorFixture, startOperator, TOKEN } from '../operator/fixture.ts'
import { addChain, addOrder, addParty, addPayout, type Party } from '../operator/world.ts'
import { signIn, startBrowser, type TestBrowser } from '../support/browser.ts'
import { dialogsOf } from '../support/browser-dialog.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { PATIENCE_MS } from '../support/wait-for.ts'

let db: TestDatabase
let api: OperatorFixture
let browser: TestBrowser
let party: Party
before(async () => {
  ;[db, browser] = await Promise.all([createTestDatabase(), startBrowser()])
  api = await startOperator({ db, fourEyes: false })
  party = await addParty(db)
  await addChain(db, 31_337, 90n)
})
after(async () => {
  await browser.close()
  await api.close()
  await db.close()
})

it('a slow answer keeps nothing else of a page from being renewed, and the page says what it waits for', async () => {
  const { page, close } = await browser.open()
  await page.clock.install()
  await signIn(page, api.url, TOKEN, '/console/chains')
  const before = page.getByText('Newest block', { exact: true }).first()
  await before.waitFor()
  await page.waitForLoadState('networkidle')
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route(
    '**/operator/v1/chains',
    async (route) => {
      asked.resolve()
      await answered.promise
      await route.continue()
    },
    { times: 1 },
  )
  const renewed = () => page.waitForResponse(/operator\/v1\/batches/, { timeout: PATIENCE_MS })
  for (let turn = 0; turn < 2; turn += 1) {
    const others = renewed()
    await page.clock.fastForward(5_000)
    await Promise.all([others, asked.promise])
  }
  const waiting = page.getByText('Still waiting for “chains”')
  await waiting.waitFor()
  assert.ok(await before.isVisible())
  answered.resolve()
  await waiting.waitFor({ state: 'detached' })
  await close()
})

it('an answer that was asked for before a change does not take the place of what is shown after it', async () => {
  const { page, close } = await browser.open()
  const dialogs = dialogsOf(page)
  await page.clock.install()
  await signIn(page, api.url, TOKEN, `/console/integrations/${party.integrationId}`)
  await page.getByRole('button', { name: 'Suspend …' }).waitFor()
  const old = Promise.withResolvers<APIResponse>()
  const late = Promise.withResolvers<void>()
  const told = Promise.withResolvers<void>()
  await page.route(
    `**/operator/v1/integrations/${party.integrationId}`,
    async (route) => {
      old.resolve(await route.fetch())
      await late.promise
      await route.fulfill({ response: await old.promise })
      told.resolve()
    },
    { times: 1 },
  )
  await page.clock.fastForward(5_000)
  assert.equal((await (await old.promise).json()).integration.status, 'active')
  await dialogs.run('Suspend')
  await dialogs.close()
  await page.getByRole('button', { name: 'Resume …' }).waitFor()
  const arrived = page.waitForResponse(`**/operator/v1/integrations/${party.integrationId}`)
  late.resolve()
  await told.promise
  await (await arrived).finished()
  await page.evaluate('new Promise(requestAnimationFrame)')
  assert.ok(await page.getByRole('button', { name: 'Resume …' }).isVisible())
  await close()
})

async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} }); document.dispatchEvent(new Event('visibilitychange'))`,
  )
}

it('a page that renews nothing by itself says that the service answers again, once it is looked at again', async () => {
  const { page, close } = await browser.open()
  await signIn(page, api.url, TOKEN, '/console/books/close')
  await setHidden(page, true)
  await page.getByText('Paused').waitFor()
  await setHidden(page, false)
  await page.locator('.connection.live').waitFor()
  await close()
})

it('a session that ends leaves no page in which something was thrown', async () => {
  const { page, problems, close } = await browser.open()
  await page.clock.install()
  await signIn(page, api.url, TOKEN, '/console/approvals')
  await page.getByText('Nothing fits these filters.').waitFor()
  await db.query('delete from operator_sessions')
  const slow = Promise.withResolvers<void>()
  await page.route('**/console/session', async (route) => {
    await slow.promise
    await route.continue()
  })
  const asked = page.waitForRequest('**/console/session')
  await page.clock.fastForward(5_000)
  await asked
  await page.getByLabel('Status').selectOption('waiting')
  await page.evaluate('new Promise(requestAnimationFrame)')
  slow.resolve()
  await page.getByText('Your session has ended: sign in again.').waitFor()
  assert.deepEqual(
    problems.filter((each) => each.startsWith('thrown')),
    [],
  )
  await close()
})

it('what the browser does not let copy is said: what was copied before would be pasted for it', async () => {
  const { page, close } = await browser.open()
  await signIn(page, api.url, TOKEN, `/console/integrations/${party.integrationId}`)
  const copy = page.getByRole('button', { name: `Copy ${party.integrationId}`, exact: true }).first()
  await copy.waitFor()
  await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))`)
  await copy.click()
  await page.getByRole('alert').getByText('Not copied').waitFor()
  await page.evaluate('navigator.clipboard.writeText = () => Promise.resolve()')
  await copy.click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await page.getByText('Not copied').count(), 0)
  await close()
})

it('a payout that somebody else has dealt with meanwhile is shown as it is, once that is refused', async () => {
  const order = { chainId: 31_337, direction: 'REDEEM', amountMicro: 1_000_000n, state: 'payoutPending' } as const
  const orderId = await addOrder(db, party, order)
  const payoutId = await addPayout(db, { orderId, customerId: party.customerId, status: 'rejected' })
  const { page, close } = await browser.open()
  const dialogs = dialogsOf(page)
  await signIn(page, api.url, TOKEN, `/console/payouts/${payoutId}`)
  await page.getByRole('button', { name: 'Refund …' }).click()
  assert.equal((await api.call('POST', `/payouts/${payoutId}/mark-paid`, { reference: 'BANK-1' })).status, 200)
  await dialogs.send()
  await dialogs.open().getByRole('alert').waitFor()
  await page.locator('main .status').getByText('paid by hand', { exact: true }).waitFor()
  await close()
})

it('a payout that is held once more, for another reason, is not released by who has seen the first one', async () => {
  const order = { chainId: 31_337, direction: 'REDEEM', amountMicro: 1_000_000n, state: 'payoutPending' } as const
  const orderId = await addOrder(db, party, order)
  const payoutId = await addPayout(db, { orderId, customerId: party.customerId, status: 'queued' })
  const done = async (verb: string, reason: string, held?: string[]) =>
    assert.equal((await api.call('POST', `/payouts/${payoutId}/${verb}`, { reason, held })).status, 200)
  const { page, close } = await browser.open()
  const dialogs = dialogsOf(page)
  await signIn(page, api.url, TOKEN, `/console/payouts/${payoutId}`)
  await page.getByRole('button', { name: 'Hold …' }).waitFor()
  await done('hold', 'a look at the amount')
  await done('release', 'the amount is right')
  // What stops something is done, whatever was seen.
  await dialogs.run('Hold')
  await dialogs.close()
  await page.getByRole('button', { name: 'Release …' }).click()
  await done('release', 'the name is right', ['ticket 17'])
  await done('hold', 'asked by the police')
  await dialogs.send()
  await dialogs.open().getByRole('alert').getByText(`${payoutId} is no longer what you have seen.`).waitFor()
  assert.equal((await api.call('GET', `/payouts/${payoutId}`)).body.payout.status, 'held')
  await dialogs.open().getByRole('button', { name: 'Cancel' }).click()
  await dialogs.run('Release')
  await close()
})

it('a payout is shown as it is also where the answer was lost of what was done to it', async () => {
  const order = { chainId: 31_337, direction: 'REDEEM', amountMicro: 1_000_000n, state: 'payoutPending' } as const
  const orderId = await addOrder(db, party, order)
  const payoutId = await addPayout(db, { orderId, customerId: party.customerId, status: 'queued' })
  const { page, close } = await browser.open()
  const dialogs = dialogsOf(page)
  await signIn(page, api.url, TOKEN, `/console/payouts/${payoutId}`)
  await page.route('**/hold', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Hold …' }).click()
  await dialogs.send()
  await dialogs.open().getByRole('alert').getByText('It may have been done all the same').waitFor()
  await page.locator('main .status').getByText('held', { exact: true }).waitFor()
  await close()
})

it('an order that is held once more, for another reason, is not released by who has seen the first one', async () => {
  const order = { chainId: 31_337, direction: 'MINT', state: 'created', amountMicro: 7_000_000n } as const
  const running = await addParty(db)
  await addOrder(db, running, { ...order, referenceId: 'held-twice' })
  const target = `/orders/${running.integrationId}/held-twice`
  const done = async (verb: string, reason: string) =>
    assert.equal((await api.call('POST', `${target}/${verb}`, { reason })).status, 200)
  await done('hold', 'a look at the name')
  const { page, close } = await browser.open()
  const dialogs = dialogsOf(page)
  await signIn(page, api.url, TOKEN, `/console${target}`)
  await page.getByRole('button', { name: 'Release …' }).click()
  await done('release', 'the name is right')
  await done('hold', 'asked by the police')
  await dialogs.send()
  await dialogs.open().getByRole('alert').getByText('held-twice is no longer what you have seen.').waitFor()
  assert.equal((await api.call('GET', target)).body.held, 'asked by the police')
  await dialogs.open().getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('held: asked by the police').waitFor()
  await dialogs.run('Release')
  await close()
})

it('what was read before the service began to fail is not taken for what is', async () => {
  const { page, close } = await browser.open()
  await page.clock.install()
  await signIn(page, api.url, TOKEN, '/console/orders')
  await page.locator('main table').waitFor()
  const failing = { ok: false, error: { code: 'SERVER_ERROR', message: 'Something went wrong.' } }
  await page.route('**/operator/v1/orders', (route) => route.fulfill({ status: 500, json: failing }))
  await page.clock.fastForward(5_000)
  await page.getByRole('alert').getByText('Something went wrong. What is shown is of before.').waitFor()
  await close()
})

it('a file has the rows that were shown when it was asked for, wherever somebody goes while it is read', async () => {
  await addOrder(db, party, { chainId: 31_337, direction: 'MINT', state: 'created', amountMicro: 7_000_000n })
  const { page, close } = await browser.open()
  await signIn(page, api.url, TOKEN, '/console/orders')
  await page.locator('main table').waitFor()
  const gone = Promise.withResolvers<void>()
  await page.route('**/operator/v1/orders?limit=500', async (route) => {
    await gone.promise
    await route.continue()
  })
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as CSV' }).click()
  await page.getByRole('link', { name: 'Approvals', exact: true }).click()
  await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor()
  await page.evaluate(`history.replaceState(null, '', '?has=nothing-has-this')`)
  gone.resolve()
  const rows = readFileSync(await (await saving).path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  assert.ok(rows.length > 1, rows.join('\n'))
  await close()
})

it('what is counted up to a thousand is not said to be a thousand', async () => {
  const { page, close } = await browser.open()
  await page.route('**/operator/v1/overview', async (route) => {
    const response = await route.fetch()
    const json = await response.json()
    await route.fulfill({
      response,
      json: {
        ...json,
        alarms: { ...json.alarms, ordersHeld: 1_000, tagConflicts: 999, paymentFilesStopped: 1, bankFilesWaiting: 2 },
      },
    })
  })
  await signIn(page, api.url, TOKEN, '/console/')
  await page.getByRole('link', { name: /^1,000\+ ?Orders held$/ }).waitFor()
  await page.getByRole('link', { name: /^999 ?Tag conflicts$/ }).waitFor()
  await page.getByRole('link', { name: /^2 ?Files of the bank not taken in yet$/ }).waitFor()
  await page.getByRole('alert').getByText('Payment files are stopped').waitFor()
  await page.getByText('What the bank holds is not known well enough: no statement.').waitFor()
  await close()
})
