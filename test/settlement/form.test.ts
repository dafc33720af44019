// engine: postgres; both in test:long
/** Which orders go into which batch, under whose signature, and what keeps them waiting, one round at a time. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeFunctionData, type Hex, parseTransaction } from 'viem'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import {
  type BucketName,
  decodeSettle,
  digestOf,
  type Instructable,
  instructionOf,
  NO_HISTORY,
  packInstructions,
  runningHashAfter,
} from '../../src/chain/instructions.ts'
import { callDataOf } from '../../src/chain/signed-transaction.ts'
import type { Signer } from '../../src/chain/signer.ts'
import { batchSizeFor } from '../../src/settlement/form/pace.ts'
import { startFaultyRpc } from '../support/faulty-rpc.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { account, keyOf, wallet } from './fixture.ts'
import { PARTIES } from './parties.ts'
import { ERROR, type Stepped, type SteppedChain, startStepped } from './stepped.ts'

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

const BUCKETS = ['mint', 'burn', 'transfer'] as const

/** Sets what a bucket holds from now on, without refill. */
async function setLimit(s: Stepped, bucket: BucketName, capacity: bigint) {
  const args = [BUCKETS.indexOf(bucket), { capacity, refillPerSecond: 0n }] as const
  const data = encodeFunctionData({ abi: settlementAbi, functionName: 'setLimit', args })
  // An estimate would be for the previous block, in which different storage is written.
  const call = { from: account('limiter').address, to: s.config.settlement, data, gas: '0x186a0' }
  await s.rpc('eth_sendTransaction', call)
  await s.mine()
}

/** An order that needs a bucket. */
const orderOf = (bucket: BucketName, amountMicro: bigint) =>
  bucket === 'mint'
    ? mint(1, amountMicro)
    : bucket === 'burn'
      ? ({ direction: 'REDEEM', amountMicro, from: wallet(1) } as const)
      : ({ direction: 'TRANSFER', amountMicro, from: wallet(1), to: wallet(2) } as const)
const othersOf = (bucket: BucketName, amountMicro: bigint) =>
  BUCKETS.filter((each) => each !== bucket).map((each) => orderOf(each, amountMicro))

/** The call data that was signed for each batch, by its id. */
async function callDataOfBatches(s: Stepped): Promise<Hex[]> {
  const rows = await s.db.query<{ raw: Hex }>(
    `select '0x' || encode(raw_transaction, 'hex') as raw from batch_attempts where chain_id = $1 order by batch_id`,
    [CHAIN],
  )
  return rows.map(({ raw }) => callDataOf(raw))
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
    `select f.order_id, f.batch_index, b.tx_hash from signed_orders f join orders o using (order_id)
     join batches b on b.chain_id = o.chain_id and b.batch_id = f.batch_id
     where o.chain_id = $1 and b.order_ids[f.batch_index + 1] = f.order_id order by f.batch_index`,
    [CHAIN],
  )
  const [attempt] = await s.attempts()
  assert.deepEqual(
    orders,
    ids.map((orderId, index) => ({ order_id: orderId, batch_index: index, tx_hash: attempt?.tx_hash ?? '' })),
  )
  const [batch] = await s.db.query<{
    digest: Hex
    running_hash: Hex
    order_count: number
    fencing_token: bigint
  }>('select digest, running_hash, order_count, fencing_token from batches where chain_id = $1', [CHAIN])
  const names = await s.db.query<{ integration_id: string; reference_id: string }>(
    'select integration_id, reference_id from orders where order_id = any ($1::bigint[]) order by order_id',
    [ids],
  )
  const wanted: Instructable[] = (
    [
      { direction: 'MINT', walletAddress: wallet(1), debitAddress: null, amountMicro: 5n },
      { direction: 'TRANSFER', walletAddress: wallet(2), debitAddress: wallet(1), amountMicro: 2n },
      { direction: 'MINT', walletAddress: wallet(3), debitAddress: null, amountMicro: 9n },
    ] as const
  ).map((order, index) => ({
    ...order,
    integrationId: names[index]?.integration_id ?? '',
    referenceId: names[index]?.reference_id ?? '',
  }))
  const packed = packInstructions(wanted.map(instructionOf))
  assert.deepEqual(decodeSettle((await callDataOfBatches(s))[0] ?? '0x'), { batchId: 1n, previous: NO_HISTORY, packed })
  const digest = digestOf(packed)
  assert.deepEqual([batch?.digest, batch?.order_count, batch?.fencing_token], [digest, 3, s.work.lease.token])
  assert.equal(batch?.running_hash, runningHashAfter(NO_HISTORY, digest))
  assert.deepEqual(
    s.counted.filter(([name]) => name === 'formed'),
    [['formed', 3]],
  )
})

