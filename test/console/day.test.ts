// engine: pglite; only in test:long
/**
 * The operator's day in the browser: what docs/RUNBOOKS.md has a runbook for, done with the console, by people of
 * different roles, on a sandbox as `npm start` runs it: real orders, chain, bank and webhooks.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { decodeFunctionResult, encodeFunctionData, type Hex, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { encodeSettle, KIND, packInstructions } from '../../src/chain/instructions.ts'
import { developmentAccount, SIGNER } from '../../src/sandbox/accounts.ts'
import { rpc } from '../../src/sandbox/chain/rpc.ts'
import { keyOf, postMint } from '../sandbox/demo-partner.ts'
import { chainProcess, endChain, launch, type Sandbox, whenStarted } from '../sandbox/sandbox-process.ts'
import { signIn, startBrowser, type TestBrowser } from '../support/browser.ts'
import { type Dialogs, dialogsOf } from '../support/browser-dialog.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'
import { type Receiver, startReceiver } from '../webhooks/http-receiver.ts'

const DATA_DIR = path.join(temporaryFolder('console-day'), 'data')
const PATIENCE = { timeoutMs: 120_000, everyMs: 500 }
const REASON = 'Reason, for the audit log'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Json = Record<string, any>
type At = { page: Page; dialogs: Dialogs; see: (path: string) => Promise<unknown> }

let sandbox: Sandbox
let browser: TestBrowser
let operatorUrl: string
/** The people of the day. */
let onboarding: At
let compliance: At
let treasury: At
let support: At
/** Made in the first story: the partner of all others. */
let integrationId: string
let apiKey: string
let mended: Receiver
let well: Receiver

before(async () => {
  ;[sandbox, browser, mended, well] = await Promise.all([
    launch({ DATA_DIR, ON_FOREIGN_MOVEMENT: 'pause' }).then((started) => whenStarted(started, DATA_DIR)),
    ...([startBrowser(), startReceiver(), startReceiver()] as const),
  ])
  operatorUrl = /Operator API (\S+)/.exec(sandbox.text)?.[1] ?? ''
  const login = /\S+\/console\/#login=\S+/.exec(sandbox.text)?.[0] ?? ''
  const admin = await browser.open()
  await admin.page.goto(login)
  await admin.page.getByText('operator · admin').waitFor()
  const dialogs = dialogsOf(admin.page)
  const person = async (name: string, role: string): Promise<At> => {
    await admin.page.goto(`${operatorUrl}/console/operators`)
    await dialogs.run('Add an operator', { Name: name, Role: role })
    const token = (await dialogs.open().locator('.secret').textContent()) ?? ''
    const { page } = await browser.open()
    await signIn(page, operatorUrl, token)
    return { page, dialogs: dialogsOf(page), see: (at) => page.goto(`${operatorUrl}/console/${at}`) }
  }
  onboarding = await person('Aminah', 'onboarding')
  compliance = await person('Chong', 'compliance')
  treasury = await person('Bala', 'treasury')
  support = await person('Devi', 'support')
  await admin.close()
})
after(async () => {
  await browser?.close()
  await mended?.close()
  await well?.close()
  await sandbox?.process.end('SIGTERM')
  endChain(DATA_DIR)
})

/** What the operator API says, whatever the pages show. */
async function operate(target: string): Promise<Json> {
  const token = readFileSync(path.join(DATA_DIR, 'operator-token'), 'utf8').trim()
  const response = await fetch(`${operatorUrl}/operator/v1${target}`, { headers: { authorization: `Bearer ${token}` } })
  const body = (await response.json()) as Json
  assert.equal(response.status, 200, JSON.stringify(body))
  return body
}

