// engine: postgres
/** Orders of the house that a chain has executed again with another outcome, and what becomes of an explained outcome when its batch is given up. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queueAttempt } from '../../src/payouts/payouts.sql.ts'
import { startOperator } from '../operator/fixture.ts'
import { withoutGuards } from '../support/without-guards.ts'
import {
  booked,
  differences,
  loseAfter,
  race,
  redeemFrozen,
  requireBalances,
  seeAgain,
  sendFreeze,
  settleFrozen,
  settleNext,
} from './executing-again.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { AMOUNT, beginChain, nameOf, payoutOf, redeemed, refund, STRANGERS } from './lost-burn.ts'
import { ALONE, CHAIN, mint, rawOf } from './repairing.ts'
import { look, settleAfter } from './replacing.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()

/** Coin of a redeem that was not paid is to be minted back, which fails, and is executed the second time. */
async function refundAgain(s: Stepped, then: (payoutId: string) => Promise<void> = async () => {}) {
  const { redeem, payoutId } = await redeemed(s)
  await refund(s, payoutId)
  const { number } = await s.head()
  await settleNext(s, 1)
  assert.equal((await payoutOf(s, redeem))?.status, 'rejected')
  await then(payoutId)
  await loseAfter(s, number)
  await seeAgain(s)
  await requireBalances(s, { 1: AMOUNT })
  return { redeem, payoutId, name: `refunds/${payoutId}` }
}

test('what was to be minted back, and was after all, ends its payout', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, name } = await refundAgain(s)
  const eyes = await startEyes(s, t)
  await eyes.explain(3)
  assert.deepEqual(await differences(s), [`supply ${CHAIN}`, `payout_rejected ${payoutId}`, `executed_order ${name}`])
  await eyes.makeGood(`/orders/${name}`)
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  assert.deepEqual(await differences(s), [])
  assert.deepEqual([await booked(s, 'coins'), await booked(s, 'redeem_payable')], [-AMOUNT, 0n])
})

test('a payout that was about to be paid again is held once its coin was minted back after all, and ends so', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, name } = await refundAgain(s, (payoutId) => s.db.transaction((tx) => queueAttempt(tx, payoutId)))
  assert.deepEqual(await payoutOf(s, redeem), { status: 'held', reason: 'by_operator', burn: `${CHAIN}/2/0` })
  const eyes = await startEyes(s, t)
  await eyes.explain(3)
  await eyes.makeGood(`/orders/${name}`)
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  assert.deepEqual(await differences(s), [])
  assert.deepEqual([await booked(s, 'coins'), await booked(s, 'redeem_payable')], [-AMOUNT, 0n])
})

test('what was to be minted back once more at the moment at which that is seen is held: its holder got the coin twice', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { payoutId } = await redeemed(s)
  await refund(s, payoutId)
  const { number } = await s.head()
  await settleNext(s, 1)
  await loseAfter(s, number)
  const coin = await startOperator({ db: s.db, chains: [s.chain] })
  t.after(() => coin.close())
  const people = () => coin.run('payout', 'refund', payoutId)
  await race(s, 'lock table audit_log in exclusive mode', people, () => seeAgain(s))
  await lookAsSettler(s, 3)
  await requireBalances(s, { 1: AMOUNT })
})

