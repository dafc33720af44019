// engine: postgres
/** Orders that failed because their chain was called lost, and that the chain has executed after all once it is found: the books say who owes what. */
// Runbook: A chain is gone for good
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { someBatchId } from '../support/batch-rows.ts'
import { booked, loseAfter } from './executing-again.ts'
import { keyOf, type TestOrder, wallet } from './fixture.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { endAll, findAgain, lose, namedBy, settledBefore, tagOf } from './losing.ts'
import { AMOUNT, balanceOf, nameOf, payoutOf, REDEEM, redeemed, refund, STRANGERS, settle } from './lost-burn.ts'
import { CHAIN, mint, rawOf } from './repairing.ts'
import { look, settleAfter } from './replacing.ts'
import { type Stepped, type SteppedChain, startStepped } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

type Test = { after(fn: () => Promise<void>): void }

/** It was sent, its chain called lost, and found, which has executed it. */
async function executed(s: Stepped, t: Test, order: TestOrder) {
  const [orderId = 0n] = await s.place(order)
  await s.round()
  await lose(s, t)
  await endAll(s)
  assert.equal(await s.stateOf(orderId), 'failed/FAILED')
  await s.mine(2)
  const operators = await findAgain(s, t)
  await lookAsSettler(s, 3)
  return { operators, name: await nameOf(s, orderId) }
}

test('of a mint its integration owes the ringgit: the books held nothing against it', async (t) => {
  const s = await chain.begin()
  await s.round()
  const { operators, name } = await executed(s, t, mint(1, AMOUNT))
  assert.equal(await balanceOf(s, 1), AMOUNT)
  assert.match((await namedBy(operators)).at(-1)?.message ?? '', /its integration owes the ringgit/)
  const { result } = await operators.alone(`/orders/${name}/make-good`, { reason: 'it was executed' })
  assert.equal(result, 'booked')
  assert.deepEqual([await booked(s, 'mint_receivable'), await booked(s, 'coins')], [AMOUNT, -AMOUNT])
  assert.deepEqual(await namedBy(operators), [])
  const again = await operators.one(`/orders/${name}/make-good`, { reason: 'once more' })
  assert.equal(again.status, 409, 'once')
})

test('of a redeem its integration is owed the ringgit: its holder had neither coin nor ringgit, and nothing said so', async (t) => {
  const s = await chain.begin()
  await redeemed(s, { until: 'burnt' })
  await settle(s, mint(1, AMOUNT))
  const [owed, coins] = [await booked(s, 'mint_receivable'), await booked(s, 'coins')]
  const { operators, name } = await executed(s, t, REDEEM)
  assert.equal(await balanceOf(s, 1), 0n)
  assert.match((await namedBy(operators)).at(-1)?.message ?? '', /its integration is owed the ringgit/)
  const { result } = await operators.alone(`/orders/${name}/make-good`, { reason: 'it was executed' })
  assert.equal(result, 'booked')
  assert.deepEqual([await booked(s, 'mint_receivable'), await booked(s, 'coins')], [owed - AMOUNT, coins + AMOUNT])
  assert.deepEqual(await namedBy(operators), [])
})

test('it is owed no more once that batch is given up, and of a mint nobody owes anything: the holder has, or lacks, the coin again', async (t) => {
  for (const order of [REDEEM, mint(1, AMOUNT)]) {
    const s = await chain.begin()
    await redeemed(s, { until: 'burnt' })
    await settle(s, mint(1, AMOUNT))
    const before = [await booked(s, 'mint_receivable'), await booked(s, 'coins')]
    const { operators, name } = await executed(s, t, order)
    await operators.alone(`/orders/${name}/make-good`, { reason: 'it was executed' })
    assert.notDeepEqual([await booked(s, 'mint_receivable'), await booked(s, 'coins')], before)
    const last = (await s.batches()).find(({ batch_id: id }) => id === 3n)
    await loseAfter(s, last?.mined_block ?? 0n)
    await settleAfter(s, 3n, [[...STRANGERS[0]]])
    await s.mine(2)
    await look(s)
    const eyes = await startEyes(s, t)
    await eyes.giveUp(4, { giveUp: true })
    await lookAsSettler(s, 3)
    assert.equal(await balanceOf(s, 1), AMOUNT)
    assert.deepEqual([await booked(s, 'mint_receivable'), await booked(s, 'coins')], before)
    await eyes.explain(4)
    assert.deepEqual(await namedBy(operators), [])
  }
})

