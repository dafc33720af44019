// engine: postgres
/**
 * A restore to before a mint was decided that the chain had executed, and refused when it executed its batch again: it was minted again, and its
 * partner was told once that it is done. The database knows of neither, and reads that it was refused.
 */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createCopying } from '../chain-model/copies.ts'
import { booked, differences, loseAfter, requireBalances, seeAgain, sendFreeze } from './executing-again.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { beginChain, nameOf } from './lost-burn.ts'
import { ALONE, CHAIN, mint, rawOf } from './repairing.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()
const REFERENCE = 'minted-again'
const MINT = { ...mint(1), referenceId: REFERENCE }

/** In the history that a restore loses: its mint is refused after all, and minted again. @returns the bytes that do so, in no block yet */
async function mintAgain(s: Stepped, t: TestContext, before: bigint, order: bigint) {
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  await loseAfter(s, before)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  const eyes = await startEyes(s, t)
  await eyes.explain(1)
  await sendFreeze(s, 1, 'unfreeze')
  await s.mine()
  await eyes.makeGood(`/orders/${await nameOf(s, order)}`)
  await s.round()
  return await rawOf(s, (await s.batches())[1]?.tx_hash ?? undefined)
}

/** Its coin is there once, its integration has paid it, or is to, and nothing is left to be said. */
async function requireGood(s: Stepped, t: TestContext, order: bigint): Promise<void> {
  const name = await nameOf(s, order)
  assert.equal(await s.stateOf(order), 'failed/FAILED')
  assert.deepEqual(await differences(s), [`supply ${CHAIN}`, `foreign_batch ${CHAIN}/2`, `ended_order ${name}`])
  const eyes = await startEyes(s, t)
  assert.match(await eyes.shownOf(`/orders/${name}`), /a batch that this database did not make did what it asks for/)
  await eyes.makeGood(`/orders/${name}`)
  assert.deepEqual(await differences(s), [])
  assert.equal((await eyes.run(`/orders/${name}/make-good`, { reason: 'again' })).status, 409, 'once')
  await lookAsSettler(s, 2)
  await requireBalances(s, { 1: 5n })
  assert.deepEqual([await booked(s, 'coins'), await booked(s, 'mint_receivable')], [-5n, 5n])
  assert.equal(await s.stateOf(order), 'failed/FAILED', 'as its partner was told last')
}

test('a mint that its own batch had refused, and whose coin a lost history has minted again, is made good: its integration owes the ringgit', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { copy, putBack } = await createCopying(s.db)
  await s.round()
  const { number } = await s.head()
  const [order = 0n] = await s.place(MINT)
  await s.round()
  const before = await copy()
  await mintAgain(s, t, number, order)
  await s.mine(2)
  await putBack(before)
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
  await s.forget()
  await lookAsSettler(s, 6)
  assert.deepEqual(
    (await s.batches()).map((each) => [each.batch_id, each.status, each.is_foreign]),
    [
      [1n, 'final', false],
      [2n, 'final', true],
      [3n, 'final', false],
    ],
  )
  await requireGood(s, t, order)
})

test('likewise one that its partner posted again, and that took the refusal before the bytes that mint it again were executed', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { copy, putBack } = await createCopying(s.db)
  await s.round()
  const { number } = await s.head()
  const before = await copy()
  const [lost = 0n] = await s.place(MINT)
  await s.round()
  const bytes = await mintAgain(s, t, number, lost)
  await s.rpc('anvil_dropAllTransactions')
  await putBack(before)
  await s.forget()
  await lookAsSettler(s, 2)
  const [order = 0n] = await s.place(MINT)
  await lookAsSettler(s, 2)
  assert.equal(await s.stateOf(order), 'failed/FAILED')
  await s.rpc('eth_sendRawTransaction', bytes)
  await s.mine(2)
  await lookAsSettler(s, 2)
  await requireGood(s, t, order)
})
