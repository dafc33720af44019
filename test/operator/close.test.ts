// engine: postgres
/** The report of a day: what it adds up, what changes it and what does not, and how it is shown. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { flowsOfTransfers } from '../../src/ledger/flows.ts'
import { settleTimezone } from '../../src/ledger/periods.sql.ts'
import { entriesOfSettled, entryOfPayout } from '../../src/ledger/postings.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { createBatchSteps } from '../life/batch-steps.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { emptyTables } from '../support/empty-tables.ts'
import { sealBooks } from '../support/seal-books.ts'
import { INTEGRATIONS, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

const MICRO = 1_000_000n
const { a, b } = INTEGRATIONS

let db: TestDatabase
let coin: OperatorFixture
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  coin = await startOperator({ db, chains: [] })
})
after(async () => {
  await coin.close()
  await db.close()
})
beforeEach(() => emptyTables(db))

let serial = 0
type Day = { integrationId?: string; chainId?: number; mint?: bigint; redeem?: bigint; transfer?: bigint; fee?: bigint }

/** What a batch at noon of a day in Kuala Lumpur books. */
async function settle(day: string, { integrationId = a, chainId = 1, fee = 0n, ...amounts }: Day): Promise<void> {
  serial += 1
  const effectiveAt = new Date(`${day}T04:00:00Z`)
  const order = (amountMicro = 0n) => ({ integrationId, amountMicro, feeMicro: fee, payoutSen: amountMicro / 10_000n })
  const minted = amounts.mint === undefined ? [] : [order(amounts.mint)]
  const burnt = amounts.redeem === undefined ? [] : [order(amounts.redeem)]
  const transfers = amounts.transfer === undefined ? [] : [order(amounts.transfer)]
  await db.transaction((tx) =>
    recordEntries(
      tx,
      entriesOfSettled({ chainId, source: `batch/${chainId}/${serial}`, effectiveAt, minted, burnt }),
      flowsOfTransfers(chainId, effectiveAt, transfers),
    ),
  )
}

const close = (day: string) => coin.call('POST', '/ledger/close', { through: day })
const report = async (day: string) => (await coin.call('GET', `/close?date=${day}`)).body
const flow = (integrationId: string, chainId: number, rest: Record<string, string>) => ({
  integrationId,
  chainId,
  opening: '0',
  minted: '0',
  refunded: '0',
  redeemed: '0',
  transferred: '0',
  fees: '0',
  closing: '0',
  ...rest,
})

async function aFewDays(): Promise<void> {
  await settle('2026-11-17', { mint: 100n * MICRO })
  await settle('2026-11-17', { integrationId: b, mint: 7n * MICRO })
  await settle('2026-11-18', { mint: 5n * MICRO, fee: 20n })
  await settle('2026-11-18', { mint: MICRO })
  await settle('2026-11-18', { redeem: 2n * MICRO + 5n })
  await settle('2026-11-18', { transfer: 3n * MICRO })
  await settle('2026-11-18', { chainId: 2, integrationId: b, transfer: 9n })
  await settle('2026-11-19', { redeem: 4n * MICRO })
  await db.transaction((tx) =>
    recordEntries(tx, [
      entryOfPayout({
        what: 'sent',
        payoutId: 'po_1',
        attempt: 1,
        timesSent: 1,
        integrationId: a,
        rail: 'http',
        amountSen: 150n,
        effectiveAt: new Date('2026-11-19T04:00:00Z'),
      }),
    ]),
  )
}

const THE_18TH = [
  flow(a, 1, {
    opening: '100',
    minted: '6',
    redeemed: '2.000005',
    transferred: '3',
    fees: '0.00002',
    closing: '103.999995',
  }),
  flow(b, 1, { opening: '7', closing: '7' }),
  flow(b, 2, { transferred: '0.000009' }),
]

test('a day opens with what the days before left, and closes with what it moved', async () => {
  await aFewDays()
  for (const through of [undefined, '2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19']) {
    if (through !== undefined) await close(through)
    const { flows, closed, day, timezone } = await report('2026-11-18')
    assert.deepEqual(flows, THE_18TH, String(through))
    assert.deepEqual([day, timezone, closed], ['2026-11-18', 'Asia/Kuala_Lumpur', (through ?? '') >= '2026-11-18'])
  }
  const { flows } = await report('2026-11-20')
  assert.deepEqual(
    flows.map(({ closing }: { closing: string }) => closing),
    ['99.999995', '7'],
  )
})

