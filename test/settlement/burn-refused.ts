/** A redeem that was signed when the database was copied, and what has become of it since, which a restore forgets. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { createCopying } from '../chain-model/copies.ts'
import { link, loseAfter, seeAgain, sendFreeze, settleFrozen } from './executing-again.ts'
import { startEyes } from './giving-up.ts'
import { AMOUNT, nameOf, REDEEM } from './lost-burn.ts'
import { CHAIN, mint } from './repairing.ts'
import type { Stepped } from './stepped.ts'

/**
 * Its burn was refused, so that it failed, and executed the second time: two people have its coin minted back, which the caller settles.
 * @returns the redeem, and what puts the copy back, for a settler that knows nothing else
 */
export async function mintBackSinceCopy(s: Stepped, t: TestContext) {
  const { copy, putBack } = await createCopying(s.db)
  await link(s, 1)
  await settleFrozen(s, mint(1, AMOUNT))
  const { number } = await s.head()
  const [redeem = 0n] = await s.place(REDEEM)
  await s.round()
  const before = await copy()
  await sendFreeze(s, 1)
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  await loseAfter(s, number)
  await seeAgain(s)
  const eyes = await startEyes(s, t)
  await eyes.explain(2)
  await eyes.makeGood(`/orders/${await nameOf(s, redeem)}`)
  const restore = async () => {
    await putBack(before)
    await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
    await s.forget()
  }
  return { redeem, restore }
}
