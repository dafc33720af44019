// engine: postgres
/** How many batches a round forms, for which orders, and what it says of those that wait. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeFunctionData, type Hex, zeroAddress } from 'viem'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { encodeSettle, KIND, NO_HISTORY, packInstructions } from '../../src/chain/instructions.ts'
import { RpcUnreachableError } from '../../src/chain/node.ts'
import type { Signer } from '../../src/chain/signer.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { account, keyOf, wallet } from './fixture.ts'
import { PARTIES } from './parties.ts'
import { type Stepped, type SteppedChain, startStepped } from './stepped.ts'

let chain: SteppedChain
const steps: string[] = []
before(async () => {
  chain = await startStepped({ confirmations: 3, signers: [keyOf('signer')] })
})
after(() => chain.end())

const CHAIN = 31_337
const mint = (seed: number, amountMicro = 5n) => ({ direction: 'MINT', amountMicro, to: wallet(seed) }) as const
const redeem = (amountMicro = 5n) => ({ direction: 'REDEEM', amountMicro, from: wallet(1) }) as const
const mints = (count: number) => Array.from({ length: count }, (_, seed) => mint(seed))

async function begin(options: Parameters<SteppedChain['begin']>[0] = {}): Promise<Stepped> {
  steps.length = 0
  const s = await chain.begin({ onStep: (step) => void steps.push(step), ...options })
  await s.mine(3)
  await s.round()
  return s
}

const statesOf = (s: Stepped, orders: readonly (bigint | undefined)[]) =>
  Promise.all(orders.map(async (order) => (await s.order(order)).status))
const signedBatches = async (s: Stepped) => (await s.batches()).filter(({ status }) => status === 'signed').length

/** Sets what the bucket of mints holds from now on, without refill. */
async function limitMints(s: Stepped, capacity: bigint): Promise<void> {
  const args = [0, { capacity, refillPerSecond: 0n }] as const
  const data = encodeFunctionData({ abi: settlementAbi, functionName: 'setLimit', args })
  const call = { from: account('limiter').address, to: s.config.settlement, data, gas: '0x186a0' }
  await s.rpc('eth_sendTransaction', call)
  await s.mine()
}

test('while nothing waits, no node is asked for fees and limits', async () => {
  const s = await begin()
  const readAt = () => s.work.memory.market?.headHash
  await s.mine()
  await s.round()
  assert.equal(readAt(), undefined)
  assert.equal(s.held(), 'none')
  assert.deepEqual(s.counted.filter(([name]) => name === 'oversizedOrders').at(-1), ['oversizedOrders', 0])
  await s.place(mint(1))
  await s.round()
  assert.equal(readAt(), (await s.head()).hash)
  assert.equal(await signedBatches(s), 1)
  // In a batch it waits for nothing but its block.
  s.work.memory.market = undefined
  await s.round()
  assert.equal(readAt(), undefined)
})

test('batches are formed four at a time, and no more than may wait for a block', async () => {
  const s = await begin()
  // So dear that each order fills a batch, and eight batches may be under way.
  s.work.memory.form.gasPerOrder = { used: 16_000_000n, limit: 16_000_000n }
  await s.place(...mints(7))
  steps.length = 0
  assert.equal((await s.round()).isMore, true, 'the chain is looked at before more is cut')
  await s.round()
  assert.equal(await signedBatches(s), 7)
  assert.equal(steps.filter((step) => step === 'batch-selected').length, 2)
  await s.place(...mints(3))
  await s.round()
  assert.equal(await signedBatches(s), 8)
})

/**
 * Code of the coin that reads as many words of storage as the first amount of a batch has micro-units, each for 2,100 gas, and then runs the code at
 * an address: as on a chain that counts one kind of instruction dearer than another.
 */
const dearCode = (code: string): Hex => {
  const amount = '602d3567ffffffffffffffff16' // the 8 bytes behind the first byte of `packed`
  const readAsMany = '5b8015601d5780545060019003600d56'
  const runCode = `5b365f5f375f5f365f73${code.slice(2)}5af43d5f5f3e6047573d5ffd5b3d5ff3`
  return `0x${amount}${readAsMany}${runCode}`
}

