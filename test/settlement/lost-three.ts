/** Three final batches of one mint each that the chain has lost, for the test files about what becomes of them. */
import assert from 'node:assert/strict'
import { wallet } from './fixture.ts'
import { counted, formOne, mint } from './repairing.ts'
import { NEVER, type Stepped } from './stepped.ts'

export const LOST = 3
export const SUPPLY_MICRO = 15n

/** Settles three batches for good, one order each; then the chain loses them, and every node their bytes. */
export async function loseThree(s: Stepped): Promise<void> {
  for (let seed = 1; seed <= LOST; seed += 1) {
    const order = await formOne(s, seed)
    await s.mine(2)
    await s.round()
    assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  }
  await s.rpc('anvil_reorg', 2 * LOST, [])
  await s.rpc('anvil_dropAllTransactions')
  assert.equal(await s.chain.admin.supply(), 0n)
}

/** As long as it takes until final batches are looked at once more, and two blocks. */
export async function look(s: Stepped): Promise<void> {
  s.passMs(NEVER.recheckMs)
  await s.round()
  await s.mine(2)
  await s.round()
}

/** The chain has each of the three once, and goes on. */
export async function requireWhole(s: Stepped): Promise<void> {
  assert.equal(await s.chain.admin.supply(), SUPPLY_MICRO)
  for (let seed = 1; seed <= LOST; seed += 1) assert.equal(await s.chain.reader.latestBalance(wallet(seed)), 5n)
  const [next] = await s.place(mint(LOST + 1))
  await s.round()
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(next), 'completed/COMPLETED', s.held())
  const before = await s.attempts()
  await look(s)
  assert.equal((await s.attempts()).length, before.length)
  assert.equal(await s.chain.admin.supply(), SUPPLY_MICRO + 5n)
  assert.equal(counted(s, 'foreign'), 0)
}
