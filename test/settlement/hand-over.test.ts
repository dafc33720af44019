// engine: postgres; both in test:long
/** A signer that was drained or lost its role, with batches under way: another one signs them at once. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeFunctionData, type Hex, numberToHex } from 'viem'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { account, keyOf, wallet } from './fixture.ts'
import { ERROR, firstInBlock, type Stepped, type SteppedChain, startStepped } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 4, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

const [SIGNER, SECOND] = [account('signer').address, account('second').address]
const mint = (seed: number) => ({ direction: 'MINT', amountMicro: 5n, to: wallet(seed) }) as const

/** Forms batches of one order each, all under way together. */
async function form(s: Stepped, count: number): Promise<bigint[]> {
  const orders: bigint[] = []
  for (let seed = 1; seed <= count; seed += 1) {
    orders.push(...(await s.place(mint(seed))))
    s.work.memory.blocks.intervalMs = undefined
    await s.round()
  }
  assert.deepEqual(await signers(s), Array(count).fill(SIGNER))
  return orders
}

const signers = async (s: Stepped) => (await s.batches()).map(({ signer }) => signer)
const statesOf = (s: Stepped, orders: readonly bigint[]) => Promise.all(orders.map((order) => s.stateOf(order)))
const handedOver = (s: Stepped) => s.counted.filter(([name]) => name === 'handedOver')

async function drain(s: Stepped): Promise<void> {
  await s.rpc('anvil_setBalance', SIGNER, '0x1')
  await s.rpc('anvil_dropAllTransactions')
}

async function revoke(s: Stepped, signer: typeof SIGNER = SIGNER): Promise<void> {
  const args = [ROLE_IDS.signer, signer] as const
  const data = encodeFunctionData({ abi: settlementAbi, functionName: 'revokeRole', args })
  const revocation = { from: account('pauser').address, to: s.config.settlement, data, gas: '0x186a0' }
  await s.rpc('eth_sendTransaction', { ...revocation, ...firstInBlock() })
}

test('the batches of a drained signer are signed by another one with the next block, in their order', async () => {
  const s = await chain.begin()
  const orders = await form(s, 3)
  await drain(s)
  await s.round()
  assert.deepEqual(handedOver(s), [], 'no block has come without them yet')
  await s.mine()
  await s.round()
  assert.deepEqual(await signers(s), [SECOND, SECOND, SECOND])
  assert.deepEqual(handedOver(s), [['handedOver', 3]])
  const told = s.logged.filter(({ level }) => level === ERROR)
  assert.deepEqual(
    told.map(({ from, to, why }) => [from, to, why]),
    [[SIGNER, SECOND, 'gas-balance']],
  )
  assert.deepEqual(await statesOf(s, orders), Array(3).fill('processing/SUBMITTED'))
  await s.mine(4)
  await s.round()
  assert.deepEqual(await statesOf(s, orders), Array(3).fill('completed/COMPLETED'))
  assert.equal(await s.chain.admin.supply(), 15n)
})

test('bytes that nodes refuse are not waited for: another signer signs the batch without a block', async () => {
  const s = await chain.begin({
    async onStep(step) {
      if (step === 'batch-signed') await drain(s)
    },
  })
  await form(s, 1)
  await s.round()
  assert.deepEqual(await signers(s), [SECOND])
})

test('the batch of a signer that lost its role is signed by another one before the revert is deep', async () => {
  const s = await chain.begin()
  const orders = await form(s, 2)
  await s.round()
  await revoke(s)
  await s.mine()
  await s.round()
  assert.deepEqual(await signers(s), [SECOND, SECOND])
  await s.mine(4)
  await s.round()
  assert.deepEqual(await statesOf(s, orders), Array(2).fill('completed/COMPLETED'))
  assert.equal(await s.chain.admin.supply(), 10n)
})

test('the other one signs with its next nonce on the chain, also when somebody else has used its key since it was last asked about', async () => {
  const s = await chain.begin({ config: { confirmations: 100 } })
  const orders = await form(s, 1)
  await drain(s)
  await s.rpc('anvil_setNonce', SECOND, '0x7')
  await s.mine()
  await s.round()
  assert.deepEqual(
    (await s.batches()).map(({ signer, nonce }) => [signer, nonce]),
    [[SECOND, 7n]],
  )
  await s.mine()
  await s.round()
  assert.deepEqual(await statesOf(s, orders), ['processing/CONFIRMING'])
})

