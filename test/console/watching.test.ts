// engine: pglite
/** The console's pages about what the service does: books, reconciliation, chains, screening, the audit log, operators. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import type { HoldReason } from '../../src/settlement/metrics.ts'
import { writeHold } from '../../src/settlement/tables/holds.sql.ts'
import { chainDouble, type OperatorFixture, startOperator, TOKEN } from '../operator/fixture.ts'
import { addBatch, addChain, addOrder, addParty, addPayout, someAddress } from '../operator/world.ts'
import { someBatchId } from '../support/batch-rows.ts'
import { type Look, lookAt, signIn, startBrowser, type TestBrowser } from '../support/browser.ts'
import { type Dialogs, dialogsOf } from '../support/browser-dialog.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { sealBooks } from '../support/seal-books.ts'
import { withoutGuards } from '../support/without-guards.ts'

let db: TestDatabase
let api: OperatorFixture
let browser: TestBrowser
let page: Page
let dialogs: Dialogs
const [one, two] = [chainDouble(31_337), chainDouble(31_338)]
const ours = someBatchId()
const foreign = someBatchId()
before(async () => {
  ;[db, browser] = await Promise.all([createTestDatabase(), startBrowser()])
  api = await startOperator({ db, chains: [one.chain, two.chain] })
  const party = await addParty(db)
  for (const chainId of [31_337, 31_338]) await addChain(db, chainId, 60n)
  const order = {
    chainId: 31_337,
    direction: 'MINT',
    state: 'completed',
    batchId: ours,
    referenceId: 'invoice-1',
  } as const
  const orderId = await addOrder(db, party, { ...order, amountMicro: 7_250_000n })
  await addBatch(db, { chainId: 31_337, batchId: ours, status: 'final', orderIds: [orderId] })
  await addBatch(db, { chainId: 31_338, batchId: foreign, status: 'final', isForeign: true })
  for (const [reference, amountMicro, at] of [
    ['batch/1/7/int_a', 5_500_000n, '2026-01-19T04:00:00Z'],
    ['batch/1/8/int_a', 1_234_000_000n, '2026-01-20T04:00:00Z'],
  ] as const) {
    const lines = [
      { account: 'mint_receivable:int_a', amountMicro },
      { account: 'coins:31337', amountMicro: -amountMicro },
    ] as const
    await db.transaction((tx) => recordEntries(tx, [{ reference, effectiveAt: new Date(at), lines }]))
  }
  await sealBooks(db, 10)
  ;({ page } = await browser.open())
  dialogs = dialogsOf(page)
  await signIn(page, api.url, TOKEN)
})
after(async () => {
  await browser.close()
  await api.close()
  await db.close()
})

/** Where the keyboard is. */
const focused = () => page.evaluate('document.activeElement.textContent')

const see = (path: string) => page.goto(`${api.url}/console/${path}`)

describe('books', () => {
  it('shows balances as of an instant, and the entries of an account', async () => {
    await see('books')
    await page.getByText('RM -1,239.50').waitFor()
    await page.getByLabel('As of').fill('2026-01-19T12:00:00Z')
    await page.keyboard.press('Enter')
    await page.getByText('RM -5.50').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('asOf'), '2026-01-19T12:00:00Z')
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    const [head, ...rows] = readFileSync(await (await saving).path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    assert.equal(head, 'asOf,account,integrationId,chainId,owner,balance')
    assert.ok(rows.includes('2026-01-19T12:00:00.000Z,coins,,31337,31337,-5.5'), rows.join('\n'))
    await page.getByRole('link', { name: 'coins:31337' }).click()
    await page.getByText('batch/1/8/int_a').waitFor()
    assert.equal(await page.locator('tbody tr').count(), 2)
    await see('books/entries?account=coins:2')
    await page.getByText('There is no entry of this account').waitFor()
  })

  it('closes days, and shows the report of one', async () => {
    await see('books/close?date=2026-01-19')
    await page.locator('.status.wait').getByText('open').waitFor()
    await dialogs.run('Close days', { Through: '2026-01-19' })
    await dialogs.open().getByText('Closed through 2026-01-19.').waitFor()
    await dialogs.close()
    await page.locator('.status.good').getByText('closed').waitFor()
  })

  it('the report of a day and a search, which read much, are asked for again by hand alone', async () => {
    const asked: string[] = []
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
    for (const [path, of] of [
      ['books/close?date=2026-01-19', '/operator/v1/close'],
      ['orders?find=nothing-is-called-so', '/operator/v1/orders/find'],
    ] as const) {
      await see(path)
      const again = page.getByRole('button', { name: 'Look again' })
      await again.waitFor()
      const times = () => asked.filter((each) => each === of).length
      const before = times()
      // As when its four seconds are over.
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
      const answer = page.waitForResponse((response) => new URL(response.url()).pathname === of)
      await again.click()
      await answer
      assert.equal(times(), before + 1, path)
    }
  })

  it('proves the books, and says when somebody has changed them', async () => {
    await see('books')
    await page.getByRole('button', { name: 'Prove the books' }).click()
    await page.getByText('Nobody has changed the books: 2 entries').waitFor()
    await withoutGuards(db, (tx) =>
      tx.query(`update ledger_entries set reference = 'x' where reference = 'batch/1/8/int_a'`),
    )
    await page.getByRole('button', { name: 'Prove the books' }).click()
    await page.getByRole('alert').getByText('Somebody has changed the books: entry changed or seal forged').waitFor()
    await see('audit')
    await page.getByRole('button', { name: 'Prove the audit log' }).press('Enter')
    await page.getByText('Nobody has changed the audit log').waitFor()
    assert.equal(await focused(), 'Prove the audit log')
  })

  it('shows the reserves', async () => {
    await see('books/reserves')
    await page.getByText('What the bank holds is not known well enough: no statement').waitFor()
    await page.getByText('No statement has been read').waitFor()
    await page.locator('.facts').getByText('RM 1,239.50').first().waitFor()
    await page.getByLabel('As of').fill('2026-01-19T12:00:00Z')
    await page.keyboard.press('Enter')
    await page.locator('.facts').getByText('RM 5.50').first().waitFor()
  })
})

