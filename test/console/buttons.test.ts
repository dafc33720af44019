// engine: pglite
/** Buttons of the console about secrets, companies, the bank and files: each is clicked, and the API says what happened. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { findUnknown, readBack } from '../../src/payment-files/read-back.ts'
import { importFile } from '../../src/statements/import.ts'
import { type OperatorFixture, startOperator, TOKEN } from '../operator/fixture.ts'
import { addOrder, addParty, addPayout, type Party } from '../operator/world.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { type Look, lookAt, signIn, startBrowser, type TestBrowser } from '../support/browser.ts'
import { type Dialogs, dialogsOf } from '../support/browser-dialog.ts'
import { bankNotifies } from '../support/reserve.ts'
import { someBank } from '../support/statements.ts'
import { type Receiver, startReceiver } from '../webhooks/http-receiver.ts'

const CHAIN = 31_337
let world: BankWorld
let api: OperatorFixture
/** The same database, where a second person must approve. */
let strict: OperatorFixture
let browser: TestBrowser
let receiver: Receiver
let party: Party
let other: Party
let page: Page
let dialogs: Dialogs
const bank = someBank({ fateOf: () => 'paid' })

before(async () => {
  ;[world, browser, receiver] = await Promise.all([createBankWorld(), startBrowser(), startReceiver()])
  const { db } = world
  const deps = world.filingDeps()
  api = await startOperator({
    db,
    bank: (file) => importFile(world.importDeps, file),
    paymentFiles: {
      place: deps,
      write: () => fileWaiting(deps),
      findUnknown: (tx) => findUnknown(tx, deps),
      readBack: (also, first) => readBack(deps, also, first),
    },
  })
  strict = await startOperator({ db, fourEyes: true, bank: (file) => importFile(world.importDeps, file) })
  ;[party, other] = [await addParty(db), await addParty(db)]
  ;({ page } = await browser.open())
  dialogs = dialogsOf(page)
  await signIn(page, api.url, TOKEN)
})
after(async () => {
  await browser.close()
  await receiver.close()
  await strict.close()
  await api.close()
  await world.close()
})

