// engine: postgres
/** Each condition of the comparison alone: what counts, on which chain, up to which block, in which month. */
// Runbook: The books differ
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { entriesOfSettled, entryOfPayout } from '../../src/ledger/postings.ts'
import { sealOnce } from '../../src/ledger/sealer.ts'
import { type Reconciliation, reconcile } from '../../src/operator/reconcile/reconcile.ts'
import type { StateName } from '../../src/orders/life/states.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type ChainDouble, chainDouble } from './fixture.ts'
import {
  addBatch,
  addChain,
  addCustomer,
  addKey,
  addOrder,
  addParty,
  addPayout,
  emptyDatabase,
  type OrderInput,
  type Party,
} from './world.ts'

const MICRO = 1_000_000n
const MINUTE_MS = 60_000

let db: TestDatabase
let one: Party
let other: Party
let first: ChainDouble
let second: ChainDouble

before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

beforeEach(async () => {
  await emptyDatabase(db)
  ;[one, other] = [await addParty(db), await addParty(db)]
  first = chainDouble(1)
  second = chainDouble(2)
  await addChain(db, 1, 100n)
  await addChain(db, 2, 50n)
})

const run = (): Promise<Reconciliation> => reconcile(db, [first.chain, second.chain], TEST_SECRETS)

async function differences(...kinds: string[]): Promise<string[]> {
  const found = (await run()).differences.filter(({ kind }) => kinds.includes(kind))
  return found.map(({ kind, subject }) => `${kind} ${subject}`).sort()
}

async function place(
  direction: OrderInput['direction'],
  end: string,
  amountMicro: bigint,
  rest: Partial<OrderInput> & { party?: Party } = {},
): Promise<bigint> {
  const { party = one, ...more } = rest
  const state = end === 'paying' ? 'payoutPending' : (end as StateName)
  const order = { chainId: 1, direction, amountMicro, state, ...more }
  const orderId = await addOrder(db, party, order)
  if (['completed', 'payoutPending'].includes(state)) await book(orderId, { ...order, ...party })
  return orderId
}

/** What settlement books for an order that is settled alone in its batch. */
async function book(orderId: bigint, { chainId, direction, amountMicro, integrationId }: OrderInput & Party) {
  const [row] = await db.query<{ batch_id: bigint }>('select batch_id from orders where order_id = $1', [orderId])
  const order = { integrationId, amountMicro, feeMicro: 0n }
  await db.transaction((tx) =>
    recordEntries(
      tx,
      entriesOfSettled({
        ...{ chainId, source: `batch/${chainId}/${row?.batch_id}`, effectiveAt: new Date() },
        minted: direction === 'MINT' ? [order] : [],
        burnt: direction === 'REDEEM' ? [{ ...order, payoutSen: amountMicro / 10_000n }] : [],
      }),
    ),
  )
}

