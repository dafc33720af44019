// engine: postgres
/** A redeem that has left its batch because that had refused it, and that the chain burns by that batch after all. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUnburnt } from '../../src/payouts/unburnt.sql.ts'
import { proveUnburnt, resettle } from '../../src/settlement/explain/resettle.ts'
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
  settleNext,
} from './executing-again.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { AMOUNT, beginChain, lookAtBurns, payoutOf, REDEEM, STRANGERS } from './lost-burn.ts'
import { ALONE, CHAIN, mint, rawOf, SIGNER } from './repairing.ts'
import { look, settleAfter } from './replacing.ts'
import { type Stepped, useNonce } from './stepped.ts'

const chain = beginChain()

/** The second time, a redeem whose burn no payer had seen is refused; it leaves its batch. @returns also the block of the mint before it */
async function leaveBatch(
  s: Stepped,
  t: Parameters<typeof startEyes>[1],
  { isExplained = true, isFrozen = true } = {},
) {
  const redeemed = await redeemFrozen(s, undefined, { isSeen: false })
  const minted = (await s.batches())[0]?.mined_block ?? 0n
  const eyes = await startEyes(s, t)
  if (isExplained) await eyes.explain(2)
  await lookAtBurns(s)
  const held = await findUnburnt(s.db, redeemed.payoutId)
  assert.ok(held)
  const proven = await proveUnburnt(s.db, s.chain, held)
  assert.ok(typeof proven !== 'string', String(proven))
  if (!isFrozen) await sendFreeze(s, 1, 'unfreeze')
  await s.mine()
  await s.db.transaction((tx) => resettle(tx, proven))
  return { ...redeemed, minted, eyes }
}
/** The chain forgets everything after the mint, and has what it is sent again: nobody is frozen. */
async function burnAfterAll(s: Stepped, minted: bigint): Promise<void> {
  await loseAfter(s, minted + 1n)
  await s.mine()
  await lookAsSettler(s, 4)
}

const open = async (s: Stepped) => (await differences(s)).filter((each) => !/payout_held/.test(each)).toSorted()
const ofBooks = async (s: Stepped) => [await booked(s, 'coins'), await booked(s, 'mint_receivable')]

test('one that failed then is neither coin nor ringgit of its holder: its integration is owed it, however often that changes', async (t) => {
  for (const isExplained of [true, false]) {
    const s = await chain.begin({ config: ALONE })
    const { redeem, minted, eyes } = await leaveBatch(s, t, { isExplained })
    await lookAsSettler(s, 2)
    assert.equal(await s.stateOf(redeem), 'failed/FAILED', 'its wallet is frozen')
    await burnAfterAll(s, minted)
    await requireBalances(s, { 1: 0n })
    assert.deepEqual(await open(s), [`other_outcome ${CHAIN}/2`, `supply ${CHAIN}`])
    await eyes.explain(2)
    assert.deepEqual(await open(s), [])
    assert.deepEqual(await ofBooks(s), [0n, 0n])
    await loseAfter(s, minted + 1n)
    await sendFreeze(s, 1)
    await s.mine()
    await lookAsSettler(s, 4)
    await requireBalances(s, { 1: AMOUNT })
    await eyes.explain(2)
    assert.deepEqual(await open(s), [])
    assert.deepEqual(await ofBooks(s), [-AMOUNT, AMOUNT])
  }
})

test('one that was burnt elsewhere, and is not there any more, was burnt once: once it is paid, nobody owes anything', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, minted, eyes, name } = await leaveBatch(s, t, { isFrozen: false })
  await lookAsSettler(s, 2)
  await lookAtBurns(s)
  assert.equal((await payoutOf(s, redeem))?.burn, `${CHAIN}/3/0`)
  await withoutGuards(s.db, (tx) =>
    tx.query(`update payouts set status = 'paid', rail = 'http', rail_reference = 'R', times_asked = 1`),
  )
  await burnAfterAll(s, minted)
  await requireBalances(s, { 1: 0n })
  const before = await ofBooks(s)
  await eyes.explain(2)
  await eyes.explain(3)
  // Its payout was written as paid, of which neither the order nor the books know.
  const ofChain = async () => (await open(s)).filter((each) => /^(lost_order|supply|other_outcome)/.test(each))
  assert.deepEqual(await ofChain(), [`lost_order ${name}`, `supply ${CHAIN}`])
  await eyes.makeGood(`/orders/${name}`)
  assert.deepEqual(await ofBooks(s), before)
  assert.deepEqual(await ofChain(), [])
})

