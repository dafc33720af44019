// engine: postgres; both in test:long
/** Forming batches of real orders, with a scripted node: what is signed, stored and sent, and what keeps it from that. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Hex, keccak256, parseTransaction, type TransactionSerializedEIP1559 } from 'viem'
import { decodeSettle, NO_HISTORY, unpackInstructions } from '../../src/chain/instructions.ts'
import { formBatches } from '../../src/settlement/form/form-batches.ts'
import { REFUNDS } from '../../src/values/house.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { bankSays } from '../support/reserve.ts'
import { placeOrders, seedParties, type TestOrder, wallet } from './fixture.ts'
import { PARTIES } from './parties.ts'
import { A, B, COIN, GAS, Revert, SETTLEMENT, startScripted } from './scripted-settler.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  await seedParties(db)
})
after(() => db.close())

const mint = (amountMicro: bigint, seed = 1): TestOrder => ({ direction: 'MINT', amountMicro, to: wallet(seed) })
const redeem = (amountMicro: bigint): TestOrder => ({ direction: 'REDEEM', amountMicro, from: wallet(1) })
const transfer = (amountMicro: bigint): TestOrder => ({
  direction: 'TRANSFER',
  amountMicro,
  from: wallet(1),
  to: wallet(2),
})

async function begin(config: object = {}) {
  const s = await startScripted(db, config)
  await db.query('update chains set next_batch_id = 7 where chain_id = $1', [s.chainId])
  const { holds, form } = s.memory
  return {
    ...s,
    holds,
    form,
    place: (...orders: TestOrder[]) => placeOrders(db, s.work.chain.config, orders),
    formNow: async (head = s.head()) => await formBatches(s.work, { ...head, finalBlock: 40n }, await s.inFlight()),
    sent: () => s.askedOf('eth_sendRawTransaction') as Hex[],
    batches: () =>
      db.query<{ batch_id: bigint; signer: string; nonce: bigint; status: string; count: number; token: bigint }>(
        `select batch_id, signer, nonce, status, order_count as count, fencing_token as token from batches where chain_id = $1 order by 1`,
        [s.chainId],
      ),
    held: () => s.memory.holds.held,
  }
}
type Forming = Awaited<ReturnType<typeof begin>>

const parse = (raw: Hex | undefined) => parseTransaction(raw as TransactionSerializedEIP1559)
const instructionsIn = (raw: Hex | undefined) => {
  const call = decodeSettle(parse(raw).data ?? '0x')
  return { ...call, instructions: unpackInstructions(call?.packed ?? '0x') ?? [] }
}
/** Nothing was signed for this reason. */
async function assertHeld(s: Forming, reason: string, details: object = {}, head = s.head()) {
  assert.equal(await s.formNow(head), false)
  assert.deepEqual(s.held(), { reason, details })
  assert.deepEqual([await s.batches(), s.sent()], [[], []])
}

