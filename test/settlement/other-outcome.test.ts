// engine: postgres
/** Two people end it that the chain has executed a final batch of ours again with another outcome: what became of each order is noted and made good. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { describeBatch } from '../../src/operator/approvals/about-batch.ts'
import { noteBurns } from '../../src/payouts/burns.sql.ts'
import { readReserveFacts } from '../../src/reserves/facts.sql.ts'
import { withoutGuards } from '../support/without-guards.ts'
import {
  booked,
  differences,
  link,
  loseAfter,
  redeemFrozen,
  requireBalances,
  seeAgain,
  sendFreeze,
  settleFrozen,
  toldOtherwise,
} from './executing-again.ts'
import { keyOf, wallet } from './fixture.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { AMOUNT, lookAtBurns, nameOf, payoutOf } from './lost-burn.ts'
import { ALONE, CHAIN, mint, rawOf } from './repairing.ts'
import { type SteppedChain, startStepped } from './stepped.ts'

const ASKED = {
  method: 'POST',
  path: `/batches/${CHAIN}/1/explain`,
  params: { chainId: String(CHAIN), batchId: '1' },
  body: {},
  operatorId: null,
}
const TRANSFER = { direction: 'TRANSFER', amountMicro: AMOUNT, from: wallet(1), to: wallet(2) } as const

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

test('a mint that had completed, and is refused the second time, is noted once two people have said so, and minted again', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await s.round()
  const { number } = await s.head()
  const order = await settleFrozen(s, mint(1))
  const name = await nameOf(s, order)
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  assert.deepEqual(toldOtherwise(s), [[`${name} was refused`]])
  assert.deepEqual(await differences(s), [`supply ${CHAIN}`, `other_outcome ${CHAIN}/1`])
  const eyes = await startEyes(s, t)
  await assert.rejects(eyes.makeGood(`/orders/${name}`), /once that is explained/)
  await eyes.explain(1)
  assert.deepEqual(await differences(s), [`supply ${CHAIN}`, `lost_order ${name}`])
  await sendFreeze(s, 1, 'unfreeze')
  await s.mine()
  await eyes.makeGood(`/orders/${name}`)
  await lookAsSettler(s, 2)
  await requireBalances(s, { 1: 5n })
  assert.deepEqual(await differences(s), [])
  assert.equal(await s.stateOf(order), 'completed/COMPLETED', 'as its partner was told')
  await s.forget()
  await lookAsSettler(s, 1)
  assert.equal(toldOtherwise(s).length, 1, 'it was explained, and is told no more')
})

test('a mint that had failed, and is executed the second time, is booked as owed by its integration', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await s.round()
  const { number } = await s.head()
  const coins = async () => (await readReserveFacts(s.db)).coinsMicro
  const before = await coins()
  const order = await settleFrozen(s, mint(1), 1)
  const name = await nameOf(s, order)
  assert.equal(await s.stateOf(order), 'failed/FAILED')
  await loseAfter(s, number)
  await seeAgain(s)
  assert.deepEqual(toldOtherwise(s), [[`${name} was executed`]])
  const eyes = await startEyes(s, t)
  await eyes.explain(1)
  assert.deepEqual(await differences(s), [`supply ${CHAIN}`, `executed_order ${name}`])
  assert.equal((await coins()) - before, 5n, 'the coin is there, whatever the books have')
  await eyes.makeGood(`/orders/${name}`)
  assert.deepEqual(await differences(s), [])
  assert.deepEqual([await booked(s, 'coins'), await booked(s, 'mint_receivable')], [-5n, 5n])
  assert.equal((await coins()) - before, 5n)
  assert.equal(await s.stateOf(order), 'failed/FAILED', 'as its partner was told')
  await assert.rejects(eyes.makeGood(`/orders/${name}`), /made good already/)
})

test('a redeem that had failed, and is burnt the second time, is minted back', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, name } = await redeemFrozen(s, 1)
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  await requireBalances(s, { 1: 0n })
  assert.deepEqual(toldOtherwise(s), [[`${name} was executed`]])
  const eyes = await startEyes(s, t)
  await eyes.explain(2)
  assert.deepEqual(await differences(s), [`supply ${CHAIN}`, `executed_order ${name}`])
  await assert.rejects(eyes.endUnpaid(`/orders/${name}`), /Its coin was burnt after all/)
  await eyes.makeGood(`/orders/${name}`)
  await assert.rejects(eyes.makeGood(`/orders/${name}`), /being minted again/)
  await lookAsSettler(s, 2)
  await requireBalances(s, { 1: AMOUNT })
  assert.deepEqual(await differences(s), [])
  assert.deepEqual([await booked(s, 'coins'), await booked(s, 'redeem_payable')], [-AMOUNT, 0n])
})

test('a redeem that was burnt, and is refused the second time, is held; released and paid, its integration owes it', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const coins = async () => (await readReserveFacts(s.db)).coinsMicro
  const before = await coins()
  const { redeem, name, payoutId } = await redeemFrozen(s)
  await requireBalances(s, { 1: AMOUNT })
  assert.deepEqual(toldOtherwise(s), [[`${name} was refused`]])
  assert.equal(await s.stateOf(redeem), 'processing/PAYOUT_HELD', 'as soon as that is seen')
  const eyes = await startEyes(s, t)
  await eyes.explain(2)
  assert.deepEqual(await differences(s), [`supply ${CHAIN}`, `payout_held ${payoutId}`, `lost_order ${name}`])
  await assert.rejects(eyes.makeGood(`/orders/${name}`), /Its payout is not paid/)
  await withoutGuards(s.db, async (tx) => {
    await tx.query(
      `update payouts set status = 'paid', hold_reason = null, rail = 'http', rail_reference = 'R', times_asked = 1 where payout_id = $1`,
      [payoutId],
    )
    await tx.query(`update orders set status = 'completed' where order_id = $1`, [redeem])
  })
  assert.equal((await coins()) - before, AMOUNT, 'its holder has it, and the ringgit')
  await eyes.makeGood(`/orders/${name}`)
  assert.equal((await coins()) - before, AMOUNT)
  assert.deepEqual([await booked(s, 'coins'), await booked(s, 'mint_receivable')], [-AMOUNT, AMOUNT * 2n])
  assert.ok(!(await differences(s)).includes(`supply ${CHAIN}`))
})

test('one that nobody wants any more ends unpaid, and a payer notes no burn that a settler has seen refused', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, name, payoutId } = await redeemFrozen(s)
  const eyes = await startEyes(s, t)
  await eyes.explain(2)
  await eyes.endUnpaid(`/orders/${name}`)
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  assert.deepEqual(await differences(s), [])
  await withoutGuards(s.db, (tx) => tx.query('update payouts set burn = null where payout_id = $1', [payoutId]))
  const seen = [{ payoutId, burn: `${CHAIN}/2/0` }]
  const note = () => s.db.transaction((tx) => noteBurns(tx, { chainId: CHAIN, batchId: 2n, takenBack: 0 }, seen))
  assert.deepEqual(await note(), [])
  await withoutGuards(s.db, (tx) => tx.query(`update batch_outcomes set executed = '{0}'`))
  assert.deepEqual(await note(), [payoutId])
})

test('a redeem whose burn no payer had seen, and that is refused the second time, is burnt in another batch', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await redeemFrozen(s, undefined, { isSeen: false })
  const eyes = await startEyes(s, t)
  await eyes.explain(2)
  assert.ok(!(await differences(s)).some((each) => /order/.test(each)), 'its payout is held for that')
  await lookAtBurns(s)
  assert.match(await eyes.bewareOf(payoutId), /which no payer had seen: .* "coin payout resettle po_/)
  await sendFreeze(s, 1, 'unfreeze')
  await s.mine()
  await eyes.resettle(payoutId)
  await lookAsSettler(s, 2)
  await requireBalances(s, { 1: 0n })
  await lookAtBurns(s)
  assert.equal((await payoutOf(s, redeem))?.burn, `${CHAIN}/3/0`)
  assert.deepEqual(await differences(s), [])
})

test('transfers are noted, each way', async (t) => {
  for (const frozen of [undefined, 2]) {
    const s = await chain.begin({ config: ALONE })
    await link(s, 1)
    await settleFrozen(s, mint(1, AMOUNT))
    const { number } = await s.head()
    const order = await settleFrozen(s, TRANSFER, frozen)
    const name = await nameOf(s, order)
    await loseAfter(s, number)
    if (frozen === undefined) await sendFreeze(s, 2)
    await s.mine()
    await seeAgain(s)
    await requireBalances(s, { 2: frozen === undefined ? 0n : AMOUNT })
    const eyes = await startEyes(s, t)
    await eyes.explain(2)
    assert.deepEqual(await differences(s), [`${frozen === undefined ? 'lost' : 'executed'}_order ${name}`])
    await eyes.makeGood(`/orders/${name}`)
    assert.deepEqual(await differences(s), [])
  }
})

test('where the chain does the contrary once more, it is told again: what was not made good is forgotten, what was its integration owes', async (t) => {
  for (const isGood of [false, true]) {
    const s = await chain.begin({ config: ALONE })
    await s.round()
    const { number } = await s.head()
    const order = await settleFrozen(s, mint(1))
    const name = await nameOf(s, order)
    await loseAfter(s, number)
    await sendFreeze(s, 1)
    await s.mine()
    await seeAgain(s)
    const eyes = await startEyes(s, t)
    await eyes.explain(1)
    if (isGood) {
      await sendFreeze(s, 1, 'unfreeze')
      await s.mine()
      await eyes.makeGood(`/orders/${name}`)
      await lookAsSettler(s, 2)
      await requireBalances(s, { 1: 5n })
    }
    await loseAfter(s, number)
    await seeAgain(s)
    await requireBalances(s, { 1: isGood ? 10n : 5n })
    assert.ok((await differences(s)).includes(`other_outcome ${CHAIN}/1`))
    assert.equal(s.logged.filter(({ msg }) => /again as its orders were told/.test(msg)).length, 1)
    await eyes.explain(1)
    assert.deepEqual(await differences(s), [])
    assert.deepEqual([await booked(s, 'coins'), await booked(s, 'mint_receivable')], isGood ? [-10n, 10n] : [-5n, 5n])
  }
})

test('what a batch has done the second time is no coin outside batches, also where nobody has looked between', async () => {
  for (const frozen of [undefined, 1]) {
    const s = await chain.begin({ config: ALONE })
    await s.round()
    const { number } = await s.head()
    const order = await settleFrozen(s, mint(1), frozen)
    // A final look of the watch has it.
    await s.mine(3)
    await s.round()
    await loseAfter(s, number)
    if (frozen === undefined) await sendFreeze(s, 1)
    const [attempt] = await s.attempts()
    await s.rpc('eth_sendRawTransaction', await rawOf(s, attempt?.tx_hash))
    await s.mine()
    await s.round()
    await s.mine(3)
    await seeAgain(s)
    const became = frozen === undefined ? 'refused' : 'executed'
    assert.deepEqual(toldOtherwise(s), [[`${await nameOf(s, order)} was ${became}`]])
    assert.deepEqual(await s.db.query(`select details from foreign_movements where kind = 'supply'`), [])
  }
})

test('nobody can explain what the operators’ own nodes do not say, or one person alone, nor is one approved that has changed', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await s.round()
  const { number } = await s.head()
  await settleFrozen(s, mint(1))
  const eyes = await startEyes(s, t)
  assert.match((await eyes.ask(1)).body.error.message, /there is nothing to explain/)
  await withoutGuards(s.db, (tx) =>
    tx.query(`insert into batch_outcomes (chain_id, batch_id, executed) values ($1, 1, '{}')`, [CHAIN]),
  )
  assert.match((await eyes.ask(1)).body.error.message, /The nodes do not say/)
  await lookAsSettler(s, 1)
  assert.match((await eyes.ask(1)).body.error.message, /there is nothing to explain/, 'a settler takes it back')
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  const asked = await eyes.ask(1)
  assert.equal(asked.status, 202)
  const { toldAndRefused, failedAndExecuted, 'instruction 0': first } = (await describeBatch(s.db, ASKED)) ?? {}
  assert.match(String(toldAndRefused), /^1 of 1 instructions: 0\.000005 coin minted/)
  assert.match(String(failedAndExecuted), /^0 of 1/)
  assert.match(String(first), /^0\.000005 coin minted to 0x\w+; int_\w+\/order-\d+ was refused$/)
  assert.deepEqual(await s.db.query('select from lost_orders'), [])
})

test('one of which somebody has written that the books have burns of it stops no chain', async () => {
  const s = await chain.begin({ config: ALONE })
  await s.round()
  await settleFrozen(s, mint(1))
  await s.db.query(
    `insert into batch_outcomes (chain_id, batch_id, executed, beside) values (${CHAIN}, 1, '{}', '{0}')`,
  )
  await lookAsSettler(s, 2)
  const [order = 0n] = await s.place(mint(2))
  await lookAsSettler(s, 2)
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
})