test('a batch asks for what nodes say of it, and not of the first of its round: one that is dearer is executed in the same block', async () => {
  const s = await begin()
  // So dear that each order fills a batch.
  s.work.memory.form.gasPerOrder = { used: 16_000_000n, limit: 16_000_000n }
  const coin = s.config.coin.address
  const code = wallet(900)
  await s.rpc('anvil_setCode', code, await s.rpc('eth_getCode', coin, 'latest'))
  await s.rpc('anvil_setCode', coin, dearCode(code))
  await s.mine()
  const orders = await s.place(mint(1, 5n), mint(2, 900n), mint(3, 300n))
  await s.round()
  const sent = await s.attempts()
  assert.equal(sent.length, 3)
  const asked = await Promise.all(
    sent.map(async ({ tx_hash: hash }) => {
      const { gas } = (await s.rpc('eth_getTransactionByHash', hash)) as { gas: Hex }
      return Number(gas)
    }),
  )
  await s.mine(3)
  await s.round()
  assert.deepEqual(await statesOf(s, orders), ['completed', 'completed', 'completed'])
  const [first = 0, second = 0, third = 0] = asked
  assert.ok(first < 300_000 && second > 2_000_000 && third > 700_000 && third < 1_000_000, String(asked))
})

test('a mined batch keeps no other one waiting', async () => {
  const s = await begin()
  await s.place(mint(1))
  await s.round()
  await s.mine()
  await s.round()
  s.work.memory.blocks.intervalMs = 60_000
  const [order] = await s.place(mint(2))
  await s.round()
  assert.deepEqual(await statesOf(s, [order]), ['processing'])
})

test('how near the next block is counts from the newest one, also long after the start', async () => {
  const s = await begin()
  await s.place(mint(1))
  await s.round()
  s.passMs(100_000)
  await s.mine()
  await s.round()
  await s.place(mint(2))
  await s.round()
  s.work.memory.blocks.intervalMs = 10_000
  const [order] = await s.place(mint(3))
  s.passMs(7_999)
  await s.round()
  assert.deepEqual(await statesOf(s, [order]), ['pending'])
  s.passMs(1)
  await s.round()
  assert.deepEqual(await statesOf(s, [order]), ['processing'])
})

test('what is signed and not yet mined counts against a bucket, and what still fits is formed', async () => {
  const s = await begin()
  await limitMints(s, 100n)
  const [first, second, burn] = await s.place(mint(1, 60n), mint(2, 60n), redeem())
  await s.round()
  assert.deepEqual(await statesOf(s, [first, second]), ['processing', 'pending'])
  assert.deepEqual([...s.work.memory.form.blocked], ['mint'])
  s.work.memory.blocks.intervalMs = undefined
  await s.round()
  assert.deepEqual(await statesOf(s, [first, second]), ['processing', 'pending'])
  assert.deepEqual([...s.work.memory.form.blocked], ['mint'])
  assert.notEqual(burn, undefined)
})

test('when nothing waits any more nothing is blocked and nothing holds', async () => {
  const s = await begin()
  await limitMints(s, 100n)
  const [order] = await s.place(mint(1, 60n), mint(2, 60n))
  await s.round()
  assert.deepEqual(await statesOf(s, [order]), ['processing'])
  await s.mine()
  await s.round()
  assert.deepEqual([s.held(), [...s.work.memory.form.blocked]], ['mint-limit', ['mint']])
  await withoutGuards(s.db, (tx) =>
    tx.query(`update orders set status = 'cancelled' where chain_id = $1 and status = 'pending'`, [CHAIN]),
  )
  await s.round()
  assert.deepEqual([s.held(), [...s.work.memory.form.blocked]], ['none', []])
})

