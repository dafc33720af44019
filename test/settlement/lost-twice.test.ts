// engine: postgres
/** What is lost with what it depends on: a mint that was minted again, a burn whose payout came back, a burn and its refund. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { zeroAddress } from 'viem'
import { KIND } from '../../src/chain/instructions.ts'
import type { Queryable } from '../../src/db/database.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { noteBurns } from '../../src/payouts/burns.sql.ts'
import { clearFromBefore } from '../../src/payouts/from-before.ts'
import { claimPayouts, roomFor } from '../support/claim-payouts.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { silent, wallet } from './fixture.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import {
  AMOUNT,
  balanceOf,
  beginChain,
  lookAtBurns,
  lostNow,
  nameOf,
  payoutOf,
  REDEEM,
  redeemed,
  refund,
  STRANGERS,
  settle,
} from './lost-burn.ts'
import { ALONE, CHAIN, mint } from './repairing.ts'
import { look, loseFinal, mintOf, settleAfter, settleOthers, tagOf } from './replacing.ts'
import { FATAL, type Stepped } from './stepped.ts'

const chain = beginChain()

/** The second of two final batches is lost behind strangers', and given up; `name` is that of its mint. */
async function loseSecond(s: Stepped, t: TestContext) {
  const [, second] = await loseFinal(s, { lost: 2 })
  await settleOthers(s, [...STRANGERS[0]])
  const eyes = await startEyes(s, t)
  await look(s)
  await eyes.giveUp(2)
  await lookAsSettler(s, 3)
  return { eyes, name: await nameOf(s, second), second }
}

test('a mint whose second mint the chain has lost, too, is minted once more, and only once', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { eyes, name } = await loseSecond(s, t)
  const target = `/orders/${name}`
  await eyes.makeGood(target)
  await lookAsSettler(s, 2)
  assert.equal(await balanceOf(s, 2), 5n)
  assert.equal((await lostNow(s))[name], undefined)

  const again = (await s.batches())[2]
  const { number } = await s.head()
  await s.rpc('anvil_reorg', Number(number - (again?.mined_block ?? 0n)) + 1, [])
  await s.rpc('anvil_dropAllTransactions')
  assert.equal(await balanceOf(s, 2), 0n)
  await settleAfter(s, 2n, [[...STRANGERS[1]]])
  await s.mine(2)
  await look(s)
  await eyes.giveUp(3)
  await lookAsSettler(s, 3)
  assert.equal(s.held(), 'none')
  const lost = await lostNow(s)
  assert.match(
    lost[name] ?? '',
    /and so is remints\/0x[0-9a-f]{16}, which had minted it again: run "coin order make-good \S+ --reason …"/,
  )
  const remints = Object.keys(lost).filter((each) => each.startsWith('remints/'))
  assert.deepEqual(remints, [], 'nothing of its own')
  const [remint] = await s.db.query<{ id: bigint }>(
    `select order_id as id from orders where integration_id = 'remints'`,
  )
  await assert.rejects(eyes.makeGood(`/orders/${await nameOf(s, remint?.id)}`), /had minted again what was lost before/)

  await eyes.makeGood(target)
  await lookAsSettler(s, 2)
  assert.equal(await balanceOf(s, 2), 5n)
  assert.equal((await lostNow(s))[name], undefined)
  await assert.rejects(eyes.makeGood(target), /was made good already/)
})

test('what the chain has again of a mint that is about to be minted again is what that was to do', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { eyes, name, second } = await loseSecond(s, t)
  await eyes.makeGood(`/orders/${name}`)
  const [remint] = await s.db.query<{ id: bigint }>(
    `select order_id as id from orders where integration_id = 'remints'`,
  )

  const { number } = await s.head()
  const [, others] = await s.batches()
  await s.rpc('anvil_reorg', Number(number - (others?.mined_block ?? 0n)) + 1, [])
  await s.rpc('anvil_dropAllTransactions')
  await settleOthers(s, [mintOf(2, await tagOf(s, second))])
  await look(s)
  await eyes.giveUp(2, { giveUp: true })
  await lookAsSettler(s, 3)
  assert.equal(await s.stateOf(remint?.id), 'completed/COMPLETED')
  assert.equal(await balanceOf(s, 2), 5n)
  assert.equal((await lostNow(s))[name], undefined)
})