/** The amounts of settled orders, in micro coin, chosen so that every subset has a different sum. */
describe('supply', () => {
  it('is what completed mints less burned redeems of that chain come to, up to the recorded block', async () => {
    await place('MINT', 'completed', 1_000_000n, { blockNumber: 100n })
    await place('MINT', 'completed', 2_000_000n, { blockNumber: 3n, party: other })
    await place('REDEEM', 'completed', 400n, { blockNumber: 4n })
    const paying = await place('REDEEM', 'paying', 50n, { blockNumber: 5n, party: other })
    await addPayout(db, { orderId: paying, customerId: other.customerId, status: 'queued' })
    await place('MINT', 'completed', 7n, { blockNumber: 50n, chainId: 2 })
    for (const blockNumber of [101n, 1_000n]) await place('MINT', 'completed', 90_000_000n, { blockNumber })
    // What is mined but not yet final lies above the block that is compared.
    const blockOf = (end: string) => (end === 'confirming' ? 101n : 6n)
    for (const end of ['created', 'submitted', 'confirming', 'failed', 'cancelled']) {
      await place('MINT', end, 900_000_000n, { blockNumber: blockOf(end) })
    }
    for (const end of ['submitted', 'confirming', 'failed']) {
      await place('REDEEM', end, 60_000n, { blockNumber: blockOf(end) })
    }
    await place('TRANSFER', 'completed', 80_000n, { blockNumber: 6n })
    first.state.supplyMicro = 3_000_000n - 450n
    second.state.supplyMicro = 7n
    const { supply, expected, books, chains } = await run()
    assert.deepEqual(chains, [
      { chainId: 1, block: '100', supply: '2.99955', expected: '2.99955', books: '2.99955' },
      { chainId: 2, block: '50', supply: '0.000007', expected: '0.000007', books: '0.000007' },
    ])
    assert.deepEqual([supply, expected, books], ['2.999557', '2.999557', '2.999557'])
    assert.deepEqual([first.state.supplyAsked, second.state.supplyAsked], [[100n], [50n]])
  })

  it('is compared below the oldest batch of that chain that is mined and not yet final', async () => {
    await addBatch(db, { chainId: 1, batchId: 1n, status: 'final', minedBlock: 10n })
    await addBatch(db, { chainId: 1, batchId: 2n, status: 'mined', minedBlock: 91n, nonce: 6n })
    await addBatch(db, { chainId: 1, batchId: 3n, status: 'mined', minedBlock: 81n, nonce: 7n })
    await addBatch(db, { chainId: 1, batchId: 4n, status: 'signed', nonce: 8n })
    await place('MINT', 'completed', 3n, { blockNumber: 80n })
    await place('MINT', 'completed', 5n, { blockNumber: 81n })
    first.state.supplyMicro = 3n
    const { ok, chains } = await run()
    assert.equal(ok, true)
    assert.deepEqual(
      chains.map(({ block }) => block),
      ['80', '50'],
    )
    assert.deepEqual(first.state.supplyAsked, [80n])
  })

  it('is compared at the recorded block when the batch was mined above it', async () => {
    await addBatch(db, { chainId: 1, batchId: 1n, status: 'mined', minedBlock: 120n })
    assert.equal((await run()).chains[0]?.block, '100')
  })

  it('must be nothing on a chain that no settler has looked at', async () => {
    await db.query('delete from chains where chain_id = 2')
    second.state.supplyMicro = 1n
    assert.deepEqual(await differences('supply'), ['supply 2'])
    assert.deepEqual(second.state.supplyAsked, [undefined])
  })

  it('that cannot be read is itself a difference, and does not hide others', async () => {
    first.state.readable = false
    second.state.supplyMicro = 1n
    assert.deepEqual(await differences('supply', 'chain_unreadable'), ['chain_unreadable 1', 'supply 2'])
    assert.deepEqual(
      (await run()).chains.map(({ chainId }) => chainId),
      [2],
    )
  })

  it('fails the command when it is unreadable for a reason other than the chain', async () => {
    const admin = { ...first.chain.admin, supply: () => Promise.reject(new Error('a defect')) }
    await assert.rejects(reconcile(db, [{ ...first.chain, admin }], TEST_SECRETS), /a defect/)
  })
})

