// engine: postgres; both in test:long
/** The repair of bytes that were lost, late or overtaken, one round at a time. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeFunctionData, type Hex, parseTransaction } from 'viem'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import type { Signer } from '../../src/chain/signer.ts'
import { account, keyOf, wallet } from './fixture.ts'
import {
  ERROR,
  FATAL,
  firstInBlock,
  NEVER,
  type Stepped,
  type SteppedChain,
  sendStop,
  startStepped,
  useNonce,
  WARN,
} from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

const [SIGNER, SECOND] = [account('signer').address, account('second').address]
const CHAIN = 31_337
const mint = (seed: number, amountMicro = 5n) => ({ direction: 'MINT', amountMicro, to: wallet(seed) }) as const
/** Only the first signer, so that every batch is its own. */
const ALONE = { signers: [keyOf('signer')] }

async function formOne(s: Stepped, seed = 1): Promise<bigint> {
  const [orderId = 0n] = await s.place(mint(seed))
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
  return orderId
}

const rawOf = async (s: Stepped, txHash: string | undefined): Promise<Hex> => {
  const [row] = await s.db.query<{ raw_transaction: Hex }>(
    `select '0x' || encode(raw_transaction, 'hex') as raw_transaction from batch_attempts where chain_id = $1 and tx_hash = $2`,
    [CHAIN, txHash ?? ''],
  )
  return row?.raw_transaction ?? '0x'
}

/** Makes the attempts of a batch older than they are, by the database's clock. */
const age = (s: Stepped, column: 'created_at' | 'last_broadcast_at', ms: number) =>
  s.db.query(`update batch_attempts set ${column} = ${column} - $2 * interval '1 millisecond' where chain_id = $1`, [
    CHAIN,
    ms,
  ])

const said = (s: Stepped, level: number) => s.logged.filter((line) => line.level === level).length
const counted = (s: Stepped, name: string) => s.counted.filter(([each]) => each === name).length

test('bytes go out again when they were never sent, or not mined for the configured time, and not before', async () => {
  const s = await chain.begin({ times: { rebroadcastMs: 60_000 } })
  await formOne(s)
  const [attempt] = await s.attempts()
  const raw = await rawOf(s, attempt?.tx_hash)
  assert.deepEqual(s.sent, [raw])
  await age(s, 'last_broadcast_at', 50_000)
  await s.round()
  assert.equal(s.sent.length, 1)
  await age(s, 'last_broadcast_at', 10_000)
  await s.round()
  assert.deepEqual(s.sent, [raw, raw])
  await s.round()
  assert.equal(s.sent.length, 2)
  await s.db.query('update batch_attempts set last_broadcast_at = null where chain_id = $1', [CHAIN])
  await s.round()
  assert.equal(s.sent.length, 3)
  await age(s, 'last_broadcast_at', -3_600_000)
  await s.round()
  assert.equal(s.sent.length, 4, 'the clock of the database was set back by an hour')
})

test('bytes whose nonce is used up, and those of a mined batch, are not sent again', async () => {
  const s = await chain.begin({ config: ALONE, times: { rebroadcastMs: 0 } })
  await formOne(s)
  const [{ nonce = 0n } = {}] = await s.batches()
  await useNonce(s, SIGNER, nonce)
  await s.mine()
  const before = s.sent.length
  await s.round()
  assert.equal(s.sent.length, before)

  const t = await chain.begin({ config: ALONE, times: { rebroadcastMs: 0 } })
  await formOne(t)
  await t.mine()
  const sent = t.sent.length
  await t.round()
  assert.equal(t.sent.length, sent)
})

test('of a batch all bytes go out, cheapest first, and at most sixteen in a round, oldest batches first', async () => {
  const s = await chain.begin({ times: { rebroadcastMs: 0 } })
  const template = await formOne(s)
  await s.db.query(
    `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, status, fencing_token)
     select chain_id, batch_id + n, signer, nonce + n, digest, running_hash, '{0}', 1, 'signed', 1
     from batches, generate_series(1, 17) n where chain_id = $1`,
    [CHAIN],
  )
  await s.db.query(
    `insert into batch_attempts (chain_id, batch_id, tx_hash, signer, nonce, raw_transaction, max_fee_per_gas,
       max_priority_fee_per_gas, gas_limit, last_broadcast_at)
     select a.chain_id, b.batch_id, a.tx_hash || b.batch_id || fee, a.signer, b.nonce, decode(lpad(b.batch_id || '0' || fee, 4, '0'), 'hex'), 10 + fee,
       fee, 21000, now() from batch_attempts a join batches b using (chain_id), generate_series(1, 2) fee
     where chain_id = $1 and b.batch_id > 1`,
    [CHAIN],
  )
  assert.ok(template > 0n)
  s.sent.length = 0
  await s.round()
  const [first] = await s.attempts()
  const wanted = Array.from({ length: 15 }, (_, index) => `0x0${2 + (index >> 1)}0${1 + (index % 2)}`)
  assert.deepEqual(s.sent, [await rawOf(s, first?.tx_hash), ...wanted])
})