test('what had minted coin back is owed to the integration once that batch is given up, and no more once it is there again: its holder had neither coin nor ringgit', async (t) => {
  const s = await chain.begin()
  const { redeem, payoutId } = await redeemed(s)
  const before = [await booked(s, 'mint_receivable'), await booked(s, 'coins')]
  const target = `/orders/refunds/${payoutId}/make-good`
  await refund(s, payoutId)
  await s.round()
  const bytes = await rawOf(s, (await s.batches())[2]?.tx_hash ?? undefined)
  await lose(s, t)
  await endAll(s)
  await s.mine(2)
  const operators = await findAgain(s, t)
  await lookAsSettler(s, 3)
  assert.equal((await operators.alone(target, { reason: 'it was executed' })).result, 'even')
  const block = (await s.batches())[2]?.mined_block ?? 0n
  await loseAfter(s, block - 1n)
  await settleAfter(s, 2n, [[...STRANGERS[0]]])
  await s.mine(2)
  await look(s)
  const eyes = await startEyes(s, t)
  await eyes.giveUp(3, { giveUp: true })
  await lookAsSettler(s, 3)
  await eyes.explain(3)
  assert.equal(await balanceOf(s, 1), 0n)
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  const books = async () => [await booked(s, 'mint_receivable'), await booked(s, 'coins')]
  const [owed = 0n, coins = 0n] = before
  assert.deepEqual(await books(), [owed - AMOUNT, coins])
  assert.deepEqual(await namedBy(operators), [])
  await loseAfter(s, block - 1n)
  await s.rpc('eth_sendRawTransaction', bytes)
  await s.mine(2)
  await look(s)
  await eyes.giveUp(3, { giveUp: true })
  await lookAsSettler(s, 3)
  assert.equal(await balanceOf(s, 1), AMOUNT)
  assert.equal((await operators.alone(target, { reason: 'it was executed again' })).result, 'booked')
  assert.deepEqual(await books(), [owed, coins - AMOUNT])
  assert.deepEqual(await namedBy(operators), [])
})

test('it is owed also where somebody has minted under its tag what people say is not its own: its holder had neither coin nor ringgit, and no word ended that', async (t) => {
  const s = await chain.begin()
  await redeemed(s, { until: 'burnt' })
  await settle(s, mint(1, AMOUNT))
  const { operators, name } = await executed(s, t, REDEEM)
  const batchId = someBatchId()
  await settledBefore(s, name, { direction: 'MINT', to: wallet(1), amountMicro: 7n }, batchId)
  const makeGood = () => operators.one(`/orders/${name}/make-good`, { reason: 'it was executed' })
  assert.equal((await makeGood()).status, 409, 'it may have minted the coin back')
  const disown = { reason: 'a thief made it', notOrder: name }
  await operators.alone(`/batches/${CHAIN}/${batchId}/explain`, disown)
  assert.match((await namedBy(operators, ['ended_order']))[0]?.message ?? '', /its integration is owed the ringgit/)
  const { result } = await operators.alone(`/orders/${name}/make-good`, { reason: 'it was executed' })
  assert.equal(result, 'booked')
  assert.deepEqual(await namedBy(operators, ['ended_order']), [])
})

test('what a settler alone says that others have burnt is not owed', async (t) => {
  const s = await chain.begin()
  await redeemed(s, { until: 'burnt' })
  const [orderId = 0n] = await s.place(REDEEM)
  const name = await nameOf(s, orderId)
  const operators = await lose(s, t)
  await endAll(s)
  await settledBefore(s, name, { direction: 'REDEEM', to: wallet(1), amountMicro: AMOUNT })
  await s.db.query(`insert into tag_conflicts (order_id, chain_id, tag) values ($1, $2, $3)`, [
    orderId,
    CHAIN,
    tagOf(name),
  ])
  const requireUnproven = async ({ one }: typeof operators) => {
    const { status, body } = await one(`/orders/${name}/make-good`, { reason: 'it was executed' })
    assert.equal(status, 409, JSON.stringify(body))
    assert.match(body.error.message, /The nodes do not say/)
  }
  await requireUnproven(operators)
  await requireUnproven(await findAgain(s, t))
})

test('coin that others made under the tag of a refund, in another amount, keeps no payout', async (t) => {
  const s = await chain.begin()
  const { payoutId } = await redeemed(s)
  await refund(s, payoutId)
  const batchId = someBatchId()
  await settledBefore(s, `refunds/${payoutId}`, { direction: 'MINT', to: wallet(1), amountMicro: 7n }, batchId)
  const operators = await lose(s, t)
  await endAll(s)
  const [ended] = await namedBy(operators, ['ended_order'])
  assert.match(ended?.message ?? '', /"coin batch explain \d+ ID --not-order \S+ --reason …"/, 'no other word ends it')
  await operators.alone(`/payouts/${payoutId}/retry`, {})
  const disown = { reason: 'a thief made it', notOrder: `refunds/${payoutId}` }
  await operators.alone(`/batches/${CHAIN}/${batchId}/explain`, disown)
})

test('an order for which one instruction of others failed and another moved coin is told of', async (t) => {
  const s = await chain.begin()
  await s.round()
  const [orderId = 0n] = await s.place(mint(1))
  const name = await nameOf(s, orderId)
  await settledBefore(s, name, { direction: 'MINT', to: wallet(1), amountMicro: 5n })
  await s.db.query('update foreign_instructions set succeeded = false where chain_id = $1', [CHAIN])
  await settledBefore(s, name, { direction: 'MINT', to: wallet(1), amountMicro: 5n })
  const operators = await lose(s, t)
  await endAll(s)
  assert.equal(await s.stateOf(orderId), 'failed/FAILED')
  const ended = await namedBy(operators, ['ended_order'])
  assert.deepEqual(
    ended.map(({ subject }) => subject),
    [name],
  )
})
