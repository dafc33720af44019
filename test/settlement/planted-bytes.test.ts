// engine: postgres
/** Bytes that somebody with the settler's database password has put beside those of a batch: no signer ever signs what they call. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Hex, parseTransaction, zeroAddress } from 'viem'
import { encodeSettle, KIND, NO_HISTORY, packInstructions } from '../../src/chain/instructions.ts'
import { account, keyOf, wallet } from './fixture.ts'
import { CHAIN, formOne, SIGNER } from './repairing.ts'
import { type Stepped, type SteppedChain, startStepped } from './stepped.ts'

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
    ...{ type: 'eip1559', chainId: CHAIN, nonce: 0, to: s.config.settlement, gas: 500_000n, data },
    ...{ maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1n },
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
