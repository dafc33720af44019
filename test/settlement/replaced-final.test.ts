// engine: postgres
/** Final batches that the chain has lost and whose ids it has given to other instructions: nothing settles twice, and operators have a way out. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWitness } from '../../src/chain/witness.ts'
import { reconcile } from '../../src/operator/reconcile/reconcile.ts'
import { holdOrders } from '../../src/orders/life/hold.sql.ts'
import { BATCH_OF_ORDER, ORDER_COLUMNS, type OrderRow, orderFromRow } from '../../src/orders/row.sql.ts'
import { lookForBurns } from '../../src/payouts/burns.ts'
import { findUnburnt } from '../../src/payouts/unburnt.sql.ts'
import { rejectUnsettled } from '../../src/settlement/explain/reject.ts'
import { proveUnburnt, resettle } from '../../src/settlement/explain/resettle.ts'
import { FIRST_SEARCH } from '../../src/settlement/form/search.ts'
import { insertGivenUp } from '../../src/settlement/tables/explanations.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { asRole } from '../support/database.ts'
import { keyOf, linkOf, silent, wallet } from './fixture.ts'
import { startEyes } from './giving-up.ts'
import { ALONE, CHAIN, formOne, mint, SIGNER } from './repairing.ts'
import { look, loseFinal, mintOf, settleAfter, settleOthers, tagOf } from './replacing.ts'
import { FATAL, NEVER, type Stepped, type SteppedChain, startStepped, useNonce } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

/** What differs on this chain, but for what was seen outside every batch. */
const differencesOf = async (s: Stepped) => {
  const { differences } = await reconcile(s.db, [s.chain], TEST_SECRETS)
  const own = differences.filter(({ subject, kind }) => subject.includes(String(CHAIN)) && kind !== 'foreign_movement')
  return own.map(({ kind, message }) => `${kind} ${message}`)
}

test('nothing is signed where the chain has gone on with other batches under final ids: an order of one of them would be minted twice', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseFinal(s, { lost: 2 })
  const [order] = await s.place(mint(7))
  const tag = await tagOf(s, order)
  await settleOthers(s, [mintOf(7, tag)], [mintOf(20, '0x0000000000000003')], [mintOf(20, '0x0000000000000004')])
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  assert.equal(await s.chain.reader.latestBalance(wallet(7)), 5n)
  assert.equal(await s.stateOf(order), 'pending/ORDER_CREATED')
  assert.equal(s.held(), 'batch-conflict')
})

test('what is older than the batches that are looked for is not gone past either', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseFinal(s, { lost: 2 })
  await s.round()
  const [order] = await s.place(mint(7))
  const tag = await tagOf(s, order)
  await settleOthers(s, [mintOf(7, tag)], [mintOf(20, '0x0000000000000003')], [mintOf(20, '0x0000000000000004')])
  // No time passes in which the newest ones would be looked for.
  for (let rounds = 0; rounds < 4; rounds += 1) {
    await s.round()
    await s.mine(2)
  }
  assert.equal(s.work.memory.recheck.replaced, undefined)
  assert.equal(await s.chain.reader.latestBalance(wallet(7)), 5n)
  assert.equal(s.held(), 'chain-behind')
})

test('operators give up what the chain has replaced: it is read, its orders are settled once, and everything goes on', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const [, second, third, fourth] = await loseFinal(s, { lost: 2, underWay: 1 })
  const [order] = await s.place(mint(7))
  const stranger = mintOf(20, '0x0000000000000009')
  await settleOthers(s, [mintOf(7, await tagOf(s, order)), mintOf(3, await tagOf(s, third)), stranger])
  const eyes = await startEyes(s, t)
  await look(s)
  assert.equal(s.held(), 'batch-conflict')
  assert.match(s.logged.filter(({ level }) => level === FATAL).at(-1)?.msg ?? '', /other instructions under the id/)
  const refusals = [
    [1, /no other instructions under its id/],
    [3, /no other instructions under its id/],
  ] as const
  for (const [batchId, why] of refusals) {
    const { status, body } = await eyes.ask(batchId)
    assert.equal(status, 409)
    assert.match(body.error.message, why)
  }
  await look(s)
  assert.equal(s.held(), 'batch-conflict', 'nobody has said so yet')
  await eyes.giveUp(2)
  const owners = s.work.db
  s.work.db = await asRole(s.db, 'settler')
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  await s.work.db.close()
  s.work.db = owners
  assert.equal(s.held(), 'none')
  for (const each of [order, second, third, fourth]) assert.equal(await s.stateOf(each), 'completed/COMPLETED')
  for (const seed of [1, 3, 4, 7]) assert.equal(await s.chain.reader.latestBalance(wallet(seed)), 5n, `wallet ${seed}`)
  assert.equal(await s.chain.reader.latestBalance(wallet(2)), 0n, 'to be made good')
  assert.deepEqual(
    (await s.batches()).map(({ batch_id: id, status, is_foreign: isForeign }) => [id, status, isForeign]),
    [
      [1n, 'final', false],
      [2n, 'final', true],
      [3n, 'final', false],
      [4n, 'abandoned', false],
    ],
  )
  const taken = await s.db.query<{ id: bigint | null }>(
    'select order_id as id from foreign_instructions where chain_id = $1 order by instruction_index',
    [CHAIN],
  )
  assert.deepEqual(
    taken.map(({ id }) => id),
    [order, third, null],
  )
  const [unknown, ...more] = await differencesOf(s)
  assert.deepEqual(more, [])
  assert.match(unknown ?? '', new RegExp(`^foreign_batch .*${wallet(20)}`))

  const [row, ...others] = await s.db.query<{ id: bigint; target: string; name: string }>(
    `select order_id as id, '/orders/' || integration_id || '/' || reference_id as target, integration_id || '/' || reference_id as name
     from lost_orders join orders using (order_id) where orders.chain_id = $1`,
    [CHAIN],
  )
  assert.deepEqual([row?.id, others], [second, []], 'what others have moved is not lost')
  const lostNow = async () => (await reconcile(s.db, [s.chain], TEST_SECRETS)).differences.map(({ subject }) => subject)
  assert.ok((await lostNow()).includes(row?.name ?? ''))
  await eyes.makeGood(row?.target ?? '')
  s.work.db = await asRole(s.db, 'settler')
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  await s.work.db.close()
  s.work.db = owners
  assert.equal(await s.chain.reader.latestBalance(wallet(2)), 5n)
  assert.ok(!(await lostNow()).includes(row?.name ?? ''))
  const booked = await s.db.query(
    `select from ledger_entries where accounts @> array['coins:' || $1] and reference like 'batch/%/remints'`,
    [String(CHAIN)],
  )
  assert.equal(booked.length, 0, 'the books have had that coin all along')
})