describe('earmarks', () => {
  const earmark = (address: string, earmarkedMicro: bigint, chainId = 1) =>
    db.query('insert into wallet_earmarks (chain_id, address, earmarked_micro) values ($1, $2, $3)', [
      chainId,
      address,
      earmarkedMicro,
    ])

  it('are what accepted debits not yet mined will take, by chain and wallet', async () => {
    await place('TRANSFER', 'created', 5n)
    await place('REDEEM', 'submitted', 20n)
    await place('TRANSFER', 'requeued', 7n)
    await place('REDEEM', 'created', 300n, { chainId: 2 })
    await place('REDEEM', 'created', 4_000n, { party: other })
    for (const end of ['confirming', 'paying', 'completed', 'failed']) await place('REDEEM', end, 50_000n)
    await place('MINT', 'created', 600_000n)
    await earmark(one.wallet, 32n)
    await earmark(one.wallet, 300n, 2)
    await earmark(other.wallet, 4_000n)
    assert.deepEqual(await differences('earmark'), [])
  })

  it('that are missing, left over or wrong are told, each with its chain and wallet', async () => {
    await place('TRANSFER', 'created', 5n)
    await place('TRANSFER', 'submitted', 6n, { party: other })
    await earmark(other.wallet, 7n)
    await earmark(one.wallet, 8n, 2)
    assert.deepEqual(
      await differences('earmark'),
      [`earmark 1:${one.wallet}`, `earmark 1:${other.wallet}`, `earmark 2:${one.wallet}`].sort(),
    )
    const { differences: found } = await run()
    const told = Object.fromEntries(found.map(({ subject, message }) => [subject, message]))
    assert.match(told[`1:${one.wallet}`] ?? '', /^0 is earmarked .* come to 0\.000005\.$/)
    assert.match(told[`1:${other.wallet}`] ?? '', /^0\.000007 is earmarked .* come to 0\.000006\.$/)
    assert.match(told[`2:${one.wallet}`] ?? '', /^0\.000008 is earmarked .* come to 0\.$/)
  })

  it('of nothing are no difference', async () => {
    await earmark(one.wallet, 0n)
    assert.deepEqual(await differences('earmark'), [])
  })
})

