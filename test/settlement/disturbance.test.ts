// engine: postgres
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../support/wait-for.ts'
import { account, linkOf, orderState, wallet } from './fixture.ts'
import { startScenario } from './scenario.ts'

test('a reorganisation before full depth sends the batch back and earmarks again; it settles once', async () => {
  const s = await startScenario({ config: { confirmations: 4 }, manualMining: true })
  const { owner, friend } = { owner: wallet(1), friend: wallet(2) }
  try {
    const linked = s.chain.admin.linkWallet(linkOf(owner))
    const mining = setInterval(() => void s.mine().catch(() => {}), 50)
    await linked
    await s.settle()
    const [mint] = await s.place({ direction: 'MINT', amountMicro: 9n, to: owner })
    await s.until(mint, 'completed')
    clearInterval(mining)

    const [transfer = 0n] = await s.place({ direction: 'TRANSFER', amountMicro: 4n, from: owner, to: friend })
    await s.until(transfer, 'SUBMITTED')
    await waitFor(
      'the batch in the pool',
      async () => ((await s.rpc('txpool_status')) as { pending: string }).pending !== '0x0',
    )
    await s.mine(2)
    const confirming = await s.until(transfer, 'CONFIRMING')
    assert.notEqual(confirming.block_number, null)
    const earmarked = () =>
      s.db.query('select earmarked_micro, epoch from wallet_earmarks where chain_id = 31337 and address = $1', [owner])
    const [released] = await earmarked()
    assert.equal(released?.earmarked_micro, 0n)

    await s.rpc('anvil_reorg', 2, [])
    const again = await s.until(transfer, 'SUBMITTED')
    assert.equal(again.block_number, null)
    const [taken] = await earmarked()
    assert.equal(taken?.earmarked_micro, 4n)
    assert.ok((taken?.epoch as bigint) > (released?.epoch as bigint))

    await waitFor(
      'the batch in the pool',
      async () => ((await s.rpc('txpool_status')) as { pending: string }).pending !== '0x0',
    )
    await s.mine(4)
    await s.until(transfer, 'completed')
    assert.equal(await s.chain.reader.latestBalance(friend), 4n)
    await s.audit()
  } finally {
    await s.end()
  }
})

test('a dropped transaction is sent again', async () => {
  const s = await startScenario({ manualMining: true })
  try {
    await s.settle()
    const [mint] = await s.place({ direction: 'MINT', amountMicro: 5n, to: wallet(1) })
    const { tx_hash: hash } = await s.until(mint, 'SUBMITTED')
    await waitFor('the batch in the pool', async () => (await s.rpc('eth_getTransactionByHash', hash)) !== null)
    await s.rpc('anvil_dropTransaction', hash)
    await waitFor('the batch in the pool again', async () => (await s.rpc('eth_getTransactionByHash', hash)) !== null)
    await s.mine()
    const done = await s.until(mint, 'completed')
    assert.equal(done.tx_hash, hash)
    await s.audit()
  } finally {
    await s.end()
  }
})

test('a late batch is replaced at a higher fee; the mined transaction is the one that is shown', async () => {
  const s = await startScenario({ manualMining: true, config: { bumpAfterBlocks: 0 } })
  try {
    await s.settle()
    const [mint = 0n] = await s.place({ direction: 'MINT', amountMicro: 5n, to: wallet(1) })
    const first = await s.until(mint, 'SUBMITTED')
    const attempts = () =>
      s.db.query<{ tx_hash: string; nonce: bigint; fee: string; tip: string }>(
        `select tx_hash, nonce, max_fee_per_gas as fee, max_priority_fee_per_gas as tip from batch_attempts
         where chain_id = 31337 order by created_at`,
      )
    await waitFor('two bumps', async () => (await attempts()).length >= 3)
    const [one, two] = await attempts()
    assert.equal(one?.nonce, two?.nonce)
    assert.ok(BigInt(two?.fee ?? 0) * 8n >= BigInt(one?.fee ?? 0) * 9n)
    assert.ok(BigInt(two?.tip ?? 0) * 8n >= BigInt(one?.tip ?? 0) * 9n)
    await s.mine()
    const done = await s.until(mint, 'completed')
    assert.notEqual(done.tx_hash, first.tx_hash)
    const receipt = (await s.rpc('eth_getTransactionReceipt', done.tx_hash)) as { status: string }
    assert.equal(receipt.status, '0x1')
    await s.audit()
  } finally {
    await s.end()
  }
})

