// engine: pglite
/** The console's pages about partners, in a real browser: integrations with keys and webhooks, customers with wallets. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type OperatorFixture, startOperator, TOKEN } from '../operator/fixture.ts'
import { addCustomer, addParty, type Party, someAddress } from '../operator/world.ts'
import { type Look, lookAt, signIn, startBrowser, type TestBrowser } from '../support/browser.ts'
import { type Dialogs, dialogsOf } from '../support/browser-dialog.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase
let api: OperatorFixture
let browser: TestBrowser
let party: Party
let other: Party
let endpointId: string
let page: Page
let dialogs: Dialogs
before(async () => {
  ;[db, browser] = await Promise.all([createTestDatabase(), startBrowser()])
  api = await startOperator({ db })
  party = await addParty(db)
  other = await addParty(db)
  for (const { integrationId } of [party, other]) {
    const url = 'http://127.0.0.1:9/hooks'
    const { body } = await api.call('POST', '/webhooks', { integrationId, url })
    if (integrationId === party.integrationId) endpointId = body.endpointId
  }
  ;({ page } = await browser.open())
  dialogs = dialogsOf(page)
  await signIn(page, api.url, TOKEN)
})
after(async () => {
  await browser.close()
  await api.close()
  await db.close()
})

const see = (path: string, on = page) => on.goto(`${api.url}/console/${path}`)
const keysOf = async (integrationId: string) =>
  (await api.call('GET', `/keys?integrationId=${integrationId}`)).body.keys

describe('integrations', () => {
  it('creates one, which the list then shows', async () => {
    await see('integrations')
    await dialogs.run('Create an integration', { 'Name of the partner': 'Beta Sdn Bhd' })
    await dialogs.close()
    await page.getByRole('link', { name: 'Beta Sdn Bhd' }).click()
    await page.getByRole('heading', { level: 1, name: 'Beta Sdn Bhd' }).waitFor()
    await page.getByText('It has no key yet').waitFor()
    await page.getByText('It has no endpoint').waitFor()
  })

  it('suspends and resumes', async () => {
    await see(`integrations/${party.integrationId}`)
    await dialogs.run('Suspend')
    await page.locator('main .head .status.bad').getByText('suspended').waitFor()
    const status = async (id: string) => (await api.call('GET', `/integrations/${id}`)).body.integration.status
    assert.deepEqual([await status(party.integrationId), await status(other.integrationId)], ['suspended', 'active'])
    await see(`integrations/${party.integrationId}`)
    await dialogs.run('Resume')
    await page.locator('main .head .status.good').getByText('active').waitFor()
  })

  it('creates a key that works and is shown once, changes only what was changed, and revokes it', async () => {
    const before = (await keysOf(party.integrationId)).length
    await see(`integrations/${party.integrationId}`)
    await dialogs.run('Create a key', { Scopes: 'mint:read,config:read', 'Reads a minute (optional)': '77' })
    const shown = (await dialogs.open().locator('.secret').textContent()) ?? ''
    await dialogs.close()
    const keys = await keysOf(party.integrationId)
    assert.equal(keys.length, before + 1)
    const key = keys.find((each: { keyId: string }) => shown.includes(each.keyId))
    assert.deepEqual([key.scopes, key.rateRead, key.expiresAt], [['mint:read', 'config:read'], 77, null])
    const row = page.getByRole('row').filter({ hasText: key.keyId })
    await row.getByText('77 reads a minute').waitFor()
    assert.equal(await page.getByText(shown).count(), 0)

    await row.getByRole('button', { name: 'Change …' }).click()
    await dialogs.field('From addresses (optional)').fill('203.0.113.7, 198.51.100.0/24')
    await dialogs.send()
    await dialogs.open().getByText('Done.').waitFor()
    await dialogs.close()
    const changed = (await keysOf(party.integrationId)).find((each: { keyId: string }) => each.keyId === key.keyId)
    assert.deepEqual([changed.ipAllowlist, changed.rateRead], [['203.0.113.7', '198.51.100.0/24'], 77])
    const { details } = (await api.call('GET', `/audit?target=${key.keyId}`)).body.entries[0]
    assert.deepEqual(Object.keys(details).sort(), ['integrationId', 'ipAllowlist', 'ipAllowlistBefore', 'reason'])

    await row.getByRole('button', { name: 'Revoke …' }).click()
    await dialogs.send()
    await row.locator('.status.bad').getByText('revoked').waitFor()
  })

  it('says why something is refused, in the words of the API', async () => {
    await see(`integrations/${party.integrationId}`)
    await page.getByRole('button', { name: 'Create a key …' }).click()
    await dialogs.field('Scopes').fill('everything')
    await dialogs.send()
    await dialogs.open().getByRole('alert').getByText('"everything" is not a scope').waitFor()
  })

  it('adds an endpoint with its secret, tests it, counts what would be delivered, and removes it', async () => {
    await see(`integrations/${party.integrationId}`)
    await dialogs.run('Add an endpoint', {
      Address: 'http://127.0.0.1:9/other',
      'Event types (optional)': 'mint.completed',
    })
    assert.match((await dialogs.open().locator('.secret').textContent()) ?? '', /^whsec_/)
    await dialogs.close()
    await page.getByRole('row').filter({ hasText: 'http://127.0.0.1:9/other' }).getByRole('link').click()
    await page.getByRole('heading', { level: 1 }).getByText('Endpoint').waitFor()
    await page.getByText('no delivery fits').waitFor()
    await dialogs.run('Send a test event')
    await dialogs.open().getByText('Not acknowledged').waitFor()
    await dialogs.close()
    await dialogs.run('Count what would be delivered', { 'All events since (optional)': '2026-01-01T00:00:00Z' })
    await dialogs.open().getByText('It would be 0 deliveries').waitFor()
    await dialogs.close()
    await page.getByRole('button', { name: 'Remove …' }).click()
    await dialogs.send()
    await page.getByText('not, or no longer, an endpoint').waitFor()
    const left = (await api.call('GET', `/webhooks?integrationId=${party.integrationId}`)).body.endpoints
    assert.deepEqual(
      left.map((each: { endpointId: string }) => each.endpointId),
      [endpointId],
    )
  })
})

describe('customers', () => {
  it('an integration that is not there has a page with a heading', async () => {
    await see('integrations/int_none')
    await page.getByText('There is no integration int_none').waitFor()
    await page.getByRole('heading', { level: 1 }).getByText('int_none').waitFor()
  })

  it('suspends one, whose page then offers no more of it', async () => {
    const { customerId } = await addCustomer(db, other.integrationId)
    await see(`customers/${customerId}`)
    await dialogs.run('Suspend')
    await page.locator('main .status.bad').getByText('suspended').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Suspend …' }).count(), 0)
    const { customer } = (await api.call('GET', `/customers/${customerId}`)).body
    assert.equal(customer.verification.status, 'SUSPENDED')
    const told = (await api.call('GET', `/audit?target=${customerId}`)).body.entries
    assert.equal(told.filter((entry: { action: string }) => entry.action === 'customer.suspend').length, 1)
  })

  it('finds one by its wallet, without the wallet in the address of the page', async () => {
    await see('customers')
    await page.getByLabel('Find', { exact: true }).fill(party.wallet)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: party.customerId }).waitFor()
    assert.equal(await page.getByRole('link', { name: other.customerId }).count(), 0)
    assert.equal(new URL(page.url()).search, '')
    await page.getByLabel('Find', { exact: true }).fill('x y')
    await page.getByRole('button', { name: 'Find', exact: true }).press('Enter')
    await page.getByText('No name was looked for').waitFor()
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Find')
    await page.getByLabel('Find', { exact: true }).fill(party.customerId)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: party.customerId }).click()
    await page.getByRole('heading', { level: 1 }).getByText(party.customerId).waitFor()
    assert.equal(await page.getByText('No name was looked for').count(), 0)
  })

  it('links one, and changes only what was changed', async () => {
    await see(`customers?integrationId=${other.integrationId}`)
    await page.getByRole('link', { name: other.customerId }).waitFor()
    await dialogs.run('Link a customer', { "The partner's own id (optional)": 'shop-7', Verification: 'VERIFIED' })
    await dialogs.open().getByRole('link').click()
    await page.getByText('shop-7').waitFor()
    const customerId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await dialogs.run('Change', { 'May mint': 'no' })
    await dialogs.close()
    const { customer } = (await api.call('GET', `/customers/${customerId}`)).body
    assert.deepEqual([customer.integrationId, customer.externalId], [other.integrationId, 'shop-7'])
    assert.deepEqual(customer.switches, { canMint: false, canRedeem: true, canTransfer: true })
    const told = (await api.call('GET', `/audit?target=${customerId}`)).body.entries
    const change = told.find((entry: { action: string }) => entry.action === 'customer.set')
    assert.deepEqual(change.details.changed, ['canMint'])
  })

  it('keeps what stands beside a long name, or one from right to left, where it belongs', async () => {
    const bank = { bankBic: 'MBBEMYKL', bankAccount: '51234567890' }
    const person = { type: 'RETAIL', status: 'VERIFIED', level: 'TIER_2', country: 'MY' }
    const link = async (integrationId: string, bankName: string) =>
      (await api.call('POST', '/customers', { integrationId, ...person, ...bank, bankName })).body.customerId
    const { integrationId } = await addParty(db)
    await link(integrationId, 'W'.repeat(140))
    const customerId = await link(integrationId, 'شركة 7')
    await see(`customers?integrationId=${integrationId}`)
    await page.getByRole('link', { name: customerId }).waitFor()
    const hidden = 'document.querySelector(".scroll").scrollWidth - document.querySelector(".scroll").clientWidth'
    assert.equal(await page.evaluate(hidden), 0)
    await see(`customers/${customerId}`)
    await page.getByText('…7890').waitFor()
    // As it is drawn: the name with its number, and the account to the right of both.
    const drawn = await page.evaluate(`(() => {
      const account = [...document.querySelectorAll('dd')].find((dd) => dd.textContent.includes('…7890'))
      const leftOf = (node, text) => {
        const range = document.createRange()
        const start = node.textContent.indexOf(text)
        range.setStart(node, start)
        range.setEnd(node, start + text.length)
        return range.getBoundingClientRect().left
      }
      const after = [...account.childNodes].find((node) => node.nodeType === 3 && node.textContent.includes('7890'))
      return leftOf(after, '7890') > account.querySelector('bdi').getBoundingClientRect().left
    })()`)
    assert.equal(drawn, true)
  })

  it('freezes and unfreezes a wallet, adds one and takes it away', async () => {
    await see(`customers/${party.customerId}`)
    await dialogs.run('Freeze')
    await dialogs.close()
    assert.deepEqual([...api.chain.frozen], [party.wallet])
    await dialogs.run('Unfreeze')
    await dialogs.close()
    assert.deepEqual([...api.chain.frozen], [])
    const address = someAddress()
    await dialogs.run('Add a wallet', { 'Address of the wallet': address })
    await dialogs.close()
    const row = page.getByRole('row').filter({ hasText: address })
    await row.getByRole('button', { name: 'Remove …' }).click()
    await dialogs.send()
    await row.waitFor({ state: 'detached' })
    assert.ok(!api.chain.linked.has(address))
  })

  it('says when it was not done on every chain', async () => {
    await see(`customers/${party.customerId}`)
    api.chain.readable = false
    await page.getByRole('button', { name: 'Freeze …', exact: true }).click()
    await dialogs.send()
    await dialogs.open().getByText('Not all of it is done.').waitFor()
    await dialogs.open().getByRole('alert').getByText('Chain 31337').waitFor()
    assert.equal(await dialogs.open().getByText('Done.', { exact: true }).count(), 0)
    api.chain.readable = true
  })

  it('shows what the holder signs', async () => {
    await see(`customers/${party.customerId}`)
    await dialogs.run('What the holder signs', { 'Address of the wallet': someAddress() })
    assert.match((await dialogs.open().locator('pre').textContent()) ?? '', /"primaryType"/)
  })

  it('exports what is kept, with the whole account number, and shows it masked', async () => {
    await see(`customers/${party.customerId}`)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export everything kept' }).click()
    const kept = JSON.parse(readFileSync(await (await saving).path(), 'utf8'))
    assert.deepEqual([kept.customer.customerId, kept.customer.bank.account], [party.customerId, '1234567890'])
    assert.equal(await page.getByText('1234567890').count(), 0)
  })
})

describe('pages about partners', () => {
  it('show nothing to change to a viewer, and no customers', async () => {
    const viewer = await api.person('viewer')
    const { page: seen, problems, close: end } = await browser.open()
    await signIn(seen, api.url, viewer.token)
    problems.length = 0
    await see(`integrations/${party.integrationId}`, seen)
    await seen.getByRole('table', { name: 'API keys' }).waitFor()
    assert.deepEqual(await seen.locator('main button').filter({ hasText: '…' }).allTextContents(), [])
    assert.equal(await seen.getByRole('link', { name: 'Customers & wallets' }).count(), 0)
    await see('customers', seen)
    await seen.getByText('your role does not see it').waitFor()
    assert.deepEqual(problems, [])
    await end()
  })

  it('have no violation and no error, wide and on a phone, light and dark', async () => {
    const looks: Look[] = [
      { name: 'integrations', path: '/console/integrations', ready: 'main table' },
      { name: 'integration', path: `/console/integrations/${party.integrationId}`, ready: 'main table' },
      { name: 'endpoint', path: `/console/integrations/${party.integrationId}/${endpointId}`, ready: '.facts' },
      { name: 'customers', path: `/console/customers?integrationId=${party.integrationId}`, ready: 'main table' },
      { name: 'customer', path: `/console/customers/${party.customerId}`, ready: 'main table' },
    ]
    await lookAt(browser, { url: api.url, token: TOKEN }, looks)
  })
})
