// engine: postgres
/** What no book needs of a customer is forgotten, once, when nothing of it is open; the rest stays sealed. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bankOf } from '../support/bank-details.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'
import { addChain, addOrder, addParty, addPayout, addUnallocatedLine, type Party, someAddress } from './world.ts'

let db: TestDatabase
let api: OperatorFixture
let neighbour: Party
before(async () => {
  db = await createTestDatabase()
  api = await startOperator({ db })
  await addChain(db, 31_337, 90n)
  neighbour = await addParty(db)
})
after(async () => {
  await api.close()
  await db.close()
})

const erase = (customerId: string) => api.call('POST', `/customers/${customerId}/erase`, { reason: 'it has asked' })
const refusal = async (customerId: string) => {
  const { status, body } = await erase(customerId)
  assert.equal(status, 409)
  return String(body.error.message)
}
const dropWallets = (customerId: string) => db.query('delete from wallets where customer_id = $1', [customerId])
const accounts = async (customerId: string) =>
  Number(
    (await db.query<{ n: bigint }>('select count(*) as n from bank_details where customer_id = $1', [customerId]))[0]
      ?.n,
  )

test('it waits for wallets, orders, payouts and what is owed, and says for which', async () => {
  const party = await addParty(db)
  const { customerId } = party
  assert.match(
    await refusal(customerId),
    /wallets are linked to it, or were about to be \(1\): run "coin wallet remove --customer \S+ --address ADDRESS" for each\.$/,
  )
  await dropWallets(customerId)
  const order = { chainId: 31_337, amountMicro: 1_000_000n } as const
  await addOrder(db, party, { ...order, direction: 'MINT', state: 'created' })
  assert.match(await refusal(customerId), /1 of its orders have not ended/)
  await addOrder(db, party, { ...order, direction: 'MINT', state: 'paymentPending' })
  assert.match(await refusal(customerId), /2 of its orders have not ended/)
  const orderId = await addOrder(db, party, { ...order, direction: 'REDEEM', state: 'payoutPending' })
  await addPayout(db, { orderId, customerId, status: 'rejected' })
  assert.match(await refusal(customerId), /orders have not ended.*; 1 of its payouts/)
  await withoutGuards(db, (tx) => tx.query('delete from orders where customer_id = $1', [customerId]))
  for (const status of ['queued', 'held', 'returned', 'sent', 'paid', 'paid_by_hand']) {
    await withoutGuards(db, (tx) =>
      tx.query(
        `update payouts set status = $2::text, rail = 'http', rail_reference = 'R', status_since = now(),
           hold_reason = case when $2::text = 'held' then 'by_operator' end where customer_id = $1`,
        [customerId, status],
      ),
    )
    const isSent = ['sent', 'paid', 'paid_by_hand'].includes(status)
    const [row] = await db.query<{ until: Date }>(
      `select status_since + interval '30 days' as until from payouts where customer_id = $1`,
      [customerId],
    )
    const says = isSent
      ? `the bank may give back what was paid to it until ${row?.until.toISOString()}: try again then`
      : `1 of its payouts have not ended: see "coin payout list", or "coin order find ${customerId}" for those of orders`
    assert.equal(await refusal(customerId), `It cannot be erased yet: ${says}.`, status)
  }
  await withoutGuards(db, (tx) =>
    tx.query(`update payouts set status = 'paid', status_since = now() - interval '31 days' where customer_id = $1`, [
      customerId,
    ]),
  )
  await db.query('insert into customer_residuals (customer_id, owed_micro) values ($1, 10000)', [customerId])
  assert.match(await refusal(customerId), /RM 0.01 is owed to it/)
  await db.query('update customer_residuals set owed_micro = 9999 where customer_id = $1', [customerId])
  assert.equal((await erase(customerId)).status, 200)
})

test('it waits for a wallet that was about to be linked, which names it and its holder’s consent, and is exported', async () => {
  const { customerId } = await addParty(db)
  await dropWallets(customerId)
  const address = someAddress()
  // As from a "wallet add" that was cut off: it may be linked on the chain.
  await db.query(
    `insert into wallet_links (customer_id, address, chain_id, consent, consent_deadline) values ($1, $2, 31337, '0xab', 1)`,
    [customerId, address],
  )
  const open = `wallets are linked to it, or were about to be (1): run "coin wallet remove --customer ${customerId} --address ADDRESS" for each. "coin wallet list --customer ${customerId}" does not have ${address}`
  assert.equal(await refusal(customerId), `It cannot be erased yet: ${open}.`)
  const { wallets } = (await api.call('GET', `/customers/${customerId}/export`)).body
  const links = [{ chainId: 31_337, linkedAt: null }]
  assert.deepEqual(
    wallets.map(({ createdAt: _, ...rest }: { createdAt: string }) => rest),
    [{ address, isPrimary: false, links }],
  )
  assert.equal((await api.call('POST', '/wallets/remove', { customerId, address })).status, 200)
  assert.equal((await erase(customerId)).status, 200)
})

test('it waits for what was paid to it twice and is claimed back, which its bank may give back with the payment', async () => {
  const party = await addParty(db)
  const { customerId } = party
  await dropWallets(customerId)
  const order = { chainId: 31_337, amountMicro: 1_000_000n, direction: 'REDEEM', state: 'completed' } as const
  const payoutId = await addPayout(db, { orderId: await addOrder(db, party, order), customerId, status: 'queued' })
  await withoutGuards(db, (tx) =>
    tx.query(
      `update payouts set status = 'paid', rail = 'http', rail_reference = 'R', status_since = now() - interval '31 days' where payout_id = $1`,
      [payoutId],
    ),
  )
  const claim = await addUnallocatedLine(db)
  const change = (text: string) => withoutGuards(db, (tx) => tx.query(`update bank_lines ${text}`, [claim]))
  await change(
    `set amount_micro = -1000000, state = 'assigned', matched_kind = 'claim', matched_to = '${payoutId}/1/claim/1' where line_no = $1`,
  )
  assert.equal(
    await refusal(customerId),
    'It cannot be erased yet: what was paid to it twice is claimed back and has not come back (1): "coin reconcile" names it.',
  )
  await change(`set matched_kind = 'own_funds', matched_to = 'main' where line_no = $1`)
  assert.equal((await erase(customerId)).status, 200)
})

test('the account goes but for one that was paid to; it is found no more, and gets nothing new', async () => {
  const party = await addParty(db)
  const { customerId } = party
  await dropWallets(customerId)
  const set = (body: object) => api.call('POST', `/customers/${customerId}/set`, body)
  const first = { bankBic: 'MBBEMYKL', bankAccount: '5550007777', bankName: 'Forgotten Person' }
  assert.equal((await set({ ...first, externalId: 'CRM-9' })).status, 200)
  const paidTo = (
    await db.query<{ bank_id: string }>('select bank_id from customers where customer_id = $1', [customerId])
  )[0]
  const orderId = await addOrder(db, party, {
    chainId: 31_337,
    direction: 'REDEEM',
    amountMicro: 1_000_000n,
    state: 'payoutPending',
  })
  const payoutId = await addPayout(db, { orderId, customerId, status: 'queued' })
  await withoutGuards(db, async (tx) => {
    await tx.query(
      `update payouts set status = 'paid', rail = 'http', rail_reference = 'R', bank_id = $2,
         status_since = now() - interval '31 days' where payout_id = $1`,
      [payoutId, paidTo?.bank_id ?? null],
    )
    await tx.query(`delete from orders where customer_id = $1`, [customerId])
  })
  // An earlier payment of that payout went to another account, which only the payment names.
  assert.equal((await set({ ...first, bankAccount: '5550006666' })).status, 200)
  await withoutGuards(db, (tx) =>
    tx.query(
      `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, bank_id)
       select $1, 1, $1 || '/1', 'http', bank_id from customers where customer_id = $2`,
      [payoutId, customerId],
    ),
  )
  assert.equal((await set({ ...first, bankAccount: '5550008888' })).status, 200)
  assert.equal(await accounts(customerId), 4)

  const { status, body } = await erase(customerId)
  assert.equal(status, 200, JSON.stringify(body))
  assert.ok(body.kept[0].includes('sealed (2)') && body.forgotten.includes('bank account'))
  // The audit log is sealed and has it: whoever asked to be forgotten must not be told otherwise.
  const logged = await db.query(`select from audit_log where target = $1 and after::text like '%CRM-9%'`, [customerId])
  assert.ok(logged.length > 0 && body.kept.some((kept: string) => /audit log .*external ids/.test(kept)))
  const kept = await db.query<{ ending: string; names: unknown }>(
    'select account_ending as ending, name_keys as names from bank_details where customer_id = $1 order by 1',
    [customerId],
  )
  assert.deepEqual(kept, [
    { ending: '6666', names: null },
    { ending: '7777', names: null },
  ])
  assert.equal(await bankOf(db, customerId), undefined)
  for (const text of ['5550006666', '5550007777', '5550008888', 'Forgotten', 'CRM-9']) {
    const { customers } = await api.runWith(text, 'customer', 'find', '-')
    assert.deepEqual(customers, [], text)
  }
  const { customer } = await api.run('customer', 'show', customerId)
  assert.deepEqual([customer.bank, customer.externalId, customer.verification.status], [null, null, 'SUSPENDED'])
  assert.deepEqual(customer.capabilities, { canMint: false, canRedeem: false, canTransfer: false })
  assert.match(await refusal(customerId), /was erased on 20.*nothing of it can be changed/)
  assert.match(String((await set({ status: 'VERIFIED' })).body.error.message), /was erased on/)
  const wallet = await api.call('POST', '/wallets', { customerId, address: someAddress() })
  assert.match(String(wallet.body.error.message), /was erased on/)
  await assert.rejects(db.query(`update customers set can_mint = true where customer_id = $1`, [customerId]))
  const { payouts, accounts: had } = (await api.call('GET', `/customers/${customerId}/export`)).body
  assert.deepEqual(
    had.map(({ account, name }: { account: string; name: string }) => [account, name]),
    [
      ['5550007777', 'Forgotten Person'],
      ['5550006666', 'Forgotten Person'],
    ],
    'what is kept is exported, also of an earlier payment',
  )
  assert.deepEqual(
    payouts.map((one: { bankAccount: string }) => one.bankAccount),
    ['5550007777'],
    'what the books keep',
  )
  const [line] = await db.query<{ text: string }>(
    `select a::text as text from audit_log a where action = 'customer.erase' and target = $1`,
    [customerId],
  )
  assert.ok(line !== undefined && !line.text.includes('5550008888') && !line.text.includes('Forgotten'))
  assert.equal((await bankOf(db, neighbour.customerId))?.account, '1234567890', 'nobody else lost anything')
})

test('only compliance may ask for it, and with four eyes another person decides', async (context) => {
  const strict = await startOperator({ db, fourEyes: true })
  context.after(() => strict.close())
  const { customerId } = await addParty(db)
  await dropWallets(customerId)
  const [one, two, support] = [
    await api.person('compliance'),
    await api.person('compliance'),
    await api.person('support'),
  ]
  const post = ({ token }: { token: string }, target: string, body: object) =>
    strict.call('POST', target, body, { authorization: `Bearer ${token}` })
  const target = `/customers/${customerId}/erase`
  const body = { reason: 'it has asked' }
  assert.equal((await post(support, target, body)).status, 403)
  const { approvalId, status } = (await post(one, target, body)).body
  assert.equal(status, 'waiting')
  assert.equal((await post(one, `/approvals/${approvalId}/approve`, {})).status, 409)
  assert.equal((await post(two, `/approvals/${approvalId}/approve`, {})).status, 200)
  assert.ok(await bankOf(db, customerId), 'approving executes nothing')
})
