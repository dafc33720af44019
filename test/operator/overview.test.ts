// engine: postgres; both in test:long
/** The overview counts what is there, of everybody, and says what waits for a person. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { writeHold } from '../../src/settlement/tables/holds.sql.ts'
import { withdrawStatement } from '../../src/statements/withdraw.sql.ts'
import { REFUNDS } from '../../src/values/house.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'
import { addChain, addOrder, addParty, addPayout, addUnallocatedLine, addWaitingStatement } from './world.ts'

const CHAIN = 31_337
const MICRO = 1_000_000n
const NO_PAYOUTS = { held: 0, queued: 0, rejected: 0, returned: 0 }
let db: TestDatabase
let coin: OperatorFixture
before(async () => {
  db = await createTestDatabase()
  coin = await startOperator({ db, fourEyes: true })
})
after(async () => {
  await coin.close()
  await db.close()
})

test('says nothing of an empty service', async () => {
  const { orders, payouts, lastDay, chains, alarms, reconciliation } = await coin.run('overview')
  assert.deepEqual(
    { orders, payouts, lastDay, chains, reconciliation },
    {
      orders: { pending: 0, processing: 0 },
      payouts: { ...NO_PAYOUTS },
      lastDay: { isWhole: true, flows: [] },
      chains: [],
      reconciliation: undefined,
    },
  )
  assert.deepEqual(new Set(Object.values(alarms)), new Set([0]))
})

test('adds up the orders of all partners, by direction and status, of the last day', async () => {
  const [one, other] = [await addParty(db), await addParty(db)]
  for (const chainId of [CHAIN, CHAIN + 1]) await addChain(db, chainId, 7n)
  const add = (party: typeof one, amount: bigint, rest: object = {}) =>
    addOrder(db, party, { chainId: CHAIN, direction: 'MINT', amountMicro: amount * MICRO, state: 'created', ...rest })
  const held = await add(one, 1n)
  await add(other, 2n)
  await add(other, 4n, { direction: 'TRANSFER', chainId: CHAIN + 1 })
  const yesterday = { createdAt: new Date(Date.now() - 25 * 3_600_000) }
  await add(one, 8n, yesterday)
  for (const amount of [64n, 128n])
    await add(one, amount, { direction: 'REDEEM', state: 'payoutPending', ...yesterday })
  const redeemed = await add(other, 16n, { direction: 'REDEEM', state: 'payoutPending' })
  await addPayout(db, { orderId: redeemed, customerId: other.customerId, status: 'rejected' })
  await db.query(`insert into order_holds (order_id, reason) values ($1, 'a call')`, [held])
  for (const { integrationId } of [one, other]) {
    const { endpointId } = await coin.run('webhook', 'add', '--integration', integrationId, '--url', 'https://a.test/')
    if (integrationId === one.integrationId) await coin.run('webhook', 'disable', endpointId)
  }
  await add({ ...one, integrationId: REFUNDS }, 32n)
  const { orders, payouts, lastDay, chains, alarms } = await coin.run('overview')
  assert.deepEqual(lastDay, {
    isWhole: true,
    flows: [
      { direction: 'MINT', status: 'pending', orders: 2, coin: '3' },
      { direction: 'REDEEM', status: 'processing', orders: 1, coin: '16' },
      // Coin that goes back to its holder is nobody's mint.
      { direction: 'REFUND', status: 'pending', orders: 1, coin: '32' },
      { direction: 'TRANSFER', status: 'pending', orders: 1, coin: '4' },
    ],
  })
  assert.deepEqual(
    [orders, payouts],
    [
      { pending: 5, processing: 3 },
      { ...NO_PAYOUTS, rejected: 1 },
    ],
  )
  assert.deepEqual(
    chains.map(({ chainId, observedBlock, settlerAlive, hold }: Record<string, unknown>) => [
      chainId,
      observedBlock,
      settlerAlive,
      hold,
    ]),
    [
      [CHAIN, '7', false, null],
      [CHAIN + 1, '7', false, null],
    ],
  )
  assert.deepEqual([alarms.ordersHeld, alarms.endpointsDisabled, alarms.approvalsWaiting], [1, 1, 0])
})

test('says what of the bank waits for a person', async () => {
  const waiting = async () => {
    const { statementsWaiting, bankFilesWaiting, paymentFilesStopped } = (await coin.run('overview')).alarms
    return [statementsWaiting, bankFilesWaiting, paymentFilesStopped]
  }
  assert.deepEqual(await waiting(), [0, 0, 0])
  const statementNo = await addWaitingStatement(db)
  await addUnallocatedLine(db)
  await db.query(`insert into bank_left (file_key, name, reason) values ('a', 'a.xml', 'x'), ('b', 'b.xml', 'x')`)
  await db.query(`insert into payment_file_stop (reason) values ('x')`)
  assert.deepEqual(await waiting(), [1, 2, 1])
  await db.transaction((tx) => withdrawStatement(tx, statementNo, 'x'))
  await db.query('delete from bank_left')
  await db.query('delete from payment_file_stop')
  assert.deepEqual(await waiting(), [0, 0, 0])
})

test('says of a chain that is held what that means and who must act', async () => {
  await writeHold(db, CHAIN, { reason: 'gas-price', details: '{"baseFeePerGas":"9"}', blocked: [] })
  await writeHold(db, CHAIN + 1, { reason: 'none', details: null, blocked: ['mint-limit'] })
  const { chains } = await coin.run('overview')
  assert.equal(chains[0].hold.reason, 'gas-price')
  assert.match(
    chains[0].hold.advice,
    /^gas costs more than maxFeePerGasGwei of the chains file allows .*: wait, or raise it there and restart the settlers\.$/,
  )
  assert.deepEqual([chains[1].hold, chains[1].blocked], [null, ['mint-limit']])
})

test('says of a chain that is paused that it is, and what ends that, also while no order waits', async () => {
  const pausedOf = async () => (await coin.run('overview')).chains[0].paused
  await waitFor('nothing to be stopped', async () => (await pausedOf()) === null)
  await coin.run('chain', 'pause', '--settlement-only')
  await waitFor('the overview to show it', async () => (await pausedOf())?.what === 'settlement')
  assert.match((await pausedOf()).advice, /run "(coin )?chain resume"/)
  await coin.run('chain', 'pause')
  await waitFor('the overview to show it', async () => (await pausedOf())?.what === 'coin')
  Object.assign(coin.chain, { paused: false, settlementPaused: false })
  await waitFor('nothing to be stopped', async () => (await pausedOf()) === null)
})

test('says to people that there may be more than it has counted', async () => {
  const party = await addParty(db)
  await db.query(
    `insert into webhook_endpoints (endpoint_id, integration_id, url, secret_encrypted, status, disabled_reason)
     select 'whe_' || lpad(g::text, 24, '0'), $1, 'https://a.test/' || g, 'sb1.x', 'disabled', 'operator' from generate_series(1, 1200) g`,
    [party.integrationId],
  )
  const { stdout } = await coin.cli(['overview'])
  assert.match(stdout, /^ {2}endpointsDisabled: 1000\+$/m)
  assert.match(stdout, /^ {2}approvalsWaiting: 0$/m)
  assert.equal((await coin.run('overview')).alarms.endpointsDisabled, 1_000)
})

test('is there for a viewer, without bank details, and for nobody without a token', async () => {
  const open = await startOperator({ db })
  const viewer = await open.person('viewer')
  assert.equal((await viewer.call('GET', '/overview')).status, 200)
  assert.equal((await open.call('GET', '/overview', undefined, { authorization: 'Bearer nobody' })).status, 401)
  await open.close()
})