test('a late batch gets a higher fee under the same nonce, gas limit and call data, once per period', async () => {
  const s = await chain.begin({ config: { bumpAfterBlocks: 3 } })
  await formOne(s)
  await s.round()
  await s.rpc('anvil_dropAllTransactions')
  await s.mine(2)
  await s.round()
  assert.equal((await s.attempts()).length, 1)
  await s.mine()
  await s.round()
  const [first, second] = await s.attempts()
  const [old, bumped] = [await rawOf(s, first?.tx_hash), await rawOf(s, second?.tx_hash)].map((raw) =>
    parseTransaction(raw as `0x02${string}`),
  )
  for (const field of ['nonce', 'gas', 'data', 'to', 'value', 'chainId'] as const)
    assert.equal(bumped?.[field], old?.[field])
  assert.ok(Number(bumped?.maxFeePerGas) >= 1.125 * Number(old?.maxFeePerGas))
  assert.ok(Number(bumped?.maxPriorityFeePerGas) >= 1.125 * Number(old?.maxPriorityFeePerGas))
  assert.equal(second?.signer, first?.signer)
  assert.equal(s.sent.at(-1), await rawOf(s, second?.tx_hash))
  assert.equal(counted(s, 'bumped'), 1)
  await s.rpc('anvil_dropAllTransactions')
  await s.mine(2)
  await s.round()
  assert.equal((await s.attempts()).length, 2)
})

test('fees are raised from the last attempt, also where the clock of the database was set back before it', async () => {
  const s = await chain.begin({ config: { bumpAfterBlocks: 2 } })
  await formOne(s)
  await age(s, 'created_at', -3_600_000)
  for (let block = 0; block < 5; block += 1) {
    await s.rpc('anvil_dropAllTransactions')
    await s.mine()
    await s.round()
  }
  const fees = (await s.attempts()).map(({ max_fee_per_gas: fee }) => BigInt(fee))
  assert.equal(fees.length, 3)
  assert.deepEqual(
    fees,
    [...new Set(fees)].toSorted((a, b) => Number(a - b)),
  )
})

test('no fee is raised of what is mined, whose nonce is used up, whose signer is gone, or beyond the maximum', async () => {
  const late = { bumpAfterBlocks: 0 }
  const mined = await chain.begin({ config: { confirmations: 5 } })
  await formOne(mined)
  await mined.mine()
  mined.config.bumpAfterBlocks = 0
  await mined.round()
  assert.equal((await mined.attempts()).length, 1)

  const used = await chain.begin({ config: ALONE })
  await formOne(used)
  const [{ nonce = 0n } = {}] = await used.batches()
  await useNonce(used, SIGNER, nonce)
  await used.mine()
  used.config.bumpAfterBlocks = 0
  await used.round()
  assert.equal((await used.attempts()).length, 1)

  const gone = await chain.begin({ config: ALONE })
  await formOne(gone)
  gone.config.bumpAfterBlocks = 0
  gone.work.chain = { ...gone.work.chain, signers: gone.chain.signers.filter(({ address }) => address === SECOND) }
  await gone.round().catch(() => {})
  assert.equal((await gone.attempts()).length, 1)

  const dear = await chain.begin({ config: { ...late } })
  dear.config.bumpAfterBlocks = 1_000
  await formOne(dear)
  const [first] = await dear.attempts()
  dear.config.bumpAfterBlocks = 0
  dear.config.maxFeePerGasWei = (BigInt(first?.max_fee_per_gas ?? 0) * 11n) / 10n
  await dear.round()
  assert.equal((await dear.attempts()).length, 1)
  assert.equal(counted(dear, 'bumped'), 0)
})

