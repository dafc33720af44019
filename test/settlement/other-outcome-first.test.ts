// engine: postgres
/** What the chain makes of a final batch that it had lost is known before anything is formed behind it, however seldom final batches are looked at. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loseAfter, requireBalances, seeAgain, sendFreeze, settleFrozen } from './executing-again.ts'
import { startEyes } from './giving-up.ts'
import { beginChain, nameOf } from './lost-burn.ts'
import { ALONE, mint } from './repairing.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()

/** A mint is refused the second time, as two people have said. @returns the block before it */
async function mintRefused(s: Stepped, t: { after(fn: () => Promise<void>): void }) {
  await s.round()
  const { number } = await s.head()
  const name = await nameOf(s, await settleFrozen(s, mint(1)))
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  const eyes = await startEyes(s, t)
  await eyes.explain(1)
  return { number, mintAgain: () => eyes.makeGood(`/orders/${name}`) }
}

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
  const { number, mintAgain } = await mintRefused(s, t)
  await mintAgain()
  await loseAfter(s, number)
  await s.mine()
  await s.round()
  await requireHeld(s)
})

test('behind batches under way nothing is formed while a final one is lost', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { number, mintAgain } = await mintRefused(s, t)
  await s.place(mint(3))
  await s.round()
  await mintAgain()
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
  const { number, mintAgain } = await mintRefused(s, t)
  await mintAgain()
  await loseAfter(s, number)
  await s.mine()
  // The next block comes, with the lost batch, after the settler has looked for that.
  between = async () => s.mine()
  await s.round()
  between = async () => {}
  await requireHeld(s)
})
