// engine: postgres
/** Each condition of the comparison alone: what counts, on which chain, up to which block, in which month. */
// Runbook: The books differ
// Runbook: A chain is added or given up
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { reconcile } from '../../src/operator/reconcile/reconcile.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { MICRO, type Reconciling, startReconciling } from './reconciling.ts'
import { addBatch, addCustomer, addKey, addPayout } from './world.ts'

let s: Reconciling
before(async () => {
  s = await startReconciling()
})
beforeEach(() => s.renew())
after(() => s.db.close())

const MINUTE_MS = 60_000

/** The amounts of settled orders, in micro coin, chosen so that every subset has a different sum. */
describe('supply', () => {
  it('is what completed mints less burned redeems of that chain come to, up to the recorded block', async () => {
    await s.place('MINT', 'completed', 1_000_000n, { blockNumber: 100n })
    await s.place('MINT', 'completed', 2_000_000n, { blockNumber: 3n, party: s.other })
    await s.place('REDEEM', 'completed', 400n, { blockNumber: 4n })
    const paying = await s.place('REDEEM', 'paying', 50n, { blockNumber: 5n, party: s.other })
    await addPayout(s.db, { orderId: paying, customerId: s.other.customerId, status: 'queued' })
    await s.place('MINT', 'completed', 7n, { blockNumber: 50n, chainId: 2 })
    for (const blockNumber of [101n, 1_000n]) await s.place('MINT', 'completed', 90_000_000n, { blockNumber })
    // What is mined but not yet final lies above the block that is compared.
    const blockOf = (end: string) => (end === 'confirming' ? 101n : 6n)
    for (const end of ['created', 'submitted', 'confirming', 'failed', 'cancelled']) {
      await s.place('MINT', end, 900_000_000n, { blockNumber: blockOf(end) })
    }
    for (const end of ['submitted', 'confirming', 'failed']) {
      await s.place('REDEEM', end, 60_000n, { blockNumber: blockOf(end) })
    }
    await s.place('TRANSFER', 'completed', 80_000n, { blockNumber: 6n })
    s.first.state.supplyMicro = 3_000_000n - 450n
    s.second.state.supplyMicro = 7n
    const { supply, expected, books, chains } = await s.run()
    assert.deepEqual(chains, [
      { chainId: 1, block: '100', supply: '2.99955', expected: '2.99955', books: '2.99955' },
      { chainId: 2, block: '50', supply: '0.000007', expected: '0.000007', books: '0.000007' },
    ])
    assert.deepEqual([supply, expected, books], ['2.999557', '2.999557', '2.999557'])
    assert.deepEqual([s.first.state.supplyAsked, s.second.state.supplyAsked], [[100n], [50n]])
  })

  it('is compared below the oldest batch of that chain that is mined and not yet final', async () => {
    await addBatch(s.db, { chainId: 1, batchId: 1n, status: 'final', minedBlock: 10n })
    await addBatch(s.db, { chainId: 1, batchId: 2n, status: 'mined', minedBlock: 91n, nonce: 6n })
    await addBatch(s.db, { chainId: 1, batchId: 3n, status: 'mined', minedBlock: 81n, nonce: 7n })
    await addBatch(s.db, { chainId: 1, batchId: 4n, status: 'signed', nonce: 8n })
    await s.place('MINT', 'completed', 3n, { blockNumber: 80n })
    await s.place('MINT', 'completed', 5n, { blockNumber: 81n })
    s.first.state.supplyMicro = 3n
    const { ok, chains } = await s.run()
    assert.equal(ok, true)
    assert.deepEqual(
      chains.map(({ block }) => block),
      ['80', '50'],
    )
    assert.deepEqual(s.first.state.supplyAsked, [80n])
  })

  it('is compared at the recorded block when the batch was mined above it', async () => {
    await addBatch(s.db, { chainId: 1, batchId: 1n, status: 'mined', minedBlock: 120n })
    assert.equal((await s.run()).chains[0]?.block, '100')
  })

  it('must be nothing on a chain that no settler has looked at', async () => {
    await s.db.query('delete from chains where chain_id = 2')
    s.second.state.supplyMicro = 1n
    assert.deepEqual(await s.differences('supply'), ['supply 2'])
    assert.deepEqual(s.second.state.supplyAsked, [undefined])
  })

  it('that cannot be read is itself a difference, and does not hide others', async () => {
    s.first.state.readable = false
    s.second.state.supplyMicro = 1n
    assert.deepEqual(await s.differences('supply', 'chain_unreadable'), ['chain_unreadable 1', 'supply 2'])
    assert.deepEqual(
      (await s.run()).chains.map(({ chainId }) => chainId),
      [2],
    )
  })

  it('is missed on a chain that the chains file does not name, while the books have coin there', async () => {
    await s.place('MINT', 'completed', 7_250_000n, { blockNumber: 50n, chainId: 2 })
    await s.place('REDEEM', 'completed', 250_000n, { blockNumber: 50n, chainId: 2 })
    const withoutSecond = () => reconcile(s.db, [s.first.chain], TEST_SECRETS)
    const told = (await withoutSecond()).differences.find(({ kind }) => kind === 'chain_unreadable')
    assert.deepEqual(told, {
      kind: 'chain_unreadable',
      subject: '2',
      message:
        'The books have 7 coin on chain 2, which the chains file does not name: nothing was compared there. Put the chain back into the file.',
    })
    await s.place('REDEEM', 'completed', 7_000_000n, { blockNumber: 50n, chainId: 2 })
    const after = (await withoutSecond()).differences.filter(({ kind }) => kind === 'chain_unreadable')
    assert.deepEqual(after, [], 'a chain that is empty was given up')
    await s.place('REDEEM', 'completed', 1_000_000n, { blockNumber: 50n, chainId: 2 })
    const less = (await withoutSecond()).differences.find(({ kind }) => kind === 'chain_unreadable')
    assert.match(less?.message ?? '', /^The books have 1 coin less than none on chain 2/)
  })

  it('or while orders wait there that nobody settles', async () => {
    await s.place('MINT', 'created', 3n, { chainId: 2 })
    const told = (await reconcile(s.db, [s.first.chain], TEST_SECRETS)).differences
    assert.deepEqual(told, [
      {
        kind: 'chain_unreadable',
        subject: '2',
        message:
          '1 order waits on chain 2, which the chains file does not name: nobody settles there. Put the chain back into the file until they have ended.',
      },
    ])
    assert.deepEqual(await s.differences('chain_unreadable'), [], 'where the file names it, they are settled')
  })

  it('fails the command when it is unreadable for a reason other than the chain', async () => {
    const admin = { ...s.first.chain.admin, supply: () => Promise.reject(new Error('a defect')) }
    await assert.rejects(reconcile(s.db, [{ ...s.first.chain, admin }], TEST_SECRETS), /a defect/)
  })
})

