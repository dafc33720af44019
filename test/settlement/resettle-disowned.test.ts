// engine: postgres
/** A redeem under whose tag a thief has minted, as people have said, and whose burn no payer had seen before the chain refused it: it is settled again. */
// Runbook: Payouts are held
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUnburnt } from '../../src/payouts/unburnt.sql.ts'
import { disownInBatch } from '../../src/settlement/explain/explain.ts'
import { proveUnburnt, resettle } from '../../src/settlement/explain/resettle.ts'
import { addBatchRow, someBatchId } from '../support/batch-rows.ts'
import {
  link,
  loseAfter,
  redeemFrozen,
  requireBalances,
  seeAgain,
  sendFreeze,
  settleFrozen,
  settleNext,
} from './executing-again.ts'
import { wallet } from './fixture.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { AMOUNT, beginChain, lookAtBurns, nameOf, payoutOf, REDEEM } from './lost-burn.ts'
import { PARTIES } from './parties.ts'
import { ALONE, CHAIN, mint } from './repairing.ts'
import { mintOf, settleAfter, tagOf } from './replacing.ts'

const chain = beginChain()
const OTHER = CHAIN + 1_000

test('what people have said is not its own does not keep it burnt for ever', async () => {
  const s = await chain.begin({ config: ALONE })
  await link(s, 1)
  await settleFrozen(s, mint(1, AMOUNT))
  const [redeem = 0n] = await s.place(REDEEM)
  await s.round()
  await settleAfter(s, 1n, [[mintOf(5, await tagOf(s, redeem))]])
  await s.mine(2)
  await lookAsSettler(s, 2)
  const [{ reference } = { reference: '' }] = await s.db.query<{ reference: string }>(
    'select reference_id as reference from orders where order_id = $1',
    [redeem],
  )
  const name = { integrationId: PARTIES[0].integrationId, referenceId: reference }
  const said = await s.db.transaction((tx) => disownInBatch(tx, { chainId: CHAIN, batchId: 2n }, name, undefined))
  assert.equal('next' in said && said.next, 'settles')
  const { number } = await s.head()
  await settleNext(s)
  await requireBalances(s, { 1: 0n })
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  await lookAtBurns(s)
  assert.equal((await payoutOf(s, redeem))?.reason, 'burn_not_seen')
  const [payout] = await s.db.query<{ id: string }>('select payout_id as id from payouts')
  const unburnt = await findUnburnt(s.db, payout?.id ?? '')
  const proven = unburnt && (await proveUnburnt(s.db, s.chain, unburnt))
  assert.ok(typeof proven === 'object', String(proven))
  assert.equal(typeof (await s.db.transaction((tx) => resettle(tx, proven))), 'object')
  await sendFreeze(s, 1, 'unfreeze')
  await s.mine()
  await settleNext(s)
  await requireBalances(s, { 1: 0n })
})

test('what others have settled under its tag on another chain does not either: waiting again, it is kept out of batches until people disown that', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await redeemFrozen(s, undefined, { isSeen: false })
  const batchId = someBatchId()
  await s.db.query(
    `insert into chains (chain_id, coin_address, settlement_address, genesis_hash) values ($1, '0x1', '0x2', '0x0')`,
    [OTHER],
  )
  await addBatchRow(s.db, { chainId: OTHER, batchId, status: 'final', isForeign: true, orderIds: [] })
  await s.db.query(
    `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
     values ($1, $2, 0, $3, 'MINT', $4, $5, true)`,
    [OTHER, batchId, await tagOf(s, redeem), wallet(1), AMOUNT],
  )
  await lookAtBurns(s)
  await (await startEyes(s, t)).resettle(payoutId)
  await sendFreeze(s, 1, 'unfreeze')
  await s.mine()
  await lookAsSettler(s, 2)
  await requireBalances(s, { 1: AMOUNT })
  assert.equal(await s.stateOf(redeem), 'processing/SUBMITTED')
  const [integrationId = '', referenceId = ''] = (await nameOf(s, redeem)).split('/')
  const said = await s.db.transaction((tx) =>
    disownInBatch(tx, { chainId: OTHER, batchId }, { integrationId, referenceId }, undefined),
  )
  assert.equal('next' in said && said.next, 'settles')
  await lookAsSettler(s, 2)
  await requireBalances(s, { 1: 0n })
})
