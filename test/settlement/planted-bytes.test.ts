// engine: postgres
/** Bytes that somebody with the settler's database password has put beside those of a batch: no signer ever signs what they call. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Hex, parseTransaction, zeroAddress } from 'viem'
import { encodeSettle, KIND, NO_HISTORY, packInstructions } from '../../src/chain/instructions.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { account, keyOf, wallet } from './fixture.ts'
import { CHAIN, formOne, SIGNER } from './repairing.ts'
import { FATAL, type Stepped, type SteppedChain, startStepped } from './stepped.ts'

const THIEF = wallet(66)

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')], bumpAfterBlocks: 2 })
})
after(() => chain.end())

/** The newest attempt of the batch under way, which nobody has signed: it mints to the thief. */
async function plant(s: Stepped): Promise<Hex> {
  const theirs = { kind: KIND.MINT, from: zeroAddress, to: THIEF, amount: 1_000n, tag: '0x0000000000000001' } as const
  const data = encodeSettle(1n, NO_HISTORY, packInstructions([theirs]))
  const raw = await account('freezer').signTransaction({
    type: 'eip1559',
    chainId: CHAIN,
    nonce: 0,
    to: s.config.settlement,
    gas: 500_000n,
    data,
    maxFeePerGas: 3_000_000_000n,
    maxPriorityFeePerGas: 1n,
  })
  await s.db.query(
    `insert into batch_attempts (chain_id, batch_id, tx_hash, signer, nonce, raw_transaction, max_fee_per_gas, max_priority_fee_per_gas,
       gas_limit, created_at, last_broadcast_at)
     values ($1, 1, '0x66', $2, 0, decode(substr($3, 3), 'hex'), 3000000000, 1, 500000, now() + interval '1 second', now())`,
    [CHAIN, SIGNER, raw],
  )
  return data
}

const calls = (s: Stepped) => s.sent.map((raw) => parseTransaction(raw as `0x02${string}`).data)

test('raising the fee signs the batch, and not what somebody has put beside it', async () => {
  const s = await chain.begin()
  await formOne(s)
  await s.rpc('anvil_dropAllTransactions')
  const [own] = calls(s)
  const theirs = await plant(s)
  await s.round()
  await s.mine(2)
  await s.round()
  assert.equal(calls(s).includes(theirs), false)
  assert.equal(calls(s).at(-1), own)
  assert.ok(calls(s).length > 1, 'it was raised')
})

test('a batch is handed over as it is, and not as somebody has put beside it', async () => {
  const s = await chain.begin()
  await formOne(s)
  await s.rpc('anvil_dropAllTransactions')
  const [own] = calls(s)
  const theirs = await plant(s)
  await s.round()
  await s.rpc('anvil_setBalance', SIGNER, '0x0')
  await s.mine()
  await s.round()
  assert.equal((await s.batches())[0]?.signer, account('second').address)
  assert.equal(calls(s).includes(theirs), false)
  assert.equal(calls(s).at(-1), own)
})

/** Nothing is left of what was signed for the batch under way, but what somebody has put in its place; and its signer cannot carry it. */
async function plantInPlace(s: Stepped): Promise<{ own: Hex | undefined; theirs: Hex }> {
  await formOne(s)
  await s.rpc('anvil_dropAllTransactions')
  const [own] = calls(s)
  const theirs = await plant(s)
  await s.db.query(`delete from batch_attempts where chain_id = $1 and tx_hash <> '0x66'`, [CHAIN])
  await s.round()
  await s.rpc('anvil_setBalance', SIGNER, '0x0')
  await s.mine()
  return { own, theirs }
}

test('a batch of which only what somebody has put in the place of its bytes is left is handed over out of its orders', async () => {
  const s = await chain.begin()
  const { own, theirs } = await plantInPlace(s)
  await s.round()
  assert.equal((await s.batches())[0]?.signer, account('second').address)
  assert.equal(calls(s).at(-1), own)
  assert.equal(calls(s).slice(1).includes(theirs), false)
})

test('where its orders are not what it settles either, nothing is signed, which is said, and rounds go on', async () => {
  const s = await chain.begin()
  await plantInPlace(s)
  await withoutGuards(s.db, (tx) =>
    tx.query('update orders set amount_micro = amount_micro + 1 where chain_id = $1', [CHAIN]),
  )
  await s.round()
  assert.equal((await s.batches())[0]?.signer, SIGNER)
  assert.ok(s.logged.some(({ level, msg }) => level === FATAL && /nor its orders are what it settles/.test(msg)))
})
