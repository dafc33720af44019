// engine: postgres
/** What happens between that a chain has executed a final batch again with another outcome, that people say so, and that its orders are made good. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '../../src/db/database.ts'
import { bewareOf } from '../../src/operator/minted-back.ts'
import { explainOutcome } from '../../src/settlement/explain/outcome.ts'
import type { FollowedHead } from '../../src/settlement/finality.ts'
import { compareUnexplained } from '../../src/settlement/follow/other-outcomes.ts'
import { findOutcome, noteOutcome } from '../../src/settlement/tables/outcomes.sql.ts'
import { withoutGuards } from '../support/without-guards.ts'
import {
  booked,
  differences,
  loseAfter,
  mintRefused,
  redeemFrozen,
  requireBalances,
  seeAgain,
  sendFreeze,
  settleFrozen,
  settleNext,
  toldOtherwise,
} from './executing-again.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { AMOUNT, beginChain, payoutOf, redeemed, refund, STRANGERS } from './lost-burn.ts'
import { ALONE, CHAIN, mint, rawOf } from './repairing.ts'
import { look, settleAfter } from './replacing.ts'
import { NEVER, type Stepped } from './stepped.ts'

const chain = beginChain()

const sendAgain = async (s: Stepped, batchId: bigint) => {
  const attempt = (await s.attempts()).find((each) => each.batch_id === batchId)
  await s.rpc('eth_sendRawTransaction', await rawOf(s, attempt?.tx_hash))
}

/** A refund fails while its wallet is frozen; then the chain refuses the burn, and executes the refund. */
async function burnRefusedAndRefundExecuted(s: Stepped) {
  const { redeem, payoutId, name } = await redeemed(s)
  const mined = (await s.batches())[1]?.mined_block ?? 0n
  await refund(s, payoutId)
  await settleNext(s, 1)
  assert.equal((await payoutOf(s, redeem))?.status, 'rejected')
  await loseAfter(s, mined - 1n)
  await sendFreeze(s, 1)
  await sendAgain(s, 2n)
  await s.mine()
  await sendFreeze(s, 1, 'unfreeze')
  await s.mine()
  await sendAgain(s, 3n)
  await s.mine()
  await seeAgain(s)
  assert.deepEqual(
    toldOtherwise(s).flat().toSorted(),
    [`${name} was refused`, `refunds/${payoutId} was executed`].toSorted(),
  )
  await requireBalances(s, { 1: AMOUNT * 2n })
  return { redeem, payoutId, name }
}

test('a burn that is refused is not even with a refund that was executed after all: the holder has the coin twice', async (t) => {
  // What was kept of a sen has gone out with a later payout since, or has not.
  for (const hasPartLeft of [false, true]) {
    const s = await chain.begin({ config: ALONE })
    const { redeem, payoutId, name } = await burnRefusedAndRefundExecuted(s)
    const eyes = await startEyes(s, t)
    await eyes.explain(2)
    await eyes.explain(3)
    if (hasPartLeft) await withoutGuards(s.db, (tx) => tx.query('update customer_residuals set owed_micro = 0'))
    await assert.rejects(eyes.makeGood(`/orders/${name}`), /Its payout is not paid/)
    await eyes.makeGood(`/orders/refunds/${payoutId}`)
    assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
    await eyes.makeGood(`/orders/${name}`)
    const open = await differences(s)
    assert.deepEqual(
      open.filter((each) => !/^books/.test(each)),
      [],
    )
    if (!hasPartLeft) assert.deepEqual(open, [])
    const owed = AMOUNT * 2n + (hasPartLeft ? AMOUNT % 10_000n : 0n)
    assert.deepEqual([await booked(s, 'coins'), await booked(s, 'mint_receivable')], [-AMOUNT * 2n, owed])
  }
})

