// engine: postgres
/** A restore to before a redeem awaited a batch again that had been called burnt: a lost history has burnt it in another batch. */
// Runbook: Payouts are held
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUnburnt } from '../../src/payouts/unburnt.sql.ts'
import { proveUnburnt, resettle } from '../../src/settlement/explain/resettle.ts'
import { createCopying } from '../chain-model/copies.ts'
import {
  differences,
  link,
  loseAfter,
  requireBalances,
  seeAgain,
  sendFreeze,
  settleFrozen,
  settleNext,
} from './executing-again.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { AMOUNT, beginChain, lookAtBurns, payoutOf, REDEEM } from './lost-burn.ts'
import { ALONE, CHAIN, mint } from './repairing.ts'

const chain = beginChain()

test('a redeem that a lost history has burnt in another batch takes that outcome once it awaits a batch again, and is paid', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { copy, putBack } = await createCopying(s.db)
  await link(s, 1)
  await settleFrozen(s, mint(1, AMOUNT))
  const { number } = await s.head()
  const redeem = await settleFrozen(s, REDEEM)
  const [payout] = await s.db.query<{ id: string }>('select payout_id as id from payouts')
  assert.ok(payout)
  const before = await copy()
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  const lookAgain = async () => {
    await s.db.query('update payouts set next_attempt_at = now()')
    await lookAtBurns(s)
    return await payoutOf(s, redeem)
  }
  assert.equal((await lookAgain())?.reason, 'burn_not_seen')
  const unburnt = await findUnburnt(s.db, payout.id)
  const proven = unburnt && (await proveUnburnt(s.db, s.chain, unburnt))
  assert.ok(typeof proven === 'object')
  await s.db.transaction((tx) => resettle(tx, proven))
  await sendFreeze(s, 1, 'unfreeze')
  await s.mine()
  await settleNext(s)
  await requireBalances(s, { 1: 0n })
  await putBack(before)
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
  await s.forget()
  await lookAsSettler(s, 6)
  assert.equal((await lookAgain())?.reason, 'burn_not_seen', 'the chain has refused it in its batch')
  const eyes = await startEyes(s, t)
  await eyes.resettle(payout.id)
  await lookAsSettler(s, 2)
  assert.deepEqual(await lookAgain(), { status: 'queued', reason: null, burn: `${CHAIN}/3/0` })
  assert.equal(await s.stateOf(redeem), 'processing/PAYOUT_PENDING')
  await requireBalances(s, { 1: 0n })
  assert.deepEqual(await differences(s), [])
})
