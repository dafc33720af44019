// engine: postgres; both in test:long
/**
 * Orders whose tags a foreign batch has, step by step: which take its outcome, which wait, which an operator may release, reject
 * or explain. Nothing here asks a chain.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Address, type Hex, keccak256, toHex } from 'viem'
import type { Queryable } from '../../src/db/database.ts'
import { holdOrders } from '../../src/orders/life/hold.sql.ts'
import { findOrder } from '../../src/orders/read/orders.sql.ts'
import { disownInBatch, explainBatch } from '../../src/settlement/explain/explain.ts'
import { rejectUnsettled } from '../../src/settlement/explain/reject.ts'
import { formBatches } from '../../src/settlement/form/form-batches.ts'
import { endSettled, endSettledAside } from '../../src/settlement/form/settled-tags.ts'
import { holdOf } from '../../src/settlement/holds.ts'
import {
  type ForeignInstruction,
  insertForeignBatch,
  insertTagConflict,
} from '../../src/settlement/tables/foreign.sql.ts'
import { writeHold } from '../../src/settlement/tables/holds.sql.ts'
import { insertMovement } from '../../src/settlement/tables/movements.sql.ts'
import { anyAwaits, type PendingOrder } from '../../src/settlement/tables/waiting.sql.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { placeOrders, seedParties, type TestOrder, wallet } from './fixture.ts'
import { startScripted } from './scripted-settler.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  await seedParties(db)
})
after(() => db.close())

const mint = (amountMicro: bigint, seed = 1): TestOrder => ({ direction: 'MINT', amountMicro, to: wallet(seed) })
const redeem = (amountMicro: bigint): TestOrder => ({ direction: 'REDEEM', amountMicro, from: wallet(1) })

async function begin() {
  const s = await startScripted(db)
  const read = async (orderId: bigint | undefined) => {
    const [row] = await db.query<PendingOrder & { status: string; reason: string | null; conflict: string | null }>(
      `select order_id as "orderId", integration_id as "integrationId", reference_id as "referenceId", direction,
         wallet_address as "walletAddress", debit_address as "debitAddress", amount_micro as "amountMicro", status,
         failure_reason as reason, (select tag from tag_conflicts t where t.order_id = o.order_id) as conflict
       from orders o where order_id = $1`,
      [orderId ?? 0n],
    )
    assert.ok(row)
    return row
  }
  /** What these orders ask for, as instructions of a batch of others; each may differ. */
  async function instructionsOf(orders: readonly bigint[], changes: Partial<ForeignInstruction> = {}) {
    const rows = await Promise.all(orders.map(read))
    return rows.map(
      (order): ForeignInstruction => ({
        tag: orderTag(order.integrationId, order.referenceId),
        direction: order.direction,
        walletAddress: order.walletAddress as Address,
        debitAddress: order.debitAddress as Address | null,
        amountMicro: order.amountMicro,
        ...changes,
      }),
    )
  }
  const kept = new Map<bigint, bigint>()
  s.says.outcome = (batchId) => {
    const successBitmap = kept.get(batchId)
    return successBitmap === undefined
      ? { settled: false, digest: ZERO }
      : { settled: true, digest: KEPT, successBitmap }
  }
  const keep = (
    batchId: bigint,
    instructions: readonly ForeignInstruction[],
    successBitmap = 2n ** 20n - 1n,
    settledAt = new Date(0),
  ) => {
    kept.set(batchId, successBitmap)
    return db.transaction((tx) =>
      insertForeignBatch(
        tx,
        s.chainId,
        {
          batchId,
          signer: '0x51',
          nonce: batchId,
          digest: KEPT,
          runningHash: '0xd2',
          successBitmap,
          txHash: hashOf(`${s.chainId}/${batchId}`),
          blockNumber: 5n,
          blockHash: '0xb5',
          settledAt,
          instructions,
        },
        1n,
      ),
    )
  }
  return {
    ...s,
    read,
    instructionsOf,
    keep,
    place: (...orders: TestOrder[]) => placeOrders(db, s.work.chain.config, orders),
    end: async (...orders: bigint[]) =>
      await endSettled(s.work, { ...s.head(), finalBlock: 40n }, await Promise.all(orders.map(read))),
    inTx: <T>(work: (tx: Queryable) => Promise<T>) => db.transaction(work),
    taken: async () =>
      (
        await db.query<{ line: string }>(
          `select batch_id || '/' || instruction_index || ' ' || order_id as line from foreign_instructions
           where chain_id = $1 and order_id is not null order by 1`,
          [s.chainId],
        )
      ).map(({ line }) => line),
  }
}
const [ZERO, KEPT] = [`0x${'00'.repeat(24)}`, `0x${'d1'.repeat(24)}`] as const
const hashOf = (text: string): Hex => keccak256(toHex(text))