test('what is open has the ages of the newest of it, as they were on that day', async () => {
  await aFewDays()
  const ages = { upTo1Day: '0', upTo7Days: '0', upTo30Days: '0', upTo90Days: '0', older: '0' }
  const of = async (day: string, account: string) =>
    (await report(day)).open.filter((each: { account: string }) => each.account === account)
  for (const through of [undefined, '2026-11-17', '2026-11-19']) {
    if (through !== undefined) await close(through)
    assert.deepEqual(await of('2026-11-19', 'mint_receivable'), [
      { account: 'mint_receivable', owner: a, total: '106', ...ages, upTo7Days: '106' },
      { account: 'mint_receivable', owner: b, total: '7', ...ages, upTo7Days: '7' },
    ])
    assert.deepEqual(await of('2026-11-19', 'redeem_payable'), [
      { account: 'redeem_payable', owner: a, total: '4.5', ...ages, upTo1Day: '4', upTo7Days: '0.5' },
    ])
    assert.deepEqual(await of('2026-11-18', 'redeem_payable'), [
      { account: 'redeem_payable', owner: a, total: '2', ...ages, upTo1Day: '2' },
    ])
    assert.deepEqual(await of('2026-11-19', 'payout_clearing'), [
      { account: 'payout_clearing', owner: 'http', total: '1.5', ...ages, upTo1Day: '1.5' },
    ])
  }
})

test("a closed day's report never changes: what comes late counts on the first open day", async () => {
  await seedTwoOfEverything(db)
  const orderId = await placeOrder(db, {
    direction: 'REDEEM',
    party: 'a1',
    reference: 'not-paid',
    state: 'payoutPending',
  })
  await db.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, status, end_to_end_id, created_at)
     values ('po_1', $1, 'cus_0000000000000000000000a1', 250, 'queued', 'E1', now() - interval '8 days')`,
    [orderId],
  )
  await aFewDays()
  const [unpaid] = (await report('2026-11-18')).unpaidPayouts
  assert.deepEqual(
    { ...unpaid, oldest: '' },
    {
      integrationId: a,
      status: 'queued',
      age: 'upTo30Days',
      payouts: 1,
      amount: '2.5',
      oldest: '',
    },
  )
  await close('2026-11-18')
  const before = await report('2026-11-18')
  assert.deepEqual(before.unpaidPayouts, [unpaid])
  await settle('2026-11-18', { mint: 1_000n * MICRO, transfer: 5n })
  await withoutGuards(db, (tx) => tx.query('delete from payouts'))
  while ((await sealBooks(db, 2)).sealed > 0);
  await close('2026-11-19')
  assert.deepEqual(await report('2026-11-18'), before)
  const [late] = (await report('2026-11-19')).flows
  assert.deepEqual([late.minted, late.transferred, late.opening], ['1000', '0.000005', '103.999995'])
  assert.equal((await verifyLedger(db)).firstBad, null)
})

test('payouts that were not paid are dated by when their days were closed, which may be long after the day', async () => {
  await seedTwoOfEverything(db)
  const orderId = await placeOrder(db, {
    direction: 'REDEEM',
    party: 'a1',
    reference: 'not-paid',
    state: 'payoutPending',
  })
  await db.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, status, end_to_end_id)
     values ('po_1', $1, 'cus_0000000000000000000000a1', 250, 'queued', 'E1')`,
    [orderId],
  )
  const open = await report('2026-11-18')
  await close('2026-11-18')
  const closed = await report('2026-11-17')
  const [closing] = await db.query<{ closed_at: Date }>('select closed_at from ledger_closings')
  assert.equal(closed.unpaidAsOf, closing?.closed_at.toISOString())
  assert.ok(open.unpaidAsOf < closed.unpaidAsOf && open.unpaidAsOf > open.unpaidPayouts[0].oldest)
  const { stdout } = await coin.cli(['close', '--date', '2026-11-17', '--csv'])
  const [head = '', row = ''] = stdout.split('\r\n').slice(-3)
  const cells = Object.fromEntries(head.split(',').map((name, place) => [name, row.split(',')[place]]))
  assert.deepEqual([cells.table, cells.status, cells.asOf], ['unpaidPayouts', 'queued', closed.unpaidAsOf])
  const shown = (await coin.cli(['close', '--date', '2026-11-17'])).stdout
  assert.ok(shown.includes(`Payouts not paid, as of ${closed.unpaidAsOf}:`))
})

