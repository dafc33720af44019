// engine: postgres
/** The repair of batches, where several batches, attempts or signers are concerned and only some of them are in trouble. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeFunctionData, type Hex, numberToHex } from 'viem'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { agreedHead } from '../../src/chain/quorum.ts'
import type { Signer } from '../../src/chain/signer.ts'
import { readMarket } from '../../src/settlement/market.ts'
import { account, keyOf, wallet } from './fixture.ts'
import { bytesOfNone } from './repairing.ts'
import { ERROR, firstInBlock, NEVER, type Stepped, type SteppedChain, startStepped } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 10, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

const CHAIN = 31_337
const [SIGNER, SECOND] = [account('signer').address, account('second').address]
const ALONE = { signers: [keyOf('signer')] }
const mint = (seed: number) => ({ direction: 'MINT', amountMicro: 5n, to: wallet(seed) }) as const

/** Forms batches of one order each, all under way together. */
async function form(s: Stepped, count: number): Promise<bigint[]> {
  const orders: bigint[] = []
  for (let seed = 1; seed <= count; seed += 1) {
    orders.push(...(await s.place(mint(seed))))
    s.work.memory.blocks.intervalMs = undefined
    await s.round()
  }
  return orders
}

const signers = async (s: Stepped) => (await s.batches()).map(({ signer }) => signer)
const countsOf = (s: Stepped, name: string) => s.counted.filter(([each]) => each === name)
const attemptsOf = async (s: Stepped, batchId: bigint) =>
  (await s.attempts()).filter(({ batch_id }) => batch_id === batchId)
const setBalance = (s: Stepped, address: string, wei: bigint) => s.rpc('anvil_setBalance', address, numberToHex(wei))
const lose = (s: Stepped) => s.rpc('anvil_dropAllTransactions')

/** Stores a copy of the first batch under another id and nonce; what its bytes say does not matter. */
async function copyFirst(s: Stepped, batchId: number): Promise<void> {
  await s.db.query(
    `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, status, fencing_token)
     select chain_id, $2::int, signer, nonce + $2::int - 1, digest, running_hash, '{0}', 1, 'signed', 1
     from batches where chain_id = $1 and batch_id = 1`,
    [CHAIN, batchId],
  )
  await s.db.query(
    `insert into batch_attempts (chain_id, batch_id, tx_hash, signer, nonce, raw_transaction, max_fee_per_gas,
       max_priority_fee_per_gas, gas_limit, last_broadcast_at, last_answer)
     select chain_id, $2::int, tx_hash || '/' || $2::int, signer, nonce + $2::int - 1, decode(substr($3, 3), 'hex'), max_fee_per_gas,
       max_priority_fee_per_gas, gas_limit, now(), last_answer
     from batch_attempts where chain_id = $1 and batch_id = 1`,
    [CHAIN, batchId, await bytesOfNone(BigInt(batchId))],
  )
}

/** A second attempt of the first batch, accepted, at a higher fee. */
const addAttempt = (s: Stepped) =>
  s.db.query(
    `insert into batch_attempts (chain_id, batch_id, tx_hash, signer, nonce, raw_transaction, max_fee_per_gas,
       max_priority_fee_per_gas, gas_limit, last_broadcast_at, last_answer)
     select chain_id, batch_id, tx_hash || '/2', signer, nonce, raw_transaction, max_fee_per_gas * 2, max_priority_fee_per_gas * 2,
       gas_limit, now(), 'accepted: yes'
     from batch_attempts where chain_id = $1 and batch_id = 1`,
    [CHAIN],
  )

/** Replaces how the signers sign. */
function signWith(
  s: Stepped,
  sign: (signer: Signer, asked: Parameters<Signer['sign']>[0]) => ReturnType<Signer['sign']>,
) {
  const changed = s.chain.signers.map((signer) => ({ ...signer, sign: (asked) => sign(signer, asked) }) as Signer)
  s.work.chain = { ...s.work.chain, signers: changed }
}

/** Nine batches of one signer are late. */
async function nineLate(): Promise<Stepped> {
  const s = await chain.begin({ config: ALONE })
  await form(s, 1)
  for (let batchId = 2; batchId <= 9; batchId += 1) await copyFirst(s, batchId)
  await s.round()
  await lose(s)
  await s.mine()
  s.config.bumpAfterBlocks = 1
  return s
}

