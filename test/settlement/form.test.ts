/** Which orders go into which batch, under whose signature, and what keeps them waiting, one round at a time. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decodeFunctionData, encodeFunctionData, type Hex } from 'viem'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { digestOf, instructionOf } from '../../src/chain/instructions.ts'
import type { Signer } from '../../src/chain/signer.ts'
import { ROLE_IDS } from '../../src/chain/verify-deployment.ts'
import { batchSizeFor } from '../../src/settlement/form/pace.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { account, keyOf, wallet } from './fixture.ts'
import { ERROR, FATAL, type Stepped, type SteppedChain, startStepped, WARN } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

const [SIGNER, SECOND] = [account('signer').address, account('second').address]
const CHAIN = 31_337
const ALONE = { signers: [keyOf('signer')] }
const mint = (seed: number, amountMicro = 5n) => ({ direction: 'MINT', amountMicro, to: wallet(seed) }) as const
const mints = (count: number) => Array.from({ length: count }, (_, seed) => mint(seed))
const said = (s: Stepped, level: number) => s.logged.filter((line) => line.level === level).length

/** Sends a call of the contracts' administrator and mines it. */
async function administer(s: Stepped, functionName: 'setMintLimit' | 'setDebitLimit', args: [bigint, bigint]) {
  const data = encodeFunctionData({ abi: settlementAbi, functionName, args })
  // The estimate would be of the block before, in which other storage is written.
  await s.rpc('eth_sendTransaction', {
    from: account('deployer').address,
    to: s.config.settlement,
    data,
    gas: '0x186a0',
  })
  await s.mine()
}

test('a batch holds its orders in the sequence of their acceptance, and its record says what was signed', async () => {
  const s = await chain.begin()
  const ids = await s.place(
    mint(1),
    { direction: 'TRANSFER', amountMicro: 2n, from: wallet(1), to: wallet(2) },
    mint(3, 9n),
  )
  await s.round()
  const orders = await s.db.query<{ order_id: bigint; batch_index: number; tx_hash: string }>(
    'select order_id, batch_index, tx_hash from orders where chain_id = $1 order by batch_index',
    [CHAIN],
  )
  const [attempt] = await s.attempts()
  assert.deepEqual(
    orders,
    ids.map((orderId, index) => ({ order_id: orderId, batch_index: index, tx_hash: attempt?.tx_hash ?? '' })),
  )
  const [batch] = await s.db.query<{ call_data: Hex; digest: string; order_count: number; fencing_token: bigint }>(
    'select call_data, digest, order_count, fencing_token from batches where chain_id = $1',
    [CHAIN],
  )
  const { args } = decodeFunctionData({ abi: settlementAbi, data: batch?.call_data ?? '0x' })
  const wanted = [
    { direction: 'MINT', walletAddress: wallet(1), debitAddress: null, amountMicro: 5n } as const,
    { direction: 'TRANSFER', walletAddress: wallet(2), debitAddress: wallet(1), amountMicro: 2n } as const,
    { direction: 'MINT', walletAddress: wallet(3), debitAddress: null, amountMicro: 9n } as const,
  ].map(instructionOf)
  assert.deepEqual(args, [1n, wanted])
  assert.deepEqual([batch?.digest, batch?.order_count, batch?.fencing_token], [digestOf(wanted), 3, s.work.lease.token])
  assert.deepEqual(
    s.counted.filter(([name]) => name === 'formed'),
    [['formed', 3]],
  )
})

test('signers share the batches, each under its own consecutive nonces; ids follow one another', async () => {
  const s = await chain.begin()
  const size = batchSizeFor(s.work.memory.form.gasPerOrder, 30_000_000n)
  await s.place(...mints(3 * size))
  await s.round()
  const batches = await s.batches()
  assert.deepEqual(
    batches.map(({ batch_id, signer, nonce }) => [batch_id, signer, nonce]),
    [
      [1n, SIGNER, 0n],
      [2n, SECOND, 0n],
      [3n, SIGNER, 1n],
    ],
  )
  assert.deepEqual([await s.nextNonce(SIGNER), await s.nextNonce(SECOND)], [2n, 1n])
  // The busier one counts what it has unmined.
  s.work.memory.blocks.intervalMs = undefined
  await s.place(mint(1))
  await s.round()
  assert.equal((await s.batches())[3]?.signer, SECOND)
})