test('until what the chain has in place of what was given up is read, no order is rejected that it may have settled; it is read at once', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseFinal(s, { lost: 2 })
  const [order = 0n] = await s.place(mint(7))
  await s.db.transaction((tx) => holdOrders(tx, [{ orderId: order, reason: 'x' }]))
  await settleOthers(s, [mintOf(7, await tagOf(s, order))])
  await look(s)
  assert.equal(s.held(), 'batch-conflict')
  await insertGivenUp(s.db, CHAIN, 2n, 'the chain has others there')
  const { memory } = s.work
  memory.form.search = { ...FIRST_SEARCH, fullAtMs: Number.POSITIVE_INFINITY }
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal((await s.batches())[1]?.status, 'abandoned')
  const { recheck, follow, form } = memory
  assert.deepEqual(
    [recheck.replaced, follow.recordedHash, follow.hasUnread, follow.readOn, form.search],
    [undefined, undefined, undefined, undefined, FIRST_SEARCH],
    'everything is asked anew',
  )
  const [row] = await s.db.query<OrderRow>(
    `select ${ORDER_COLUMNS} from orders o ${BATCH_OF_ORDER} where o.order_id = $1`,
    [order],
  )
  assert.ok(row)
  const rejected = await s.db.transaction((tx) => rejectUnsettled(tx, orderFromRow(row), []))
  assert.equal(rejected, 'unsure')
  await s.round()
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
})

test('a redeem of a batch that was given up is never paid for a burn that is not there, and is burnt once', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const linked = s.chain.admin.linkWallet(linkOf(wallet(1)))
  const timer = setInterval(() => void s.mine().catch(() => {}), 50)
  await linked.finally(() => clearInterval(timer))
  const AMOUNT = 20_000n
  const orders = [mint(1, AMOUNT), mint(2), { direction: 'REDEEM', amountMicro: AMOUNT, from: wallet(1) }] as const
  for (const order of orders) {
    await s.place(order)
    await s.round()
    await s.mine(2)
    await s.round()
  }
  const [row] = await s.db.query<{ id: bigint }>(`select max(order_id) as id from orders where chain_id = $1`, [CHAIN])
  const redeem = row?.id ?? 0n
  assert.equal(await s.stateOf(redeem), 'processing/PAYOUT_PENDING')
  await s.rpc('anvil_reorg', 4, [])
  await s.rpc('anvil_dropAllTransactions')
  await settleOthers(s, [mintOf(20, '0x0000000000000003')])
  const eyes = await startEyes(s, t)
  await look(s)
  await eyes.giveUp(2)
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  const { config, nodes } = s.chain
  const payer = { db: s.db, chain: { chainId: CHAIN, witness: createWitness(config, nodes) }, logger: silent }
  await lookForBurns(payer)
  const payoutOf = async () =>
    (
      await s.db.query<{ id: string; status: string; burn: string | null }>(
        'select payout_id as id, status, burn from payouts where order_id = $1',
        [redeem],
      )
    )[0]
  const held = await payoutOf()
  assert.deepEqual([held?.status, held?.burn], ['held', null])
  const unburnt = await findUnburnt(s.db, held?.id ?? '')
  assert.ok(unburnt)
  const proven = await proveUnburnt(s.db, s.chain, unburnt)
  if (typeof proven === 'string') assert.fail(proven)
  await s.db.transaction((tx) => resettle(tx, proven))
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.equal(await s.stateOf(redeem), 'processing/PAYOUT_PENDING', s.held())
  assert.equal(await s.chain.reader.latestBalance(wallet(1)), 0n)
  await lookForBurns(payer)
  assert.equal((await payoutOf())?.burn, `${CHAIN}/3/0/again/1`)
})

