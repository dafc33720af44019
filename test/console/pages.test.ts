// engine: pglite
/** The first pages of the console: looked at in all four ways, and an operator's work done on them. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { type OperatorFixture, type Person, startOperator } from '../operator/fixture.ts'
import { addChain, addOrder, addParty, addPayout, type Party } from '../operator/world.ts'
import { type Look, lookAt, signIn, startBrowser, type TestBrowser } from '../support/browser.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'

const CHAIN = 31_337
let db: TestDatabase
let api: OperatorFixture
/** The same database, where a second person must approve. */
let strict: OperatorFixture
let browser: TestBrowser
let party: Party
let other: Party
let treasurer: Person
let second: Person
let officer: Person
const payoutIds: string[] = []

before(async () => {
  db = await createTestDatabase()
  api = await startOperator({ db })
  strict = await startOperator({ db, fourEyes: true })
  browser = await startBrowser()
  await addChain(db, CHAIN, 60n)
  ;[party, other] = [await addParty(db), await addParty(db)]
  treasurer = await api.person('treasury', 'Aminah')
  second = await api.person('treasury', 'Bala')
  officer = await api.person('compliance', 'Chong')
  await place(other, `invoice-${'0'.repeat(92)}`, 'completed')
  // As long as most references are, and a sentence about it that names what is as long.
  const orderId = await place(other, 'e'.repeat(42), 'payoutPending', 'REDEEM')
  await addPayout(db, { orderId, customerId: other.customerId, status: 'rejected', error: `po_${'0'.repeat(24)}` })
  for (const each of [party, other]) {
    await place(each, 'invoice-open', 'created')
    await place(each, 'invoice-done', 'completed')
    const orderId = await place(each, 'redeem-back', 'payoutPending', 'REDEEM')
    payoutIds.push(
      await addPayout(db, {
        orderId,
        customerId: each.customerId,
        status: 'rejected',
        amountSen: 125_050n,
        error: 'AC04 account closed',
      }),
    )
  }
  await place(other, 'invoice-sent', 'submitted')
  await withoutGuards(db, (tx) =>
    tx.query(
      `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, rail_reference, status, is_extra, paid_reference,
       returned_reference, reason) values ($1, 1, 'PYQUOQ5DVLYI', 'simulated', $2, 'returned', false, $3, $4, $5),
       ($1, 2, 'QYQUOQ5DVLYI', 'simulated', $2, 'paid', true, $3, null, null)`,
      [
        payoutIds[0] ?? '',
        'F'.repeat(35),
        `maybank/${'7'.repeat(16)}/12.1`,
        `maybank/${'8'.repeat(16)}/1.1`,
        'AC04 account closed',
      ],
    ),
  )
})
after(async () => {
  await browser.close()
  await strict.close()
  await api.close()
  await db.close()
})

const place = (
  of: Party,
  referenceId: string,
  state: 'created' | 'submitted' | 'completed' | 'payoutPending',
  direction: 'MINT' | 'REDEEM' = 'MINT',
) => addOrder(db, of, { chainId: CHAIN, direction, amountMicro: 1_250_500_000n, state, referenceId })

describe('the pages', () => {
  it('are without a violation or an error, wide and on a phone, light and dark', async () => {
    const asked = await second.call('GET', '/approvals')
    assert.equal(asked.status, 200)
    const mine = (headers = {}) => ({ authorization: `Bearer ${treasurer.token}`, ...headers })
    const waiting = await strict.call('POST', `/payouts/${payoutIds[1]}/mark-paid`, { reference: 'FT-1' }, mine())
    assert.equal(waiting.status, 202)
    const looks: readonly Look[] = [
      { name: 'overview', path: '/console/', ready: 'main .tile' },
      { name: 'orders', path: '/console/orders', ready: 'main table' },
      { name: 'found', path: `/console/orders?find=${party.customerId}`, ready: 'main table' },
      { name: 'order', path: `/console/orders/${party.integrationId}/redeem-back`, ready: 'main .facts' },
      { name: 'order-sent', path: `/console/orders/${other.integrationId}/invoice-sent`, ready: 'main .facts' },
      { name: 'payouts', path: '/console/payouts', ready: 'main table' },
      { name: 'payout', path: `/console/payouts/${payoutIds[0]}`, ready: 'main td >> text=one too many' },
      { name: 'approvals', path: '/console/approvals', ready: 'main table' },
      { name: 'approval', path: `/console/approvals/${waiting.body.approvalId}`, ready: 'main .facts' },
    ]
    await lookAt(browser, { url: strict.url, token: second.token }, looks)
    await strict.call('POST', `/approvals/${waiting.body.approvalId}/reject`, { reason: 'only looked at' }, mine())
  })
})

