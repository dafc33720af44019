// engine: postgres
/** What the chain makes of a final batch is known before anything is minted for it, also where it is older than those that each look compares. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  freezing,
  loseAfter,
  mintRefused,
  requireBalances,
  seeAgain,
  settleFrozen,
  toldOtherwise,
} from './executing-again.ts'
import { beginChain, nameOf } from './lost-burn.ts'
import { ALONE, mint, rawOf } from './repairing.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()

const sendAll = async (s: Stepped) => {
  for (const { tx_hash: hash } of await s.attempts()) await s.rpc('eth_sendRawTransaction', await rawOf(s, hash))
}

test('what is about to be minted again is held where the chain has it again on another branch, however many batches are behind it', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { number, name, eyes } = await mintRefused(s, t)
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
  const { number, name, eyes } = await mintRefused(s, t)
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

test('on each other branch that has batches in the same blocks all are compared, however many are behind them', async () => {
  const s = await chain.begin({ config: ALONE })
  await s.round()
  const { number } = await s.head()
  await s.mine()
  const orders = [await settleFrozen(s, mint(1)), await settleFrozen(s, mint(2))]
  for (let batch = 3; batch <= 33; batch += 1) await settleFrozen(s, mint(3))
  const blocks = new Map((await s.batches()).map(({ batch_id: id, mined_block: block }) => [id, block ?? 0n]))
  const again: [unknown, number][] = []
  for (const { batch_id: id, tx_hash: hash } of await s.attempts())
    again.push([await rawOf(s, hash), Number((blocks.get(id) ?? 0n) - number - 1n)])
  for (const [index, order] of orders.entries()) {
    const depth = Number((await s.head()).number - number)
    await s.rpc('anvil_reorg', depth, [[freezing(s, index + 1), 0], ...again])
    await s.mine(2)
    await seeAgain(s)
    await requireBalances(s, { 1: index === 0 ? 0n : 5n, 2: index === 0 ? 5n : 0n })
    assert.deepEqual(toldOtherwise(s).at(-1), [`${await nameOf(s, order)} was refused`])
  }
})
