// engine: postgres
/** Coin that a history which a restore has lost has minted back for a payout, under another name, or of another amount, than is asked for now. */
// Runbook: Backup and restore
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createCopying } from '../chain-model/copies.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { booked, differences, requireBalances, settleNext } from './executing-again.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { AMOUNT, beginChain, payoutOf, redeemed, refund } from './lost-burn.ts'
import { ALONE, CHAIN } from './repairing.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()

/** Its payout has come back when the database is copied, and its coin is minted back since. */
async function restoreBefore(
  s: Stepped,
  mintBack: (payoutId: string) => Promise<void>,
  then: (payoutId: string) => Promise<void> = async () => {},
) {
  const { copy, putBack } = await createCopying(s.db)
  const { redeem, payoutId } = await redeemed(s)
  const before = await copy()
  await mintBack(payoutId)
  await settleNext(s)
  await putBack(before)
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
  await s.forget()
  await then(payoutId)
  await lookAsSettler(s, 4)
  return { redeem, payoutId }
}

test('the second refund of a lost history is found where its first had never been signed: the coin was minted back twice', async (t: TestContext) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await restoreBefore(s, async (id) => {
    await refund(s, id)
    await (await startEyes(s, t)).reject(`/orders/refunds/${id}`)
    await refund(s, id)
  })
  const eyes = await startEyes(s, t)
  await assert.rejects(eyes.retry(payoutId), /minted back/)
  await eyes.refund(payoutId)
  await lookAsSettler(s, 3)
  await requireBalances(s, { 1: AMOUNT })
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.deepEqual(await differences(s), [])
})

/** Of a part of a sen something has gone out with a later payout, as far as this database knows. */
const leave = (s: Stepped, micro: bigint) =>
  withoutGuards(s.db, (tx) => tx.query('update customer_residuals set owed_micro = $1', [micro]))
const PART = AMOUNT % 10_000n

test('what a lost history has minted back but for a part of a sen is taken, and not in conflict: rejected and begun anew, its coin was minted twice', async (t) => {
  for (const when of ['begun since', 'begun before it was read'] as const) {
    const s = await chain.begin({ config: ALONE })
    const { redeem, payoutId } = await restoreBefore(
      s,
      async (id) => {
        await leave(s, 1n)
        await refund(s, id)
      },
      async (id) => {
        if (when === 'begun before it was read') await refund(s, id)
      },
    )
    if (when === 'begun since') await (await startEyes(s, t)).refund(payoutId)
    await lookAsSettler(s, 3)
    await requireBalances(s, { 1: AMOUNT - PART + 1n })
    assert.equal((await payoutOf(s, redeem))?.status, 'refunded', when)
    assert.deepEqual(await differences(s), [], when)
    assert.equal(await booked(s, 'coins'), -(AMOUNT - PART + 1n))
  }
})

test('likewise where that had minted more: its integration owes the part', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await restoreBefore(s, (id) => refund(s, id))
  await leave(s, 1n)
  const owed = await booked(s, 'mint_receivable')
  await (await startEyes(s, t)).refund(payoutId)
  await lookAsSettler(s, 3)
  await requireBalances(s, { 1: AMOUNT })
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal((await booked(s, 'mint_receivable')) - owed, PART - 1n)
  assert.equal(await booked(s, 'coins'), -AMOUNT)
})
