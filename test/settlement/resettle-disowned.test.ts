// engine: postgres
/** A redeem under whose tag a thief has minted, as people have said, and whose burn no payer had seen before the chain refused it: it is settled again. */
// Runbook: Payouts are held
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUnburnt } from '../../src/payouts/unburnt.sql.ts'
import { disownInBatch } from '../../src/settlement/explain/explain.ts'
import { proveUnburnt, resettle } from '../../src/settlement/explain/resettle.ts'
import { link, loseAfter, requireBalances, seeAgain, sendFreeze, settleFrozen, settleNext } from './executing-again.ts'
import { lookAsSettler } from './giving-up.ts'
import { AMOUNT, beginChain, lookAtBurns, payoutOf, REDEEM } from './lost-burn.ts'
import { PARTIES } from './parties.ts'
import { ALONE, CHAIN, mint } from './repairing.ts'
import { mintOf, settleAfter, tagOf } from './replacing.ts'

const chain = beginChain()

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
