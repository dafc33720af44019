// engine: postgres
/** Redeems whose burn a chain had lost before it was gone for good, and that nobody wants any more: they end unpaid by the word of two. */
// Runbook: A chain is gone for good
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOrderWithFacts } from '../../src/operator/orders/orders.sql.ts'
import { readLostCoins } from '../../src/reserves/lost-coins.sql.ts'
import { endRedeem } from '../../src/settlement/explain/make-good.ts'
import { findChainAgain } from '../../src/settlement/lost/lose.ts'
import { setExplained } from '../../src/settlement/tables/outcomes.sql.ts'
import { booked, differences, loseAfter, redeemFrozen } from './executing-again.ts'
import { lookAsSettler } from './giving-up.ts'
import { findAgain, lose } from './losing.ts'
import { AMOUNT, balanceOf, beginChain } from './lost-burn.ts'
import { ALONE, CHAIN } from './repairing.ts'

const chain = beginChain()

test('a redeem whose burn it had refused the second time, and that nobody wants any more, ends unpaid: its coin is owed instead', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, name, payoutId } = await redeemFrozen(s)
  const losers = await lose(s, t)
  const end = { reason: 'nobody wants it', unpaid: true }
  const early = await losers.one(`/orders/${name}/make-good`, end)
  assert.equal(early.status, 409, 'nobody has said anything of its batch')
  await losers.alone(`/batches/${CHAIN}/2/explain`, { reason: 'as it was seen' })
  const { result } = await losers.alone(`/orders/${name}/make-good`, end)
  assert.equal(result, 'ended')
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  const [lost] = await readLostCoins(s.db)
  assert.deepEqual([lost?.coinsMicro, await booked(s, 'redeem_payable')], [AMOUNT, 0n])
  const paid = await losers.one(`/payouts/${payoutId}/mark-paid`, { reference: 'BY HAND' })
  assert.equal(paid.status, 409)
  await findAgain(s, t)
  await lookAsSettler(s, 3)
  assert.deepEqual(await differences(s), [], 'its nodes say so, too')
})

test('where the chain is found, and has burnt it after all, that is named, and its integration is owed the coin', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { name } = await redeemFrozen(s)
  const minted = (await s.batches())[0]?.mined_block ?? 0n
  const losers = await lose(s, t)
  await losers.alone(`/batches/${CHAIN}/2/explain`, { reason: 'as it was seen' })
  await losers.alone(`/orders/${name}/make-good`, { reason: 'nobody wants it', unpaid: true })
  const owes = await booked(s, 'mint_receivable')
  const operators = await findAgain(s, t)
  await lookAsSettler(s, 3)
  await loseAfter(s, minted + 1n)
  await s.mine()
  await lookAsSettler(s, 4)
  assert.equal(await balanceOf(s, 1), 0n)
  assert.deepEqual(await differences(s), [`supply ${CHAIN}`, `other_outcome ${CHAIN}/2`])
  await operators.alone(`/batches/${CHAIN}/2/explain`, { reason: 'it was burnt' })
  assert.deepEqual(await differences(s), [])
  assert.equal((await booked(s, 'mint_receivable')) - owes, -AMOUNT)
})

test('what was to end unpaid while its chain was lost is asked of its nodes once that is found', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, name } = await redeemFrozen(s)
  const losers = await lose(s, t)
  await losers.alone(`/batches/${CHAIN}/2/explain`, { reason: 'as it was seen' })
  await s.db.transaction((tx) => findChainAgain(tx, CHAIN))
  const [integrationId = '', referenceId = ''] = name.split('/')
  const done = await s.db.transaction(async (tx) => {
    await setExplained(tx, CHAIN, 2n, 'by its nodes')
    await tx.query('update settlement_holds set history_read_on = database_timeline(), seen_at = now()')
    await tx.query('update chains set fenced_on = database_timeline()')
    const { order } = (await findOrderWithFacts(tx, integrationId, referenceId)) ?? assert.fail()
    return await endRedeem(tx, order, { batchId: 2n, isOfLostChain: true })
  })
  assert.deepEqual(done, { refused: 'unsure' })
  assert.equal(await s.stateOf(redeem), 'processing/PAYOUT_HELD')
})