test('at most eight fees are raised in a round', async () => {
  const s = await chain.begin({ config: ALONE })
  for (let seed = 1; seed <= 8; seed += 1) {
    await formOne(s, seed)
    // Lets each next batch be formed although others wait for their block.
    s.work.memory.blocks.intervalMs = undefined
  }
  s.config.bumpAfterBlocks = 20
  await s.db.query(
    `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, status, fencing_token)
     select chain_id, 9, signer, nonce + 8, digest, running_hash, '{0}', 1, 'signed', 1 from batches where chain_id = $1 and batch_id = 1`,
    [CHAIN],
  )
  await s.db.query(
    `insert into batch_attempts (chain_id, batch_id, tx_hash, signer, nonce, raw_transaction, max_fee_per_gas,
       max_priority_fee_per_gas, gas_limit, last_broadcast_at)
     select chain_id, 9, tx_hash || '9', signer, nonce + 8, raw_transaction, max_fee_per_gas, max_priority_fee_per_gas, gas_limit, now()
     from batch_attempts where chain_id = $1 and batch_id = 1`,
    [CHAIN],
  )
  await s.round()
  await s.rpc('anvil_dropAllTransactions')
  await s.mine(20)
  await s.round()
  assert.equal(counted(s, 'bumped'), 8)
  await s.round()
  assert.equal(counted(s, 'bumped'), 9)
})

/** Makes the database say that these nonces were used, although the chain has never seen them. */
async function loseNonces(s: Stepped, ...signers: string[]): Promise<void> {
  await s.round()
  await s.db.query(
    'update signers set next_nonce = next_nonce + 1 where chain_id = $1 and address = any ($2::text[])',
    [CHAIN, signers],
  )
}

test('a nonce that nobody carries is filled with a transfer of nothing, after a while and once per while', async () => {
  const s = await chain.begin()
  await loseNonces(s, SIGNER, SECOND)
  const before = [await s.nextNonce(SIGNER), await s.nextNonce(SECOND)]
  await s.round()
  s.passMs(NEVER.behindGraceMs - 1)
  await s.round()
  assert.deepEqual(s.sent, [])
  s.passMs(1)
  await s.round()
  const sent = s.sent.map((raw) => parseTransaction(raw as `0x02${string}`))
  assert.deepEqual(
    sent.map(({ to, data, value, gas, nonce }) => ({ to: to?.toLowerCase(), data, value, gas, nonce })),
    [SIGNER, SECOND].map((address, index) => ({
      ...{ to: address.toLowerCase(), data: undefined, value: undefined, gas: 21_000n },
      nonce: Number(before[index]) - 1,
    })),
  )
  assert.equal(said(s, ERROR), 2)
  await s.round()
  assert.equal(s.sent.length, 2)
  await s.mine()
  const orderId = await formOne(s)
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})

test('only the signer that has a gap gets it filled, and only while it has it', async () => {
  const s = await chain.begin()
  await loseNonces(s, SECOND)
  await s.round()
  const nonce = ((await s.nextNonce(SECOND)) ?? 0n) - 1n
  s.passMs(NEVER.behindGraceMs)
  await useNonce(s, SECOND, nonce)
  await s.mine()
  await s.round()
  assert.deepEqual(s.sent, [])
  // A later gap waits its own while.
  await loseNonces(s, SECOND)
  await s.round()
  assert.deepEqual(s.sent, [])
  s.passMs(NEVER.behindGraceMs)
  await s.round()
  assert.deepEqual(
    s.sent.map((raw) => parseTransaction(raw as `0x02${string}`).nonce),
    [Number(nonce) + 1],
  )
})

test('a nonce that a batch in flight carries is no gap', async () => {
  const s = await chain.begin({ config: ALONE })
  await formOne(s)
  await s.rpc('anvil_dropAllTransactions')
  for (const _ of [1, 2]) {
    s.passMs(NEVER.behindGraceMs)
    await s.round()
  }
  assert.equal(s.sent.length, 1)
})

test('a gap is filled with the bytes that once had the nonce, so that what they settled is settled again', async () => {
  const s = await chain.begin({ config: ALONE })
  const orderId = await formOne(s)
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
  const [attempt] = await s.attempts()
  s.sent.length = 0
  await s.rpc('anvil_reorg', 2, [])
  await s.rpc('anvil_dropAllTransactions')
  await s.round()
  assert.deepEqual(s.sent, [])
  s.passMs(NEVER.behindGraceMs)
  await s.round()
  assert.deepEqual(s.sent, [await rawOf(s, attempt?.tx_hash)])
})

