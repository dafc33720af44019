// engine: postgres
/** Final batches that the chain has lost, and whose own bytes can execute no more: the same instructions are signed anew, once. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeFunctionData, numberToHex, zeroAddress } from 'viem'
import { connectChain } from '../../src/chain/chain.ts'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { encodeSettle, KIND, NO_HISTORY, packInstructions } from '../../src/chain/instructions.ts'
import { RpcAnswerError } from '../../src/chain/node.ts'
import { holdOrders } from '../../src/orders/life/hold.sql.ts'
import { endMovements, insertMovement } from '../../src/settlement/tables/movements.sql.ts'
import { createCopying } from '../chain-model/copies.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { account, keyOf, sendAlone, silent, wallet } from './fixture.ts'
import { LOST, look, loseThree, requireWhole, SUPPLY_MICRO } from './lost-three.ts'
import { ALONE, CHAIN, formOne, mint, rawOf, SECOND, SIGNER } from './repairing.ts'
import { loseBatches } from './restore.ts'
import {
  FATAL,
  firstInBlock,
  NEVER,
  type Stepped,
  type SteppedChain,
  sendStop,
  startStepped,
  useNonce,
} from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

/** Settles three batches for good, which the database then loses, reads from the chain, and gives to their orders; then the chain loses them. */
async function loseThreeOfOthers(s: Stepped, beforeTheChain = async () => {}): Promise<void> {
  const orders: bigint[] = []
  for (let seed = 1; seed <= LOST; seed += 1) orders.push(await formOne(s, seed))
  await s.mine(2)
  await s.round()
  await loseBatches(s.db, CHAIN)
  await s.forget()
  for (let rounds = 0; rounds < 2; rounds += 1) await s.round()
  for (const each of orders) assert.equal(await s.stateOf(each), 'completed/COMPLETED')
  assert.deepEqual(
    (await s.batches()).map(({ is_foreign: isForeign }) => isForeign),
    Array.from({ length: LOST }, () => true),
  )
  await beforeTheChain()
  await s.rpc('anvil_reorg', 2, [])
  await s.rpc('anvil_dropAllTransactions')
  assert.equal(await s.chain.admin.supply(), 0n)
  await useNonce(s, SIGNER, 0n)
  await s.mine(2)
}

const nonceOnChain = async (s: Stepped, address: string) =>
  Number(await s.rpc('eth_getTransactionCount', address, 'latest'))

test('what reverted when it was sent again, because an operator had paused the coin, settles once it is resumed', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseThree(s)
  await sendStop(s, true)
  await s.mine()
  await look(s)
  assert.equal(await nonceOnChain(s, SIGNER), LOST, 'all have reverted')
  await look(s)
  assert.equal((await s.attempts()).length, LOST, 'nothing is signed that would revert')
  await sendStop(s, false, 1)
  await s.mine()
  await look(s)
  await requireWhole(s)
})

/** No node has the state of old blocks. */
function forgetOld(s: Stepped): void {
  const nodes = s.work.chain.nodes.map((node) => ({
    ...node,
    async request(method: string, params: readonly unknown[], timeoutMs?: number) {
      const isOld = method === 'eth_getTransactionCount' && String(params[1]).startsWith('0x')
      if (isOld) throw new RpcAnswerError(node.label, -32_000, 'missing trie node', undefined)
      return await node.request(method, params, timeoutMs)
    },
  }))
  s.work.chain = { ...s.work.chain, nodes }
}

const ARCHIVES = [
  ['', () => {}],
  [' where no node has the state of old blocks', forgetOld],
] as const

