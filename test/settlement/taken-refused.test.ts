// engine: postgres
/** A redeem that has taken the burn of a batch of others, which the chain executes again, and refuses: its holder has the coin. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zeroAddress } from 'viem'
import { type Instruction, KIND } from '../../src/chain/instructions.ts'
import { holdPayout, queueAttempt } from '../../src/payouts/payouts.sql.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { differences, link, loseAfter, requireBalances, sendFreeze, settleFrozen } from './executing-again.ts'
import { wallet } from './fixture.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { AMOUNT, beginChain, lookAtBurns, payoutOf, REDEEM, refund } from './lost-burn.ts'
import { ALONE, CHAIN, mint } from './repairing.ts'
import { settleAfter, tagOf } from './replacing.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()

/** It was burnt by others, a payer has seen that, unless nothing is said of it, and its payout is so; then the chain refuses it. */
async function refuseTaken(
  s: Stepped,
  then: (payoutId: string) => Promise<void> = async () => {},
  { blocks = 2, isSeen = true } = {},
) {
  await link(s, 1)
  await settleFrozen(s, mint(1, AMOUNT))
  const { number } = await s.head()
  const [redeem = 0n] = await s.place(REDEEM)
  const burn: Instruction = {
    kind: KIND.REDEEM,
    from: wallet(1),
    to: zeroAddress,
    amount: AMOUNT,
    tag: await tagOf(s, redeem),
  }
  await settleAfter(s, 1n, [[burn]])
  await s.mine(2)
  await lookAsSettler(s, 1)
  if (isSeen) await lookAtBurns(s)
  assert.deepEqual(await payoutOf(s, redeem), { status: 'queued', reason: null, burn: isSeen ? `${CHAIN}/2/0` : null })
  const [payout] = await s.db.query<{ id: string }>('select payout_id as id from payouts')
  await then(payout?.id ?? '')
  const again = async ({ isRefused }: { isRefused: boolean }) => {
    await loseAfter(s, number)
    if (isRefused) await sendFreeze(s, 1)
    await s.mine()
    await settleAfter(s, 1n, [[burn]])
    await s.mine(blocks)
    await s.round()
    await requireBalances(s, { 1: isRefused ? AMOUNT : 0n })
  }
  await again({ isRefused: true })
  return { redeem, payoutId: payout?.id ?? '', again }
}

const refuseByRail = (s: Stepped) =>
  withoutGuards(s.db, (tx) => tx.query(`update payouts set status = 'rejected', times_asked = 1, rail = 'http'`))

test('its payout is held, where no rail was asked, and goes out only by two people', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await refuseTaken(s)
  assert.equal((await payoutOf(s, redeem))?.status, 'held')
  await (await startEyes(s, t)).release(`/payouts/${payoutId}`)
  await lookAsSettler(s, 1)
  assert.equal((await payoutOf(s, redeem))?.status, 'queued')
})

test('where people hold it for another reason, it says so, and is held by that once', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await refuseTaken(s, async (id) => {
    await s.db.transaction((tx) => holdPayout(tx, id))
  })
  const [{ said } = { said: '' }] = await s.db.query<{ said: string }>('select last_error as said from payouts')
  assert.match(
    said,
    /^The batch of others .* has refused that/,
    'who let it go read nothing of it, and it was paid within the second',
  )
  await (await startEyes(s, t)).release(`/payouts/${payoutId}`)
  await lookAsSettler(s, 2)
  assert.equal((await payoutOf(s, redeem))?.status, 'queued')
})

test('it is held again where the chain has burnt it meanwhile, and refuses it once more', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, again } = await refuseTaken(s)
  await (await startEyes(s, t)).release(`/payouts/${payoutId}`)
  await again({ isRefused: false })
  assert.equal((await payoutOf(s, redeem))?.status, 'queued')
  await again({ isRefused: true })
  assert.equal((await payoutOf(s, redeem))?.status, 'held')
})

for (const isReading of [false, true])
  test(`it is held again where another server has taken over that lacks that${isReading ? ', also while the chain is not read to its end' : ''}`, async () => {
    const s = await chain.begin({ config: ALONE })
    const { redeem } = await refuseTaken(s)
    await withoutGuards(s.db, (tx) =>
      tx.query(`update payouts set status = 'queued', hold_reason = null, last_error = null`),
    )
    await lookAsSettler(s, 1)
    assert.equal((await payoutOf(s, redeem))?.status, 'queued', 'as if people had released it')
    s.work.memory.recheck.on = 'an earlier timeline'
    s.work.memory.follow.readOn = isReading ? undefined : 'an earlier timeline'
    await s.round()
    assert.equal((await payoutOf(s, redeem))?.status, 'held')
  })

test('one that had come back says so to whoever would have it paid again, and is held once it is to be', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await refuseTaken(s, async () => {
    await refuseByRail(s)
    await s.db.query(`update payouts set last_error = 'closed account'`)
  })
  await lookAsSettler(s, 1)
  const [{ said } = { said: '' }] = await s.db.query<{ said: string }>('select last_error as said from payouts')
  assert.match(said, /^The batch of others .* has refused that: .*Why the payout came back: closed account$/)
  await s.db.transaction((tx) => queueAttempt(tx, payoutId))
  await lookAsSettler(s, 1)
  assert.equal((await payoutOf(s, redeem))?.status, 'held')
})

test('nor is its coin minted back: that is held, also while the block that has refused it is not final', async () => {
  const s = await chain.begin({ config: ALONE })
  await refuseTaken(
    s,
    async (payoutId) => {
      await refuseByRail(s)
      await refund(s, payoutId)
    },
    { blocks: 0 },
  )
  assert.equal((await s.db.query('select from order_holds')).length, 1)
  await s.mine(3)
  await s.round()
  await requireBalances(s, { 1: AMOUNT })
})

test('a refund that is begun once it is refused is held, too', async () => {
  const s = await chain.begin({ config: ALONE })
  const { payoutId } = await refuseTaken(s, async () => void (await refuseByRail(s)))
  await refund(s, payoutId)
  await s.round()
  assert.equal((await s.db.query('select from order_holds')).length, 1)
})

test('one whose burn no payer had seen awaits a batch again, and fails as the chain has it: resettle and release sent people to each other for ever', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await refuseTaken(s, undefined, { isSeen: false })
  const eyes = await startEyes(s, t)
  await eyes.release(`/payouts/${payoutId}`)
  await lookAtBurns(s)
  assert.equal((await payoutOf(s, redeem))?.reason, 'burn_not_seen')
  await eyes.resettle(payoutId)
  await lookAsSettler(s, 2)
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  await requireBalances(s, { 1: AMOUNT })
  assert.deepEqual(await differences(s), [])
})