test('with a batch under way a part-filled one waits until the next block is near', async () => {
  const s = await chain.begin()
  await s.mine()
  await s.round()
  s.passMs(10_000)
  await s.mine()
  await s.round()
  await s.place(mint(1))
  await s.round()
  const [waits] = await s.place(mint(2))
  s.passMs(7_999)
  await s.round()
  assert.equal(await s.stateOf(waits), 'pending/ORDER_CREATED')
  s.passMs(1)
  await s.round()
  assert.equal(await s.stateOf(waits), 'processing/SUBMITTED')
})

test('the expected time between blocks is measured over the blocks that came', async () => {
  const s = await chain.begin()
  await s.round()
  assert.equal(s.work.memory.blocks.intervalMs, undefined)
  s.passMs(500)
  await s.round()
  s.passMs(500)
  await s.mine(2)
  await s.round()
  assert.equal(s.work.memory.blocks.intervalMs, 500)
  s.passMs(1_000)
  await s.mine()
  await s.round()
  assert.equal(s.work.memory.blocks.intervalMs, 600)
})

const HOLDS: Record<string, (s: Stepped) => Promise<unknown>> = {
  'gas-balance': (s) => s.rpc('anvil_setBalance', SIGNER, '0x1'),
  'gas-price': async (s) => {
    s.config.maxFeePerGasWei = 1n
  },
  'signer-not-operator': (s) => {
    const args = [ROLE_IDS.operator, SIGNER] as const
    const data = encodeFunctionData({ abi: settlementAbi, functionName: 'revokeRole', args })
    return s.rpc('eth_sendTransaction', { from: account('deployer').address, to: s.config.settlement, data })
  },
  paused: (s) =>
    s.rpc('eth_sendTransaction', { from: account('pauser').address, to: s.config.coin.address, data: '0x8456cb59' }),
  'signer-unavailable': async (s) => {
    const [signer] = s.chain.signers
    const broken: Signer = { ...(signer as Signer), sign: () => Promise.reject(new Error('no answer')) }
    s.work.chain = { ...s.work.chain, signers: [broken] }
  },
}
for (const [reason, cause] of Object.entries(HOLDS)) {
  test(`${reason} holds the orders, uses no nonce and no batch id, is told once, and asks another node next`, async () => {
    const s = await chain.begin({ config: ALONE })
    await cause(s)
    await s.mine()
    const [waits] = await s.place(mint(1))
    for (const _ of [1, 2, 3]) await s.round()
    assert.equal(await s.stateOf(waits), 'pending/ORDER_CREATED')
    assert.deepEqual([s.held(), s.work.memory.market.turn], [reason, 3])
    assert.deepEqual([(await s.batches()).length, await s.nextNonce(SIGNER), s.sent.length], [0, 0n, 0])
    assert.deepEqual(s.counted.filter(([name]) => name === 'held').at(-1), ['held', reason])
    assert.equal(s.logged.filter(({ msg }) => msg.startsWith('settlement is held')).length, 1)
  })
}

test('after a hold the next attempt waits, and its end is told', async () => {
  const s = await chain.begin({ config: ALONE, times: { retryMs: 500 } })
  await s.rpc('anvil_setBalance', SIGNER, '0x1')
  const [waits] = await s.place(mint(1))
  await s.round()
  await s.rpc('anvil_setBalance', SIGNER, '0xde0b6b3a7640000')
  s.passMs(499)
  await s.round()
  assert.equal(s.held(), 'gas-balance')
  s.passMs(1)
  await s.round()
  assert.equal(await s.stateOf(waits), 'processing/SUBMITTED')
  assert.equal(s.logged.filter(({ msg }) => msg === 'settlement goes on').length, 1)
})

