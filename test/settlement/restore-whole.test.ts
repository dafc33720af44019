// engine: postgres; both in test:long
/**
 * A restore from end to end: a backup with orders pending and in the mempool, a history that it lacks, and then the
 * runbook (docs/OPERATIONS.md, "Backup and restore"), command by command.
 */
// Runbook: Backup and restore

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Address } from 'viem'
import { connectChain } from '../../src/chain/chain.ts'
import { linkAccount } from '../../src/chain/instructions.ts'
import { createPayer } from '../../src/payouts/payer.ts'
import { createSimulatedRail } from '../../src/payouts/rails/simulated.ts'
import { createSettler, type Settler } from '../../src/settlement/settler.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { type Answer, assertRefused, newReference, startTestApi, type TestApi } from '../support/api.ts'
import { restoreBackup, takeBackup } from '../support/backup.ts'
import { A_BANK, giveBank, TEST_SECRETS } from '../support/bank-details.ts'
import { startBurnWatch } from '../support/burn-watch.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { sealBooks } from '../support/seal-books.ts'
import { waitFor } from '../support/wait-for.ts'
import { silent } from './fixture.ts'
import { QUICK, type Scenario, startScenario } from './scenario.ts'
import { SHADOW_CHAIN } from './shadow.ts'

type Work = { stop(): Promise<unknown> }
let s: Scenario
/** Before the disaster, and after the restore. */
let lost: TestApi
let restored: TestApi
let db: TestDatabase
let coin: OperatorFixture
const running: Work[] = []
let mining: NodeJS.Timeout | undefined

/** What a partner posts: kind, amount, and where to. */
type Post = { path: 'mints' | 'redeems' | 'transfers'; body: Record<string, unknown>; referenceId: string }
let key: string
let integrationId: string
let customerId: string
let wallet: string

before(async () => {
  s = await startScenario()
  lost = await startTestApi({ db: s.db, realChain: s.chain })
  ;({ fullKey: key, integrationId } = lost)
  customerId = await lost.makeCustomer()
  await giveBank(s.db, A_BANK, { customerId })
  wallet = await lost.makeWallet(customerId)
  await s.chain.admin.linkWallet({ wallet: wallet as Address, account: linkAccount(integrationId, customerId) })
})
after(async () => {
  clearInterval(mining)
  await Promise.all(running.map((each) => each.stop()))
  await coin?.close()
  await restored?.close()
  await db?.close()
  await lost.close()
  await s.end()
})

const mint = (amountMyr: string, fiatConfirmed = true): Post => {
  const referenceId = newReference()
  return {
    path: 'mints',
    referenceId,
    body: { referenceId, walletAddress: wallet, customerId, amountMyr, fiatConfirmed },
  }
}
const redeem = (amountCoin: string): Post => {
  const referenceId = newReference()
  return { path: 'redeems', referenceId, body: { referenceId, walletAddress: wallet, customerId, amountCoin } }
}
const transfer = (amountCoin: string): Post => {
  const referenceId = newReference()
  const to = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  return { path: 'transfers', referenceId, body: { referenceId, walletAddress: to, customerId, amountCoin } }
}

async function post(api: TestApi, order: Post, changes: Record<string, unknown> = {}): Promise<Answer> {
  return await api.post(`/v1/${order.path}`, { ...order.body, ...changes }, { key })
}

async function accept(api: TestApi, ...orders: Post[]): Promise<void> {
  for (const order of orders) {
    const answer = await post(api, order)
    assert.equal(answer.status, 201, answer.text)
  }
}

const phaseOf = async (api: TestApi, { path, referenceId }: Post) =>
  (await api.get(`/v1/${path}/${referenceId}`, { key })).body.phase

async function until(api: TestApi, phase: string, ...orders: Post[]): Promise<void> {
  for (const order of orders) {
    await waitFor(
      `${order.path} ${order.referenceId} to be ${phase}`,
      async () => (await phaseOf(api, order)) === phase,
    )
  }
}

function startSettler(on: TestDatabase): Settler {
  const chain = connectChain(s.config, { db: on, logger: silent })
  const settler = createSettler({ db: on, chains: [chain], logger: silent, holder: 'test', times: QUICK })
  settler.start()
  running.push(settler)
  return settler
}

/** The bank keeps its own book, which no restore takes back. */
function startPayer(on: TestDatabase, mayAsk = true): Work {
  const { status, ...mute } = createSimulatedRail(s.db)
  const rail = { ...mute, ...(mayAsk && status !== undefined ? { status } : {}) }
  const payer = createPayer({ db: on, rail, secrets: TEST_SECRETS, logger: silent, pollMs: 50 })
  payer.start()
  running.push(payer, startBurnWatch(on, connectChain(s.config, { db: on, logger: silent })))
  return payer
}

const bankBook = async () =>
  (await s.db.query<{ amount: bigint }>('select amount_sen as amount from simulated_rail_payments order by 1')).map(
    ({ amount }) => amount,
  )

