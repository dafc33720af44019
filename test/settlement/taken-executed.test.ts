// engine: postgres
/** Orders that have taken from a batch of others that nothing was moved for them, and that the chain carries out when it executes that batch again. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Hex, zeroAddress } from 'viem'
import { type Instruction, KIND } from '../../src/chain/instructions.ts'
import { queueAttempt } from '../../src/payouts/payouts.sql.ts'
import { markSent } from '../../src/payouts/record-news.ts'
import { orderTag, refundTag } from '../../src/values/order-tag.ts'
import { startOperator } from '../operator/fixture.ts'
import { claimPayouts } from '../support/claim-payouts.ts'
import {
  booked,
  differences,
  link,
  loseAfter,
  race,
  requireBalances,
  sendFreeze,
  settleFrozen,
} from './executing-again.ts'
import { wallet } from './fixture.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { AMOUNT, beginChain, nameOf, payoutOf, REDEEM, redeemed, refund } from './lost-burn.ts'
import { PARTIES } from './parties.ts'
import { ALONE, mint } from './repairing.ts'
import { settleAfter } from './replacing.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()
const [PARTY] = PARTIES

const mintTo = (tag: Hex, amount = AMOUNT): Instruction => ({
  kind: KIND.MINT,
  from: zeroAddress,
  to: wallet(1),
  amount,
  tag,
})

/**
 * Others settle that behind a batch of ours, and the chain refuses it, because the wallet is frozen.
 * @returns what has the chain execute it again, as asked for
 */
async function refuseOthers(s: Stepped, last: bigint, ...instructions: Instruction[]) {
  const { number } = await s.head()
  const settleIt = async (isFrozen: boolean, blocks: number) => {
    if (isFrozen) await sendFreeze(s, 1)
    await s.mine()
    await settleAfter(s, last, [instructions])
    await s.mine(blocks)
  }
  await settleIt(true, 2)
  return async ({ blocks = 2, isRefused = false } = {}) => {
    await loseAfter(s, number)
    await settleIt(isRefused, blocks)
    await lookAsSettler(s, 1)
  }
}

const openOf = async (s: Stepped) => (await differences(s)).filter((each) => !/^payout_/.test(each)).toSorted()

test('a redeem that is burnt after all has ended: its integration is owed the coin once two people have said so', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await link(s, 1)
  await settleFrozen(s, mint(1, AMOUNT))
  const tag = orderTag(PARTY.integrationId, 'taken-order')
  const executeAgain = await refuseOthers(s, 1n, {
    kind: KIND.REDEEM,
    from: wallet(1),
    to: zeroAddress,
    amount: AMOUNT,
    tag,
  })
  const [redeem = 0n] = await s.place({ ...REDEEM, party: PARTY, referenceId: 'taken-order' })
  await lookAsSettler(s, 1)
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  const before = await booked(s, 'mint_receivable')
  await executeAgain()
  await requireBalances(s, { 1: 0n })
  const name = await nameOf(s, redeem)
  assert.ok((await openOf(s)).includes(`ended_order ${name}`), String(await openOf(s)))
  await (await startEyes(s, t)).makeGood(`/orders/${name}`)
  assert.deepEqual(await openOf(s), [])
  assert.equal((await booked(s, 'mint_receivable')) - before, -AMOUNT)
  await executeAgain({ isRefused: true })
  await requireBalances(s, { 1: AMOUNT })
  assert.deepEqual(await openOf(s), [])
  assert.equal(
    await booked(s, 'mint_receivable'),
    before,
    'its holder has the coin, and it was owed to the integration, too',
  )
  await executeAgain()
  assert.ok((await openOf(s)).includes(`ended_order ${name}`), String(await openOf(s)))
  await (await startEyes(s, t)).makeGood(`/orders/${name}`)
  assert.deepEqual(await openOf(s), [])
  assert.equal((await booked(s, 'mint_receivable')) - before, -AMOUNT)
})

/** A refund has taken that it minted nothing; then something is done about its payout, and it has minted the coin back. */
async function mintBackAfterAll(s: Stepped, then: (payoutId: string) => Promise<void>, { blocks = 2 } = {}) {
  const { redeem, payoutId } = await redeemed(s)
  const executeAgain = await refuseOthers(s, 2n, mintTo(refundTag(payoutId)))
  await refund(s, payoutId)
  await lookAsSettler(s, 1)
  assert.equal((await payoutOf(s, redeem))?.status, 'rejected')
  await then(payoutId)
  await executeAgain({ blocks })
  await requireBalances(s, { 1: AMOUNT })
  return { redeem, payoutId, executeAgain }
}

test('a payout that was to be paid again is held once its coin was minted back, and ends so', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await mintBackAfterAll(s, (id) => s.db.transaction((tx) => queueAttempt(tx, id)))
  assert.equal((await payoutOf(s, redeem))?.reason, 'by_operator')
  await (await startEyes(s, t)).makeGood(`/orders/refunds/${payoutId}`)
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.deepEqual(await openOf(s), [])
})

test('one that has ended so is owed to its integration where the chain refuses that again, and no more once it is there: its holder had neither coin nor ringgit', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, executeAgain } = await mintBackAfterAll(s, async () => {})
  const before = await booked(s, 'mint_receivable')
  const eyes = await startEyes(s, t)
  await eyes.makeGood(`/orders/refunds/${payoutId}`)
  await executeAgain({ isRefused: true })
  await requireBalances(s, { 1: 0n })
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal((await booked(s, 'mint_receivable')) - before, -AMOUNT)
  assert.deepEqual(await openOf(s), [])
  await executeAgain()
  await eyes.makeGood(`/orders/refunds/${payoutId}`)
  assert.equal(await booked(s, 'mint_receivable'), before)
  assert.deepEqual(await openOf(s), [])
})