test('a bucket that is empty holds what needs it alone, in both directions', async () => {
  for (const empty of ['setMintLimit', 'setDebitLimit'] as const) {
    const s = await chain.begin()
    await administer(s, empty, [100n, 0n])
    const place = (amountMicro: bigint) =>
      empty === 'setMintLimit'
        ? s.place(mint(1, amountMicro))
        : s.place({ direction: 'REDEEM', amountMicro, from: wallet(1) })
    const other = () =>
      empty === 'setMintLimit'
        ? s.place({ direction: 'TRANSFER', amountMicro: 500n, from: wallet(1), to: wallet(2) })
        : s.place(mint(1, 500n))
    const ids = [...(await place(60n)), ...(await place(60n)), ...(await place(1n)), ...(await other())]
    await s.round()
    const states = await Promise.all(ids.map((id) => s.stateOf(id)))
    assert.deepEqual(
      states.map((state) => state.startsWith('processing')),
      [true, false, false, true],
      empty,
    )
    // What is signed and not yet mined counts against the bucket too.
    s.work.memory.blocks.intervalMs = undefined
    await s.round()
    assert.equal(s.held(), empty === 'setMintLimit' ? 'mint-limit' : 'debit-limit')
    assert.equal((await s.batches()).length, 1)
  }
})

test('behind a whole window of orders for an empty bucket, what needs the other one is found', async () => {
  for (const empty of ['setMintLimit', 'setDebitLimit'] as const) {
    const s = await chain.begin({ config: ALONE })
    await administer(s, empty, [100n, 0n])
    // As if one order filled a whole block: windows of four.
    s.work.memory.form.gasPerOrder = { used: 15_000_000n, limit: 16_000_000n }
    const redeem = { direction: 'REDEEM', amountMicro: 60n, from: wallet(1) } as const
    const [scarce, plenty] = empty === 'setMintLimit' ? [mint(1, 60n), redeem] : [redeem, mint(1, 60n)]
    const [first, ...others] = await s.place(...Array.from({ length: 6 }, () => scarce), plenty)
    const behind = others.at(-1)
    await s.round()
    s.work.memory.blocks.intervalMs = undefined
    await s.round()
    assert.equal(await s.stateOf(first), 'processing/SUBMITTED')
    assert.equal(await s.stateOf(behind), 'processing/SUBMITTED', empty)
    assert.equal(await s.stateOf(others[0]), 'pending/ORDER_CREATED')
  }
})

test('orders larger than a bucket can hold are passed over, counted, and told of every ten seconds', async () => {
  const s = await chain.begin()
  await administer(s, 'setMintLimit', [100n, 0n])
  const [huge, small] = await s.place(mint(1, 101n), mint(2, 100n))
  await s.round()
  assert.equal(await s.stateOf(small), 'processing/SUBMITTED')
  await s.round()
  const told = () => s.logged.filter(({ level, msg }) => level === ERROR && /larger than/.test(msg)).length
  assert.deepEqual([told(), s.held()], [1, 'none'])
  s.passMs(9_999)
  await s.round()
  assert.equal(told(), 1)
  s.passMs(1)
  await s.round()
  assert.equal(told(), 2)
  assert.deepEqual(s.counted.filter(([name]) => name === 'oversizedOrders').at(-1), ['oversizedOrders', 1])
  assert.equal(await s.stateOf(huge), 'pending/ORDER_CREATED')
})