for (const [where, prepare] of ARCHIVES)
  test(`one whose nonce somebody else has used is signed again, once that is final, by whom the contract takes it from; so is what reverts behind it${where}`, async () => {
    const s = await chain.begin()
    prepare(s)
    await loseThree(s)
    await useNonce(s, SIGNER, 0n)
    const args = [ROLE_IDS.signer, SIGNER] as const
    const data = encodeFunctionData({ abi: settlementAbi, functionName: 'revokeRole', args })
    const revocation = { from: account('pauser').address, to: s.config.settlement, data, gas: '0x186a0' }
    await s.rpc('eth_sendTransaction', { ...revocation, ...firstInBlock() })
    await s.mine()
    s.passMs(NEVER.recheckMs)
    await s.round()
    assert.equal((await s.attempts()).length, LOST, 'it may be undone yet')
    await s.mine()
    for (let looks = 0; looks < 2; looks += 1) await look(s)
    assert.deepEqual(
      (await s.batches()).map(({ signer, status }) => [signer, status]),
      Array.from({ length: LOST }, () => [SECOND, 'final']),
    )
    await requireWhole(s)
  })

test('nothing that is lost is signed again while the service signs nothing for the chain, and all of it once operators let it go on', async () => {
  const s = await chain.begin({ config: { pauser: undefined } })
  await loseThree(s)
  await useNonce(s, SIGNER, 0n)
  await s.mine(2)
  const seen = { kind: 'role', details: 'x', afterBlock: 1n, seenBlock: 2n, transactions: [] } as const
  await insertMovement(s.db, CHAIN, { ...seen, pauses: true })
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  assert.equal((await s.attempts()).length, LOST)
  assert.equal(await s.chain.admin.supply(), 0n)
  await endMovements(s.db, CHAIN, 1_000n)
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  assert.equal(await s.chain.admin.supply(), SUPPLY_MICRO)
})

test('other instructions than those of the batch that is lost are not signed, wherever they come from', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseThree(s)
  await useNonce(s, SIGNER, 0n)
  await s.mine(2)
  const theirs = {
    kind: KIND.MINT,
    from: zeroAddress,
    to: wallet(9),
    amount: 1_000n,
    tag: '0x0000000000000001',
  } as const
  const raw = await account('signer').signTransaction({
    type: 'eip1559',
    chainId: CHAIN,
    nonce: 0,
    to: s.config.settlement,
    gas: 500_000n,
    data: encodeSettle(1n, NO_HISTORY, packInstructions([theirs])),
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
  })
  await s.db.query(
    `update batch_attempts set raw_transaction = decode(substr($2, 3), 'hex') where chain_id = $1 and batch_id = 1`,
    [CHAIN, raw],
  )
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.equal(await s.chain.reader.latestBalance(wallet(9)), 0n)
  await requireWhole(s)
})

test('nothing is signed where the orders of a batch that is lost are not what it settled', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseThree(s)
  await useNonce(s, SIGNER, 0n)
  await s.mine(2)
  await withoutGuards(s.db, (tx) =>
    tx.query(
      'update batches set order_ids = (select order_ids from batches where chain_id = $1 and batch_id = 2) where chain_id = $1 and batch_id = 1',
      [CHAIN],
    ),
  )
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  const told = s.logged.filter(({ msg }) => /its orders are not what it settled/.test(msg))
  assert.deepEqual(new Set(told.map(({ batchId }) => batchId)), new Set(['1']))
  assert.equal((await s.attempts()).length, LOST)
  assert.equal(await s.chain.admin.supply(), 0n)
})

test('one that bytes of a lost history have executed, which are nowhere here, is signed again, once', async () => {
  const s = await chain.begin({ config: { ...ALONE, bumpAfterBlocks: 2 }, times: { behindGraceMs: 0 } })
  const copying = await createCopying(s.db)
  const order = await formOne(s)
  const copy = await copying.copy()
  await s.rpc('anvil_dropAllTransactions')
  await s.mine(2)
  await s.round()
  const [, raised] = await s.attempts()
  assert.ok(raised, 'its fee was raised')
  await sendAlone(s.rpc, await rawOf(s, raised.tx_hash))
  await s.mine(2)
  await copying.putBack(copy)
  await s.forget()
  await s.round()
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  assert.equal((await s.batches())[0]?.tx_hash, raised.tx_hash)
  assert.equal(await rawOf(s, raised.tx_hash), '0x')

  await s.rpc('anvil_reorg', 2, [])
  await s.rpc('anvil_dropAllTransactions')
  await useNonce(s, SIGNER, 0n)
  await s.mine(2)
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  assert.equal(await s.chain.admin.supply(), 5n, s.held())
  assert.equal(await s.chain.reader.latestBalance(wallet(1)), 5n)
  const [next] = await s.place(mint(2))
  await look(s)
  await look(s)
  assert.equal(await s.stateOf(next), 'completed/COMPLETED', s.held())
  assert.equal(await s.chain.admin.supply(), 10n)
})

