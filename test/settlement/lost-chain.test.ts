// engine: postgres; both in test:long
/** A chain that is gone for good: what was not final there fails, what was stays, and found again it is read as after a restore. */
// Runbook: A chain is gone for good
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DATABASE_TIMELINE } from '../../src/db/timeline.sql.ts'
import { acquireLease } from '../../src/leases/leases.sql.ts'
import { holdOrders } from '../../src/orders/life/hold.sql.ts'
import { tellElsewhere } from '../../src/payouts/burns.sql.ts'
import { lookForBurns } from '../../src/payouts/burns.ts'
import { endSome } from '../../src/settlement/lost/end-lost.ts'
import { isFenced, isUnfenced, readUnfenced } from '../../src/settlement/tables/fences.sql.ts'
import { readUnreadChains } from '../../src/settlement/tables/holds.sql.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { addBatchRow, someBatchId } from '../support/batch-rows.ts'
import { link } from './executing-again.ts'
import { keyOf, silent, wallet } from './fixture.ts'
import { endAll, lose, seenAgo, startLosers } from './losing.ts'
import { AMOUNT, nameOf, payoutOf, redeemed, refund, settle } from './lost-burn.ts'
import { CHAIN, formOne, mint } from './repairing.ts'
import { NEVER, type Stepped, type SteppedChain, startStepped } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

const earmarked = async (s: Stepped) =>
  (
    await s.db.query<{ sum: string }>(
      'select coalesce(sum(earmarked_micro), 0)::text as sum from wallet_earmarks where chain_id = $1',
      [CHAIN],
    )
  )[0]?.sum
const events = async (s: Stepped) =>
  (await s.db.query<{ type: string }>('select type from events order by event_seq')).map(({ type }) => type)
const reasonOf = async (s: Stepped, orderId: bigint) =>
  (
    await s.db.query<{ reason: string }>('select failure_reason as reason from orders where order_id = $1', [orderId])
  )[0]?.reason

test('it is called lost by two people, once no node shows a block of it and no settler has seen one for a day', async (t) => {
  const s = await chain.begin()
  await s.round()
  const { ask, byTwo, coin, one } = await startLosers(s, t)
  const there = await startLosers(s, t, true)
  const early = await ask('lost')
  assert.equal(early.status, 409)
  assert.match(early.body.error.message, /A settler has seen block \d+ of chain 31337 at .*for a day/)
  await seenAgo(s, '23 hours 59 minutes')
  assert.equal((await ask('lost')).status, 409)
  await seenAgo(s, '24 hours 1 minute')
  const shown = await there.ask('lost')
  assert.deepEqual([shown.status, /shows its block \d+: it is not gone/.test(shown.body.error.message)], [409, true])
  await s.db.query('update chains set observed_at = now() where chain_id <> $1', [CHAIN])
  const unknown = await one('/chains/lost', { chainId: 5, reason: 'x' })
  assert.equal(unknown.status, 404)
  const lost = await byTwo('lost')
  assert.deepEqual([lost.staysOwed, lost.notFinal], ['0 coin', 'nothing'])
  assert.match((await ask('lost')).body.error.message, /called lost already/)
  const { status, body } = await coin.call('GET', '/chains')
  assert.deepEqual([status, body.ok, body.chains[0].error], [200, true, null])
  assert.match(body.chains[0].lost, /^Lost since .*: its nodes are switched off$/)
})

test('a block that a settler sees makes it seen, and one that it has seen before does not', async () => {
  const s = await chain.begin()
  await s.round()
  await seenAgo(s, '2 days')
  await s.round()
  const age = async () =>
    (
      await s.db.query<{ isOld: boolean }>(
        `select observed_at < now() - interval '1 day' as "isOld" from chains where chain_id = $1`,
        [CHAIN],
      )
    )[0]?.isOld
  assert.equal(await age(), true)
  await s.mine()
  await s.round()
  assert.equal(await age(), false)
})