test('what a large batch asked for, and what it used, says how many orders the next one takes', async () => {
  const s = await chain.begin({ config: ALONE })
  await s.place(...mints(60))
  const before = s.work.memory.form.gasPerOrder
  await s.round()
  const asked = s.work.memory.form.gasPerOrder
  assert.ok(asked.limit !== before.limit && asked.used === before.used)
  await s.mine(2)
  await s.round()
  assert.ok(s.work.memory.form.gasPerOrder.used < asked.limit && s.work.memory.form.gasPerOrder.used !== before.used)
  const learnt = s.work.memory.form.gasPerOrder
  await s.place(mint(1))
  await s.round()
  await s.mine(2)
  await s.round()
  assert.deepEqual(s.work.memory.form.gasPerOrder, learnt)
})

/** A signer that lets something happen before it signs. */
async function beforeSigning(s: Stepped, happen: () => Promise<unknown>): Promise<void> {
  const [signer] = s.chain.signers
  assert.ok(signer !== undefined)
  const slow: Signer = {
    ...signer,
    async sign(...asked) {
      await happen()
      return await signer.sign(...asked)
    },
  }
  s.work.chain = { ...s.work.chain, signers: [slow] }
}

test('a batch whose id, nonce or order was taken while it was signed is neither stored nor sent', async () => {
  const takings = [
    'update chains set next_batch_id = next_batch_id + 1 where chain_id = $1',
    'update signers set next_nonce = next_nonce + 1 where chain_id = $1',
    `update orders set status = 'cancelled', phase = 'FAILED' where chain_id = $1 and direction = 'MINT'`,
  ]
  for (const taking of takings) {
    const s = await chain.begin({ config: ALONE })
    await s.round()
    await beforeSigning(s, () => withoutGuards(s.db, (tx) => tx.query(taking, [CHAIN])))
    const [waits] = await s.place(mint(1))
    await assert.rejects(s.round(), /taken|moved/)
    assert.deepEqual([(await s.batches()).length, s.sent.length], [0, 0], taking)
    assert.match(await s.stateOf(waits), /^(pending\/ORDER_CREATED|cancelled\/FAILED)$/)
  }
})

test('a signer that the chain knows more of than the database is brought up, and told of', async () => {
  const s = await chain.begin()
  await s.round()
  assert.deepEqual([await s.nextNonce(SIGNER), await s.nextNonce(SECOND)], [0n, 0n])
  assert.equal(said(s, ERROR), 0)
  await s.rpc('anvil_setNonce', SIGNER, '0x7')
  await s.mine()
  await s.round()
  assert.deepEqual([await s.nextNonce(SIGNER), await s.nextNonce(SECOND)], [7n, 0n])
  assert.equal(said(s, ERROR), 1)
  await s.db.query('update signers set next_nonce = 9 where chain_id = $1 and address = $2', [CHAIN, SIGNER])
  await s.mine()
  await s.round()
  assert.equal(await s.nextNonce(SIGNER), 9n)
  assert.equal(said(s, ERROR), 1)
})

/** Settles two mints in one batch, and takes the database back to before. */
async function settleAndRestore(s: Stepped): Promise<bigint[]> {
  const ids = await s.place(mint(1), mint(2))
  await s.round()
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(ids[0]), 'completed/COMPLETED')
  await withoutGuards(s.db, (tx) =>
    tx.query(
      `update orders set status = 'pending', phase = 'ORDER_CREATED', batch_id = null, batch_index = null,
         tx_hash = null, block_number = null where chain_id = $1 and batch_id is not null`,
      [CHAIN],
    ),
  )
  await s.db.query('delete from events')
  for (const table of ['batch_attempts', 'batches', 'signers']) {
    await s.db.query(`delete from ${table} where chain_id = $1`, [CHAIN])
  }
  await s.db.query('update chains set next_batch_id = 1 where chain_id = $1', [CHAIN])
  await s.forget()
  s.sent.length = 0
  s.logged.length = 0
  return ids
}