test('what waits is signed, stored and only then sent, as one batch in the order of acceptance', async () => {
  const s = await begin()
  const [first, second, third] = await s.place(mint(5n), transfer(6n), redeem(7n))
  s.holds.held = { reason: 'paused', details: {} }
  assert.equal(await s.formNow(), true)
  assert.deepEqual(await s.batches(), [
    { batch_id: 7n, signer: A.address, nonce: 100n, status: 'signed', count: 3, token: s.work.lease.token },
  ])
  const [raw, ...more] = s.sent()
  assert.deepEqual(more, [])
  const { to, nonce, value, gas, maxFeePerGas, maxPriorityFeePerGas, chainId } = parse(raw)
  assert.deepEqual(
    [to?.toLowerCase(), nonce, value ?? 0n, maxFeePerGas, maxPriorityFeePerGas, chainId],
    [SETTLEMENT.toLowerCase(), 100, 0n, 201n, 1n, s.chainId],
  )
  const { batchId, previous, instructions } = instructionsIn(raw)
  assert.deepEqual([batchId, previous, instructions.length], [7n, NO_HISTORY, 3])
  const stored = await db.query<{ raw: Hex; hash: string; answer: string; gas: bigint; fee: bigint }>(
    `select '0x' || encode(raw_transaction, 'hex') as raw, tx_hash as hash, last_answer as answer, gas_limit as gas,
       max_fee_per_gas::bigint as fee from batch_attempts where chain_id = $1`,
    [s.chainId],
  )
  const hash = keccak256(raw ?? '0x')
  assert.deepEqual(stored, [{ raw, hash, answer: 'accepted: scripted: accepted', gas, fee: 201n }])
  const lines = await db.query<{ order_id: bigint; batch_id: bigint; batch_index: number }>(
    'select order_id, batch_id, batch_index from signed_orders where order_id = any ($1::bigint[]) order by batch_index',
    [[first, second, third] as never],
  )
  assert.deepEqual(
    lines.map(({ order_id, batch_id }) => [order_id, batch_id]).sort(),
    [first, second, third].map((id) => [id, 7n]).sort(),
  )
  assert.deepEqual(s.steps, ['batch-selected', 'batch-signed', 'batch-stored', 'batch-broadcast', 'broadcast-recorded'])
  assert.deepEqual(s.countedOf('formed'), [[s.chainId, 3]])
  assert.equal(s.memory.bump.seenAtBlock.get(hash), 50n)
  assert.equal(s.held().reason, 'none')
  const { mint: minted, burn, transfer: transferred } = s.form.turns
  assert.deepEqual([minted.next.size, burn.next.size, transferred.next.size], [1, 1, 1], 'each has had its turn')
  assert.deepEqual(s.levels(), ['info', 'debug'])
  assert.equal(await s.formNow(), false, 'nothing waits any more')
})

test('nothing is asked for, let alone signed, before the pause after a hold is over', async () => {
  const s = await begin()
  await s.place(mint(5n))
  s.holds.notBeforeMs = s.clock.nowMs + 1
  assert.equal(await s.formNow(), false)
  assert.deepEqual(s.asked, [])
  s.clock.nowMs += 1
  assert.equal(await s.formNow(), true)
})

test('each thing that keeps batches from being formed is told as it is, and nothing is signed', async () => {
  const s = await begin()
  await s.place(mint(5n))
  const later = () => {
    s.clock.nowMs += 10_000
  }
  s.memory.follow.hasForeignBatch = true
  await assertHeld(s, 'batch-conflict')
  later()
  s.memory.follow.hasForeignBatch = false
  s.memory.follow.behindSinceMs = 1
  await assertHeld(s, 'chain-behind')
  later()
  s.memory.follow.behindSinceMs = undefined
  s.memory.watch.isPaused = true
  await assertHeld(s, 'foreign-movement')
  later()
  s.memory.watch.isPaused = false
  const signers = s.work.chain.signers
  s.work.chain.signers = []
  await assertHeld(s, 'signer-unavailable', { error: 'not configured any more' })
  later()
  s.work.chain.signers = [{ ...A, sign: () => Promise.reject(new Error('is locked')) }]
  await assertHeld(s, 'signer-unavailable', { error: 'is locked' })
  s.clock.nowMs += 60_000
  s.work.chain.signers = signers
  await assertHeld(
    s,
    'gas-price',
    { baseFeePerGas: '10000000000', maxFeePerGas: '1000000000' },
    s.head(50n, '0xdear', 10n ** 10n),
  )
  later()
  s.says.balance = () => 5n
  assert.equal(await s.formNow(s.head(51n)), false)
  const { reason, details } = s.held()
  assert.deepEqual([reason, details.signer, details.balanceWei], ['gas-balance', A.address, '5'])
  later()
  s.says.balance = () => 10n ** 18n
  s.says.estimate = () => {
    throw new Revert('EnforcedPause')
  }
  await assertHeld(s, 'paused', { reverted: 'EnforcedPause', batchId: '7' }, s.head(52n))
  later()
  s.says.estimate = () => GAS
  assert.equal(await s.formNow(s.head(53n)), true)
})

