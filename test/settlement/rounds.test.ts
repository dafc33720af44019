// engine: postgres
/** What a round reports and asks, and what it does with a head that shows less, or the same again. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Rules, startFaultyRpc } from '../support/faulty-rpc.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { account, keyOf, sendAlone, wallet } from './fixture.ts'
import { type Stepped, type SteppedChain, startStepped, useNonce, WARN } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 3, signers: [keyOf('signer')] })
})
after(() => chain.end())

const CHAIN = 31_337
const SIGNER = account('signer').address
const mint = (seed: number) => ({ direction: 'MINT', amountMicro: 5n, to: wallet(seed) }) as const

/** Places a mint and forms its batch, whatever else is under way. */
async function formOne(s: Stepped, seed = 1): Promise<bigint> {
  const [orderId = 0n] = await s.place(mint(seed))
  s.work.memory.blocks.intervalMs = undefined
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
  return orderId
}

/** Forms the batches of two orders while each waits for its block. */
async function formTwo(s: Stepped): Promise<[bigint, bigint]> {
  return [await formOne(s, 1), await formOne(s, 2)]
}

/** The methods of the requests from now on. */
function watchRequests(s: Stepped): string[] {
  const asked: string[] = []
  const nodes = s.work.chain.nodes.map((node) => ({
    ...node,
    request(method: string, params: readonly unknown[], timeoutMs?: number) {
      asked.push(method)
      return node.request(method, params, timeoutMs)
    },
  }))
  s.work.chain = { ...s.work.chain, nodes }
  return asked
}

test('a round waits for a block as long as any batch does', async () => {
  const s = await chain.begin()
  assert.deepEqual(await s.round(), { waiting: false })
  await s.place(mint(1))
  assert.deepEqual(await s.round(), { waiting: true })
  assert.deepEqual(await s.round(), { waiting: true })
  await s.mine()
  assert.deepEqual(await s.round(), { waiting: false })
  await s.place(mint(2))
  assert.deepEqual(await s.round(), { waiting: true }, 'one is mined, and one waits')
})

test('what needs a query is counted every five seconds', async () => {
  const s = await chain.begin()
  const counts = () =>
    ['oldestPendingSeconds', 'oldestByIntegration', 'oldestUnminedSeconds'].map(
      (name) => s.counted.filter(([each]) => each === name).length,
    )
  await s.round()
  assert.deepEqual(counts(), [1, 1, 1])
  assert.deepEqual(
    s.counted.find(([name]) => name === 'oldestPendingSeconds'),
    ['oldestPendingSeconds', 0],
  )
  s.passMs(4_999)
  await s.round()
  assert.deepEqual(counts(), [1, 1, 1])
  s.passMs(1)
  await s.round()
  assert.deepEqual(counts(), [2, 2, 2])
})

test('a round publishes limits and counts the lag of nodes, beside everything else', async () => {
  const s = await chain.begin()
  await s.round()
  await waitFor('the limits', async () => {
    const rows = await s.db.query('select direction from chain_limits where chain_id = $1', [CHAIN])
    return rows.length === 3
  })
  await waitFor('the lag', async () => s.counted.some(([name]) => name === 'node'))
})

test('what holds the chain is told and published also by a round that fails', async () => {
  const s = await chain.begin()
  await s.round()
  const nodes = s.work.chain.nodes.map((node) => ({ ...node, request: () => Promise.reject(new Error('silent')) }))
  s.work.chain = { ...s.work.chain, nodes }
  s.work.memory.holds.held = { reason: 'paused', details: {} }
  await assert.rejects(s.round())
  assert.equal(s.logged.filter(({ msg }) => msg.startsWith('settlement is held')).length, 1)
  s.passMs(5_000)
  await assert.rejects(s.round())
  const [hold] = await s.db.query('select reason from settlement_holds where chain_id = $1', [CHAIN])
  assert.deepEqual(hold, { reason: 'round-failed' })
})

