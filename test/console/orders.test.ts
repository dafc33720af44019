// engine: pglite
/** The page of an order offers what can be done with it, and says what that would do before anybody does it. */
// Runbook: Batches that this service did not make
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { orderTag } from '../../src/values/order-tag.ts'
import { chainDouble, type OperatorFixture, startOperator, TOKEN } from '../operator/fixture.ts'
import { addBatch, addChain, addLost, addOrder, addParty, type OrderInput, type Party } from '../operator/world.ts'
import { someBatchId } from '../support/batch-rows.ts'
import { signIn, startBrowser, type TestBrowser } from '../support/browser.ts'
import { type Dialogs, dialogsOf } from '../support/browser-dialog.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'

const CHAIN = 31_337

let db: TestDatabase
let api: OperatorFixture
let browser: TestBrowser
let page: Page
let dialogs: Dialogs
let party: Party
before(async () => {
  browser = await startBrowser()
  db = await createTestDatabase()
  await addChain(db, CHAIN, 90n)
  party = await addParty(db)
  api = await startOperator({ db, chains: [chainDouble(CHAIN).chain] })
  ;({ page } = await browser.open())
  dialogs = dialogsOf(page)
  await signIn(page, api.url, TOKEN)
})
after(async () => {
  await browser.close()
  await api.close()
  await db.close()
})

type Conflicting = Pick<OrderInput, 'state' | 'direction'> & { alike?: boolean }

/** An order under whose tag others have settled something. @returns its name */
async function conflicting(referenceId: string, { alike = true, ...order }: Conflicting): Promise<string> {
  const orderId = await addOrder(db, party, { chainId: CHAIN, amountMicro: 7_000_000n, referenceId, ...order })
  const batchId = someBatchId()
  await addBatch(db, { chainId: CHAIN, batchId, status: 'final', isForeign: true })
  const tag = orderTag(party.integrationId, referenceId)
  await db.query(
    `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, debit_address, amount_micro, succeeded)
     select chain_id, $2, 0, $3, direction, wallet_address, debit_address, amount_micro + $4::bigint, true from orders where order_id = $1`,
    [orderId, batchId, tag, alike ? 0n : 1n],
  )
  await db.query('insert into tag_conflicts (order_id, chain_id, tag) values ($1, $2, $3)', [orderId, CHAIN, tag])
  return `${party.integrationId}/${referenceId}`
}

/** Opens its page. @returns the labels of what is offered there */
async function offered(name: string): Promise<string[]> {
  await page.goto(`${api.url}/console/orders/${name}`)
  await page.getByRole('heading', { name: 'Events' }).waitFor()
  return await page.locator('main > .buttons button').allTextContents()
}

test("what others' batch has done for an order that had ended is made good on its page, which says by what", async () => {
  const name = await conflicting('ended-by-others', { state: 'failed', direction: 'MINT' })
  // Nobody asks the nodes of a chain that is gone for good: here they are doubles, which know of no batch.
  await withoutGuards(db, async (tx) => {
    await tx.query(`insert into lost_chains (chain_id, reason, lost_by) values ($1, 'its nodes are gone', 'Aminah')`, [
      CHAIN,
    ])
  })
  assert.deepEqual(await offered(name), ['Make good …'])
  await page.getByRole('button', { name: 'Make good …' }).click()
  await dialogs
    .open()
    .getByText(/^7 coin is there, minted by others' batch: .* its integration owes the ringgit/)
    .waitFor()
  await dialogs.send()
  await dialogs.open().getByText('Done.', { exact: true }).waitFor()
  await dialogs.close()
  await withoutGuards(db, async (tx) => void (await tx.query('delete from lost_chains')))
  assert.deepEqual(await offered(name), [])
})

test('what others have done otherwise for an ended order is no order to be made good', async () => {
  assert.deepEqual(
    await offered(await conflicting('ended-unlike', { state: 'failed', direction: 'MINT', alike: false })),
    [],
  )
})

test('of which order an instruction is not is chosen among those that the batch concerns, and what becomes of each is said', async () => {
  const name = await conflicting('not-its-own', { state: 'failed', direction: 'MINT', alike: false })
  const [row] = await db.query<{ batch: bigint }>(
    `select i.batch_id as batch from foreign_instructions i join tag_conflicts t using (tag) join orders o on o.order_id = t.order_id
     where o.reference_id = 'not-its-own'`,
  )
  await page.goto(`${api.url}/console/chains/${CHAIN}/${row?.batch}`)
  await page.getByRole('button', { name: "Not an order's …" }).click()
  await dialogs
    .open()
    .getByText(/one that had ended stays as its partner was told/)
    .waitFor()
  assert.deepEqual(await dialogs.field('Order').locator('option').allTextContents(), [name])
  await dialogs.send()
  await dialogs.open().getByText('Done.', { exact: true }).waitFor()
  await dialogs.close()
  await offered(name)
  assert.equal(await page.getByText(/tag_conflict/).count(), 0)
})

test('an order that waits because of others can be held, released and rejected, and says that it is held', async () => {
  const name = await conflicting('waits-for-others', { state: 'created', direction: 'MINT', alike: false })
  assert.deepEqual(await offered(name), ['Hold …', 'Reject …'])
  await dialogs.run('Hold', { 'Reason, for the audit log': 'its partner is asked' })
  await dialogs.close()
  await page.getByText('It is held, too: its partner is asked').waitFor()
  assert.deepEqual(await offered(name), ['Release …', 'Reject …'])
  await page.getByText(/^tag_conflict: /).waitFor()
})

test('nothing is offered of a mint that only its partner can move on', async () => {
  const order = { chainId: CHAIN, direction: 'MINT', amountMicro: 1_000_000n, state: 'paymentPending' } as const
  await addOrder(db, party, { ...order, referenceId: 'not-paid-yet' })
  assert.deepEqual(await offered(`${party.integrationId}/not-paid-yet`), [])
})

test('a lost mint is made good where it would be minted, and not as what is minted where its chain is gone', async () => {
  const name = await addLost(db, party)
  assert.deepEqual(await offered(name), ['Make good …'])
  await page.getByRole('button', { name: 'Make good …' }).click()
  await dialogs
    .open()
    .getByText(new RegExp(`^1 coin would be minted again to ${party.wallet}, by`))
    .waitFor()
  await page.keyboard.press('Escape')
  await withoutGuards(db, async (tx) => {
    await tx.query(`insert into lost_chains (chain_id, reason, lost_by) values ($1, 'gone', 'Aminah')`, [CHAIN])
  })
  await offered(name)
  await page.getByRole('button', { name: 'Make good …' }).click()
  await dialogs
    .open()
    .getByText(/nothing would be minted, and that coin stays owed/)
    .waitFor()
  await withoutGuards(db, async (tx) => void (await tx.query('delete from lost_chains')))
})