test('all nonces of abandoned batches that the nodes have lost are filled at once, so that what is formed anew is mined', async () => {
  const s = await chain.begin({ config: ALONE })
  const ids: bigint[] = []
  for (const seed of [1, 2, 3, 4]) {
    ids.push(await formOne(s, seed))
    s.work.memory.blocks.intervalMs = undefined
  }
  const [{ nonce: first = 0n } = {}] = await s.batches()
  await s.rpc('anvil_dropAllTransactions')
  await useNonce(s, SIGNER, first)
  await s.mine(2)
  await s.round()
  assert.deepEqual(
    (await s.batches()).map(({ nonce, status }) => [nonce, status]),
    [first + 4n, first + 1n, first + 2n, first + 3n].map((nonce, index) => [
      nonce,
      index === 0 ? 'signed' : 'abandoned',
    ]),
  )
  s.sent.length = 0
  const signer = s.work.chain.signers.find(({ address }) => address === SIGNER) as Signer
  const { sign } = signer
  signer.sign = () => Promise.reject(new Error('the remote signer is down'))
  s.passMs(NEVER.behindGraceMs)
  await s.round()
  assert.deepEqual(s.sent, [])
  signer.sign = sign
  await s.round()
  s.passMs(NEVER.behindGraceMs)
  await s.round()
  const filled = s.sent
    .map((raw) => parseTransaction(raw as `0x02${string}`))
    .sort((one, other) => (one.nonce ?? 0) - (other.nonce ?? 0))
  assert.deepEqual(
    filled.map(({ nonce, gas }) => [nonce, gas]),
    [1, 2, 3].map((behind) => [Number(first) + behind, 21_000n]),
  )
  assert.equal(said(s, ERROR), 1 + 3 + 3)
  await s.mine(2)
  await s.round()
  for (const id of ids) assert.equal(await s.stateOf(id), 'completed/COMPLETED')
})

/** Settles one order for good; then the chain loses it. */
async function loseFinal(s: Stepped): Promise<string> {
  await formOne(s)
  await s.mine(2)
  await s.round()
  const [batch] = await s.batches()
  assert.equal(batch?.status, 'final')
  s.sent.length = 0
  await s.rpc('anvil_reorg', 2, [])
  await s.rpc('anvil_dropAllTransactions')
  return batch?.tx_hash ?? ''
}

test('a final batch that has vanished is told of, and sent again while its nonce is free', async () => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 10 * NEVER.recheckMs } })
  const hash = await loseFinal(s)
  await s.round()
  assert.equal(counted(s, 'vanished'), 0)
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.deepEqual([counted(s, 'vanished'), said(s, FATAL)], [1, 1])
  assert.deepEqual(s.sent, [await rawOf(s, hash)])
  await s.round()
  assert.equal(counted(s, 'vanished'), 1)
  await s.mine()
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal(counted(s, 'vanished'), 1)
})

test('a final batch that has vanished is not sent again once its nonce was used', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseFinal(s)
  const [{ nonce = 0n } = {}] = await s.batches()
  await useNonce(s, SIGNER, nonce)
  await s.mine()
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal(counted(s, 'vanished'), 1)
  assert.deepEqual(s.sent, [])
})

test('a final batch under whose id the chain has settled other instructions counts as vanished', async () => {
  const s = await chain.begin({ config: ALONE })
  await formOne(s)
  await s.mine(2)
  await s.round()
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal(counted(s, 'vanished'), 0)
  await s.db.query(`update batches set digest = '0x00' where chain_id = $1`, [CHAIN])
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.deepEqual([counted(s, 'vanished'), said(s, FATAL)], [1, 1])
})

test('all the newest final batches are looked at until one is found', async () => {
  const s = await chain.begin({ config: ALONE })
  for (const seed of [1, 2]) {
    await formOne(s, seed)
    await s.mine(2)
    await s.round()
  }
  const spoil = (batchId: bigint) =>
    s.db.query(`update batches set digest = '0x00' where chain_id = $1 and batch_id = $2`, [CHAIN, batchId])
  await spoil(1n)
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal(counted(s, 'vanished'), 0)
  await spoil(2n)
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal(counted(s, 'vanished'), 2)
})

