// engine: pglite
/** Dialogs of the console where people do what people do: close one too soon, go back, press twice, share a browser. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { addParty } from '../operator/world.ts'
import { signIn, startBrowser, type TestBrowser } from '../support/browser.ts'
import { type Dialogs, dialogsOf } from '../support/browser-dialog.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase
let api: OperatorFixture
let browser: TestBrowser
before(async () => {
  ;[db, browser] = await Promise.all([createTestDatabase(), startBrowser()])
  api = await startOperator({ db })
})
after(async () => {
  await browser.close()
  await api.close()
  await db.close()
})

type Opened = { page: Page; dialogs: Dialogs; integrationId: string; operatorId: string; close: () => Promise<void> }

/** Somebody who has come from the list of partners to one of them. */
async function atPartner(): Promise<Opened> {
  const { integrationId } = await addParty(db)
  const { operatorId, token } = await api.person('support')
  const { page, close } = await browser.open()
  await signIn(page, api.url, token, '/console/integrations')
  await page.locator(`a[href$="${integrationId}"]`).click()
  await page.getByRole('button', { name: 'Suspend …' }).waitFor()
  return { page, dialogs: dialogsOf(page), integrationId, operatorId, close }
}

const REFUSED = { ok: false, error: { code: 'CONFLICT', message: 'The partner is suspended already.' } }

/** Keeps the next suspension under way until it is let go on. */
async function slow(page: Page, then: 'refused' | 'done'): Promise<() => void> {
  let letGo = () => {}
  const gone = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route('**/suspend', async (route) => {
    await gone
    if (then === 'done') await route.continue()
    else await route.fulfill({ status: 409, json: REFUSED })
  })
  return letGo
}

/** How often somebody was suspended. */
const suspensions = async (integrationId: string): Promise<number> =>
  (await api.call('GET', `/audit?target=${integrationId}`)).body.entries.filter(
    ({ action }: { action: string }) => action === 'integration.suspend',
  ).length

describe('while it is sent', () => {
  it('does not go away, however often Escape is pressed, and then says what came of it', async () => {
    const { page, dialogs, close } = await atPartner()
    const letGo = await slow(page, 'refused')
    await page.getByRole('button', { name: 'Suspend …' }).click()
    await dialogs.send()
    const cancel = dialogs.open().getByRole('button', { name: 'Cancel' })
    assert.equal(await cancel.isDisabled(), true)
    for (let press = 0; press < 4; press += 1) await page.keyboard.press('Escape')
    await page.goBack()
    await dialogs.open().getByText('Sending …').waitFor()
    letGo()
    await dialogs.open().getByRole('alert').getByText(REFUSED.error.message).waitFor()
    await cancel.click()
    await dialogs.open().waitFor({ state: 'detached' })
    await close()
  })

  it('is sent once, however often it is pressed', async () => {
    const { page, dialogs, integrationId, close } = await atPartner()
    const letGo = await slow(page, 'done')
    await page.getByRole('button', { name: 'Suspend …' }).click()
    await dialogs.field('Reason, for the audit log').fill('as ticket 17 says')
    await page.evaluate(`{
      const form = document.querySelector('dialog form')
      for (let press = 0; press < 3; press += 1) form.requestSubmit()
      setTimeout(() => form.requestSubmit(), 50)
    }`)
    await page.waitForTimeout(100)
    letGo()
    await dialogs.open().getByText('Done.', { exact: true }).waitFor()
    assert.equal(await suspensions(integrationId), 1)
    await close()
  })

  it('keeps its answer to be read where the session ends meanwhile, and then leads to the login', async () => {
    const { page, dialogs, operatorId, close } = await atPartner()
    const letGo = await slow(page, 'done')
    await page.route('**/suspend', async (route) => {
      const answer = await route.fetch()
      await api.call('POST', `/operators/${operatorId}/disable`, {})
      await page.waitForResponse((response) => response.status() === 401)
      await route.fulfill({ response: answer })
    })
    await page.getByRole('button', { name: 'Suspend …' }).click()
    await dialogs.send()
    letGo()
    await dialogs.open().getByText('Done.', { exact: true }).waitFor()
    assert.equal(await page.getByLabel('Your token').count(), 0)
    await dialogs.open().getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByLabel('Your token').waitFor()
    assert.equal(await page.locator('dialog').count(), 0)
    await close()
  })

  it('gives up in the end where no answer comes', async () => {
    const { page, dialogs, close } = await atPartner()
    await page.clock.install()
    await page.route('**/suspend', () => {})
    await page.getByRole('button', { name: 'Suspend …' }).click()
    await dialogs.send()
    await dialogs.open().getByText('Sending …').waitFor()
    await page.clock.fastForward(601_000)
    await dialogs.open().getByRole('alert').getByText('It may have been done all the same: look').waitFor()
    await close()
  })
})