describe('reconciliation', () => {
  it('runs when somebody asks, and names each difference', async () => {
    one.state.supplyMicro = 9_000_000n
    await see('reconciliation')
    await page.getByText('Run it to see what differs').waitFor()
    assert.equal(one.state.supplyAsked.length, 0)
    await page.getByRole('button', { name: 'Run', exact: true }).press('Enter')
    const row = page.getByRole('table', { name: 'Differences' }).getByRole('row').filter({ hasText: '31337' })
    await row.getByText('supply', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Run again' }).waitFor()
    assert.equal(await focused(), 'Run again')
    assert.match(page.url(), /run=true/)
  })
})

describe('files of the bank', () => {
  it('that are more than a page go on on the next one', async () => {
    await db.query(
      `insert into bank_imports (content_hash, name, refusal_code, refusal_sentence, imported_at)
       select lpad(n::text, 64, '0'), 'file-' || n || '.xml', 'foreign', 'Not ours.', now() - make_interval(mins => n)
       from generate_series(1, 101) n`,
    )
    await see('bank/files')
    await page.getByText('file-100.xml').waitFor()
    assert.equal(await page.getByText('file-101.xml').count(), 0)
    await page.getByRole('button', { name: 'Next page' }).press('Enter')
    await page.getByText('file-101.xml').waitFor()
    await page.getByText('file-100.xml').waitFor({ state: 'detached' })
    await page.locator('.scroll[aria-label=Files]:focus').waitFor()
    await page.goBack()
    await page.getByText('file-100.xml').waitFor()
    await page.getByLabel('Set aside only').check()
    await page.getByRole('button', { name: 'Clear' }).press('Enter')
    await page.locator('.filters input:focus').waitFor()
    await db.query('truncate bank_imports cascade')
  })
})

describe('chains', () => {
  it('stops one chain and resumes it, and leaves the other alone', async () => {
    await see('chains')
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Chain 31338' }) })
    await section.getByText('running').waitFor()
    await section.getByRole('button', { name: 'Stop …', exact: true }).click()
    await dialogs.open().getByText('chain 31338').waitFor()
    await dialogs.send()
    await dialogs.open().getByText('Done.').waitFor()
    await dialogs.close()
    await section.locator('.status.bad').getByText('paused').waitFor()
    assert.deepEqual([one.state.paused, two.state.paused], [false, true])
    await section.getByRole('button', { name: 'Resume …', exact: true }).click()
    await dialogs.send()
    await section.getByText('running').waitFor()
    assert.equal(two.state.paused, false)
  })

  it('stops all of them, or settlement alone', async () => {
    await see('chains')
    await dialogs.run('Stop settlement of every chain')
    assert.deepEqual([one.state.settlementPaused, two.state.settlementPaused], [true, true])
    assert.deepEqual([one.state.paused, two.state.paused], [false, false])
    await see('chains')
    await dialogs.run('Resume every chain')
    assert.deepEqual([one.state.settlementPaused, two.state.settlementPaused], [false, false])
  })

  it('shows what the timelock is about to do', async () => {
    await db.query('update chains set timelock_block = 60 where chain_id = 31337')
    await db.query(
      `insert into timelock_operations (chain_id, operation_id, calls, tx_hash, scheduled_block, sent_by, status, ready_at)
       values (31337, '0x${'5a'.repeat(32)}', '[{"contract": "coin", "target": "0x1", "value": "0", "call": "grantRole(settler, 0x9)"}]',
         '0x1', 55, null, 'pending', '2026-03-01T00:00:00Z')`,
    )
    await see('chains')
    const table = page.getByRole('table', { name: 'Scheduled in the timelock of chain 31337' })
    await table.getByText('coin: grantRole(settler, 0x9)').waitFor()
    await page.getByText('read up to block 60').waitFor()
    assert.equal(await page.getByRole('table', { name: 'Scheduled in the timelock of chain 31338' }).count(), 0)
    await db.query('truncate timelock_operations')
  })

  it('shows a batch with whose its instructions are, and explains one that others made', async () => {
    await see('chains')
    const ourRow = page.getByRole('table', { name: 'Batches' }).getByRole('row').filter({ hasText: '31337' })
    await ourRow.getByRole('link').click()
    await page.getByRole('link', { name: /invoice-1$/ }).waitFor()
    await page.getByText('executed').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Explain …' }).count(), 0)
    await see(`chains/31338/${foreign}`)
    await dialogs.run('Explain', { 'Reason, for the audit log': 'the old deployment' })
    await dialogs.close()
    await page.locator('.facts').getByText('the old deployment').waitFor()
  })

  it('offers to give up a final batch of ours only where the chain waits for that', async () => {
    const hold = (reason: HoldReason, details: object) =>
      db.transaction((tx) => writeHold(tx, 31_337, { reason, details: JSON.stringify(details), blocked: [] }))
    const button = page.getByRole('button', { name: 'Give up …' })
    const thrown: string[] = []
    page.on('pageerror', ({ message }) => void thrown.push(message))
    // What is said of the second one is so long that it is stored without its end.
    const others = [
      ['batch-conflict', { otherUnderFinalBatch: String(ours + 100n) }],
      ['round-failed', { error: 'no node answers '.repeat(100) }],
    ] as const
    for (const [reason, details] of others) {
      await hold(reason, details)
      const asked = page.waitForResponse((response) => response.url().endsWith('/overview'))
      await see(`chains/31337/${ours}`)
      await (await asked).finished()
      await page.getByText('executed').waitFor()
      // The answer is drawn by then.
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))')
      assert.deepEqual([await button.count(), thrown], [0, []])
    }
    await hold('batch-conflict', { otherUnderFinalBatch: String(ours) })
    await button.click()
    await dialogs.open().getByText('This cannot be undone.').waitFor()
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/explain'))
    await dialogs.send()
    const { pathname } = new URL((await sent).url())
    assert.equal(pathname, `/operator/v1/batches/31337/${ours}/explain`)
    await dialogs.open().locator('.note').last().waitFor()
    await db.query('delete from settlement_holds')
    await page.keyboard.press('Escape')
  })

  it('shows what one of ours has done the second time, and offers to explain it, until that is explained', async () => {
    await db.query(`insert into batch_outcomes (chain_id, batch_id, executed) values (31337, $1, '{}')`, [ours])
    await see(`chains/31337/${ours}`)
    await page.getByText('which nobody has explained').waitFor()
    await page.getByRole('cell', { name: 'failed' }).waitFor()
    const button = page.getByRole('button', { name: 'Explain its outcome …' })
    await button.click()
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/explain'))
    await dialogs.send()
    assert.deepEqual(Object.keys((await sent).postDataJSON()), ['reason'])
    await dialogs.open().locator('.note').last().waitFor()
    await page.keyboard.press('Escape')
    await db.query(`update batch_outcomes set reason = 'it was frozen', explained_at = now()`)
    await see(`chains/31337/${ours}`)
    await page.getByText('explained: it was frozen').waitFor()
    assert.equal(await button.count(), 0)
    await db.query('delete from batch_outcomes')
  })

  it('offers to give up one of others, too, where the chain has lost it', async () => {
    await db.query(`insert into settlement_holds (chain_id, reason, details) values (31338, 'batch-conflict', $1)`, [
      JSON.stringify({ lostForeignBatch: String(foreign) }),
    ])
    await see(`chains/31338/${foreign}`)
    await page.getByRole('button', { name: 'Give up …' }).click()
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/explain'))
    await dialogs.send()
    assert.equal((await sent).postDataJSON().giveUp, true)
    await dialogs.open().locator('.note').last().waitFor()
    await db.query('delete from settlement_holds')
    await page.keyboard.press('Escape')
  })
})

