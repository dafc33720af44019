// engine: postgres
/** How the orders of a chain that is gone for good end: as it has settled them, where that is known; and each by itself. */
// Runbook: A chain is gone for good
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ROLES } from '../../src/config.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { findOrderWithFacts } from '../../src/operator/orders/orders.sql.ts'
import { makeGood } from '../../src/settlement/explain/make-good.ts'
import { findChainAgain } from '../../src/settlement/lost/lose.ts'
import { setExplained } from '../../src/settlement/tables/outcomes.sql.ts'
import { addSignedLine, someBatchId } from '../support/batch-rows.ts'
import { asRole } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type TestOrder, wallet } from './fixture.ts'
import { endAll, lose, settledBefore, tagOf } from './losing.ts'
import { nameOf, payoutOf, redeemed, refund, settle } from './lost-burn.ts'
import { CHAIN, mint } from './repairing.ts'
import { type Stepped, type SteppedChain, startStepped } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2 })
})
after(() => chain.end())

const told = async (s: Stepped) =>
  (await s.db.query<{ type: string }>('select type from events order by event_seq')).map(({ type }) => type)

test('an order that the chain had settled before, as is known here, takes that outcome: it failed as if nothing had moved, and was owed as coin and as ringgit', async (t) => {
  const s = await chain.begin()
  await s.round()
  const orders: TestOrder[] = [mint(1), { direction: 'REDEEM', amountMicro: 20_003n, from: wallet(1) }, mint(3)]
  const [minted = 0n, burnt = 0n, other = 0n] = await s.place(...orders)
  await settledBefore(s, await nameOf(s, minted), { direction: 'MINT', to: wallet(1), amountMicro: 5n })
  await settledBefore(s, await nameOf(s, burnt), { direction: 'REDEEM', to: wallet(1), amountMicro: 20_003n })
  const { coin } = await lose(s, t)
  const { length } = await told(s)
  await endAll(s)
  assert.equal(await s.stateOf(minted), 'completed/COMPLETED')
  assert.equal(await s.stateOf(burnt), 'processing/PAYOUT_PENDING')
  assert.equal((await payoutOf(s, burnt))?.status, 'queued', 'what was final there is paid')
  assert.equal(await s.stateOf(other), 'failed/FAILED')
  assert.deepEqual((await told(s)).slice(length).sort(), ['mint.completed', 'mint.failed'])
  const { differences } = (await coin.call('GET', '/reconcile')).body
  assert.ok(!JSON.stringify(differences).includes('foreign_batch'), 'an order asked for what that batch did')
})

test('coin that a lost history had minted back is minted back: its payout is not paid as well', async (t) => {
  const s = await chain.begin()
  const { redeem, payoutId } = await redeemed(s)
  await refund(s, payoutId)
  const [house] = await s.db.query<{ amount: bigint }>(
    `select amount_micro as amount from orders where integration_id = 'refunds'`,
  )
  await settledBefore(s, `refunds/${payoutId}`, {
    direction: 'MINT',
    to: wallet(1),
    amountMicro: house?.amount ?? 0n,
  })
  await lose(s, t)
  await endAll(s)
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
})

test('so it is where that had minted another part of a sen, or went by its next name: the database refused that, and nothing on the chain ended', async (t) => {
  for (const { number, amountMicro } of [
    { number: '', amountMicro: 20_001n },
    { number: '/2', amountMicro: 20_003n },
    { number: '/2', amountMicro: 20_000n },
  ]) {
    const s = await chain.begin()
    const { redeem, payoutId } = await redeemed(s)
    await refund(s, payoutId)
    const [other = 0n] = await s.place(mint(2))
    await settledBefore(s, `refunds/${payoutId}${number}`, { direction: 'MINT', to: wallet(1), amountMicro })
    await lose(s, t)
    await endAll(s)
    assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
    assert.equal(await s.stateOf(redeem), 'failed/FAILED')
    assert.equal(await s.stateOf(other), 'failed/FAILED')
  }
})

test('a refund that was to mint next to nothing takes nothing that others have minted: the books would have no more than it', async (t) => {
  for (const isRefunds of [true, false]) {
    const s = await chain.begin()
    const { payoutId, name } = await redeemed(s)
    await refund(s, payoutId)
    await withoutGuards(s.db, (tx) => tx.query(`update orders set amount_micro = 1 where integration_id = 'refunds'`))
    const did = { direction: 'MINT', to: wallet(1), amountMicro: 20_003n }
    await settledBefore(s, isRefunds ? `refunds/${payoutId}` : name, did)
    await lose(s, t)
    await assert.rejects(endAll(s), /nothing is seen of it/)
  }
})

test('an order for which others have moved coin otherwise is told of, although nobody had compared it yet', async (t) => {
  const s = await chain.begin()
  await s.round()
  const [orderId = 0n] = await s.place(mint(1))
  await settledBefore(s, await nameOf(s, orderId), { direction: 'MINT', to: wallet(2), amountMicro: 77n })
  const { coin } = await lose(s, t)
  await endAll(s)
  assert.equal(await s.stateOf(orderId), 'failed/FAILED')
  const { differences } = (await coin.call('GET', '/reconcile')).body
  const ended = (differences as { kind: string; subject: string }[]).filter(({ kind }) => kind === 'ended_order')
  assert.deepEqual(
    ended.map(({ subject }) => subject),
    [await nameOf(s, orderId)],
  )
})