test('a signer that stands by sends what the first one cannot, under its own nonce; what is under way decides who leads', async () => {
  const s = await begin()
  await s.place(mint(5n))
  s.says.balance = (who) => (who === A.address ? 0n : 10n ** 18n)
  assert.equal(await s.formNow(), true)
  assert.deepEqual(
    (await s.batches()).map(({ signer, nonce }) => [signer, nonce]),
    [[B.address, 200n]],
  )
  s.says.balance = () => 10n ** 18n
  await s.place(mint(6n))
  assert.equal(await s.formNow(s.head(51n)), true)
  assert.deepEqual(
    (await s.batches()).map(({ batch_id, signer, nonce }) => [batch_id, signer, nonce]),
    [
      [7n, B.address, 200n],
      [8n, B.address, 201n],
    ],
  )
  s.work.chain.signers = [A]
  await s.place(mint(7n))
  assert.equal(await s.formNow(s.head(52n)), false)
  assert.deepEqual(s.held().reason, 'signer-unavailable')
})

test('with nothing under way another signer leads when the first one does not sign, until that has had a minute', async () => {
  const s = await begin()
  await s.place(mint(5n))
  const locked = { ...A, sign: () => Promise.reject(new Error('is locked')) }
  const [first] = s.work.chain.signers
  s.work.chain.signers = [locked, B]
  await assertHeld(s, 'signer-unavailable', { error: 'is locked' })
  s.clock.nowMs += 10_000
  assert.equal(await s.formNow(s.head(51n)), true)
  assert.deepEqual(
    (await s.batches()).map(({ signer, nonce }) => [signer, nonce]),
    [[B.address, 200n]],
  )
  assert.equal(s.held().reason, 'none')
  const idle = await begin()
  await idle.place(mint(5n))
  idle.work.chain.signers = [locked, B]
  await assertHeld(idle, 'signer-unavailable', { error: 'is locked' })
  idle.clock.nowMs += 60_000
  idle.work.chain.signers = [first ?? A, B]
  assert.equal(await idle.formNow(idle.head(51n)), true)
  assert.deepEqual(
    (await idle.batches()).map(({ signer }) => signer),
    [A.address],
  )
})

test('what its unmined batches may cost counts against the gas money of a signer', async () => {
  const s = await begin()
  await s.store({ batchId: 6n, nonce: 99n })
  await s.place(mint(5n))
  // A batch of one mint asks for 255,280 gas, the one under way costs 50,000 at 1,000 wei.
  const needed = 50_000n * 1_000n + 255_280n * 201n
  s.says.balance = () => needed - 1n
  assert.equal(await s.formNow(), false)
  assert.deepEqual(s.held(), {
    reason: 'gas-balance',
    details: { signer: A.address, balanceWei: String(needed - 1n), neededWei: String(needed) },
  })
  s.says.balance = () => needed
  s.clock.nowMs += 10_000
  assert.equal(await s.formNow(s.head(51n)), true)
})

test('four batches at a time, as many as may wait for a block, each on the history of the one before', async () => {
  const s = await begin()
  // So dear that each order fills a batch.
  s.form.gasPerOrder = { used: 16_000_000n, limit: 16_000_000n }
  await s.place(...Array.from({ length: 9 }, (_, index) => mint(BigInt(index + 1))))
  assert.equal(await s.formNow(), true)
  assert.equal((await s.batches()).length, 4)
  s.form.gasPerOrder = { used: 16_000_000n, limit: 16_000_000n }
  assert.equal(await s.formNow(s.head(51n)), true)
  assert.equal((await s.batches()).length, 8)
  s.form.gasPerOrder = { used: 16_000_000n, limit: 16_000_000n }
  assert.equal(await s.formNow(s.head(52n)), false, 'eight may be under way')
  const raws = s.sent().map(instructionsIn)
  assert.deepEqual(raws.map(({ batchId }) => batchId).sort(), [7n, 8n, 9n, 10n, 11n, 12n, 13n, 14n].sort())
  assert.equal(new Set(raws.map(({ previous }) => previous)).size, 8)
})