test('one that is executed again with another outcome than its orders were told is told of', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseThree(s)
  const freeze = encodeFunctionData({
    abi: [
      { type: 'function', name: 'freeze', inputs: [{ type: 'address' }], outputs: [], stateMutability: 'nonpayable' },
    ],
    args: [wallet(LOST)],
  })
  const call = { from: account('freezer').address, to: s.config.coin.address, data: freeze, gas: '0x186a0' }
  await s.rpc('eth_sendTransaction', { ...call, ...firstInBlock() })
  await s.mine()
  await look(s)
  assert.equal(await s.chain.admin.supply(), SUPPLY_MICRO - 5n)
  const told = () => s.logged.filter(({ level, msg }) => level === FATAL && /another outcome/.test(msg))
  assert.equal(told().length, 1, 'as soon as the chain has it again')
  await look(s)
  const [last] = await s.db.query<{ name: string }>(
    `select integration_id || '/' || reference_id as name from orders order by order_id desc limit 1`,
  )
  assert.deepEqual(
    told().map(({ batchId, orders }) => [batchId, orders]),
    [[String(LOST), [`${last?.name} was refused`]]],
  )
})

test('that an older one was executed again with another outcome is told although a newer one is final by then, and once', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseThree(s)
  const freeze = encodeFunctionData({
    abi: [
      { type: 'function', name: 'freeze', inputs: [{ type: 'address' }], outputs: [], stateMutability: 'nonpayable' },
    ],
    args: [wallet(1)],
  })
  const call = { from: account('freezer').address, to: s.config.coin.address, data: freeze, gas: '0x186a0' }
  await s.rpc('eth_sendTransaction', { ...call, ...firstInBlock() })
  await s.mine()
  for (const { tx_hash: hash } of await s.attempts()) await s.rpc('eth_sendRawTransaction', await rawOf(s, hash))
  await s.mine()
  const [next] = await s.place(mint(LOST + 1))
  for (let rounds = 0; rounds < 3; rounds += 1) {
    await s.round()
    await s.mine(2)
  }
  await s.round()
  assert.equal(await s.stateOf(next), 'completed/COMPLETED', s.held())
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  const told = s.logged.filter(({ level, msg }) => level === FATAL && /another outcome/.test(msg))
  assert.deepEqual(
    told.map(({ batchId }) => batchId),
    ['1'],
  )
})

test('that one was executed again with another outcome is told however many were lost and came again behind it', async () => {
  const s = await chain.begin({ config: ALONE })
  const MANY = 70
  for (let seed = 1; seed <= MANY; seed += 1) {
    await formOne(s, seed)
    await s.mine()
    await s.round()
  }
  await s.mine()
  await s.round()
  await s.rpc('anvil_reorg', MANY + 1, [])
  await s.rpc('anvil_dropAllTransactions')
  assert.equal(await s.chain.admin.supply(), 0n)
  const freeze = encodeFunctionData({ abi: coinAbi, functionName: 'freeze', args: [wallet(2)] })
  const call = { from: account('freezer').address, to: s.config.coin.address, data: freeze, gas: '0x186a0' }
  await s.rpc('eth_sendTransaction', { ...call, ...firstInBlock() })
  await s.mine()
  for (const { tx_hash: hash } of await s.attempts()) await s.rpc('eth_sendRawTransaction', await rawOf(s, hash))
  await s.mine()
  const told = () => s.logged.filter(({ level, msg }) => level === FATAL && /another outcome/.test(msg))
  await look(s)
  assert.equal(await s.chain.admin.supply(), 5n * BigInt(MANY - 1))
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.deepEqual(
    told().map(({ batchId }) => batchId),
    ['2'],
  )
})