describe('usage', () => {
  /** Instants around the beginning of this UTC month, by the database's clock. */
  async function month() {
    const [row] = await db.query<{ start: Date; now: Date; before: string; first: string; today: string }>(
      `select date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' as start, now() as now,
         ((date_trunc('month', now() at time zone 'UTC')) - interval '1 day')::date as before,
         date_trunc('month', now() at time zone 'UTC')::date as first, (now() at time zone 'UTC')::date as today`,
    )
    assert.ok(row)
    return { ...row, justBefore: new Date(row.start.getTime() - 1) }
  }
  const countTransfers = (keyId: string, day: string, committedMicro: bigint) =>
    db.query(
      'insert into transfer_usage (key_id, day, committed_micro, cap_micro) values ($1, $2::date, $3, 999999999)',
      [keyId, day, committedMicro],
    )
  const countRedeems = (customerId: string, monthStart: string, committedMicro: bigint) =>
    db.query(
      'insert into withdrawal_usage (customer_id, month, committed_micro, cap_micro) values ($1, $2::date, $3, 999999999)',
      [customerId, monthStart, committedMicro],
    )
  const ALIVE = ['created', 'submitted', 'confirming', 'completed'] as const

  it('of a key is what its transfers of that UTC day come to, those that did not fail', async () => {
    const { start, justBefore, first: firstDay, before: lastMonth } = await month()
    const sibling = { ...one, keyId: await addKey(db, one.integrationId) }
    const midday = new Date(start.getTime() + 720 * MINUTE_MS)
    for (const end of ALIVE) await place('TRANSFER', end, 5n, { createdAt: midday })
    await place('TRANSFER', 'created', 100n, { createdAt: start })
    await place('TRANSFER', 'created', 3_000n, { createdAt: midday, party: sibling })
    await place('TRANSFER', 'created', 40_000n, { createdAt: midday, party: other })
    await place('TRANSFER', 'failed', 900n, { createdAt: midday })
    for (const direction of ['MINT', 'REDEEM'] as const) await place(direction, 'created', 900n, { createdAt: midday })
    await place('TRANSFER', 'created', 7_000_000n, { createdAt: justBefore })
    await countTransfers(one.keyId, firstDay, 120n)
    await countTransfers(sibling.keyId, firstDay, 3_000n)
    await countTransfers(other.keyId, firstDay, 40_000n)
    await countTransfers(one.keyId, lastMonth, 1n)
    assert.deepEqual(await differences('transfer_usage'), [])
  })

  it('of a key that no transfer explains, or that misses one, is told with its day', async () => {
    const { start, first: firstDay } = await month()
    await countTransfers(one.keyId, firstDay, 7n)
    await place('TRANSFER', 'created', 5n, { createdAt: start, party: other })
    const found = (await run()).differences.filter(({ kind }) => kind === 'transfer_usage')
    const told = Object.fromEntries(found.map(({ subject, message }) => [subject, message]))
    assert.deepEqual(Object.keys(told).sort(), [`${one.keyId}:${firstDay}`, `${other.keyId}:${firstDay}`].sort())
    assert.match(told[`${one.keyId}:${firstDay}`] ?? '', /^0\.000007 is counted for the key, .* come to 0\.$/)
    assert.match(told[`${other.keyId}:${firstDay}`] ?? '', /^0 is counted for the key, .* come to 0\.000005\.$/)
  })

  it('of mints is what counts for the key on that UTC day, whenever it was posted, and did not fail', async () => {
    const { start, justBefore, first: firstDay, before: lastMonth } = await month()
    const countMints = (keyId: string, day: string, committedMicro: bigint) =>
      db.query(
        'insert into mint_usage (key_id, day, committed_micro, cap_micro) values ($1, $2::date, $3, 999999999)',
        [keyId, day, committedMicro],
      )
    const mint = async (
      end: 'created' | 'completed' | 'failed',
      micro: bigint,
      createdAt: Date,
      day: string,
      keyId = one.keyId,
    ) => {
      const orderId = await place('MINT', end, micro, { createdAt })
      await withoutGuards(db, (tx) =>
        tx.query('update orders set mint_cap_key_id = $2, mint_cap_day = $3::text::date where order_id = $1', [
          orderId,
          keyId,
          day,
        ]),
      )
    }
    await place('MINT', 'created', 1_000n, { createdAt: start })
    await mint('created', 5n, start, firstDay)
    await mint('completed', 20n, justBefore, firstDay)
    await mint('failed', 300n, start, firstDay)
    await mint('created', 4_000n, start, firstDay, other.keyId)
    await mint('created', 50_000n, justBefore, lastMonth)
    await countMints(one.keyId, firstDay, 25n)
    await countMints(other.keyId, firstDay, 4_000n)
    await countMints(one.keyId, lastMonth, 1n)
    assert.deepEqual(await differences('mint_usage'), [])
    await countMints(other.keyId, lastMonth, 1n)
    await db.query(
      'update mint_usage set committed_micro = committed_micro - 20 where key_id = $1 and day = $2::date',
      [one.keyId, firstDay],
    )
    assert.deepEqual(await differences('mint_usage'), [`mint_usage ${one.keyId}:${firstDay}`])
  })

  it('of a customer is what its redeems of this UTC month come to, those that did not fail', async () => {
    const { start, justBefore, first: thisMonth, before: lastMonth } = await month()
    const sibling = { ...one, ...(await addCustomer(db, one.integrationId)) }
    for (const end of [...ALIVE, 'paying']) await place('REDEEM', end, 5n)
    await place('REDEEM', 'created', 100n, { createdAt: start })
    await place('REDEEM', 'created', 3_000n, { party: sibling })
    await place('REDEEM', 'created', 40_000n, { party: other })
    await place('REDEEM', 'failed', 900n)
    for (const direction of ['MINT', 'TRANSFER'] as const) await place(direction, 'created', 900n)
    await place('REDEEM', 'created', 7_000_000n, { createdAt: justBefore })
    await countRedeems(one.customerId, thisMonth, 125n)
    await countRedeems(sibling.customerId, thisMonth, 3_000n)
    await countRedeems(other.customerId, thisMonth, 40_000n)
    await countRedeems(one.customerId, lastMonth, 1n)
    assert.deepEqual(await differences('withdrawal_usage'), [])
  })

  it('of a customer that no redeem explains, or that misses one, is told', async () => {
    const { first: thisMonth } = await month()
    await countRedeems(one.customerId, thisMonth, 7n)
    await place('REDEEM', 'created', 5n, { party: other })
    const found = (await run()).differences.filter(({ kind }) => kind === 'withdrawal_usage')
    const told = Object.fromEntries(found.map(({ subject, message }) => [subject, message]))
    assert.deepEqual(Object.keys(told).sort(), [one.customerId, other.customerId].sort())
    assert.match(told[one.customerId] ?? '', /^0\.000007 is counted for the customer, .* come to 0\.$/)
    assert.match(told[other.customerId] ?? '', /^0 is counted for the customer, .* come to 0\.000005\.$/)
  })
})