test('a payout whose refund was executed after all is neither paid again nor minted back, and whoever pays it by hand is told', async (t) => {
  for (const isExplained of [false, true]) {
    const s = await chain.begin({ config: ALONE })
    const { payoutId } = await redeemed(s)
    await refund(s, payoutId)
    const { number } = await s.head()
    await settleNext(s, 1)
    await loseAfter(s, number)
    await seeAgain(s)
    const eyes = await startEyes(s, t)
    if (isExplained) await eyes.explain(3)
    for (const verb of ['retry', 'refund']) {
      const { status, body } = await eyes.run(`/payouts/${payoutId}/${verb}`, {})
      assert.equal(status, 409)
      assert.match(body.error.message, new RegExp(`has executed refunds/${payoutId} after all`))
    }
    assert.match(
      (await bewareOf(s.db, { payoutId, orderId: null, status: 'rejected', burn: '1/2/0' })) ?? '',
      /after all/,
    )
    if (!isExplained) await eyes.explain(3)
    await eyes.makeGood(`/orders/refunds/${payoutId}`)
    assert.equal(await bewareOf(s.db, { payoutId, orderId: null, status: 'refunded', burn: '1/2/0' }), undefined)
  }
})

test('nothing is minted back for a burn that the chain has refused, also before anybody has said so', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await redeemed(s)
  const mined = (await s.batches())[1]?.mined_block ?? 0n
  await loseAfter(s, mined - 1n)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  await requireBalances(s, { 1: AMOUNT })
  const eyes = await startEyes(s, t)
  const { status, body } = await eyes.run(`/payouts/${payoutId}/refund`, {})
  assert.equal(status, 409)
  assert.match(body.error.message, /has lost the burn/)
  assert.match(
    (await bewareOf(s.db, { payoutId, orderId: redeem, status: 'rejected', burn: '1/2/0' })) ?? '',
    /has lost the burn/,
  )
})

test('what is said of an outcome is not said of another, which a settler has seen at the same time', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem } = await redeemFrozen(s)
  const other = { batchId: 2n, executed: [0] }
  let seen: Promise<boolean> | undefined
  await s.db.transaction(async (tx) => {
    const between = {
      query: async <R extends Row>(text: string, params?: Parameters<typeof tx.query>[1]) => {
        if (/from payouts/.test(text) && seen === undefined) {
          seen = s.db.transaction((settler) => noteOutcome(settler, CHAIN, other))
          await Promise.race([seen, waitsForLock(s)])
        }
        return await tx.query<R>(text, params)
      },
    }
    const plan = await explainOutcome(between, { chainId: CHAIN, batchId: 2n }, 'it is so', { executed: [] })
    assert.ok('note' in plan && plan.note[0]?.orderId === redeem)
  })
  assert.equal(await seen, true)
  assert.deepEqual(await findOutcome(s.db, CHAIN, 2n), { ...other, isExplained: false, beside: [] })
})

async function waitsForLock(s: Stepped): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await s.db.query(waiting)).length === 0);
}

test('nothing is made good by a word that is void: the chain has done again as was told', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, name } = await redeemFrozen(s, 1)
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  const eyes = await startEyes(s, t)
  await eyes.explain(2)
  const [seen] = await s.db.query<{ block: bigint }>('select mined_block as block from batches where batch_id = 1')
  await loseAfter(s, (seen?.block ?? 0n) + 1n)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  await requireBalances(s, { 1: AMOUNT })
  assert.ok((await differences(s)).includes(`other_outcome ${CHAIN}/2`))
  await assert.rejects(eyes.makeGood(`/orders/${name}`), /once more/)
  await eyes.explain(2)
  assert.deepEqual(await differences(s), [])
  assert.deepEqual(await s.db.query(`select from orders where integration_id = 'remints'`), [])
})

test('who explains an outcome gives up nothing, also where the chain has lost the batch since', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await settleFrozen(s, mint(3))
  const { number } = await s.head()
  await settleFrozen(s, mint(1))
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  assert.equal(toldOtherwise(s).length, 1)
  await loseAfter(s, number)
  await settleAfter(s, 1n, [[...STRANGERS[0]]])
  await s.mine(2)
  await look(s)
  const eyes = await startEyes(s, t)
  const asked = await eyes.ask(2)
  assert.equal(asked.status, 409, JSON.stringify(asked.body))
  assert.match(asked.body.error.message, /--give-up/)
  await eyes.giveUp(2, { giveUp: true })
})