for (const [where, prepare] of ARCHIVES)
  test(`those whose bytes offer less than gas costs by now are signed for a higher fee under their nonces, and settle${where}`, async (t) => {
    const dear = numberToHex(90n * 10n ** 9n)
    const s = await chain.begin({ config: { ...ALONE, bumpAfterBlocks: 2 } })
    t.after(() => s.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(10n ** 9n)))
    prepare(s)
    await loseThree(s)
    const mineDear = async () => {
      await s.rpc('anvil_setNextBlockBaseFeePerGas', dear)
      await s.mine()
    }
    const lookDear = async () => {
      for (let blocks = 0; blocks < 2; blocks += 1) await mineDear()
      s.passMs(NEVER.recheckMs)
      await s.round()
    }
    await mineDear()
    await s.round()
    assert.equal((await s.attempts()).length, LOST, 'they have only just been found')
    await lookDear()
    assert.deepEqual(
      (await s.attempts()).map(({ batch_id, nonce }) => [batch_id, nonce]),
      [1n, 1n, 2n, 2n, 3n, 3n].map((batchId) => [batchId, batchId - 1n]),
    )
    await lookDear()
    assert.equal(await s.chain.admin.supply(), SUPPLY_MICRO)
    await requireWhole(s)
  })

/** Nodes keep other bytes under every nonce, whatever they are sent. */
function keepOthers(s: Stepped): () => void {
  const kept = s.work.chain
  const nodes = kept.nodes.map((node) => ({
    ...node,
    async request(method: string, params: readonly unknown[], timeoutMs?: number) {
      if (method !== 'eth_sendRawTransaction') return await node.request(method, params, timeoutMs)
      throw new RpcAnswerError(node.label, -32_000, 'replacement transaction underpriced', undefined)
    },
  }))
  s.work.chain = { ...kept, nodes }
  return () => {
    s.work.chain = kept
  }
}

test('where pools keep other bytes under their nonces and the cap leaves no room, the tip alone is raised; where nodes have them, nothing', async () => {
  const s = await chain.begin({ config: { ...ALONE, bumpAfterBlocks: 2 } })
  await loseThree(s)
  const capWei = s.config.maxFeePerGasWei
  await s.db.query(
    'update batch_attempts set max_fee_per_gas = $2, max_priority_fee_per_gas = 800 where chain_id = $1',
    [CHAIN, capWei],
  )
  const tips = async () =>
    (
      await s.db.query<{ id: bigint; fee: bigint; tip: string }>(
        `select batch_id as id, max_fee_per_gas::text as fee, max_priority_fee_per_gas::text as tip from batch_attempts
         where chain_id = $1 order by batch_id, created_at`,
        [CHAIN],
      )
    ).map(({ id, fee, tip }) => [id, BigInt(fee), tip])
  const before = [1n, 2n, 3n].map((id) => [id, capWei, '800'])
  const lookUnmined = async () => {
    for (let blocks = 0; blocks < 2; blocks += 1) {
      await s.rpc('anvil_dropAllTransactions')
      await s.mine()
    }
    s.passMs(NEVER.recheckMs)
    await s.round()
  }
  for (let looks = 0; looks < 2; looks += 1) await lookUnmined()
  assert.deepEqual(await tips(), before, 'nodes have taken them')
  const mend = keepOthers(s)
  await lookUnmined()
  assert.deepEqual(
    await tips(),
    [1n, 2n, 3n].flatMap((id) => [
      [id, capWei, '800'],
      [id, capWei, '900'],
    ]),
  )
  mend()
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.equal(await s.chain.admin.supply(), SUPPLY_MICRO)
})