test('when the first signer’s transaction comes first after all, it settles the batch, once', async () => {
  const s = await chain.begin()
  const [order] = await form(s, 1)
  const [first] = s.sent
  await drain(s)
  await s.mine()
  await s.round()
  assert.deepEqual(await signers(s), [SECOND])
  await s.rpc('anvil_dropAllTransactions')
  await s.rpc('anvil_setBalance', SIGNER, numberToHex(10n ** 18n))
  await s.rpc('eth_sendRawTransaction', first)
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(order), 'processing/CONFIRMING')
  for (const raw of s.sent.slice(1)) await s.rpc('eth_sendRawTransaction', raw as Hex).catch(() => {})
  await s.mine(3)
  await s.round()
  const { status, tx_hash: hash } = await s.order(order)
  const [attempt] = await s.attempts()
  assert.deepEqual([status, hash], ['completed', attempt?.tx_hash])
  assert.equal(await s.chain.admin.supply(), 5n)
})

test('what the first signer’s transaction has settled after all is not sent again under the other’s nonce', async () => {
  const s = await chain.begin({ times: { rebroadcastMs: 0 } })
  const [order] = await form(s, 1)
  const [first] = s.sent
  await drain(s)
  await s.mine()
  await s.round()
  assert.deepEqual(await signers(s), [SECOND])
  await s.rpc('anvil_dropAllTransactions')
  await s.rpc('anvil_setBalance', SIGNER, numberToHex(10n ** 18n))
  await s.rpc('eth_sendRawTransaction', first)
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(order), 'processing/CONFIRMING')
  const sent = s.sent.length
  await s.round()
  await s.mine()
  await s.round()
  assert.equal(s.sent.length, sent)
})

test('nothing is handed to a signer that has lost its role as well', async () => {
  const s = await chain.begin()
  await form(s, 1)
  await drain(s)
  await revoke(s, SECOND)
  await s.mine()
  await s.round()
  assert.deepEqual([await signers(s), (await s.attempts()).length], [[SIGNER], 1])
})

test('a signer that is merely waiting keeps its batches, and so does one whom nobody can replace', async () => {
  const waiting = await chain.begin()
  await form(waiting, 1)
  await waiting.rpc('anvil_dropAllTransactions')
  await waiting.mine()
  await waiting.round()
  assert.deepEqual(await signers(waiting), [SIGNER])

  const alone = await chain.begin({ config: { signers: [keyOf('signer')] } })
  await form(alone, 1)
  await drain(alone)
  await alone.mine()
  await alone.round()
  assert.deepEqual([await signers(alone), (await alone.attempts()).length], [[SIGNER], 1])

  const poor = await chain.begin()
  await form(poor, 1)
  await drain(poor)
  await poor.rpc('anvil_setBalance', SECOND, '0x1')
  await poor.mine()
  await poor.round()
  assert.deepEqual([await signers(poor), (await poor.attempts()).length], [[SIGNER], 1])
  await poor.rpc('anvil_setBalance', SECOND, numberToHex(10n ** 18n))
  await poor.mine()
  await poor.round()
  assert.deepEqual(await signers(poor), [SECOND])
})

test('of several batches as many are handed over as the other signer can pay for', async () => {
  // A maximum so low that every batch offers just that.
  const s = await chain.begin({ config: { maxFeePerGasWei: 1_050_000_000n } })
  await form(s, 2)
  const [attempt] = await s.db.query<{ cost: string }>(
    'select (max_fee_per_gas * gas_limit)::text as cost from batch_attempts where chain_id = 31337 limit 1',
  )
  await drain(s)
  await s.rpc('anvil_setBalance', SECOND, numberToHex((BigInt(attempt?.cost ?? 0) * 3n) / 2n))
  await s.mine()
  await s.round()
  assert.deepEqual(await signers(s), [SECOND, SIGNER])
})
