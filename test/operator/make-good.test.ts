// engine: postgres
/** What the chain has lost of completed orders is minted again, booked, or noted, each once; until then everybody is told of it. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { lockChain } from '../../src/settlement/tables/chains.sql.ts'
import { writeHold } from '../../src/settlement/tables/holds.sql.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { believeBurns } from '../support/believed-burns.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { chainDouble, type OperatorFixture, startOperator } from './fixture.ts'
import { addChain, addOrder, addParty, addPayout, type OrderInput } from './world.ts'

const CHAIN = 31_337
const AMOUNT = 1_000_000n

let db: TestDatabase
let api: OperatorFixture
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  await believeBurns(db)
  await addChain(db, CHAIN, 90n)
  api = await startOperator({ db, chains: [chainDouble(CHAIN).chain] })
})
after(async () => {
  await api.close()
  await db.close()
})

async function completed(direction: OrderInput['direction'], isLost = true) {
  const party = await addParty(db)
  const referenceId = `lost-${direction}`
  const orderId = await addOrder(db, party, {
    chainId: CHAIN,
    direction,
    amountMicro: AMOUNT,
    state: 'completed',
    referenceId,
  })
  if (isLost) {
    await db.query(
      'insert into lost_orders (order_id, chain_id, batch_id) select order_id, chain_id, batch_id from orders where order_id = $1',
      [orderId],
    )
  }
  // A settler has looked, and nothing of the chain is unknown.
  await writeHold(db, CHAIN, { reason: 'none', details: null, blocked: [] })
  return { party, orderId, name: `${party.integrationId}/${referenceId}`, referenceId }
}

const makeGood = (name: string) => api.cli(['order', 'make-good', name, '--reason', 'lost'])

async function show(name: string): Promise<string | null> {
  const { body } = await api.call('GET', `/orders/${name.replace(/\/(\d+)$/, '%2F$1')}`)
  return body.waiting
}

const lostOnes = async () => {
  const { body } = await api.call('GET', '/reconcile')
  return (body.differences as { kind: string; subject: string; message: string }[]).filter(
    ({ kind }) => kind === 'lost_order',
  )
}

async function balanceOf(account: string): Promise<bigint> {
  const found = (await readBalances(db)).find(({ kind, owner }) => `${kind}:${owner}` === account)
  return found?.balanceMicro ?? 0n
}

async function end(reference: string, status: 'completed' | 'failed'): Promise<void> {
  await withoutGuards(db, async (tx) => {
    await tx.query(
      `update orders set status = $2, failure_reason = case when $2 = 'failed' then 'wallet_frozen' end, batch_id = 9, batch_index = 0,
         tx_hash = '\\x${'ab'.repeat(32)}', block_number = 9 where integration_id = 'remints' and reference_id = $1`,
      [reference, status],
    )
  })
}

async function reminted(name: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await db.query(
    `select direction, status, chain_id, wallet_address, customer_id, amount_micro, fee_micro from orders
     where integration_id = 'remints' and reference_id = $1`,
    [name],
  )
  return row
}

test('a mint is minted again by an order of the house, under another name where one has failed, and never twice', async () => {
  const { party, name, referenceId } = await completed('MINT')
  const remint = orderTag(party.integrationId, referenceId)
  assert.match(
    (await show(name)) ?? '',
    /^lost: .*Run "coin order make-good int_\w+\/lost-MINT --reason …", and it is minted again\.$/,
  )
  assert.deepEqual(
    (await lostOnes()).map(({ subject }) => subject),
    [name],
  )
  const { code, stdout, stderr } = await makeGood(name)
  assert.equal(code, 0, stderr)
  assert.match(stdout, new RegExp(`remints/${remint}`))
  const minted = {
    direction: 'MINT',
    status: 'pending',
    chain_id: BigInt(CHAIN),
    wallet_address: party.wallet,
    customer_id: party.customerId,
    amount_micro: AMOUNT,
    fee_micro: 0n,
  }
  assert.deepEqual(await reminted(remint), minted)
  assert.match((await makeGood(name)).stderr, /being minted again/)
  assert.match((await lostOnes())[0]?.message ?? '', /mints it again/)

  await end(remint, 'failed')
  assert.match((await show(name)) ?? '', /has failed: see "coin order show remints\/.* once more\.$/)
  assert.equal((await makeGood(name)).code, 0)
  assert.deepEqual(await reminted(`${remint}/2`), minted)
  assert.match((await show(`remints/${remint}/2`)) ?? '', /./)
  await end(`${remint}/2`, 'completed')
  assert.equal(await show(name), null)
  assert.deepEqual(await lostOnes(), [])
  assert.match((await makeGood(name)).stderr, /made good already/)
  assert.equal(await reminted(`${remint}/3`), undefined)
})

test('what was not lost, or what others may have settled, is not made good', async () => {
  const { name } = await completed('MINT', false)
  assert.match((await makeGood(name)).stderr, /has not lost it/)
  const lost = await completed('MINT')
  for (const reason of ['chain-behind', 'batch-conflict']) {
    await writeHold(db, CHAIN, { reason, details: null, blocked: [] })
    assert.match((await makeGood(lost.name)).stderr, /in a batch that was not read yet/, reason)
  }
  await writeHold(db, CHAIN, { reason: 'fence', details: null, blocked: [] })
  await withoutGuards(db, (tx) => tx.query(`update chains set fenced_on = 'another timeline'`))
  assert.match((await makeGood(lost.name)).stderr, /may be executed yet/)
  await withoutGuards(db, (tx) => tx.query('update chains set fenced_on = database_timeline()'))
  await withoutGuards(db, (tx) => tx.query('delete from lost_orders'))
})

test('of a redeem that was paid, its integration owes the ringgit; of one that was not, nobody does, and nothing is minted back', async () => {
  const { party, orderId, name } = await completed('REDEEM')
  const payoutId = await addPayout(db, { orderId, customerId: party.customerId, status: 'returned', amountSen: 100n })
  assert.match((await makeGood(name)).stderr, /Its payout is not paid/)
  await db.query('insert into customer_residuals (customer_id, owed_micro) values ($1, 0)', [party.customerId])
  assert.match((await api.cli(['payout', 'refund', payoutId])).stderr, /has lost the burn of its redeem/)
  // Whoever would pay it is told, also where an operator had held it for another reason before.
  const beware = async () => (await api.run('payout', 'show', payoutId)).payout.beware
  for (const [status, reason] of [
    ['held', 'by_operator'],
    ['rejected', null],
    ['returned', null],
  ] as const) {
    await withoutGuards(db, (tx) =>
      tx.query('update payouts set status = $2, hold_reason = $3 where payout_id = $1', [payoutId, status, reason]),
    )
    assert.match(await beware(), /The chain has lost the burn that it pays: the holder has the coin again/, status)
  }
  await withoutGuards(db, (tx) =>
    tx.query(`update payouts set status = 'paid', rail_reference = 'R1' where payout_id = $1`, [payoutId]),
  )
  const coins = await balanceOf(`coins:${CHAIN}`)
  assert.equal((await makeGood(name)).code, 0)
  assert.equal(await balanceOf(`mint_receivable:${party.integrationId}`), AMOUNT)
  assert.equal(await balanceOf(`coins:${CHAIN}`), coins - AMOUNT)
  assert.equal(await show(name), null)
  assert.match((await makeGood(name)).stderr, /made good already/)
  assert.equal(await balanceOf(`mint_receivable:${party.integrationId}`), AMOUNT)
})

test('a transfer is noted to be made good, and listed as stuck until then', async () => {
  const { name, referenceId } = await completed('TRANSFER')
  const stuck = async () => {
    const { body } = await api.call('GET', '/orders?stuck=true')
    return (body.orders as { referenceId: string }[]).map((order) => order.referenceId)
  }
  assert.deepEqual(await stuck(), [referenceId])
  const coins = await balanceOf(`coins:${CHAIN}`)
  assert.equal((await makeGood(name)).code, 0)
  assert.equal(await balanceOf(`coins:${CHAIN}`), coins)
  assert.deepEqual(await stuck(), [])
  assert.deepEqual(await lostOnes(), [])
})

test('it waits for whoever reads batches of others, which may have settled the order meanwhile', async () => {
  const { name, orderId, party, referenceId } = await completed('MINT')
  const isSomebodyWaiting = async () => (await db.query(`select from pg_locks where not granted`)).length > 0
  let isDone = false
  const making = await db.transaction(async (tx) => {
    await lockChain(tx, CHAIN)
    const made = makeGood(name).finally(() => {
      isDone = true
    })
    await waitFor('it to wait, or to be done', async () => isDone || (await isSomebodyWaiting()))
    await tx.query('delete from lost_orders where order_id = $1', [orderId])
    return { made }
  })
  assert.match((await making.made).stderr, /has not lost it/)
  assert.equal(await reminted(orderTag(party.integrationId, referenceId)), undefined)
})

test('one that had failed and was executed after all is listed with those that are stuck, says so, and is minted back', async () => {
  const party = await addParty(db)
  const name = `${party.integrationId}/after-all`
  const order = { chainId: CHAIN, direction: 'REDEEM', amountMicro: AMOUNT, state: 'failed' } as const
  const orderId = await addOrder(db, party, { ...order, referenceId: 'after-all' })
  await db.query(
    `insert into lost_orders (order_id, chain_id, batch_id, executed) select order_id, chain_id, batch_id, true from orders where order_id = $1`,
    [orderId],
  )
  for (const only of ['', '&status=failed']) {
    const { body } = await api.call(
      'GET',
      `/orders?stuck=true&olderThan=1m&integrationId=${party.integrationId}${only}`,
    )
    assert.match(JSON.stringify(body), /after-all/, only)
  }
  assert.match((await show(name)) ?? '', /^executed after all: .*is minted back\.$/)
  const { body } = await api.call('GET', '/reconcile')
  const found = (body.differences as { kind: string; subject: string }[]).find(({ subject }) => subject === name)
  assert.equal(found?.kind, 'executed_order')
  const { stdout, stderr } = await makeGood(name)
  assert.match(stdout, /remints\/0x/, stderr)
  const remint = orderTag(party.integrationId, 'after-all')
  assert.deepEqual(await reminted(remint), {
    direction: 'MINT',
    status: 'pending',
    chain_id: BigInt(CHAIN),
    wallet_address: party.wallet,
    customer_id: party.customerId,
    amount_micro: AMOUNT,
    fee_micro: 0n,
  })
})