test('one signer leads: its batches follow one another in ids, nonces and history, and settle in one block', async () => {
  const s = await chain.begin()
  const size = batchSizeFor(s.work.memory.form.gasPerOrder, 30_000_000n)
  const ids = await s.place(...mints(3 * size))
  await s.round()
  s.work.memory.blocks.intervalMs = undefined
  ids.push(...(await s.place(mint(1))))
  await s.round()
  const batches = await s.batches()
  assert.deepEqual(
    batches.map(({ batch_id, signer, nonce }) => [batch_id, signer, nonce]),
    [1n, 2n, 3n, 4n].map((batchId) => [batchId, SIGNER, batchId - 1n]),
  )
  assert.deepEqual([await s.nextNonce(SIGNER), await s.nextNonce(SECOND)], [4n, 0n])
  const rows = await s.db.query<{ running_hash: Hex }>(
    'select running_hash from batches where chain_id = $1 order by batch_id',
    [CHAIN],
  )
  assert.deepEqual(
    (await callDataOfBatches(s)).map((data) => decodeSettle(data)?.previous),
    [NO_HISTORY, ...rows.slice(0, 3).map(({ running_hash }) => running_hash)],
  )
  await s.mine()
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(ids.at(-1)), 'completed/COMPLETED')
  const head = await s.chain.nodes[0]?.request('eth_call', [
    { to: s.config.settlement, data: encodeFunctionData({ abi: settlementAbi, functionName: 'head' }) },
    'latest',
  ])
  assert.equal(String(head).slice(66), rows.at(-1)?.running_hash.slice(2))
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

test('an order that waits late is found within a second, although newer ones were found before it', async () => {
  const s = await chain.begin()
  const [late = 0n, next] = await s.place(mint(1), mint(2))
  // Held back as one whose tag is in conflict, until that is settled; a mint that is confirmed comes as late.
  await s.db.query(`insert into tag_conflicts (order_id, chain_id, tag) values ($1, $2, '0x1')`, [late, CHAIN])
  await s.round()
  assert.equal(await s.stateOf(next), 'processing/SUBMITTED')
  const [third] = await s.place(mint(3))
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(third), 'processing/SUBMITTED')
  await s.db.query('delete from tag_conflicts where order_id = $1', [late])
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(late), 'pending/ORDER_CREATED')
  s.passMs(1_000)
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(late), 'processing/SUBMITTED')
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
  // A chain that lost a block says nothing about the next one.
  await s.rpc('anvil_rollback', 1)
  s.passMs(1_000)
  await s.round()
  assert.equal(s.work.memory.blocks.intervalMs, 600)
})

test('where no node suggests a tip, a gwei is paid', async () => {
  const proxy = await startFaultyRpc(chain.rpcUrl, ({ method }) =>
    method === 'eth_maxPriorityFeePerGas' ? { kind: 'error', message: 'method not found' } : { kind: 'none' },
  )
  try {
    const s = await chain.begin({ config: { rpcUrls: [proxy.url] } })
    await s.place(mint(1))
    await s.round()
    const [raw] = s.sent
    assert.equal(parseTransaction(raw as `0x02${string}`).maxPriorityFeePerGas, 1_000_000_000n)
  } finally {
    await proxy.close()
  }
})