test('what is signed, mined, queued or held there fails with its event, and gives back what it held; what is final stays', async (t) => {
  const s = await chain.begin()
  await redeemedFirst(s)
  const [final = 0n] = await s.place(mint(1))
  await s.round()
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(final), 'completed/COMPLETED')
  const mined = await formOne(s, 2)
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(mined), 'processing/CONFIRMING')
  const [signed = 0n] = await s.place({ direction: 'TRANSFER', amountMicro: 3n, from: wallet(1), to: wallet(2) })
  await s.round()
  assert.equal(await s.stateOf(signed), 'processing/SUBMITTED')
  const [queued = 0n, held = 0n] = await s.place(mint(4), { direction: 'REDEEM', amountMicro: 2n, from: wallet(1) })
  await s.db.transaction((tx) => holdOrders(tx, [{ orderId: held, reason: 'a look' }]))
  const { length } = await events(s)
  await seenAgo(s, '2 days')
  const { byTwo } = await startLosers(s, t)
  const lost = await byTwo('lost')
  assert.deepEqual(
    [lost.staysOwed, lost.notFinal],
    ['0.020008 coin', '2 MINT over 0.00001, 1 REDEEM over 0.000002, 1 TRANSFER over 0.000003'],
  )
  await endAll(s)
  for (const orderId of [mined, signed, queued, held]) {
    assert.equal(await s.stateOf(orderId), 'failed/FAILED')
    assert.equal(await reasonOf(s, orderId), 'chain_lost')
  }
  assert.equal(await s.stateOf(final), 'completed/COMPLETED')
  assert.deepEqual((await events(s)).slice(length).sort(), [
    'mint.failed',
    'mint.failed',
    'redeem.failed',
    'transfer.failed',
  ])
  assert.equal(await earmarked(s), '0')
  for (const table of ['signed_orders', 'order_holds'])
    assert.deepEqual(
      await s.db.query(`select order_id from ${table} join orders using (order_id) where chain_id = $1`, [CHAIN]),
      [],
    )
  const [row] = await s.db.query<{ open: bigint }>(
    `select count(*) as open from batches where chain_id = $1 and status in ('signed', 'mined')`,
    [CHAIN],
  )
  assert.equal(row?.open, 0n)
  const [usage] = await s.db.query<{ sum: string }>(
    `select coalesce(sum(committed_micro), 0)::text as sum from transfer_usage where key_id in (select key_id from orders where chain_id = $1)`,
    [CHAIN],
  )
  assert.equal(usage?.sum, '0')
})

test('a chain that was found before its orders were ended loses none of them', async (t) => {
  const s = await chain.begin()
  const [orderId = 0n] = await s.place(mint(1))
  await s.round()
  assert.deepEqual(await s.db.transaction((tx) => endSome(tx, CHAIN, [])), {
    batches: 0,
    orders: 0,
    failed: [],
    isWhole: true,
  })
  assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
  await lose(s, t)
  assert.deepEqual(await s.db.transaction((tx) => endSome(tx, CHAIN, [])), {
    batches: 1,
    orders: 1,
    failed: [],
    isWhole: true,
  })
  assert.deepEqual(await s.db.transaction((tx) => endSome(tx, CHAIN, [])), {
    batches: 0,
    orders: 0,
    failed: [],
    isWhole: true,
  })
})

test('an order for which others have moved coin otherwise, there or on a chain that still is, fails, and that they have is still told', async (t) => {
  const s = await chain.begin()
  const elsewhere = 7
  await s.db.query(
    `insert into chains (chain_id, coin_address, settlement_address, genesis_hash) values ($1, '0xc', '0x5', '0x9')`,
    [elsewhere],
  )
  const [here = 0n, there = 0n] = await s.place(mint(1), mint(2))
  for (const [orderId, chainId] of [
    [here, CHAIN],
    [there, elsewhere],
  ] as const) {
    const [integrationId = '', referenceId = ''] = (await nameOf(s, orderId)).split('/')
    const tag = orderTag(integrationId, referenceId)
    const batchId = someBatchId()
    await addBatchRow(s.db, { chainId, batchId, status: 'final', isForeign: true, orderIds: [] })
    await s.db.query(
      `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
       values ($1, $2, 0, $3, 'MINT', $4, 77, true)`,
      [chainId, batchId, tag, wallet(5)],
    )
    await s.db.query('insert into tag_conflicts (order_id, chain_id, tag) values ($1, $2, $3)', [orderId, chainId, tag])
  }
  const { coin } = await lose(s, t)
  await endAll(s)
  const told = ((await coin.call('GET', '/reconcile')).body.differences as { kind: string; subject: string }[])
    .filter(({ kind }) => kind === 'ended_order')
    .map(({ subject }) => subject)
  for (const orderId of [here, there]) {
    assert.equal(await s.stateOf(orderId), 'failed/FAILED')
    assert.ok(told.includes(await nameOf(s, orderId)), 'its partner was told that nothing has moved')
  }
})

/** Coin in the first wallet, which may be debited. */
async function redeemedFirst(s: Stepped): Promise<void> {
  await link(s, 1)
  await settle(s, mint(1, AMOUNT))
}