test('a signer that does not sign keeps nothing else from going on, and signs for a higher fee once it does', async (t) => {
  const dear = numberToHex(90n * 10n ** 9n)
  const s = await chain.begin({ config: { ...ALONE, bumpAfterBlocks: 2 } })
  t.after(() => s.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(10n ** 9n)))
  await loseThree(s)
  const lookDear = async () => {
    for (let blocks = 0; blocks < 2; blocks += 1) {
      await s.rpc('anvil_setNextBlockBaseFeePerGas', dear)
      await s.mine()
    }
    s.passMs(NEVER.recheckMs)
    await s.round()
  }
  const able = s.work.chain
  let asked = 0
  const sign = async () => {
    asked += 1
    throw new Error('the signer is away')
  }
  s.work.chain = { ...able, signers: able.signers.map((signer) => ({ ...signer, sign })) }
  for (let looks = 0; looks < 3; looks += 1) await lookDear()
  assert.equal((await s.attempts()).length, LOST)
  assert.ok(asked > 0 && asked <= 2, `asked ${asked} times: for the first alone, at each look`)
  s.work.chain = able
  for (let looks = 0; looks < 2; looks += 1) await lookDear()
  assert.equal(await s.chain.admin.supply(), SUPPLY_MICRO)
})

test('those of a signer that is configured no longer, and whose bytes offer less than gas costs by now, are signed by another one', async (t) => {
  const dear = numberToHex(90n * 10n ** 9n)
  const s = await chain.begin({ config: { ...ALONE, bumpAfterBlocks: 2 } })
  t.after(() => s.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(10n ** 9n)))
  await loseThree(s)
  const config = { ...s.config, signers: [keyOf('second')], bumpAfterBlocks: 2 }
  s.work.chain = connectChain(config, { db: s.db, logger: silent })
  await s.forget()
  const mineDear = async () => {
    await s.rpc('anvil_setNextBlockBaseFeePerGas', dear)
    await s.mine()
  }
  for (let looks = 0; looks < 3; looks += 1) {
    for (let blocks = 0; blocks < 2; blocks += 1) await mineDear()
    s.passMs(NEVER.recheckMs)
    await s.round()
  }
  await mineDear()
  assert.deepEqual(
    (await s.batches()).map(({ signer, status }) => [signer, status]),
    Array.from({ length: LOST }, () => [SECOND, 'final']),
  )
  await requireWhole(s)
})

test('those of a signer whose gas money is gone are signed by another one, although it is configured and their nonces are free', async () => {
  const s = await chain.begin({ config: { bumpAfterBlocks: 2 } })
  await loseThree(s)
  await s.rpc('anvil_setBalance', SIGNER, '0x0')
  await look(s)
  assert.deepEqual(signedAgain(s), [], 'not before blocks have come without them')
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.deepEqual(signedAgain(s), [[SECOND, LOST]])
  assert.deepEqual(
    (await s.batches()).map(({ signer, status }) => [signer, status]),
    Array.from({ length: LOST }, () => [SECOND, 'final']),
  )
  assert.equal(await s.chain.admin.supply(), SUPPLY_MICRO)
})

test('a signer that cannot pay what its own bytes offer signs none of them again: behind their nonces nothing of it would be mined', async () => {
  const s = await chain.begin({ config: { ...ALONE, bumpAfterBlocks: 2 } })
  await loseThree(s)
  const [own] = await s.db.query<{ wei: string }>(
    'select max(gas_limit * max_fee_per_gas)::text as wei from batch_attempts',
  )
  await s.rpc('anvil_setBalance', SIGNER, numberToHex(BigInt(own?.wei ?? 0) - 1n))
  for (let looks = 0; looks < 4; looks += 1) await look(s)
  assert.equal((await s.attempts()).length, LOST)
  assert.deepEqual(signedAgain(s), [])
})