test('the database refuses to change the flows of a closed day, and anything that a closing has carried on', async () => {
  await aFewDays()
  await close('2026-11-18')
  for (const statement of [
    `update ledger_flows set minted_micro = 1 where day = '2026-11-18'`,
    `update ledger_flows set day = '2026-11-16' where day = '2026-11-19'`,
    `delete from ledger_flows where day = '2026-11-17'`,
    `insert into ledger_flows values ('2026-11-01', 'x', 1, 0, 0, 0, 0, 0)`,
    'delete from ledger_closings',
    'update ledger_carried set balance_micro = 0',
    'update ledger_flows_carried set issued_micro = 0',
  ]) {
    await assert.rejects(db.query(statement), /is closed|append-only/, statement)
  }
  await db.query(`update ledger_flows set transferred_micro = 1 where day = '2026-11-19'`)
})

test('a balance that a closing carried on and that was changed is found', async () => {
  await aFewDays()
  await close('2026-11-17')
  await close('2026-11-18')
  while ((await sealBooks(db, 10)).sealed > 0);
  assert.equal((await verifyLedger(db)).firstBad, null)
  for (const [plant, restore, subject] of [
    [
      `update ledger_carried set balance_micro = balance_micro + 1 where account = 'coins:1' and through = '2026-11-17'`,
      `update ledger_carried set balance_micro = balance_micro - 1 where account = 'coins:1' and through = '2026-11-17'`,
      'coins:1 2026-11-17',
    ],
    [
      `update ledger_carried set account = 'fees:gone' where account = 'fees:${a}' and through = '2026-11-18'`,
      `update ledger_carried set account = 'fees:${a}' where account = 'fees:gone'`,
      'fees:gone 2026-11-18',
    ],
    [
      `update ledger_flows_carried set issued_micro = issued_micro + 1 where integration_id = '${b}' and through = '2026-11-18'`,
      `update ledger_flows_carried set issued_micro = issued_micro - 1 where integration_id = '${b}' and through = '2026-11-18'`,
      `${b} 1 2026-11-18`,
    ],
    [
      `update ledger_flows_carried set issued_micro = issued_micro + case integration_id when '${a}' then 1 else -1 end
       where chain_id = 1 and through = '2026-11-18'`,
      `update ledger_flows_carried set issued_micro = issued_micro - case integration_id when '${a}' then 1 else -1 end
       where chain_id = 1 and through = '2026-11-18'`,
      `${a} 1 2026-11-18`,
    ],
  ] as const) {
    await withoutGuards(db, (tx) => tx.query(plant))
    assert.deepEqual((await verifyLedger(db)).firstBad, { fault: 'carried balance differs', subject })
    await withoutGuards(db, (tx) => tx.query(restore))
  }
})

test('a balance that a closing carried on and that was removed is found, also of an account that nothing moved since', async () => {
  await aFewDays()
  await close('2026-11-19')
  await close('2026-11-20')
  while ((await sealBooks(db, 10)).sealed > 0);
  assert.equal((await verifyLedger(db)).firstBad, null)
  await withoutGuards(db, (tx) =>
    tx.query(`delete from ledger_carried where account = 'fees:${a}' and through = '2026-11-20'`),
  )
  assert.deepEqual((await verifyLedger(db)).firstBad, {
    fault: 'carried balance differs',
    subject: `fees:${a} 2026-11-20`,
  })
})

test('days that were opened again are found, before anything was booked on them', async () => {
  await aFewDays()
  await close('2026-11-18')
  while ((await sealBooks(db, 10)).sealed > 0);
  for (const closed of [`'2026-11-17'`, 'null', `'2026-11-19'`]) {
    await withoutGuards(db, (tx) => tx.query(`update ledger_book set closed_through = ${closed}::date`))
    assert.deepEqual((await verifyLedger(db)).firstBad, { fault: 'closed days differ', subject: '2026-11-18' }, closed)
  }
  await withoutGuards(db, (tx) => tx.query(`update ledger_book set closed_through = '2026-11-18'`))
  assert.equal((await verifyLedger(db)).firstBad, null)
})

