// engine: postgres
/** What the database refuses of lost chains, whoever asks: with the login of a role, not as the owner of the tables. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ROLES, type Role } from '../../src/config.ts'
import { violatedConstraint } from '../../src/db/database.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { insertRefund } from '../../src/orders/life/refund.sql.ts'
import { asRole } from '../support/database.ts'
import { seenAgo } from './losing.ts'
import { redeemed, settle } from './lost-burn.ts'
import { CHAIN, mint } from './repairing.ts'
import { type Stepped, type SteppedChain, startStepped } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2 })
})
after(() => chain.end())

/** The constraint that refuses a statement under the login of a role; undefined where it is not refused. */
async function refusal(s: Stepped, role: Role, text: string): Promise<string | undefined> {
  await applyGrants(s.db, ROLES, false)
  const db = await asRole(s.db, role)
  try {
    await db.query(text)
    return undefined
  } catch (error) {
    return violatedConstraint(error) ?? (error as Error).message
  } finally {
    await db.close()
  }
}

const LOSE = `insert into lost_chains (chain_id, reason, lost_by) values (${CHAIN}, 'gone', 'somebody')`
const FIND = `delete from lost_chains where chain_id = ${CHAIN}`
const GUARDED = 'lost_chains_guarded'

test('a chain that was seen within a day is not called lost, and no process but that of operators calls one lost or found', async () => {
  const s = await chain.begin()
  await s.round()
  await seenAgo(s, '23 hours')
  assert.equal(await refusal(s, 'operator', LOSE), GUARDED)
  await seenAgo(s, '25 hours')
  for (const role of ['api', 'settler', 'payer', 'courier'] as const)
    assert.match((await refusal(s, role, LOSE)) ?? '', /permission denied/)
  assert.equal(await refusal(s, 'operator', LOSE), undefined)
  assert.match((await refusal(s, 'settler', FIND)) ?? '', /permission denied/)
})

test('a settler says that it has seen the chain now, and no other time: nobody makes one look gone, or keeps it from ever being called lost', async () => {
  const s = await chain.begin()
  await s.round()
  const see = (at: string) => `update chains set observed_at = ${at} where chain_id = ${CHAIN}`
  for (const at of [`now() - interval '2 days'`, `now() + interval '1 minute'`, `'infinity'`])
    assert.equal(await refusal(s, 'settler', see(at)), 'chains_seen_now', at)
  assert.equal(await refusal(s, 'settler', see('now()')), undefined)
})

test('one is found only as one of which everything is read and fenced anew', async () => {
  const s = await chain.begin()
  await s.round()
  await seenAgo(s, '25 hours')
  assert.equal(await refusal(s, 'operator', LOSE), undefined)
  const unfence = `update chains set fenced_on = null where chain_id = ${CHAIN}`
  const forget = `update settlement_holds set history_read_on = null where chain_id = ${CHAIN}`
  const [read] = await s.db.query('select from settlement_holds where chain_id = $1 and history_read_on is not null', [
    CHAIN,
  ])
  assert.ok(read)
  assert.equal(await refusal(s, 'operator', FIND), GUARDED)
  assert.equal(await refusal(s, 'operator', unfence), undefined)
  assert.equal(await refusal(s, 'operator', FIND), GUARDED, 'it counts as read')
  await s.db.query('update chains set fenced_on = database_timeline() where chain_id = $1', [CHAIN])
  assert.equal(await refusal(s, 'operator', forget), undefined)
  assert.equal(await refusal(s, 'operator', FIND), GUARDED, 'it counts as fenced')
  assert.equal(await refusal(s, 'operator', unfence), undefined)
  assert.equal(await refusal(s, 'operator', FIND), GUARDED, 'it could be called lost again at once')
  const seen = `update chains set observed_at = now() where chain_id = ${CHAIN}`
  assert.equal(await refusal(s, 'operator', seen), undefined)
  assert.equal(await refusal(s, 'operator', FIND), GUARDED, 'seen by another transaction')
  assert.equal(await refusal(s, 'operator', `with seen as (${seen}) ${FIND}`), undefined)
})