describe('payouts', () => {
  const KINDS = ['payout_rejected', 'payout_held', 'payout_late', 'payout_missing', 'redeem_not_completed']
  const agedMinutes = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS)
  const pay = (orderId: bigint, status: string, rest: { createdAt?: Date; error?: string; holdReason?: string } = {}) =>
    addPayout(db, { orderId, customerId: one.customerId, status, ...rest })

  it('that go as they should are no difference', async () => {
    await pay(await place('REDEEM', 'paying', MICRO), 'queued', { createdAt: agedMinutes(59) })
    await pay(await place('REDEEM', 'completed', MICRO), 'sent', { createdAt: agedMinutes(5_000) })
    for (const end of ['created', 'submitted', 'confirming', 'failed']) await place('REDEEM', end, MICRO)
    await place('MINT', 'completed', MICRO)
    assert.deepEqual(await differences(...KINDS), [])
  })

  it('are late after an hour in the queue, rejected and held at any age', async () => {
    const late = await pay(await place('REDEEM', 'paying', MICRO), 'queued', { createdAt: agedMinutes(61) })
    const refused = await pay(await place('REDEEM', 'paying', MICRO), 'rejected', { error: 'account closed' })
    const held = await pay(await place('REDEEM', 'paying', MICRO), 'held', { holdReason: 'rail_not_configured' })
    assert.deepEqual(await differences(...KINDS), [
      `payout_held ${held}`,
      `payout_late ${late}`,
      `payout_rejected ${refused}`,
    ])
    const { differences: found } = await run()
    const told = Object.fromEntries(found.map(({ kind, message }) => [kind, message]))
    assert.match(told.payout_rejected ?? '', /over RM 1\.23 was refused .*\(account closed\)\.$/)
    assert.match(told.payout_held ?? '', /over RM 1\.23 is held: "payout list --status held" says why\.$/)
    assert.match(told.payout_late ?? '', /over RM 1\.23 has been queued for over an hour: .* runs\.$/)
  })

  it('are missed where the burn is final, and named where the rail has them and the redeem is open', async () => {
    await place('REDEEM', 'paying', 2n * MICRO, { referenceId: 'same-reference', party: one })
    const open = await place('REDEEM', 'paying', 3n * MICRO, { referenceId: 'same-reference', party: other })
    await addPayout(db, { orderId: open, customerId: other.customerId, status: 'sent' })
    assert.deepEqual(await differences(...KINDS), [
      `payout_missing ${one.integrationId}/same-reference`,
      `redeem_not_completed ${other.integrationId}/same-reference`,
    ])
    const { differences: found } = await run()
    assert.match(found.find(({ kind }) => kind === 'payout_missing')?.message ?? '', /over RM 2 is burned but/)
  })
})