test('fees that cannot be raised, for the maximum or for want of a signature, take nobody’s turn', async () => {
  const dear = await nineLate()
  await dear.db.query('update batch_attempts set max_fee_per_gas = $2 where chain_id = $1 and batch_id < 9', [
    CHAIN,
    dear.config.maxFeePerGasWei,
  ])
  await dear.round()
  assert.deepEqual([countsOf(dear, 'bumped').length, (await attemptsOf(dear, 9n)).length], [1, 2])

  const unsigned = await nineLate()
  signWith(unsigned, (signer, asked) => (asked.nonce < 8n ? Promise.reject(new Error('not now')) : signer.sign(asked)))
  await unsigned.round()
  assert.deepEqual([countsOf(unsigned, 'bumped').length, (await attemptsOf(unsigned, 9n)).length], [1, 2])
})

test('no fee is raised past a refusal', async () => {
  const s = await chain.begin({ config: ALONE })
  await form(s, 1)
  await s.round()
  await lose(s)
  await s.db.query(`update batch_attempts set last_answer = 'rejected: no' where chain_id = $1`, [CHAIN])
  s.config.bumpAfterBlocks = 1
  await s.mine(2)
  await s.round()
  const [first, ...more] = (await s.attempts()).map(({ max_fee_per_gas: fee }) => BigInt(fee))
  assert.ok(more.every((fee) => fee < (first ?? 0n)))
})

test('a batch that a reorganisation sends back is not late by the blocks in which it was mined', async () => {
  const s = await chain.begin({ config: { ...ALONE, bumpAfterBlocks: 3 } })
  await form(s, 1)
  await s.mine()
  await s.round()
  await s.mine(4)
  await s.round()
  await s.rpc('anvil_reorg', 5, [])
  await lose(s)
  await s.round()
  assert.equal((await s.batches())[0]?.status, 'signed')
  assert.equal((await s.attempts()).length, 1)
  await lose(s)
  await s.mine(3)
  await s.round()
  assert.equal((await s.attempts()).length, 2)
})

test('a drained signer’s batches are handed over although one of its others is mined, and new ones follow at once', async () => {
  const s = await chain.begin()
  await form(s, 1)
  await s.mine()
  await s.round()
  await form(s, 1)
  assert.deepEqual(await signers(s), [SIGNER, SIGNER])
  await setBalance(s, SIGNER, 1n)
  await lose(s)
  await s.mine()
  const [order] = await s.place(mint(3))
  s.work.memory.blocks.intervalMs = undefined
  await s.round()
  assert.deepEqual(await signers(s), [SIGNER, SECOND, SECOND])
  assert.equal(await s.stateOf(order), 'processing/SUBMITTED')
  assert.deepEqual(countsOf(s, 'handedOver'), [['handedOver', 1]])
})

test('whether a late signer can go on is asked once for each head', async () => {
  const s = await chain.begin()
  await form(s, 1)
  await lose(s)
  await s.mine()
  let asked = 0
  const nodes = s.work.chain.nodes.map((node) => ({
    ...node,
    request(method: string, params: readonly unknown[], timeoutMs?: number) {
      if (method === 'eth_estimateGas') asked += 1
      return node.request(method, params, timeoutMs)
    },
  }))
  s.work.chain = { ...s.work.chain, nodes }
  await s.round()
  const perHead = asked
  assert.ok(perHead > 0)
  await s.round()
  assert.equal(asked, perHead)
  await s.mine()
  await s.round()
  assert.equal(asked, 2 * perHead)
})

test('a signer that can pay for one of a batch’s attempts keeps it, and one refused attempt is enough to ask', async () => {
  const able = await chain.begin()
  await form(able, 1)
  const [first] = await able.db.query<{ cost: string }>(
    'select (max_fee_per_gas * gas_limit)::text as cost from batch_attempts where chain_id = $1',
    [CHAIN],
  )
  await addAttempt(able)
  await setBalance(able, SIGNER, BigInt(first?.cost ?? 0))
  await lose(able)
  await able.mine()
  await able.round()
  assert.deepEqual(await signers(able), [SIGNER])

  const drained = await chain.begin()
  await form(drained, 1)
  await drained.db.query(`update batch_attempts set last_answer = 'rejected: no' where chain_id = $1`, [CHAIN])
  await addAttempt(drained)
  await drained.round()
  await setBalance(drained, SIGNER, 1n)
  await drained.mine()
  await drained.forget()
  await drained.round()
  assert.deepEqual(await signers(drained), [SECOND])
})

