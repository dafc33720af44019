// engine: postgres
/** What a thief with a signing key, a second service or a restored backup could once do, on a real chain. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeFunctionResult, encodeFunctionData, type Hex, zeroAddress } from 'viem'
import { connectChain } from '../../src/chain/chain.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { encodeSettle, KIND, packInstructions } from '../../src/chain/instructions.ts'
import { noMetrics } from '../../src/settlement/metrics.ts'
import { createSettler } from '../../src/settlement/settler.ts'
import { keepMining } from '../support/anvil.ts'
import { createTestDatabase } from '../support/database.ts'
import { startFaultyRpc } from '../support/faulty-rpc.ts'
import { waitFor } from '../support/wait-for.ts'
import { account, orderState, placeOrders, rpc, seedParties, silent, wallet } from './fixture.ts'
import { restoreOldBackup } from './restore.ts'
import { QUICK, type Scenario, startScenario } from './scenario.ts'
import { plantChain, SHADOW_CHAIN } from './shadow.ts'

const mint = (seed: number, amountMicro: bigint) => ({ direction: 'MINT', amountMicro, to: wallet(seed) }) as const
/** A key that has the role, and that the service does not use. */
const STOLEN = account('second').address

async function headOf(s: Scenario): Promise<{ lastBatchId: bigint; runningHash: Hex }> {
  const data = encodeFunctionData({ abi: settlementAbi, functionName: 'head' })
  const answer = (await s.rpc('eth_call', { to: s.config.settlement, data }, 'latest')) as Hex
  const [lastBatchId, runningHash] = decodeFunctionResult({ abi: settlementAbi, functionName: 'head', data: answer })
  return { lastBatchId, runningHash }
}

/** A batch of the thief: a mint of this much to itself. Resolves to whether it executed. */
async function attack(s: Scenario, amount: bigint, changes: { batchId?: bigint } = {}): Promise<boolean> {
  const { lastBatchId, runningHash } = await headOf(s)
  const instruction = { kind: KIND.MINT, from: zeroAddress, to: STOLEN, amount, tag: '0x0000000000000001' } as const
  const batchId = changes.batchId ?? lastBatchId + 1n
  const data = encodeSettle(batchId, runningHash, packInstructions([instruction]))
  const hash = await s.rpc('eth_sendTransaction', { from: STOLEN, to: s.config.settlement, data, gas: '0x4c4b40' })
  const receipt = await waitFor('the receipt', () => s.rpc('eth_getTransactionReceipt', hash))
  return (receipt as { status: string }).status === '0x1'
}

test('a mint that was lost with a backup does not complete a later, equal one of another order', async () => {
  const s = await startScenario()
  try {
    const [lost = 0n] = await s.place(mint(1, 10n))
    const first = await s.settle()
    await s.until(lost, 'completed')
    await first.stop()
    await restoreOldBackup(s.db, s.config.chainId)
    // The next order is not the lost one: it would get its reference.
    await s.db.query(`delete from orders where order_id = $1`, [lost])
    await s.place({ direction: 'TRANSFER', amountMicro: 1n, from: wallet(8), to: wallet(9) })
    const [paid] = await s.place(mint(1, 10n))
    await s.settle()
    await s.until(paid, 'completed')
    assert.equal(await s.chain.admin.supply(), 20n)
    const open = await s.db.query(
      'select amount_micro::text as amount, wallet_address, succeeded, order_id from foreign_instructions where chain_id = 31337',
    )
    assert.deepEqual(open, [{ amount: '10', wallet_address: wallet(1), succeeded: true, order_id: null }])
  } finally {
    await s.end()
  }
})

test('five batches of nothing by a stolen key, before and between ours, stop nobody', async () => {
  const s = await startScenario()
  try {
    for (let count = 0; count < 5; count += 1) assert.equal(await attack(s, 0n), true)
    await s.settle()
    const [first] = await s.place(mint(1, 10n))
    await s.until(first, 'completed')
    for (let count = 0; count < 5; count += 1) assert.equal(await attack(s, 0n), true)
    const [second] = await s.place(mint(2, 5n))
    await s.until(second, 'completed')
    await s.audit()
    const kept = await s.db.query(
      'select batch_id from batches where chain_id = 31337 and is_foreign order by batch_id',
    )
    assert.deepEqual(
      kept.map(({ batch_id }) => batch_id),
      // Between them a fence, as on any contracts that have settled before their database was made, and the first order.
      [1n, 2n, 3n, 4n, 5n, 8n, 9n, 10n, 11n, 12n],
    )
  } finally {
    await s.end()
  }
})

test('a batch by a stolen key is seen at full depth although no order waits, and stops nobody', async () => {
  const foreign: number[] = []
  const metrics = { ...noMetrics, foreign: (_chain: number, batches: number) => void foreign.push(batches) }
  const s = await startScenario({ config: { confirmations: 3 } })
  try {
    await s.settle({ metrics })
    await waitFor(
      'the settler',
      async () => (await s.db.query('select 1 from signers where chain_id = 31337')).length > 0,
    )
    assert.equal(await attack(s, 7n), true)
    await s.mine(1)
    const kept = () => s.db.query('select batch_id from batches where chain_id = 31337 and is_foreign')
    assert.deepEqual(await kept(), [])
    await s.mine(1)
    await waitFor('the theft', async () => (await kept()).length === 1)
    assert.deepEqual(foreign, [1])
    const [order] = await s.place(mint(1, 10n))
    await waitFor('its batch', async () => {
      await s.mine()
      return (await orderState(s.db, order ?? 0n)).status === 'completed'
    })
  } finally {
    await s.end()
  }
})

