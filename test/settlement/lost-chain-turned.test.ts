// engine: postgres
/** What a chain had done once more otherwise than operators had explained, before it was gone for good: the proof says that the coin which is there is owed. */
// Runbook: A chain is gone for good
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { violatedConstraint } from '../../src/db/database.ts'
import { findUnburnt } from '../../src/payouts/unburnt.sql.ts'
import { readReserveFacts } from '../../src/reserves/facts.sql.ts'
import { readLostCoins } from '../../src/reserves/lost-coins.sql.ts'
import { proveUnburnt, resettle } from '../../src/settlement/explain/resettle.ts'
import { asRole } from '../support/database.ts'
import {
  booked,
  link,
  loseAfter,
  mintRefused,
  redeemFrozen,
  requireBalances,
  seeAgain,
  sendFreeze,
  settleFrozen,
} from './executing-again.ts'
import { wallet } from './fixture.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { lose } from './losing.ts'
import { AMOUNT, beginChain, lookAtBurns, nameOf } from './lost-burn.ts'
import { ALONE, CHAIN, mint } from './repairing.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()

type Test = Parameters<typeof lose>[1]

/** Coin of the chain that is planted beside. */
const elsewhere = 5n

/** What the proof says once the chain is called lost, and what the reserve had to cover until then. */
async function owed(s: Stepped, t: Test) {
  const covered = (await readReserveFacts(s.db)).coinsMicro - elsewhere
  await lose(s, t)
  const proven = (await readLostCoins(s.db)).find(({ chainId }) => chainId === CHAIN)?.coinsMicro
  return { covered, proven }
}

const alike = (micro: bigint) => ({ covered: micro, proven: micro })

/** A redeem is refused the second time, and fails in another batch; no payer had seen its burn. */
async function leaveBatch(s: Stepped, t: Test) {
  const { payoutId } = await redeemFrozen(s, undefined, { isSeen: false })
  const minted = (await s.batches())[0]?.mined_block ?? 0n
  const eyes = await startEyes(s, t)
  await eyes.explain(2)
  await lookAtBurns(s)
  const proven = await proveUnburnt(s.db, s.chain, (await findUnburnt(s.db, payoutId)) ?? assert.fail())
  assert.ok(typeof proven !== 'string')
  await s.mine()
  await s.db.transaction((tx) => resettle(tx, proven))
  await lookAsSettler(s, 2)
  return { minted, eyes }
}

/** A mint was refused, and minted again; then the chain has it after all. */
async function mintTwice(s: Stepped, t: Parameters<typeof startEyes>[1]) {
  const { number, name, eyes } = await mintRefused(s, t)
  await sendFreeze(s, 1, 'unfreeze')
  await s.mine()
  await eyes.makeGood(`/orders/${name}`)
  await lookAsSettler(s, 2)
  await loseAfter(s, number)
  await seeAgain(s)
  return { eyes }
}

test('a mint that was minted again, and is there after all, is there twice', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await mintTwice(s, t)
  await requireBalances(s, { 1: 10n })
  assert.deepEqual(await owed(s, t), alike(10n))
})

test('a mint that is there again is there once, as long as nothing has minted it again', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { number } = await mintRefused(s, t)
  await loseAfter(s, number)
  await seeAgain(s)
  await requireBalances(s, { 1: 5n })
  assert.deepEqual(await owed(s, t), alike(5n))
})

test('a redeem that is burnt no more by a batch that it had left is coin of its holder again', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { minted, eyes } = await leaveBatch(s, t)
  await loseAfter(s, minted + 1n)
  await s.mine()
  await lookAsSettler(s, 4)
  await eyes.explain(2)
  await requireBalances(s, { 1: 0n })
  await loseAfter(s, minted + 1n)
  await sendFreeze(s, 1)
  await s.mine()
  await lookAsSettler(s, 4)
  await requireBalances(s, { 1: AMOUNT })
  assert.deepEqual(await owed(s, t), alike(AMOUNT))
})

test('a redeem of less than a sen, which nothing pays, is coin where its burn was refused the second time', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await link(s, 1)
  await settleFrozen(s, mint(1, AMOUNT))
  const { number } = await s.head()
  const redeem = await settleFrozen(s, { direction: 'REDEEM', amountMicro: 7n, from: wallet(1) })
  assert.equal(await s.stateOf(redeem), 'completed/COMPLETED')
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  assert.deepEqual(await owed(s, t), alike(AMOUNT))
})

test('what two people then say of it is booked, also where there is less: the database takes that of no other word', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await s.round()
  const { number } = await s.head()
  const name = await nameOf(s, await settleFrozen(s, mint(1), 1))
  await loseAfter(s, number)
  await seeAgain(s)
  const eyes = await startEyes(s, t)
  await eyes.explain(1)
  await eyes.makeGood(`/orders/${name}`)
  assert.equal(await booked(s, 'coins'), -5n)
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  const losers = await lose(s, t)
  await losers.alone(`/batches/${CHAIN}/1/explain`, { reason: 'as it was seen' })
  assert.equal(await booked(s, 'coins'), 0n)
})

test('nor of a burn by a batch that its redeem had left', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { minted } = await leaveBatch(s, t)
  await loseAfter(s, minted + 1n)
  await s.mine()
  await lookAsSettler(s, 4)
  const losers = await lose(s, t)
  await losers.alone(`/batches/${CHAIN}/2/explain`, { reason: 'as it was seen' })
  assert.equal(await booked(s, 'coins'), 0n)
})

test('nor where somebody had taken the name of what is booked, past the service', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await s.round()
  const { number } = await s.head()
  const orderId = await settleFrozen(s, mint(1), 1)
  await loseAfter(s, number)
  await seeAgain(s)
  const eyes = await startEyes(s, t)
  await eyes.explain(1)
  await eyes.makeGood(`/orders/${await nameOf(s, orderId)}`)
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  await s.db.query(
    `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
     select 'turn/${CHAIN}/1/' || $1 || '/' || n, now(), now()::date, '{own_funds:x,own_transfers:x}', '{1,-1}' from generate_series(1, 9) n
     on conflict do nothing`,
    [orderId],
  )
  const losers = await lose(s, t)
  await losers.alone(`/batches/${CHAIN}/1/explain`, { reason: 'as it was seen' })
  assert.equal(await booked(s, 'coins'), 0n)
})

test('with no login does it turn once more, or further, than operators have said', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { eyes } = await mintTwice(s, t)
  await eyes.explain(1)
  assert.deepEqual(await owed(s, t), alike(10n))
  const db = await asRole(s.db, 'settler')
  await assert.rejects(
    db.query(
      `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
       select 'turn/${CHAIN}/1/' || order_id || '/9', now(), now()::date, array['coins:${CHAIN}', 'mint_receivable:int_0'], array[10, -10]
       from lost_orders`,
    ),
    (error) => violatedConstraint(error) === 'ledger_entries_of_lost',
  )
  await db.close()
})