describe('the overview', () => {
  it('says of a chain that is paused that it is, before an order waits there', async () => {
    one.state.paused = true
    await see('')
    await page.getByText('Chain 31337 is paused: the coin or settlement is paused').waitFor()
    await page.getByRole('table', { name: 'Chains' }).getByRole('cell', { name: 'paused' }).waitFor()
    one.state.paused = false
    await page.getByText('Chain 31337 is paused').waitFor({ state: 'detached' })
  })
})

describe('screening', () => {
  it('denies an address, lists it, says what it says about it, and allows it', async () => {
    const address = someAddress()
    await see('screening')
    await page.getByText('No address is denied').waitFor()
    await dialogs.run('Deny an address', { 'Address to deny': address })
    await dialogs.close()
    await page.getByRole('link', { name: address.toLowerCase() }).click()
    await page.locator('.facts .status.bad').getByText('refused').waitFor()
    await page.locator('.facts').getByText('not frozen').first().waitFor()
    await dialogs.run('Allow')
    await page.locator('.facts').getByText('permitted').waitFor()
    assert.equal((await api.call('GET', `/screening/check?address=${address}`)).body.denied, false)
    await see('screening?address=nonsense')
    await page.getByRole('alert').getByText('not a wallet address').waitFor()
  })
})

describe('the audit log and operators', () => {
  it('adds a person whose token works, and disables them', async () => {
    await see('operators')
    await dialogs.run('Add an operator', { Name: 'Farid', Role: 'treasury' })
    const token = (await dialogs.open().locator('.secret').textContent()) ?? ''
    await dialogs.close()
    const whoami = () => api.call('GET', '/whoami', undefined, { authorization: `Bearer ${token}` })
    assert.equal((await whoami()).body.name, 'Farid')
    const row = page.getByRole('row').filter({ hasText: 'Farid' })
    await row.getByRole('button', { name: 'Disable …' }).click()
    await dialogs.send()
    await row.locator('.status.bad').getByText('disabled').waitFor()
    assert.equal((await whoami()).status, 401)
  })

  it('says who did what to what, before and after', async () => {
    const { body } = await api.call('POST', '/integrations', { name: 'Gamma' })
    await api.call('POST', `/integrations/${body.integrationId}/suspend`, {})
    await see('audit')
    await page.getByLabel('To what').fill(body.integrationId)
    await page.keyboard.press('Enter')
    await page.getByText('active → suspended').waitFor()
    assert.equal(await page.locator('tbody tr').count(), 2)
    await see('audit?since=yesterday')
    await page.getByRole('alert').waitFor()
  })

  it('offers a person a new token for themselves, and of others only to admins', async () => {
    const viewer = await api.person('viewer', 'Vera')
    await api.person('support', 'Sam')
    const other = await browser.open()
    await signIn(other.page, api.url, viewer.token, '/console/operators')
    await other.page.getByRole('cell', { name: 'Sam' }).first().waitFor()
    assert.deepEqual(await other.page.locator('main button').filter({ hasText: '…' }).allTextContents(), [
      'New token …',
      'Sign out everywhere …',
    ])
    await other.close()
  })
})