describe('earmarks', () => {
  const earmark = (address: string, earmarkedMicro: bigint, chainId = 1) =>
    s.db.query('insert into wallet_earmarks (chain_id, address, earmarked_micro) values ($1, $2, $3)', [
      chainId,
      address,
      earmarkedMicro,
    ])

  it('are what accepted debits not yet mined will take, by chain and wallet', async () => {
    await s.place('TRANSFER', 'created', 5n)
    await s.place('REDEEM', 'submitted', 20n)
    await s.place('TRANSFER', 'requeued', 7n)
    await s.place('REDEEM', 'created', 300n, { chainId: 2 })
    await s.place('REDEEM', 'created', 4_000n, { party: s.other })
    for (const end of ['confirming', 'paying', 'completed', 'failed']) await s.place('REDEEM', end, 50_000n)
    await s.place('MINT', 'created', 600_000n)
    await earmark(s.one.wallet, 32n)
    await earmark(s.one.wallet, 300n, 2)
    await earmark(s.other.wallet, 4_000n)
    assert.deepEqual(await s.differences('earmark'), [])
  })

  it('that are missing, left over or wrong are told, each with its chain and wallet', async () => {
    await s.place('TRANSFER', 'created', 5n)
    await s.place('TRANSFER', 'submitted', 6n, { party: s.other })
    await earmark(s.other.wallet, 7n)
    await earmark(s.one.wallet, 8n, 2)
    assert.deepEqual(
      await s.differences('earmark'),
      [`earmark 1:${s.one.wallet}`, `earmark 1:${s.other.wallet}`, `earmark 2:${s.one.wallet}`].sort(),
    )
    const { differences: found } = await s.run()
    const told = Object.fromEntries(found.map(({ subject, message }) => [subject, message]))
    assert.match(told[`1:${s.one.wallet}`] ?? '', /^0 is earmarked .* come to 0\.000005\. Once you know why/)
    assert.match(told[`1:${s.other.wallet}`] ?? '', /^0\.000007 is earmarked .* come to 0\.000006\. Once you know why/)
    assert.match(told[`2:${s.one.wallet}`] ?? '', /^0\.000008 is earmarked .* come to 0\. Once you know why/)
  })

  it('of nothing are no difference', async () => {
    await earmark(s.one.wallet, 0n)
    assert.deepEqual(await s.differences('earmark'), [])
  })
})