test('a batch that was settled before with the same instructions is adopted with its signer, nonce and place', async () => {
  const s = await chain.begin()
  const ids = await settleAndRestore(s)
  await s.round()
  const [batch] = await s.batches()
  assert.deepEqual([batch?.batch_id, batch?.signer, batch?.nonce, batch?.status], [1n, SIGNER, 0n, 'signed'])
  assert.deepEqual([s.sent, await s.attempts()], [[], []])
  await s.round()
  for (const id of ids) assert.equal(await s.stateOf(id), 'completed/COMPLETED')
  assert.deepEqual([said(s, FATAL), said(s, ERROR)], [0, 0])
  const [next] = await s.place(mint(3))
  await s.round()
  assert.equal(await s.stateOf(next), 'processing/SUBMITTED')
  assert.equal((await s.batches())[1]?.batch_id, 2n)
})

test('the same instructions, settled by a signer that is not ours, are not adopted', async () => {
  const s = await chain.begin({ config: ALONE })
  const ids = await settleAndRestore(s)
  const other = await import('../../src/chain/chain.ts')
  const { signers } = other.connectChain(
    { ...s.config, signers: [keyOf('second')] },
    { db: s.db, logger: s.work.logger },
  )
  s.work.chain = { ...s.work.chain, signers }
  for (const _ of [1, 2, 3]) await s.round()
  assert.deepEqual([s.held(), said(s, FATAL), said(s, WARN)], ['batch-conflict', 1, 1])
  assert.equal(await s.stateOf(ids[0]), 'pending/ORDER_CREATED')
  assert.equal((await s.batches()).length, 0)
})

test('other instructions under the id stop the chain: nothing is adopted and nothing is signed', async () => {
  const s = await chain.begin()
  const ids = await settleAndRestore(s)
  await withoutGuards(s.db, (tx) => tx.query('update orders set amount_micro = 6 where order_id = $1', [ids[1] ?? 0n]))
  for (const _ of [1, 2]) await s.round()
  assert.deepEqual([s.held(), said(s, FATAL), (await s.batches()).length], ['batch-conflict', 1, 0])
})

test('a batch id that was taken while its outcome was looked up is not adopted', async () => {
  const s = await chain.begin()
  const ids = await settleAndRestore(s)
  const nodes = s.work.chain.nodes.map((node) => ({
    ...node,
    async request(method: string, params: readonly unknown[]) {
      if (method === 'eth_getTransactionByHash') {
        await s.db.query('update chains set next_batch_id = 2 where chain_id = $1', [CHAIN])
      }
      return await node.request(method, params)
    },
  }))
  s.work.chain = { ...s.work.chain, nodes }
  await s.round()
  assert.equal((await s.batches()).length, 0)
  assert.equal(await s.stateOf(ids[0]), 'pending/ORDER_CREATED')
})

test('how much is in flight, and how long the oldest order waits, is counted', async () => {
  const s = await chain.begin({ config: ALONE })
  await s.place(mint(1))
  await s.round()
  const last = (name: string) => s.counted.filter(([each]) => each === name).slice(-2)
  assert.deepEqual(last('inFlight'), [
    ['inFlight', 'signed', 1],
    ['inFlight', 'mined', 0],
  ])
  await s.mine()
  await s.round()
  assert.deepEqual(last('inFlight'), [
    ['inFlight', 'signed', 0],
    ['inFlight', 'mined', 1],
  ])
  await s.rpc('anvil_setBalance', SIGNER, '0x1')
  const [waits] = await s.place(mint(1))
  await withoutGuards(s.db, (tx) =>
    tx.query(`update orders set created_at = now() - interval '1 hour' where order_id = $1`, [waits ?? 0n]),
  )
  s.passMs(4_999)
  await s.round()
  const oldest = () =>
    s.counted.flatMap(([name, seconds]) => (name === 'oldestPendingSeconds' ? [Number(seconds)] : []))
  assert.deepEqual(oldest(), [0])
  s.passMs(1)
  await s.round()
  assert.equal(oldest().length, 2)
  assert.ok(Math.abs((oldest()[1] ?? 0) - 3_600) < 5)
})