test('behind what fills the blocks that can be filled by now nothing is read or asked until another block comes', async () => {
  const s = await begin()
  // Whole batches of one order. The block is full but for what an order asks for, and the one after it is begun.
  const dear = { used: 15_000_000n, limit: 16_000_000n }
  s.form.gasPerOrder = dear
  await s.place(mint(5n), mint(6n))
  assert.equal(await s.formNow(), true)
  const ids = (await s.batches()).map(({ batch_id }) => batch_id)
  await db.query('update batch_attempts set gas_limit = 29000000 where chain_id = $1', [s.chainId])
  s.form.expected = new Map(ids.map((id) => [id, 28_800_000n]))
  s.form.gasPerOrder = dear
  await s.place(mint(7n))
  s.holds.held = { reason: 'gas-price', details: {} }
  assert.equal(await s.formNow(s.head(51n)), false, 'the first block has room for it')
  assert.equal(s.held().reason, 'none')
  const asked = s.asked.length
  assert.equal(await s.formNow(s.head(51n)), false)
  assert.equal(s.asked.length, asked)
  assert.equal((await s.batches()).length, 2)
  await db.query(
    `update batches set status = 'mined', mined_block = 1, mined_hash = '0xb' where chain_id = $1 and batch_id = $2`,
    [s.chainId, ids[0] ?? 0n],
  )
  s.form.gasPerOrder = dear
  assert.equal(await s.formNow(s.head(52n)), true)
  assert.equal((await s.batches()).length, 3)
})

test('a part-filled batch behind another one waits until the next block is near', async () => {
  const s = await begin()
  await s.place(mint(5n))
  assert.equal(await s.formNow(), true)
  await s.place(mint(6n))
  s.memory.blocks = { ...s.memory.blocks, number: 50n, seenAtMs: s.clock.nowMs, intervalMs: 10_000 }
  s.clock.nowMs += 7_999
  assert.equal(await s.formNow(), false)
  s.clock.nowMs += 1
  assert.equal(await s.formNow(), true)
})

test('what is signed counts against a bucket until it is mined, and what waits for a bucket says so', async () => {
  const s = await begin()
  s.says.bucket = () => ({ available: 10n, capacity: 10n })
  await s.place(mint(8n), transfer(9n))
  assert.equal(await s.formNow(), true)
  await s.place(mint(3n), redeem(10n))
  s.memory.blocks.intervalMs = undefined
  assert.equal(await s.formNow(s.head(51n)), true)
  assert.deepEqual([...s.form.blocked], ['mint'])
  assert.deepEqual(
    (await s.batches()).map(({ count }) => count),
    [2, 1],
  )
  s.clock.nowMs += 10_000
  assert.equal(await s.formNow(s.head(52n)), false)
  assert.equal(s.held().reason, 'mint-limit')
  await db.query("update batches set status = 'mined', mined_block = 1, mined_hash = '0xb' where chain_id = $1", [
    s.chainId,
  ])
  s.clock.nowMs += 10_000
  assert.equal(await s.formNow(s.head(53n)), true)
  assert.deepEqual([...s.form.blocked], [])
})

