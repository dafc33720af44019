// engine: postgres; both in test:long
/** Coin minted back on a real chain; and after an older state was restored, never a second time. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Address } from 'viem'
import { connectChain } from '../../src/chain/chain.ts'
import { linkAccount } from '../../src/chain/instructions.ts'
import { createPayer } from '../../src/payouts/payer.ts'
import { createSimulatedRail } from '../../src/payouts/rails/simulated.ts'
import { createSettler } from '../../src/settlement/settler.ts'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { newReference, startTestApi, type TestApi } from '../support/api.ts'
import { restoreBackup, takeBackup } from '../support/backup.ts'
import { A_BANK, giveBank, TEST_SECRETS } from '../support/bank-details.ts'
import { startBurnWatch } from '../support/burn-watch.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { silent } from './fixture.ts'
import { QUICK, type Scenario, startScenario } from './scenario.ts'

let s: Scenario
let lost: TestApi
let restored: TestApi
let db: TestDatabase
const coins: OperatorFixture[] = []
const running: { stop(): Promise<unknown> }[] = []
let mining: NodeJS.Timeout | undefined

before(async () => {
  s = await startScenario()
  lost = await startTestApi({ db: s.db, realChain: s.chain })
})
after(async () => {
  clearInterval(mining)
  await Promise.all(running.map((each) => each.stop()))
  for (const coin of coins) await coin.close()
  await restored?.close()
  await db?.close()
  await lost.close()
  await s.end()
})

/** Everything that works, on one database. */
async function work(on: TestDatabase): Promise<OperatorFixture> {
  const chain = connectChain(s.config, { db: on, logger: silent })
  const settler = createSettler({ db: on, chains: [chain], logger: silent, holder: 'test', times: QUICK })
  const payer = createPayer({
    db: on,
    rail: createSimulatedRail(s.db),
    secrets: TEST_SECRETS,
    logger: silent,
    pollMs: 50,
  })
  settler.start()
  payer.start()
  running.push(settler, payer, startBurnWatch(on, chain))
  const coin = await startOperator({ db: on, chains: [chain] })
  coins.push(coin)
  return coin
}
const stopAll = async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()))
}

test('a refused payout is minted back to its wallet, and after a restore it takes that outcome', async () => {
  const { fullKey: key, integrationId } = lost
  const customerId = await lost.makeCustomer()
  // The simulated bank refuses accounts of zeros.
  await giveBank(s.db, { ...A_BANK, account: '00000' }, { customerId })
  const wallet = await lost.makeWallet(customerId)
  await s.chain.admin.linkWallet({ wallet: wallet as Address, account: linkAccount(integrationId, customerId) })
  mining = setInterval(() => void s.rpc('evm_mine').catch(() => {}), 100)
  const coin = await work(s.db)
  const [minted, redeemed] = [newReference(), newReference()]
  const phaseOf = async (api: TestApi, path: string) => (await api.get(path, { key })).body
  const until = (api: TestApi, path: string, phase: string) =>
    waitFor(`${path} to be ${phase}`, async () => (await phaseOf(api, path)).phase === phase)
  const body = { walletAddress: wallet, customerId }
  await lost.post('/v1/mints', { ...body, referenceId: minted, amountMyr: '100', fiatConfirmed: true }, { key })
  await until(lost, `/v1/mints/${minted}`, 'COMPLETED')
  await lost.post('/v1/redeems', { ...body, referenceId: redeemed, amountCoin: '12.056789' }, { key })
  const path = `/v1/redeems/${redeemed}`
  await until(lost, path, 'PAYOUT_REJECTED')
  const backup = await takeBackup(s.db)

  const payoutId = (await coin.run('payout', 'list', '--status', 'rejected')).payouts[0].payoutId
  await coin.run('payout', 'refund', payoutId)
  assert.match((await coin.cli(['payout', 'retry', payoutId])).stderr, /minted back|is refunded/)
  await until(lost, path, 'FAILED')
  assert.equal((await phaseOf(lost, path)).status, 'failed')
  assert.equal(await s.chain.admin.supply(), 100_000_000n)
  await stopAll()

  // The backup knows the refused payout, and nothing of its refund.
  db = await createTestDatabase()
  await restoreBackup(db, backup)
  restored = await startTestApi({ db, realChain: connectChain(s.config, { db, logger: silent }) })
  const after = await work(db)
  await waitFor(
    'the lost batch to be read',
    async () => (await after.run('batch', 'list', '--unexplained')).batches.length > 0,
  )
  await waitFor('the payout to be known as minted back', async () =>
    /minted back/.test((await after.cli(['payout', 'retry', payoutId])).stderr),
  )
  assert.equal((await phaseOf(restored, path)).phase, 'PAYOUT_REJECTED')
  await after.run('payout', 'refund', payoutId)
  await until(restored, path, 'FAILED')
  assert.equal((await after.run('payout', 'show', payoutId)).payout.status, 'refunded')
  assert.equal(await s.chain.admin.supply(), 100_000_000n, 'nothing was minted a second time')
  assert.deepEqual((await after.run('batch', 'list', '--unexplained')).batches, [])
})
