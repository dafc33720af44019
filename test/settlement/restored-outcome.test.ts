// engine: postgres
/** What the chain has made of final batches is looked for anew where the database may have lost what was known of it. */
// Runbook: Backup and restore
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCopying } from '../chain-model/copies.ts'
import { loseAfter, requireBalances, seeAgain, sendFreeze, settleFrozen } from './executing-again.ts'
import { lookAsSettler } from './giving-up.ts'
import { beginChain } from './lost-burn.ts'
import { ALONE, CHAIN, mint } from './repairing.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()

const outcomes = async (s: Stepped) =>
  (await s.db.query<{ id: bigint }>('select batch_id as id from batch_outcomes')).map(({ id }) => id)

test('also of those that were refused the second time before a restore, and behind which more of the lost history was read than each look compares', async () => {
  const s = await chain.begin({ config: ALONE })
  await s.round()
  const { number } = await s.head()
  await settleFrozen(s, mint(1))
  const { copy, putBack } = await createCopying(s.db)
  const before = await copy()
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  assert.deepEqual(await outcomes(s), [1n])
  for (let batch = 2; batch <= 34; batch += 1) await settleFrozen(s, mint(3))
  await putBack(before)
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
  await s.forget()
  await lookAsSettler(s, 3)
  assert.equal((await s.batches()).filter((each) => each.is_foreign).length, 33)
  await requireBalances(s, { 1: 0n })
  assert.deepEqual(await outcomes(s), [1n])
})