test('who may let a chain be read and fenced anew cannot call one read, or fenced: other chains would sign what its lost history may have settled', async () => {
  const s = await chain.begin()
  await s.round()
  const forgotten = [
    ['chains', 'fenced_on'],
    ['settlement_holds', 'history_read_on'],
  ] as const
  for (const [table, column] of forgotten) {
    const set = (value: string) => `update ${table} set ${column} = ${value} where chain_id = ${CHAIN}`
    await s.db.query(set(`'before'`))
    for (const value of ['database_timeline()', `'another'`])
      assert.equal(await refusal(s, 'operator', set(value)), 'chains_known', `${column} ${value}`)
    assert.equal(await refusal(s, 'operator', set('null')), undefined)
    assert.equal(await refusal(s, 'operator', set('database_timeline()')), 'chains_known')
    assert.equal(await refusal(s, 'settler', set('database_timeline()')), undefined)
  }
})

test('a settler that has not heard of it signs nothing there', async () => {
  const s = await chain.begin()
  await s.round()
  await s.db.query(LOSE)
  const [orderId = 0n] = await s.place(mint(1))
  const owners = s.work.db
  s.work.db = await asRole(s.db, 'settler')
  const refused = await s.round().then(
    () => undefined,
    (error: unknown) => violatedConstraint(error),
  )
  await s.work.db.close()
  s.work.db = owners
  assert.equal(refused, 'batches_on_no_lost_chain')
  assert.equal(await s.stateOf(orderId), 'pending/ORDER_CREATED')
  assert.deepEqual(s.sent, [])
})

test('nothing is to be minted back there', async () => {
  const s = await chain.begin()
  const { redeem, payoutId } = await redeemed(s)
  await s.db.query(LOSE)
  await s.db.query('update payouts set refunds = 1 where payout_id = $1', [payoutId])
  const db = await asRole(s.db, 'operator')
  const refund = { redeemOrderId: redeem, name: payoutId, amountMicro: 1n }
  await assert.rejects(
    db.transaction((tx) => insertRefund(tx, refund)),
    (error) => violatedConstraint(error) === 'orders_of_house_begin',
  )
  await s.db.query(`delete from lost_chains where chain_id = $1`, [CHAIN])
  await db.transaction((tx) => insertRefund(tx, refund))
  await db.close()
})

test('with the login of a settler or a payer nobody has the books say that there is less coin: no node can be asked', async () => {
  const s = await chain.begin()
  const { name } = await redeemed(s)
  await seenAgo(s, '2 days')
  assert.equal(await refusal(s, 'operator', LOSE), undefined)
  const [integrationId = ''] = name.split('/')
  const entry = (reference: string, amountMicro: bigint) =>
    `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
     values ('${reference}', now(), now()::date, array['coins:${CHAIN}', 'mint_receivable:${integrationId}'], array[${amountMicro}, ${-amountMicro}])`
  const [redeem] = await s.db.query<{ id: bigint }>(`select order_id as id from orders where direction = 'REDEEM'`)
  for (const role of ['settler', 'payer', 'operator'] as const)
    for (const reference of [
      'some',
      `batch/${CHAIN}/2/int_other`,
      `batch/${CHAIN}/2/0/${integrationId}`,
      `batch/${CHAIN}/1/0/${integrationId}`,
      `batch/1/2/${integrationId}`,
      `turn/${CHAIN}/2/${redeem?.id}/1`,
      `beside/${CHAIN}/2/${redeem?.id}/1`,
    ])
      assert.equal(await refusal(s, role, entry(reference, 1n)), 'ledger_entries_of_lost', `${role}: ${reference}`)
  assert.equal(await refusal(s, 'settler', entry('more', -1n)), undefined, 'that there is more is never less')
})

test('with the login of a settler nobody has what was seen there before forgotten', async () => {
  const s = await chain.begin()
  const orderId = await settle(s, mint(1))
  await s.db.query('insert into batch_outcomes (chain_id, batch_id, executed) values ($1, 1, $2)', [CHAIN, []])
  await s.db.query('insert into lost_orders (order_id, chain_id, batch_id) values ($1, $2, 1)', [orderId, CHAIN])
  await seenAgo(s, '2 days')
  assert.equal(await refusal(s, 'operator', LOSE), undefined)
  for (const [text, constraint] of [
    ['delete from batch_outcomes', 'batch_outcomes_of_lost'],
    ['delete from lost_orders', 'lost_orders_of_lost'],
    ['update lost_orders set undone = true', 'lost_orders_of_lost'],
  ] as const)
    assert.equal(await refusal(s, 'settler', text), constraint, text)
})
