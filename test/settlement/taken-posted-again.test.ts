// engine: postgres
/** A redeem that was posted again after a restore, once what others had burnt under its tag was read, and that the chain refuses since. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zeroAddress } from 'viem'
import { type Instruction, KIND } from '../../src/chain/instructions.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { differences, link, loseAfter, requireBalances, sendFreeze, settleFrozen } from './executing-again.ts'
import { wallet } from './fixture.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { AMOUNT, beginChain, lookAtBurns, payoutOf, REDEEM } from './lost-burn.ts'
import { PARTIES } from './parties.ts'
import { ALONE, mint } from './repairing.ts'
import { settleAfter } from './replacing.ts'

const chain = beginChain()
const [PARTY] = PARTIES

test('it awaits a batch again, and fails as the chain has it: its batch was read before it was accepted', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await link(s, 1)
  await settleFrozen(s, mint(1, AMOUNT))
  const { number } = await s.head()
  const tag = orderTag(PARTY.integrationId, 'posted-again')
  const burn: Instruction = { kind: KIND.REDEEM, from: wallet(1), to: zeroAddress, amount: AMOUNT, tag }
  await settleAfter(s, 1n, [[burn]])
  await s.mine(2)
  await lookAsSettler(s, 1)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const [redeem = 0n] = await s.place({ ...REDEEM, party: PARTY, referenceId: 'posted-again' })
  await lookAsSettler(s, 1)
  assert.equal((await payoutOf(s, redeem))?.status, 'queued')
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await settleAfter(s, 1n, [[burn]])
  await s.mine(2)
  await lookAtBurns(s)
  assert.equal((await payoutOf(s, redeem))?.reason, 'burn_not_seen')
  const [payout] = await s.db.query<{ id: string }>('select payout_id as id from payouts')
  const eyes = await startEyes(s, t)
  await eyes.resettle(payout?.id ?? '')
  await lookAsSettler(s, 2)
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  await requireBalances(s, { 1: AMOUNT })
  assert.deepEqual(await differences(s), [])
})