test('a payout that was held because its burn was refused says that it may go on once the burn is there again', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { payoutId } = await redeemFrozen(s)
  const eyes = await startEyes(s, t)
  await eyes.explain(2)
  const [first] = await s.db.query<{ block: bigint }>('select mined_block as block from batches where batch_id = 1')
  await loseAfter(s, (first?.block ?? 0n) + 1n)
  await s.mine()
  await seeAgain(s)
  await requireBalances(s, { 1: 0n })
  await eyes.explain(2)
  const [payout] = await s.db.query<{ status: string; error: string }>(
    'select status, last_error as error from payouts where payout_id = $1',
    [payoutId],
  )
  assert.equal(payout?.status, 'held')
  assert.match(payout?.error ?? '', /has it again/)
})

test('what is about to be minted again is held where the chain has it again', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { number, name, eyes } = await mintRefused(s, t)
  await eyes.makeGood(`/orders/${name}`)
  await loseAfter(s, number)
  await sendAgain(s, 1n)
  await s.mine()
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal((await s.db.query('select from order_holds')).length, 1, 'before its block is final')
  await seeAgain(s)
  await requireBalances(s, { 1: 5n })
  const [remint] = await s.db.query<{ name: string }>(
    `select integration_id || '/' || reference_id as name from orders join order_holds using (order_id) where integration_id = 'remints'`,
  )
  assert.ok(remint)
  await eyes.reject(`/orders/${remint.name}`)
  await eyes.explain(1)
  assert.deepEqual(await differences(s), [])
  await requireBalances(s, { 1: 5n })
})

test('nor is what an earlier refund has minted back after all', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await redeemed(s)
  await refund(s, payoutId)
  const { number } = await s.head()
  await settleNext(s, 1)
  await loseAfter(s, number)
  await sendAgain(s, 3n)
  await refund(s, payoutId)
  await s.mine()
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal((await s.db.query('select from order_holds')).length, 1, 'before its block is final')
  await seeAgain(s)
  await requireBalances(s, { 1: AMOUNT })
  const eyes = await startEyes(s, t)
  await eyes.explain(3)
  await assert.rejects(eyes.makeGood(`/orders/refunds/${payoutId}`), /order reject/)
  await eyes.reject(`/orders/refunds/${encodeURIComponent(`${payoutId}/2`)}`)
  await eyes.makeGood(`/orders/refunds/${payoutId}`)
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  assert.deepEqual(await differences(s), [])
})

test('what is signed to be minted back is held, too, once its burn is gone with its batch', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { name } = await redeemFrozen(s, 1)
  const eyes = await startEyes(s, t)
  await eyes.explain(2)
  await eyes.makeGood(`/orders/${name}`)
  await s.round()
  assert.equal((await s.batches()).at(-1)?.status, 'signed')
  const { mined_block: mined } = (await s.batches())[0] ?? {}
  await loseAfter(s, (mined ?? 0n) + 1n)
  await settleAfter(s, 1n, [[...STRANGERS[0]]])
  await s.mine(2)
  await look(s)
  await eyes.giveUp(2)
  await lookAsSettler(s, 3)
  await requireBalances(s, { 1: AMOUNT })
  assert.equal((await s.db.query(`select from order_holds`)).length, 1)
})

test('of however many outcomes that nobody has to explain each is looked at again', async () => {
  const s = await chain.begin({ config: ALONE })
  for (let batch = 1; batch <= 33; batch += 1) {
    await s.place(mint(1))
    await s.round()
    await s.mine()
  }
  await s.mine(2)
  await s.round()
  // Each is what the chain has, but for the last one: that is as its order was told again.
  await withoutGuards(s.db, async (tx) => {
    await tx.query(
      `insert into batch_outcomes (chain_id, batch_id, executed)
       select chain_id, batch_id, case when batch_id = 33 then '{}' else array(select generate_series(0, order_count - 1)) end from batches where chain_id = $1`,
      [CHAIN],
    )
    await tx.query('update batches set success_bitmap = 0 where chain_id = $1 and batch_id < 33', [CHAIN])
  })
  const at = {
    head: await s.head(),
    finalBlock: (await s.head()).number,
    nodes: s.chain.nodes,
  } as unknown as FollowedHead
  for (let look = 0; look < 2; look += 1) await compareUnexplained(s.work, at, [])
  assert.equal(await findOutcome(s.db, CHAIN, 33n), undefined)
  assert.notEqual(await findOutcome(s.db, CHAIN, 1n), undefined)
})