test('a mined batch that no reorganisation can have moved is not looked at before it is deep', async () => {
  const s = await chain.begin()
  await formOne(s)
  await s.mine()
  await s.round()
  await s.mine()
  const asked = watchRequests(s)
  await s.round()
  assert.deepEqual(
    asked.filter((method) => method === 'eth_getTransactionReceipt'),
    [],
  )
  assert.deepEqual(s.counted.filter(([name]) => name === 'headLag').at(-1), ['headLag', 0])
})

test('a chain whose newest block the database does not know is no reorganised one', async () => {
  const s = await chain.begin()
  await withoutGuards(s.db, (tx) =>
    tx.query('update chains set observed_hash = null, observed_block = 0 where chain_id = $1', [CHAIN]),
  )
  await s.mine()
  await s.round()
  assert.equal(s.logged.filter(({ level }) => level === WARN).length, 0)
  assert.equal((await s.observed()).observed_hash, (await s.head()).hash)
})

/** The transaction of the hidden hash cannot be found. */
function hiding(hidden: { hash: string | undefined }): Rules {
  const withoutIt = (answer: unknown) => {
    const block = answer as { transactions: { hash: string }[] } | null
    return block && { ...block, transactions: block.transactions.filter(({ hash }) => hash !== hidden.hash) }
  }
  return ({ method, params }) => {
    if (method === 'eth_getBlockByNumber' && params[1] === true) return { kind: 'lie', lie: withoutIt }
    const isMeant = method === 'eth_getTransactionReceipt' && hidden.hash !== undefined && params[0] === hidden.hash
    return isMeant ? { kind: 'lie', lie: () => null } : { kind: 'none' }
  }
}

test('a batch whose transaction is found later is recorded at the same head, which another batch has moved on to', async () => {
  const hidden: { hash: string | undefined } = { hash: undefined }
  const proxy = await startFaultyRpc(chain.rpcUrl, hiding(hidden))
  try {
    const s = await chain.begin({ config: { rpcUrls: [proxy.url] } })
    const [lost, found] = await formTwo(s)
    hidden.hash = (await s.attempts())[0]?.tx_hash
    await s.mine()
    await s.round()
    assert.deepEqual([await s.stateOf(lost), await s.stateOf(found)], ['processing/SUBMITTED', 'processing/CONFIRMING'])
    const { number, hash } = await s.head()
    assert.deepEqual(await s.observed(), { observed_block: number, observed_hash: hash })
    hidden.hash = undefined
    await s.round()
    assert.equal(await s.stateOf(lost), 'processing/CONFIRMING')
    assert.deepEqual(await s.observed(), { observed_block: number, observed_hash: hash })
  } finally {
    await proxy.close()
  }
})