test('an order that cannot be ended keeps no other: those behind it waited for ever', async (t) => {
  const s = await chain.begin()
  await s.round()
  const [broken = 0n, other = 0n] = await s.place(mint(1), mint(2))
  await addSignedLine(s.db, { orderId: broken, batchId: null })
  await lose(s, t)
  await assert.rejects(endAll(s), /may not go from pending to failed/)
  assert.equal(await s.stateOf(other), 'failed/FAILED')
  assert.equal(await s.stateOf(broken), 'processing/SUBMITTED')
})

test('neither one whose burn somebody had booked before, past the service: of a lost chain the books say less by it only once', async (t) => {
  const s = await chain.begin()
  await s.round()
  const redeems: TestOrder[] = [1, 3].map((n) => ({ direction: 'REDEEM', amountMicro: 20_003n, from: wallet(n) }))
  const [broken = 0n, burnt = 0n, other = 0n] = await s.place(...redeems, mint(2))
  const batchId = someBatchId()
  const did = { direction: 'REDEEM', amountMicro: 20_003n }
  await settledBefore(s, await nameOf(s, broken), { ...did, to: wallet(1) }, batchId)
  await settledBefore(s, await nameOf(s, burnt), { ...did, to: wallet(3) })
  await s.db.query(
    `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
     select 'batch/${CHAIN}/${batchId}/0/' || integration_id, now(), now()::date, '{coins:${CHAIN},own_funds:x}', '{7,-7}' from orders where order_id = $1`,
    [broken],
  )
  await lose(s, t)
  await assert.rejects(endAll(s), /nothing was burnt/)
  assert.equal(await s.stateOf(burnt), 'processing/PAYOUT_PENDING')
  assert.equal(await s.stateOf(other), 'failed/FAILED')
  assert.equal(await s.stateOf(broken), 'pending/ORDER_CREATED')
})

test('nor one whose outcome the database refuses at the end of all', async (t) => {
  const s = await chain.begin()
  await s.round()
  const [refused = 0n, other = 0n] = await s.place(mint(1), mint(2))
  await settledBefore(s, await nameOf(s, refused), { direction: 'MINT', to: wallet(1), amountMicro: 5n })
  const [{ is } = assert.fail()] = await s.db.query<{ is: string }>(
    `select pg_get_functiondef('order_tag_of'::regproc) as is`,
  )
  t.after(() => s.db.query(is))
  await s.db.query(
    `create or replace function order_tag_of(integration text, reference text) returns text language sql immutable return '0x'`,
  )
  await lose(s, t)
  await assert.rejects(endAll(s), /nothing is seen of it/)
  assert.equal(await s.stateOf(other), 'failed/FAILED')
  assert.equal(await s.stateOf(refused), 'pending/ORDER_CREATED')
})

test('however many cannot be ended: more than are read at once kept all others', async (t) => {
  const s = await chain.begin()
  await s.round()
  const orders = await s.place(...Array.from({ length: 260 }, () => mint(1)))
  const [other = 0n, ...broken] = orders.toReversed()
  for (const orderId of broken) await addSignedLine(s.db, { orderId, batchId: null })
  await lose(s, t)
  await assert.rejects(endAll(s), /may not go from pending to failed/)
  assert.equal(await s.stateOf(other), 'failed/FAILED')
  await assert.rejects(endAll(s), /may not go from pending to failed/, 'each is tried again')
})

test('nor those that are still in a batch which nobody can give up: they were read again and again, without a pause, and nothing said so', async (t) => {
  const s = await chain.begin()
  await s.round()
  const orders = await s.place(...Array.from({ length: 256 }, () => mint(1)))
  const [other = 0n, ...kept] = orders.toReversed()
  await lose(s, t)
  await withoutGuards(s.db, async (tx) => {
    for (const orderId of kept) await addSignedLine(tx, { orderId, batchId: 9n })
  })
  await assert.rejects(endAll(s), /is in a batch/)
  assert.equal(await s.stateOf(other), 'failed/FAILED')
})

/** A redeem that others have burnt, with an entry that somebody has written under the name of its own; and an order beside it. */
async function planted(s: Stepped, t: { after(fn: () => Promise<void>): void }, to: string, when: 'before' | 'after') {
  await s.round()
  const [burnt = 0n, other = 0n] = await s.place(
    { direction: 'REDEEM', amountMicro: 20_003n, from: wallet(1) },
    mint(2),
  )
  const name = await nameOf(s, burnt)
  await settledBefore(s, name, { direction: 'REDEEM', to: wallet(1), amountMicro: 20_003n }, 9n)
  await applyGrants(s.db, ROLES, false)
  const db = await asRole(s.db, 'payer')
  const plant = () =>
    db.query(
      `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
       values ($1, now(), now()::date, array[$2, 'own_funds:main'], array[20003, -20003])`,
      [`batch/${CHAIN}/9/0/${name.split('/')[0]}`, to],
    )
  if (when === 'before') await plant()
  await lose(s, t)
  if (when === 'after') await plant()
  await db.close()
  return { burnt, other }
}

