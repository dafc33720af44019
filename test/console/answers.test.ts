// engine: pglite
/** The console in a real browser, where answers are lost, do not come, or are somebody else's. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type OperatorFixture, startOperator, TOKEN } from '../operator/fixture.ts'
import { addChain, addOrder, addParty, addPayout, type Party } from '../operator/world.ts'
import { signIn, startBrowser, type TestBrowser } from '../support/browser.ts'
import { dialogsOf } from '../support/browser-dialog.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { bankSays } from '../support/reserve.ts'

let db: TestDatabase
let api: OperatorFixture
let browser: TestBrowser
let party: Party
before(async () => {
  ;[db, browser] = await Promise.all([createTestDatabase(), startBrowser()])
  api = await startOperator({ db })
  party = await addParty(db)
  await addChain(db, 1, 90n)
})
after(async () => {
  await browser.close()
  await api.close()
  await db.close()
})

describe('an answer that is lost', () => {
  it('is had again by sending the same again: nothing is created twice', async () => {
    const { page, close } = await browser.open()
    const dialogs = dialogsOf(page)
    await signIn(page, api.url, TOKEN, '/console/integrations')
    let sent = 0
    await page.route('**/operator/v1/integrations', async (route) => {
      if (route.request().method() !== 'POST') return await route.continue()
      sent += 1
      if (sent > 1) return await route.continue()
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Create an integration …' }).click()
    await dialogs.field('Name of the partner').fill('Once')
    await dialogs.send()
    await dialogs.open().getByRole('alert').getByText('send it again, it is done once').waitFor()
    await dialogs.send()
    await dialogs.open().getByText('Done.', { exact: true }).waitFor()
    const { integrations } = (await api.call('GET', '/integrations?limit=500')).body
    const made = integrations.filter(({ name }: { name: string }) => name === 'Once')
    assert.deepEqual([sent, made.length], [2, 1])
    await dialogs.open().getByText(made[0].integrationId).waitFor()
    await dialogs.close()
    await dialogs.run('Create an integration', { 'Name of the partner': 'Once' })
    const again = (await api.call('GET', '/integrations?limit=500')).body.integrations
    assert.equal(again.filter(({ name }: { name: string }) => name === 'Once').length, 2)
    await close()
  })

  it('of what creates nothing is said to be uncertain', async () => {
    const { page, close } = await browser.open()
    const dialogs = dialogsOf(page)
    await signIn(page, api.url, TOKEN, `/console/integrations/${party.integrationId}`)
    await page.route('**/suspend', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Suspend …' }).click()
    await dialogs.send()
    await dialogs.open().getByRole('alert').getByText('It may have been done all the same: look').waitFor()
    const { integration } = (await api.call('GET', `/integrations/${party.integrationId}`)).body
    assert.equal(integration.status, 'suspended')
    await close()
  })
})

describe('an answer that does not come', () => {
  it('keeps no page live that is old', async () => {
    const { page, close } = await browser.open()
    await page.clock.install()
    await signIn(page, api.url, TOKEN, '/console/orders')
    await page.getByText('No order fits these filters.').waitFor()
    const asked = page.waitForRequest('**/operator/v1/orders')
    await page.route('**/operator/v1/orders', () => {})
    await page.clock.fastForward(5_000)
    await asked
    assert.ok(await page.locator('.connection.live').isVisible())
    await page.clock.fastForward(31_000)
    await page.getByText('The service does not answer. Trying again').waitFor()
    await page.unroute('**/operator/v1/orders')
    await page.clock.fastForward(31_000)
    await page.locator('.connection.live').waitFor()
    await close()
  })

  it('to who is signed in is told in the words of the service', async () => {
    const { page, close } = await browser.open()
    const message = 'The database does not answer: try again.'
    const json = { ok: false, error: { code: 'SERVICE_UNAVAILABLE', message } }
    await page.route('**/console/session', (route) => route.fulfill({ status: 503, json }))
    await page.goto(`${api.url}/console/`)
    await page.getByRole('alert').getByText(message).waitFor()
    await close()
  })
})

