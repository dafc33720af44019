// engine: postgres; both in test:long
/** The operator's view of a real chain with a real settler: wallets, pauses, stuck orders, payouts, reconciliation. */
// Runbook: The coin must stop
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Chain, connectChain } from '../../src/chain/chain.ts'
import type { ChainConfig } from '../../src/config.ts'
import { accountOf } from '../../src/ledger/accounts.ts'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { createLedgerSealer } from '../../src/ledger/sealer.ts'
import { createSettler, type Settler } from '../../src/settlement/settler.ts'
import type { WorkLoop } from '../../src/work-loop.ts'
import {
  deployChain,
  linkOf,
  orderState,
  placeOrders,
  rpc,
  seedParties,
  silent,
  type TestOrder,
  wallet,
} from '../settlement/fixture.ts'
import { type Anvil, keepMining, startAnvil } from '../support/anvil.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

const CUSTOMER = 'cus_000000000000000000000001'

let anvil: Anvil
let db: TestDatabase
let config: ChainConfig
let chain: Chain
let settler: Settler
let coin: OperatorFixture
/** What it does not reach within a minute would be a difference. */
let sealer: WorkLoop

before(async () => {
  ;[anvil, db] = await Promise.all([startAnvil(), createTestDatabase()])
  config = await deployChain(anvil.rpcUrl, { confirmations: 3 })
  chain = connectChain(config, { db, logger: silent })
  await seedParties(db)
  settler = createSettler({ db, chains: [chain], logger: silent, holder: 'test' })
  settler.start()
  coin = await startOperator({ db, chains: [chain] })
  sealer = createLedgerSealer({ db, logger: silent })
  sealer.start()
})
after(async () => {
  await Promise.all([settler.stop(), sealer.stop()])
  await coin.close()
  await db.close()
  await anvil.stop()
})

const mine = (blocks: number) => rpc(anvil.rpcUrl, 'anvil_mine', `0x${blocks.toString(16)}`)

async function place(order: TestOrder): Promise<bigint> {
  const [orderId = 0n] = await placeOrders(db, config, [order])
  settler.wake(config.chainId)
  return orderId
}

const reach = (orderId: bigint, phase: string) =>
  waitFor(`order ${orderId} to be ${phase}`, async () => (await orderState(db, orderId)).phase === phase)

/** Mines until the order is in the phase, which it may be in already: a settler may have begun it in blocks that were made for a command. */
async function finish(orderId: bigint, phase: string): Promise<void> {
  await waitFor(`order ${orderId} to be ${phase}`, async () => {
    const now = (await orderState(db, orderId)).phase
    if (now === 'CONFIRMING') await mine(1)
    return now === phase
  })
}

async function nameOf(orderId: bigint): Promise<string> {
  const [row] = await db.query<{ name: string }>(
    `select integration_id || '/' || reference_id as name from orders where order_id = $1`,
    [orderId],
  )
  return row?.name ?? ''
}

/** Runs `work` while blocks are made, because operator transactions wait for their confirmations. */
async function whileMining<T>(work: Promise<T>): Promise<T> {
  const stopMining = keepMining(() => mine(1), 50)
  return work.finally(stopMining)
}