test('it is named, and given up, although more batches were final behind it than are looked for', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const MANY = 34
  for (let seed = 1; seed <= MANY; seed += 1) {
    await formOne(s, seed)
    await s.mine(2)
    await s.round()
  }
  await s.rpc('anvil_reorg', 2 * (MANY - 1), [])
  await s.rpc('anvil_dropAllTransactions')
  assert.equal(await s.chain.admin.supply(), 5n)
  await settleOthers(s, [mintOf(40, '0x0000000000000003')])
  const eyes = await startEyes(s, t)
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.deepEqual([s.held(), s.work.memory.recheck.replaced?.batchId], ['batch-conflict', 2n])
  await eyes.giveUp(2)
  const [next] = await s.place(mint(41))
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  assert.equal(s.held(), 'none')
  assert.equal(await s.stateOf(next), 'completed/COMPLETED')
  const lost = await s.db.query('select from lost_orders where chain_id = $1', [CHAIN])
  assert.equal(lost.length, MANY - 1)
})

test('which one is to be given up is said, too, where the id of a batch under way has been taken with it', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const orders = await loseFinal(s, { lost: 2, underWay: 1 })
  for (const nonce of [1n, 2n, 3n]) await useNonce(s, SIGNER, nonce)
  await settleOthers(s, ...['3', '4', '5'].map((tag, index) => [mintOf(20 + index, `0x000000000000000${tag as '3'}`)]))
  const eyes = await startEyes(s, t)
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  const [hold] = await s.db.query<{ reason: string; details: string }>(
    'select reason, details from settlement_holds where chain_id = $1',
    [CHAIN],
  )
  assert.deepEqual([hold?.reason, JSON.parse(hold?.details ?? '{}')], ['batch-conflict', { otherUnderFinalBatch: '2' }])
  await eyes.giveUp(2)
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  assert.equal(s.held(), 'none')
  for (const each of orders) assert.equal(await s.stateOf(each), 'completed/COMPLETED')
  for (const seed of [1, 4]) assert.equal(await s.chain.reader.latestBalance(wallet(seed)), 5n, `wallet ${seed}`)
  assert.deepEqual(
    (await s.batches()).map(({ batch_id: id, is_foreign: isForeign }) => [id, isForeign]),
    [1n, 2n, 3n, 4n, 5n].map((id) => [id, id > 1n && id < 5n]),
  )
})

test('only the first batch that was replaced is given up', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await loseFinal(s, { lost: 2 })
  await settleOthers(s, [mintOf(20, '0x0000000000000003')], [mintOf(21, '0x0000000000000004')])
  const eyes = await startEyes(s, t)
  await look(s)
  const later = await eyes.ask(3)
  assert.equal(later.status, 409)
  assert.match(later.body.error.message, /^The batch before it is not that of the chain either/)
})

test('the first batch of all is given up like any other, once the settler has said what is wrong', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const [first, second, third] = await loseFinal(s, { lost: 3 })
  await settleAfter(s, 0n, [
    [mintOf(1, await tagOf(s, first)), mintOf(20, '0x0000000000000003')],
    [mintOf(21, '0x0000000000000004')],
  ])
  await s.mine(2)
  const eyes = await startEyes(s, t)
  const early = await eyes.ask(1)
  assert.equal(early.status, 409)
  assert.match(early.body.error.message, /no other instructions under its id/)
  await look(s)
  await eyes.giveUp(1)
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  assert.equal(s.held(), 'none')
  for (const each of [first, second, third]) assert.equal(await s.stateOf(each), 'completed/COMPLETED')
  const [order] = await s.place(mint(9))
  await look(s)
  await look(s)
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  assert.deepEqual(
    (await s.batches()).map(({ batch_id: id, is_foreign: isForeign }) => [id, isForeign]),
    [
      [1n, true],
      [2n, true],
      [3n, false],
    ],
  )
})

test('nothing is given up before the other batch is final, whoever asks', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await loseFinal(s, { lost: 2 })
  await settleAfter(s, 1n, [[mintOf(20, '0x0000000000000003')]])
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal(s.held(), 'batch-conflict')
  const eyes = await startEyes(s, t)
  const { status, body } = await eyes.ask(2)
  assert.equal(status, 409)
  assert.match(body.error.message, /nothing to explain, nor to give up/)
  await insertGivenUp(s.db, CHAIN, 2n, 'said in time for another history')
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.deepEqual(
    (await s.batches()).map(({ status, is_foreign: isForeign }) => [status, isForeign]),
    [
      ['final', false],
      ['final', false],
      ['final', false],
    ],
  )
})
