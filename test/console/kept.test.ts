// engine: pglite
/** What a page does for the person who has it open alone, and what it keeps for them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, it } from 'node:test'
import { type OperatorFixture, startOperator, TOKEN } from '../operator/fixture.ts'
import { addOrder, addParty, type Party } from '../operator/world.ts'
import { SIZES, signIn, startBrowser, type TestBrowser } from '../support/browser.ts'
import { dialogsOf } from '../support/browser-dialog.ts'

let api: OperatorFixture
let browser: TestBrowser
let party: Party

before(async () => {
  ;[api, browser] = await Promise.all([startOperator(), startBrowser()])
  party = await addParty(api.db)
})
after(async () => {
  await browser.close()
  await api.close()
})

it('a day is saved as CSV for whose page it is, and not for who has signed in since', async () => {
  const { page, close } = await browser.open()
  const first = await api.person('treasury', 'Farid')
  const next = await api.person('viewer', 'Vera')
  const today = new Date().toLocaleDateString('en-CA', { timeZone: 'Asia/Kuala_Lumpur' })
  await signIn(page, api.url, first.token, `/console/books/close?date=${today}`)
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save this day as CSV' }).click()
  const saved = await saving
  assert.equal(saved.suggestedFilename(), `close-${today}.csv`)
  assert.match(readFileSync(await saved.path(), 'utf8'), /^table,day,state,/)
  const asked = page.waitForRequest((request) => request.url().includes('format=csv'))
  await page.getByRole('button', { name: 'Save this day as CSV' }).click()
  assert.equal((await asked).headers()['x-person'], first.operatorId)
  // In another tab of the same browser.
  await page.context().request.post(`${api.url}/console/session`, {
    data: { token: next.token },
    headers: { origin: api.url },
  })
  await page.getByRole('button', { name: 'Save this day as CSV' }).click()
  await page.getByText('Vera · viewer').waitFor()
  await close()
})

it('the key “/” is switched off and on again, by whoever uses their keyboard otherwise', async () => {
  const { page, close } = await browser.open()
  await signIn(page, api.url, TOKEN, '/console/orders')
  const focused = () => page.evaluate('document.activeElement.id')
  const key = page.getByRole('button', { name: 'Key “/” goes to the search' })
  await key.click()
  await page.keyboard.press('/')
  assert.notEqual(await focused(), 'find')
  await page.reload()
  await key.waitFor()
  assert.equal(await key.getAttribute('aria-pressed'), 'false')
  await page.locator('main').press('/')
  assert.notEqual(await focused(), 'find')
  await key.click()
  await page.keyboard.press('/')
  assert.equal(await focused(), 'find')
  await close()
})

it('rows are sorted where they are cards, too', async () => {
  const order = { chainId: 31_337, direction: 'MINT', state: 'created' } as const
  for (const amount of [2n, 3n, 1n])
    await addOrder(api.db, party, { ...order, amountMicro: amount * 1_000_000n, referenceId: `card-order-${amount}` })
  const { page, close } = await browser.open()
  await page.setViewportSize(SIZES.phone)
  await signIn(page, api.url, TOKEN, '/console/orders')
  const sorting = page.getByLabel('Sorted by, in: Orders')
  await sorting.selectOption({ label: 'Coin ↓' })
  const shown = async () =>
    (await page.locator('tbody tr').allTextContents()).map((row) => /card-order-\d/.exec(row)?.[0])
  assert.deepEqual(await shown(), ['card-order-3', 'card-order-2', 'card-order-1'])
  await page.reload()
  await page.locator('tbody tr').first().waitFor()
  assert.equal(await sorting.inputValue(), '-coin')
  await sorting.selectOption({ label: 'Coin ↑' })
  assert.deepEqual(await shown(), ['card-order-1', 'card-order-2', 'card-order-3'])
  await page.setViewportSize(SIZES.wide)
  assert.equal(await sorting.isVisible(), false)
  await close()
})

it('what somebody had typed when their session ended is there for them alone once they are back', async () => {
  const order = { chainId: 31_337, direction: 'MINT', state: 'created', amountMicro: 1_000_000n } as const
  await addOrder(api.db, party, { ...order, referenceId: 'typed-order' })
  const path = `/console/orders/${party.integrationId}/typed-order`
  const first = await api.person('compliance', 'Nurul')
  const next = await api.person('compliance', 'Zain')
  const { page, close } = await browser.open()
  const dialogs = dialogsOf(page)
  const reason = dialogs.field('Reason, for the audit log')
  const end = async () => {
    await api.call('POST', `/operators/${first.operatorId}/sign-out`, {})
    await page.getByRole('alert').getByText('Your session has ended').waitFor()
  }
  const come = async ({ token, name }: { token: string; name: string }) => {
    await page.getByLabel('Your token').fill(token)
    await page.keyboard.press('Enter')
    await page.getByText(`${name} · compliance`).waitFor()
    assert.equal(await page.locator('dialog').count(), 0)
    await page.getByRole('button', { name: 'Hold …' }).click()
  }
  await signIn(page, api.url, first.token, path)
  await page.getByRole('button', { name: 'Hold …' }).click()
  await reason.fill('what the police have said at length')
  await end()
  await come(first)
  assert.equal(await reason.inputValue(), 'what the police have said at length')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Hold …' }).click()
  assert.equal(await reason.inputValue(), '', 'who cancels does not want it')
  await reason.fill('nobody else reads this')
  await end()
  await come(next)
  assert.equal(await reason.inputValue(), '')
  await close()
})
