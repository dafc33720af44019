// engine: postgres; both in test:long
/** A batch that can never execute, where all nodes have to agree and one of them knows less about it than the others. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type FaultyRpc, type Rules, startFaultyRpc } from '../support/faulty-rpc.ts'
import { account, wallet } from './fixture.ts'
import { type Stepped, type SteppedChain, sendStop, startStepped, useNonce } from './stepped.ts'

const DEPTH = 3
const SIGNER = account('signer').address

let chain: SteppedChain
let proxy: FaultyRpc | undefined
before(async () => {
  chain = await startStepped({ confirmations: DEPTH })
})
afterEach(() => proxy?.close())
after(() => chain.end())

/** Two nodes that both have to agree, one of them behind these rules. */
async function beside(rules: Rules): Promise<Stepped> {
  proxy = await startFaultyRpc(chain.rpcUrl, rules)
  return await chain.begin({ config: { rpcUrls: [chain.rpcUrl, proxy.url], quorum: 2 } })
}

async function formOne(s: Stepped): Promise<{ orderId: bigint | undefined; nonce: bigint }> {
  const [orderId] = await s.place({ direction: 'MINT', amountMicro: 5n, to: wallet(1) })
  await s.round()
  const [batch] = await s.batches()
  return { orderId, nonce: batch?.nonce ?? 0n }
}

/** Its orders are in another transaction, under the next nonce, which settles them. */
async function requireFormedAnew(s: Stepped, { orderId, nonce }: { orderId: bigint | undefined; nonce: bigint }) {
  const [again] = await s.batches()
  assert.deepEqual([again?.nonce, again?.status], [nonce + 1n, 'signed'])
  await s.mine(DEPTH)
  await s.round()
  assert.equal(await s.stateOf(orderId), 'completed/COMPLETED')
}

test('a batch that reverted is formed anew, also where one of the nodes shows no receipts', async () => {
  const s = await beside(({ method }) =>
    method === 'eth_getTransactionReceipt' ? { kind: 'pretend', result: null } : { kind: 'none' },
  )
  const formed = await formOne(s)
  await sendStop(s, true)
  await s.mine()
  await sendStop(s, false)
  await s.mine(DEPTH - 1)
  await s.round()
  await requireFormedAnew(s, formed)
})

test('so it is where its nonce was used up unseen, and one of the nodes keeps no state of old blocks', async () => {
  const s = await beside(({ method, params }) =>
    method === 'eth_getTransactionCount' && /^0x/.test(String(params[1]))
      ? { kind: 'error', message: 'missing trie node' }
      : { kind: 'none' },
  )
  const formed = await formOne(s)
  await useNonce(s, SIGNER, formed.nonce)
  await s.mine(DEPTH)
  await s.round()
  assert.equal((await s.batches())[0]?.nonce, formed.nonce, 'one node alone does not end a batch')
  await s.mine(DEPTH - 1)
  await s.round()
  await requireFormedAnew(s, formed)
})