test('what somebody has written under the name of an entry to come keeps no order from taking its outcome', async (t) => {
  const s = await chain.begin()
  const { burnt, other } = await planted(s, t, 'unallocated:main', 'after')
  await endAll(s)
  assert.equal(await s.stateOf(burnt), 'processing/PAYOUT_PENDING')
  assert.equal(await s.stateOf(other), 'failed/FAILED')
})

test('nor, where it had said that there is less coin, any other order from its end', async (t) => {
  const s = await chain.begin()
  const { burnt, other } = await planted(s, t, `coins:${CHAIN}`, 'before')
  await assert.rejects(endAll(s), /nothing was burnt/)
  assert.equal(await s.stateOf(other), 'failed/FAILED')
  assert.equal(await s.stateOf(burnt), 'pending/ORDER_CREATED')
})

test('what somebody has only noted who had begun before the chain was called lost can be made good once it is found', async (t) => {
  const s = await chain.begin()
  const orderId = await settle(s, mint(1))
  const name = await nameOf(s, orderId)
  await s.db.query(
    'insert into lost_orders (order_id, chain_id, batch_id) select order_id, chain_id, batch_id from orders where order_id = $1',
    [orderId],
  )
  const [integrationId = '', referenceId = ''] = name.split('/')
  const done = await s.db.transaction(async (tx) => {
    await tx.query('select 1')
    await lose(s, t)
    const { order } = (await findOrderWithFacts(tx, integrationId, referenceId)) ?? assert.fail()
    return await makeGood(tx, order, undefined)
  })
  assert.equal(done, 'noted')
  await s.db.transaction((tx) => findChainAgain(tx, CHAIN))
  const open = await s.db.query('select from lost_orders where order_id = $1 and closed_at is null', [orderId])
  assert.equal(open.length, 1, 'its holder has nothing')
})

test('so can what was noted by a database that has taken over and whose clock is behind', async (t) => {
  const s = await chain.begin()
  const orders = [await settle(s, mint(1)), await settle(s, mint(2))]
  await s.db.query(
    'insert into lost_orders (order_id, chain_id, batch_id) select order_id, chain_id, batch_id from orders where order_id = any ($1::bigint[])',
    [orders],
  )
  await lose(s, t)
  await withoutGuards(s.db, (tx) => tx.query(`update lost_chains set lost_at = now() + interval '1 hour'`))
  await s.db.query('insert into batch_outcomes (chain_id, batch_id, executed) values ($1, 1, $2)', [CHAIN, []])
  await setExplained(s.db, CHAIN, 1n, 'nobody can say')
  for (const orderId of orders) {
    const [integrationId = '', referenceId = ''] = (await nameOf(s, orderId)).split('/')
    const done = await s.db.transaction(async (tx) => {
      const { order } = (await findOrderWithFacts(tx, integrationId, referenceId)) ?? assert.fail()
      return await makeGood(tx, order, undefined)
    })
    assert.equal(done, 'noted')
  }
  await s.db.transaction((tx) => findChainAgain(tx, CHAIN))
  const open = await s.db.query('select from lost_orders where order_id = any ($1::bigint[]) and closed_at is null', [
    orders,
  ])
  assert.equal(open.length, 2, 'their holders have nothing')
  const said = await s.db.query('select reason from batch_outcomes where chain_id = $1', [CHAIN])
  assert.deepEqual(said, [{ reason: null }], 'the chain can say it now')
})

test('an order takes an outcome at a place where another one had taken that of a batch which was given up: the books have a name for each', async (t) => {
  const s = await chain.begin()
  await s.round()
  const [first = 0n, second = 0n] = await s.place(mint(1), mint(2))
  const did = { direction: 'MINT', amountMicro: 5n }
  await settledBefore(s, await nameOf(s, first), { ...did, to: wallet(1) }, 3n)
  await addSignedLine(s.db, { orderId: second, batchId: null })
  await lose(s, t)
  await assert.rejects(endAll(s), /may not go from pending to failed/)
  assert.equal(await s.stateOf(first), 'completed/COMPLETED')
  await withoutGuards(s.db, async (tx) => {
    await tx.query('delete from signed_orders')
    await tx.query('update batches set taken_back = 1 where batch_id = 3 and chain_id = $1', [CHAIN])
    await tx.query(
      'update foreign_instructions set tag = $2, wallet_address = $3, order_id = null where chain_id = $1',
      [CHAIN, tagOf(await nameOf(s, second)), wallet(2)],
    )
  })
  await endAll(s)
  assert.equal(await s.stateOf(second), 'completed/COMPLETED')
  const names = await s.db.query<{ name: string }>(
    `select regexp_replace(reference, '/[^/]+$', '') as name from ledger_entries order by entry_id`,
  )
  assert.deepEqual(
    names.map(({ name }) => name),
    [`batch/${CHAIN}/3/0`, `batch/${CHAIN}/3/again/1/0`],
  )
})