describe('an operator', () => {
  it('finds an order by its customer, holds it with a reason, and lets it go again', async () => {
    const { page, problems, close } = await browser.open()
    await signIn(page, api.url, officer.token)
    await page.keyboard.press('/')
    await page.keyboard.type(party.customerId)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'invoice-open' }).click()
    await page.getByRole('button', { name: 'Hold …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Hold' }).click()
    assert.ok(await dialog.isVisible(), 'a reason is required')
    await dialog.getByLabel('Reason').fill('reported as fraud')
    await dialog.getByRole('button', { name: 'Hold' }).click()
    await dialog.getByText('Done.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('held: reported as fraud').waitFor()
    await page.getByRole('button', { name: 'Release …' }).click()
    await page.keyboard.press('Escape')
    assert.equal(await page.getByRole('dialog').count(), 0)
    await page.getByRole('button', { name: 'Release …' }).click()
    await dialog.getByLabel('Reason').fill('it was not')
    await dialog.getByRole('button', { name: 'Release' }).click()
    await dialog.getByText('Done.').waitFor()
    const { entries } = (await api.call('GET', `/audit?actor=Chong&target=${party.integrationId}/invoice-open`)).body
    assert.deepEqual(
      entries.map(({ action, details }: Record<string, unknown>) => [action, details]),
      [
        ['order.release', { reason: 'it was not' }],
        ['order.hold', { reason: 'reported as fraud' }],
      ],
    )
    assert.deepEqual(
      (await api.call('GET', `/orders/${other.integrationId}/invoice-open`)).body.waiting.slice(0, 4),
      'No s',
    )
    assert.deepEqual(
      problems.filter((problem) => !problem.includes('401')),
      [],
    )
    await close()
  })

  it('searches as soon as the search is drawn', async () => {
    const { page, problems, close } = await browser.open()
    await signIn(page, api.url, officer.token)
    await page.addInitScript(`new MutationObserver((_, observer) => {
      const input = document.getElementById('find')
      if (input === null) return
      observer.disconnect()
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true }))
      if (document.activeElement !== input) return
      input.value = ${JSON.stringify(party.customerId)}
      input.form.requestSubmit()
    }).observe(document, { childList: true, subtree: true })`)
    await page.reload()
    await page.getByRole('link', { name: 'invoice-open' }).waitFor()
    assert.deepEqual(
      problems.filter((problem) => !problem.includes('401')),
      [],
    )
    await close()
  })

  it('sees on the page of a partner that the end of a stop of its company waits', async () => {
    const onboarder = await api.person('onboarding', 'Hana')
    const company = { name: 'Kedai', status: 'VERIFIED', stage: 'COMPLETE', country: 'MY', industry: 'Retail' }
    const { integrationId } = party
    const { body } = await onboarder.call('POST', '/corporates', { integrationId, ...company, canRedeem: false })
    const asked = await strict.call(
      ...(['POST', `/corporates/${body.corporateId}/set`, { canRedeem: true }] as const),
      { authorization: `Bearer ${onboarder.token}` },
    )
    assert.equal(asked.status, 202)
    const { page, close } = await browser.open()
    await signIn(page, strict.url, onboarder.token, `/console/integrations/${integrationId}`)
    await page.getByText('“corporate set” was asked for by Hana, and waits for another operator').waitFor()
    await close()
  })

  it('asks for a payment by hand; another approves; the first runs it, once', async () => {
    const [payoutId = ''] = payoutIds
    const { page, close } = await browser.open()
    await signIn(page, strict.url, treasurer.token, `/console/payouts/${payoutId}`)
    await page.locator('main .facts').getByText('Would now be paid to').waitFor()
    await page.getByRole('button', { name: 'Mark as paid by hand …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('waits until another operator approves it').waitFor()
    await dialog.getByText('no rail will pay RM 1,250.50 for it').waitFor()
    await dialog.getByLabel('The bank’s reference').fill('FT26325-9')
    await dialog.getByLabel('Reason').fill('paid at the counter')
    await dialog.getByRole('button', { name: 'Mark as paid by hand' }).click()
    await dialog.getByText('It waits for another operator').waitFor()
    await page.locator('main .note.wait').getByText('“payout mark-paid” was asked for by Aminah').waitFor()
    const approvalId = (await dialog.getByRole('link').textContent()) ?? ''
    await dialog.getByRole('link').click()
    await page.getByText('has to approve it').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Approve …' }).count(), 0)

    const approver = await browser.open({ size: 'phone' })
    await signIn(approver.page, strict.url, second.token, `/console/approvals/${approvalId}`)
    await approver.page.getByText('FT26325-9').waitFor()
    await approver.page.getByText('paid at the counter').waitFor()
    await approver.page.getByText('RM 1,250.50 would count as paid by hand: no rail would pay it.').waitFor()
    await approver.page.locator(`main .facts a[href="/console/payouts/${payoutId}"]`).waitFor()
    await approver.page.getByRole('button', { name: 'Approve …' }).click()
    await approver.page.getByRole('dialog').getByText('RM 1,250.50 would count as paid by hand').waitFor()
    await approver.page.getByRole('dialog').getByLabel('Reason').fill('seen on the statement')
    await approver.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await approver.page.getByText('Done.').waitFor()
    await approver.close()

    await page.goto(`${strict.url}/console/`)
    await page
      .locator('.note')
      .getByText(`“payout mark-paid” of ${payoutId}, which you asked for, is approved`)
      .waitFor()
    await page.locator('.note').getByRole('link', { name: approvalId }).click()
    await page.getByRole('button', { name: 'Run it now …' }).click()
    await dialog.getByText('RM 1,250.50 would count as paid by hand').waitFor()
    await dialog.getByRole('button', { name: 'Run it now' }).click()
    await dialog.getByText('Done.').waitFor()
    const { payout } = (await api.call('GET', `/payouts/${payoutId}`)).body
    assert.deepEqual([payout.status, payout.railReference], ['paid_by_hand', 'FT26325-9'])
    const reasons = async (target: string, action: string) =>
      (await api.call('GET', `/audit?target=${target}`)).body.entries
        .filter((entry: { action: string }) => entry.action === action)
        .map(({ details }: { details: { reason?: string } }) => details.reason)
    assert.deepEqual(await reasons(payoutId, 'payout.mark-paid'), ['paid at the counter'])
    assert.deepEqual(await reasons(approvalId, 'approval.approve'), ['seen on the statement'])
    await page.keyboard.press('Escape')
    await page.locator('main .status').getByText('used').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Run it now …' }).count(), 0)
    await close()
  })

  it('who may not decide is offered neither to approve nor to reject; an admin is', async () => {
    const [admin, another] = [await api.person('admin', 'Dewi'), await api.person('admin', 'Eng')]
    const asked = await strict.call(
      'POST',
      `/operators/${officer.operatorId}/rotate`,
      {},
      { authorization: `Bearer ${admin.token}` },
    )
    const { approvalId } = asked.body
    const offered = async (token: string) => {
      const { page, close } = await browser.open()
      await signIn(page, strict.url, token, `/console/approvals/${approvalId}`)
      await page.locator('main .facts').first().waitFor()
      const buttons = await page.locator('main .buttons.section button').allTextContents()
      await close()
      return buttons
    }
    assert.deepEqual(await offered(treasurer.token), [])
    assert.deepEqual(await offered(another.token), ['Approve …', 'Reject …'])
    assert.deepEqual(await offered(admin.token), ['Take back …'])
    await strict.call('POST', `/approvals/${approvalId}/approve`, {}, { authorization: `Bearer ${another.token}` })
    assert.deepEqual(await offered(another.token), ['Take back …'])
    assert.deepEqual(await offered(admin.token), ['Take back …', 'Run it now …'])
  })

  it('what no key opens is said to be so, and neither approved nor run', async () => {
    const [admin, another] = [await api.person('admin', 'Ida'), await api.person('admin', 'Jun')]
    const as = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` })
    const asked = await strict.call('POST', `/operators/${officer.operatorId}/rotate`, {}, as(admin))
    const { approvalId } = asked.body
    await withoutGuards(db, (tx) =>
      tx.query('update approvals set body = $2 where approval_id = $1', [
        approvalId,
        createSecretBox(randomBytes(32)).seal('{}', approvalId),
      ]),
    )
    const shown = async (token: string) => {
      const { page, close } = await browser.open()
      await signIn(page, strict.url, token, `/console/approvals/${approvalId}`)
      await page.locator('main .note').getByText('(cannot be opened with the present key)').waitFor()
      const buttons = await page.locator('main .buttons.section button').allTextContents()
      await close()
      return buttons
    }
    assert.deepEqual(await shown(another.token), ['Reject …'])
    assert.deepEqual(await shown(admin.token), ['Take back …'])
  })

  it('a decision that was taken elsewhere meanwhile is refused, and then no longer offered', async () => {
    const [admin, another] = [await api.person('admin', 'Gita'), await api.person('admin', 'Hoi')]
    const as = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` })
    const asked = await strict.call('POST', `/operators/${officer.operatorId}/rotate`, {}, as(admin))
    const { approvalId } = asked.body
    const { page, close } = await browser.open()
    await signIn(page, strict.url, another.token, `/console/approvals/${approvalId}`)
    await page.getByRole('button', { name: 'Reject …' }).click()
    await strict.call('POST', `/approvals/${approvalId}/reject`, { reason: 'in another tab' }, as(another))
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('not asked by them')
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await page.locator('main .status').getByText('rejected').waitFor()
    await dialog.locator('.note').last().waitFor()
    assert.equal(await page.locator('main .buttons.section button').count(), 0)
    await close()
  })

  it('sees that the coin of a payout is being minted back, and by which order; what would pay it as well is not offered', async () => {
    const orderId = await place(party, 'redeem-minted-back', 'payoutPending', 'REDEEM')
    const { customerId } = party
    const payoutId = await addPayout(db, { orderId, customerId, status: 'rejected', amountSen: 100n, error: 'AC04' })
    const { page, close } = await browser.open()
    await signIn(page, api.url, treasurer.token, `/console/payouts/${payoutId}`)
    const paying = ['Pay again …', 'Mark as paid by hand …', 'Refund …']
    const offered = async () => await page.locator('main .buttons button').allTextContents()
    await page.getByRole('button', { name: 'Assign …' }).waitFor()
    assert.deepEqual(await offered(), [...paying, 'Assign …'])
    assert.equal(await page.getByText('is being minted back').count(), 0)
    await db.query('update payouts set refunds = 1 where payout_id = $1', [payoutId])
    const refund = { chainId: CHAIN, direction: 'MINT', amountMicro: 1_000_000n, state: 'created' } as const
    await addOrder(db, { ...party, integrationId: 'refunds' }, { ...refund, referenceId: payoutId })
    await page.reload()
    const note = page.locator('main .note').filter({ hasText: 'Its coin is being minted back' })
    assert.equal(await note.getByRole('link').textContent(), `refunds/${payoutId}`)
    assert.deepEqual(await offered(), ['Assign …'])
    await note.getByRole('link').click()
    await page.getByRole('heading', { name: payoutId }).waitFor()
    await close()
  })

  it('ends a lost redeem that nobody wants any more, and of a lost mint has nothing of the kind', async () => {
    const orderId = await place(party, 'redeem-lost', 'payoutPending', 'REDEEM')
    await addPayout(db, { orderId, customerId: party.customerId, status: 'rejected', amountSen: 100n })
    await withoutGuards(db, (tx) =>
      tx.query(
        `insert into lost_orders (order_id, chain_id, batch_id) select order_id, chain_id, batch_id from orders
         where reference_id in ('redeem-lost', 'invoice-done') and integration_id = $1`,
        [party.integrationId],
      ),
    )
    const { page, close } = await browser.open()
    await signIn(page, api.url, treasurer.token, `/console/orders/${party.integrationId}/invoice-done`)
    await page.getByRole('button', { name: 'Make good …' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'End it unpaid …' }).count(), 0)
    await page.goto(`${api.url}/console/orders/${party.integrationId}/redeem-lost`)
    // What the chain says of its burn is the matter of test/settlement/lost-unpaid.test.ts.
    const sent: unknown[] = []
    await page.route('**/make-good', async (route) => {
      sent.push(route.request().postDataJSON())
      await route.fulfill({ json: { ok: true, orderId: 'x/redeem-lost', result: 'ended' } })
    })
    await page.getByRole('button', { name: 'End it unpaid …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('INC-8')
    await dialog.getByRole('button', { name: 'End it unpaid' }).click()
    await dialog.getByText('Done.').waitFor()
    assert.deepEqual(sent, [{ reason: 'INC-8', unpaid: true }])
    await withoutGuards(db, (tx) => tx.query('delete from lost_orders'))
    await close()
  })

  it('sees the order of a payout that has gone with it, and never again a page of what is not there', async () => {
    const orderId = await place(party, 'redeem-unburnt', 'payoutPending', 'REDEEM')
    const { customerId, integrationId } = party
    const held = { status: 'held', holdReason: 'burn_not_seen', timesAsked: 0, amountSen: 100n } as const
    const payoutId = await addPayout(db, { orderId, customerId, ...held })
    const { page, close } = await browser.open()
    await signIn(page, api.url, treasurer.token, '/console/payouts')
    await page.getByRole('link', { name: payoutId }).click()
    // What the chain says of its burn is the matter of test/settlement/resettle.test.ts.
    const order = `${integrationId}/redeem-unburnt`
    const done = { ok: true, payoutId, status: 'resettled', order, batchTakenBack: false }
    await page.route('**/resettle', (route) => route.fulfill({ json: done }))
    await page.getByRole('button', { name: 'It was never burnt …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('INC-7')
    await dialog.getByRole('button', { name: 'It was never burnt' }).click()
    await dialog.getByText('Done.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('heading', { name: 'redeem-unburnt' }).waitFor()
    assert.equal(new URL(page.url()).pathname, `/console/orders/${order}`)
    await page.goBack()
    assert.equal(new URL(page.url()).pathname, '/console/payouts')
    await close()
  })

  it('reads why something is refused, and keeps what was typed', async () => {
    const [, payoutId = ''] = payoutIds
    const { page, close } = await browser.open()
    await signIn(page, api.url, treasurer.token, `/console/payouts/${payoutId}`)
    await page.getByRole('button', { name: 'Mark as paid by hand …' }).click()
    await api.call('POST', `/payouts/${payoutId}/mark-paid`, { reference: 'FT-1' })
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('The bank’s reference').fill('FT-2')
    await dialog.getByLabel('Reason').fill('paid at the counter')
    await dialog.getByRole('button', { name: 'Mark as paid by hand' }).click()
    await dialog.getByRole('alert').getByText('only one that is').waitFor()
    assert.equal(await dialog.getByLabel('The bank’s reference').inputValue(), 'FT-2')
    await close()
  })

  it('sees no button and no page that their role has not', async () => {
    const viewer = await api.person('viewer', 'Devi')
    const { page, close } = await browser.open()
    await signIn(page, api.url, viewer.token, `/console/orders/${party.integrationId}/invoice-open`)
    await page.locator('main .facts').first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Hold …' }).count(), 0)
    await page.goto(`${api.url}/console/payouts`)
    await page.locator('tbody tr').first().waitFor()
    assert.equal(await page.locator('tbody a[href*="/console/payouts/"]').count(), 0)
    await page.goto(`${api.url}/console/payouts/${payoutIds[0]}`)
    await page.getByRole('alert').getByText('"coin payout show" is for').waitFor()
    await page.goto(`${api.url}/console/orders/${party.integrationId}/redeem-back`)
    await page
      .locator('main .facts')
      .getByText(payoutIds[0] ?? '')
      .waitFor()
    assert.equal(await page.locator('main a[href*="/console/payouts/"]').count(), 0)
    await close()
  })

  it('looks at bank details once for each time they ask, however long the page stands', async () => {
    const looks = async () =>
      (await api.call('GET', `/audit?actor=Bala&target=${payoutIds[0]}`)).body.entries.filter(
        ({ action }: { action: string }) => action === 'payout.show',
      ).length
    const { page, close } = await browser.open()
    const before = await looks()
    await signIn(page, api.url, second.token, `/console/payouts/${payoutIds[0]}`)
    await page.locator('main .facts').first().waitFor()
    await page.clock.install()
    await page.clock.runFor(30_000)
    assert.equal(await looks(), before + 1)
    await page.getByRole('button', { name: 'Look again' }).click()
    await page.locator('main .facts').first().waitFor()
    await close()
  })
})
