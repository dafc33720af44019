// engine: postgres; both in test:long
/** Orders above what a chain's bucket can ever hold, on a real chain. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeFunctionData, type Hex } from 'viem'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { linkAccount } from '../../src/chain/instructions.ts'
import type { Settler } from '../../src/settlement/settler.ts'
import { account } from '../settlement/fixture.ts'
import { type Scenario, startScenario } from '../settlement/scenario.ts'
import { assertRefused, newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'
import { waitFor } from '../support/wait-for.ts'

const KINDS = { MINT: 0, REDEEM: 1, TRANSFER: 2 } as const
const LIMIT = { capacityMicro: 2_000_000n, refillPerSecondMicro: 1_000_000n }
let scenario: Scenario
let api: TestApi
let settler: Settler
let customerId: string
let wallet: string

before(async () => {
  scenario = await startScenario({ limits: { mint: LIMIT, burn: LIMIT, transfer: LIMIT } })
  api = await startTestApi({ db: scenario.db, realChain: scenario.chain })
  customerId = await api.makeCustomer()
  wallet = await api.makeWallet(customerId)
  const link = { wallet: wallet as Hex, account: linkAccount(api.integrationId, customerId) }
  await scenario.chain.admin.linkWallet(link)
  settler = await scenario.settle()
  await waitFor('the limits', async () => (await limits()).length === 3)
})
after(async () => {
  await api.close()
  await scenario.end()
})

const limits = () =>
  scenario.db.query<{ direction: string; capacity: string }>(
    `select direction, capacity_micro::text as capacity from chain_limits where chain_id = 31337 order by direction`,
  )
const mint = (amountMyr: string, changes: Record<string, unknown> = {}) =>
  api.post('/v1/mints', {
    referenceId: newReference(),
    walletAddress: wallet,
    customerId,
    fiatConfirmed: true,
    amountMyr,
    ...changes,
  })
const debit = (path: string, walletAddress: string, amountCoin: string) =>
  api.post(path, { referenceId: newReference(), walletAddress, customerId, amountCoin })

async function setLimit(kind: number, capacity: bigint): Promise<void> {
  const args = [kind, { capacity, refillPerSecond: 1_000_000n }] as const
  const data = encodeFunctionData({ abi: settlementAbi, functionName: 'setLimit', args })
  await scenario.rpc('eth_sendTransaction', { from: account('limiter').address, to: scenario.config.settlement, data })
}

/** A settler that starts reads the limits at once. */
async function readLimitsAgain(): Promise<void> {
  await settler.stop()
  await scenario.db.query('delete from chain_limits where chain_id = 31337')
  settler = await scenario.settle()
  await waitFor('the limits', async () => (await limits()).length === 3)
}

test('an order of each kind is accepted at the limit, and refused one unit above it, before any chain is asked', async () => {
  assert.equal((await mint('2')).status, 201)
  assert.deepEqual(assertRefused(await mint('2.000001'), 400, 'POLICY_REJECTED'), { reason: 'above_chain_limit' })
  // There is no balance for these: what is asked of the chain would refuse them otherwise.
  for (const [path, to] of [
    ['/v1/redeems', wallet],
    ['/v1/transfers', newAddress()],
  ] as const) {
    const meta = assertRefused(await debit(path, to, '2000.000001'), 400, 'POLICY_REJECTED')
    assert.deepEqual(meta, { reason: 'above_chain_limit' })
    assert.notDeepEqual(
      (await debit(path, to, '2')).body.error,
      (await debit(path, to, '2.000001')).body.error,
      'the limit itself is judged by the balance',
    )
  }
})

test('a limit of one kind is not that of another, and a raised one admits what was refused', async () => {
  await setLimit(KINDS.MINT, 5_000_000n)
  await readLimitsAgain()
  assert.deepEqual(
    (await limits()).map(({ capacity }) => capacity),
    ['5000000', '2000000', '2000000'],
  )
  const accepted = await mint('5')
  assert.equal(accepted.status, 201)
  assertRefused(await debit('/v1/redeems', wallet, '2.000001'), 400, 'POLICY_REJECTED')
  await waitFor('the large mint', async () => {
    // The bucket fills with the time of blocks, and the mint before this one may draw from it first.
    await scenario.rpc('evm_increaseTime', '0xa')
    await scenario.mine()
    const { body } = await api.get(`/v1/mints/${(accepted.body as { referenceId: string }).referenceId}`)
    return body.status === 'completed'
  })
})

test('a mint that waits for its payment is judged again when it is confirmed, and stays', async () => {
  const referenceId = newReference()
  assert.equal((await mint('4', { referenceId, fiatConfirmed: false })).status, 201)
  await setLimit(KINDS.MINT, 3_000_000n)
  await readLimitsAgain()
  assertRefused(await mint('4', { referenceId }), 400, 'POLICY_REJECTED')
  assert.equal((await api.get(`/v1/mints/${referenceId}`)).body.status, 'payment_pending')
})

test('a limit that nobody has read for a while, or at all, refuses nothing', async () => {
  await settler.stop()
  assertRefused(await mint('1000'), 400, 'POLICY_REJECTED')
  await scenario.db.query(`update chain_limits set read_at = now() - interval '11 minutes'`)
  assert.equal((await mint('1000')).status, 201)
  await scenario.db.query('delete from chain_limits where chain_id = 31337')
  assert.equal((await mint('1000')).status, 201)
})
