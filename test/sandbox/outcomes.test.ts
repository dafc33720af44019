// engine: pglite
/** docs/SANDBOX.md: what each account number brings about, from the redeem to what partner and operator see. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { createIntegration } from '../../src/integrations/integrations.sql.ts'
import { addRemitter } from '../../src/integrations/remitters.sql.ts'
import { watchSent } from '../../src/payouts/payer.ts'
import { createSimulatedRail } from '../../src/payouts/rails/simulated.ts'
import { createSimulatedBank } from '../../src/sandbox/bank/bank.ts'
import { DEMO_REMITTER, OTHER_REMITTER, sandboxBankSetup } from '../../src/sandbox/bank/setup.ts'
import { readFolder } from '../../src/statements/import.ts'
import { createBatchSteps } from '../life/batch-steps.ts'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { addOrder } from '../operator/world.ts'
import { CHAIN_ID, newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { payDue } from '../support/pay-due.ts'
import { sealBooks } from '../support/seal-books.ts'
import { temporaryFolder } from '../support/temp.ts'

const ACCOUNTS = {
  usual: '512345678901',
  refused: '00000',
  returned: '00001',
  rejected: '00002',
  slow: '00003',
  givenBack: '9990001234',
  debitedLate: '8880001234',
} as const
type Name = keyof typeof ACCOUNTS
const NAMES = Object.keys(ACCOUNTS) as Name[]
const SETTLED = { chainId: CHAIN_ID, batchId: 1n }

let db: TestDatabase
let api: TestApi
let coin: OperatorFixture
const references = new Map<Name, string>()
const customers = new Map<Name, string>()
before(async () => {
  db = await createTestDatabase()
  api = await startTestApi({ db })
  coin = await startOperator({ db, chains: [] })
})
after(async () => {
  await coin.close()
  await api.close()
  await db.close()
})

const logger = pino({ level: 'silent' })

/** One round of the payer, as every second. */
async function pay(): Promise<void> {
  await holdTime()
  await payDue({ db, rail: createSimulatedRail(db), secrets: TEST_SECRETS, logger })
}

let passedSeconds = 0

/** Lets time pass for what waits: at the payer, at the rail and at the bank. */
async function pass(seconds: number): Promise<void> {
  passedSeconds += seconds
  await db.query(`update payouts set next_attempt_at = next_attempt_at - $1 * interval '1 second'`, [seconds])
}

/** Every payment of this suite is made at its beginning: it is as old as the time that was let pass, however slow the machine is. */
async function holdTime(): Promise<void> {
  await db.query(`update simulated_rail_payments set created_at = now() - $1 * interval '1 second'`, [passedSeconds])
}

/** A statement of the bank, taken in from its folder. */
function createStatements(bankNow?: () => Date) {
  const folder = temporaryFolder('sandbox-bank')
  const bank = createSimulatedBank({ db, secrets: TEST_SECRETS }, folder, bankNow)
  const reader = {
    db,
    secrets: TEST_SECRETS,
    folder,
    logger,
    setup: sandboxBankSetup(folder),
    now: () => new Date(),
    databaseNow: async () => new Date(),
    minAgeMs: 0,
  }
  return async () => {
    await holdTime()
    await bank()
    const none = { applyReport: () => Promise.reject(new Error('no report')), findTogether: async () => [] }
    while (await readFolder({ ...reader, ...none }));
  }
}

/** What the partner sees of a redeem, and the operator of its payout. */
async function seen(): Promise<Record<string, string>> {
  const all: [Name, string][] = []
  const { payouts } = (await coin.run('payout', 'list')) as { payouts: { referenceId: string; status: string }[] }
  for (const name of NAMES) {
    const reference = references.get(name) ?? ''
    const { body } = await api.get(`/v1/redeems/${reference}`)
    const payout = payouts.find(({ referenceId }) => referenceId === reference)
    all.push([name, `${body.status}/${body.phase} ${payout?.status}`])
  }
  return Object.fromEntries(all)
}

test('each account number brings about what the table says', async () => {
  for (const name of NAMES) {
    const bank = { bic: 'MBBEMYKL', account: ACCOUNTS[name], name: 'TEST CUSTOMER' }
    const customerId = await api.makeCustomer({ bank })
    const walletAddress = await api.makeWallet(customerId, 100_000_000n)
    const referenceId = newReference()
    references.set(name, referenceId)
    customers.set(name, customerId)
    const answer = await api.post('/v1/redeems', { referenceId, customerId, walletAddress, amountCoin: '12.5' })
    assert.equal(answer.status, 201, answer.text)
  }
  const steps = createBatchSteps(db)
  const orders = await db.query<{ order_id: bigint }>('select order_id from orders order by order_id')
  await steps.submit(
    SETTLED,
    orders.map((row) => row.order_id),
  )
  await steps.mine(SETTLED)
  await steps.finalise(SETTLED, { succeeded: NAMES.map((_, index) => index) })
  const readStatement = createStatements()

  await pay()
  const SENT = 'completed/COMPLETED sent'
  const accepted = {
    usual: SENT,
    returned: SENT,
    rejected: SENT,
    givenBack: SENT,
    debitedLate: SENT,
    refused: 'processing/PAYOUT_REJECTED rejected',
    slow: 'processing/PAYOUT_PENDING queued',
  }
  assert.deepEqual(await seen(), accepted)

  await readStatement()
  const PAID = 'completed/COMPLETED paid'
  const debited = { ...accepted, usual: PAID, returned: PAID, givenBack: PAID }
  assert.deepEqual(await seen(), debited)

  await readStatement()
  const RETURNED = 'completed/PAYOUT_RETURNED returned'
  const came = { ...debited, returned: RETURNED, givenBack: RETURNED }
  assert.deepEqual(await seen(), came)

  await pass(15)
  await pay()
  await readStatement()
  assert.deepEqual(await seen(), { ...came, slow: PAID })

  await pass(60)
  await holdTime()
  await watchSent({ db, rail: createSimulatedRail(db), secrets: TEST_SECRETS, logger })
  const asked = { ...came, slow: PAID, rejected: 'completed/PAYOUT_REJECTED rejected' }
  assert.deepEqual(await seen(), asked)

  await readStatement()
  assert.deepEqual(await seen(), asked)
  await pass(60)
  await readStatement()
  assert.deepEqual(await seen(), { ...asked, debitedLate: PAID })
})