test('a part-filled batch that waits for the next block says nothing about buckets', async () => {
  const s = await begin()
  await s.place(mint(1))
  await s.round()
  s.work.memory.blocks.intervalMs = 60_000
  s.work.memory.form.blocked = new Set(['burn'])
  s.work.memory.holds.held = { reason: 'burn-limit', details: {} }
  await s.place(mint(2))
  await s.round()
  assert.deepEqual([s.held(), [...s.work.memory.form.blocked]], ['burn-limit', ['burn']])
})

test('orders that may not settle any more are held, and the others go on in the same round', async () => {
  const s = await begin()
  await s.db.query(`update integrations set status = 'suspended' where integration_id = $1`, [PARTIES[0].integrationId])
  const orders = await s.place(mint(1), mint(2), mint(3), mint(4))
  await s.round()
  const rows = await s.db.query<{ held: string | null }>(
    `select h.reason as held from orders o left join order_holds h using (order_id)
     where order_id = any ($1::bigint[]) order by order_id`,
    [orders],
  )
  assert.deepEqual(
    rows.map(({ held }) => held),
    ['integration_suspended', null, 'integration_suspended', null],
  )
  assert.deepEqual(await statesOf(s, orders), ['pending', 'processing', 'pending', 'processing'])
})

test('while thousands of one integration are yet to be held, the others go on', async () => {
  const heldThen: bigint[] = []
  const s = await begin({
    async onStep(step) {
      if (step !== 'batch-stored') return
      const [row] = await s.db.query<{ held: bigint }>('select count(*) as held from order_holds')
      heldThen.push(row?.held ?? 0n)
    },
  })
  const { integrationId } = PARTIES[0]
  const [first] = await s.place(mint(1))
  await s.db.query(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address, customer_id, key_id, amount_micro)
     select integration_id, 'of-many-' || n, direction, status, chain_id, network, token_address, wallet_address, customer_id, key_id, amount_micro
     from orders, generate_series(1, 2500) n where order_id = $1`,
    [first ?? 0n],
  )
  await s.db.query(`update integrations set status = 'suspended' where integration_id = $1`, [integrationId])
  const [, other] = await s.place(mint(2), mint(3))
  await s.round()
  const [stored] = heldThen
  assert.equal(heldThen.length, 1)
  assert.ok(stored !== undefined && stored > 0n && stored < 2_000n, `${stored} were held first`)
  assert.deepEqual(await statesOf(s, [first, other]), ['pending', 'processing'])
  const [left] = await s.db.query<{ held: bigint }>('select count(*) as held from order_holds')
  assert.equal(left?.held, 2_502n, 'all of them in the end')
})

/** A mint as it would have been settled for the first order that the first party places after `skipped` others. */
async function instructionFor(s: Stepped, seed: number, skipped = 0) {
  const { integrationId } = PARTIES[0]
  const sql = 'select count(*)::int as count from orders where integration_id = $1'
  const [row] = await s.db.query<{ count: number }>(sql, [integrationId])
  const tag = orderTag(integrationId, `order-${String((row?.count ?? 0) + skipped).padStart(6, '0')}`)
  return { kind: KIND.MINT, from: zeroAddress, to: wallet(seed), amount: 5n, tag } as const
}

async function settleElsewhere(s: Stepped, instructions: Parameters<typeof packInstructions>[0]): Promise<void> {
  const data = encodeSettle(1n, NO_HISTORY, packInstructions(instructions))
  const from = account('second').address
  await s.rpc('eth_sendTransaction', { from, to: s.config.settlement, data, gas: '0x61a80' })
  await s.mine(3)
}

test('an order that was settled elsewhere takes that outcome, one in conflict waits, and the others go on in the same round', async () => {
  const s = await begin()
  await settleElsewhere(s, [await instructionFor(s, 1), { ...(await instructionFor(s, 3, 1)), amount: 6n }])
  await s.round()
  const [settled, other, conflicting] = await s.place(mint(1), mint(2), mint(3))
  await s.round()
  assert.deepEqual(await statesOf(s, [settled, other, conflicting]), ['completed', 'processing', 'pending'])
  assert.equal(await s.chain.admin.supply(), 11n)
})

/** The history cannot be read until a batch is selected. */
function hideHistory(s: Stepped): void {
  const nodes = s.work.chain.nodes.map((node) => ({
    ...node,
    request(method: string, params: readonly unknown[], timeoutMs?: number) {
      const isHistory = method === 'eth_call' && (params[0] as { data?: Hex }).data === '0x8f7dcfa3'
      if (isHistory && !steps.includes('batch-selected')) return Promise.reject(new RpcUnreachableError('silent'))
      return node.request(method, params, timeoutMs)
    },
  }))
  s.work.chain = { ...s.work.chain, nodes }
}

test('deep batches of others that only the simulation comes across are read at once, and orders settle behind them', async () => {
  for (const retryMs of [0, 500]) {
    const s = await begin({ times: { retryMs } })
    hideHistory(s)
    steps.length = 0
    await settleElsewhere(s, [await instructionFor(s, 1, 9)])
    const [order] = await s.place(mint(1))
    await s.round()
    assert.deepEqual(
      (await s.batches()).map(({ batch_id, is_foreign }) => [batch_id, is_foreign]),
      retryMs === 0 ? [[1n, true], [2n, false]] : [[1n, true]], // biome-ignore format: one line
    )
    assert.equal(s.held(), 'none')
    assert.deepEqual(await statesOf(s, [order]), [retryMs === 0 ? 'processing' : 'pending'])
  }
})

test('a chain without the batches that ours would follow is behind; one with another history is in conflict', async () => {
  const behind = await begin()
  await behind.db.query('update chains set next_batch_id = 3 where chain_id = $1', [CHAIN])
  await behind.place(mint(1))
  await behind.round()
  assert.equal(behind.held(), 'chain-behind')
  const next = await begin()
  await next.db.query('update chains set next_batch_id = 2 where chain_id = $1', [CHAIN])
  await next.place(mint(1))
  await next.round()
  assert.equal(next.held(), 'chain-behind')
  const other = await begin()
  await other.db.query('update chains set running_hash = $2 where chain_id = $1', [CHAIN, `0x${'1'.repeat(64)}`])
  const [order] = await other.place(mint(1))
  await other.round()
  assert.equal(other.held(), 'batch-conflict')
  assert.deepEqual(await statesOf(other, [order]), ['pending'])
})

test('a hold says what an operator needs to know', async () => {
  const details = (s: Stepped) => s.work.memory.holds.held.details
  const dear = await begin()
  dear.config.maxFeePerGasWei = 1n
  await dear.mine()
  await dear.place(mint(1))
  await dear.round()
  assert.match(String(details(dear).baseFeePerGas), /^\d+$/)

  const broken = await begin()
  const [signer] = broken.chain.signers
  const sign = () => Promise.reject(new Error('no answer'))
  broken.work.chain = { ...broken.work.chain, signers: [{ ...(signer as Signer), sign }] }
  await broken.place(mint(1))
  await broken.round()
  assert.deepEqual(details(broken), { error: 'no answer' })

  const gone = await begin()
  await gone.place(mint(1))
  await gone.round()
  gone.work.chain = { ...gone.work.chain, signers: [] }
  await gone.round()
  assert.deepEqual([gone.held(), details(gone)], ['signer-unavailable', { error: 'not configured any more' }])

  const poor = await begin()
  await poor.rpc('anvil_setBalance', account('signer').address, '0x7')
  await poor.place(mint(1))
  await poor.round()
  const { neededWei, ...rest } = details(poor)
  assert.deepEqual(rest, { signer: account('signer').address, balanceWei: '7' })
  assert.match(String(neededWei), /^\d+$/)
})

test('a batch is known since the head at which it was formed, so that its fee is raised in time', async () => {
  const s = await begin({ config: { bumpAfterBlocks: 2 } })
  await s.place(mint(1))
  await s.round()
  await s.rpc('anvil_dropAllTransactions')
  await s.mine(2)
  await s.round()
  assert.equal((await s.attempts()).length, 2)
  await s.rpc('anvil_dropAllTransactions')
  await s.mine(2)
  await s.round()
  assert.equal((await s.attempts()).length, 3, 'and so is what replaced it')
})