test('one that waits for a batch is held, so that it is not burnt twice', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, minted, eyes, name } = await leaveBatch(s, t, { isFrozen: false })
  await loseAfter(s, minted + 1n)
  await s.round()
  await s.mine()
  await s.round()
  await s.mine(3)
  await lookAsSettler(s, 2)
  await requireBalances(s, { 1: 0n })
  assert.equal(await s.stateOf(redeem), 'processing/SUBMITTED')
  assert.equal(
    (await s.batches()).some(({ batch_id: id, status }) => id === 3n && status !== 'mined'),
    false,
  )
  await eyes.explain(2)
  await eyes.reject(`/orders/${name}`)
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  assert.deepEqual(await open(s), [])
  assert.deepEqual(await ofBooks(s), [0n, 0n])
})

/** Batches that wallet 1 is minted by are behind the one that it has left, more than each look compares; then the chain forgets all but the first mint. */
async function leaveFarBehind(
  s: Stepped,
  t: Parameters<typeof startEyes>[1],
  then: () => Promise<void> = async () => {},
) {
  const { redeem, payoutId } = await redeemFrozen(s, undefined, { isSeen: false })
  const minted = (await s.batches())[0]?.mined_block ?? 0n
  await (await startEyes(s, t)).explain(2)
  await lookAtBurns(s)
  await sendFreeze(s, 1, 'unfreeze')
  for (let batch = 3; batch <= 34; batch += 1) await settleFrozen(s, mint(1, AMOUNT))
  await resettleBy(s, payoutId)
  await then()
  await loseAfter(s, minted + 1n)
  const bytes = new Map((await s.attempts()).map(({ batch_id: id, tx_hash: hash }) => [id, hash]))
  for (const [id, hash] of bytes) if (id > 1n && id < 35n) await s.rpc('eth_sendRawTransaction', await rawOf(s, hash))
  await s.mine()
  return redeem
}

async function resettleBy(s: Stepped, payoutId: string): Promise<void> {
  const held = await findUnburnt(s.db, payoutId)
  assert.ok(held)
  const proven = await proveUnburnt(s.db, s.chain, held)
  assert.ok(typeof proven !== 'string', String(proven))
  assert.equal(typeof (await s.db.transaction((tx) => resettle(tx, proven))), 'object')
}

async function requireHeld(s: Stepped, redeem: bigint): Promise<void> {
  assert.equal(await s.stateOf(redeem), 'processing/SUBMITTED')
  assert.match(
    (await s.db.query<{ reason: string }>('select reason from order_holds'))[0]?.reason ?? '',
    /has burnt it/,
  )
}

test('one that waits is held also where that batch is behind all that each look compares, before it is burnt once more', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const redeem = await leaveFarBehind(s, t)
  await s.round()
  await s.mine(4)
  await s.round()
  await requireBalances(s, { 1: AMOUNT * 32n })
  await requireHeld(s, redeem)
})

test('likewise where it has been in another batch since, which was abandoned', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const redeem = await leaveFarBehind(s, t, () =>
    withoutGuards(
      s.db,
      async (tx) => void (await tx.query('update signed_orders set abandoned_batch_id = 34 where batch_id is null')),
    ),
  )
  await s.round()
  await s.mine(4)
  await s.round()
  await requireBalances(s, { 1: AMOUNT * 32n })
  await requireHeld(s, redeem)
})

/** The redeem is in a batch under way when the chain has burnt it by its first one. @returns it, and the block before that */
async function burnBesideUnderWay(s: Stepped) {
  await link(s, 1)
  await settleFrozen(s, mint(1, AMOUNT))
  const { number } = await s.head()
  const [redeem = 0n] = await s.place(REDEEM, mint(2))
  await settleNext(s)
  const bytes = await rawOf(s, (await s.batches())[1]?.tx_hash ?? undefined)
  const executeAgain = async (frozen: number) => {
    await loseAfter(s, number)
    await sendFreeze(s, frozen)
    await s.rpc('eth_sendRawTransaction', bytes)
    await s.mine(3)
  }
  await executeAgain(1)
  await seeAgain(s)
  await lookAtBurns(s)
  const [payout] = await s.db.query<{ id: string }>('select payout_id as id from payouts')
  await resettleBy(s, payout?.id ?? '')
  await sendFreeze(s, 1, 'unfreeze')
  await s.mine()
  await s.round()
  await executeAgain(2)
  await s.round()
  await requireBalances(s, { 1: 0n, 2: 0n })
  assert.equal((await s.db.query('select from order_holds')).length, 0, 'its batch may be executed yet')
  return { redeem, number }
}