const see = (path: string) => page.goto(`${api.url}/console/${path}`)
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
const read = async (path: string): Promise<any> => {
  const { status, body } = await api.call('GET', path)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const shownSecret = async () => (await dialogs.open().locator('.secret').textContent()) ?? ''
const reasonOf = async (target: string, action: string) => {
  const { entries } = await read(`/audit?target=${encodeURIComponent(target)}`)
  return entries.find((entry: { action: string }) => entry.action === action)?.details.reason
}

describe('secrets', () => {
  it('a key gets a successor with the same settings, shown once, and without an overlap is revoked itself', async () => {
    const { integrationId } = party
    const made = await api.call('POST', '/keys', { integrationId, scopes: 'mint:read', rateRead: 77 })
    await see(`integrations/${integrationId}`)
    const row = page.getByRole('row').filter({ hasText: made.body.keyId })
    await row.getByRole('button', { name: 'Rotate …' }).click()
    await dialogs.field('Overlap').fill('0d')
    await dialogs.field('Reason, for the audit log').fill('it was in a screenshot')
    await dialogs.send()
    await dialogs.open().getByText('Done.').waitFor()
    const secret = await shownSecret()
    await dialogs.close()
    await row.locator('.status.bad').getByText('revoked').waitFor()
    const { keys } = await read(`/keys?integrationId=${integrationId}`)
    const next = keys.find(({ keyId }: { keyId: string }) => secret.includes(keyId))
    assert.deepEqual([next.scopes, next.rateRead, next.expiresAt], [['mint:read'], 77, null])
    assert.equal(await reasonOf(made.body.keyId, 'key.rotate'), 'it was in a screenshot')
    assert.equal(await page.getByText(secret).count(), 0)
  })

  it('an endpoint goes elsewhere, gets a next secret, is tried with it, and signs with it from then on', async () => {
    const { integrationId } = party
    const { body } = await api.call('POST', '/webhooks', { integrationId, url: 'http://127.0.0.1:9/dead' })
    const { endpointId, secret } = body
    await see(`integrations/${integrationId}/${endpointId}`)
    await dialogs.run('Change', { Address: receiver.url, 'Event types (optional)': 'mint.completed, redeem.failed' })
    await dialogs.close()
    const endpoint = async () =>
      (await read(`/webhooks?integrationId=${integrationId}`)).endpoints.find(
        (each: { endpointId: string }) => each.endpointId === endpointId,
      )
    assert.deepEqual(
      [(await endpoint()).url, (await endpoint()).eventTypes],
      [receiver.url, ['mint.completed', 'redeem.failed']],
    )
    await dialogs.run('Make the next secret')
    const next = await shownSecret()
    assert.match(next, /^whsec_/)
    assert.notEqual(next, secret)
    await dialogs.close()
    await page.getByText('a next one waits to be activated').waitFor()
    const before = receiver.received.length
    assert.equal(await page.getByRole('button', { name: 'Make the next secret …' }).count(), 0)
    await dialogs.run('Replace the next secret')
    assert.notEqual(await shownSecret(), next)
    await dialogs.close()
    await dialogs.run('Test the next secret')
    await dialogs.open().getByText('Acknowledged').waitFor()
    await dialogs.close()
    assert.equal(receiver.received.length, before + 1)
    await dialogs.run('Activate the next secret')
    await dialogs.close()
    await page.getByRole('button', { name: 'Activate the next secret …' }).waitFor({ state: 'detached' })
    assert.equal((await endpoint()).rotating, false)
    assert.equal(await reasonOf(endpointId, 'webhook.activate'), 'as ticket 17 says')
  })

  it("a person's new token replaces the old one, with the browser that it had signed in", async () => {
    const farid = await api.person('support', 'Farid')
    const bystander = await api.person('support', 'Gita')
    const own = await browser.open()
    await signIn(own.page, api.url, farid.token, '/console/operators')
    const faridsDialogs = dialogsOf(own.page)
    await own.page.getByRole('button', { name: 'New token …' }).click()
    await faridsDialogs.field('Your present token').fill(bystander.token)
    await faridsDialogs.field('Reason, for the audit log').fill('a try')
    await faridsDialogs.send()
    await faridsDialogs.open().getByText('being signed in is not enough').waitFor()
    await faridsDialogs.open().getByRole('button', { name: 'Cancel' }).click()
    await faridsDialogs.run('New token', { 'Your present token': farid.token })
    const token = (await faridsDialogs.open().locator('.secret').textContent()) ?? ''
    const whoami = (given: string) => api.call('GET', '/whoami', undefined, { authorization: `Bearer ${given}` })
    assert.equal((await whoami(token)).body.name, 'Farid')
    assert.equal((await whoami(farid.token)).status, 401)
    assert.equal((await whoami(bystander.token)).body.name, 'Gita')
    // The page behind has asked again meanwhile, and is refused: what was shown this once stays until it is closed.
    await own.page.locator('main#main .note.bad').waitFor()
    assert.ok(await faridsDialogs.open().getByText(token).isVisible())
    await faridsDialogs.close()
    await own.page.getByLabel('Your token').waitFor()
    await own.close()
  })

  it('somebody signs themselves out everywhere, an admin others, and nobody else anybody', async () => {
    const hana = await api.person('viewer', 'Hana')
    const [here, there] = [await browser.open(), await browser.open()]
    for (const { page: each } of [here, there]) await signIn(each, api.url, hana.token, '/console/operators')
    assert.equal(await here.page.getByRole('button', { name: 'Sign out everywhere …' }).count(), 1)
    const dialog = dialogsOf(here.page)
    await dialog.run('Sign out everywhere', { 'Reason, for the audit log': 'left in a train' })
    await dialog.close()
    for (const { page: each } of [here, there]) await each.getByLabel('Your token').waitFor()
    assert.equal(await reasonOf(hana.operatorId, 'operator.sign-out'), 'left in a train')
    const ivy = await api.person('support', 'Ivy')
    assert.equal((await ivy.call('POST', `/operators/${hana.operatorId}/sign-out`, {})).status, 403)
    // A token of their own goes on.
    assert.equal((await hana.call('POST', `/operators/${hana.operatorId}/sign-out`, {})).body.sessions, 0)
    await signIn(here.page, api.url, hana.token, '/console/operators')
    const admin = await api.person('admin', 'Jamil')
    assert.equal((await admin.call('POST', `/operators/${hana.operatorId}/sign-out`, {})).body.sessions, 1)
    await Promise.all([here.close(), there.close()])
  })

  it('everything sealed is sealed anew, and it is said how much', async () => {
    await see('operators')
    await dialogs.run('Seal anew')
    await dialogs.open().getByText('Sealed anew: 0').waitFor()
    await dialogs.close()
  })
})

describe('lists', () => {
  it('of payouts and orders are saved as they are shown, and a spreadsheet runs nothing of them', async () => {
    const errors = ['=cmd|calc', 'AC04 closed', '-1 of 2', 'AC04 closed', '+60', '@x', 'AC04 closed']
    for (const [index, error] of errors.entries()) {
      const order = { chainId: CHAIN, direction: 'REDEEM', state: 'payoutPending' } as const
      const amountMicro = BigInt(index + 1) * 1_111_000_000n
      const orderId = await addOrder(world.db, party, { ...order, amountMicro, referenceId: `redeem-${index}` })
      const payout = { orderId, customerId: party.customerId, status: 'rejected', amountSen: amountMicro / 10_000n }
      await addPayout(world.db, { ...payout, error })
    }
    const saved = async () => {
      const saving = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save as CSV' }).press('Enter')
      return readFileSync(await (await saving).path(), 'utf8')
        .trimEnd()
        .split('\r\n')
    }
    await see('payouts?status=rejected&sort=-amount')
    await page.getByText('redeem-6').waitFor()
    const [head, ...all] = await saved()
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Save as CSV')
    assert.match(head ?? '', /^payoutId,referenceId,amountMyr,status,since,bankAccountEnding,owner,lastError,/)
    assert.deepEqual(
      all.map((line) => line.split(',').slice(1, 3)),
      [7, 6, 5, 4, 3, 2, 1].map((times) => [`redeem-${times - 1}`, String(1_111 * times)]),
    )
    assert.deepEqual(
      all.map((line) => line.split(',')[7]),
      ['AC04 closed', "'@x", "'+60", 'AC04 closed', "'-1 of 2", 'AC04 closed', "'=cmd|calc"],
    )
    await page.getByLabel('Only rows with').fill('ac04')
    await page.getByText('3 of the 7 rows here').waitFor()
    assert.equal(await page.locator('tbody tr').count(), 3)
    assert.equal(new URL(page.url()).searchParams.get('has'), 'ac04')
    assert.equal((await saved()).length, 1 + 3)
    await page.reload()
    await page.getByText('3 of the 7 rows here').waitFor()
    await page.getByLabel('Only rows with').fill('4,444.00')
    await page.getByText('1 of the 7 rows here').waitFor()
    await page.getByLabel('Only rows with').fill('nobody')
    await page.getByText('None of these rows has “nobody”').waitFor()

    await see(`orders?integrationId=${party.integrationId}&status=processing`)
    await page.getByText('redeem-6').waitFor()
    const orders = await saved()
    assert.equal(orders.length, 1 + errors.length)
    assert.ok(orders.slice(1).every((line) => line.startsWith(`${party.integrationId},redeem-`)))
  })
})

describe('a partner', () => {
  it('pays from an account that is registered, until it is not', async () => {
    const remitters = async ({ integrationId }: Party) =>
      (await read(`/integrations/${integrationId}`)).integration.remitters
    await see(`integrations/${party.integrationId}`)
    await page.getByText('None is registered').waitFor()
    await dialogs.run('Add an account', { 'Account number': '70001234567' })
    await dialogs.close()
    await page.getByRole('table', { name: 'Bank accounts that it pays from' }).getByText('…4567').waitFor()
    assert.deepEqual([await remitters(party), await remitters(other)], [['…4567'], []])
    await dialogs.run('Remove an account', { 'Account number': '70001234567' })
    await dialogs.close()
    await page.getByText('None is registered').waitFor()
    assert.deepEqual(await remitters(party), [])
  })

  it('has companies, of which only what was changed changes', async () => {
    await see(`integrations/${party.integrationId}`)
    const filled = { 'Name of the company': 'Kedai Runcit Sdn Bhd', Industry: 'Retail', Verification: 'VERIFIED' }
    await dialogs.run('Link a company', filled)
    await dialogs.close()
    const row = page.getByRole('row').filter({ hasText: 'Kedai Runcit Sdn Bhd' })
    await row.getByRole('button', { name: 'Change …' }).click()
    await dialogs.field('May pay wages').selectOption('no')
    await dialogs.send()
    await dialogs.open().getByText('Done.').waitFor()
    await dialogs.close()
    await row.getByText('mint, redeem', { exact: true }).waitFor()
    const { corporates } = await read(`/corporates?integrationId=${party.integrationId}`)
    assert.deepEqual(
      corporates.map(({ companyName, switches }: Record<string, unknown>) => [companyName, switches]),
      [['Kedai Runcit Sdn Bhd', { canMint: true, canRedeem: true, canPayroll: false }]],
    )
    const { entries } = await read(`/audit?target=${corporates[0].corporateId}`)
    assert.deepEqual(entries[0].details.changed, ['canPayroll'])
    assert.deepEqual((await read(`/corporates?integrationId=${other.integrationId}`)).corporates, [])
  })

  it('a customer is paid parts of a sen, and erased once nothing is open', async () => {
    const { customerId } = other
    await world.db.query('insert into customer_residuals (customer_id, owed_micro) values ($1, 25000)', [customerId])
    await see(`customers/${customerId}`)
    await dialogs.run('Pay parts of a sen')
    await dialogs.open().getByRole('link').waitFor()
    await dialogs.close()
    const { payouts } = await read('/payouts?status=queued')
    assert.deepEqual(
      payouts.map((each: Record<string, string>) => [each.customerId, each.amountMyr]),
      [[customerId, '0.02']],
    )
    await page.getByRole('button', { name: 'Erase …' }).click()
    await dialogs.send()
    await dialogs.open().getByRole('alert').getByText('It cannot be erased yet').waitFor()
    await page.keyboard.press('Escape')

    const { body } = await api.call('POST', '/customers', {
      integrationId: other.integrationId,
      type: 'RETAIL',
      status: 'VERIFIED',
      level: 'TIER_1',
      country: 'MY',
      externalId: 'shop-9',
    })
    await see(`customers/${body.customerId}`)
    await dialogs.run('Erase', { 'Reason, for the audit log': 'she has asked' })
    await dialogs.open().getByText('Forgotten: ').waitFor()
    await dialogs.close()
    await page.locator('.facts').getByText('Erased').waitFor()
    assert.equal((await read(`/customers/${body.customerId}`)).customer.externalId, null)
    assert.equal((await read(`/customers/${party.customerId}`)).customer.erasedAt, null)
    assert.equal(await reasonOf(body.customerId, 'customer.erase'), 'she has asked')
  })
})

describe('the bank', () => {
  it('has a file taken in, whose line that nothing explains somebody explains', async () => {
    await world.settledMint('100')
    bank.deposit(100_055n, { name: 'Somebody', account: '8001234567' }, 'a gift')
    await see('bank')
    await page.getByText('No statement has been taken in').waitFor()
    await page.getByRole('button', { name: 'Take in a file …' }).click()
    const file = { name: 'statement.xml', mimeType: 'text/xml', buffer: Buffer.from(bank.closeDay()) }
    await dialogs.field('File').setInputFiles(file)
    await dialogs.send()
    await dialogs.open().getByText('It was taken in').waitFor()
    await dialogs.close()
    await page.getByRole('table', { name: 'Newest statements' }).getByText('RM 1,001,000.55').waitFor()
    await page.getByRole('link', { name: 'Awaited' }).click()
    // Its amount, and how much of it is awaited.
    const awaited = page.getByRole('table', { name: 'Mints whose ringgit is awaited' }).getByText('RM 100.00')
    await awaited.nth(1).waitFor()
    await page.getByRole('link', { name: 'What nothing explains' }).click()
    const row = page.getByRole('row').filter({ hasText: 'a gift' })
    await row.getByText(/^main\/S\d+\//).waitFor()
    await row.getByRole('button', { name: 'Say what it is …' }).click()
    await dialogs
      .open()
      .getByText(/^line \d+: RM 1,000\.55 a gift$/)
      .waitFor()
    await dialogs.field('It').selectOption("pays a partner's fees")
    await dialogs.send()
    await dialogs.open().getByRole('alert').waitFor()
    await dialogs.field('It').selectOption("is the issuer's own money")
    await dialogs.field('Reason, for the audit log').fill('letter of Monday')
    await dialogs.send()
    await dialogs.open().getByText('Done.').waitFor()
    await dialogs.close()
    await row.waitFor({ state: 'detached' })
    const { lines } = await read('/bank/unallocated')
    assert.deepEqual(
      lines.map(({ amountMyr }: { amountMyr: string }) => amountMyr),
      ['1000000'],
    )
    const [entry] = (await read('/audit')).entries.filter(
      ({ action }: { action: string }) => action === 'bank.unallocated.assign',
    )
    assert.deepEqual([entry.details.kind, entry.details.reason], ['own_funds', 'letter of Monday'])
  })

  it('shows what it has notified and no statement has shown yet', async () => {
    await bankNotifies(world.db, 7_250_000n, { endToEndId: 'THEIRS' })
    await see('bank')
    const row = page.getByRole('table', { name: 'Notified' }).getByRole('row').filter({ hasText: 'THEIRS' })
    await row.getByText('RM 7.25').waitFor()
  })

  it('has a line taken back that was said to be the wrong thing', async () => {
    const [{ bankAccount }] = (await read('/bank/statements')).accounts
    await see('bank/lines')
    await page.getByRole('textbox', { name: 'Lines of' }).fill(bankAccount)
    await page.getByRole('textbox', { name: 'Lines of' }).press('Enter')
    const row = page.getByRole('row').filter({ hasText: 'a gift' })
    await row.getByText(`${bankAccount} (own funds)`).waitFor()
    await row.getByRole('button', { name: 'Take back …' }).click()
    await dialogs.open().getByText(`RM 1,000.55, of ${bankAccount}`).waitFor()
    await dialogs.field('Reason, for the audit log').fill('it was a partner')
    const sent = page.waitForRequest('**/take-back')
    await dialogs.send()
    assert.equal((await sent).headers()['x-seen'], encodeURIComponent(bankAccount))
    await dialogs.open().getByText('Done.').waitFor()
    await dialogs.close()
    await row.waitFor({ state: 'detached' })
    const { lines } = await read('/bank/unallocated')
    assert.ok(lines.some(({ amountMyr }: { amountMyr: string }) => amountMyr === '1000.55'))
  })

  it('has a wrong statement withdrawn that waits for one that will never come', async () => {
    const mistaken = someBank({ openingSen: 7n, day: '2026-11-21', seed: 'mistaken' })
    const wrong = mistaken
      .closeDay()
      .replace(/<Stmt>\s*<Id>.*?</, '<Stmt><Id>WRONG<')
      .replace(/<MsgId>.*?</, '<MsgId>WRONG<')
    await world.importXml(wrong)
    await see('bank')
    const row = page.getByRole('row').filter({ hasText: 'WRONG' })
    await row.getByRole('button', { name: 'Book the difference …' }).click()
    await dialogs.field('Difference').fill('-1')
    await dialogs.field('Reason, for the audit log').fill('what the bank has corrected')
    await dialogs.send()
    await dialogs.open().getByRole('alert').getByText('The difference is RM -1,001,000.48').waitFor()
    await dialogs.open().getByRole('button', { name: 'Cancel' }).click()
    await row.getByRole('button', { name: 'Withdraw …' }).click()
    await dialogs.field('Reason, for the audit log').fill('the bank has replaced it')
    await dialogs.send()
    await dialogs.open().getByText('Done.').waitFor()
    await dialogs.close()
    await row.waitFor({ state: 'detached' })
    await page.getByText('None waits: each followed the one before.').waitFor()
    const { entries } = await read('/audit')
    assert.deepEqual(
      [entries[0].action, entries[0].details.reason],
      ['bank.statements.withdraw', 'the bank has replaced it'],
    )
  })

  it('gets a payment file, and its folder is read back', async () => {
    await world.burntRedeem('10')
    await world.payDue()
    await see('bank/files')
    await page.getByText('statement.xml').waitFor()
    await dialogs.run('Write a payment file')
    await dialogs.open().getByText('COIN-00000001').waitFor()
    await dialogs.close()
    await dialogs.run('Read files back')
    await dialogs.open().getByText('No file.').waitFor()
    await dialogs.close()
    await see('bank/files?setAside=true')
    await page.getByText('No file fits these filters').waitFor()
  })

  it('says of a file that was set aside why, and not that it is done', async () => {
    await see('bank')
    await page.getByRole('button', { name: 'Take in a file …' }).click()
    const file = { name: 'cut-off.xml', mimeType: 'text/xml', buffer: Buffer.from('<Document>') }
    await dialogs.field('File').setInputFiles(file)
    await dialogs.send()
    await dialogs.open().getByRole('alert').getByText('It was set aside: The file is not well-formed XML').waitFor()
    assert.equal(await dialogs.open().getByText('Done.').count(), 0)
    await dialogs.close()
  })

  it('takes in a file that a second person has approved: it is chosen again, and must be the same', async () => {
    const [asks, approves] = [await api.person('treasury', 'Aminah'), await api.person('treasury', 'Bala')]
    const headers = { authorization: `Bearer ${approves.token}` }
    assert.equal((await strict.call('GET', '/whoami', undefined, headers)).status, 200)
    const content = bank.closeDay()
    const opened = await browser.open()
    await signIn(opened.page, strict.url, asks.token, '/console/bank')
    const own = dialogsOf(opened.page)
    const choose = (text: string) =>
      own.field('File').setInputFiles({ name: 'late.xml', mimeType: 'text/xml', buffer: Buffer.from(text) })
    await opened.page.getByRole('button', { name: 'Take in a file …' }).click()
    await choose(content)
    await own.send()
    await own
      .open()
      .getByText(/It waits for another operator \(.*Bala.*\)/)
      .waitFor()
    const approvalId = (await own.open().getByRole('link').textContent()) ?? ''
    assert.equal((await strict.call('POST', `/approvals/${approvalId}/approve`, {}, headers)).status, 200)
    await own.open().getByRole('link').click()
    await opened.page.getByRole('button', { name: 'Run it now …' }).click()
    await choose(content.replace('</', ' </'))
    await own.send()
    await own.open().getByRole('alert').waitFor()
    await choose(content)
    await own.send()
    await own.open().getByText('It was taken in').waitFor()
    const { files } = await read('/bank/files')
    assert.equal(files.filter(({ name }: { name: string }) => name === 'late.xml').length, 1)
    await opened.close()
  })
})

describe('the new pages', () => {
  it('have no violation and no error, wide and on a phone, light and dark', async () => {
    const looks: Look[] = [
      { name: 'bank', path: '/console/bank', ready: 'main table' },
      { name: 'bank-applied', path: '/console/bank/applied?of=main', ready: 'main td' },
      { name: 'bank-lines', path: '/console/bank/unallocated', ready: 'main table' },
      { name: 'bank-lines-of', path: `/console/bank/lines?of=${party.integrationId}`, ready: 'main .empty' },
      { name: 'bank-awaited', path: '/console/bank/awaited', ready: 'main table' },
      { name: 'bank-files', path: '/console/bank/files', ready: 'main table' },
      { name: 'partner', path: `/console/integrations/${party.integrationId}`, ready: 'main table' },
      { name: 'narrowed', path: '/console/payouts?has=ac04', ready: 'main .narrowing' },
    ]
    await lookAt(browser, { url: api.url, token: TOKEN }, looks)
  })
})