const HOLDS: Record<string, (s: Stepped) => Promise<unknown>> = {
  'gas-balance': (s) => s.rpc('anvil_setBalance', SIGNER, '0x1'),
  'gas-price': async (s) => {
    s.config.maxFeePerGasWei = 1n
  },
  'signer-without-role': (s) => {
    const args = [ROLE_IDS.signer, SIGNER] as const
    const data = encodeFunctionData({ abi: settlementAbi, functionName: 'revokeRole', args })
    return s.rpc('eth_sendTransaction', { from: account('pauser').address, to: s.config.settlement, data })
  },
  paused: (s) =>
    s.rpc('eth_sendTransaction', { from: account('pauser').address, to: s.config.coin.address, data: '0x8456cb59' }),
  'signer-unavailable': async (s) => {
    const [signer] = s.chain.signers
    const broken: Signer = { ...(signer as Signer), sign: () => Promise.reject(new Error('no answer')) }
    s.work.chain = { ...s.work.chain, signers: [broken] }
  },
}
/** What the contract says of those that it refuses. */
const REVERTS: Readonly<Record<string, string>> = {
  'signer-without-role': 'AccessControlUnauthorizedAccount',
  paused: 'EnforcedPause',
}
for (const [reason, cause] of Object.entries(HOLDS)) {
  test(`${reason} holds the orders, uses no nonce and no batch id, is told once, and asks the nodes again`, async () => {
    const s = await chain.begin({ config: ALONE })
    await cause(s)
    await s.mine()
    const [waits] = await s.place(mint(1))
    for (const _ of [1, 2, 3]) await s.round()
    assert.equal(await s.stateOf(waits), 'pending/ORDER_CREATED')
    assert.deepEqual([s.held(), s.work.memory.market], [reason, undefined])
    assert.deepEqual([(await s.batches()).length, await s.nextNonce(SIGNER), s.sent.length], [0, 0n, 0])
    assert.deepEqual(s.counted.filter(([name]) => name === 'held').at(-1), ['held', reason, []])
    const told = s.logged.filter(({ msg }) => msg.startsWith('settlement is held'))
    assert.deepEqual(
      told.map((line) => [line.reason, line.reverted, line.batchId]),
      [[reason, ...(REVERTS[reason] === undefined ? [undefined, undefined] : [REVERTS[reason], '1'])]],
    )
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

for (const empty of BUCKETS) {
  test(`an empty ${empty} bucket holds what needs it alone`, async () => {
    const s = await chain.begin()
    await setLimit(s, empty, 100n)
    const scarce = [60n, 60n, 1n].map((amountMicro) => orderOf(empty, amountMicro))
    const ids = await s.place(...scarce, ...othersOf(empty, 500n))
    await s.round()
    const states = await Promise.all(ids.map((id) => s.stateOf(id)))
    assert.deepEqual(
      states.map((state) => state.startsWith('processing')),
      [true, false, false, true, true],
    )
    // What is signed but not yet mined also counts against the bucket.
    s.work.memory.blocks.intervalMs = undefined
    await s.round()
    assert.equal(s.held(), `${empty}-limit`)
    assert.equal((await s.batches()).length, 1)
  })

  test(`behind a whole window of orders for an empty ${empty} bucket, what needs the others is found`, async () => {
    const s = await chain.begin({ config: ALONE })
    await setLimit(s, empty, 100n)
    // As if one order filled a whole block: windows of four.
    s.work.memory.form.gasPerOrder = { used: 15_000_000n, limit: 16_000_000n }
    const scarce = orderOf(empty, 60n)
    const [first, ...rest] = await s.place(...Array.from({ length: 6 }, () => scarce), ...othersOf(empty, 60n))
    for (const _ of [1, 2, 3]) {
      await s.round()
      s.work.memory.blocks.intervalMs = undefined
    }
    for (const id of [first, ...rest.slice(-2)]) assert.equal(await s.stateOf(id), 'processing/SUBMITTED')
    assert.equal(await s.stateOf(rest[0]), 'pending/ORDER_CREATED')
  })
}

test('while a bucket gives little, integrations take turns: behind a queue of one, the single order of another goes next', async () => {
  const s = await chain.begin({ config: ALONE })
  await setLimit(s, 'mint', 100n)
  const flood = Array.from({ length: 12 }, () => ({ ...mint(1, 60n), party: PARTIES[0] }))
  const [first, second, ...rest] = await s.place(...flood, { ...mint(2, 60n), party: PARTIES[1] })
  const single = rest.pop()
  await s.round()
  assert.deepEqual(
    [await s.stateOf(first), await s.stateOf(second), await s.stateOf(single)].map((state) => state.split('/')[0]),
    ['processing', 'pending', 'pending'],
  )
  for (const [next, capacity] of [
    [single, 160n],
    [second, 220n],
  ] as const) {
    await s.mine(4)
    await setLimit(s, 'mint', capacity)
    assert.equal((await s.stateOf(next)).split('/')[0], 'pending')
    await s.round()
    assert.equal((await s.stateOf(next)).split('/')[0], 'processing')
  }
})

test('where another block may have come, nothing more is cut for the one that was looked at', async () => {
  let isSlow = true
  const s = await chain.begin({
    config: ALONE,
    onStep: (step) => {
      if (step === 'batch-stored' && isSlow) s.passMs(1_001)
    },
  })
  await s.round()
  s.work.memory.blocks.lately = [1_000, 1_000, 1_000, 1_000]
  // As if one order filled a whole block: four batches at a time, eight at most.
  s.work.memory.form.gasPerOrder = { used: 15_000_000n, limit: 16_000_000n }
  await s.place(...mints(8))
  assert.deepEqual(await s.round(), { waiting: true, isMore: true })
  assert.equal((await s.batches()).length, 4)
  isSlow = false
  s.passMs(-1_001)
  assert.deepEqual(await s.round(), { waiting: true })
  assert.equal((await s.batches()).length, 8)
  await s.mine()
  s.passMs(1_000)
  await s.round()
  // Where blocks do not come regularly, one may have come at any time.
  s.work.memory.blocks.lately = [1_000, 9_000, 1_000, 1_000]
  await s.place(...mints(8))
  assert.deepEqual(await s.round(), { waiting: true, isMore: true })
  assert.equal((await s.batches()).length, 12)
})

test('orders larger than a bucket can hold are passed over, counted, and told of every ten seconds', async () => {
  const s = await chain.begin()
  await setLimit(s, 'mint', 100n)
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

/** Makes something happen just before the signer signs. */
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
    `update orders set status = 'cancelled' where chain_id = $1 and direction = 'MINT'`,
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
  for (let block = 1; block < s.config.confirmations; block += 1) {
    await s.mine()
    await s.round()
    assert.equal(await s.nextNonce(SIGNER), 0n, 'nothing is under way, and nobody asks')
  }
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

test('before anything is signed while nothing is under way, the chain is asked for nonces, by which it then goes', async () => {
  const s = await chain.begin({ config: { ...ALONE, confirmations: 100 } })
  await s.round()
  await s.rpc('anvil_setNonce', SIGNER, '0x7')
  await s.mine()
  const [order] = await s.place(mint(1))
  await s.round()
  assert.deepEqual(
    (await s.batches()).map(({ nonce }) => nonce),
    [7n],
  )
  assert.equal(said(s, ERROR), 1)
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(order), 'processing/CONFIRMING')
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