test('a burnt redeem stays to be paid, and what was to mint its coin back ends: then it can be paid otherwise', async (t) => {
  const s = await chain.begin()
  const { redeem, payoutId } = await redeemed(s)
  await refund(s, payoutId)
  const { coin, one } = await lose(s, t)
  await endAll(s)
  assert.equal(await s.stateOf(redeem), 'processing/PAYOUT_REJECTED')
  const [house] = await s.db.query<{ status: string }>(`select status from orders where integration_id = 'refunds'`)
  assert.equal(house?.status, 'failed')
  const again = await one(`/payouts/${payoutId}/refund`, {})
  assert.equal(again.status, 409)
  assert.match(again.body.error.message, /chain 31337, which is lost: no coin can be minted back there/)
  const { body } = await coin.call('GET', `/payouts/${payoutId}`)
  assert.match(body.payout.lastError, /The coin was not minted back: its chain is gone for good\./)
  assert.equal((await one(`/payouts/${payoutId}/mark-paid`, { reference: 'BY HAND' })).status, 202)
})

test('a payout whose burn no payer has seen says what to do, and is paid by hand', async (t) => {
  const s = await chain.begin()
  const { redeem, payoutId } = await redeemed(s, { until: 'burnt' })
  const { coin, alone } = await lose(s, t)
  await endAll(s)
  let asked = 0
  const witness = async () => {
    asked += 1
    return []
  }
  await lookForBurns({ db: s.db, chain: { chainId: CHAIN, witness }, logger: silent, isLost: () => true })
  assert.equal(asked, 0, 'nobody asks its nodes')
  assert.equal(await tellElsewhere(s.db, [CHAIN]), 1)
  assert.equal(await tellElsewhere(s.db, [CHAIN]), 0)
  const { body } = await coin.call('GET', `/payouts/${payoutId}`)
  assert.match(body.payout.lastError, /^The chain of its redeem is lost, .*"coin payout mark-paid \S+ --reference …"/)
  const said = { reason: 'seen in the explorer' }
  assert.equal((await coin.call('POST', `/payouts/${payoutId}/hold`, said)).status, 200)
  await alone(`/payouts/${payoutId}/mark-paid`, { reference: 'BY HAND' })
  assert.equal((await payoutOf(s, redeem))?.status, 'sent')
  assert.equal(await s.stateOf(redeem), 'completed/COMPLETED')
})

test('other chains do not wait for it, nor does anything that waits for its fence', async (t) => {
  const s = await chain.begin()
  const [orderId = 0n] = await s.place(mint(1))
  await s.round()
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
  await s.db.query(`update settlement_holds set history_read_on = null where chain_id = $1`, [CHAIN])
  const [row] = await s.db.query<{ timeline: string }>(`select ${DATABASE_TIMELINE} as timeline`)
  const elsewhere = { orderId: orderId + 1n, chainId: 1 }
  const waits = async () => [
    (await readUnreadChains(s.db, [CHAIN], row?.timeline ?? '')).length > 0,
    (await readUnfenced(s.db, [CHAIN])) !== undefined,
    !(await isFenced(s.db, elsewhere, [CHAIN])),
    await isUnfenced(s.db, orderId),
  ]
  assert.deepEqual(await waits(), [true, true, true, true])
  await lose(s, t)
  assert.deepEqual(await waits(), [false, false, false, false])
})

test('found again, it is read to the end and fenced first; what it did of an order that has failed is named, and new orders settle', async (t) => {
  const s = await chain.begin()
  await s.round()
  const first = await formOne(s, 1)
  await lose(s, t)
  await endAll(s)
  assert.equal(await s.stateOf(first), 'failed/FAILED')
  // Somebody has a copy of it after all, and its nodes had the bytes.
  await s.mine(2)
  const { byTwo, coin } = await startLosers(s, t, true)
  assert.match((await coin.call('GET', '/chains')).body.chains[0].lost, /^Lost since/)
  await byTwo('found')
  await s.forget()
  const lease = await acquireLease(s.db, `settlement:${CHAIN}`, 'stepped', NEVER.leaseMs)
  assert.ok(lease)
  s.work.lease = lease
  const [later = 0n] = await s.place(mint(2))
  await s.round()
  assert.deepEqual(
    (await s.batches()).map(({ batch_id: id, status, is_foreign: isForeign }) => [id, status, isForeign]),
    [
      [1n, 'final', true],
      [2n, 'signed', false],
      [3n, 'signed', false],
    ],
  )
  const fences = await s.db.query<{ id: bigint }>(
    'select batch_id as id from batches where chain_id = $1 and fence_tag is not null',
    [CHAIN],
  )
  assert.deepEqual(fences, [{ id: 2n }], 'behind it nothing can be executed that was signed before')
  for (let each = 0; each < 3; each += 1) {
    await s.mine(2)
    await s.round()
  }
  assert.equal(await s.stateOf(later), 'completed/COMPLETED')
  const { body } = await coin.call('GET', '/reconcile')
  const found = (body.differences as { kind: string; subject: string }[]).map(({ kind, subject }) => [kind, subject])
  assert.deepEqual(
    found.filter(([kind]) => kind === 'ended_order'),
    [['ended_order', await nameOf(s, first)]],
  )
})
