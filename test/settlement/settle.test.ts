import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Chain, connectChain } from '../../src/chain/chain.ts'
import type { ChainConfig } from '../../src/config.ts'
import { createSettler, type Settler } from '../../src/settlement/settler.ts'
import { type Anvil, startAnvil } from '../support/anvil.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { deployChain, keyOf, linkOf, orderState, placeOrders, seedParties, silent, wallet } from './fixture.ts'
import { PARTIES } from './parties.ts'
import { startScenario } from './scenario.ts'

let anvil: Anvil
let db: TestDatabase
let config: ChainConfig
let chain: Chain
let settler: Settler

before(async () => {
  ;[anvil, db] = await Promise.all([startAnvil(), createTestDatabase()])
  config = await deployChain(anvil.rpcUrl)
  chain = connectChain(config, { db, logger: silent })
  await seedParties(db)
  settler = createSettler({ db, chains: [chain], logger: silent, holder: 'test' })
  settler.start()
})
after(async () => {
  await settler.stop()
  await db.close()
  await anvil.stop()
})

const inState = (orderId: bigint, status: string, phase: string) =>
  waitFor(`order ${orderId} to be ${status}/${phase}`, async () => {
    const state = await orderState(db, orderId)
    return state.status === status && state.phase === phase ? state : undefined
  })

test('a mint, a transfer and a redeem reach their ends, with events, earmarks and a payout', async () => {
  const [owner, friend] = [wallet(1), wallet(2)]
  await chain.admin.linkWallet(linkOf(owner))

  const [mint = 0n] = await placeOrders(db, config, [{ direction: 'MINT', amountMicro: 5_000_000n, to: owner }])
  settler.wake(config.chainId)
  const minted = await inState(mint, 'completed', 'COMPLETED')
  assert.match(minted.tx_hash ?? '', /^0x[0-9a-f]{64}$/)
  assert.ok((minted.block_number ?? 0n) > 0n)
  assert.equal(await chain.reader.latestBalance(owner), 5_000_000n)

  const [transfer = 0n, redeem = 0n] = await placeOrders(db, config, [
    { direction: 'TRANSFER', amountMicro: 1_000_000n, from: owner, to: friend },
    { direction: 'REDEEM', amountMicro: 1_234_567n, from: owner },
  ])
  settler.wake(config.chainId)
  await inState(transfer, 'completed', 'COMPLETED')
  await inState(redeem, 'processing', 'PAYOUT_PENDING')
  assert.equal(await chain.reader.latestBalance(owner), 2_765_433n)
  assert.equal(await chain.reader.latestBalance(friend), 1_000_000n)

  const payouts = await db.query('select amount_sen, status from payouts where order_id = $1', [redeem])
  assert.deepEqual(payouts, [{ amount_sen: 123n, status: 'queued' }])
  const [residual] = await db.query('select owed_micro from customer_residuals where customer_id = $1', [
    PARTIES[1].customerId,
  ])
  assert.deepEqual(residual, { owed_micro: 4_567n })
  const [earmark] = await db.query(
    'select earmarked_micro, epoch, facts_epoch from wallet_earmarks where address = $1',
    [owner],
  )
  assert.equal(earmark?.earmarked_micro, 0n)
  const events = await db.query('select type from events order by event_seq')
  assert.deepEqual(
    events.map(({ type }) => type),
    ['mint.completed', 'transfer.completed'],
  )
})

test('an instruction that cannot be executed fails alone, with its reason, and gives its usage back', async () => {
  const [rich, unlinked] = [wallet(3), wallet(4)]
  await chain.admin.linkWallet(linkOf(rich))
  const [first = 0n] = await placeOrders(db, config, [{ direction: 'MINT', amountMicro: 1_000_000n, to: rich }])
  settler.wake(config.chainId)
  await inState(first, 'completed', 'COMPLETED')
  const usage = () =>
    db.query('select key_id, committed_micro from transfer_usage where committed_micro <> 0 order by key_id')
  const usageBefore = await usage()

  const ids = await placeOrders(db, config, [
    { direction: 'MINT', amountMicro: 1_000_000n, to: wallet(5) },
    { direction: 'TRANSFER', amountMicro: 1n, from: unlinked, to: rich },
    { direction: 'TRANSFER', amountMicro: 9_000_000n, from: rich, to: wallet(5) },
  ])
  settler.wake(config.chainId)
  await inState(ids[0] ?? 0n, 'completed', 'COMPLETED')
  // The settler works while they are placed, so they need not share a batch.
  const [notLinked, tooMuch] = [
    await inState(ids[1] ?? 0n, 'failed', 'FAILED'),
    await inState(ids[2] ?? 0n, 'failed', 'FAILED'),
  ]
  assert.equal(notLinked.failure_reason, 'wallet_not_linked')
  assert.equal(tooMuch.failure_reason, 'insufficient_balance')
  assert.deepEqual(await usage(), usageBefore)
  assert.equal(await chain.reader.latestBalance(rich), 1_000_000n)
})

test('large batches wait for their block together, in order, under one signer while another stands by', async () => {
  const s = await startScenario({ manualMining: true, config: { signers: [keyOf('signer'), keyOf('second')] } })
  try {
    const mints = Array.from(
      { length: 255 },
      (_, index) => ({ direction: 'MINT', amountMicro: 1n, to: wallet(index) }) as const,
    )
    const ids = await s.place(...mints, ...mints)
    await s.settle()
    await s.until(ids.at(-1), 'SUBMITTED')
    const batches = await s.db.query('select order_count, signer from batches where chain_id = 31337 order by batch_id')
    assert.ok(batches.length >= 2 && Number(batches[0]?.order_count) > 200)
    assert.equal(new Set(batches.map(({ signer }) => signer)).size, 1)
    // More than one transaction of a batch where the machine was so busy that the other signer stood in.
    await waitFor('both in the pool', async () => {
      const { pending } = (await s.rpc('txpool_status')) as { pending: string }
      return Number(pending) >= batches.length
    })
    await s.mine()
    for (const id of ids) await s.until(id, 'completed')
    await s.audit()
  } finally {
    await s.end()
  }
})