test('likewise where its batch was given up, and is there again as that of others: nor is the coin minted back once more', async (t) => {
  for (const next of ['paid again', 'minted back'] as const) {
    const s = await chain.begin({ config: ALONE })
    const { redeem, payoutId } = await redeemed(s)
    await refund(s, payoutId)
    const { number } = await s.head()
    await settleNext(s, 1)
    const bytes = await rawOf(s, (await s.batches())[2]?.tx_hash ?? undefined)
    await loseAfter(s, number)
    await settleAfter(s, 2n, [[...STRANGERS[0]]])
    await s.mine(2)
    await look(s)
    const eyes = await startEyes(s, t)
    await eyes.giveUp(3)
    await lookAsSettler(s, 3)
    if (next === 'minted back') await refund(s, payoutId)
    else await s.db.transaction((tx) => queueAttempt(tx, payoutId))
    await loseAfter(s, number)
    await s.rpc('eth_sendRawTransaction', bytes)
    await s.mine(2)
    await look(s)
    await eyes.giveUp(3, { giveUp: true })
    await lookAsSettler(s, 3)
    await requireBalances(s, { 1: AMOUNT })
    assert.equal((await payoutOf(s, redeem))?.status, next === 'minted back' ? 'rejected' : 'held')
    if (next === 'minted back') await eyes.reject(`/orders/refunds/${payoutId}%2F2`)
    await eyes.makeGood(`/orders/refunds/${payoutId}`)
    assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
    assert.deepEqual(await differences(s), [])
    assert.deepEqual([await booked(s, 'coins'), await booked(s, 'redeem_payable')], [-AMOUNT, 0n])
  }
})

test('where its payout was paid since, its integration owes the coin', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, name } = await refundAgain(s)
  const eyes = await startEyes(s, t)
  await eyes.explain(3)
  const set = (status: string) =>
    withoutGuards(s.db, (tx) =>
      tx.query(`update payouts set status = $2, rail_reference = 'R' where payout_id = $1`, [payoutId, status]),
    )
  await set('queued')
  await assert.rejects(eyes.makeGood(`/orders/${name}`), /payout hold.{1,2} first/)
  await set('paid')
  await withoutGuards(s.db, (tx) => tx.query(`update orders set status = 'completed' where order_id = $1`, [redeem]))
  await eyes.makeGood(`/orders/${name}`)
  assert.deepEqual([await booked(s, 'coins'), await booked(s, 'mint_receivable')], [-AMOUNT, AMOUNT * 2n])
})

test('what was to be minted again, and was after all, is what makes it good; where it was minted again since, its integration owes it', async (t) => {
  for (const next of ['nothing', 'waits', 'minted'] as const) {
    const s = await chain.begin({ config: ALONE })
    await s.round()
    const first = await s.head()
    const name = await nameOf(s, await settleFrozen(s, mint(1)))
    await loseAfter(s, first.number)
    await sendFreeze(s, 1)
    await s.mine()
    await seeAgain(s)
    const eyes = await startEyes(s, t)
    await eyes.explain(1)
    const { number } = await s.head()
    await eyes.makeGood(`/orders/${name}`)
    await settleNext(s)
    const [remint] = await s.db.query<{ name: string; status: string }>(
      `select integration_id || '/' || reference_id as name, status from orders where integration_id = 'remints'`,
    )
    assert.equal(remint?.status, 'failed')
    if (next === 'minted') {
      await sendFreeze(s, 1, 'unfreeze')
      await s.mine()
    }
    if (next !== 'nothing') await eyes.makeGood(`/orders/${name}`)
    if (next === 'minted') await settleNext(s)
    await loseAfter(s, number)
    await sendFreeze(s, 1, 'unfreeze')
    await s.mine()
    await seeAgain(s)
    const owed = next === 'minted' ? 10n : 5n
    await requireBalances(s, { 1: owed })
    await eyes.explain(2)
    if (next === 'nothing') {
      assert.deepEqual(await differences(s), [`lost_order ${name}`, `executed_order ${remint?.name}`], 'it is there')
      await assert.rejects(eyes.makeGood(`/orders/${name}`), /coin order make-good ORDER .* for that one/)
    }
    if (next === 'waits') {
      await assert.rejects(eyes.makeGood(`/orders/${remint?.name}`), /being minted again/)
      await eyes.reject(`/orders/${remint?.name}%2F2`)
    }
    await eyes.makeGood(`/orders/${remint?.name}`)
    await lookAsSettler(s, 1)
    await requireBalances(s, { 1: owed })
    assert.deepEqual(await differences(s), [])
    assert.deepEqual([await booked(s, 'coins'), await booked(s, 'mint_receivable')], [-owed, owed])
  }
})