describe('an order on its way', () => {
  it('is shown with batch, attempts and reason at every stage, and the books agree throughout', async () => {
    const owner = wallet(1)
    const added = await whileMining(coin.run('wallet', 'add', '--customer', CUSTOMER, '--address', owner))
    assert.equal(added.walletAddress, owner)
    assert.match(added.links[0].txHash, /^0x[0-9a-f]{64}$/)
    assert.equal(await chain.reader.isLinkedTo(owner, linkOf(owner).account), true)

    const mint = await place({ direction: 'MINT', amountMicro: 5_500_000n, to: owner })
    await reach(mint, 'CONFIRMING')
    const shown = await coin.run('order', 'show', await nameOf(mint))
    assert.equal(shown.order.status, 'processing')
    assert.match(shown.waiting, /of 3 confirmations/)
    assert.equal(shown.batch.status, 'mined')
    assert.equal(shown.attempts[0].txHash, shown.order.blockchain.txHash)
    assert.ok(!JSON.stringify(shown).includes('rawTransaction'))
    const inFlight = await coin.run('reconcile')
    assert.deepEqual([inFlight.ok, inFlight.supply, inFlight.expected], [true, '0', '0'])

    await mine(3)
    await reach(mint, 'COMPLETED')
    const done = await coin.run('order', 'show', await nameOf(mint))
    assert.equal(done.waiting, null)
    assert.deepEqual(
      done.events.map((event: { type: string }) => event.type),
      ['mint.completed'],
    )
    const settled = await waitFor('the settler to see the head', async () => {
      const result = await coin.run('reconcile')
      return result.supply === '5.5' ? result : undefined
    })
    assert.deepEqual([settled.ok, settled.expected, settled.differences], [true, '5.5', []])
  })

  it('is stuck with a reason when the coin is paused, and goes on when it is resumed', async () => {
    const paused = await whileMining(coin.run('chain', 'pause'))
    assert.match(paused.chains[0].txHash, /^0x/)
    assert.equal((await coin.run('chain', 'status')).chains[0].paused, true)
    // Before any order waits there.
    assert.equal((await coin.run('overview')).chains[0].paused.what, 'coin')
    const mint = await place({ direction: 'MINT', amountMicro: 1_000_000n, to: wallet(2) })
    const { orders } = await coin.run('order', 'list', '--stuck', '--older-than', '0')
    assert.equal(orders.length, 1)
    assert.match(orders[0].waiting, /paused.*chain resume/)
    assert.deepEqual((await coin.run('order', 'list', '--stuck', '--older-than', '1h')).orders, [])
    await whileMining(coin.run('chain', 'resume'))
    settler.wake(config.chainId)
    await finish(mint, 'COMPLETED')
    assert.deepEqual((await coin.run('order', 'list', '--stuck', '--older-than', '0')).orders, [])
  })

  it('waits for a settler when none works', async () => {
    await settler.stop()
    const mint = await place({ direction: 'MINT', amountMicro: 1_000_000n, to: wallet(2) })
    assert.match((await coin.run('order', 'show', await nameOf(mint))).waiting, /settler role/)
    settler = createSettler({ db, chains: [chain], logger: silent, holder: 'test' })
    settler.start()
    await finish(mint, 'COMPLETED')
  })
})

describe('a payout', () => {
  it('that the rail refused is found, explained and retried', async () => {
    const redeem = await place({ direction: 'REDEEM', amountMicro: 1_230_000n, from: wallet(1) })
    await finish(redeem, 'PAYOUT_PENDING')
    const [refused] = await db.query<{ payout_id: string }>(
      `update payouts set status = 'rejected', rail = 'simulated', last_error = 'account closed' where order_id = $1 returning payout_id`,
      [redeem],
    )
    const payoutId = refused?.payout_id ?? ''
    assert.match(payoutId, /^po_[0-9a-f]{40}$/)
    const shown = await coin.run('order', 'show', await nameOf(redeem))
    assert.match(shown.waiting, new RegExp(`account closed.*"coin payout show ${payoutId}" says what can be done`))
    assert.equal(shown.payout.amountMyr, '1.23')
    const { payouts } = await coin.run('payout', 'list', '--status', 'rejected')
    assert.deepEqual(
      payouts.map((payout: { payoutId: string }) => payout.payoutId),
      [payoutId],
    )
    const { code, stdout } = await coin.cli(['reconcile', '--json'])
    assert.equal(code, 1)
    assert.deepEqual(
      JSON.parse(stdout).differences.map((found: { kind: string }) => found.kind),
      ['payout_rejected'],
    )
    const { payout } = await coin.run('payout', 'retry', payoutId)
    assert.equal(payout.status, 'queued')
    await db.query(`update payouts set status = 'sent', rail = 'simulated', rail_reference = 'R' where order_id = $1`, [
      redeem,
    ])
    const again = await coin.cli(['payout', 'retry', payoutId])
    assert.equal(again.code, 1)
    assert.match(again.stderr, /accepted/)
    await withoutGuards(db, (tx) => tx.query(`update payouts set status = 'queued' where order_id = $1`, [redeem]))
  })
})

