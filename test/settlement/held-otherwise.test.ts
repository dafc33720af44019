// engine: postgres
/** What the house is about to mint is held for its customer's suspension, and then because the holder has that coin: the end of the one does not end the other. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loseAfter, requireBalances, seeAgain, sendFreeze } from './executing-again.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { AMOUNT, beginChain, payoutOf, redeemed, refund } from './lost-burn.ts'
import { PARTIES } from './parties.ts'
import { ALONE } from './repairing.ts'

const chain = beginChain()
const { customerId } = PARTIES[0]

test('a refund of a burn that the chain has refused since is not let go with what a suspension has held: its holder got the coin twice', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await redeemed(s)
  const mined = (await s.batches())[1]?.mined_block ?? 0n
  await refund(s, payoutId)
  const say = (status: string) =>
    s.db.query(
      `update customers set verification_status = $2, verified_at = case $2 when 'VERIFIED' then now() end where customer_id = $1`,
      [customerId, status],
    )
  const heldBy = async () => (await s.db.query<{ reason: string }>('select reason from order_holds'))[0]?.reason
  await say('SUSPENDED')
  await s.round()
  assert.equal(await heldBy(), 'customer_suspended')
  await loseAfter(s, mined - 1n)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  await requireBalances(s, { 1: AMOUNT })
  const eyes = await startEyes(s, t)
  await eyes.explain(2)
  await say('VERIFIED')
  await assert.rejects(eyes.releaseOrders(customerId), /No order of .* is held for its suspension alone/)
  await sendFreeze(s, 1, 'unfreeze')
  await s.mine()
  await lookAsSettler(s, 2)
  await requireBalances(s, { 1: AMOUNT })
  assert.match((await heldBy()) ?? '', /the holder has the coin/)
  assert.equal((await payoutOf(s, redeem))?.status, 'rejected')
  await eyes.reject(`/orders/refunds/${payoutId}`)
})