test('flows that were changed, added or removed are found, also those of an open day and of entries that wait for their seal', async () => {
  await aFewDays()
  await close('2026-11-18')
  while ((await sealBooks(db, 10)).sealed > 0);
  await settle('2026-11-19', { mint: 3n * MICRO, transfer: 2n, fee: 7n })
  assert.equal((await verifyLedger(db)).firstBad, null)
  const where = `day = '2026-11-19' and integration_id = '${a}' and chain_id = 1`
  for (const [plant, restore, subject] of [
    ...['minted', 'refunded', 'redeemed', 'fees'].map((column) => [
      `update ledger_flows set ${column}_micro = ${column}_micro + 1 where ${where}`,
      `update ledger_flows set ${column}_micro = ${column}_micro - 1 where ${where}`,
      `${a} 1 2026-11-19`,
    ]),
    [
      `update ledger_flows set minted_micro = minted_micro + 5, redeemed_micro = redeemed_micro + 5 where day = '2026-11-17' and integration_id = '${b}'`,
      `update ledger_flows set minted_micro = minted_micro - 5, redeemed_micro = redeemed_micro - 5 where day = '2026-11-17' and integration_id = '${b}'`,
      `${b} 1 2026-11-17`,
    ],
    [
      `insert into ledger_flows values ('2026-11-16', '${a}', 2, 1, 0, 1, 0, 0)`,
      `delete from ledger_flows where day = '2026-11-16'`,
      `${a} 2 2026-11-16`,
    ],
    [
      `update ledger_flows set day = day + 1 where ${where}`,
      `delete from ledger_flows where false`,
      `${a} 1 2026-11-19`,
    ],
  ] as const) {
    await withoutGuards(db, (tx) => tx.query(plant ?? ''))
    assert.deepEqual((await verifyLedger(db)).firstBad, { fault: 'flow differs', subject }, plant)
    await withoutGuards(db, (tx) => tx.query(restore ?? ''))
  }
})

test('a batch that settles moves the flows of its day, and of each integration its own', async () => {
  await seedTwoOfEverything(db)
  const place = (direction: 'MINT' | 'REDEEM' | 'TRANSFER', party: 'a1' | 'b1', amountMicro: bigint) =>
    placeOrder(db, { direction, party, reference: `${direction}-order-${amountMicro}`, amountMicro })
  const orderIds = [
    await place('MINT', 'a1', 10n * MICRO),
    await place('MINT', 'a1', 20n * MICRO),
    await place('TRANSFER', 'a1', 3n * MICRO),
    await place('REDEEM', 'b1', 4n * MICRO),
    await place('TRANSFER', 'b1', 500n * MICRO),
  ]
  const steps = createBatchSteps(db)
  const name = { chainId: 1, batchId: 3n }
  await steps.submit(name, orderIds)
  await steps.mine(name)
  for (const _ of [1, 2]) await steps.finalise(name, { succeeded: [0, 2, 3] })
  const [{ today }] = (await db.query(
    `select (now() at time zone 'Asia/Kuala_Lumpur')::date::text as today`,
  )) as unknown as [{ today: string }]
  assert.deepEqual((await report(today)).flows, [
    flow(a, 1, { minted: '10', transferred: '3', closing: '10' }),
    flow(b, 1, { redeemed: '4', closing: '-4' }),
  ])
})

test('the report is shown to people and as CSV, and a day that is in the future has none', async () => {
  await aFewDays()
  assert.match(
    (await coin.cli(['close', '--date', '2026-11-18'])).stdout,
    /2026-11-18 \(Asia\/Kuala_Lumpur\), open: it may still change\n[\s\S]* 103\.999995\n[\s\S]*mint_receivable/,
  )
  const { stdout } = await coin.cli(['close', '--date', '2026-11-18', '--csv'])
  const lines = stdout.split('\r\n')
  assert.equal(
    lines[0],
    'table,day,state,integrationId,chainId,opening,minted,refunded,redeemed,transferred,fees,closing',
  )
  assert.equal(lines[1], `flows,2026-11-18,open,${a},1,100,6,0,2.000005,3,0.00002,103.999995`)
  assert.ok(lines.includes(`open,2026-11-18,open,redeem_payable,${a},2,2,0,0,0,0`))
  const answer = await fetch(`${coin.url}/operator/v1/close?date=2026-11-18&format=csv`, {
    headers: { authorization: 'Bearer test-operator-token-0123456789' },
  })
  assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.equal(await answer.text(), stdout)
  const { code, stderr } = await coin.cli(['close', '--date', '2199-01-01'])
  assert.deepEqual([code, /is in the future/.test(stderr)], [1, true])
})

test('the time zone is settled by the first entry', async () => {
  const settleIn = (timezone: string) => db.transaction((tx) => settleTimezone(tx, timezone))
  assert.equal(await settleIn('UTC'), undefined)
  assert.equal(await settleIn('Asia/Kuala_Lumpur'), undefined)
  await settle('2026-11-18', { transfer: 5n })
  assert.equal(await settleIn('UTC'), 'Asia/Kuala_Lumpur')
  assert.equal(await settleIn('Asia/Kuala_Lumpur'), undefined)
})