test('one that was in a batch under way when its first one had burnt it is held once that is abandoned', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem } = await burnBesideUnderWay(s)
  await useNonce(s, SIGNER, (await s.batches())[2]?.nonce ?? 0n, 1)
  await s.mine(3)
  await s.round()
  await requireHeld(s, redeem)
})

test('not where its first one is given up at the same time, by which it is not burnt', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, number } = await burnBesideUnderWay(s)
  await loseAfter(s, number)
  await settleAfter(s, 1n, [[...STRANGERS[0]]])
  await s.mine(2)
  await look(s)
  await (await startEyes(s, t)).giveUp(2, { giveUp: true })
  await lookAsSettler(s, 3)
  assert.deepEqual(await s.db.query('select reason from order_holds'), [])
  await lookAtBurns(s)
  assert.match((await payoutOf(s, redeem))?.burn ?? '', /^\d+\/3\/0$/)
})

/** The redeem's batch refuses it, and has it again, before a settler looks; it has left the batch in between. */
async function leaveUnnoted(s: Stepped) {
  await link(s, 1)
  await settleFrozen(s, mint(1, AMOUNT))
  const { number } = await s.head()
  const redeem = await settleFrozen(s, REDEEM)
  const [payout] = await s.db.query<{ id: string }>('select payout_id as id from payouts')
  const bytes = await rawOf(s, (await s.batches())[1]?.tx_hash ?? undefined)
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.rpc('eth_sendRawTransaction', bytes)
  await s.mine(3)
  await requireBalances(s, { 1: AMOUNT })
  await lookAtBurns(s)
  await resettleBy(s, payout?.id ?? '')
  await loseAfter(s, number)
  await s.rpc('eth_sendRawTransaction', bytes)
  await s.mine(3)
  await requireBalances(s, { 1: 0n })
  return redeem
}

test('also where the chain has burnt it as first told, and nobody had noted that it had not', async () => {
  const s = await chain.begin({ config: ALONE })
  const redeem = await leaveUnnoted(s)
  await s.round()
  await requireHeld(s, redeem)
})

test('given up with its batch, that burn is nowhere', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { minted, eyes } = await leaveBatch(s, t)
  await lookAsSettler(s, 2)
  await burnAfterAll(s, minted)
  await eyes.explain(2)
  await loseAfter(s, minted + 1n)
  await settleAfter(s, 1n, [[...STRANGERS[0]]])
  await s.mine(2)
  await look(s)
  await eyes.giveUp(2)
  await lookAsSettler(s, 3)
  await requireBalances(s, { 1: AMOUNT })
  assert.deepEqual(await ofBooks(s), [-AMOUNT, AMOUNT])
  await eyes.explain(2)
  assert.deepEqual(await open(s), [])
})

test('one whose second burn no payer had seen, and that is gone, is settled again once people have said so', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, minted, eyes } = await leaveBatch(s, t, { isFrozen: false })
  await lookAsSettler(s, 2)
  await burnAfterAll(s, minted)
  await lookAtBurns(s)
  const prove = async () => {
    const held = await findUnburnt(s.db, (await payoutIdOf(s, redeem)) ?? '')
    assert.ok(held)
    return await proveUnburnt(s.db, s.chain, held)
  }
  assert.equal(await prove(), 'burnt', 'nobody has said what became of that coin')
  await eyes.explain(2)
  const proven = await prove()
  assert.ok(typeof proven !== 'string', String(proven))
  await s.db.transaction((tx) => resettle(tx, proven))
  await lookAsSettler(s, 3)
  assert.equal(await s.stateOf(redeem), 'failed/FAILED', 'its holder has no coin')
  assert.deepEqual(await open(s), [])
  assert.deepEqual(await ofBooks(s), [0n, 0n])
})

async function payoutIdOf(s: Stepped, redeem: bigint): Promise<string | undefined> {
  const [row] = await s.db.query<{ id: string }>('select payout_id as id from payouts where order_id = $1', [redeem])
  return row?.id
}
