// engine: postgres
/** What a chain had executed again with another outcome, and nobody had explained, before it was gone for good. */
// Runbook: A chain is gone for good
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLostCoins } from '../../src/reserves/lost-coins.sql.ts'
import { addBatchRow, someBatchId } from '../support/batch-rows.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { loseAfter, redeemFrozen, seeAgain, sendFreeze, settleFrozen } from './executing-again.ts'
import { lose } from './losing.ts'
import { AMOUNT, beginChain } from './lost-burn.ts'
import { ALONE, CHAIN, mint } from './repairing.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()

const owed = async (s: Stepped) => (await readLostCoins(s.db)).find(({ chainId }) => chainId === CHAIN)?.coinsMicro

test('a mint that was refused the second time is coin that is owed, as its partner was told', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await s.round()
  const { number } = await s.head()
  await settleFrozen(s, mint(1))
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  await lose(s, t)
  assert.equal(await owed(s), 5n)
})

test('a mint that had failed, and was executed the second time, is coin that is owed', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await s.round()
  const { number } = await s.head()
  await settleFrozen(s, mint(1), 1)
  await loseAfter(s, number)
  await seeAgain(s)
  await lose(s, t)
  assert.equal(await owed(s), 5n)
})

test('a redeem that was paid, and whose burn was refused the second time, is coin that is owed: its holder has it again', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await redeemFrozen(s)
  const losers = await lose(s, t)
  assert.equal(await owed(s), 0n, 'while it is not paid, the ringgit is owed')
  await losers.alone(`/payouts/${payoutId}/mark-paid`, { reference: 'BY HAND' })
  assert.equal(await s.stateOf(redeem), 'completed/COMPLETED')
  assert.equal(await owed(s), AMOUNT)
})

test('a redeem that has left the batch and was burnt by another one is not owed for what the batch did', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await redeemFrozen(s)
  const losers = await lose(s, t)
  await losers.alone(`/payouts/${payoutId}/mark-paid`, { reference: 'BY HAND' })
  const other = someBatchId()
  await withoutGuards(s.db, async (tx) => {
    await addBatchRow(tx, { chainId: CHAIN, batchId: other, status: 'final', orderIds: [redeem] })
    await tx.query('update orders set batch_id = $2, batch_index = 0 where order_id = $1', [redeem, other])
  })
  assert.equal(await owed(s), 0n)
})
