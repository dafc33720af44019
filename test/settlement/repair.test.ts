// engine: postgres; both in test:long
/** The repair of bytes that were lost or late, one round at a time: sent again, and for a higher fee. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseTransaction } from 'viem'
import { keyOf } from './fixture.ts'
import { ALONE, age, bytesOfNone, CHAIN, counted, formOne, rawOf, SECOND, SIGNER } from './repairing.ts'
import { type SteppedChain, startStepped, useNonce } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

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
     select chain_id, 9, tx_hash || '9', signer, nonce + 8, decode(substr($2, 3), 'hex'), max_fee_per_gas, max_priority_fee_per_gas, gas_limit, now()
     from batch_attempts where chain_id = $1 and batch_id = 1`,
    [CHAIN, await bytesOfNone(9n)],
  )
  await s.round()
  await s.rpc('anvil_dropAllTransactions')
  await s.mine(20)
  await s.round()
  assert.equal(counted(s, 'bumped'), 8)
  await s.round()
  assert.equal(counted(s, 'bumped'), 9)
})
