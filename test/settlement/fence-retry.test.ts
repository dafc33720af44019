// engine: postgres
/** After a restore no payout is retried whose coin the lost history may have minted back, in bytes that anybody may send yet. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Hex } from 'viem'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { markRejected } from '../../src/payouts/record-news.ts'
import { createCopying } from '../chain-model/copies.ts'
import { startOperator } from '../operator/fixture.ts'
import { keepMining } from '../support/anvil.ts'
import { believeBurns } from '../support/believed-burns.ts'
import { linkOf, wallet } from './fixture.ts'
import { ALONE, CHAIN, mint } from './repairing.ts'
import { type Stepped, type SteppedChain, startStepped } from './stepped.ts'

const AMOUNT = 20_000n

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2 })
})
after(() => chain.end())

async function settle(s: Stepped): Promise<void> {
  await s.round()
  await s.mine(2)
  await s.round()
}

/** A payout that its rail has refused. */
async function refusedPayout(s: Stepped): Promise<string> {
  await believeBurns(s.db)
  const linked = s.chain.admin.linkWallet(linkOf(wallet(1)))
  const stopMining = keepMining(s.mine, 50)
  await linked.finally(stopMining)
  await s.place(mint(1, AMOUNT))
  await settle(s)
  const [redeem = 0n] = await s.place({ direction: 'REDEEM', amountMicro: AMOUNT, from: wallet(1) })
  await settle(s)
  const [row] = await s.db.query<{ id: string }>('select payout_id as id from payouts where order_id = $1', [redeem])
  const payoutId = row?.id ?? assert.fail()
  const refusal = { reason: 'account closed', effectiveAt: new Date() }
  await s.db.transaction((tx) => markRejected(tx, { payoutId, attempt: 1 }, refusal))
  return payoutId
}

test('a payout is retried once the fence is final, behind which nothing mints its coin back', async () => {
  const s = await chain.begin({ config: ALONE })
  const payoutId = await refusedPayout(s)
  const copying = await createCopying(s.db)
  const copy = await copying.copy()
  assert.ok(await s.db.transaction((tx) => payoutAdmin.refund(tx, payoutId)))
  await s.round()
  const lost = s.sent.at(-1) as Hex
  await s.rpc('anvil_dropAllTransactions')
  await copying.putBack(copy)
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
  await s.forget()
  await s.round()
  assert.equal(s.held(), 'fence')

  const coin = await startOperator({ db: s.db, chains: [s.chain] })
  try {
    const early = await coin.cli(['payout', 'retry', payoutId])
    assert.match(early.stderr, /may have minted its coin back/)
    assert.match((await coin.run('payout', 'show', payoutId)).payout.beware, BEWARE)
    await s.mine(2)
    await s.round()
    assert.equal(s.held(), 'none')
    await assert.rejects(s.rpc('eth_sendRawTransaction', lost), /nonce too low/)
    assert.equal(await s.chain.reader.latestBalance(wallet(1)), 0n)
    assert.equal((await coin.run('payout', 'show', payoutId)).payout.beware, undefined)
    const done = await coin.cli(['payout', 'retry', payoutId])
    assert.equal(done.code, 0, done.stderr)
  } finally {
    await coin.close()
  }
})

const BEWARE = /may have minted the coin of this payout back, .*If the ringgit has not left, pay it only then/

test('what was paid by hand is recorded before the fence is final, and whoever approves it, runs it or audits it sees what may follow', async () => {
  const s = await chain.begin({ config: ALONE })
  const payoutId = await refusedPayout(s)
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
  const open = await startOperator({ db: s.db, chains: [s.chain] })
  const [one, two] = [await open.person('treasury'), await open.person('treasury')]
  await open.close()
  const coin = await startOperator({ db: s.db, chains: [s.chain], fourEyes: true })
  const as = ({ token }: { token: string }, more = {}) => ({ authorization: `Bearer ${token}`, ...more })
  const markPaid = (more = {}) =>
    coin.call('POST', `/payouts/${payoutId}/mark-paid`, { reference: 'T-1' }, as(one, more))
  try {
    const { approvalId } = (await markPaid()).body
    const { about } = (await coin.call('GET', `/approvals/${approvalId}`, undefined, as(two))).body.approval
    assert.match(about.beware, BEWARE)
    assert.equal((await coin.call('POST', `/approvals/${approvalId}/approve`, {}, as(two))).status, 200)
    const { body } = await markPaid({ 'x-approval': approvalId })
    assert.equal(body.status, 'paid_by_hand')
    assert.match(body.payout.beware, BEWARE)
    const { entries } = (await coin.call('GET', '/audit?limit=10', undefined, as(two))).body
    const recorded = entries.find(({ action }: { action: string }) => action === 'payout.mark-paid')
    assert.match(recorded.details.beware, BEWARE)
  } finally {
    await coin.close()
  }
})