test('a process that begins while its nodes lag sends again what no block has, also under the first nonce', async () => {
  let s: Stepped | undefined
  let isLagging = false
  const proxy = await startFaultyRpc(chain.rpcUrl, async ({ method, params }) => {
    if (!isLagging || method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return { kind: 'none' }
    const { number } = (await s?.head()) ?? { number: 1n }
    const older = await s?.rpc('eth_getBlockByNumber', `0x${(number - 1n).toString(16)}`, false)
    return { kind: 'lie', lie: () => older }
  })
  try {
    s = await chain.begin({ config: { rpcUrls: [proxy.url] } })
    await s.mine(5)
    await formOne(s)
    const [batch] = await s.batches()
    assert.equal(batch?.nonce, 0n)
    await s.db.query('update batch_attempts set last_broadcast_at = null where chain_id = $1', [CHAIN])
    isLagging = true
    await s.forget()
    await s.round()
    assert.equal(s.held(), 'chain-behind')
    assert.equal(s.sent.length, 2)
    assert.equal(s.work.memory.follow.hasUnread, undefined, 'a head that lags says nothing of the history')
  } finally {
    await proxy.close()
  }
})

test('orders of batches that died together are all found in the same round, also those accepted before the last search', async () => {
  const s = await chain.begin()
  await s.round()
  const orders = await formTwo(s)
  assert.equal(s.work.memory.form.search.marks.othersFrom, orders[1])
  await s.rpc('anvil_dropAllTransactions')
  await useNonce(s, SIGNER, 0n)
  await s.mine(3)
  await s.round()
  const [batch] = await s.db.query<{ order_ids: bigint[]; nonce: bigint }>(
    'select order_ids, nonce from batches where chain_id = $1 and batch_id = 1',
    [CHAIN],
  )
  assert.deepEqual([batch?.order_ids, batch?.nonce], [orders, 2n])
})

test('a batch that dies behind a settled one is formed anew on the history of that one', async () => {
  const s = await chain.begin()
  const orders = await formTwo(s)
  const [first] = s.sent
  await sendAlone(s.rpc, first)
  await s.mine()
  await useNonce(s, SIGNER, 1n)
  await s.mine(3)
  await s.round()
  await s.mine(3)
  await s.round()
  for (const order of orders) assert.equal(await s.stateOf(order), 'completed/COMPLETED')
})

test('what a batch did counts in the books from the time of its block', async () => {
  const s = await chain.begin()
  const order = await formOne(s)
  await s.mine()
  const { timestamp } = (await s.rpc('eth_getBlockByNumber', 'latest', false)) as { timestamp: string }
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  const entries = await s.db.query<{ effective_at: Date }>('select effective_at from ledger_entries')
  assert.ok(entries.length > 0)
  for (const { effective_at: at } of entries) assert.equal(at.getTime(), Number(timestamp) * 1_000)
})

test('a final batch that cannot be decided stops no other, and is decided once it can be', async () => {
  const s = await chain.begin()
  const [stuck, other] = await formTwo(s)
  await s.db.query(
    `create function refuse_order() returns trigger language plpgsql as $$ begin raise 'a bad day'; end $$`,
  )
  await s.db.query(
    `create trigger refuse_order before update on orders for each row when (new.order_id = ${stuck}) execute function refuse_order()`,
  )
  const later: bigint[] = []
  try {
    await s.mine(3)
    await s.round()
    assert.deepEqual([await s.stateOf(stuck), await s.stateOf(other)], ['processing/CONFIRMING', 'completed/COMPLETED'])
    assert.equal(s.held(), 'batch-undecided')
    later.push(await formOne(s, 3))
    await s.mine(3)
    await s.round()
    assert.equal(await s.stateOf(later[0]), 'completed/COMPLETED')
    const [told] = await s.db.query<{ details: string }>('select details from settlement_holds where chain_id = $1', [
      CHAIN,
    ])
    assert.match(told?.details ?? '', /"batchId":"1","error":"a bad day"/)
  } finally {
    await s.db.query('drop trigger refuse_order on orders')
    await s.db.query('drop function refuse_order')
  }
  await s.round()
  assert.deepEqual([await s.stateOf(stuck), s.held()], ['completed/COMPLETED', 'none'])
})

test('what became final at the newest block counts from its time, and nobody is asked for that block again', async () => {
  const proxy = await startFaultyRpc(chain.rpcUrl, ({ method, params }) =>
    method === 'eth_getBlockByNumber' && /^0x[1-9a-f]/.test(String(params[0])) ? { kind: 'drop' } : { kind: 'none' },
  )
  after(() => proxy.close())
  const s = await chain.begin({ config: { rpcUrls: [proxy.url], confirmations: 1 } })
  const order = await formOne(s)
  await s.mine()
  const { timestamp } = (await s.rpc('eth_getBlockByNumber', 'latest', false)) as { timestamp: string }
  await s.round()
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  const [entry] = await s.db.query<{ effective_at: Date }>('select effective_at from ledger_entries')
  assert.equal(entry?.effective_at.getTime(), Number(timestamp) * 1_000)
})

test('a block that claims to be of the future counts in the books as of now', async () => {
  const s = await chain.begin()
  const order = await formOne(s)
  await s.rpc('evm_increaseTime', '0x15180')
  await s.mine(3)
  await s.round()
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  const [entry] = await s.db.query<{ effective_at: Date }>('select effective_at from ledger_entries')
  assert.ok((entry?.effective_at.getTime() ?? 0) <= Date.now())
})