test('an order that others have settled takes that outcome, good or bad, and others go on', async () => {
  const s = await begin()
  const [good = 0n, bad = 0n, other = 0n] = await s.place(mint(5n), mint(6n), mint(7n))
  await s.keep(1n, await s.instructionsOf([good, bad]), 0b01n)
  assert.equal((await s.end(good, bad, other)).areAny, true)
  assert.deepEqual(
    [(await s.read(good)).status, (await s.read(bad)).status, (await s.read(other)).status],
    ['completed', 'failed', 'pending'],
  )
  assert.deepEqual(await s.taken(), [`1/0 ${good}`, `1/1 ${bad}`])
  assert.deepEqual(
    s.logged.map(({ level, fields }) => [level, fields.batchId, fields.index]),
    [
      ['warn', '1', 0],
      ['warn', '1', 1],
    ],
  )
  assert.equal((await s.end(other)).areAny, false)
})

test('what an order takes from others counts in the books from the time of its block, and not after now', async () => {
  const s = await begin()
  const [order = 0n, ahead = 0n] = await s.place(mint(5n), mint(6n))
  const minedAt = new Date('2026-03-04T05:06:07Z')
  await s.keep(1n, await s.instructionsOf([order]), 1n, minedAt)
  await s.keep(2n, await s.instructionsOf([ahead]), 1n, new Date('2226-01-01T00:00:00Z'))
  await s.end(order, ahead)
  const entries = await db.query<{ at: Date; day: string; isAhead: boolean }>(
    `select effective_at as at, day::text, effective_at > now() as "isAhead" from ledger_entries
     where reference like 'batch/' || $1::text || '/%' order by reference`,
    [String(s.chainId)],
  )
  assert.deepEqual(entries[0], { at: minedAt, day: '2026-03-04', isAhead: false })
  assert.deepEqual([entries.length, entries[1]?.isAhead], [2, false])
})

test('an order in conflict is kept out with its tag, and said to be', async () => {
  const s = await begin()
  const [order = 0n] = await s.place(mint(5n))
  const [instruction] = await s.instructionsOf([order], { amountMicro: 4n })
  await s.keep(1n, instruction ? [instruction] : [])
  assert.equal((await s.end(order)).areAny, true)
  const { status, conflict } = await s.read(order)
  assert.deepEqual([status, conflict, await s.taken()], ['pending', instruction?.tag, []])
  assert.equal(await anyAwaits(db, s.chainId), false)
  assert.deepEqual(
    s.logged.map(({ level, fields }) => [level, fields.referenceId]),
    [['error', (await s.read(order)).referenceId]],
  )
})

test('a mint that waits for its payment takes the outcome of what others minted for it, and a conflict leaves it alone', async () => {
  const s = await begin()
  const [paid = 0n, other = 0n, early = 0n] = await s.place(mint(5n), mint(6n), mint(7n))
  await withoutGuards(db, (tx) =>
    tx.query("update orders set status = 'payment_pending' where order_id = any ($1::bigint[])", [
      [paid, other, early] as never,
    ]),
  )
  await s.keep(1n, await s.instructionsOf([early]))
  await s.keep(2n, [
    ...(await s.instructionsOf([paid])),
    ...(await s.instructionsOf([other], { tag: '0x0000000000000009' })),
  ])
  await s.inTx((tx) => endSettledAside(tx, s.chainId, 2n))
  assert.deepEqual(await Promise.all([paid, other, early].map(async (each) => (await s.read(each)).status)), [
    'completed',
    'payment_pending',
    'payment_pending',
  ])
  assert.deepEqual(await s.taken(), [`2/0 ${paid}`])
})

test('an order that is above a limit by now takes the outcome of what others have settled for it, too', async () => {
  const s = await begin()
  s.says.bucket = () => ({ available: 10n, capacity: 10n })
  const [settled = 0n, other = 0n, waiting = 0n] = await s.place(mint(11n), mint(12n), mint(13n))
  await s.keep(1n, [...(await s.instructionsOf([settled])), ...(await s.instructionsOf([other], { amountMicro: 1n }))])
  await formBatches(s.work, { ...s.head(), finalBlock: 40n }, await s.inFlight())
  const after = await Promise.all([settled, other, waiting].map(s.read))
  assert.deepEqual(
    after.map(({ status, conflict }) => [status, conflict !== null]),
    [
      ['completed', false],
      ['pending', true],
      ['pending', false],
    ],
  )
  assert.deepEqual(s.counted.filter(([name]) => name === 'oversizedOrders').at(-1), ['oversizedOrders', s.chainId, 1])
})