test('while its block may go it is to be paid still, and nothing is written down', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem } = await mintBackAfterAll(s, (id) => s.db.transaction((tx) => queueAttempt(tx, id)), { blocks: 0 })
  const statusOf = async () => (await payoutOf(s, redeem))?.status
  const succeeded = async () =>
    (
      await s.db.query<{ succeeded: boolean }>('select succeeded from foreign_instructions where order_id is not null')
    ).map((row) => row.succeeded)
  assert.deepEqual([await statusOf(), await succeeded()], ['queued', [false]])
  await s.mine(3)
  await lookAsSettler(s, 1)
  assert.deepEqual([await statusOf(), await succeeded()], ['held', []])
})

test('nor is its coin minted back once more, also while the block is not final', async (t) => {
  for (const blocks of [0, 2]) {
    const s = await chain.begin({ config: ALONE })
    const { redeem, payoutId } = await mintBackAfterAll(s, (id) => refund(s, id), { blocks })
    await s.mine(3)
    await lookAsSettler(s, 2)
    await requireBalances(s, { 1: AMOUNT })
    const eyes = await startEyes(s, t)
    await eyes.reject(`/orders/refunds/${payoutId}%2F2`)
    await assert.rejects(eyes.retry(payoutId), /order make-good/)
    await eyes.makeGood(`/orders/refunds/${payoutId}`)
    assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
    assert.deepEqual(await openOf(s), [])
  }
})

test('what people let go all the same is paid, and owed beside the coin: it was held for ever by what had minted that', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await mintBackAfterAll(s, (id) => s.db.transaction((tx) => queueAttempt(tx, id)))
  const before = await booked(s, 'mint_receivable')
  const eyes = await startEyes(s, t)
  await eyes.release(`/payouts/${payoutId}`)
  await paidByRail(s, payoutId)
  assert.equal((await payoutOf(s, redeem))?.status, 'sent')
  assert.equal(await s.stateOf(redeem), 'completed/COMPLETED')
  await eyes.makeGood(`/orders/refunds/${payoutId}`)
  assert.equal((await booked(s, 'mint_receivable')) - before, AMOUNT)
  assert.deepEqual(await openOf(s), [])
})

test('two refunds that have both minted its coin back after all are made good one after the other: each was refused because of the other', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await redeemed(s)
  const executeAgain = await refuseOthers(s, 2n, ...[payoutId, `${payoutId}/2`].map((name) => mintTo(refundTag(name))))
  for (let each = 0; each < 2; each += 1) {
    await refund(s, payoutId)
    await lookAsSettler(s, 1)
    assert.equal((await payoutOf(s, redeem))?.status, 'rejected')
  }
  await executeAgain()
  await requireBalances(s, { 1: 2n * AMOUNT })
  const before = await booked(s, 'mint_receivable')
  const eyes = await startEyes(s, t)
  await eyes.makeGood(`/orders/refunds/${payoutId}`)
  await eyes.makeGood(`/orders/refunds/${payoutId}%2F2`)
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal((await booked(s, 'mint_receivable')) - before, AMOUNT)
  assert.deepEqual(await openOf(s), [])
})

test('what people have paid by hand beside it counts so, and the coin is owed: nobody could say that it was paid', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await mintBackAfterAll(s, async () => {})
  const before = await booked(s, 'mint_receivable')
  const eyes = await startEyes(s, t)
  await eyes.markPaid(payoutId)
  assert.equal((await payoutOf(s, redeem))?.status, 'paid_by_hand')
  await eyes.makeGood(`/orders/refunds/${payoutId}`)
  assert.equal((await booked(s, 'mint_receivable')) - before, AMOUNT)
  assert.deepEqual(await openOf(s), [])
})

test('whoever has it paid, or minted back, at the moment at which the chain is seen to have done so sees that, or is seen', async (t) => {
  for (const isSettlerFirst of [true, false])
    for (const command of ['retry', 'refund'] as const) {
      const s = await chain.begin({ config: ALONE })
      const { redeem, payoutId } = await mintBackAfterAll(s, async () => {}, { blocks: 0 })
      await s.mine(3)
      const coin = await startOperator({ db: s.db, chains: [s.chain] })
      t.after(() => coin.close())
      const people = () => coin.cli(['payout', command, payoutId])
      const settler = () => lookAsSettler(s, 1)
      const said = isSettlerFirst
        ? (await race(s, 'select from payouts for update', settler, people))[1]
        : (await race(s, 'lock table audit_log in exclusive mode', people, settler))[0]
      const held = await s.db.query('select from order_holds')
      const isSeen = command === 'retry' ? (await payoutOf(s, redeem))?.status === 'held' : held.length > 0
      assert.ok(isSeen || /order make-good/.test(said.stderr), `${command}, ${isSettlerFirst}: ${said.stderr}`)
    }
})

/** Its rail is asked, and takes it. */
async function paidByRail(s: Stepped, payoutId: string) {
  const [claim] = await claimPayouts(s.db, { rail: 'http', limit: 1, claimMs: 60_000 })
  assert.equal(claim?.payoutId, payoutId)
  const acceptance = { railReference: 'R', rail: 'http', effectiveAt: new Date() }
  return await s.db.transaction((tx) => markSent(tx, claim, acceptance))
}