test('the coin of a lost burn is not minted back though its redeem is not completed, and who has paid it is owed', async () => {
  const s = await chain.begin({ config: ALONE })
  const { payoutId, name, lose } = await redeemed(s)
  const eyes = await lose()
  assert.match((await lostNow(s))[name] ?? '', /is processing, and lost: .* the holder has the coin again/)
  const refund = await eyes.run(`/payouts/${payoutId}/refund`, {})
  assert.match(JSON.stringify(refund.body), /has lost the burn of its redeem/)
  assert.equal(await balanceOf(s, 1), AMOUNT)
  await assert.rejects(eyes.makeGood(`/orders/${name}`), /Its payout is not paid/)
  await withoutGuards(s.db, (tx) =>
    tx.query(`update payouts set status = 'sent', rail_reference = 'R' where payout_id = $1`, [payoutId]),
  )
  await eyes.makeGood(`/orders/${name}`)
  assert.equal((await lostNow(s))[name], undefined)
})

test('a burn and what minted it back, which the chain has lost both, are even: the coin is there once, and nobody owes anything', async () => {
  for (const which of ['refund', 'redeem']) {
    const s = await chain.begin({ config: ALONE })
    const { payoutId, name, lose } = await redeemed(s)
    await refund(s, payoutId)
    await s.round()
    await s.mine(2)
    await s.round()
    assert.equal(
      await s.stateOf((await s.db.query<{ id: bigint }>('select order_id as id from payouts'))[0]?.id),
      'failed/FAILED',
    )
    const eyes = await lose()
    assert.deepEqual(Object.keys(await lostNow(s)).toSorted(), [name, `refunds/${payoutId}`].toSorted())
    await eyes.makeGood(which === 'refund' ? `/orders/refunds/${payoutId}` : `/orders/${name}`)
    await lookAsSettler(s, 2)
    assert.deepEqual(await lostNow(s), {})
    assert.equal(await balanceOf(s, 1), AMOUNT)
    assert.deepEqual(await s.db.query(`select from orders where integration_id = 'remints'`), [])
    const coins = (await readBalances(s.db)).find(({ kind, owner }) => kind === 'coins' && owner === String(CHAIN))
    assert.equal(-(coins?.balanceMicro ?? 0n), AMOUNT, 'the books have what is there, but for what a stranger has made')
    for (const done of [name, `refunds/${payoutId}`])
      await assert.rejects(eyes.makeGood(`/orders/${done}`), /was made good already/)
  }
})

test('a payout that no rail was asked for, and whose burn is lost, is paid only once operators have released it', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, name, lose } = await redeemed(s, { until: 'seen' })
  const eyes = await lose()
  assert.deepEqual(await payoutOf(s, redeem), { status: 'held', reason: 'by_operator', burn: `${CHAIN}/2/0` })
  const claim = () => claimPayouts(s.db, { rail: 'http', limit: 10, claimMs: 60_000 })
  assert.deepEqual(await claim(), [])
  assert.match((await lostNow(s))[name] ?? '', /the holder has the coin again/)
  await eyes.release(`/payouts/${payoutId}`)
  assert.deepEqual(
    (await claim()).map((each) => each.payoutId),
    [payoutId],
  )
})

const burnOf = async (s: Stepped, redeem: bigint) => ({
  kind: KIND.REDEEM,
  from: wallet(1),
  to: zeroAddress,
  amount: AMOUNT,
  tag: await tagOf(s, redeem),
})

const NOBODY = { name: 'http', initiate: () => Promise.reject(new Error('nobody pays')) }