test('a held order takes the outcome of what others have settled for it, and a conflict leaves it alone', async () => {
  const s = await begin()
  const [settled = 0n, other = 0n, early = 0n] = await s.place(mint(5n), mint(6n), mint(7n))
  await s.inTx((tx) =>
    holdOrders(
      tx,
      [settled, other, early].map((orderId) => ({ orderId, reason: 'a test' })),
    ),
  )
  await s.keep(1n, [...(await s.instructionsOf([settled])), ...(await s.instructionsOf([other], { amountMicro: 1n }))])
  await s.inTx((tx) => endSettledAside(tx, s.chainId, 1n))
  assert.deepEqual(await Promise.all([settled, other, early].map(async (each) => (await s.read(each)).status)), [
    'completed',
    'pending',
    'pending',
  ])
  assert.deepEqual(
    await db.query('select order_id from order_holds where order_id = any ($1::bigint[]) order by 1', [
      [settled, other, early] as never,
    ]),
    [{ order_id: other }, { order_id: early }],
  )
})

/** Whatever writes this order's row fails meanwhile. */
async function refusing(order: bigint, work: () => Promise<void>): Promise<void> {
  await db.query(
    `create function refuse_order() returns trigger language plpgsql as $$ begin raise 'a bad day'; end $$`,
  )
  await db.query(
    `create trigger refuse_order before update on orders for each row when (new.order_id = ${order}) execute function refuse_order()`,
  )
  try {
    await work()
  } finally {
    await db.query('drop trigger refuse_order on orders')
    await db.query('drop function refuse_order')
  }
}

test('an order that was settled before and cannot be ended stops no other, enters no batch, and is ended once it can be', async () => {
  const s = await begin()
  const [settled = 0n, stuck = 0n, late = 0n, other = 0n] = await s.place(mint(5n), mint(6n), mint(7n), mint(8n))
  await s.keep(1n, await s.instructionsOf([settled, stuck, late]))
  await db.query('update chains set next_batch_id = 2 where chain_id = $1', [s.chainId])
  const form = async () => {
    for (let rounds = 0; rounds < 9; rounds += 1)
      if (!(await formBatches(s.work, { ...s.head(), finalBlock: 40n }, await s.inFlight()))) return
    assert.fail('it never ends')
  }
  const states = async () =>
    await Promise.all(
      [settled, stuck, late, other].map(async (order) => {
        const lines = await db.query('select from signed_orders where order_id = $1 and batch_id is not null', [order])
        return lines.length > 0 ? 'signed' : (await s.read(order)).status
      }),
    )
  await refusing(stuck, async () => {
    await form()
    assert.deepEqual(await states(), ['completed', 'pending', 'completed', 'signed'])
    const { referenceId, integrationId } = await s.read(stuck)
    assert.deepEqual(holdOf(s.work.memory), {
      reason: 'batch-undecided',
      details: { batchId: '1', order: `${integrationId}/${referenceId}`, error: 'a bad day' },
    })
    assert.ok(s.logged.some(({ level, fields }) => level === 'error' && fields.referenceId === referenceId))
  })
  await form()
  assert.deepEqual(await states(), ['completed', 'completed', 'completed', 'signed'])
  assert.equal(holdOf(s.work.memory).reason, 'none')
})

test('a held order that cannot be ended keeps no batch of others from being kept, and no other order from its end', async () => {
  const s = await begin()
  const [stuck = 0n, settled = 0n] = await s.place(mint(5n), mint(6n))
  await s.inTx((tx) =>
    holdOrders(
      tx,
      [stuck, settled].map((orderId) => ({ orderId, reason: 'a test' })),
    ),
  )
  await s.keep(1n, await s.instructionsOf([stuck, settled]))
  await refusing(stuck, async () => {
    const left = await s.inTx((tx) => endSettledAside(tx, s.chainId, 1n))
    assert.deepEqual(
      left.map(({ verdict, error }) => [verdict.order.orderId, (error as Error).message]),
      [[stuck, 'a bad day']],
    )
  })
  assert.deepEqual([(await s.read(stuck)).status, (await s.read(settled)).status], ['pending', 'completed'])
  assert.equal((await db.query('select from order_holds where order_id = $1', [stuck])).length, 1)
})