test('while the coin is paused orders wait, and nothing is signed', async () => {
  const s = await startScenario()
  try {
    await s.chain.admin.pause()
    const held: string[] = []
    const { noMetrics } = await import('../../src/settlement/metrics.ts')
    await s.settle({ metrics: { ...noMetrics, held: (_chain, reason) => void held.push(reason) } })
    const [mint = 0n] = await s.place({ direction: 'MINT', amountMicro: 5n, to: wallet(1) })
    await waitFor('the hold', () => held.includes('paused'))
    assert.equal((await orderState(s.db, mint)).status, 'pending')
    assert.equal((await s.db.query('select batch_id from batches where chain_id = 31337')).length, 0)
    await s.chain.admin.unpause()
    await s.until(mint, 'completed')
    await s.audit()
  } finally {
    await s.end()
  }
})

test('a batch that reverted after its simulation is formed anew, and its orders complete', async () => {
  const s = await startScenario({ manualMining: true })
  try {
    await s.settle()
    const [mint = 0n] = await s.place({ direction: 'MINT', amountMicro: 5n, to: wallet(1) })
    const { tx_hash: first } = await s.until(mint, 'SUBMITTED')
    await waitFor('the batch in the pool', async () => (await s.rpc('eth_getTransactionByHash', first)) !== null)
    // The pause pays more gas, so it comes first in the block.
    await s.rpc('eth_sendTransaction', {
      from: account('pauser').address,
      to: s.config.coin.address,
      data: '0x8456cb59',
      gas: '0x186a0',
      maxFeePerGas: '0x174876e800',
      maxPriorityFeePerGas: '0x174876e800',
    })
    await s.mine()
    const receipt = (await s.rpc('eth_getTransactionReceipt', first)) as { status: string }
    assert.equal(receipt.status, '0x0')
    const unpaused = s.chain.admin.unpause()
    const mining = setInterval(() => void s.mine().catch(() => {}), 50)
    try {
      await unpaused
      const done = await s.until(mint, 'completed')
      assert.notEqual(done.tx_hash, first)
    } finally {
      clearInterval(mining)
    }
    const [batch] = await s.db.query('select batch_id, status from batches where chain_id = 31337')
    assert.deepEqual(batch, { batch_id: 1n, status: 'final' })
    await s.audit()
  } finally {
    await s.end()
  }
})

test('a foreign transaction that takes the nonce of a batch is noticed and cannot lose it', async () => {
  const s = await startScenario({ manualMining: true })
  try {
    await s.settle()
    const ids = await s.place({ direction: 'MINT', amountMicro: 5n, to: wallet(1) })
    const { tx_hash: first } = await s.until(ids[0], 'SUBMITTED')
    await waitFor('the batch in the pool', async () => (await s.rpc('eth_getTransactionByHash', first)) !== null)
    const [batch] = await s.db.query<{ nonce: bigint }>('select nonce from batches where chain_id = 31337')
    await s.rpc('eth_sendTransaction', {
      from: account('signer').address,
      to: account('signer').address,
      nonce: `0x${(batch?.nonce ?? 0n).toString(16)}`,
      gas: '0x5208',
      maxFeePerGas: '0x174876e800',
      maxPriorityFeePerGas: '0x174876e800',
    })
    await s.mine()
    const mining = setInterval(() => void s.mine().catch(() => {}), 50)
    try {
      await s.until(ids[0], 'completed')
    } finally {
      clearInterval(mining)
    }
    const [after] = await s.db.query<{ nonce: bigint }>('select nonce from batches where chain_id = 31337')
    assert.equal(after?.nonce, (batch?.nonce ?? 0n) + 1n)
    await s.audit()
  } finally {
    await s.end()
  }
})
