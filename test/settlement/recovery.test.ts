/** Databases that are older than their chain, chains that lost what they had, limits, and batches that cannot be mined. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { encodeFunctionData } from 'viem'
import { connectChain } from '../../src/chain/chain.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { ROLE_IDS } from '../../src/chain/verify-deployment.ts'
import { noMetrics } from '../../src/settlement/metrics.ts'
import { ChainMismatchError, registerChain } from '../../src/settlement/register.ts'
import { startAnvil } from '../support/anvil.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { account, deployChain, keyOf, orderState, rpc, wallet } from './fixture.ts'
import { type Scenario, startScenario } from './scenario.ts'

/** Takes the database back to before anything was settled, as restoring a backup does. */
async function restoreOldBackup(s: Scenario): Promise<void> {
  const { chainId } = s.config
  await withoutGuards(s.db, (tx) =>
    tx.query(
      `update orders set status = 'pending', phase = 'ORDER_CREATED', batch_id = null, batch_index = null,
         tx_hash = null, block_number = null where chain_id = $1`,
      [chainId],
    ),
  )
  await s.db.query('delete from events')
  for (const table of ['batch_attempts', 'batches', 'signers']) {
    await s.db.query(`delete from ${table} where chain_id = $1`, [chainId])
  }
  await s.db.query('delete from leases where name = $1', [`settlement:${chainId}`])
  await s.db.query('update chains set next_batch_id = 1 where chain_id = $1', [chainId])
}

const heldReasons = () => {
  const reasons: string[] = []
  return { reasons, metrics: { ...noMetrics, held: (_chain: number, reason: string) => void reasons.push(reason) } }
}

test('after an old backup was restored, a batch that is the same again is adopted, not settled twice', async () => {
  const s = await startScenario()
  try {
    const orders = [1, 2, 3].map((seed) => ({ direction: 'MINT', amountMicro: 10n, to: wallet(seed) }) as const)
    const ids = await s.place(...orders)
    const settler = await s.settle()
    for (const id of ids) await s.until(id, 'completed')
    const settledIn = await orderState(s.db, ids[0] ?? 0n)
    await settler.stop()

    await restoreOldBackup(s)
    await s.settle()
    for (const id of ids) await s.until(id, 'completed')
    assert.deepEqual(await orderState(s.db, ids[0] ?? 0n), settledIn)
    assert.equal(await s.chain.admin.supply(), 30n)
    const [later] = await s.place({ direction: 'MINT', amountMicro: 1n, to: wallet(1) })
    await s.until(later, 'completed')
    await s.audit()
  } finally {
    await s.end()
  }
})

test('after an old backup was restored, a batch that differs stops the chain, loudly, until an operator has acted', async () => {
  const lines: string[] = []
  const logger = pino({ level: 'fatal' }, { write: (line: string) => void lines.push(line) })
  const s = await startScenario()
  try {
    const ids = await s.place({ direction: 'MINT', amountMicro: 10n, to: wallet(1) })
    const settler = await s.settle()
    await s.until(ids[0], 'completed')
    await settler.stop()

    await restoreOldBackup(s)
    const [, other = 0n] = [...ids, ...(await s.place({ direction: 'MINT', amountMicro: 10n, to: wallet(2) }))]
    const { reasons, metrics } = heldReasons()
    await s.settle({ metrics, logger })
    await waitFor('the conflict', () => reasons.filter((reason) => reason === 'batch-conflict').length > 2)
    assert.equal((await orderState(s.db, other)).status, 'pending')
    assert.equal(await s.chain.admin.supply(), 10n)
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /next_batch_id/)

    await withoutGuards(s.db, (tx) =>
      tx.query(`update orders set status = 'completed', phase = 'COMPLETED' where order_id = $1`, [ids[0] ?? 0n]),
    )
    await s.db.query('update chains set next_batch_id = 2 where chain_id = 31337')
    await s.until(other, 'completed')
    assert.equal(await s.chain.admin.supply(), 20n)
  } finally {
    await s.end()
  }
})