test('a foreign batch is explained once, not while an order waits because of it, and its movement ends with that', async () => {
  const s = await begin()
  const explain = (batchId: bigint) => s.inTx((tx) => explainBatch(tx, { chainId: s.chainId, batchId }, 'a test'))
  assert.deepEqual(await explain(1n), { refused: 'no_batch' })
  await s.store({ batchId: 9n, status: 'final' })
  assert.deepEqual(await explain(9n), { refused: 'own_batch' })
  const [order = 0n, also = 0n] = await s.place(mint(5n), mint(6n))
  await s.keep(1n, await s.instructionsOf([order, also], { amountMicro: 4n }))
  for (const [batchId, digest] of [
    [1n, KEPT],
    [1n, '0xd'],
    [2n, KEPT],
  ] as const) {
    const seen = { kind: 'batch', details: 'x', afterBlock: 1n, seenBlock: 2n, transactions: [], pauses: true } as const
    await s.inTx((tx) => insertMovement(tx, s.chainId, { ...seen, batchId, digest }))
  }
  const open = async () =>
    (
      await db.query<{ batch_id: bigint; digest: string }>(
        'select batch_id, digest from foreign_movements where chain_id = $1 and ended_at is null order by movement_id',
        [s.chainId],
      )
    ).map(({ batch_id: batchId, digest }) => [batchId, digest])
  await s.end(order)
  const { integrationId, referenceId } = await s.read(order)
  assert.deepEqual(await explain(1n), { refused: 'orders_wait', orders: [`${integrationId}/${referenceId}`] })
  assert.equal((await open()).length, 3)
  await db.query('delete from tag_conflicts where order_id = $1', [order])
  assert.equal(await explain(1n), 'explained')
  const others = [
    [1n, '0xd'],
    [2n, KEPT],
  ]
  assert.deepEqual(
    await open(),
    others,
    'what another one moved under its id, before a reorganisation, is not explained',
  )
  assert.deepEqual(await db.query('select batch_id, reason from batch_explanations where chain_id = $1', [s.chainId]), [
    { batch_id: 1n, reason: 'a test' },
  ])
  assert.deepEqual(await explain(1n), { refused: 'explained_already' })
})

test('an order of which somebody has written that it waits for what has another tag is let go, and what has its own is compared', async () => {
  const s = await begin()
  const [other = 0n, strange = 0n, settled = 0n] = await s.place(mint(5n), mint(6n), mint(7n))
  await s.keep(1n, await s.instructionsOf([other], { amountMicro: 4n }))
  await s.keep(2n, await s.instructionsOf([settled], { amountMicro: 8n }))
  const { integrationId, referenceId } = await s.read(other)
  for (const order of [strange, settled])
    await s.inTx((tx) => insertTagConflict(tx, s.chainId, order, orderTag(integrationId, referenceId)))
  const disown = async (order: bigint, batchId: bigint) => {
    const name = await s.read(order)
    const said = await s.inTx((tx) => disownInBatch(tx, { chainId: s.chainId, batchId }, name, undefined))
    return 'refused' in said ? said.refused : [said.next, said.chosen]
  }
  assert.equal(await disown(strange, 2n), 'none_chosen')
  for (const order of [strange, settled]) assert.deepEqual(await disown(order, 1n), ['settles', []])
  for (const order of [strange, settled]) await s.end(order)
  assert.deepEqual([(await s.read(strange)).conflict, (await s.read(settled)).conflict !== null], [null, true])
  assert.equal(await disown(settled, 2n), 'would_settle_twice')
})

test('a word about instructions is about that batch and index; the order is let go when nothing is left to say', async () => {
  const s = await begin()
  const [order = 0n] = await s.place(mint(5n))
  const name = await s.read(order)
  const disown = (batchId: bigint, index?: number) =>
    s.inTx(async (tx) => {
      const said = await disownInBatch(tx, { chainId: s.chainId, batchId }, name, index)
      return 'refused' in said ? said.refused : said.next
    })
  assert.equal(await disown(1n), 'no_batch')
  await s.store({ batchId: 9n, status: 'final' })
  assert.equal(await disown(9n), 'own_batch')
  // Somebody saw its tag: it was signed here before.
  await withoutGuards(db, async (tx) => {
    await tx.query('insert into signed_orders (order_id, batch_id, since) values ($1, null, now())', [order])
  })
  const stolen = (amountMicro: bigint) => s.instructionsOf([order], { amountMicro })
  await s.keep(1n, [...(await stolen(1n)), ...(await stolen(2n))])
  await s.keep(2n, [...(await stolen(3n)), ...(await stolen(4n))])
  assert.equal(await disown(1n), 'not_in_conflict')
  await s.end(order)
  const notOf = async () =>
    (
      await db.query<{ line: string }>(
        `select batch_id || '/' || instruction_index as line from foreign_instructions
         where chain_id = $1 and not_of_order_id = $2 order by 1`,
        [s.chainId, order],
      )
    ).map(({ line }) => line)
  assert.equal(await disown(2n, 1), 'waits')
  assert.deepEqual([await notOf(), (await s.read(order)).conflict !== null], [['2/1'], true])
  assert.equal(await disown(2n, 5), 'none_chosen')
  assert.equal(await disown(1n), 'waits')
  assert.deepEqual(await notOf(), ['1/0', '1/1', '2/1'])
  assert.equal(await disown(2n, 0), 'settles')
  assert.deepEqual([await notOf(), (await s.read(order)).conflict], [['1/0', '1/1', '2/0', '2/1'], null])
  assert.equal(await anyAwaits(db, s.chainId), true)
})