test('a batch by a stolen key whose block is filled until no node gives it whole is found by its log, and stops nobody', async () => {
  const s = await startScenario()
  const proxy = await startFaultyRpc(s.rpcUrl, ({ method, params }) => {
    const isWhole = method === 'eth_getBlockByNumber' && params[1] === true
    return isWhole ? { kind: 'error', message: 'response size exceeded' } : { kind: 'none' }
  })
  try {
    assert.equal(await attack(s, 7n), true)
    await s.settle({ config: { rpcUrls: [proxy.url] } })
    const [order] = await s.place(mint(1, 10n))
    await s.until(order, 'completed')
    const kept = await s.db.query(
      'select amount_micro::text as amount_micro from foreign_instructions where wallet_address = $1',
      [STOLEN],
    )
    assert.deepEqual(kept, [{ amount_micro: '7' }])
    assert.equal(await s.chain.admin.supply(), 17n)
  } finally {
    await s.end()
    await proxy.close()
  }
})

test('the highest id there is cannot be taken', async () => {
  const s = await startScenario()
  try {
    assert.equal(await attack(s, 7n, { batchId: 2n ** 256n - 1n }), false)
    await s.settle()
    const [order] = await s.place(mint(1, 10n))
    await s.until(order, 'completed')
    await s.audit()
  } finally {
    await s.end()
  }
})

test('a stolen key that always comes first costs time: every order settles once, none fails', async () => {
  const s = await startScenario({ manualMining: true })
  try {
    await s.settle()
    const ids = await s.place(mint(1, 10n), mint(2, 5n))
    for (let count = 0; count < 4; count += 1) {
      await waitFor('a batch in the pool', async () => {
        const pool = (await s.rpc('txpool_status')) as { pending: string }
        return BigInt(pool.pending) > 0n
      })
      const { lastBatchId, runningHash } = await headOf(s)
      const instruction = {
        kind: KIND.MINT,
        from: zeroAddress,
        to: STOLEN,
        amount: 0n,
        tag: '0x0000000000000001',
      } as const
      const data = encodeSettle(lastBatchId + 1n, runningHash, packInstructions([instruction]))
      const fee = '0x746a528800'
      const fees = { maxFeePerGas: fee, maxPriorityFeePerGas: fee }
      await s.rpc('eth_sendTransaction', { from: STOLEN, to: s.config.settlement, data, gas: '0x4c4b40', ...fees })
      await s.mine()
      assert.equal((await headOf(s)).lastBatchId, lastBatchId + 1n)
    }
    const stopMining = keepMining(s.mine, 50)
    try {
      for (const id of ids) await s.until(id, 'completed')
    } finally {
      stopMining()
    }
    await s.audit()
  } finally {
    await s.end()
  }
})

test('two clones of one database settle each order once, whatever batches they make of them', async () => {
  const s = await startScenario()
  const clone = await createTestDatabase()
  const chain = connectChain(s.config, { db: clone, logger: silent })
  const twin = createSettler({ db: clone, chains: [chain], logger: silent, holder: 'twin', times: QUICK })
  try {
    await seedParties(clone)
    await plantChain(clone, SHADOW_CHAIN)
    const orders = Array.from({ length: 12 }, (_, seed) => mint(seed, BigInt(seed + 1)))
    // One of them makes one batch of all, the other a batch of four and then more, in pairs, as the parties take turns.
    const twins = await placeOrders(clone, s.config, orders)
    const ids = await s.place(...orders.slice(0, 4))
    await s.settle()
    twin.start()
    await s.until(ids[0], 'completed')
    for (let next = 4; next < orders.length; next += 2) ids.push(...(await s.place(...orders.slice(next, next + 2))))
    assert.deepEqual(twins, ids)
    for (const id of ids) await s.until(id, 'completed')
    await waitFor('the other clone', async () => {
      const states = await Promise.all(twins.map((id) => orderState(clone, id)))
      return states.every(({ status }) => status === 'completed')
    })
    await s.audit()
    for (const db of [s.db, clone]) assert.deepEqual(await db.query('select order_id from tag_conflicts'), [])
  } finally {
    await twin.stop()
    await clone.close()
    await s.end()
  }
})

test('a batch that was forgotten in the mempool executes after a restore, and settles its order; nothing is settled twice', async () => {
  const s = await startScenario({ manualMining: true, config: { confirmations: 2 } })
  try {
    const [first = 0n] = await s.place(mint(1, 10n))
    const settler = await s.settle()
    const { tx_hash: forgotten } = await s.until(first, 'SUBMITTED')
    await waitFor('it in the pool', async () => (await s.rpc('eth_getTransactionByHash', forgotten)) !== null)
    await settler.stop()
    await restoreOldBackup(s.db, s.config.chainId)
    const [second = 0n] = await s.place(mint(2, 5n))
    await s.settle()
    await s.until(second, 'SUBMITTED')
    assert.notEqual((await orderState(s.db, first)).tx_hash, forgotten)
    const stopMining = keepMining(() => rpc(s.rpcUrl, 'anvil_mine', '0x1'), 50)
    try {
      for (const id of [first, second]) await s.until(id, 'completed')
    } finally {
      stopMining()
    }
    await s.audit()
    assert.equal(await s.chain.admin.supply(), 15n)
    assert.equal((await orderState(s.db, first)).tx_hash, forgotten)
  } finally {
    await s.end()
  }
})