describe('with nothing to fill in', () => {
  it('begins where it can be left, and not on copying what it is about', async () => {
    const { integrationId } = await addParty(db)
    const added = await api.call('POST', '/webhooks', { integrationId, url: 'https://hooks.example/coin' })
    const { page, dialogs, close } = await atPartner()
    await page.goto(`${api.url}/console/integrations/${integrationId}/${added.body.endpointId}`)
    await page.getByRole('button', { name: 'Send a test event …' }).press('Enter')
    await dialogs.open().waitFor()
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Cancel')
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Send a test event')
    await page.keyboard.press('Escape')
    await dialogs.open().waitFor({ state: 'detached' })
    await close()
  })

  it('has what it is about copied where that is a name, and not where it is words', async () => {
    const { page, dialogs, close } = await atPartner()
    const copies = () => dialogs.open().getByRole('button', { name: /^Copy/ }).count()
    await page.getByRole('button', { name: 'Suspend …' }).press('Enter')
    await dialogs.open().waitFor()
    assert.equal(await copies(), 1)
    await page.goto(`${api.url}/console/chains`)
    await page.getByRole('button', { name: 'Stop every chain …' }).press('Enter')
    await dialogs.open().getByText('every chain', { exact: true }).waitFor()
    assert.equal(await copies(), 0)
    await close()
  })
})

/** What a screen reader says beside the name of an element. */
async function descriptionOf(page: Page, role: string, name: string): Promise<unknown> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  await session.detach()
  return nodes.find((node) => node.role?.value === role && node.name?.value === name)?.description?.value
}

describe('who hears it', () => {
  it('is told to what it is done and what it does before anything is asked, and at the end what came of it', async () => {
    const { page, dialogs, integrationId, close } = await atPartner()
    assert.match(String(await descriptionOf(page, 'button', 'Suspend …')), new RegExp(integrationId))
    await page.getByRole('button', { name: 'Suspend …' }).press('Enter')
    await dialogs.open().waitFor()
    assert.match(
      String(await descriptionOf(page, 'dialog', 'Suspend')),
      new RegExp(`${integrationId}.* All its keys are refused from now on`),
    )
    await dialogs.send()
    await dialogs.open().getByText('Done.', { exact: true }).waitFor()
    assert.equal(await descriptionOf(page, 'button', 'Close'), 'Done.')
    await close()
  })
})

describe('a refusal', () => {
  it('leaves the keyboard where it can be sent again', async () => {
    const { page, dialogs, close } = await atPartner()
    const letGo = await slow(page, 'refused')
    letGo()
    await page.getByRole('button', { name: 'Suspend …' }).press('Enter')
    await page.keyboard.type('asked by the police')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await dialogs.open().getByRole('alert').waitFor()
    const focused = await page.evaluate('document.activeElement.textContent')
    assert.equal(focused, 'Suspend')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await dialogs.open().waitFor({ state: 'detached' })
    await close()
  })
})