/** Makes the waiting batch revert, by a pause that comes before it in its block. */
async function revertOnce(s: Stepped, turn = 0): Promise<void> {
  await sendStop(s, true, turn)
  await s.mine()
  await sendStop(s, false, turn)
  await s.mine()
}

test('an order never fails because its batch reverted, however often; each time a new batch is formed under the same id', async () => {
  const s = await chain.begin({ config: ALONE })
  const orderId = await formOne(s)
  const first = (await s.order(orderId)).tx_hash
  for (const reverts of [1, 2, 3, 4]) {
    await revertOnce(s, reverts)
    await s.round()
    const [batch, ...others] = await s.batches()
    assert.deepEqual([batch?.batch_id, batch?.nonce, batch?.status, others], [1n, BigInt(reverts), 'signed', []])
    assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
  }
  assert.notEqual((await s.order(orderId)).tx_hash, first)
  assert.equal((await s.attempts()).length, 5)
  assert.equal(counted(s, 'reverted'), 4)
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})

test('a batch that reverts takes everything behind it along: all of it is formed again, in order, and settles once', async () => {
  const s = await chain.begin({ config: ALONE })
  const ids: bigint[] = []
  for (const seed of [1, 2, 3]) {
    ids.push(await formOne(s, seed))
    s.work.memory.blocks.intervalMs = undefined
  }
  assert.equal((await s.batches()).length, 3)
  await revertOnce(s)
  await s.round()
  const [again, ...rest] = await s.batches()
  assert.deepEqual([again?.batch_id, again?.nonce, again?.status], [1n, 3n, 'signed'])
  assert.deepEqual(
    rest.map(({ status }) => status),
    ['abandoned', 'abandoned'],
  )
  await s.mine(2)
  await s.round()
  for (const id of ids) assert.equal(await s.stateOf(id), 'completed/COMPLETED')
  assert.equal(await s.chain.admin.supply(), 15n)
  // The next one takes the next id of the contract.
  await formOne(s, 4)
  assert.deepEqual(
    (await s.batches()).map(({ batch_id, status }) => [batch_id, status]),
    [
      [1n, 'final'],
      [2n, 'signed'],
      [3n, 'abandoned'],
    ],
  )
})

test('a foreign transaction never counts as a revert, however often it takes the nonce', async () => {
  const s = await chain.begin({ config: ALONE })
  const orderId = await formOne(s)
  for (const _ of [1, 2]) {
    const [{ nonce = 0n } = {}] = await s.batches()
    await useNonce(s, SIGNER, nonce)
    await s.mine(2)
    await s.round()
    assert.deepEqual([(await s.batches())[0]?.nonce, counted(s, 'reverted')], [nonce + 1n, 0])
  }
  assert.equal(said(s, ERROR), 2)
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})

test('while orders of a dead batch would revert again nothing is signed, the reason is told once, and no nonce is used', async () => {
  const s = await chain.begin({ config: ALONE })
  const orderId = await formOne(s)
  await sendStop(s, true)
  await s.mine(2)
  const next = await s.nextNonce(SIGNER)
  for (const _ of [1, 2, 3]) {
    await s.round()
    assert.deepEqual([(await s.attempts()).length, await s.nextNonce(SIGNER), s.held()], [1, next, 'paused'])
    assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
  }
  assert.equal(s.logged.filter(({ level }) => level >= WARN).length, 2)
  assert.equal(counted(s, 'reverted'), 1)
  await sendStop(s, false)
  await s.mine()
  await s.round()
  assert.equal(s.held(), 'none')
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})

test('a key that lost its role is replaced by the one that stands by', async () => {
  const s = await chain.begin()
  const orderId = await formOne(s)
  assert.equal((await s.batches())[0]?.signer, SIGNER)
  const args = [ROLE_IDS.signer, SIGNER] as const
  const data = encodeFunctionData({ abi: settlementAbi, functionName: 'revokeRole', args })
  const revocation = { from: account('pauser').address, to: s.config.settlement, data, gas: '0x186a0' }
  await s.rpc('eth_sendTransaction', { ...revocation, ...firstInBlock() })
  await s.mine(2)
  await s.round()
  const [moved] = await s.batches()
  assert.deepEqual([moved?.batch_id, moved?.signer, moved?.status], [1n, SECOND, 'signed'])
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
})
