// engine: postgres
/** Two people, each in their own browser, give up a final batch that a real chain has replaced: asked for, approved, run, and over. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ROLES } from '../../src/config.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { type OperatorFixture, type Person, startOperator } from '../operator/fixture.ts'
import { keyOf, wallet } from '../settlement/fixture.ts'
import { ALONE, CHAIN, mint } from '../settlement/repairing.ts'
import { look, loseFinal, mintOf, settleOthers, tagOf } from '../settlement/replacing.ts'
import { type Stepped, type SteppedChain, startStepped } from '../settlement/stepped.ts'
import { signIn, startBrowser, type TestBrowser } from '../support/browser.ts'
import { dialogsOf } from '../support/browser-dialog.ts'
import { asRole, type TestDatabase } from '../support/database.ts'

let chain: SteppedChain
let browser: TestBrowser
before(async () => {
  const signers = [keyOf('signer'), keyOf('second')]
  ;[chain, browser] = await Promise.all([startStepped({ confirmations: 2, signers }), startBrowser()])
})
after(async () => {
  await browser.close()
  await chain.end()
})

/** The console over the same nodes, with four eyes, as the database's role, and two people who have signed in to it. */
async function startEyes(s: Stepped, t: { after(fn: () => Promise<void>): void }) {
  await applyGrants(s.db, ROLES, false)
  const db = (await asRole(s.db, 'operator')) as TestDatabase
  const alone = await startOperator({ db, chains: [s.chain] })
  const people = [await alone.person('treasury', 'Aminah'), await alone.person('treasury', 'Bala')] as const
  await alone.close()
  const coin = await startOperator({ db, chains: [s.chain], fourEyes: true })
  t.after(async () => {
    await coin.close()
    await db.close()
  })
  const sit = async ({ token }: Person) => {
    const { page, problems } = await browser.open()
    await signIn(page, coin.url, token)
    // Nobody is signed in before the form: Chromium tells of that answer.
    problems.length = 0
    const see = (path: string) => page.goto(`${coin.url}/console/${path}`)
    return { page, problems, see, dialogs: dialogsOf(page) }
  }
  return { coin, people, aminah: await sit(people[0]), bala: await sit(people[1]) }
}

/** What one asks for and the other approves, by commands. */
async function runTogether(coin: OperatorFixture, [one, other]: readonly [Person, Person], args: string[]) {
  const run = (who: Person, words: string[]) => coin.cli([...words, '--json'], { OPERATOR_TOKEN: who.token })
  const asked = await run(one, args)
  assert.equal(asked.code, 3, asked.stderr)
  const { approvalId } = JSON.parse(asked.stdout)
  assert.equal((await run(other, ['approval', 'approve', approvalId])).code, 0)
  const done = await run(one, [...args, '--approval', approvalId])
  assert.equal(done.code, 0, done.stdout + done.stderr)
}

test('two people give up a batch in their browsers; what the chain has is read, everything goes on, and the coin that is missing is minted again', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const [, second, third] = await loseFinal(s, { lost: 2 })
  const [waiting] = await s.place(mint(7))
  await settleOthers(s, [mintOf(3, await tagOf(s, third)), mintOf(20, '0x0000000000000009')])
  const { coin, people, aminah, bala } = await startEyes(s, t)
  await look(s)

  /** Asks with a button of a page. @returns the approval that waits */
  async function ask(page: string, label: string): Promise<string> {
    await aminah.see(page)
    await aminah.page.getByRole('button', { name: label }).click()
    await aminah.dialogs.send()
    return /apr_\w+/.exec((await aminah.dialogs.open().getByText(/apr_/).last().textContent()) ?? '')?.[0] ?? ''
  }

  const approvalId = await ask(`chains/${CHAIN}/2`, 'Give up …')
  await look(s)
  assert.equal(s.held(), 'batch-conflict', 'one alone has given up nothing')

  await bala.see(`chains/${CHAIN}/2`)
  await bala.page.getByRole('link', { name: approvalId }).click()
  for (const said of ['final batches behind it: 1', `0.000005 coin minted to ${wallet(2)}`])
    await bala.page.getByText(said).waitFor()
  await bala.dialogs.run('Approve')
  await look(s)
  assert.equal(s.held(), 'batch-conflict', 'nobody has run it')

  await aminah.see(`approvals/${approvalId}`)
  await aminah.dialogs.run('Run it now')
  await aminah.see(`chains/${CHAIN}/2`)
  await aminah.page.locator('.facts').getByText('To be given up').waitFor()
  await aminah.page.getByText('this word stays').waitFor()
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  assert.equal(s.held(), 'none')
  for (const each of [second, third, waiting]) assert.equal(await s.stateOf(each), 'completed/COMPLETED')
  assert.deepEqual(await Promise.all([2, 3, 7].map((seed) => s.chain.reader.latestBalance(wallet(seed)))), [0n, 5n, 5n])
  await aminah.see(`chains/${CHAIN}/2`)
  await aminah.page.getByRole('button', { name: 'Explain …' }).waitFor()
  assert.equal(await aminah.page.getByRole('button', { name: 'Give up …' }).count(), 0)
  assert.deepEqual([aminah.problems, bala.problems], [[], []])

  // What remains: what was seen is known, and why others made the batch is said.
  const { digest } = await coin.run('batch', 'show', String(CHAIN), '2')
  const explain = ['batch', 'explain', String(CHAIN), '2', '--digest', digest]
  await runTogether(coin, people, [...explain, '--reason', 'a thief made it'])
  const seen = await coin.cli(['chain', 'status', '--json'], { OPERATOR_TOKEN: people[0].token })
  const known = JSON.parse(seen.stdout).chains[0].movements[0].movement
  await runTogether(coin, people, ['chain', 'resume', '--known', known, '--reason', 'it was the reorganisation'])
  const differences = async () => {
    const { stdout } = await coin.cli(['reconcile', '--json'], { OPERATOR_TOKEN: people[0].token })
    const found = (JSON.parse(stdout) as { differences: { kind: string; message: string }[] }).differences
    return found.filter(({ kind }) => kind === 'supply' || kind === 'lost_order').map(({ message }) => message)
  }
  const [supply = '', lost = '', ...more] = await differences()
  assert.match(
    supply,
    new RegExp(`^Chain ${CHAIN} has 0.000005 coin less at block \\d+ than mints minus redeems come to\\.$`),
  )
  assert.match(lost, /^int_\S+ over 0\.000005 is completed, and lost: the chain has lost batch 2/)
  assert.deepEqual(more, [])
  const order = `orders/${lost.split(' ')[0]}`
  const makingGood = await ask(order, 'Make good …')
  await bala.see(`approvals/${makingGood}`)
  await bala.page
    .getByText(/the coin is not there/)
    .first()
    .waitFor()
  await bala.dialogs.run('Approve')
  await aminah.see(`approvals/${makingGood}`)
  await aminah.dialogs.run('Run it now')
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.equal(await s.chain.reader.latestBalance(wallet(2)), 5n)
  assert.deepEqual(await differences(), [])
  await aminah.see(order)
  await aminah.page.getByRole('heading', { name: 'Events' }).waitFor()
  assert.equal(await aminah.page.getByRole('button', { name: 'Make good …' }).count(), 0)
  assert.deepEqual([aminah.problems, bala.problems], [[], []])
})