test('a payout that is held for a lost burn says when a later batch has burnt it, and is paid once it is released', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, name, lose } = await redeemed(s, { until: 'seen' })
  const eyes = await lose()
  assert.deepEqual(Object.keys(await lostNow(s)), [name])
  await settleAfter(s, 2n, [[await burnOf(s, redeem)]])
  await s.mine(2)
  await lookAsSettler(s, 1)
  assert.equal(await balanceOf(s, 1), 0n)
  assert.deepEqual(await lostNow(s), {})
  const [row] = await s.db.query<{ error: string }>('select last_error as error from payouts')
  assert.match(row?.error ?? '', /has it again: run "coin payout release"/)
  const told = s.logged.filter(({ msg }) => msg.includes('their burns, which it has again'))
  assert.deepEqual(
    told.map(({ payoutIds }) => payoutIds),
    [[payoutId]],
  )
  await assert.rejects(eyes.endUnpaid(`/orders/${name}`), /has not lost it/)
  await eyes.release(`/payouts/${payoutId}`)
  const fromBefore = await clearFromBefore({ db: s.db, rail: NOBODY, logger: silent }, roomFor(10))
  const claimed = await claimPayouts(s.db, { rail: 'http', limit: 10, claimMs: 60_000, fromBefore })
  assert.deepEqual(
    claimed.map((each) => each.payoutId),
    [payoutId],
  )
})

test('of a burn and what minted it back, which were lost both, and of which the chain has the burn again, the coin is minted back once more', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, name, lose } = await redeemed(s)
  await refund(s, payoutId)
  await s.round()
  await s.mine(2)
  await s.round()
  assert.equal((await s.order(redeem)).status, 'failed')
  const eyes = await lose([...STRANGERS[0], await burnOf(s, redeem)])
  assert.equal(await balanceOf(s, 1), 0n)
  assert.deepEqual(Object.keys(await lostNow(s)), [`refunds/${payoutId}`])
  await assert.rejects(eyes.makeGood(`/orders/${name}`), /has not lost it/)
  await eyes.makeGood(`/orders/refunds/${payoutId}`)
  await lookAsSettler(s, 2)
  assert.equal(await balanceOf(s, 1), AMOUNT)
  assert.deepEqual(await lostNow(s), {})
})

test('what was made good, and what the chain has again after that, is said, and stays on record', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, name, lose } = await redeemed(s, { until: 'seen' })
  await withoutGuards(s.db, (tx) =>
    tx.query(`update payouts set status = 'sent', rail = 'http', rail_reference = 'R' where payout_id = $1`, [
      payoutId,
    ]),
  )
  const eyes = await lose()
  await eyes.makeGood(`/orders/${name}`)
  await settleAfter(s, 2n, [[await burnOf(s, redeem)]])
  await s.mine(2)
  await lookAsSettler(s, 1)
  const told = s.logged.filter(({ msg }) => msg.includes('what it had lost of orders that were made good meanwhile'))
  assert.deepEqual(
    told.map(({ level, orderIds }) => [level, orderIds]),
    [[FATAL, [String(redeem)]]],
  )
  const closed = await s.db.query('select order_id from lost_orders where closed_at is not null')
  assert.deepEqual(closed, [{ order_id: redeem }])
  await assert.rejects(eyes.makeGood(`/orders/${name}`), /was made good already/)
})

test('what a rail was asked for already goes on: it may be paid', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, lose } = await redeemed(s, { until: 'seen' })
  assert.equal((await claimPayouts(s.db, { rail: 'http', limit: 10, claimMs: 1 })).length, 1)
  await lose()
  assert.deepEqual(await payoutOf(s, redeem), { status: 'queued', reason: null, burn: `${CHAIN}/2/0` })
})

test('coin that was about to be minted back for a burn which is lost then is not, before operators have decided', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, lose } = await redeemed(s)
  await refund(s, payoutId)
  const eyes = await lose()
  await lookAsSettler(s, 2)
  assert.equal(await balanceOf(s, 1), AMOUNT, 'the holder has the coin of the burn again')
  await eyes.reject(`/orders/refunds/${payoutId}`)
  assert.equal((await payoutOf(s, redeem))?.status, 'rejected')
  await lookAsSettler(s, 2)
  assert.equal(await balanceOf(s, 1), AMOUNT)
})

