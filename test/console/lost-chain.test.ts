// engine: pglite
/** Two people, each in their own browser, call a chain lost that no node shows, and found when one does. */
// Runbook: A chain is gone for good
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chainDouble, type OperatorFixture, type Person, startOperator } from '../operator/fixture.ts'
import { addChain } from '../operator/world.ts'
import { signIn, startBrowser, type TestBrowser } from '../support/browser.ts'
import { dialogsOf } from '../support/browser-dialog.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

const GONE = 31_337

let db: TestDatabase
let coin: OperatorFixture
let people: readonly [Person, Person]
let browser: TestBrowser
const gone = chainDouble(GONE, { coin: '0x1', settlement: '0x2' })
const known = new Set<number>()
before(async () => {
  browser = await startBrowser()
  db = await createTestDatabase()
  await addChain(db, GONE, 90n)
  await db.query(`update chains set observed_at = now() - interval '2 days'`)
  const given = { db, chains: [gone.chain], isLost: (chainId: number) => known.has(chainId) }
  const alone = await startOperator(given)
  people = [await alone.person('treasury', 'Aminah'), await alone.person('treasury', 'Bala')]
  await alone.close()
  coin = await startOperator({ ...given, fourEyes: true })
})
after(async () => {
  await browser.close()
  await coin.close()
  await db.close()
})

async function sit({ token }: Person) {
  const { page, problems } = await browser.open()
  await signIn(page, coin.url, token)
  // Nobody is signed in before the form: Chromium tells of that answer.
  problems.length = 0
  return { page, problems, see: (path: string) => page.goto(`${coin.url}/console/${path}`), dialogs: dialogsOf(page) }
}

test('a chain that no node shows is called lost by two people, shown as such, and found again', async () => {
  gone.state.readable = false
  const [aminah, bala] = [await sit(people[0]), await sit(people[1])]

  async function together(button: string, said: string): Promise<void> {
    await aminah.see('chains')
    await aminah.page.getByRole('button', { name: button }).click()
    await aminah.dialogs.open().locator('textarea[name=reason]').fill('its nodes are switched off')
    await aminah.dialogs.send()
    const waits = await aminah.dialogs.open().getByText(/apr_/).last().textContent()
    const approvalId = /apr_\w+/.exec(waits ?? '')?.[0] ?? ''
    await bala.see(`approvals/${approvalId}`)
    await bala.page.getByText(said).first().waitFor()
    await bala.dialogs.run('Approve')
    await aminah.see(`approvals/${approvalId}`)
    await aminah.dialogs.run('Run it now')
  }

  await together('Lost …', '90, seen at')
  known.add(GONE)
  assert.deepEqual(await db.query('select chain_id::int as chain, lost_by as by, reason from lost_chains'), [
    { chain: GONE, by: 'Aminah', reason: 'its nodes are switched off' },
  ])
  await aminah.see('chains')
  await aminah.page.getByText(/its nodes are switched off/).waitFor()
  await aminah.page.getByRole('button', { name: 'Found …' }).waitFor()
  assert.equal(await aminah.page.getByRole('button', { name: 'Lost …' }).count(), 0)
  gone.state.readable = true
  await together('Found …', 'its nodes are switched off')
  assert.deepEqual(await db.query('select from lost_chains'), [])
  known.clear()
  await aminah.see('chains')
  await aminah.page.getByRole('button', { name: 'Stop …' }).first().waitFor()
  assert.equal(await aminah.page.getByRole('button', { name: 'Lost …' }).count(), 0, 'a node shows it')
  assert.deepEqual([aminah.problems, bala.problems], [[], []])
})
