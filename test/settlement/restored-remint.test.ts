// engine: postgres
/**
 * A restore to before a redeem was decided that the chain had refused, and executed after all: its partner was told that it failed, and its coin was
 * minted back for that. The database knows of neither.
 */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readLostCoins } from '../../src/reserves/lost-coins.sql.ts'
import { insertGivenUp } from '../../src/settlement/tables/explanations.sql.ts'
import { asRole, type TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { mintBackSinceCopy } from './burn-refused.ts'
import { booked, differences, requireBalances, settleNext } from './executing-again.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { endAll, lose } from './losing.ts'
import { AMOUNT, beginChain, lookAtBurns, payoutOf } from './lost-burn.ts'
import { ALONE, CHAIN } from './repairing.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()

/** The batch of the redeem was signed when the database was copied; of what minted the coin back it knows nothing. */
async function restoreBefore(s: Stepped, t: TestContext) {
  const { redeem, restore } = await mintBackSinceCopy(s, t)
  await settleNext(s)
  await requireBalances(s, { 1: AMOUNT })
  await restore()
  await lookAsSettler(s, 6)
  assert.deepEqual(
    (await s.batches()).map((each) => [each.batch_id, each.status, each.is_foreign]),
    [
      [1n, 'final', false],
      [2n, 'final', false],
      [3n, 'final', true],
      [4n, 'final', false],
    ],
  )
  const payer = (await asRole(s.db, 'payer')) as TestDatabase
  await lookAtBurns({ ...s, db: payer })
  await payer.close()
  const [payout] = await s.db.query<{ id: string }>('select payout_id as id from payouts')
  return { redeem, payoutId: payout?.id ?? '', eyes: await startEyes(s, t) }
}

test('a redeem whose coin a lost history has minted back is not paid: its refund takes that outcome, and mints nothing', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, eyes } = await restoreBefore(s, t)
  assert.deepEqual(await payoutOf(s, redeem), { status: 'rejected', reason: null, burn: `${CHAIN}/2/0` })
  await assert.rejects(eyes.retry(payoutId), /instruction 0 of batch 3/)
  await eyes.refund(payoutId)
  await lookAsSettler(s, 3)
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  await requireBalances(s, { 1: AMOUNT })
  assert.deepEqual(await differences(s), [])
  assert.deepEqual([await booked(s, 'coins'), await booked(s, 'redeem_payable')], [-AMOUNT, 0n])
})

test('likewise where a part of a sen of it has gone out with a later payout: its integration owes that', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, eyes } = await restoreBefore(s, t)
  await withoutGuards(s.db, (tx) => tx.query('update customer_residuals set owed_micro = 0'))
  const owed = await booked(s, 'mint_receivable')
  await eyes.refund(payoutId)
  await lookAsSettler(s, 3)
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  await requireBalances(s, { 1: AMOUNT })
  const part = AMOUNT % 10_000n
  assert.deepEqual([await booked(s, 'coins'), (await booked(s, 'mint_receivable')) - owed], [-AMOUNT, part])
  // The part was taken away without an entry.
  const open = (await differences(s)).filter((each) => !/^books/.test(each))
  assert.deepEqual(open, [])
})

test('where operators say that no order asked for that mint, its payout is paid after all', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, eyes } = await restoreBefore(s, t)
  await eyes.explain(3)
  await eyes.retry(payoutId)
  assert.equal((await payoutOf(s, redeem))?.status, 'queued')
})

test('where they have only given up the batch of that mint, it is not: what the chain has lost may be executed again', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { payoutId, eyes } = await restoreBefore(s, t)
  await insertGivenUp(s.db, CHAIN, 3n, 'the chain has lost it')
  await assert.rejects(eyes.retry(payoutId), /instruction 0 of batch 3/)
})

test('on a chain that is gone for good its payout ends as minted back: refund and retry sent people to each other for ever', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await restoreBefore(s, t)
  const { one, alone } = await lose(s, t)
  const retry = await one(`/payouts/${payoutId}/retry`, {})
  assert.match(retry.body.error.message, /"coin payout refund po_\w+" takes that outcome/)
  await alone(`/payouts/${payoutId}/refund`, {})
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  assert.deepEqual([await booked(s, 'coins'), await booked(s, 'redeem_payable')], [-AMOUNT, 0n])
  assert.deepEqual(
    (await readLostCoins(s.db)).map(({ coinsMicro }) => coinsMicro),
    [AMOUNT],
  )
})

test('a refund under way takes that outcome when its chain is called lost', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, eyes } = await restoreBefore(s, t)
  await eyes.refund(payoutId)
  await lose(s, t)
  await endAll(s)
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.deepEqual(
    (await readLostCoins(s.db)).map(({ coinsMicro }) => coinsMicro),
    [AMOUNT],
  )
})