test('given up after its outcome was explained, what was executed after all is nowhere: it is forgotten, or booked as such', async (t) => {
  for (const isGood of [false, true]) {
    const s = await chain.begin({ config: ALONE })
    await settleFrozen(s, mint(3))
    const { number } = await s.head()
    const order = await settleFrozen(s, mint(1), 1)
    const name = await nameOf(s, order)
    await loseAfter(s, number)
    await seeAgain(s)
    await requireBalances(s, { 1: 5n })
    const eyes = await startEyes(s, t)
    await eyes.explain(2)
    if (isGood) await eyes.makeGood(`/orders/${name}`)
    await loseAfter(s, number)
    await settleAfter(s, 1n, [[...STRANGERS[0]]])
    await s.mine(2)
    await look(s)
    await eyes.giveUp(2)
    await lookAsSettler(s, 3)
    assert.deepEqual(
      [await booked(s, 'coins'), await booked(s, 'mint_receivable')],
      [-5n, 5n],
      'only what the batch before had minted',
    )
    assert.deepEqual(
      (await differences(s)).filter((each) => /order|outcome/.test(each)),
      [],
    )
  }
})

test('made good, given up, and there again by the bytes of its batch, it is made good once more', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await settleFrozen(s, mint(3))
  const { number } = await s.head()
  const name = await nameOf(s, await settleFrozen(s, mint(1), 1))
  const bytes = await rawOf(s, (await s.batches())[1]?.tx_hash ?? undefined)
  await loseAfter(s, number)
  await seeAgain(s)
  const eyes = await startEyes(s, t)
  await eyes.explain(2)
  await eyes.makeGood(`/orders/${name}`)
  const replaceBy = async (settle: () => Promise<unknown>) => {
    await loseAfter(s, number)
    await settle()
    await s.mine(2)
    await look(s)
    await eyes.giveUp(2, { giveUp: true })
    await lookAsSettler(s, 3)
  }
  await replaceBy(() => settleAfter(s, 1n, [[...STRANGERS[0]]]))
  await replaceBy(() => s.rpc('eth_sendRawTransaction', bytes))
  await requireBalances(s, { 1: 5n })
  assert.ok((await differences(s)).includes(`ended_order ${name}`))
  await eyes.makeGood(`/orders/${name}`)
  assert.deepEqual(await differences(s), [])
  assert.deepEqual([await booked(s, 'coins'), await booked(s, 'mint_receivable')], [-10n, 10n])
})

test('what is about to be minted back, and was burnt by nothing any more, is held until somebody rejects it', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, name } = await redeemFrozen(s, 1)
  const eyes = await startEyes(s, t)
  await eyes.explain(2)
  await eyes.makeGood(`/orders/${name}`)
  const { mined_block: mined } = (await s.batches())[0] ?? {}
  await loseAfter(s, (mined ?? 0n) + 1n)
  await requireBalances(s, { 1: AMOUNT })
  await settleAfter(s, 1n, [[...STRANGERS[0]]])
  await s.mine(2)
  await look(s)
  await eyes.giveUp(2)
  await lookAsSettler(s, 3)
  await requireBalances(s, { 1: AMOUNT })
  const [remint] = await s.db.query<{ id: bigint; name: string }>(
    `select order_id as id, integration_id || '/' || reference_id as name from orders where integration_id = 'remints'`,
  )
  assert.equal((await s.db.query('select from order_holds where order_id = $1', [remint?.id ?? 0n])).length, 1)
  await eyes.reject(`/orders/${remint?.name}`)
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  assert.deepEqual(
    (await differences(s)).filter((each) => /order|outcome/.test(each)),
    [],
  )
})
