// engine: postgres
/** Databases that are older than their chain, chains that lost what they had, limits, and batches that cannot be mined. */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { encodeFunctionData } from 'viem'
import { connectChain } from '../../src/chain/chain.ts'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { NoQuorumError } from '../../src/chain/quorum.ts'
import { noMetrics } from '../../src/settlement/metrics.ts'
import { ChainMismatchError, registerChain } from '../../src/settlement/register.ts'
import { keepMining, startAnvil } from '../support/anvil.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { account, deployChain, keyOf, linkOf, orderState, rpc, wallet } from './fixture.ts'
import { restoreOldBackup } from './restore.ts'
import { startScenario } from './scenario.ts'

const heldReasons = () => {
  const reasons: string[] = []
  return { reasons, metrics: { ...noMetrics, held: (_chain: number, reason: string) => void reasons.push(reason) } }
}

test('after an old backup was restored, orders take the outcomes they had, and nothing settles twice', async () => {
  const s = await startScenario()
  try {
    const orders = [1, 2, 3].map((seed) => ({ direction: 'MINT', amountMicro: 10n, to: wallet(seed) }) as const)
    const ids = await s.place(...orders)
    const settler = await s.settle()
    for (const id of ids) await s.until(id, 'completed')
    const settledIn = await orderState(s.db, ids[0] ?? 0n)
    await settler.stop()

    await restoreOldBackup(s.db, s.config.chainId)
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

test('after an old backup was restored, an order that was settled otherwise waits alone; new ones settle', async () => {
  const lines: { level: number; msg: string }[] = []
  const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const s = await startScenario()
  try {
    const [same, differs = 0n] = await s.place(
      { direction: 'MINT', amountMicro: 10n, to: wallet(1) },
      { direction: 'MINT', amountMicro: 20n, to: wallet(1) },
    )
    const settler = await s.settle()
    await s.until(differs, 'completed')
    await settler.stop()

    await restoreOldBackup(s.db, s.config.chainId)
    // The partner lost the order too, and posts something else under the same reference.
    await withoutGuards(s.db, (tx) => tx.query('update orders set amount_micro = 21 where order_id = $1', [differs]))
    const [fresh] = await s.place({ direction: 'MINT', amountMicro: 5n, to: wallet(2) })
    await s.settle({ logger })
    await s.until(same, 'completed')
    await s.until(fresh, 'completed')
    assert.equal((await orderState(s.db, differs)).status, 'pending')
    assert.equal(await s.chain.admin.supply(), 35n)
    assert.deepEqual(await s.db.query('select order_id from tag_conflicts'), [{ order_id: differs }])
    assert.match(lines.find(({ level }) => level === 60)?.msg ?? '', /did not make/)
    assert.equal(lines.filter(({ msg }) => /waits for an operator/.test(msg)).length, 1)
    const open = await s.db.query('select tag from foreign_instructions where order_id is null and chain_id = 31337')
    assert.equal(open.length, 1)
  } finally {
    await s.end()
  }
})

test('a bucket that is empty holds what needs it and lets the rest through; what can never fit is passed over', async () => {
  const s = await startScenario({ limits: { mint: { capacityMicro: 100n, refillPerSecondMicro: 0n } } })
  try {
    await s.chain.admin.linkWallet(linkOf(wallet(1)))
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

    const args = [0, { capacity: 110n, refillPerSecond: 0n }] as const
    const data = encodeFunctionData({ abi: settlementAbi, functionName: 'setLimit', args })
    await s.rpc('eth_sendTransaction', { from: account('limiter').address, to: s.config.settlement, data })
    await s.until(waits, 'completed')
    assert.equal((await orderState(s.db, huge)).status, 'pending')
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
      (error) =>
        error instanceof ChainMismatchError &&
        /begins with the block .* this database belongs to one that begins with/.test(error.message),
    )
    const ofAnotherChain = (error: unknown) =>
      error instanceof ChainMismatchError &&
      error.message === 'The RPC addresses of chain 1337 lead to chain 31337: correct the chains file.'
    await assert.rejects(refused({ ...s.config, chainId: 1_337 }), ofAnotherChain)
    const third = { ...s.config, chainId: 1_337, rpcUrls: [s.rpcUrl, 'http://127.0.0.1:1', 'http://127.0.0.1:2'] }
    await assert.rejects(refused({ ...third, quorum: 2 }), NoQuorumError)
    await assert.rejects(refused({ ...third, quorum: 3 }), ofAnotherChain)
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

test('orders of a key that was revoked and replaced are signed by the new key', async () => {
  const s = await startScenario({ manualMining: true })
  try {
    const old = await s.settle()
    const [mint] = await s.place({ direction: 'MINT', amountMicro: 10n, to: wallet(1) })
    const { tx_hash: hash } = await s.until(mint, 'SUBMITTED')
    await waitFor('the batch in the pool', async () => (await s.rpc('eth_getTransactionByHash', hash)) !== null)
    await old.stop()
    const args = [ROLE_IDS.signer, account('signer').address] as const
    const data = encodeFunctionData({ abi: settlementAbi, functionName: 'revokeRole', args })
    const revocation = { from: account('pauser').address, to: s.config.settlement, data, gas: '0x186a0' }
    await s.rpc('eth_sendTransaction', {
      ...revocation,
      maxFeePerGas: '0x174876e800',
      maxPriorityFeePerGas: '0x174876e800',
    })
    await s.mine()
    await s.settle({ config: { signers: [keyOf('second')] } })
    const stopMining = keepMining(s.mine, 50)
    await s.until(mint, 'completed').finally(stopMining)
    const [batch] = await s.db.query('select signer from batches where chain_id = 31337')
    assert.deepEqual(batch, { signer: account('second').address })
    await s.audit()
  } finally {
    await s.end()
  }
})
