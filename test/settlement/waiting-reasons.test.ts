// engine: postgres
/** Why orders wait, as the operator's commands and the metrics tell it, with each fault made on a real chain. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeFunctionData } from 'viem'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { waitFor } from '../support/wait-for.ts'
import { account, linkOf, wallet } from './fixture.ts'
import { type Scenario, startScenario } from './scenario.ts'

const mint = (amountMicro: bigint) => ({ direction: 'MINT', amountMicro, to: wallet(1) }) as const
const metrics = createMetrics()
let s: Scenario
let coin: OperatorFixture

before(async () => {
  s = await startScenario({ limits: { mint: { capacityMicro: 100n, refillPerSecondMicro: 0n } } })
  coin = await startOperator({ db: s.db, chains: [s.chain] })
  await s.chain.admin.linkWallet(linkOf(wallet(1)))
  await s.settle({ metrics: metrics.settlement })
  const [first] = await s.place(mint(60n))
  await s.until(first, 'completed')
})
after(async () => {
  await coin.close()
  await s.end()
})

async function nameOf(orderId: bigint): Promise<[string, string]> {
  const [row] = await s.db.query<{ integration_id: string; reference_id: string }>(
    'select integration_id, reference_id from orders where order_id = $1',
    [orderId],
  )
  return [row?.integration_id ?? '', row?.reference_id ?? '']
}

/** The reason of one order, from `order list --stuck` and `order show`, which must agree. */
async function reasonOf(orderId = 0n): Promise<string> {
  const [integrationId, referenceId] = await nameOf(orderId)
  const query = `stuck=true&olderThan=1s&integrationId=${integrationId}`
  const { orders } = (await coin.call('GET', `/orders?${query}`)).body
  const listed = orders.find(
    (order: { referenceId: string; chainId: number }) => order.referenceId === referenceId && order.chainId === 31_337,
  )
  const { waiting } = (await coin.call('GET', `/orders/${integrationId}/${referenceId}`)).body
  if (listed !== undefined) assert.equal(listed.waiting, waiting)
  return listed === undefined ? '' : waiting
}

const until = (orderId: bigint | undefined, pattern: RegExp) =>
  waitFor(`the reason ${pattern}`, async () => pattern.test(await reasonOf(orderId)))

const gauge = async (name: string, labels: Record<string, string>) => {
  const { values } = (await metrics.registry.getSingleMetric(name)?.get()) ?? { values: [] }
  return values.find((each) => Object.entries(labels).every(([label, value]) => String(each.labels[label]) === value))
    ?.value
}
const held = (reason: string) => gauge('settlement_held', { chain: '31337', reason })

function send(from: Parameters<typeof account>[0], data: string, to = s.config.settlement): Promise<unknown> {
  return s.rpc('eth_sendTransaction', { from: account(from).address, to, data, gas: '0x30d40' })
}

test('an empty bucket, an order above it, and the order that they do not concern', async () => {
  const [huge, waits] = await s.place(mint(1_000n), mint(50n))
  await until(waits, /^mint-limit: .*refills/)
  await until(huge, /^oversized: the chain settles at most 0\.0001 in one mint/)
  const [transfer] = await s.place({ direction: 'TRANSFER', amountMicro: 5n, from: wallet(1), to: wallet(2) })
  await s.until(transfer, 'completed')
  await waitFor('the gauge while the rest goes on', async () => (await held('mint-limit')) === 1)
  const [integrationId] = await nameOf(waits ?? 0n)
  const age = () => gauge('settlement_oldest_order_seconds', { chain: '31337', integration: integrationId })
  await waitFor('the age of the oldest order', async () => ((await age()) ?? 0) > 0)

  const args = [0, { capacity: 5_000n, refillPerSecond: 0n }] as const
  await send('limiter', encodeFunctionData({ abi: settlementAbi, functionName: 'setLimit', args }))
})

test('a Settlement contract that has lost its role at the coin, which no signer can mend', async () => {
  const change = async (functionName: 'grantRole' | 'revokeRole', from: Parameters<typeof account>[0]) => {
    const args = [ROLE_IDS.settler, s.config.settlement] as const
    await send(from, encodeFunctionData({ abi: coinAbi, functionName, args }), s.config.coin.address)
  }
  await change('revokeRole', 'pauser')
  const [order] = await s.place({ direction: 'TRANSFER', amountMicro: 5n, from: wallet(1), to: wallet(2) })
  await until(order, /^settlement-without-role: .*SETTLER_ROLE/)
  assert.equal(await held('settlement-without-role'), 1)
  await change('grantRole', 'deployer')
  await s.until(order, 'completed')
})

test('a paused settlement, a signer without gas, and one without its role', async () => {
  await s.chain.admin.pause({ settlementOnly: true })
  const [order] = await s.place({ direction: 'TRANSFER', amountMicro: 5n, from: wallet(1), to: wallet(2) })
  await until(order, /^paused: .*chain resume/)
  assert.equal(await held('paused'), 1)

  await s.chain.admin.unpause({ settlementOnly: true })
  await s.until(order, 'completed')

  await s.rpc('anvil_setBalance', account('signer').address, '0x1')
  const [poor] = await s.place({ direction: 'TRANSFER', amountMicro: 5n, from: wallet(1), to: wallet(2) })
  await until(poor, /^(gas-balance|simulation-failed): /)
  await s.rpc('anvil_setBalance', account('signer').address, '0x8ac7230489e80000')
  await s.until(poor, 'completed')
  await waitFor('no hold', async () => (await held('none')) === 1)
  assert.equal(await gauge('settlement_node_up', { chain: '31337' }), 1)
  assert.equal(await gauge('settlement_node_lag_blocks', { chain: '31337' }), 0)

  const role = [ROLE_IDS.signer, account('signer').address] as const
  await send('pauser', encodeFunctionData({ abi: settlementAbi, functionName: 'revokeRole', args: role }))
  const [unsigned] = await s.place({ direction: 'TRANSFER', amountMicro: 5n, from: wallet(1), to: wallet(2) })
  await until(unsigned, /^signer-without-role: /)
})