test('those of a signer without a role, whose bytes offer less than gas costs by now, are signed by another one, too', async (t) => {
  const dear = numberToHex(90n * 10n ** 9n)
  const s = await chain.begin({ config: { bumpAfterBlocks: 2 } })
  t.after(() => s.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(10n ** 9n)))
  await loseThree(s)
  const args = [ROLE_IDS.signer, SIGNER] as const
  const data = encodeFunctionData({ abi: settlementAbi, functionName: 'revokeRole', args })
  await s.rpc('anvil_setNextBlockBaseFeePerGas', dear)
  await s.rpc('eth_sendTransaction', { from: account('pauser').address, to: s.config.settlement, data, gas: '0x186a0' })
  for (let looks = 0; looks < 3; looks += 1) {
    for (let blocks = 0; blocks < 2; blocks += 1) {
      await s.rpc('anvil_setNextBlockBaseFeePerGas', dear)
      await s.mine()
    }
    s.passMs(NEVER.recheckMs)
    await s.round()
  }
  assert.deepEqual(signedAgain(s), [[SECOND, LOST]])
  await s.mine()
  assert.equal(await s.chain.admin.supply(), SUPPLY_MICRO)
})

test('those that a lost history had made are signed again under their ids, once, although their bytes are nowhere', async () => {
  const s = await chain.begin({ config: { ...ALONE, bumpAfterBlocks: 2 }, times: { behindGraceMs: 0 } })
  await loseThreeOfOthers(s)
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  assert.equal(await s.chain.admin.supply(), SUPPLY_MICRO)
  for (let seed = 1; seed <= LOST; seed += 1) assert.equal(await s.chain.reader.latestBalance(wallet(seed)), 5n)
  const [next] = await s.place(mint(LOST + 1))
  await s.round()
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(next), 'completed/COMPLETED', s.held())
})

test('one of others is not signed again where it did anything that no order has taken, as what a thief made', async () => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 0 } })
  await loseThreeOfOthers(s, async () => {
    await s.db.query('update foreign_instructions set order_id = null where chain_id = $1 and batch_id = 2', [CHAIN])
  })
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal(s.work.memory.recheck.gone, undefined, 'the first one is signed again before')
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  assert.equal(await s.chain.admin.supply(), 5n, 'the first one alone')
  const told = s.logged.filter(({ level, msg }) => level === FATAL && /not signed again/.test(msg))
  assert.deepEqual([...new Set(told.map(({ batchId }) => batchId))], ['2'])
  assert.deepEqual([...new Set((await s.attempts()).map(({ batch_id: id }) => id))], [1n], 'nor what is behind it')
})

test('while the first of them may be mined yet, those behind it are not signed again, although their nonces are used up', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseThree(s)
  await s.db.query('update batches set signer = $2, nonce = 50 where chain_id = $1 and batch_id = 1', [CHAIN, SECOND])
  for (let nonce = 0n; nonce < LOST; nonce += 1n) await useNonce(s, SIGNER, nonce)
  await s.mine(2)
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.equal((await s.attempts()).length, LOST)
})

test('nothing is signed again for nodes that have fallen behind, before it is known that the chain has lost blocks', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseThree(s)
  const { number } = await s.head()
  await s.rpc('anvil_rollback', Number(number) > 8 ? 5 : 3)
  await useNonce(s, SIGNER, 0n)
  await s.mine(2)
  assert.ok((await s.head()).number < (await s.observed()).observed_block)
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal((await s.attempts()).length, LOST)
  s.passMs(NEVER.behindGraceMs)
  await s.round()
  assert.ok((await s.attempts()).length > LOST, 'now its word counts')
})

test('one of others is not signed again where what is stored of it is not what it settled', async () => {
  const s = await chain.begin({ config: ALONE, times: { behindGraceMs: 0 } })
  await loseThreeOfOthers(s, async () => {
    await s.db.query('update foreign_instructions set amount_micro = 6 where chain_id = $1 and batch_id = 1', [CHAIN])
  })
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.equal(await s.chain.admin.supply(), 0n)
  assert.ok(s.logged.some(({ level, msg }) => level === FATAL && /not signed again/.test(msg)))
})