test('what is to be minted back for a burn that was lost, and that the chain has again, is named, and its hold says that it may go on', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, lose } = await redeemed(s)
  await refund(s, payoutId)
  await lose([...STRANGERS[0], await burnOf(s, redeem)])
  assert.deepEqual(await lostNow(s), {})
  const [held] = await s.db.query<{ id: bigint; reason: string }>('select order_id as id, reason from order_holds')
  assert.match(held?.reason ?? '', /Otherwise the chain has the burn again: release it$/)
  const said = s.logged.find(({ msg }) => /refunds are held .*which it has again/.test(msg))
  assert.deepEqual(said?.orderIds, [String(held?.id)])
})

test('a burn at the place of one that is lost pays its own payout', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, lose } = await redeemed(s)
  const [other = 0n] = await s.place(REDEEM)
  const burn = { kind: KIND.REDEEM, from: wallet(1), to: zeroAddress, amount: AMOUNT, tag: await tagOf(s, other) }
  await lose([burn])
  await lookAtBurns(s)
  assert.equal((await payoutOf(s, redeem))?.burn, `${CHAIN}/2/0`)
  assert.deepEqual(await payoutOf(s, other), { status: 'queued', reason: null, burn: `${CHAIN}/2/0/again/1` })
})

test('the payout of a burn that no payer had seen, and that the chain has again at another place, is paid', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, lose } = await redeemed(s, { until: 'burnt' })
  await lose([...STRANGERS[0], await burnOf(s, redeem)])
  assert.equal(await balanceOf(s, 1), 0n)
  await lookAtBurns(s)
  assert.equal((await payoutOf(s, redeem))?.burn, `${CHAIN}/2/1/again/1`)
})

test('nodes that are behind do not have a payer pay for a burn that was given up', async () => {
  const s = await chain.begin({ config: ALONE })
  const { lose } = await redeemed(s, { until: 'burnt' })
  await settle(s, mint(1, AMOUNT))
  const redeem = await settle(s, REDEEM)
  assert.equal(await s.stateOf(redeem), 'processing/PAYOUT_PENDING')
  await lose()
  assert.equal((await s.batches())[3]?.status, 'abandoned', 'nothing has its id yet')
  await s.db.query('update payouts set next_attempt_at = now()')
  await lookAtBurns(s, async (batches) => batches.map(() => ({ result: 'executed', successBitmap: 1n })))
  assert.deepEqual(await payoutOf(s, redeem), { status: 'held', reason: 'burn_not_seen', burn: null })
})

test('a burn that a payer is about to note while its batch is given up is not noted, and so not paid', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, lose } = await redeemed(s, { until: 'burnt' })
  await lookAtBurns(s, async (batches) => {
    await lose()
    return batches.map(() => ({ result: 'executed', successBitmap: 1n }))
  })
  assert.deepEqual(await payoutOf(s, redeem), { status: 'queued', reason: null, burn: null })
  await lookAtBurns(s)
  assert.deepEqual(await payoutOf(s, redeem), { status: 'held', reason: 'burn_not_seen', burn: null })
})

test('whoever gives a batch up waits for a payer that is about to note a burn of it, and holds its payout', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, name, lose } = await redeemed(s, { until: 'burnt' })
  let isLost = false
  const { losing } = await s.db.transaction(async (tx) => {
    const [own] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
    const isWaitedFor = async () =>
      (await s.db.query('select from pg_stat_activity where $1::int = any (pg_blocking_pids(pid))', [own?.pid ?? 0]))
        .length > 0
    let lost: Promise<unknown> | undefined
    // What a statement has locked, it judges by what was so when it began: the batch must not be given up between the two.
    const query: Queryable['query'] = async (text, params) => {
      if (text.includes('set burn = ')) {
        lost = lose().finally(() => {
          isLost = true
        })
        await waitFor('it to wait, or to be done', async () => isLost || (await isWaitedFor()))
      }
      return await tx.query(text, params)
    }
    const place = { chainId: CHAIN, batchId: 2n, takenBack: 0 }
    assert.deepEqual(await noteBurns({ query }, place, [{ payoutId, burn: `${CHAIN}/2/0` }]), [payoutId])
    return { losing: lost }
  })
  await losing
  assert.deepEqual(Object.keys(await lostNow(s)), [name])
  assert.deepEqual(await payoutOf(s, redeem), { status: 'held', reason: 'by_operator', burn: `${CHAIN}/2/0` })
})