describe('usage', () => {
  /** Instants around the beginning of this UTC month, by the database's clock. */
  async function month() {
    const [row] = await s.db.query<{ start: Date; now: Date; before: string; first: string; today: string }>(
      `select date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' as start, now() as now,
         ((date_trunc('month', now() at time zone 'UTC')) - interval '1 day')::date as before,
         date_trunc('month', now() at time zone 'UTC')::date as first, (now() at time zone 'UTC')::date as today`,
    )
    assert.ok(row)
    return { ...row, justBefore: new Date(row.start.getTime() - 1) }
  }
  const countTransfers = (keyId: string, day: string, committedMicro: bigint) =>
    s.db.query(
      'insert into transfer_usage (key_id, day, committed_micro, cap_micro) values ($1, $2::date, $3, 999999999)',
      [keyId, day, committedMicro],
    )
  const countRedeems = (customerId: string, monthStart: string, committedMicro: bigint) =>
    s.db.query(
      'insert into withdrawal_usage (customer_id, month, committed_micro, cap_micro) values ($1, $2::date, $3, 999999999)',
      [customerId, monthStart, committedMicro],
    )
  const ALIVE = ['created', 'submitted', 'confirming', 'completed'] as const

  it('of a key is what its transfers of that UTC day come to, those that did not fail', async () => {
    const { start, justBefore, first: firstDay, before: lastMonth } = await month()
    const sibling = { ...s.one, keyId: await addKey(s.db, s.one.integrationId) }
    const midday = new Date(start.getTime() + 720 * MINUTE_MS)
    for (const end of ALIVE) await s.place('TRANSFER', end, 5n, { createdAt: midday })
    await s.place('TRANSFER', 'created', 100n, { createdAt: start })
    await s.place('TRANSFER', 'created', 3_000n, { createdAt: midday, party: sibling })
    await s.place('TRANSFER', 'created', 40_000n, { createdAt: midday, party: s.other })
    await s.place('TRANSFER', 'failed', 900n, { createdAt: midday })
    for (const direction of ['MINT', 'REDEEM'] as const)
      await s.place(direction, 'created', 900n, { createdAt: midday })
    await s.place('TRANSFER', 'created', 7_000_000n, { createdAt: justBefore })
    await countTransfers(s.one.keyId, firstDay, 120n)
    await countTransfers(sibling.keyId, firstDay, 3_000n)
    await countTransfers(s.other.keyId, firstDay, 40_000n)
    await countTransfers(s.one.keyId, lastMonth, 1n)
    assert.deepEqual(await s.differences('transfer_usage'), [])
  })

  it('of a key that no transfer explains, or that misses one, is told with its day', async () => {
    const { start, first: firstDay } = await month()
    await countTransfers(s.one.keyId, firstDay, 7n)
    await s.place('TRANSFER', 'created', 5n, { createdAt: start, party: s.other })
    const found = (await s.run()).differences.filter(({ kind }) => kind === 'transfer_usage')
    const told = Object.fromEntries(found.map(({ subject, message }) => [subject, message]))
    assert.deepEqual(Object.keys(told).sort(), [`${s.one.keyId}:${firstDay}`, `${s.other.keyId}:${firstDay}`].sort())
    assert.match(
      told[`${s.one.keyId}:${firstDay}`] ?? '',
      /^0\.000007 is counted for the key, .* come to 0\. Once you know why/,
    )
    assert.match(
      told[`${s.other.keyId}:${firstDay}`] ?? '',
      /^0 is counted for the key, .* come to 0\.000005\. Once you know why/,
    )
  })

  it('of mints is what counts for the key on that UTC day, whenever it was posted, and did not fail', async () => {
    const { start, justBefore, first: firstDay, before: lastMonth } = await month()
    const countMints = (keyId: string, day: string, committedMicro: bigint) =>
      s.db.query(
        'insert into mint_usage (key_id, day, committed_micro, cap_micro) values ($1, $2::date, $3, 999999999)',
        [keyId, day, committedMicro],
      )
    const mint = async (
      end: 'created' | 'completed' | 'failed',
      micro: bigint,
      createdAt: Date,
      day: string,
      keyId = s.one.keyId,
    ) => {
      const orderId = await s.place('MINT', end, micro, { createdAt })
      await withoutGuards(s.db, (tx) =>
        tx.query('update orders set mint_cap_key_id = $2, mint_cap_day = $3::text::date where order_id = $1', [
          orderId,
          keyId,
          day,
        ]),
      )
    }
    await s.place('MINT', 'created', 1_000n, { createdAt: start })
    await mint('created', 5n, start, firstDay)
    await mint('completed', 20n, justBefore, firstDay)
    await mint('failed', 300n, start, firstDay)
    await mint('created', 4_000n, start, firstDay, s.other.keyId)
    await mint('created', 50_000n, justBefore, lastMonth)
    await countMints(s.one.keyId, firstDay, 25n)
    await countMints(s.other.keyId, firstDay, 4_000n)
    await countMints(s.one.keyId, lastMonth, 1n)
    assert.deepEqual(await s.differences('mint_usage'), [])
    await countMints(s.other.keyId, lastMonth, 1n)
    await s.db.query(
      'update mint_usage set committed_micro = committed_micro - 20 where key_id = $1 and day = $2::date',
      [s.one.keyId, firstDay],
    )
    assert.deepEqual(await s.differences('mint_usage'), [`mint_usage ${s.one.keyId}:${firstDay}`])
  })

  it('of a customer is what its redeems of this UTC month come to, those that did not fail', async () => {
    const { start, justBefore, first: thisMonth, before: lastMonth } = await month()
    const sibling = { ...s.one, ...(await addCustomer(s.db, s.one.integrationId)) }
    for (const end of [...ALIVE, 'paying']) await s.place('REDEEM', end, 5n)
    await s.place('REDEEM', 'created', 100n, { createdAt: start })
    await s.place('REDEEM', 'created', 3_000n, { party: sibling })
    await s.place('REDEEM', 'created', 40_000n, { party: s.other })
    await s.place('REDEEM', 'failed', 900n)
    for (const direction of ['MINT', 'TRANSFER'] as const) await s.place(direction, 'created', 900n)
    await s.place('REDEEM', 'created', 7_000_000n, { createdAt: justBefore })
    await countRedeems(s.one.customerId, thisMonth, 125n)
    await countRedeems(sibling.customerId, thisMonth, 3_000n)
    await countRedeems(s.other.customerId, thisMonth, 40_000n)
    await countRedeems(s.one.customerId, lastMonth, 1n)
    assert.deepEqual(await s.differences('withdrawal_usage'), [])
  })

  it('of a customer that no redeem explains, or that misses one, is told', async () => {
    const { first: thisMonth } = await month()
    await countRedeems(s.one.customerId, thisMonth, 7n)
    await s.place('REDEEM', 'created', 5n, { party: s.other })
    const found = (await s.run()).differences.filter(({ kind }) => kind === 'withdrawal_usage')
    const told = Object.fromEntries(found.map(({ subject, message }) => [subject, message]))
    assert.deepEqual(Object.keys(told).sort(), [s.one.customerId, s.other.customerId].sort())
    assert.match(
      told[s.one.customerId] ?? '',
      /^0\.000007 is counted for the customer, .* come to 0\. Once you know why/,
    )
    assert.match(
      told[s.other.customerId] ?? '',
      /^0 is counted for the customer, .* come to 0\.000005\. Once you know why/,
    )
  })
})