test('a bucket that is empty holds what needs it and lets the rest through; what can never fit is passed over', async () => {
  const s = await startScenario({ limits: { mintMicro: 100n, mintRefill: 0n, debitMicro: 1_000n, debitRefill: 0n } })
  try {
    await s.chain.admin.linkWallet(wallet(1))
    const { reasons, metrics } = heldReasons()
    const oversized: number[] = []
    await s.settle({ metrics: { ...metrics, oversizedOrders: (_chain, count) => void oversized.push(count) } })
    const [first] = await s.place({ direction: 'MINT', amountMicro: 60n, to: wallet(1) })
    await s.until(first, 'completed')
    const [huge = 0n, waits = 0n, behind = 0n, debit] = await s.place(
      { direction: 'MINT', amountMicro: 1_000n, to: wallet(1) },
      { direction: 'MINT', amountMicro: 50n, to: wallet(1) },
      { direction: 'MINT', amountMicro: 1n, to: wallet(1) },
      { direction: 'TRANSFER', amountMicro: 5n, from: wallet(1), to: wallet(2) },
    )
    await s.until(debit, 'completed')
    await waitFor('the hold', () => reasons.includes('mint-limit'))
    for (const id of [huge, waits, behind]) assert.equal((await orderState(s.db, id)).status, 'pending')

    const data = encodeFunctionData({ abi: settlementAbi, functionName: 'setMintLimit', args: [110n, 0n] })
    await s.rpc('eth_sendTransaction', { from: account('deployer').address, to: s.config.settlement, data })
    await s.until(waits, 'completed')
    assert.equal((await orderState(s.db, huge)).status, 'pending')
  } finally {
    await s.end()
  }
})

test('a batch that reverts three times fails its orders and gives everything back', async () => {
  const s = await startScenario({ manualMining: true })
  try {
    await s.settle()
    await s.db.query(`insert into wallet_earmarks (chain_id, address, earmarked_micro) values (31337, $1, 0)`, [
      wallet(1),
    ])
    const [transfer = 0n] = await s.place({ direction: 'TRANSFER', amountMicro: 7n, from: wallet(1), to: wallet(2) })
    for (let round = 1; round <= 3; round += 1) {
      const hash = await waitFor('an attempt in the pool', async () => {
        const rows = await s.db.query<{ tx_hash: string }>(
          'select tx_hash from batch_attempts where chain_id = 31337 order by created_at',
        )
        const found = rows.length === round ? rows.at(-1)?.tx_hash : undefined
        return found !== undefined && (await s.rpc('eth_getTransactionByHash', found)) !== null ? found : undefined
      })
      // Pause and unpause around the batch in one block: the simulation passes, the batch reverts.
      const pausing = { from: account('pauser').address, to: s.config.coin.address, gas: '0x186a0' }
      await s.rpc('eth_sendTransaction', {
        ...pausing,
        data: '0x8456cb59',
        maxFeePerGas: '0x174876e800',
        maxPriorityFeePerGas: '0x174876e800',
      })
      await s.rpc('eth_sendTransaction', {
        ...pausing,
        data: '0x3f4ba83a',
        maxFeePerGas: '0x4a817c80',
        maxPriorityFeePerGas: '0x0',
      })
      await s.mine()
      const receipt = (await s.rpc('eth_getTransactionReceipt', hash)) as { status: string } | null
      assert.equal(receipt?.status, '0x0')
    }
    const failed = await s.until(transfer, 'failed')
    assert.equal(failed.failure_reason, 'settlement_reverted')
    const [usage] = await s.db.query('select committed_micro from transfer_usage')
    assert.equal(usage?.committed_micro, 0n)
    await s.audit()
  } finally {
    await s.end()
  }
})

