// engine: postgres; both in test:long
/** Each part of what the reserve guard is decided on, and that nothing else counts. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import { markRejected } from '../../src/payouts/record-news.ts'
import { readReserveFacts } from '../../src/reserves/facts.sql.ts'
import { readMissing } from '../../src/reserves/proofs.sql.ts'
import { readBankBalances } from '../../src/statements/balances.sql.ts'
import { REFUNDS } from '../../src/values/house.ts'
import { addBatchRow, addSignedLine } from '../support/batch-rows.ts'
import { claimPayouts } from '../support/claim-payouts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { emptyTables } from '../support/empty-tables.ts'
import { bankNotifies, bankSays, bankShows } from '../support/reserve.ts'
import { CUSTOMERS, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { withoutGuards } from '../support/without-guards.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
})
after(() => db.close())
beforeEach(async () => {
  await emptyTables(db)
  await seedTwoOfEverything(db)
})

const DAY_MS = 86_400_000

test('the newest statement of each account counts, with its age, what is booked of it, and credits since that were not taken back', async () => {
  await bankSays(db, 100n, { daysAgo: 3 })
  await bankSays(db, 70n, { daysAgo: 2 })
  await bankSays(db, 40n, { daysAgo: 1, booked: false })
  await bankSays(db, 9n, { bankAccount: 'second' })
  await bankNotifies(db, 5n)
  await bankNotifies(db, -3n)
  const { accounts } = await readReserveFacts(db)
  assert.deepEqual(
    accounts.map(({ ageMs: _, ...rest }) => rest),
    [
      { bankAccount: 'main', closingMicro: 40n, bookedMicro: 70n, creditsSinceMicro: 2n },
      { bankAccount: 'second', closingMicro: 9n, bookedMicro: 9n, creditsSinceMicro: 0n },
    ],
  )
  // Yesterday was over less than a day ago; today is not over.
  const [main, second] = accounts
  assert.ok(main !== undefined && main.ageMs > 0 && main.ageMs < DAY_MS, String(main?.ageMs))
  assert.equal(second?.ageMs, 0)
})

test('a statement is as old as the end of the day that it closes', async () => {
  await bankSays(db, 100n, { daysAgo: 3 })
  const ageMs = (await readReserveFacts(db)).accounts[0]?.ageMs ?? 0
  assert.ok(ageMs > 2 * DAY_MS && ageMs < 3 * DAY_MS, String(ageMs))
})

test('of several statements of a day the last one counts, and one that waits for an earlier one does not', async () => {
  await bankSays(db, 100n, { daysAgo: 1 })
  await bankSays(db, 70n, { daysAgo: 1 })
  await bankSays(db, 8n, { bankAccount: 'second', daysAgo: 1 })
  await bankSays(db, 9n, { bankAccount: 'second', daysAgo: 1 })
  await db.query(
    `insert into bank_statements (bank_account, statement_id, opened_on, opening_micro, closed_on, closing_micro, line_count, digest, content_hash)
     select bank_account, 'waits', closed_on + 1, 5000, closed_on + 1, 6000, 0, repeat('1', 64), content_hash from bank_statements where closing_micro = 70`,
  )
  const { accounts } = await readReserveFacts(db)
  assert.deepEqual(
    accounts.map(({ closingMicro, bookedMicro }) => [closingMicro, bookedMicro]),
    [
      [70n, 70n],
      [9n, 9n],
    ],
  )
})

test('a payout that the bank notifies as given back is no money of ours: it is owed again', async () => {
  await bankSays(db, 40n, { daysAgo: 1 })
  await bankNotifies(db, 5n, { endToEndId: 'SOMEBODYELSE' })
  const orderId = await placeOrder(db, {
    direction: 'REDEEM',
    party: 'a1',
    reference: 'given-back',
    state: 'payoutPending',
  })
  await db.transaction((tx) => queuePayouts(tx, [{ orderId, customerId: CUSTOMERS.a1, amountMicro: 10_000n }]))
  const [payout] = await db.query<{ end_to_end_id: string }>('select end_to_end_id from payouts')
  await bankNotifies(db, 10_000n, { endToEndId: payout?.end_to_end_id ?? '' })
  assert.equal((await readReserveFacts(db)).accounts[0]?.creditsSinceMicro, 5n, 'before any rail was asked')
  // Notified again, in other words and without our id: it may be the very same.
  await bankNotifies(db, 10_000n)
  const claimed = await claimPayouts(db, { rail: 'http', limit: 1, claimMs: 60_000 })
  assert.equal((await readReserveFacts(db)).accounts[0]?.creditsSinceMicro, 5n)
  // The id of an attempt that no longer counts.
  await db.transaction(async (tx) => {
    await markRejected(
      tx,
      { payoutId: claimed[0]?.payoutId ?? '', attempt: 1 },
      { reason: 'x', effectiveAt: new Date() },
    )
    await payoutAdmin.retry(tx, claimed[0]?.payoutId ?? '')
  })
  assert.equal((await readReserveFacts(db)).accounts[0]?.creditsSinceMicro, 5n)
  // That it left is known of the payout.
  await bankNotifies(db, -10_000n, { endToEndId: payout?.end_to_end_id ?? '' })
  assert.equal((await readReserveFacts(db)).accounts[0]?.creditsSinceMicro, 5n)
})

test('what the bank notifies under one reference of its own counts once, whatever days it names, and not at all once a statement shows it', async () => {
  const since = async () => (await readReserveFacts(db)).accounts[0]?.creditsSinceMicro
  await bankSays(db, 40n, { daysAgo: 1 })
  await bankNotifies(db, 5n, { servicerReference: 'TX1' })
  await bankNotifies(db, 5n, { servicerReference: 'TX1', inDays: 4 })
  assert.equal(await since(), 5n, 'the same movement, of another day')
  // Another movement, and one of which the bank gives no reference: nobody knows that it is the same.
  await bankNotifies(db, 6n, { servicerReference: 'TX1', inDays: 3 })
  await bankNotifies(db, 5n, { servicerReference: 'TX2', inDays: 3 })
  await bankNotifies(db, 7n, { inDays: 3 })
  await bankNotifies(db, 7n, { inDays: 4 })
  await bankNotifies(db, 5n, { servicerReference: 'TX1', bankAccount: 'second' })
  assert.equal(await since(), 30n)
  // Debits count as often as they are said.
  await bankNotifies(db, -2n, { servicerReference: 'TX3' })
  await bankNotifies(db, -2n, { servicerReference: 'TX3', inDays: 4 })
  assert.equal(await since(), 26n)
  // The bank has booked on an earlier day what it had announced for tomorrow: it is in the balance.
  await bankShows(db, 5n, 'TX1')
  await bankShows(db, -5n, 'TX2')
  assert.equal(await since(), 21n)
  // Another account of ours has its own references.
  await bankSays(db, 5n, { bankAccount: 'second', daysAgo: 1 })
  await bankShows(db, 7n, 'TX4')
  await bankNotifies(db, 7n, { servicerReference: 'TX4', inDays: 5 })
  await bankNotifies(db, 7n, { servicerReference: 'TX4', inDays: 6, bankAccount: 'second' })
  assert.equal(await since(), 28n)
})

test('what one notification takes apart, and another says as one sum, counts once, and not at all once a statement shows it either way', async () => {
  const since = async () => (await readReserveFacts(db)).accounts[0]?.creditsSinceMicro
  await bankSays(db, 40n, { daysAgo: 1 })
  await bankNotifies(db, 30n, { servicerReference: 'TX1' })
  assert.equal(await since(), 30n)
  await bankNotifies(db, [10n, 20n], { servicerReference: 'TX1' })
  assert.equal(await since(), 30n, 'on the same day')
  await bankNotifies(db, 30n, { servicerReference: 'TX1', inDays: 4 })
  assert.equal(await since(), 30n, 'on another day')
  await bankNotifies(db, [15n, 15n], { servicerReference: 'TX2' })
  await bankNotifies(db, 30n, { servicerReference: 'TX2' })
  assert.equal(await since(), 60n, 'as equal parts, and under another reference')
  // Another sum is another movement; debits count as often as they are said.
  await bankNotifies(db, [10n, 21n], { servicerReference: 'TX1' })
  await bankNotifies(db, [-1n, -2n], { servicerReference: 'TX3' })
  await bankNotifies(db, -3n, { servicerReference: 'TX3', inDays: 4 })
  assert.equal(await since(), 85n)
  // The bank has booked on an earlier day what it had announced for tomorrow.
  await bankShows(db, [5n, 25n], 'TX1')
  assert.equal(await since(), 55n, 'shown apart')
  await bankShows(db, 30n, 'TX2')
  assert.equal(await since(), 25n, 'shown as one sum')
  await bankShows(db, -3n, 'TX3')
  assert.equal(await since(), 31n)
})

test('what statements show and the books do not have yet is told of each account, without what waits for an earlier statement', async () => {
  for (const [bankAccount, amounts] of [
    ['second', [-80n]],
    ['main', [5n, 6n, 7n]],
  ] as const) {
    await bankSays(db, 100n, { bankAccount, daysAgo: 1 })
    for (const amountMicro of amounts) await bankShows(db, amountMicro, `TX${amountMicro}`)
  }
  await db.query(
    `update bank_lines set state = 'unallocated', reason = 'no_match', decided_at = now() where amount_micro = 6`,
  )
  await db.query(
    `insert into bank_statements (bank_account, statement_id, opened_on, opening_micro, closed_on, closing_micro, line_count, digest, content_hash)
     select bank_account, 'waits', closed_on + 1, 5000, closed_on + 1, 6000, 1, repeat('1', 64), content_hash
     from bank_statements where bank_account = 'main'`,
  )
  await bankShows(db, 900n, 'TX900')
  assert.deepEqual(
    (await readBankBalances(db)).map(({ bankAccount, unbookedMicro }) => [bankAccount, unbookedMicro]),
    [
      ['main', 12n],
      ['second', -80n],
    ],
  )
})

test('accounts of the books count on their sides', async () => {
  const effectiveAt = new Date()
  const lines = [
    { account: 'mint_receivable:int_a', amountMicro: 1_111_111n },
    { account: 'coins:1', amountMicro: -100_000n },
    { account: 'coins:2', amountMicro: -1_000_000n },
    { account: 'redeem_payable:int_a', amountMicro: -1_000n },
    { account: 'payout_clearing:http', amountMicro: -10_000n },
    { account: 'residual:int_a', amountMicro: -100n },
    { account: 'fees:int_a', amountMicro: -11n },
  ] as const
  await recordEntries(db, [{ reference: 'one', effectiveAt, lines }])
  assert.deepEqual(await readReserveFacts(db), {
    accounts: [],
    coinsMicro: 1_100_000n,
    payableMicro: 1_000n,
    clearingMicro: 10_000n,
    residualMicro: 100n,
    signedMicro: 0n,
    clearing: { payoutsMicro: 10_000n, extraMicro: 0n, saidPaidMicro: 0n, doubledMicro: 0n },
  })
})

test('what a rail says that it paid is on its way until a statement shows it; what it says came back counts only then', async () => {
  await bankSays(db, 100n)
  const effectiveAt = new Date()
  const lines = [
    { account: 'payout_clearing:http', amountMicro: 30n },
    { account: 'reserve:http', amountMicro: -30n },
    { account: 'reserve:other', amountMicro: 7n },
    { account: 'redeem_payable:int_a', amountMicro: -7n },
    { account: 'coins:1', amountMicro: 34n },
    { account: 'payout_clearing:http', amountMicro: -34n },
  ] as const
  await recordEntries(db, [{ reference: 'paid', effectiveAt, lines }])
  const { clearingMicro, clearing, payableMicro, accounts } = await readReserveFacts(db)
  assert.deepEqual([clearingMicro, payableMicro, accounts.length], [34n, 7n, 1])
  assert.deepEqual([clearing.payoutsMicro, clearing.saidPaidMicro], [4n, 30n])
})

test('mints count as soon as they are signed, until they are booked', async () => {
  const place = (direction: 'MINT' | 'REDEEM', amountMicro: bigint, chainId: number) =>
    placeOrder(db, { direction, party: 'a1', reference: `order-number-${amountMicro}`, amountMicro, chainId })
  const [signed, mined, final, abandoned, redeem] = [
    await place('MINT', 1n, 1),
    await place('MINT', 20n, 2),
    await place('MINT', 300n, 1),
    await place('MINT', 4_000n, 1),
    await place('REDEEM', 50_000n, 1),
  ]
  for (const [index, orderId] of [signed, redeem].entries()) await addSignedLine(db, { orderId, batchId: 3n, index })
  await addBatchRow(db, { chainId: 1, batchId: 3n, status: 'signed', orderIds: [signed, redeem] })
  await addBatchRow(db, { chainId: 2, batchId: 3n, status: 'mined', orderIds: [mined] })
  await addBatchRow(db, { chainId: 1, batchId: 2n, status: 'final', orderIds: [final] })
  await addBatchRow(db, { chainId: 1, batchId: 4n, status: 'abandoned', orderIds: [abandoned] })
  assert.equal((await readReserveFacts(db)).signedMicro, 21n)
})

test('what is minted back for a payout that came back is owed until it is final, and takes no more of the reserve', async () => {
  const orderId = await placeOrder(db, { direction: 'MINT', party: 'a1', reference: 'po_00001' })
  await withoutGuards(db, (tx) =>
    tx.query('update orders set integration_id = $2 where order_id = $1', [orderId, REFUNDS]),
  )
  await addSignedLine(db, { orderId, batchId: 3n })
  await addBatchRow(db, { chainId: 1, batchId: 3n, status: 'signed', orderIds: [orderId] })
  assert.equal((await readReserveFacts(db)).signedMicro, 0n)
})

test('a payment too many is on its way while a rail has it: no other is, nor one that has left', async () => {
  const payments = [
    ['po_1', 100n, true, 'sent'],
    ['po_2', 7n, true, 'sent'],
    ['po_3', 3_000n, true, 'paid'],
    ['po_4', 20_000n, false, 'sent'],
  ] as const
  for (const [payoutId, amountSen, isExtra, status] of payments) {
    await db.query(
      `insert into payouts (payout_id, integration_id, reference_id, customer_id, amount_sen, status, end_to_end_id)
       values ($1, 'int', $1, $2, $3, 'queued', $1)`,
      [payoutId, CUSTOMERS.a1, amountSen],
    )
    await db.query(
      `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, status, is_extra) values ($1, 1, $1, 'http', $2, $3)`,
      [payoutId, status, isExtra],
    )
  }
  const { clearingMicro, clearing } = await readReserveFacts(db)
  assert.deepEqual([clearingMicro, clearing.extraMicro], [1_070_000n, 1_070_000n])
})

test('coin that somebody made without an order is coin', async () => {
  const orderId = await placeOrder(db, { direction: 'MINT', party: 'a1', reference: 'of-an-order' })
  await addBatchRow(db, { chainId: 1, batchId: 3n, status: 'final', isForeign: true, orderIds: [] })
  for (const [index, direction, amountMicro, succeeded, order] of [
    [0, 'MINT', 1_000n, true, null],
    [1, 'REDEEM', 1n, true, null],
    [2, 'MINT', 50_000n, false, null],
    [3, 'MINT', 600_000n, true, orderId],
    [4, 'TRANSFER', 7_000_000n, true, null],
  ] as const) {
    await db.query(
      `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, debit_address,
         amount_micro, succeeded, order_id) values (1, 3, $1, $2, $3, '0x1', $4, $5, $6, $7)`,
      [index, `0x${index}`, direction, direction === 'MINT' ? null : '0x2', amountMicro, succeeded, order],
    )
  }
  // Nobody has said whose coin was burnt: a redeem of it may be lost, and owed.
  assert.equal((await readReserveFacts(db)).coinsMicro, 1_000n)
  await db.query(`insert into batch_explanations (chain_id, batch_id, reason, gives_up) values (1, 3, 'lost', true)`)
  assert.equal((await readReserveFacts(db)).coinsMicro, 1_000n)
  await db.query(`update batch_explanations set reason = 'made good', gives_up = false`)
  assert.equal((await readReserveFacts(db)).coinsMicro, 999n)
  for (const [kind, amountMicro, ended] of [
    ['supply', 20_000n, null],
    ['supply', -1_000n, new Date()],
    ['limit', 300_000n, null],
  ] as const) {
    await db.query(
      `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, amount_micro, pauses, ended_at)
       values (1, $1, 'outside', 1, 2, $2, true, $3)`,
      [kind, amountMicro, ended],
    )
  }
  assert.equal((await readReserveFacts(db)).coinsMicro, 19_999n)
})

test('what others burnt on one chain takes nothing from what they made on another, where it still is', async () => {
  for (const [chainId, amountMicro] of [
    [1, 20_000n],
    [2, -20_000n],
  ] as const)
    await db.query(
      `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, amount_micro, pauses)
       values ($1, 'supply', 'outside', 1, 2, $2, false)`,
      [chainId, amountMicro],
    )
  assert.equal((await readReserveFacts(db)).coinsMicro, 20_000n)
})

test('coin of an order whose batch was lost, or did otherwise, counts as long as nobody has made that good, where the chain has more than the books; where it has less, it is missing', async () => {
  const counts = [
    ['MINT', 'failed', true, 'there'],
    ['MINT', 'completed', false, 'missing'],
    ['REDEEM', 'completed', false, 'there'],
    ['REDEEM', 'failed', false, 'there'],
    ['REDEEM', 'failed', true, 'missing'],
    ['TRANSFER', 'completed', false, 'neither'],
  ] as const
  for (const [direction, state, executed, where] of counts) {
    const reference = `${direction} ${state} ${executed}`
    const orderId = await placeOrder(db, { direction, party: 'a1', reference, state, amountMicro: 7_000n })
    const before = (await readReserveFacts(db)).coinsMicro
    await withoutGuards(db, (tx) =>
      tx.query('insert into lost_orders (order_id, chain_id, batch_id, executed) values ($1, 1, 1, $2)', [
        orderId,
        executed,
      ]),
    )
    assert.equal((await readReserveFacts(db)).coinsMicro - before, where === 'there' ? 7_000n : 0n, reference)
    assert.equal(await readMissing(db), where === 'missing' ? 7_000n : 0n, reference)
    await withoutGuards(db, (tx) => tx.query('update lost_orders set closed_at = now() where order_id = $1', [orderId]))
    assert.equal((await readReserveFacts(db)).coinsMicro, before, `${reference}, made good`)
    assert.equal(await readMissing(db), 0n, `${reference}, made good`)
  }
})

test('a rail of which the books say that it has less than nothing brings nothing back, and hides nothing of another one', async () => {
  const book = (reference: string, rail: string, amountMicro: bigint) =>
    db.transaction((tx) =>
      recordEntries(tx, [
        {
          reference,
          effectiveAt: new Date(),
          lines: [
            { account: `payout_clearing:${rail}`, amountMicro },
            { account: 'mint_receivable:x', amountMicro: -amountMicro },
          ],
        },
      ]),
    )
  await book('sent', 'http', -5n)
  await book('past the service', 'of_nobody', 1_000n)
  const { clearingMicro, clearing } = await readReserveFacts(db)
  assert.deepEqual([clearingMicro, clearing.payoutsMicro], [5n, 5n])
})

test('less than no coin on a chain is room for no mints elsewhere, but for what others have made beside the books', async () => {
  const coinsMicro = async () => (await readReserveFacts(db)).coinsMicro
  const book = (chainId: number, amountMicro: bigint) =>
    db.transaction((tx) =>
      recordEntries(tx, [
        {
          reference: `of chain ${chainId}`,
          effectiveAt: new Date(),
          lines: [
            { account: `coins:${chainId}`, amountMicro: -amountMicro },
            { account: 'mint_receivable:x', amountMicro },
          ],
        },
      ]),
    )
  const made = (amountMicro: bigint) =>
    db.query(
      `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, amount_micro, pauses) values (1, 'supply', 'x', 1, 2, $1, true)`,
      [String(amountMicro)],
    )
  const before = await coinsMicro()
  await book(1, 1_000n)
  await book(987_654, -400n)
  assert.equal(await coinsMicro(), before + 1_000n)
  await made(300n)
  assert.equal(await coinsMicro(), before + 1_000n, 'what others made was burnt there')
  await made(300n)
  assert.equal(await coinsMicro(), before + 1_200n)
})