test('batches never go to the signer that has them, even where it could pay for new ones', async () => {
  const s = await chain.begin()
  await form(s, 1)
  await s.db.query('update batch_attempts set max_fee_per_gas = max_fee_per_gas * 1000 where chain_id = $1', [CHAIN])
  const [attempt] = await s.db.query<{ cost: string }>(
    'select (max_fee_per_gas * gas_limit / 2)::text as cost from batch_attempts where chain_id = $1',
    [CHAIN],
  )
  await setBalance(s, SIGNER, BigInt(attempt?.cost ?? 0))
  await lose(s)
  await s.mine()
  await s.round()
  assert.deepEqual(await signers(s), [SECOND])
})

test('a signer that cannot sign takes nothing over, and holds up nothing', async () => {
  const s = await chain.begin()
  await form(s, 1)
  await setBalance(s, SIGNER, 1n)
  await lose(s)
  await s.mine()
  signWith(s, () => Promise.reject(new Error('no answer')))
  await s.round()
  assert.deepEqual([await signers(s), countsOf(s, 'handedOver')], [[SIGNER], []])
})

test('of the batches under way only those of the signer in trouble are handed over', async () => {
  const s = await chain.begin({ config: { maxFeePerGasWei: 1_050_000_000n } })
  await form(s, 2)
  const [attempt] = await s.db.query<{ cost: string }>(
    'select (max_fee_per_gas * gas_limit)::text as cost from batch_attempts where chain_id = $1 limit 1',
    [CHAIN],
  )
  await setBalance(s, SIGNER, 1n)
  await setBalance(s, SECOND, (BigInt(attempt?.cost ?? 0) * 3n) / 2n)
  await lose(s)
  await s.mine()
  await s.round()
  assert.deepEqual(await signers(s), [SECOND, SIGNER])
  await s.round()
  await lose(s)
  await setBalance(s, SIGNER, 10n ** 18n)
  const args = [ROLE_IDS.signer, SECOND] as const
  const data = encodeFunctionData({ abi: settlementAbi, functionName: 'revokeRole', args })
  const revocation = { from: account('pauser').address, to: s.config.settlement, data, gas: '0x186a0' as Hex }
  await s.rpc('eth_sendTransaction', { ...revocation, ...firstInBlock() })
  await s.mine()
  await s.round()
  assert.deepEqual(await signers(s), [SIGNER, SIGNER])
  assert.deepEqual(
    [(await attemptsOf(s, 1n)).length, (await attemptsOf(s, 2n)).length],
    [3, 1],
    'the second batch was its own all the time',
  )
})

/** The database says that each signer has used a nonce that the chain has never seen. */
async function withGaps(): Promise<Stepped> {
  const s = await chain.begin()
  await s.round()
  await s.db.query('update signers set next_nonce = next_nonce + 1 where chain_id = $1', [CHAIN])
  await s.round()
  s.passMs(NEVER.behindGraceMs)
  return s
}

const filled = (s: Stepped) =>
  s.logged.filter(({ level, msg }) => level === ERROR && msg.endsWith('has been filled')).map(({ signer }) => signer)

test('a signer that cannot sign, cannot pay or is not configured has no gap filled, and holds up no other', async () => {
  const mute = await withGaps()
  signWith(mute, (signer, asked) =>
    signer.address === SIGNER ? Promise.reject(new Error('no answer')) : signer.sign(asked),
  )
  await mute.round()
  assert.deepEqual([filled(mute), mute.sent.length], [[SECOND], 1])
  assert.deepEqual(
    mute.logged.filter(({ msg }) => /was not filled/.test(msg)).map(({ signer, error }) => [signer, error]),
    [[SIGNER, 'no answer']],
  )
  assert.deepEqual(
    mute.logged.filter(({ msg }) => /has been filled/.test(msg)).map(({ stored }) => stored),
    [false],
  )

  const poor = await withGaps()
  const { fees } = await readMarket(poor.work, await agreedHead(poor.chain.nodes, poor.config.quorum))
  const fee = fees?.maxFeePerGas ?? 0n
  assert.ok(fee > 0n)
  await setBalance(poor, SIGNER, 21_000n * fee - 1n)
  await setBalance(poor, SECOND, 21_000n * fee)
  await poor.round()
  assert.deepEqual([filled(poor), poor.sent.length], [[SECOND], 1])
})
