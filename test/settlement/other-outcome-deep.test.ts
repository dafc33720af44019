// engine: postgres
/** What the chain makes of a final batch is known before anything is minted for it, also where it is older than those that each look compares. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loseAfter, requireBalances, seeAgain, sendFreeze, settleFrozen } from './executing-again.ts'
import { startEyes } from './giving-up.ts'
import { beginChain, nameOf } from './lost-burn.ts'
import { ALONE, mint, rawOf } from './repairing.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()

const sendAll = async (s: Stepped) => {
  for (const { tx_hash: hash } of await s.attempts()) await s.rpc('eth_sendRawTransaction', await rawOf(s, hash))
}

test('what is about to be minted again is held where the chain has it again on another branch, however many batches are behind it', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await s.round()
  const { number } = await s.head()
  const name = await nameOf(s, await settleFrozen(s, mint(1)))
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  const eyes = await startEyes(s, t)
  await eyes.explain(1)
  for (let batch = 2; batch <= 33; batch += 1) await settleFrozen(s, mint(3))
  await eyes.makeGood(`/orders/${name}`)
  await loseAfter(s, number)
  await sendAll(s)
  await s.mine()
  await s.round()
  assert.equal((await s.db.query('select from order_holds')).length, 1)
  await s.mine(4)
  await s.round()
  await requireBalances(s, { 1: 5n })
})

test('nor is it minted where people have it made good while the block that has it again is not final', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await s.round()
  const { number } = await s.head()
  const name = await nameOf(s, await settleFrozen(s, mint(1)))
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  const eyes = await startEyes(s, t)
  await eyes.explain(1)
  await loseAfter(s, number)
  await sendAll(s)
  await s.mine()
  await s.round()
  await eyes.makeGood(`/orders/${name}`)
  await s.round()
  assert.equal((await s.db.query('select from order_holds')).length, 1)
  await s.mine(4)
  await s.round()
  await requireBalances(s, { 1: 5n })
})