describe('what the commands say', () => {
  it('of an order that somebody has held meanwhile is said in the dialog, too', async () => {
    const orderId = await addOrder(db, party, {
      chainId: 1,
      direction: 'MINT',
      amountMicro: 1_000_000n,
      state: 'created',
    })
    const [order] = await db.query<{ reference_id: string }>('select reference_id from orders where order_id = $1', [
      orderId,
    ])
    const name = `${party.integrationId}/${order?.reference_id}`
    const { page, close } = await browser.open()
    const dialogs = dialogsOf(page)
    await signIn(page, api.url, TOKEN, `/console/orders/${name}`)
    await page.getByRole('button', { name: 'Hold …' }).click()
    const { status } = await api.call('POST', `/orders/${name}/hold`, { reason: 'somebody was quicker' })
    assert.equal(status, 200)
    await dialogs.send()
    await dialogs
      .open()
      .getByRole('status')
      .getByText('It was held already, and is held for your reason, too')
      .waitFor()
    await close()
  })

  it('of a payout that its bank has refused is on its page', async () => {
    const orderId = await addOrder(db, party, {
      chainId: 1,
      direction: 'REDEEM',
      amountMicro: 1_000_000n,
      state: 'payoutPending',
    })
    const payoutId = await addPayout(db, { orderId, customerId: party.customerId, status: 'rejected' })
    const { page, close } = await browser.open()
    await signIn(page, api.url, TOKEN, `/console/payouts/${payoutId}`)
    await page.getByRole('status').getByText(`run "coin payout retry ${payoutId}"`).waitFor()
    await close()
  })

  it('of a day that is to be closed is on its page, and in the dialog that closes it', async () => {
    await bankSays(db, 5_000_000n, { daysAgo: 3 })
    const [row] = await db.query<{ day: string }>(
      `select ((now() at time zone timezone)::date - 1)::text as day from ledger_book`,
    )
    const { page, close } = await browser.open()
    const dialogs = dialogsOf(page)
    await signIn(page, api.url, TOKEN, `/console/books/close?date=${row?.day}`)
    await page.getByRole('main').getByText('Before it is closed: The statements of main end with').waitFor()
    await dialogs.run('Close days')
    await dialogs.open().getByRole('status').getByText('The statements of main end with').waitFor()
    await close()
  })
})

describe('signing out', () => {
  it('is said to have failed, where a page like that of the login would be believed', async () => {
    const { page, close } = await browser.open()
    await signIn(page, api.url, TOKEN, '/console/orders')
    await page.route('**/console/session**', (route) => route.abort())
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('alert').getByText('You are still signed in. The service does not answer.').waitFor()
    await page.unroute('**/console/session**')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Your token').waitFor()
    await close()
  })
})

describe('a dialog', () => {
  it('changes of an endpoint only what was changed in it, and not what somebody else has changed meanwhile', async () => {
    const { integrationId } = party
    const [old, moved] = ['http://127.0.0.1:9/old', 'http://127.0.0.1:9/moved']
    const { endpointId } = (await api.call('POST', '/webhooks', { integrationId, url: old })).body
    const endpoint = async () => (await api.call('GET', `/webhooks?integrationId=${integrationId}`)).body.endpoints[0]
    const { page, close } = await browser.open()
    const dialogs = dialogsOf(page)
    await signIn(page, api.url, TOKEN, `/console/integrations/${integrationId}/${endpointId}`)
    await page.getByRole('button', { name: 'Change …' }).click()
    await api.call('POST', `/webhooks/${endpointId}/set`, { url: moved })
    await dialogs.field('Event types (optional)').fill('mint.failed, redeem.failed')
    await dialogs.send()
    await dialogs.open().getByText('Done.', { exact: true }).waitFor()
    await dialogs.close()
    assert.deepEqual([(await endpoint()).url, (await endpoint()).eventTypes], [moved, ['mint.failed', 'redeem.failed']])
    await dialogs.run('Change', { 'Event types (optional)': '' })
    assert.deepEqual([(await endpoint()).url, (await endpoint()).eventTypes], [moved, null])
    await close()
  })

  it('that was open when the session ended is not shown to the next person', async () => {
    const { integrationId } = party
    const { body } = await api.call('POST', '/customers', {
      integrationId,
      type: 'RETAIL',
      status: 'VERIFIED',
      level: 'TIER_1',
      country: 'MY',
      bankBic: 'MBBEMYKL',
      bankAccount: '514012345678',
      bankName: 'Aminah binti Ali',
    })
    const first = await api.person('onboarding', 'Farid')
    const next = await api.person('viewer', 'Vera')
    const { page, close } = await browser.open()
    const dialogs = dialogsOf(page)
    await signIn(page, api.url, first.token, `/console/customers/${body.customerId}`)
    await page.getByRole('button', { name: 'Change …' }).first().click()
    assert.equal(await dialogs.field('Account holder (optional)').inputValue(), 'Aminah binti Ali')
    await api.call('POST', `/operators/${first.operatorId}/disable`, {})
    await dialogs.send()
    await page.getByRole('alert').getByText('Your session has ended').waitFor()
    await page.getByLabel('Your token').fill(next.token)
    await page.keyboard.press('Enter')
    await page.getByText('Vera · viewer').waitFor()
    assert.equal(await page.locator('dialog').count(), 0)
    await close()
  })
})
