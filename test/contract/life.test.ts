// engine: postgres; both in test:long
/** Orders from POST to their end on a real chain, as a partner sees them: every status, every phase, every event. */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import Stripe from 'stripe'
import { type Address, createWalletClient, http } from 'viem'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import { linkAccount } from '../../src/chain/instructions.ts'
import { setIntegrationDpa } from '../../src/integrations/integrations.sql.ts'
import { createPayer } from '../../src/payouts/payer.ts'
import { createSimulatedRail } from '../../src/payouts/rails/simulated.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import type { Settler } from '../../src/settlement/settler.ts'
import { createWebhookAdmin } from '../../src/webhooks/admin.ts'
import { type Courier, createCourier } from '../../src/webhooks/courier.ts'
import { createSender } from '../../src/webhooks/send.ts'
import { account, silent } from '../settlement/fixture.ts'
import { type Scenario, startScenario } from '../settlement/scenario.ts'
import { assertRefused, newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { startBurnWatch } from '../support/burn-watch.ts'
import { waitFor } from '../support/wait-for.ts'
import { type Receiver, startReceiver } from '../webhooks/http-receiver.ts'

type Order = {
  referenceId: string
  status: string
  phase: string
  direction: string
  amounts: { myr: string | null; coin: string; decimals: number }
  blockchain: { txHash: string | null; blockNumber: string | null }
  timestamps: { createdAt: string; updatedAt: string | null }
}
type Event = { id: string; type: string; createdAt: string; data: Record<string, unknown> & { referenceId: string } }

let scenario: Scenario
let api: TestApi
let settler: Settler
let receiver: Receiver
let courier: Courier
let secret: string
let customerId: string
let wallet: string
const linkOf = (address: string) => ({
  wallet: address as Address,
  account: linkAccount(api.integrationId, customerId),
})
const payers: { stop(): Promise<unknown> }[] = []

before(async () => {
  scenario = await startScenario({ config: { confirmations: 2 } })
  const { db, chain } = scenario
  api = await startTestApi({ db, realChain: chain })
  await setIntegrationDpa(db, api.integrationId, '2026-01-01')
  customerId = await api.makeCustomer()
  wallet = await api.makeWallet(customerId)
  await whileMining(() => chain.admin.linkWallet(linkOf(wallet)))
  await scenario.rpc('evm_setAutomine', false)
  settler = await scenario.settle()
  await waitFor('the settler to observe the chain', async () => {
    const rows = await db.query('select 1 from chains where chain_id = $1', [scenario.config.chainId])
    return rows.length === 1
  })
  receiver = await startReceiver()
  const secrets = createSecretBox(randomBytes(32))
  const admin = createWebhookAdmin({ db, secrets, send: createSender({ allowLoopback: true }), allowLoopback: true })
  const { integrationId } = api
  ;({ secret } = await admin.add(db, { integrationId, url: receiver.url }))
  courier = createCourier({ db, logger: silent, secrets, allowLoopback: true })
  courier.start()
})
after(async () => {
  await Promise.all(payers.map((payer) => payer.stop()))
  await courier.stop()
  await receiver.close()
  await api.close()
  await scenario.end()
})

/** Runs an operator's action, which waits for its confirmations, while blocks are mined. */
async function whileMining(act: () => Promise<unknown>): Promise<void> {
  let done = false
  const finished = act().finally(() => {
    done = true
  })
  await waitFor('the action to be deep enough', async () => {
    if (!done) await scenario.mine()
    return done
  })
  await finished
}

const read = async (referenceId: string) => (await api.get(`/v1/transactions/${referenceId}`)).body as unknown as Order

/** Waits for a phase and returns the order as the API shows it. */
const inPhase = (referenceId: string, phase: string): Promise<Order> =>
  waitFor(`${referenceId} in ${phase}`, async () => {
    const order = await read(referenceId)
    return order.phase === phase ? order : undefined
  })

async function post(kind: string, different: Record<string, unknown>): Promise<Order> {
  const answer = await api.post(`/v1/${kind}`, { referenceId: newReference(), customerId, ...different })
  assert.equal(answer.status, 201, answer.text)
  settler.wake(scenario.config.chainId)
  return answer.body as unknown as Order
}

const mint = (walletAddress: string) => post('mints', { amountMyr: '100', walletAddress, fiatConfirmed: true })

/** Mines until the order is in its last phase. */
async function mineTo(referenceId: string, phase: string): Promise<Order> {
  await inPhase(referenceId, 'SUBMITTED')
  // It is stored before it is sent, and a block without it is followed by none that has it.
  await waitFor('its batch to be sent', async () => {
    const { pending } = (await scenario.rpc('txpool_status')) as { pending: string }
    return pending !== '0x0'
  })
  await scenario.mine()
  await inPhase(referenceId, 'CONFIRMING')
  await scenario.mine(3)
  return inPhase(referenceId, phase)
}

/** The events of an order, each with a signature that an independent library accepts. */
async function eventsOf({ referenceId }: Order, count: number): Promise<Event[]> {
  const own = () => receiver.received.filter(({ body }) => body.includes(referenceId))
  await waitFor(`${count} events of ${referenceId}`, () => own().length >= count)
  for (const { body, headers } of own()) {
    new Stripe('sk_test_unused').webhooks.constructEvent(body, String(headers['x-coin-signature']), secret)
  }
  const events = own().map(({ body }) => JSON.parse(body) as Event)
  assert.equal(new Set(events.map(({ id }) => id)).size, count)
  return events.sort((a, b) => a.createdAt.localeCompare(b.createdAt))
}

/** The data of an event is the contract's subset of the order. */
function assertTells(event: Event | undefined, type: string, order: Order): void {
  const { referenceId, status, direction, blockchain } = order
  const { myr, coin, decimals } = order.amounts
  assert.deepEqual([event?.type, Object.keys(event ?? {})], [type, ['id', 'type', 'createdAt', 'data']])
  assert.match(event?.createdAt ?? '', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  assert.deepEqual(event?.data, { referenceId, status, direction, amounts: { myr, coin, decimals }, blockchain })
}

test('a mint: pending, processing, confirming, completed; a txHash alone is not final', async () => {
  const created = await mint(wallet)
  assert.deepEqual([created.status, created.phase], ['pending', 'ORDER_CREATED'])
  const submitted = await inPhase(created.referenceId, 'SUBMITTED')
  assert.equal(submitted.status, 'processing')
  assert.match(submitted.blockchain.txHash ?? '', /^0x[0-9a-f]{64}$/)
  assert.equal(submitted.blockchain.blockNumber, null)
  await scenario.mine()
  const confirming = await inPhase(created.referenceId, 'CONFIRMING')
  assert.equal(confirming.status, 'processing')
  assert.match(confirming.blockchain.blockNumber ?? '', /^\d+$/)
  await scenario.mine(3)
  const completed = await inPhase(created.referenceId, 'COMPLETED')
  assert.equal(completed.status, 'completed')
  assert.equal(completed.blockchain.txHash, submitted.blockchain.txHash)
  assert.ok((completed.timestamps.updatedAt ?? '') > created.timestamps.createdAt)
  const balances = (await api.get(`/v1/balances/${wallet}`)).body.balances as { balance: string; balanceRaw: string }[]
  assert.deepEqual(
    balances.map(({ balance, balanceRaw }) => [balance, balanceRaw]),
    [['100', '100000000']],
  )
  const [pending, done] = await eventsOf(completed, 2)
  assertTells(pending, 'mint.pending', created)
  assertTells(done, 'mint.completed', completed)
})

test('a transfer: completed at full depth, with one event', async () => {
  const created = await post('transfers', { amountCoin: '10', walletAddress: newAddress() })
  assert.deepEqual([created.status, created.phase], ['pending', 'ORDER_CREATED'])
  const completed = await mineTo(created.referenceId, 'COMPLETED')
  assert.equal(completed.status, 'completed')
  assertTells((await eventsOf(completed, 1))[0], 'transfer.completed', completed)
})

test('a redeem: burnt, then PAYOUT_PENDING, completed when the payout was initiated', async () => {
  const created = await post('redeems', { amountCoin: '20', walletAddress: wallet })
  const waiting = await mineTo(created.referenceId, 'PAYOUT_PENDING')
  assert.equal(waiting.status, 'processing')
  const payer = createPayer({
    db: scenario.db,
    rail: createSimulatedRail(scenario.db),
    secrets: TEST_SECRETS,
    logger: silent,
    pollMs: 50,
  })
  payer.start()
  payers.push(payer, startBurnWatch(scenario.db, scenario.chain))
  const completed = await inPhase(created.referenceId, 'COMPLETED')
  assert.equal(completed.status, 'completed')
  const [pending, done] = await eventsOf(completed, 2)
  assertTells(pending, 'redeem.pending', created)
  assertTells(done, 'redeem.completed', completed)
})

/** What counts against the limits: of the customer's month, and of the key's day. */
async function counted() {
  const { limits } = (await api.get(`/v1/customers/${customerId}`)).body as { limits: Record<string, string> }
  const beyond = { referenceId: newReference(), amountCoin: '50000.000001', walletAddress: newAddress(), customerId }
  const meta = assertRefused(await api.post('/v1/transfers', beyond), 400, 'TRANSFER_PER_TX_CAP_EXCEEDED')
  return [limits.monthlyWithdrawalUsed, meta?.committedTodayCoin]
}

test('what the chain refuses at full depth is failed: a mint, a redeem and a transfer, each with its event, and counts no longer', async () => {
  await settler.stop()
  await scenario.rpc('evm_setAutomine', true)
  const frozen = newAddress() as `0x${string}`
  const freezer = createWalletClient({ account: account('freezer'), transport: http(scenario.rpcUrl) })
  const coin = { address: scenario.config.coin.address as `0x${string}`, abi: coinAbi, chain: null } as const
  await freezer.writeContract({ ...coin, functionName: 'freeze', args: [frozen] } as never)
  const before = await counted()
  const orders = [
    await mint(frozen),
    await post('redeems', { amountCoin: '1', walletAddress: wallet }),
    await post('transfers', { amountCoin: '1', walletAddress: newAddress() }),
  ]
  assert.deepEqual(
    await counted(),
    before.map((amount) => String(Number(amount) + 1)),
  )
  await whileMining(() => scenario.chain.admin.unlinkWallet(linkOf(wallet)))
  await scenario.rpc('evm_setAutomine', false)
  settler = await scenario.settle()
  for (const { referenceId, direction } of orders) {
    await inPhase(referenceId, 'SUBMITTED')
    assert.equal((await read(referenceId)).direction, direction)
  }
  await scenario.mine(4)
  for (const [index, created] of orders.entries()) {
    const failed = await inPhase(created.referenceId, 'FAILED')
    assert.equal(failed.status, 'failed')
    const kind = created.direction.toLowerCase()
    const events = await eventsOf(failed, index === 2 ? 1 : 2)
    if (index < 2) assertTells(events[0], `${kind}.pending`, created)
    assertTells(events.at(-1), `${kind}.failed`, failed)
  }
  assert.deepEqual(await counted(), before, 'what failed counts against no limit')
})
