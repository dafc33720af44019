// engine: postgres; both in test:long
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Rules, startFaultyRpc } from '../support/faulty-rpc.ts'
import { waitFor } from '../support/wait-for.ts'
import { linkOf, wallet } from './fixture.ts'
import { seenAgo } from './losing.ts'
import { startScenario } from './scenario.ts'
import { startStepped } from './stepped.ts'

test('while the transaction of one batch cannot be found, earmarks of another are released only with its block observed', async () => {
  const s = await startScenario({ config: { confirmations: 3 }, manualMining: true })
  const owner = wallet(1)
  let hidden: string | null = null
  const withoutHidden = (answer: unknown) => {
    const block = answer as { transactions: { hash: string }[] }
    return { ...block, transactions: block.transactions.filter(({ hash }) => hash !== hidden) }
  }
  const rules: Rules = ({ method, params }) => {
    if (hidden !== null && method === 'eth_getLogs') return { kind: 'lie', lie: () => [] }
    if (method === 'eth_getBlockByNumber' && params[1] === true) return { kind: 'lie', lie: withoutHidden }
    const isHidden = hidden !== null && method === 'eth_getTransactionReceipt' && params[0] === hidden
    return isHidden ? { kind: 'lie', lie: () => null } : { kind: 'none' }
  }
  const proxy = await startFaultyRpc(s.rpcUrl, rules)
  const inPool = async (hash: string | null) => (await s.rpc('eth_getTransactionByHash', hash)) !== null
  try {
    const linked = s.chain.admin.linkWallet(linkOf(owner))
    const mining = setInterval(() => void s.mine().catch(() => {}), 50)
    await linked
    await s.settle({ config: { rpcUrls: [proxy.url] } })
    const [first] = await s.place({ direction: 'MINT', amountMicro: 9n, to: owner })
    await s.until(first, 'completed')
    clearInterval(mining)

    const [mint] = await s.place({ direction: 'MINT', amountMicro: 5n, to: wallet(2) })
    const { tx_hash: lost } = await s.until(mint, 'SUBMITTED')
    const [transfer] = await s.place({ direction: 'TRANSFER', amountMicro: 4n, from: owner, to: wallet(3) })
    const { tx_hash: found } = await s.until(transfer, 'SUBMITTED')
    assert.notEqual(lost, found)
    await waitFor('both batches in the pool', async () => (await inPool(lost)) && (await inPool(found)))
    hidden = lost
    await s.mine()
    const { block_number: minedAt } = await s.until(transfer, 'CONFIRMING')
    const [chain] = await s.db.query<{ observed_block: bigint }>(
      'select observed_block from chains where chain_id = 31337',
    )
    assert.ok((chain?.observed_block ?? 0n) >= (minedAt ?? 0n), `observed ${chain?.observed_block}, mined ${minedAt}`)

    hidden = null
    await s.mine(3)
    await s.until(transfer, 'completed')
    await s.until(mint, 'completed')
    await s.audit()
  } finally {
    await s.end()
    await proxy.close()
  }
})

test('a batch that is settled and cannot be found holds nothing else, and after a while is said, until it is found', async () => {
  const chain = await startStepped({ confirmations: 2 })
  let isHidden = true
  const rules: Rules = ({ method, params }) => {
    const isBlock = method === 'eth_getBlockByNumber' && params[1] === true
    const isMeant = isHidden && (isBlock || ['eth_getTransactionReceipt', 'eth_getLogs'].includes(method))
    return isMeant ? { kind: 'lie', lie: () => (method === 'eth_getLogs' ? [] : null) } : { kind: 'none' }
  }
  const proxy = await startFaultyRpc(chain.rpcUrl, rules)
  try {
    const s = await chain.begin({ config: { rpcUrls: [proxy.url] } })
    const mint = (seed: number) => ({ direction: 'MINT', amountMicro: 5n, to: wallet(seed) }) as const
    const [order] = await s.place(mint(1))
    await s.round()
    await s.mine()
    await s.round()
    assert.deepEqual([await s.stateOf(order), s.held()], ['processing/SUBMITTED', 'none'])
    s.passMs(10_000)
    await s.round()
    assert.equal(s.held(), 'batch-not-found')
    const [said] = await s.db.query<{ reason: string; details: string }>(
      'select reason, details from settlement_holds where chain_id = $1',
      [s.config.chainId],
    )
    assert.deepEqual(said, { reason: 'batch-not-found', details: '{"batchId":"1"}' })
    const seenNow = async () => {
      await seenAgo(s, '2 days')
      s.passMs(600_000)
      await s.round()
      const rows = await s.db.query(
        `select from chains where chain_id = $1 and observed_at > now() - interval '1 minute'`,
        [s.config.chainId],
      )
      return rows.length === 1
    }
    await s.mine()
    assert.ok(await seenNow(), 'it is there, although nothing of it is recorded: nobody may call it lost')
    assert.ok(!(await seenNow()), 'the same block says nothing')
    const [other] = await s.place(mint(2))
    await s.round()
    assert.equal(await s.stateOf(other), 'processing/SUBMITTED')
    isHidden = false
    await s.mine(2)
    await s.round()
    assert.deepEqual([await s.stateOf(order), s.held()], ['completed/COMPLETED', 'none'])
  } finally {
    await proxy.close()
    await chain.end()
  }
})

test('a batch whose receipt every node has dropped is found in its block', async () => {
  const chain = await startStepped({ confirmations: 2 })
  const proxy = await startFaultyRpc(chain.rpcUrl, ({ method }) =>
    method === 'eth_getTransactionReceipt' ? { kind: 'lie', lie: () => null } : { kind: 'none' },
  )
  try {
    const s = await chain.begin({ config: { rpcUrls: [proxy.url] } })
    const [order] = await s.place({ direction: 'MINT', amountMicro: 5n, to: wallet(1) })
    await s.round()
    await s.mine()
    await s.round()
    assert.equal(await s.stateOf(order), 'processing/CONFIRMING')
    await s.mine()
    await s.round()
    assert.deepEqual([await s.stateOf(order), s.held()], ['completed/COMPLETED', 'none'])
  } finally {
    await proxy.close()
    await chain.end()
  }
})