test('the operator reads why, puts the account right, and pays; the books agree all the time', async () => {
  // No sealer works here, and what none has reached within a minute is a difference.
  await sealBooks(db, 1_000)
  const { stdout } = await coin.cli(['reconcile', '--json'])
  const { differences } = JSON.parse(stdout) as { differences: { kind: string }[] }
  assert.deepEqual(differences.map(({ kind }) => kind).sort(), [
    // These redeems burn what nobody has minted, on a chain that the operators' process does not have.
    'chain_unreadable',
    'payout_rejected',
    'payout_rejected',
    'payout_returned',
    'payout_returned',
  ])
  const { payouts } = (await coin.run('payout', 'list', '--status', 'rejected')) as {
    payouts: { payoutId: string; referenceId: string; lastError: string }[]
  }
  const refused = payouts.find(({ referenceId }) => referenceId === references.get('refused'))
  assert.match(refused?.lastError ?? '', /refuses accounts that are all zeros/)
  const account = ['--bank-bic', 'MBBEMYKL', '--bank-account', '-', '--bank-name', 'TEST CUSTOMER']
  await coin.runWith('512345678902\n', 'customer', 'set', customers.get('refused') ?? '', ...account)
  await coin.run('payout', 'retry', refused?.payoutId ?? '')
  await pay()
  assert.equal((await seen()).refused, 'completed/COMPLETED sent')
})

test('what no bank could write, it leaves out or replaces: its statements are always taken', async () => {
  const odd = ['  ', '\u0001', '\u{1F600}'.repeat(80)]
  for (const [at, reference] of odd.entries()) {
    await db.query(
      `insert into simulated_rail_payments (end_to_end_id, payout_id, amount_sen, bank_id, reference)
       select $1, payout_id, 1, bank_id, $2 from simulated_rail_payments limit 1`,
      [`ODD${at}`, reference],
    )
  }
  await createStatements()()
  const taken = await db.query(`select from bank_lines where end_to_end_id like 'ODD%' and amount_micro < 0`)
  assert.equal(taken.length, odd.length)
})

test('mints of the demo partner are matched whatever their reference; those of others once their account is registered, or by a reference like no word', async () => {
  const other = await createIntegration(db, { name: 'Other' })
  await addRemitter(db, TEST_SECRETS, { integrationId: api.integrationId, account: DEMO_REMITTER })
  const settled = { chainId: CHAIN_ID, direction: 'MINT', state: 'completed', amountMicro: 5_000_000n } as const
  const mint = async (integrationId: string, referenceId: string) => {
    const party = {
      integrationId,
      keyId: 'x',
      customerId: await api.makeCustomer({}, integrationId),
      wallet: newAddress(),
    }
    return await addOrder(db, party, { ...settled, referenceId })
  }
  const read = createStatements()
  const stateOf = async (orderId: bigint) => {
    const [line] = await db.query<{ state: string }>('select state from bank_lines where servicer_reference = $1', [
      `SIMC${orderId}`,
    ])
    return line?.state
  }
  const word = await mint(api.integrationId, 'my-order-1')
  const others = await mint(other.integrationId, 'my-order-2')
  const clear = await mint(other.integrationId, 'my-order-2026-000123')
  await read()
  const states = [await stateOf(word), await stateOf(others), await stateOf(clear)]
  assert.deepEqual(states, ['matched', 'unallocated', 'matched'])
  await addRemitter(db, TEST_SECRETS, { integrationId: other.integrationId, account: OTHER_REMITTER })
  const registered = await mint(other.integrationId, 'my-order-3')
  await read()
  assert.equal(await stateOf(registered), 'matched')
})

test('after a clock that was a day ahead no statement is written in which nothing happened', async () => {
  await createStatements(() => new Date(Date.now() + 86_400_000))()
  const folder = temporaryFolder('sandbox-bank')
  await createSimulatedBank({ db, secrets: TEST_SECRETS }, folder)()
  assert.equal(existsSync(path.join(folder, 'in')), false)
})

test('a statement that is not taken is not written again and again', async () => {
  const folder = temporaryFolder('sandbox-bank')
  let nowMs = Date.now()
  const bank = createSimulatedBank({ db, secrets: TEST_SECRETS }, folder, () => new Date(nowMs))
  const written = async () => {
    await db.query(
      `insert into simulated_rail_payments (end_to_end_id, payout_id, amount_sen, bank_id, reference)
       select 'NEW' || count(*), min(payout_id), 1, min(bank_id), 'x' from simulated_rail_payments`,
    )
    await bank()
    const incoming = path.join(folder, 'in')
    const names = existsSync(incoming) ? readdirSync(incoming) : []
    for (const name of names) rmSync(path.join(incoming, name))
    return names.length
  }
  assert.equal(await written(), 1)
  assert.equal(await written(), 0)
  nowMs += 61_000
  assert.equal(await written(), 1)
})