describe('pages about what the service does', () => {
  it('have no violation and no error, wide and on a phone, light and dark', async () => {
    // Of one digit, with something to click right beside it.
    await addBatch(db, { chainId: 31_337, batchId: 7n, status: 'final', nonce: 70n })
    const looks: Look[] = [
      { name: 'books', path: '/console/books', ready: 'main table' },
      { name: 'entries', path: '/console/books/entries', ready: 'main table' },
      { name: 'reserves', path: '/console/books/reserves', ready: '.facts' },
      { name: 'close', path: '/console/books/close?date=2026-01-19', ready: 'main section' },
      { name: 'reconciliation', path: '/console/reconciliation?run=true', ready: 'main table' },
      { name: 'chains', path: '/console/chains', ready: 'main table' },
      { name: 'batch', path: `/console/chains/31337/${ours}`, ready: 'main table' },
      { name: 'screening', path: `/console/screening?address=${someAddress()}`, ready: '.facts' },
      { name: 'audit', path: '/console/audit', ready: 'main table' },
      { name: 'operators', path: '/console/operators', ready: 'main table' },
    ]
    await lookAt(browser, { url: api.url, token: TOKEN }, looks)
  })
})

// At the end: its order has a batch, which the pages above would show.
describe('the daily close', () => {
  it('says in words how old a payout is that was not paid', async () => {
    const party = await addParty(db)
    const orderId = await addOrder(db, party, {
      chainId: 31_337,
      direction: 'REDEEM',
      state: 'payoutPending',
      amountMicro: 5_000_000n,
    })
    await addPayout(db, { orderId, customerId: party.customerId, status: 'queued' })
    await see('books/close?date=2026-01-20')
    await page.getByRole('table', { name: 'Payouts not paid' }).getByRole('cell', { name: 'To 1 day' }).waitFor()
  })
})