describe('a refusal of a long form that was sent from its first field', () => {
  it('is seen on a phone as well', async () => {
    const { token } = await api.person('onboarding')
    const { page, close } = await browser.open({ size: 'phone' })
    const dialogs = dialogsOf(page)
    await signIn(page, api.url, token, '/console/customers')
    await page.getByRole('button', { name: 'Link a customer …' }).press('Enter')
    await dialogs.field('Integration').fill('int_of_nobody')
    await page.keyboard.press('Enter')
    const said = dialogs.open().getByRole('alert')
    await said.waitFor()
    const [note, form] = await Promise.all([said.boundingBox(), dialogs.open().boundingBox()])
    assert.ok(note !== null && form !== null && note.y + note.height <= form.y + form.height, 'it is out of sight')
    await close()
  })
})

describe('what takes its own button away', () => {
  it('leaves the keyboard on the page, and not at the top of everything', async () => {
    const { page, dialogs, close } = await atPartner()
    await page.getByRole('button', { name: 'Suspend …' }).press('Enter')
    await page.keyboard.type('asked by the police')
    await dialogs.send()
    await dialogs.open().getByText('Done.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Suspend …' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await dialogs.open().waitFor({ state: 'detached' })
    // The dialog is closed before it is told so.
    await page.locator('#main:focus').waitFor()
    await close()
  })
})

describe('going back', () => {
  it('leaves the dialog as well that was open, and not one that has something to read', async () => {
    const { page, dialogs, integrationId, close } = await atPartner()
    await page.getByRole('button', { name: 'Suspend …' }).click()
    await page.goBack()
    await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
    await dialogs.open().waitFor({ state: 'detached' })
    await page.goForward()
    await dialogs.run('Suspend')
    await page.goBack()
    await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
    await dialogs.open().getByText('Done.', { exact: true }).waitFor()
    await dialogs.close()
    assert.equal(await suspensions(integrationId), 1)
    await close()
  })

  it('leaves it also before it is painted', async () => {
    const { page, dialogs, close } = await atPartner()
    await page.evaluate(`(async () => {
      ;[...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Suspend …').click()
      for (let turns = 0; turns < 5; turns += 1) await undefined
      if (document.querySelector('dialog[open]') === null) throw new Error('nothing is open')
      dispatchEvent(new PopStateEvent('popstate'))
    })()`)
    await dialogs.open().waitFor({ state: 'detached' })
    await close()
  })
})

describe('a tab that was left open', () => {
  it('does nothing in the name of who has signed in in another one, and shows them nothing', async () => {
    const { page, dialogs, integrationId, close } = await atPartner()
    await page.getByRole('button', { name: 'Suspend …' }).click()
    await dialogs.field('Reason, for the audit log').fill('what the first one has found out')
    // It does not find out by itself.
    const looks = (route: Route) => (route.request().method() === 'GET' ? route.abort() : route.continue())
    await page.route('**/operator/v1/**', looks)
    const next = await api.person('compliance', 'Gita')
    const other = await page.context().newPage()
    await other.goto(`${api.url}/console/`)
    await other.getByRole('button', { name: 'Sign out' }).click()
    await other.getByLabel('Your token').fill(next.token)
    await other.keyboard.press('Enter')
    await other.getByText('Gita · compliance').waitFor()
    await dialogs.send()
    await page.getByText('Gita · compliance').waitFor()
    await page.getByText('Gita has signed in in this browser since').waitFor()
    assert.equal(await page.locator('dialog').count(), 0)
    assert.equal(await suspensions(integrationId), 0)
    await page.unroute('**/operator/v1/**', looks)
    await page.reload()
    await page.getByRole('button', { name: 'Suspend …' }).click()
    assert.equal(await dialogs.field('Reason, for the audit log').inputValue(), '')
    await dialogs.send()
    await dialogs.open().getByText('Done.', { exact: true }).waitFor()
    const { entries } = (await api.call('GET', `/audit?target=${integrationId}`)).body
    assert.deepEqual(
      entries
        .filter(({ action }: { action: string }) => action === 'integration.suspend')
        .map(({ actor }: { actor: string }) => actor),
      ['Gita'],
    )
    await close()
  })
})