const signedAgain = (s: Stepped) =>
  s.logged.filter(({ msg }) => /were signed again/.test(msg)).map(({ signer, batches }) => [signer, batches])

test('a signer without gas money leaves them to another one', async () => {
  const s = await chain.begin()
  await loseThree(s)
  await useNonce(s, SIGNER, 0n)
  await s.mine(2)
  await s.rpc('anvil_setBalance', SIGNER, '0x0')
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.equal((await s.batches())[0]?.signer, SECOND)
  assert.deepEqual(signedAgain(s)[0], [SECOND, 1])
})

test('of several signers that could, one signs them again', async () => {
  const s = await chain.begin()
  await loseThree(s)
  for (let nonce = 0n; nonce < LOST; nonce += 1n) await useNonce(s, SIGNER, nonce)
  await s.mine(2)
  await look(s)
  assert.deepEqual(signedAgain(s), [[SIGNER, LOST]])
  assert.equal((await s.attempts()).length, 2 * LOST)
  await look(s)
  await requireWhole(s)
})

test('whoever signs them again is asked for its nonces first, which somebody else may have used just now', async () => {
  const s = await chain.begin()
  await loseThree(s)
  await s.round()
  await s.rpc('anvil_dropAllTransactions')
  const args = [ROLE_IDS.signer, SIGNER] as const
  const data = encodeFunctionData({ abi: settlementAbi, functionName: 'revokeRole', args })
  const revocation = { from: account('pauser').address, to: s.config.settlement, data, gas: '0x186a0' }
  await s.rpc('eth_sendTransaction', { ...revocation, ...firstInBlock() })
  for (let nonce = 0n; nonce < LOST; nonce += 1n) await useNonce(s, SIGNER, nonce)
  await s.mine(4)
  await s.round()
  assert.deepEqual(signedAgain(s), [], 'they are looked for at their time')
  await useNonce(s, SECOND, 0n)
  await s.mine()
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.deepEqual(signedAgain(s), [[SECOND, LOST]])
  assert.deepEqual(
    (await s.batches()).map(({ nonce }) => nonce),
    [1n, 2n, 3n],
  )
  await s.mine()
  await requireWhole(s)
})

test('the nonce of one that a lost history had made is not filled with what was planned under its id: that would take its place for ever', async () => {
  const s = await chain.begin({ config: { ...ALONE, bumpAfterBlocks: 50 }, times: { behindGraceMs: 0 } })
  const theirs = await formOne(s)
  await loseBatches(s.db, CHAIN)
  await s.forget()
  // Whoever looks after it first keeps it back: so another order is planned under the id, the signer and the nonce of theirs.
  await s.db.transaction((tx) => holdOrders(tx, [{ orderId: theirs, reason: 'looked at' }]))
  const planned = await formOne(s, 2)
  await s.mine(2)
  for (let rounds = 0; rounds < 2; rounds += 1) await s.round()
  assert.equal(await s.stateOf(theirs), 'completed/COMPLETED')
  assert.deepEqual(
    (await s.batches()).map(({ batch_id: id, nonce, is_foreign: isForeign }) => [id, nonce, isForeign]),
    [
      [1n, 0n, true],
      [2n, 1n, false],
    ],
  )
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(planned), 'completed/COMPLETED')

  await s.rpc('anvil_reorg', 4, [])
  await s.rpc('anvil_dropAllTransactions')
  for (let looks = 0; looks < 5; looks += 1) await look(s)
  assert.equal(await s.chain.reader.latestBalance(wallet(1)), 5n, s.held())
  assert.equal(await s.chain.reader.latestBalance(wallet(2)), 5n)
  assert.equal(await s.chain.admin.supply(), 10n)
})