test('while nothing waits no node is asked; what no bucket can ever hold is counted now and then, and told', async () => {
  const s = await begin()
  s.form.blocked = new Set(['mint'])
  s.holds.held = { reason: 'paused', details: {} }
  assert.equal(await s.formNow(), false)
  assert.deepEqual([s.asked, s.held().reason, s.form.blocked.size], [[], 'none', 0])
  assert.deepEqual(s.countedOf('oversizedOrders'), [[s.chainId, 0]])
  s.says.bucket = () => ({ available: 10n, capacity: 10n })
  await s.place(mint(11n))
  s.clock.nowMs += 9_999
  assert.equal(await s.formNow(), false)
  assert.deepEqual(s.countedOf('oversizedOrders').length, 1)
  s.clock.nowMs += 1
  assert.equal(await s.formNow(), false)
  assert.deepEqual(s.countedOf('oversizedOrders').at(-1), [s.chainId, 1])
  assert.deepEqual(
    s.logged.map(({ level, fields }) => [level, fields.count]),
    [['error', 1]],
  )
  assert.equal(s.held().reason, 'none')
})

test('what was taken while a batch was signed is not taken twice: nothing is stored, and nothing sent', async () => {
  for (const [what, change] of [
    ['batch id 7 was taken', 'update chains set next_batch_id = 8 where chain_id = $1'],
    ['nonce 100 was taken', 'update signers set next_nonce = 101 where chain_id = $1'],
  ] as const) {
    const s = await begin()
    await s.place(mint(5n))
    const sign: typeof A.sign = async (transaction) => {
      await db.query(change, [s.chainId])
      return await A.sign(transaction)
    }
    s.work.chain.signers = [{ ...A, sign }]
    await assert.rejects(s.formNow(), new RegExp(what))
    assert.deepEqual([await s.batches(), s.sent()], [[], []])
  }
})

test('where the contract names another history, it is behind when it lacks batches, and in conflict when it does not', async () => {
  const s = await begin()
  await s.place(mint(5n))
  s.says.estimate = (_from, to) => {
    if (to !== COIN) throw new Revert('WrongPrevious')
    return GAS
  }
  for (const [lastBatchId, reason] of [
    [6n, 'batch-conflict'],
    [5n, 'chain-behind'],
  ] as const) {
    s.says.lastBatchId = () => lastBatchId
    s.clock.nowMs += 10_000
    assert.equal(await s.formNow(s.head(60n + lastBatchId)), false)
    assert.equal(s.held().reason, reason)
  }
  assert.deepEqual([await s.batches(), s.sent()], [[], []])
})

test('mints wait for the reserve while the rest goes on; what is minted back goes first, and needs no cover', async () => {
  const s = await begin()
  s.work.reserve = { guard: 'hold', maxAgeMs: 10 ** 12 }
  s.says.bucket = () => ({ available: 100n, capacity: 100n })
  await bankSays(db, await committed(50n))
  const [first] = await s.place(mint(40n), mint(40n), transfer(6n))
  await db.query(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address,
       customer_id, key_id, amount_micro)
     values ($1, $2, 'MINT', 'pending', $3, 'n', 't', $4, $5, $1, 30)`,
    [REFUNDS, `po_${'0'.repeat(40)}-1`, s.chainId, wallet(3), PARTIES[0].customerId],
  )
  assert.equal(await s.formNow(), true)
  const [raw] = s.sent()
  const amounts = instructionsIn(raw).instructions.map(({ amount }) => amount)
  assert.deepEqual(amounts.sort(), [30n, 40n, 6n].sort())
  assert.notEqual(first, undefined)
  s.clock.nowMs += 10_000
  assert.equal(await s.formNow(s.head(51n)), false)
  assert.equal(s.held().reason, 'reserve')
})

/** What the bank has to say so that this much is left beyond what the other tests of this file have signed. */
async function committed(roomMicro: bigint): Promise<bigint> {
  const [row] = await db.query<{ sum: string }>(
    `select coalesce(sum(o.amount_micro), 0)::text as sum from batches b cross join lateral unnest(b.order_ids) as s (order_id)
       join orders o on o.order_id = s.order_id where b.status in ('signed', 'mined') and o.direction = 'MINT'`,
  )
  return BigInt(row?.sum ?? 0) + roomMicro
}
