// engine: postgres
/**
 * A payer looks for a burn while what a restore has lost may still be executed, or was not read yet: that may have minted the coin back, whose holder
 * would have it beside the ringgit.
 */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { asRole, type TestDatabase } from '../support/database.ts'
import { mintBackSinceCopy } from './burn-refused.ts'
import { requireBalances } from './executing-again.ts'
import { sendAlone } from './fixture.ts'
import { lookAsSettler } from './giving-up.ts'
import { AMOUNT, beginChain, lookAtBurns, payoutOf } from './lost-burn.ts'
import { ALONE, CHAIN, rawOf } from './repairing.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()

/** The redeem's batch was signed when the database was copied; what mints its coin back was signed since, and is in no block. @returns its bytes */
async function restoreBefore(s: Stepped, t: TestContext) {
  const { redeem, restore } = await mintBackSinceCopy(s, t)
  await s.round()
  const bytes = await rawOf(s, (await s.batches())[2]?.tx_hash ?? undefined)
  await s.rpc('anvil_dropAllTransactions')
  await restore()
  return { redeem, bytes }
}

async function lookAsPayer(s: Stepped): Promise<void> {
  const payer = (await asRole(s.db, 'payer')) as TestDatabase
  await s.db.query('update payouts set next_attempt_at = now()')
  await lookAtBurns({ ...s, db: payer })
  await payer.close()
}

test('until that is fenced no burn is noted: its holder got the ringgit, and then the coin', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, bytes } = await restoreBefore(s, t)
  await s.round()
  await lookAsPayer(s)
  assert.deepEqual(await payoutOf(s, redeem), { status: 'queued', reason: null, burn: null })
  const [payout] = await s.db.query<{ said: string }>('select last_error as said from payouts where order_id = $1', [
    redeem,
  ])
  assert.match(payout?.said ?? '', /until the fence of its chain is final/)
  await sendAlone(s.rpc, bytes)
  await s.mine(2)
  await lookAsSettler(s, 5)
  await requireBalances(s, { 1: AMOUNT })
  await lookAsPayer(s)
  assert.deepEqual(await payoutOf(s, redeem), { status: 'rejected', reason: null, burn: `${CHAIN}/2/0` })
})
