// engine: postgres
/** What the chain makes of a final batch that it had lost is known before anything is formed behind it, however seldom final batches are looked at. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loseAfter, mintRefused, requireBalances } from './executing-again.ts'
import { beginChain } from './lost-burn.ts'
import { ALONE, mint } from './repairing.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()

/** As soon as a block has the batch once more, with no other look at final batches than those rounds make. */
async function requireHeld(s: Stepped): Promise<void> {
  await s.mine()
  await s.round()
  assert.equal((await s.db.query('select from order_holds')).length, 1)
  await s.mine(4)
  await s.round()
  await requireBalances(s, { 1: 5n })
}

test('what is about to be minted again is held as soon as the chain has it again, also between two looks', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { number, name, eyes } = await mintRefused(s, t)
  await eyes.makeGood(`/orders/${name}`)
  await loseAfter(s, number)
  await s.mine()
  await s.round()
  await requireHeld(s)
})

test('behind batches under way nothing is formed while a final one is lost', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { number, name, eyes } = await mintRefused(s, t)
  await s.place(mint(3))
  await s.round()
  await eyes.makeGood(`/orders/${name}`)
  await loseAfter(s, number)
  await s.mine()
  await s.round()
  // Just before the next block is due, what waits goes behind what is under way.
  s.work.memory.blocks.intervalMs = 2_000
  s.passMs(100_000)
  await s.round()
  assert.equal(s.held(), 'chain-behind')
  assert.equal((await s.batches()).filter(({ status }) => status === 'signed').length, 1)
  await requireHeld(s)
})

test('nor is anything formed behind nothing else while one is lost: it may be there again by the time that is tried', async (t) => {
  let between = async () => {}
  const onStep = async (step: string) => {
    if (step === 'batch-selected') await between()
  }
  const s = await chain.begin({ config: ALONE, onStep })
  const { number, name, eyes } = await mintRefused(s, t)
  await eyes.makeGood(`/orders/${name}`)
  await loseAfter(s, number)
  await s.mine()
  // The next block comes, with the lost batch, after the settler has looked for that.
  between = async () => s.mine()
  await s.round()
  between = async () => {}
  await requireHeld(s)
})