/** What the partner's program sends. */
async function send(method: 'GET' | 'POST', target: string, body?: Json, key = apiKey): Promise<Json> {
  const response = await fetch(`${sandbox.baseUrl}${target}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(body === undefined ? {} : { 'idempotency-key': body.referenceId ?? randomUUID() }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Json }
}

type Holder = { customerId: string; walletAddress: string }

async function mint({ customerId, walletAddress }: Holder): Promise<string> {
  const order = { referenceId: `day-${randomUUID()}`, amountMyr: '10', walletAddress, customerId, fiatConfirmed: true }
  const { status, body } = await send('POST', '/mints', order)
  assert.equal(status, 201, JSON.stringify(body))
  return order.referenceId
}

async function redeem({ customerId, walletAddress }: Holder): Promise<string> {
  const order = { referenceId: `day-${randomUUID()}`, amountCoin: '12.5', walletAddress, customerId }
  const { status, body } = await send('POST', '/redeems', order)
  assert.equal(status, 201, JSON.stringify(body))
  return order.referenceId
}

const customer = async (scenario: string): Promise<Holder> => {
  const { status, body } = await send('POST', '/sandbox/customers', { scenario })
  assert.equal(status, 201, JSON.stringify(body))
  return body as Holder
}

const becomes = (referenceId: string, wanted: string, key = apiKey) =>
  waitFor(
    `${referenceId} to become ${wanted}`,
    async () => {
      const { status, phase } = (await send('GET', `/transactions/${referenceId}`, undefined, key)).body
      if (status !== wanted && phase !== wanted) throw new Error(`${status} / ${phase}`)
      return true
    },
    PATIENCE,
  )

const payoutOf = async (referenceId: string): Promise<Json> =>
  (await operate('/payouts')).payouts.find((each: Json) => each.referenceId === referenceId)

const payoutBecomes = (referenceId: string, ...wanted: string[]) =>
  waitFor(
    `the payout of ${referenceId} to become ${wanted}`,
    async () => {
      const { status } = await payoutOf(referenceId)
      if (!wanted.includes(status)) throw new Error(status)
      return true
    },
    PATIENCE,
  )

/** On a chain; where it takes too long, it is not done there yet, and is asked for again. */
async function onChain({ dialogs, page }: At, button: string, reason: string): Promise<void> {
  for (let tries = 3; ; tries -= 1) {
    await page
      .getByRole('button', { name: `${button} …`, exact: true })
      .first()
      .click()
    await dialogs.field(REASON).fill(reason)
    await dialogs.send()
    const [done, partly] = [
      dialogs.open().getByText('Done.', { exact: true }),
      dialogs.open().getByText('Not all of it'),
    ]
    await done.or(partly).waitFor({ timeout: PATIENCE.timeoutMs })
    const isDone = await done.isVisible()
    await dialogs.close()
    if (isDone) return
    assert.ok(tries > 1, `${button} was not done`)
  }
}

const shown = async ({ dialogs }: At) => (await dialogs.open().locator('.secret').textContent()) ?? ''
const lastLine = async (target: string, action: string): Promise<Json> =>
  (await operate(`/audit?target=${encodeURIComponent(target)}`)).entries.find((each: Json) => each.action === action)

describe("the operator's day", () => {
  it('a partner is onboarded, with a key, and a customer whose wallet its holder has agreed to', async () => {
    const { page, dialogs, see } = onboarding
    await see('integrations')
    await dialogs.run('Create an integration', { 'Name of the partner': 'Kedai Sdn Bhd' })
    await dialogs.open().getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Kedai Sdn Bhd' }).waitFor()
    integrationId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await dialogs.run('Agreement', { 'Signed on (optional)': '2026-01-31' })
    await dialogs.close()
    await dialogs.run('Create a key', { Scopes: 'all', [REASON]: 'contract of Monday' })
    apiKey = await shown(onboarding)
    await dialogs.close()
    assert.equal((await send('GET', '/config')).status, 200)

    await page.getByRole('link', { name: 'its customers' }).click()
    await dialogs.run('Link a customer', {
      Verification: 'VERIFIED',
      "The partner's own id (optional)": 'shop-7',
      'Bank (BIC) (optional)': 'MBBEMYKL',
      'Account number (optional)': '512345678901',
      'Account holder (optional)': 'Siti binti Ali',
    })
    await dialogs.open().getByRole('link').click()
    await page.getByText('shop-7').waitFor()
    const customerId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const holder = privateKeyToAccount(generatePrivateKey())
    await dialogs.run('What the holder signs', { 'Address of the wallet': holder.address })
    const text = await dialogs.open().locator('pre').textContent()
    const typedData = JSON.parse(text ?? '') as Parameters<typeof holder.signTypedData>[0] & { message: Json }
    await dialogs.close()
    await dialogs.run('Add a wallet', {
      'Address of the wallet': holder.address,
      'Consent (optional)': await holder.signTypedData(typedData),
      'Deadline in what was signed (optional)': String(typedData.message.deadline),
      'Transfers are paid from it': 'yes',
    })
    await dialogs.close()
    await page.getByRole('table', { name: 'Wallets' }).getByText(holder.address).waitFor()
    const referenceId = await mint({ customerId, walletAddress: holder.address })
    await becomes(referenceId, 'completed')
  })

  it('a stuck order says why it waits, and goes on before the eyes of whoever has put it right', async () => {
    const { page, see } = compliance
    await see('chains')
    await page.getByText('running').first().waitFor()
    await onChain(compliance, 'Stop settlement', 'a drill')
    const referenceId = await postMint(sandbox)
    await see('orders?stuck=true&olderThan=1s')
    await page.getByText(referenceId).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type(referenceId)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Orders found' }).waitFor()
    await page.getByRole('link', { name: referenceId }).click()
    await page
      .locator('main .note.wait')
      .getByText(/paused/)
      .waitFor()
    await treasury.see('chains')
    await onChain(treasury, 'Resume settlement', 'the drill is over')
    await page.locator('main .facts .status.good').getByText('completed').waitFor({ timeout: PATIENCE.timeoutMs })
    assert.equal((await lastLine('31337', 'chain.resume')).details.reason, 'the drill is over')
  })

  it('known fraud is held, rejected, suspended and frozen, while everybody else goes on', async () => {
    const { page, dialogs, see } = compliance
    const thief = await customer('verified')
    await see('chains')
    await onChain(compliance, 'Stop settlement', 'fraud of Kedai')
    const stolen = [await mint(thief), await mint(thief)]
    const honest = await postMint(sandbox)
    for (const referenceId of stolen) {
      await see(`orders/${integrationId}/${referenceId}`)
      await dialogs.run('Hold', { [REASON]: 'reported as fraud' })
      await dialogs.close()
      await page.getByText('held: reported as fraud').waitFor()
    }
    await see(`integrations/${integrationId}`)
    await dialogs.run('Suspend', { [REASON]: 'fraud of Kedai' })
    await dialogs.close()
    assert.notEqual((await send('GET', '/config')).status, 200)
    await see(`customers/${thief.customerId}`)
    await onChain(compliance, 'Freeze', 'fraud of Kedai')
    await see(`screening?address=${thief.walletAddress}`)
    await page.locator('.facts .status.bad').getByText('frozen').waitFor()
    for (const referenceId of stolen) {
      await see(`orders/${integrationId}/${referenceId}`)
      await dialogs.run('Reject', { [REASON]: 'it was fraud' })
      await dialogs.close()
      await page.locator('main .facts .status.bad').getByText('failed').waitFor()
    }
    await see('chains')
    await onChain(compliance, 'Resume settlement', 'its orders are rejected')
    await becomes(honest, 'completed', keyOf(sandbox))
    for (const referenceId of stolen) {
      const { order } = await operate(`/orders/${integrationId}/${referenceId}`)
      assert.deepEqual([order.status, order.blockchain.txHash], ['failed', null])
    }
    await see(`integrations/${integrationId}`)
    await dialogs.run('Resume', { [REASON]: 'the thief has been dismissed' })
    await dialogs.close()
    assert.equal((await send('GET', '/config')).status, 200)
    assert.equal((await lastLine(integrationId, 'integration.suspend')).details.reason, 'fraud of Kedai')
  })

  it('a refused payout is paid to the right account, and a returned one is given back', async () => {
    const [wrong, gone] = await Promise.all([customer('payout_refused'), customer('payout_returned')])
    const [refused, returned] = await Promise.all([redeem(wrong), redeem(gone)])
    await payoutBecomes(refused, 'rejected')
    const { page, dialogs, see } = treasury
    await see('payouts?status=rejected')
    await page.getByRole('row').filter({ hasText: refused }).getByRole('link').first().click()
    await page.getByText('Last said of it').waitFor()
    await onboarding.see(`customers/${wrong.customerId}`)
    await onboarding.dialogs.run('Change', { 'Account number (optional)': '512345678902', [REASON]: 'their letter' })
    await onboarding.dialogs.close()
    await dialogs.run('Pay again', { [REASON]: 'the account is right now' })
    await dialogs.close()
    await payoutBecomes(refused, 'sent', 'paid')

    await payoutBecomes(returned, 'returned')
    await see(`payouts/${(await payoutOf(returned)).payoutId}`)
    await dialogs.run('Refund', { [REASON]: 'they have closed the account' })
    await dialogs.close()
    await payoutBecomes(returned, 'refunded')
    assert.equal(
      (await lastLine((await payoutOf(refused)).payoutId, 'payout.retry')).details.reason,
      'the account is right now',
    )
  })

  it("one partner's dead endpoint is stopped, mended, and gets what it has missed, and nobody else gets anything", async () => {
    const { page, dialogs, see } = support
    const ids: string[] = []
    for (const url of ['http://127.0.0.1:9/gone', well.url]) {
      await see(`integrations/${integrationId}`)
      await dialogs.run('Add an endpoint', { Address: url })
      ids.push((await dialogs.open().locator('.id code').first().textContent()) ?? '')
      await dialogs.close()
    }
    const [endpointId = ''] = ids
    const since = new Date(Date.now() - 60_000).toISOString()
    const referenceId = await mint(await customer('verified'))
    await becomes(referenceId, 'completed')
    await see(`integrations/${integrationId}/${endpointId}`)
    const failed = page.getByRole('row').filter({ hasText: 'mint.completed' })
    await failed.getByText('due').first().waitFor({ timeout: PATIENCE.timeoutMs })
    await failed
      .getByText(/refused|connect/i)
      .first()
      .waitFor({ timeout: PATIENCE.timeoutMs })
    await dialogs.run('Disable', { [REASON]: 'nobody is there' })
    await dialogs.close()
    await page.getByText('nobody is there').first().waitFor()
    await failed.getByText('dropped').first().waitFor()
    await dialogs.run('Change', { Address: mended.url })
    await dialogs.close()
    await dialogs.run('Enable')
    await dialogs.close()
    const isCompleted = ({ body }: { body: string }) => body.includes('mint.completed') && body.includes(referenceId)
    await waitFor('the other endpoint to be told', () => well.received.some(isCompleted), PATIENCE)
    const before = well.received.length
    await page.getByLabel('Undelivered only').check()
    await page.locator('tbody tr').first().waitFor()
    const missed = await page.locator('tbody tr').count()
    const which = { 'All events since (optional)': since, Which: 'only what ended undelivered' }
    await dialogs.run('Count what would be delivered', which)
    await dialogs.open().getByText(`It would be ${missed} deliveries`).waitFor()
    await dialogs.close()
    assert.equal(mended.received.length, 0)
    await dialogs.run('Deliver again', { ...which, [REASON]: 'they are back' })
    await dialogs.open().getByText(`${missed} deliveries are due now`).waitFor()
    await dialogs.close()
    await waitFor('what was missed to arrive', () => mended.received.length >= missed, PATIENCE)
    await page.getByText('no delivery fits').waitFor({ timeout: PATIENCE.timeoutMs })
    assert.equal(well.received.length, before, 'the other endpoint got nothing again')
    assert.equal((await lastLine(endpointId, 'webhook.replay')).details.reason, 'they are back')
  })

  it('a stolen signing key: the chain stops by itself, what was done is found, explained, and settlement goes on', async () => {
    const { page, dialogs, see } = treasury
    const holder = await customer('verified')
    await steal(777_000_000n)
    await waitFor(
      'the theft to be noticed',
      async () => (await operate('/batches?unexplained=true')).batches.length > 0,
      PATIENCE,
    )
    const waiting = await mint(holder)
    await see('chains')
    await page.locator('.status.bad').getByText('settlement paused').waitFor({ timeout: PATIENCE.timeoutMs })
    await support.see('chains')
    await onChain(support, 'Stop', 'a key is stolen')
    await page.locator('.status.bad').getByText('paused', { exact: true }).waitFor()
    await see('reconciliation?run=true')
    await page.getByRole('table', { name: 'Differences' }).getByText(/777/).first().waitFor()
    await page.getByRole('table', { name: 'Unexplained batches' }).getByRole('link').first().click()
    await page.getByRole('table', { name: 'Instructions' }).getByText('777.00').waitFor()
    await dialogs.run('Explain', { [REASON]: 'a stolen key; revoked, and made good' })
    await dialogs.close()
    await page.locator('.facts').getByText('a stolen key; revoked, and made good').waitFor()
    await see('chains')
    await onChain(treasury, 'Resume', 'the key is revoked')
    await page.getByText('running').first().waitFor()
    await becomes(waiting, 'completed')
    await see('reconciliation')
    await page.getByText('Every batch that others made is explained').waitFor()
  })

  it('the day is closed, and its report kept', async () => {
    const { page, dialogs, see } = treasury
    const { timezone } = await operate(`/close?date=${new Date().toISOString().slice(0, 10)}`)
    const day = (at: number) => new Date(at).toLocaleDateString('en-CA', { timeZone: timezone })
    const [today, yesterday] = [day(Date.now()), day(Date.now() - 86_400_000)]
    await see(`books/close?date=${today}`)
    await page.getByRole('table', { name: 'Flows' }).getByText(integrationId.slice(0, 8)).first().waitFor()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save this day as CSV' }).click()
    assert.match(
      readFileSync(await (await saving).path(), 'utf8'),
      new RegExp(`flows,${today},open,.*${integrationId}`),
    )
    await page.getByRole('button', { name: 'Close days …' }).click()
    await dialogs.field('Through').fill(today)
    await dialogs.send()
    await dialogs.open().getByRole('alert').getByText('is not over').waitFor()
    await page.keyboard.press('Escape')
    await dialogs.run('Close days', { Through: yesterday, [REASON]: 'every morning' })
    await dialogs.open().getByText(`Closed through ${yesterday}`).waitFor()
    await dialogs.close()
    await see(`books/close?date=${yesterday}`)
    await page.locator('.status.good').getByText('closed').waitFor()
    await see('books')
    await page.getByRole('button', { name: 'Prove the books' }).click()
    await page.getByText('Nobody has changed the books').waitFor()
  })
})

/** Somebody with the settler's key mints to themselves. */
async function steal(amount: bigint): Promise<void> {
  const { settlement } = JSON.parse(readFileSync(path.join(DATA_DIR, 'contracts.json'), 'utf8')) as { settlement: Hex }
  const url = `http://127.0.0.1:${chainProcess(DATA_DIR).port}`
  const call = encodeFunctionData({ abi: settlementAbi, functionName: 'head' })
  const answer = await rpc<Hex>(url, 'eth_call', [{ to: settlement, data: call }, 'latest'])
  const [lastBatchId, runningHash] = decodeFunctionResult({ abi: settlementAbi, functionName: 'head', data: answer })
  const to = privateKeyToAccount(generatePrivateKey()).address
  const instruction = { kind: KIND.MINT, from: zeroAddress, to, amount, tag: '0x0000000000000001' } as const
  const data = encodeSettle(lastBatchId + 1n, runningHash, packInstructions([instruction]))
  const from = developmentAccount(SIGNER).address
  const hash = await rpc<Hex>(url, 'eth_sendTransaction', [{ from, to: settlement, data, gas: '0x4c4b40' }])
  await waitFor('the theft', async () => (await rpc(url, 'eth_getTransactionReceipt', [hash])) !== null, PATIENCE)
}