test('an order is rejected only where it was certainly neither signed nor settled by others, and its conflict ends', async () => {
  const s = await begin()
  const [order = 0n, settled = 0n, conflicting = 0n, signed = 0n] = await s.place(
    mint(5n),
    mint(6n),
    mint(7n),
    mint(8n),
  )
  const reject = async (orderId: bigint) => {
    const { integrationId, referenceId } = await s.read(orderId)
    const found = await findOrder(db, integrationId, referenceId)
    assert.ok(found)
    return await s.inTx((tx) => rejectUnsettled(tx, found, []))
  }
  const publish = (reason: string) => writeHold(db, s.chainId, { reason: reason as 'none', details: null, blocked: [] })
  assert.equal(await reject(order), 'unsure', 'nobody says that the batches of the chain are known')
  for (const reason of ['batch-conflict', 'other-chain-unread']) {
    await publish(reason)
    assert.equal(await reject(order), 'unsure', reason)
  }
  await publish('none')
  assert.equal(await reject(order), 'rejected')
  assert.deepEqual([(await s.read(order)).status, (await s.read(order)).reason], ['failed', 'rejected'])
  assert.equal(await reject(order), 'signed', 'it has ended')

  const [other] = await s.instructionsOf([conflicting], { amountMicro: 1n })
  const [same] = await s.instructionsOf([settled])
  await s.keep(1n, other && same ? [other, same, { ...same, amountMicro: 9n }] : [])
  await s.end(conflicting, settled)
  assert.equal(await reject(settled), 'settled', 'one of several is its own')
  assert.equal(await reject(conflicting), 'rejected')
  assert.equal((await s.read(conflicting)).conflict, null)
  await db.query('update foreign_instructions set not_of_order_id = $2 where chain_id = $1 and instruction_index = 1', [
    s.chainId,
    settled,
  ])
  assert.equal(await reject(settled), 'rejected', 'an operator has said that it is not')

  await withoutGuards(db, async (tx) => {
    await tx.query('insert into signed_orders (order_id, batch_id, batch_index, since) values ($1, 5, 0, now())', [
      signed,
    ])
  })
  assert.equal(await reject(signed), 'signed')
  assert.equal((await s.read(signed)).status, 'pending')
})

test('a redeem is rejected whose coin a lost history has burnt, and minted back because its partner was told that it failed; not while that is burnt more often', async () => {
  const s = await begin()
  const [burnt = 0n, back = 0n, twice = 0n] = await s.place(redeem(5n), redeem(6n), redeem(7n))
  await writeHold(db, s.chainId, { reason: 'none', details: null, blocked: [] })
  const burns = await s.instructionsOf([burnt, back, twice])
  const asMint = { direction: 'MINT', debitAddress: null } as const
  const [other] = await s.instructionsOf([burnt], { ...asMint, amountMicro: 4n })
  const mints = await s.instructionsOf([back, twice], asMint)
  await s.keep(1n, burns)
  await s.keep(2n, other === undefined ? mints : [other, ...mints])
  await s.keep(3n, burns.slice(2))
  await s.end(burnt, back, twice)
  const reject = async (orderId: bigint) => {
    const { integrationId, referenceId } = await s.read(orderId)
    const found = await findOrder(db, integrationId, referenceId)
    assert.ok(found)
    return await s.inTx((tx) => rejectUnsettled(tx, found, []))
  }
  assert.equal(await reject(burnt), 'settled', 'not all of it was minted back')
  assert.equal(await reject(twice), 'settled', 'once more than it was minted back')
  assert.equal(await reject(back), 'rejected')
  const { status, conflict } = await s.read(back)
  assert.deepEqual([status, conflict], ['failed', null])
  assert.deepEqual(await db.query('select from payouts where order_id = $1', [back]), [])
})