describe('payouts', () => {
  const KINDS = ['payout_rejected', 'payout_held', 'payout_late', 'payout_missing', 'redeem_not_completed']
  const agedMinutes = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS)
  const pay = (orderId: bigint, status: string, rest: { createdAt?: Date; error?: string; holdReason?: string } = {}) =>
    addPayout(s.db, { orderId, customerId: s.one.customerId, status, ...rest })

  it('that go as they should are no difference', async () => {
    await pay(await s.place('REDEEM', 'paying', MICRO), 'queued', { createdAt: agedMinutes(59) })
    await pay(await s.place('REDEEM', 'completed', MICRO), 'sent', { createdAt: agedMinutes(5_000) })
    for (const end of ['created', 'submitted', 'confirming', 'failed']) await s.place('REDEEM', end, MICRO)
    await s.place('MINT', 'completed', MICRO)
    assert.deepEqual(await s.differences(...KINDS), [])
  })

  it('are late after an hour in the queue, rejected and held at any age', async () => {
    const late = await pay(await s.place('REDEEM', 'paying', MICRO), 'queued', { createdAt: agedMinutes(61) })
    const refused = await pay(await s.place('REDEEM', 'paying', MICRO), 'rejected', { error: 'account closed' })
    const held = await pay(await s.place('REDEEM', 'paying', MICRO), 'held', { holdReason: 'rail_not_configured' })
    assert.deepEqual(await s.differences(...KINDS), [
      `payout_held ${held}`,
      `payout_late ${late}`,
      `payout_rejected ${refused}`,
    ])
    const { differences: found } = await s.run()
    const told = Object.fromEntries(found.map(({ kind, message }) => [kind, message]))
    assert.match(
      told.payout_rejected ?? '',
      /over RM 1\.23 was refused: see "coin payout show po_\w+", which says what can be done \(account closed\)\.$/,
    )
    assert.match(
      told.payout_held ?? '',
      /over RM 1\.23 is held: "coin payout show po_\w+" says why, and what can be done\.$/,
    )
    assert.match(told.payout_late ?? '', /over RM 1\.23 has been queued for over an hour: .* runs\.$/)
  })

  it('are missed where the burn is final, and named where the rail has them and the redeem is open', async () => {
    await s.place('REDEEM', 'paying', 2n * MICRO, { referenceId: 'same-reference', party: s.one })
    const open = await s.place('REDEEM', 'paying', 3n * MICRO, { referenceId: 'same-reference', party: s.other })
    await addPayout(s.db, { orderId: open, customerId: s.other.customerId, status: 'sent' })
    assert.deepEqual(await s.differences(...KINDS), [
      `payout_missing ${s.one.integrationId}/same-reference`,
      `redeem_not_completed ${s.other.integrationId}/same-reference`,
    ])
    const { differences: found } = await s.run()
    assert.match(found.find(({ kind }) => kind === 'payout_missing')?.message ?? '', /over RM 2\.00 was burnt but/)
  })
})

it('a list of differences ends after a hundred of a kind', async () => {
  for (let count = 0; count < 101; count += 1) {
    const orderId = await s.place('REDEEM', 'paying', MICRO)
    await addPayout(s.db, { orderId, customerId: s.one.customerId, status: 'rejected' })
  }
  assert.equal((await s.differences('payout_rejected')).length, 100)
})