describe('reconcile', () => {
  const kinds = async (): Promise<string[]> => {
    const { stdout } = await coin.cli(['reconcile', '--json'])
    return JSON.parse(stdout).differences.map(
      ({ kind, subject }: { kind: string; subject: string }) => `${kind} ${subject}`,
    )
  }

  it('finds coin that the books do not explain', async () => {
    const book = (reference: string, amountMicro: bigint) =>
      db.transaction((tx) =>
        recordEntries(tx, [
          {
            reference,
            effectiveAt: new Date(),
            lines: [
              { account: accountOf('coins', 31_337), amountMicro },
              { account: accountOf('mint_receivable', 'int_x'), amountMicro: -amountMicro },
            ],
          },
        ]),
      )
    assert.deepEqual(await kinds(), [])
    await book('one more redeem', 1n)
    const { stdout } = await coin.cli(['reconcile'])
    assert.match(stdout, /0\.000001 coin more at block/)
    await book('one more mint', -1n)
    assert.deepEqual(await kinds(), [])
  })

  it('finds an amount that was changed after it was booked', async () => {
    const [row] = await withoutGuards(db, (tx) =>
      tx.query<{ order_id: bigint }>(
        `update orders set amount_micro = amount_micro - 1 where direction = 'MINT' and order_id =
           (select min(order_id) from orders) returning order_id`,
      ),
    )
    const { stdout } = await coin.cli(['reconcile'])
    assert.match(stdout, /5\.5 is booked for batch\/31337\/1\/int_\w+, but the mints of this batch come to 5\.499999/)
    await withoutGuards(db, (tx) =>
      tx.query('update orders set amount_micro = amount_micro + 1 where order_id = $1', [row?.order_id ?? 0n]),
    )
    assert.deepEqual(await kinds(), [])
  })

  it('finds earmarks and counters that no order explains', async () => {
    await db.query('update wallet_earmarks set earmarked_micro = 5')
    assert.deepEqual(await kinds(), [`earmark ${config.chainId}:${wallet(1)}`])
    await db.query('update wallet_earmarks set earmarked_micro = 0')
    await db.query('update withdrawal_usage set committed_micro = committed_micro - 1')
    assert.deepEqual(await kinds(), [`withdrawal_usage ${CUSTOMER}`])
    await db.query('update withdrawal_usage set committed_micro = committed_micro + 1')
    await db.query(
      `insert into transfer_usage (key_id, day, committed_micro, cap_micro)
       values ('0000000000000001', (now() at time zone 'utc')::date, 7, 10)`,
    )
    assert.match((await kinds()).join(), /^transfer_usage 0000000000000001:\d{4}-\d\d-\d\d$/)
    await db.query('delete from transfer_usage')
    assert.deepEqual(await kinds(), [])
  })

  it('counts a pending debit as earmarked', async () => {
    await settler.stop()
    await placeOrders(db, config, [{ direction: 'TRANSFER', amountMicro: 1n, from: wallet(1), to: wallet(2) }])
    assert.deepEqual(await kinds(), [])
    await db.query('update wallet_earmarks set earmarked_micro = 0')
    assert.deepEqual(await kinds(), [`earmark ${config.chainId}:${wallet(1)}`])
  })

  it('says so when a chain cannot be read', async () => {
    await anvil.stop()
    assert.ok((await kinds()).includes(`chain_unreadable ${config.chainId}`))
    const { stdout } = await coin.cli(['reconcile'])
    assert.match(
      stdout,
      new RegExp(
        `^supply 0, expected 0, in the books 0, without chain ${config.chainId}, of which nothing was compared$`,
        'm',
      ),
    )
  })
})