describe('the books', () => {
  const PLACES = { m: 'MINT', r: 'REDEEM' } as const
  const told = async () =>
    (await run()).differences
      .filter(({ kind }) => kind === 'books')
      .map(({ subject, message }) => message.replace(` for ${subject}, `, ', '))
  const pay = (orderId: bigint, status: string, amountSen: bigint) =>
    addPayout(db, { orderId, customerId: one.customerId, status, amountSen })
  const keep = (owedMicro: bigint) =>
    db.query(
      'insert into customer_residuals values ($1, $2) on conflict (customer_id) do update set owed_micro = excluded.owed_micro',
      [one.customerId, owedMicro],
    )
  let ids: Record<keyof typeof PLACES | 'sent', bigint>
  let [waiting, sent] = ['', '']

  /** Two integrations, two chains; a mint, a redeem whose payout waits, and one whose payout was sent. */
  beforeEach(async () => {
    await place('MINT', 'completed', 9n, { party: other })
    await place('TRANSFER', 'completed', 70n * MICRO)
    await place('REDEEM', 'failed', 800n)
    ids = {
      m: await place('MINT', 'completed', 5n * MICRO),
      r: await place('REDEEM', 'paying', 2n * MICRO + 7n, { chainId: 2 }),
      sent: await place('REDEEM', 'completed', 3n * MICRO),
    }
    waiting = await pay(ids.r, 'queued', 200n)
    sent = await pay(ids.sent, 'sent', 300n)
    await keep(7n)
    const entry = {
      what: 'sent',
      payoutId: sent,
      attempt: 1,
      timesSent: 1,
      integrationId: one.integrationId,
      rail: 'simulated',
      amountSen: 300n,
    } as const
    await db.transaction((tx) => recordEntries(tx, [entryOfPayout({ ...entry, effectiveAt: new Date() })]))
  })

  for (const seal of [false, true]) {
    it(`agree with orders, payouts and residuals, ${seal ? 'sealed' : 'not yet sealed'}`, async () => {
      if (seal) while ((await sealOnce(db, 2)).sealed > 0);
      assert.deepEqual(await told(), [])
    })
  }

  for (const [what, plant, message] of [
    [
      'a waiting payout that was multiplied',
      () =>
        withoutGuards(db, (tx) =>
          tx.query('update payouts set amount_sen = amount_sen * 1000 where payout_id = $1', [waiting]),
        ),
      () => `-2 is booked, but the payouts that are not with the rail come to -2000.`,
    ],
    [
      'a sent payout that was multiplied',
      () =>
        withoutGuards(db, (tx) =>
          tx.query('update payouts set amount_sen = amount_sen * 1000 where payout_id = $1', [sent]),
        ),
      () => '3 is booked, but the amounts of this payout come to 3000.',
    ],
    [
      'a payout that was removed',
      () => db.query('delete from payouts where payout_id = $1', [waiting]),
      () => '-2 is booked, but the payouts that are not with the rail come to 0.',
    ],
    [
      'a payout that was removed although it was sent',
      () => db.query('delete from payouts where payout_id = $1', [sent]),
      () => '3 is booked, but the amounts of this payout come to 0.',
    ],
    [
      'a residual that was zeroed',
      () => keep(0n),
      () => '-0.000007 is booked, but the parts of a sen that are kept come to 0.',
    ],
    [
      "a mint's amount that was changed",
      () =>
        withoutGuards(db, (tx) => tx.query('update orders set amount_micro = 6000000 where order_id = $1', [ids.m])),
      () => '5 is booked, but the mints of this batch come to 6.',
    ],
    [
      "a redeem's amount that was changed",
      () =>
        withoutGuards(db, (tx) => tx.query('update orders set amount_micro = 4000000 where order_id = $1', [ids.sent])),
      () => '3 is booked, but the redeems of this batch come to 4.',
    ],
  ] as const) {
    it(`tell ${what}`, async () => {
      await plant()
      assert.deepEqual(await told(), [message()])
    })
  }

  it('tell an entry that the sealer has not reached for a minute', async () => {
    await sealOnce(db, 100)
    await place('MINT', 'completed', 1n, { referenceId: 'not-sealed' })
    await withoutGuards(db, (tx) =>
      tx.query(
        `update ledger_entries set recorded_at = now() - interval '61 seconds' where entry_id in (select entry_id from ledger_unsealed)`,
      ),
    )
    assert.match(
      (await told()).join(),
      /^0 is booked, but entries that the sealer has not reached for a minute come to 0.000001.$/,
    )
  })

  it('tell an entry that was changed, by what it records', async () => {
    await withoutGuards(db, (tx) =>
      tx.query(
        `update ledger_entries set amounts_micro = '{-6000000,6000000}' where amounts_micro = '{5000000,-5000000}'`,
      ),
    )
    assert.match((await told()).join(), /-?\d+ is booked, but the mints of this batch come to 5/)
  })
})

it('a list of differences ends after a hundred of a kind', async () => {
  for (let count = 0; count < 101; count += 1) {
    const orderId = await place('REDEEM', 'paying', MICRO)
    await addPayout(db, { orderId, customerId: one.customerId, status: 'rejected' })
  }
  assert.equal((await differences('payout_rejected')).length, 100)
})