test('nobody is minted or paid twice, every forgotten order is listed, and posted again it is the settled order', async () => {
  const funds = mint('1000')
  const settler = startSettler(s.db)
  await accept(lost, funds)
  await until(lost, 'COMPLETED', funds)

  // The backup: one mint in the mempool, one redeem pending behind it, one mint that waits for its payment.
  await s.rpc('evm_setAutomine', false)
  const [inPool, pending, unpaid] = [mint('11'), redeem('12'), mint('13', false)]
  await accept(lost, inPool)
  await until(lost, 'SUBMITTED', inPool)
  await settler.stop()
  await accept(lost, pending, unpaid)
  const backup = await takeBackup(s.db)

  // The history that the backup lacks: everything settles, and so do four orders that it does not know.
  const payer = startPayer(s.db)
  mining = setInterval(() => void s.rpc('evm_mine').catch(() => {}), 100)
  const later = startSettler(s.db)
  const [forgottenMint, forgottenRedeem, forgottenTransfer, never] = [
    mint('17'),
    redeem('19'),
    transfer('23'),
    mint('29'),
  ]
  assert.equal((await post(lost, unpaid, { fiatConfirmed: true })).status, 201)
  await accept(lost, forgottenMint, forgottenRedeem, forgottenTransfer, never)
  await until(lost, 'COMPLETED', inPool, pending, unpaid, forgottenMint, forgottenRedeem, forgottenTransfer, never)
  await Promise.all([later.stop(), payer.stop()])
  const supply = await s.chain.admin.supply()
  assert.equal(supply, (1000n + 11n + 13n + 17n + 29n - 12n - 19n) * 1_000_000n)
  assert.deepEqual(await bankBook(), [1_200n, 1_900n])
  const sameInstant = (await lost.get(`/v1/redeems/${pending.referenceId}`, { key })).body.blockchain

  // 1. Restore. 2. The settler alone, until nothing holds it.
  db = await createTestDatabase()
  await restoreBackup(db, backup)
  const chain = connectChain(s.config, { db, logger: silent })
  restored = await startTestApi({ db, realChain: chain })
  coin = await startOperator({ db, chains: [chain] })
  startSettler(db)
  await until(restored, 'COMPLETED', inPool, unpaid)
  await until(restored, 'PAYOUT_PENDING', pending)
  assert.deepEqual((await restored.get(`/v1/redeems/${pending.referenceId}`, { key })).body.blockchain, sameInstant)

  // 3. What the database has forgotten is listed, with tag, wallets and amount.
  const { batches } = await coin.run('batch', 'list', '--unexplained')
  assert.ok(batches.length > 0)
  const listed: Record<string, unknown>[] = []
  for (const { batchId } of batches) {
    const batch = await coin.run('batch', 'show', '31337', String(batchId))
    listed.push(...batch.instructions.filter(({ order }: { order: string | null }) => order === null))
  }
  const shown = (instruction: Record<string, unknown>) => [instruction.tag, instruction.kind, instruction.amount]
  const expected = [
    [forgottenMint, 'MINT', '17'],
    [forgottenRedeem, 'REDEEM', '19'],
    [forgottenTransfer, 'TRANSFER', '23'],
    [never, 'MINT', '29'],
  ] as const
  assert.deepEqual(
    listed.map(shown).sort(),
    expected.map(([{ referenceId }, kind, amount]) => [orderTag(integrationId, referenceId), kind, amount]).sort(),
  )

  // A partner posts them again: they are what they were, without balance or caps; other details are a conflict.
  assertRefused(await post(restored, forgottenMint, { amountMyr: '18' }), 409, 'IDEMPOTENCY_CONFLICT')
  await db.query('update customers set can_transfer = false where customer_id = $1', [customerId])
  await accept(restored, forgottenMint, forgottenRedeem, forgottenTransfer)
  await until(restored, 'COMPLETED', forgottenMint, forgottenTransfer)
  await until(restored, 'PAYOUT_PENDING', forgottenRedeem)
  assert.equal(await s.chain.admin.supply(), supply)

  // 4. The payer last. A bank that cannot be asked is not told to pay: an operator looks, or one that can be asked comes back.
  const mute = startPayer(db, false)
  const heldPayouts = async () => (await coin.run('payout', 'list', '--status', 'held')).payouts
  await waitFor('both payouts to be held', async () => (await heldPayouts()).length === 2)
  const payouts: Record<string, string>[] = await heldPayouts()
  assert.ok(payouts.every(({ holdReason }) => /cannot be asked/.test(String(holdReason))))
  await mute.stop()
  const payoutId = payouts.find(({ amountMyr }) => amountMyr === '19')?.payoutId ?? ''
  assert.match((await coin.cli(['payout', 'retry', payoutId])).stderr, /payout mark-paid/)
  await coin.run('payout', 'mark-paid', payoutId, '--reference', 'BANK-19')
  await until(restored, 'COMPLETED', forgottenRedeem)
  startPayer(db)
  await until(restored, 'COMPLETED', pending)
  assert.deepEqual(await bankBook(), [1_200n, 1_900n])

  // What nobody posts again is explained, and the books agree.
  const before = await coin.cli(['reconcile', '--json'])
  assert.deepEqual(
    JSON.parse(before.stdout).differences.filter(({ kind }: { kind: string }) => kind === 'supply').length,
    1,
  )
  for (const { batchId } of (await coin.run('batch', 'list', '--unexplained')).batches) {
    await coin.run(
      'batch',
      'explain',
      '31337',
      String(batchId),
      '--reason',
      'lost with the backup, given up by the partner',
    )
  }
  await sealBooks(db, 1_000)
  const books = JSON.parse((await coin.cli(['reconcile', '--json'])).stdout)
  assert.deepEqual(
    books.differences.filter(
      ({ kind, subject }: Record<string, string>) =>
        kind === 'supply' || (kind === 'books' && !subject?.startsWith(`batch/${SHADOW_CHAIN}/`)),
    ),
    [],
  )
  assert.deepEqual((await coin.run('batch', 'list', '--unexplained')).batches, [])
})