test('a final batch that the chain has lost is told of, and its stored bytes settle it again', async () => {
  const s = await startScenario()
  try {
    const snapshot = await s.rpc('evm_snapshot')
    const vanished: number[] = []
    const times = { leaseMs: 1_500, rebroadcastMs: 200, recheckMs: 100, behindGraceMs: 200, retryMs: 50 }
    await s.settle({ times, metrics: { ...noMetrics, vanished: (chain) => void vanished.push(chain) } })
    const [mint] = await s.place({ direction: 'MINT', amountMicro: 10n, to: wallet(1) })
    await s.until(mint, 'completed')
    await s.rpc('evm_revert', snapshot)
    assert.equal(await s.chain.admin.supply(), 0n)
    await waitFor('the alarm', () => vanished.length > 0)
    await waitFor('the batch on chain again', async () => (await s.chain.admin.supply()) === 10n)
    const [next] = await s.place({ direction: 'MINT', amountMicro: 1n, to: wallet(2) })
    await s.until(next, 'completed')
    await s.audit()
  } finally {
    await s.end()
  }
})

test('a chain with another genesis, or other contracts, is refused with a sentence that says what to do', async () => {
  const s = await startScenario()
  const other = await startAnvil({ args: ['--timestamp', '1000'] })
  try {
    await registerChain(s.db, s.chain)
    const elsewhere = { ...s.config, ...(await deployChain(other.rpcUrl)), rpcUrls: [other.rpcUrl] }
    const refused = (config: typeof s.config) =>
      registerChain(s.db, connectChain(config, { db: s.db, logger: pino({ level: 'silent' }) }))
    await assert.rejects(
      refused(elsewhere),
      (error) => error instanceof ChainMismatchError && /genesis/.test(error.message),
    )
    const contracts = await deployChain(s.rpcUrl)
    await assert.rejects(
      refused(contracts),
      (error) => error instanceof ChainMismatchError && /contracts/.test(error.message),
    )
    await assert.rejects(refused({ ...s.config, coin: { ...s.config.coin, address: wallet(1) } }), /settles the coin/)
    await registerChain(s.db, s.chain)
  } finally {
    await other.stop()
    await s.end()
  }
})

test('a nonce that the chain no longer knows and nobody carries is filled', async () => {
  const s = await startScenario()
  try {
    // The key was used elsewhere, and that transaction then vanished in a reorganisation.
    const snapshot = await s.rpc('evm_snapshot')
    await rpc(s.rpcUrl, 'eth_sendTransaction', { from: account('signer').address, to: account('signer').address })
    const settler = await s.settle()
    const nextNonce = () => s.db.query<{ next_nonce: bigint }>('select next_nonce from signers where chain_id = 31337')
    await waitFor('the signer to be registered', async () => (await nextNonce())[0]?.next_nonce === 1n)
    await s.rpc('evm_revert', snapshot)
    await s.mine(3)
    const [mint] = await s.place({ direction: 'MINT', amountMicro: 10n, to: wallet(1) })
    await s.until(mint, 'completed')
    assert.equal((await nextNonce())[0]?.next_nonce, 2n)
    await settler.stop()
  } finally {
    await s.end()
  }
})

test('a batch of a key that was revoked and replaced is signed anew with the new key', async () => {
  const s = await startScenario({ manualMining: true })
  try {
    const old = await s.settle()
    const [mint] = await s.place({ direction: 'MINT', amountMicro: 10n, to: wallet(1) })
    const { tx_hash: hash } = await s.until(mint, 'SUBMITTED')
    await waitFor('the batch in the pool', async () => (await s.rpc('eth_getTransactionByHash', hash)) !== null)
    await old.stop()
    const args = [ROLE_IDS.operator, account('signer').address] as const
    const data = encodeFunctionData({ abi: settlementAbi, functionName: 'revokeRole', args })
    const revocation = { from: account('deployer').address, to: s.config.settlement, data, gas: '0x186a0' }
    await s.rpc('eth_sendTransaction', {
      ...revocation,
      maxFeePerGas: '0x174876e800',
      maxPriorityFeePerGas: '0x174876e800',
    })
    await s.mine()
    await s.settle({ config: { signers: [keyOf('second')] } })
    const mining = setInterval(() => void s.mine().catch(() => {}), 50)
    await s.until(mint, 'completed').finally(() => clearInterval(mining))
    const [batch] = await s.db.query('select signer, reverts from batches where chain_id = 31337')
    assert.deepEqual(batch, { signer: account('second').address, reverts: 1 })
    await s.audit()
  } finally {
    await s.end()
  }
})
