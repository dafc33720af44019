// engine: postgres
/** A customer is found by whatever a caller may say, what is kept of it is exported, and an account number is in no command line. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'
import { addChain, addOrder, addParty, addPayout, type Party } from './world.ts'

let db: TestDatabase
let api: OperatorFixture
let party: Party
let other: Party
const BANK = { bankBic: 'MBBEMYKL', bankAccount: '5550001234', bankName: "Nur_Aisyah 100% d'Cruz" }
before(async () => {
  db = await createTestDatabase()
  api = await startOperator({ db })
  await addChain(db, 31_337, 90n)
  party = await addParty(db)
  other = await addParty(db)
  const set = await api.call('POST', `/customers/${party.customerId}/set`, { ...BANK, externalId: 'CRM-77' })
  assert.equal(set.body.customer.externalId, 'CRM-77')
})
after(async () => {
  await api.close()
  await db.close()
})

const find = async (text: string): Promise<string[]> => {
  const { customers } = await api.runWith(text, 'customer', 'find', '-')
  return customers.map(({ customerId }: { customerId: string }) => customerId)
}

it('is found by id, external id, wallet in any case, whole account number, or words of a name, and by nothing less', async () => {
  const { customerId, wallet } = party
  for (const text of [
    customerId,
    'CRM-77',
    wallet,
    wallet.toLowerCase(),
    '5550001234',
    'aisyah',
    "d'cruz  AISYAH",
    "D'CRUZ",
  ]) {
    assert.deepEqual(await find(text), [customerId], text)
  }
  for (const text of ['CRM-7', '555000123', 'Nu', 'aisya', 'aisyah tan', '%', '_____', 'x', other.integrationId]) {
    assert.deepEqual(await find(text), [], text)
  }
  for (const [text, isSaid] of [
    ['x y', true],
    ['aisyah tan', false],
  ] as const)
    assert.equal(
      /^No name was looked for: .*two letters/m.test((await api.cli(['customer', 'find', text])).stdout),
      isSaid,
    )
  const { customers } = await api.run('customer', 'find', 'CRM-77')
  assert.deepEqual(customers[0].bank, { bic: 'MBBEMYKL', account: '…1234', name: BANK.bankName })
  const lines = await db.query<{ text: string }>(
    `select a::text as text from audit_log a where action = 'customer.find'`,
  )
  assert.ok(lines.length > 10 && lines.every(({ text }) => !text.includes('5550001234') && !text.includes('aisyah')))
})

it('has an external id that no other customer of its integration has', async () => {
  const { integrationId } = party
  const link = { type: 'RETAIL', status: 'VERIFIED', level: 'T', country: 'MY', externalId: 'CRM-77' }
  const twice = await api.call('POST', '/customers', { integrationId, ...link })
  assert.equal(twice.status, 409)
  assert.match(twice.body.error.message, /external id/)
  const elsewhere = await api.call('POST', '/customers', { integrationId: other.integrationId, ...link })
  assert.equal(elsewhere.status, 200)
  const kept = await api.call('POST', `/customers/${party.customerId}/set`, { level: 'U' })
  assert.equal(kept.body.customer.externalId, 'CRM-77')
})

it('is exported with all that is kept, whole, and who did it is recorded; nobody else’s is in it', async () => {
  const { customerId } = party
  for (const each of [party, other]) {
    const orderId = await addOrder(db, each, {
      chainId: 31_337,
      direction: 'REDEEM',
      amountMicro: 1_230_000n,
      state: 'payoutPending',
    })
    await addPayout(db, { orderId, customerId: each.customerId, status: 'queued' })
  }
  // Under way it is stored as pending, and shown as it is.
  await addOrder(db, party, { chainId: 31_337, direction: 'MINT', amountMicro: 1_000_000n, state: 'confirming' })
  for (const [id, owed] of [
    [customerId, 4_567n],
    [other.customerId, 9_999n],
  ] as const) {
    await db.query(
      `insert into customer_residuals (customer_id, owed_micro, reserved_micro) values ($1, $2, 1000)
       on conflict (customer_id) do update set owed_micro = excluded.owed_micro, reserved_micro = excluded.reserved_micro`,
      [id, owed],
    )
  }
  const officer = await api.person('compliance', 'An officer')
  const { status, body } = await officer.call('GET', `/customers/${customerId}/export`)
  assert.equal(status, 200)
  assert.deepEqual(body.customer.bank, { bic: BANK.bankBic, account: BANK.bankAccount, name: BANK.bankName })
  // The one that was replaced is kept, too.
  assert.deepEqual(
    body.accounts.map(({ account }: { account: string }) => account),
    ['1234567890', BANK.bankAccount],
  )
  assert.deepEqual([body.wallets.length, body.orders.length, body.payouts.length, body.isWhole], [1, 2, 1, true])
  const [mint, redeem] = body.orders
  assert.deepEqual([redeem.amount, redeem.feeMyr, mint.status], ['1.230000', '0.000000', 'processing'])
  assert.equal(body.payouts[0].referenceId, redeem.referenceId)
  const { orders: listed } = await api.run('order', 'list', '--integration', party.integrationId)
  assert.deepEqual(
    body.orders.map(({ status, txHash }: Record<string, string>) => [status, txHash]),
    listed.map(({ status, blockchain }: Record<string, Record<string, string>>) => [status, blockchain?.txHash]),
  )
  assert.deepEqual(body.residual, { owedMyr: '0.004567', reservedMyr: '0.001000' })
  assert.ok(!JSON.stringify(body).includes(other.customerId) && !JSON.stringify(body).includes(other.wallet))
  const [line] = await db.query<{ actor: string }>(`select actor from audit_log where action = 'customer.export'`)
  assert.equal(line?.actor, 'An officer')
  const support = await api.person('support')
  assert.equal((await support.call('GET', `/customers/${customerId}/export`)).status, 403)
})

it('an account number as an argument is refused', async () => {
  for (const args of [
    ['customer', 'set', party.customerId, '--bank-account', '5550009999'],
    ['integration', 'add-remitter', party.integrationId, '--account', '5550009999'],
  ]) {
    const { code, stderr } = await api.cli(args)
    assert.equal(code, 1)
    assert.match(stderr, /standard input/)
    assert.ok(!stderr.includes('5550009999'))
  }
  const two = await api.cli(['integration', 'add-remitter', party.integrationId, '--account', '-'], {}, '1\n2\n')
  assert.equal(two.code, 1)
  const set = await api.runWith('5550009999\n', 'customer', 'set', party.customerId, '--bank-account', '-')
  assert.equal(set.customer.bank.account, '…9999')
})

it('is shown although its account does not open, with the others; only a whole new account replaces it', async () => {
  const lost = createSecretBox(randomBytes(32)).seal('x')
  const own = 'bank_id = (select bank_id from customers where customer_id = $1)'
  await db.query(`update bank_details set sealed = $2 where ${own}`, [party.customerId, lost])
  const words = '(cannot be opened with the present key)'
  const { customers } = await api.run('customer', 'list', '--integration', party.integrationId)
  const shown = customers.find((one: { customerId: string }) => one.customerId === party.customerId)
  assert.deepEqual([shown.bank.name, shown.bank.account], [words, '…9999'])
  assert.equal((await api.run('customer', 'find', party.customerId)).customers[0].bank.name, words)
  assert.equal((await api.run('customer', 'export', party.customerId)).customer.bank.name, words)
  const set = (changes: object) => api.call('POST', `/customers/${party.customerId}/set`, changes)
  const part = await set({ bankName: 'Another' })
  assert.deepEqual([part.status, part.body.error.code], [409, 'CONFLICT'])
  assert.equal((await set(BANK)).body.customer.bank.name, BANK.bankName)
})
