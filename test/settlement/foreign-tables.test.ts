// engine: postgres; both in test:long
/**
 * Every statement about foreign batches, objections and limits over two chains with equal ids: each of its conditions is
 * met by all rows but one, which must not be found.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import {
  nameGivenUp,
  readAwaited,
  readEndedAlike,
  readUnpaidAlike,
} from '../../src/settlement/tables/ended-alike.sql.ts'
import {
  deleteExplanations,
  deleteTagConflict,
  insertExplanation,
  insertGivenUp,
  isGivenUp,
  lockConflict,
  markNotOf,
  readForeignState,
} from '../../src/settlement/tables/explanations.sql.ts'
import {
  forgetForeignFrom,
  insertForeignBatch,
  insertTagConflict,
  nameOrder,
  readSettledTags,
} from '../../src/settlement/tables/foreign.sql.ts'
import { writeLimits } from '../../src/settlement/tables/limits.sql.ts'
import { forgetFound } from '../../src/settlement/tables/lost.sql.ts'
import { readObjections } from '../../src/settlement/tables/objections.sql.ts'
import { noteOtherOutcome } from '../../src/settlement/tables/taken.sql.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { addSignedLine } from '../support/batch-rows.ts'
import type { TestDatabase } from '../support/database.ts'
import { dropGuards } from '../support/without-guards.ts'
import { changesOf } from './changes.ts'
import { wallet } from './fixture.ts'
import { PARTIES } from './parties.ts'
import { attemptsOf, nonceOf, plantedDatabase, SIGNERS } from './shadow.ts'

const [A, B] = [31_337, 31_338]
const [ONE, OTHER] = PARTIES

let db: TestDatabase
before(async () => {
  db = await plantedDatabase([B, A])
})
after(() => db.close())

/** Runs `work` on rows that no guard keeps from being planted, and rolls everything back. */
async function onPlanted<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
  return (
    await changesOf(db, async (tx) => {
      await dropGuards(tx)
      return await work(tx)
    })
  ).result
}

const ORDER = {
  chainId: A,
  status: 'failed',
  direction: 'MINT',
  wallet: wallet(1),
  debit: null as string | null,
  amount: 5n,
  party: ONE as (typeof PARTIES)[number],
  reference: 'reference',
  customerId: undefined as string | undefined,
  isRequeued: false,
}

async function addOrder(tx: Queryable, changes: Partial<typeof ORDER> = {}): Promise<bigint> {
  const order = { ...ORDER, ...changes }
  const [row] = await tx.query<{ order_id: bigint }>(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address,
       debit_address, customer_id, key_id, amount_micro, failure_reason, batch_id, batch_index, block_number, tx_hash)
     values ($1, $2, $3, $4::text, $5, 'network', 'token', $6, $7, $8, $9, $10, case when $4 = 'failed' then 'rejected' end,
       case when $4 in ('completed', 'processing') then 1 end, case when $4 in ('completed', 'processing') then 0 end,
       case when $4 in ('completed', 'processing') then 9 end, case when $4 in ('completed', 'processing') then sha256('t') end)
     returning order_id`,
    [
      order.party.integrationId,
      order.reference,
      order.direction,
      order.status,
      order.chainId,
      order.wallet,
      order.debit,
      order.customerId ?? order.party.customerId,
      order.party.keyId,
      order.amount,
    ],
  )
  if (order.isRequeued) await addSignedLine(tx, { orderId: row?.order_id ?? 0n, batchId: null })
  return row?.order_id ?? 0n
}

const INSTRUCTION = {
  chainId: A,
  batchId: 5n,
  index: 0,
  tag: orderTag(ONE.integrationId, ORDER.reference) as string,
  direction: 'MINT',
  wallet: wallet(1),
  amount: 5n,
  succeeded: true,
  orderId: null as bigint | null,
  notOfOrderId: null as bigint | null,
}

async function addInstruction(tx: Queryable, changes: Partial<typeof INSTRUCTION> = {}): Promise<void> {
  const each = { ...INSTRUCTION, ...changes }
  await tx.query(
    `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded,
       order_id, not_of_order_id) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      each.chainId,
      each.batchId,
      each.index,
      each.tag,
      each.direction,
      each.wallet,
      each.amount,
      each.succeeded,
      each.orderId,
      each.notOfOrderId,
    ],
  )
}

type Pair = { order?: Partial<typeof ORDER>; instruction?: Partial<typeof INSTRUCTION>; isNotIts?: boolean }

/** What `find` finds of an order and an instruction, which are alike but for these changes. */
const foundOf = <T>(find: (tx: Queryable) => Promise<T[]>, { order, instruction, isNotIts = false }: Pair = {}) =>
  onPlanted(async (tx) => {
    const orderId = await addOrder(tx, order)
    await addInstruction(tx, { ...instruction, ...(isNotIts ? { notOfOrderId: orderId } : {}) })
    return { orderId, found: await find(tx) }
  })

test('an order that ended without coin is found by everything in which it is like an instruction that moved some', async () => {
  const find = (tx: Queryable) => readEndedAlike(tx, A, { first: 5n, last: 6n })
  const alike = {
    index: 0,
    integrationId: ONE.integrationId,
    referenceId: ORDER.reference,
    status: 'failed',
    tag: orderTag(ONE.integrationId, ORDER.reference),
  }
  const cases: [Pair, object][] = [
    [{}, { batchId: 5n }],
    [{ instruction: { batchId: 6n } }, { batchId: 6n }],
    [{ order: { status: 'cancelled' } }, { batchId: 5n, status: 'cancelled' }],
  ]
  for (const [pair, changes] of cases) {
    const { orderId, found } = await foundOf(find, pair)
    assert.deepEqual(found, [{ orderId, ...alike, ...changes }])
  }
  const others: Record<string, Pair> = {
    'an order of another chain': { order: { chainId: B } },
    'an instruction of another chain': { instruction: { chainId: B }, order: { chainId: B } },
    'another wallet': { instruction: { wallet: wallet(2) } },
    'another kind': { instruction: { direction: 'REDEEM' } },
    'another amount': { instruction: { amount: 6n } },
    'an order that has its coin': { order: { status: 'completed' } },
    'a batch before': { instruction: { batchId: 4n } },
    'a batch behind': { instruction: { batchId: 7n } },
    'an instruction that moved nothing': { instruction: { succeeded: false } },
    'one whose outcome another order has': { instruction: { orderId: 1n } },
    'one that an operator has said not to be its': { isNotIts: true },
    'another tag': { order: { reference: 'another one' } },
  }
  for (const [name, pair] of Object.entries(others)) assert.deepEqual((await foundOf(find, pair)).found, [], name)
})

test('of orders that were given up, however many are alike, each is named for what the chain has with its tag, and none twice', async () => {
  const MANY = 150
  const { ids, named } = await onPlanted(async (tx) => {
    const ids: bigint[] = []
    for (let number = 0; number < MANY; number += 1) {
      const reference = `reference ${number}`
      const orderId = await addOrder(tx, { status: 'completed', reference })
      ids.push(orderId)
      await tx.query('insert into lost_orders (order_id, chain_id, batch_id) values ($1, $2, 1)', [orderId, A])
      const tag = orderTag(ONE.integrationId, reference)
      for (const batchId of [5n, 6n]) await addInstruction(tx, { batchId, index: MANY - number, tag })
    }
    await nameGivenUp(tx, A, { first: 5n, last: 6n })
    const named = await tx.query<{ orderId: bigint; batchId: bigint; index: number }>(
      `select order_id as "orderId", batch_id as "batchId", instruction_index::int as index from foreign_instructions
       where order_id is not null order by 1`,
    )
    return { ids, named }
  })
  assert.deepEqual(
    named,
    ids.map((orderId, number) => ({ orderId, batchId: 5n, index: MANY - number })),
  )
})

test('of one batch that has done otherwise only what it has is named, and nothing of which people have said that it is not the order’s', async () => {
  const named = await onPlanted(async (tx) => {
    for (const index of [1, 2, 3]) {
      const reference = `reference ${index}`
      const orderId = await addOrder(tx, { status: 'completed', reference })
      await tx.query('insert into lost_orders (order_id, chain_id, batch_id) values ($1, $2, 1)', [orderId, A])
      const tag = orderTag(ONE.integrationId, reference)
      await addInstruction(tx, { batchId: 5n, index, tag, notOfOrderId: index === 3 ? orderId : null })
    }
    const other = { first: 5n, last: 5n, indexes: [2, 3] }
    await nameGivenUp(tx, A, other)
    const rows = await tx.query<{ index: number }>(
      'select instruction_index::int as index from foreign_instructions where order_id is not null',
    )
    const { found } = await forgetFound(tx, A, { ...other, indexes: [1] })
    return { rows, found, forgotten: (await forgetFound(tx, A, other)).found.length }
  })
  assert.deepEqual(named, { rows: [{ index: 2 }], found: [], forgotten: 1 })
})

test('a redeem that was called burnt is named for the burn that the chain has, unless the batch is there that burnt it', async () => {
  const [FINAL, ABANDONED] = [1n, 7n]
  for (const burntBy of [ABANDONED, FINAL]) {
    const { orderId, named } = await onPlanted(async (tx) => {
      const burn = { direction: 'REDEEM', amount: 78n }
      const orderId = await addOrder(tx, { ...burn, status: 'processing', debit: wallet(1) })
      await tx.query('update orders set batch_id = $2 where order_id = $1', [orderId, burntBy])
      const listed =
        'update batches set order_ids = array[$3::bigint], order_count = 1 where chain_id = $1 and batch_id = $2'
      await tx.query(listed, [A, burntBy, orderId])
      await addInstruction(tx, { ...burn, batchId: 8n })
      await tx.query('update foreign_instructions set debit_address = wallet_address where amount_micro = 78')
      await nameGivenUp(tx, A, { first: 8n, last: 8n })
      const named = await tx.query<{ id: bigint | null }>(
        'select order_id as id from foreign_instructions where amount_micro = 78',
      )
      return { orderId, named }
    })
    assert.deepEqual(named, [{ id: burntBy === FINAL ? null : orderId }])
  }
})

test('of orders that ended without coin, or wait for an outcome, all are found, however many are alike', async () => {
  const MANY = 150
  for (const status of ['cancelled', 'pending']) {
    const { ended, awaited } = await onPlanted(async (tx) => {
      for (let number = 0; number < MANY; number += 1) {
        const reference = `reference ${number}`
        await addOrder(tx, { status, reference })
        await addInstruction(tx, { index: number, tag: orderTag(ONE.integrationId, reference) })
      }
      return {
        ended: await readEndedAlike(tx, A, { first: 5n, last: 5n }),
        awaited: await readAwaited(tx, A, 5n),
      }
    })
    assert.deepEqual([ended.length, awaited.size], status === 'pending' ? [0, MANY] : [MANY, 0])
  }
})

test('mints that wait for their payment are found by everything in which a foreign mint is like them', async () => {
  const find = (tx: Queryable) => readUnpaidAlike(tx, A, 5n)
  const unpaid = { status: 'payment_pending', amount: 77n }
  const same = { amount: 77n }
  const { orderId, found } = await foundOf(find, { order: unpaid, instruction: same })
  assert.deepEqual(found, [
    {
      orderId,
      integrationId: ONE.integrationId,
      referenceId: ORDER.reference,
      direction: 'MINT',
      walletAddress: wallet(1),
      debitAddress: null,
      amountMicro: 77n,
    },
  ])
  const behind = await foundOf(find, { order: unpaid, instruction: { ...same, batchId: 6n } })
  assert.equal(behind.found.length, 1)
  const others: Record<string, Pair> = {
    'an order of another chain': { order: { ...unpaid, chainId: B }, instruction: same },
    'both of another chain': { order: { ...unpaid, chainId: B }, instruction: { ...same, chainId: B } },
    'another wallet': { order: unpaid, instruction: { ...same, wallet: wallet(2) } },
    'a paid one': { order: { ...unpaid, status: 'pending' }, instruction: same },
    'another amount': { order: unpaid, instruction: { amount: 78n } },
    'an earlier batch': { order: unpaid, instruction: { ...same, batchId: 4n } },
    'another kind': { order: unpaid, instruction: { ...same, direction: 'TRANSFER' } },
    'one whose outcome another order has': { order: unpaid, instruction: { ...same, orderId: 1n } },
  }
  for (const [name, pair] of Object.entries(others)) assert.deepEqual((await foundOf(find, pair)).found, [], name)
})

test('of several mints that wait for their payment each is named once, the oldest first', async () => {
  const found = await onPlanted(async (tx) => {
    const unpaid = { status: 'payment_pending', amount: 77n }
    const ids = [await addOrder(tx, { ...unpaid, party: OTHER }), await addOrder(tx, unpaid)]
    for (const index of [0, 1]) await addInstruction(tx, { amount: 77n, index })
    return { ids, orders: await readUnpaidAlike(tx, A, 5n) }
  })
  assert.deepEqual(
    found.orders.map(({ orderId }) => orderId),
    found.ids,
  )
})

test('the instructions with a tag are those of one chain, with their batch’s outcome, in their order', async () => {
  const tag = '0xaaaaaaaaaaaaaaaa'
  const settled = await onPlanted(async (tx) => {
    await tx.query(
      `update batches set success_bitmap = batch_id * 10 + case chain_id when $1 then 0 else 1 end where status = 'final'`,
      [A],
    )
    for (const [batchId, index] of [
      [2n, 0],
      [1n, 2],
      [1n, 1],
    ] as const)
      await addInstruction(tx, { batchId, index, tag, orderId: batchId === 2n ? 3n : null, succeeded: index === 1 })
    await addInstruction(tx, { chainId: B, batchId: 1n, index: 3, tag })
    await addInstruction(tx, { batchId: 2n, index: 9, tag: '0xbbbbbbbbbbbbbbbb', notOfOrderId: 4n })
    return [await readSettledTags(tx, [tag]), await readSettledTags(tx, [tag, '0xbbbbbbbbbbbbbbbb'])] as const
  })
  assert.deepEqual(
    settled[0].map((each) => [
      each.chainId,
      each.batchId,
      each.index,
      each.successBitmap,
      each.orderId,
      each.succeeded,
    ]),
    [
      [A, 1n, 1, 10n, null, true],
      [A, 1n, 2, 10n, null, false],
      [A, 2n, 0, 20n, 3n, false],
      [B, 1n, 3, 11n, null, true],
    ],
  )
  assert.deepEqual(settled[1].at(3)?.notOfOrderId, 4n)
  assert.equal(settled[1].length, 5)
})

/** Instructions at equal places: in two batches and at two indices, on both chains. */
async function addAround(tx: Queryable): Promise<void> {
  for (const chainId of [A, B])
    for (const batchId of [1n, 2n]) for (const index of [1, 2]) await addInstruction(tx, { chainId, batchId, index })
}

test('an outcome is taken by one order, of one instruction, for ever', async () => {
  const { changes } = await changesOf(db, async (tx) => {
    await dropGuards(tx)
    await addAround(tx)
    const [, instruction] = await readSettledTags(tx, [INSTRUCTION.tag as `0x${string}`])
    assert.ok(instruction !== undefined)
    await nameOrder(tx, A, instruction, 11n)
    await nameOrder(tx, A, instruction, 12n)
  })
  const named = changes.filter((line) => /order_id=1[12]/.test(line) && !/not_of_order_id=1[12]/.test(line))
  assert.deepEqual(
    named.map((line) => line.replace(/: .*/, '')),
    [`foreign_instructions ${A}/1/2`],
  )
  assert.match(named[0] ?? '', / order_id=11 /)
})

test('another outcome of a batch is that of its instructions alone: what moved coin for an order stays its, and what did not is taken no more', async () => {
  const takers: Record<number, bigint> = { 1: 11n, 2: 12n, 254: 13n }
  const { changes } = await changesOf(db, async (tx) => {
    await dropGuards(tx)
    for (const chainId of [A, B])
      for (const batchId of [21n, 22n])
        for (const index of [0, 1, 2, 254])
          await addInstruction(tx, {
            chainId,
            batchId,
            index,
            succeeded: index < 2,
            orderId: batchId === 22n && chainId === A ? (takers[index] ?? null) : null,
          })
    await noteOtherOutcome(tx, A, { batchId: 22n, successBitmap: 1n << 254n })
  })
  const outcomes = changes.filter((line) => line.startsWith('foreign_instructions'))
  assert.deepEqual(
    outcomes
      .map(
        (line) =>
          `${line.replace(/: .*/, '')} ${/succeeded=(\w+)/.exec(line)?.[1]} ${/ order_id=(\w+)/.exec(line)?.[1]}`,
      )
      .toSorted(),
    [A, B].flatMap((chainId) =>
      [21, 22].flatMap((batchId) =>
        [0, 1, 2, 254].map((index) => {
          const isIts = chainId === A && batchId === 22
          const taker = isIts && index !== 254 ? takers[index] : undefined
          const succeeds = isIts && index !== 1 ? index === 254 : index < 2
          return `foreign_instructions ${chainId}/${batchId}/${index} ${succeeds} ${taker}`
        }),
      ),
    ),
  )
})

test('an operator’s word is about the instructions named, and no other of their batch or place', async () => {
  const { changes } = await changesOf(db, async (tx) => {
    await dropGuards(tx)
    await addAround(tx)
    const [, instruction] = await readSettledTags(tx, [INSTRUCTION.tag as `0x${string}`])
    await markNotOf(tx, A, instruction === undefined ? [] : [instruction], 11n)
  })
  assert.deepEqual(
    changes.filter((line) => line.includes('not_of_order_id=11')).map((line) => line.replace(/: .*/, '')),
    [`foreign_instructions ${A}/1/2`],
  )
})

test('an order in conflict is kept out once, and only it is let in again', async () => {
  const kept = await changesOf(db, async (tx) => {
    await insertTagConflict(tx, A, 901n, '0xaa')
    await insertTagConflict(tx, B, 902n, '0xbb')
    await insertTagConflict(tx, A, 901n, '0xcc')
  })
  assert.deepEqual(
    kept.changes.map((line) => line.replace(/created_at=\S+ /, '')),
    [
      `tag_conflicts 901: new chain_id=${A} order_id=901 tag=0xaa`,
      `tag_conflicts 902: new chain_id=${B} order_id=902 tag=0xbb`,
    ],
  )
  const left = await onPlanted(async (tx) => {
    for (const orderId of [901n, 902n]) await insertTagConflict(tx, A, orderId, '0xaa')
    await deleteTagConflict(tx, 901n)
    return await tx.query('select order_id from tag_conflicts')
  })
  assert.deepEqual(left, [{ order_id: 902n }])
})

test('an order in conflict is the one named, of its integration and chain, while it awaits settlement or has ended without coin', async () => {
  const lock = (order: Partial<typeof ORDER>, wanted: { chainId?: number; referenceId?: string } = {}) =>
    onPlanted(async (tx) => {
      const own = await addOrder(tx, { status: 'pending', ...order })
      // Others in conflict: of the same name in another integration, and of another name in the same one.
      const others = [
        await addOrder(tx, { status: 'pending', party: OTHER, amount: 8n }),
        await addOrder(tx, { status: 'pending', reference: 'another one', amount: 9n }),
      ]
      for (const orderId of [...others, own]) await insertTagConflict(tx, A, orderId, `0x${orderId.toString(16)}`)
      const { chainId = A, referenceId = ORDER.reference } = wanted
      const found = await lockConflict(tx, chainId, { integrationId: ONE.integrationId, referenceId })
      return { found, own }
    })
  const { found, own } = await lock({})
  assert.deepEqual(found, {
    order: {
      orderId: own,
      integrationId: ONE.integrationId,
      referenceId: ORDER.reference,
      direction: 'MINT',
      chainId: A,
      walletAddress: wallet(1),
      debitAddress: null,
      amountMicro: 5n,
      wasSigned: false,
      hasEnded: false,
    },
    tag: `0x${own.toString(16)}`,
  })
  assert.equal((await lock({ isRequeued: true })).found?.order.wasSigned, true)
  assert.equal((await lock({}, { chainId: B })).found, undefined)
  assert.equal((await lock({}, { referenceId: 'nobody’s' })).found, undefined)
  for (const status of ['failed', 'cancelled'])
    assert.equal((await lock({ status })).found?.order.hasEnded, true, status)
  for (const status of ['completed', 'payment_pending']) assert.equal((await lock({ status })).found, undefined, status)
})

test('what speaks against explaining a batch is of that batch, each order once', async () => {
  const state = await onPlanted(async (tx) => {
    await tx.query('update batches set is_foreign = true where batch_id in (1, 2)')
    await insertExplanation(tx, A, 2n, 'another one')
    await insertExplanation(tx, B, 1n, 'of another chain')
    const orderId = await addOrder(tx, { status: 'pending' })
    await addOrder(tx, { status: 'pending', party: OTHER })
    await insertTagConflict(tx, A, orderId, INSTRUCTION.tag as `0x${string}`)
    await insertTagConflict(tx, A, orderId + 1n, '0xeeeeeeeeeeeeeeee')
    for (const index of [1, 2]) await addInstruction(tx, { batchId: 1n, index })
    await addInstruction(tx, { batchId: 2n, index: 1, tag: '0xeeeeeeeeeeeeeeee' })
    return await readForeignState(tx, A, 1n)
  })
  assert.deepEqual(state, {
    isForeign: true,
    isOwn: false,
    isExplained: false,
    isGivenUp: false,
    waitingOrders: [`${ONE.integrationId}/${ORDER.reference}`],
  })
})

test('a batch is given up by its own word, whatever was said of it before, and that says nothing of later ones', async () => {
  await onPlanted(async (tx) => {
    const given = async () =>
      await Promise.all([isGivenUp(tx, A, 1n), isGivenUp(tx, A, 2n), isGivenUp(tx, A, 3n), isGivenUp(tx, B, 2n)])
    await insertExplanation(tx, A, 2n, 'a thief')
    assert.deepEqual(await given(), [false, false, false, false])
    await insertGivenUp(tx, A, 2n, 'and it is lost')
    assert.deepEqual(await given(), [false, true, false, false])
    assert.equal((await readForeignState(tx, A, 2n))?.isGivenUp, true)
    const reasons = 'select reason from batch_explanations where chain_id = $1 and batch_id = 2'
    assert.deepEqual(await tx.query(reasons, [A]), [{ reason: 'and it is lost' }])
    await insertExplanation(tx, A, 1n, 'another thief')
    await insertExplanation(tx, A, 3n, 'one behind it')
    await insertExplanation(tx, B, 3n, 'of another chain')
    await deleteExplanations(tx, A, 2n)
    const left = 'select chain_id, batch_id from batch_explanations order by 1, 2'
    assert.deepEqual(await tx.query(left), [
      { chain_id: BigInt(A), batch_id: 1n },
      { chain_id: BigInt(B), batch_id: 3n },
    ])
  })
})

test('what batches of others had done is forgotten from the one on that is given up, and keeps no order out of batches', async () => {
  const [gone, kept, elsewhere] = ['0xaaaaaaaaaaaaaaaa', '0xbbbbbbbbbbbbbbbb', '0xcccccccccccccccc'] as const
  await onPlanted(async (tx) => {
    const add = async (tag: `0x${string}`, status: string, chainId = A) => {
      const orderId = await addOrder(tx, { status, reference: `${tag}/${status}/${chainId}` })
      await insertTagConflict(tx, chainId, orderId, tag)
      return orderId
    }
    // Of what an earlier batch has done, too, an order that has ended is told on; one that waits is compared when it is chosen.
    await addInstruction(tx, { batchId: 1n, index: 1, tag: kept })
    for (const [index, tag] of [gone, kept].entries()) await addInstruction(tx, { batchId: 2n, index, tag })
    await addInstruction(tx, { batchId: 3n, index: 0, tag: gone })
    await addInstruction(tx, { chainId: B, batchId: 3n, index: 0, tag: elsewhere })
    await add(gone, 'pending')
    await add(kept, 'pending')
    await add(gone, 'failed')
    const [stays, other, another] = [
      await add(kept, 'failed'),
      await add(elsewhere, 'pending'),
      await add(gone, 'pending', B),
    ]
    await forgetForeignFrom(tx, A, 2n)
    const rows = await tx.query<{ line: string }>(
      `select chain_id || '/' || batch_id as line from foreign_instructions where tag = any ($1::text[]) order by 1`,
      [[gone, kept, elsewhere]],
    )
    assert.deepEqual(
      rows.map(({ line }) => line),
      [`${A}/1`, `${B}/3`],
    )
    assert.deepEqual(
      (await tx.query<{ id: bigint }>('select order_id as id from tag_conflicts order by 1')).map(({ id }) => id),
      [stays, other, another],
    )
  })
})

const FOREIGN = {
  digest: '0xf0',
  runningHash: '0xf1',
  txHash: '0xf3',
  blockHash: '0xf4',
  settledAt: new Date(1_000),
  signer: wallet(9),
  nonce: 3n,
  successBitmap: 2n,
  blockNumber: 44n,
  instructions: (['MINT', 'REDEEM', 'TRANSFER'] as const).map((direction, index) => ({
    tag: `0x0${index}`,
    direction,
    walletAddress: wallet(index),
    amountMicro: BigInt(index + 5),
    debitAddress: direction === 'MINT' ? null : wallet(3),
  })),
} as const

test('a foreign batch is kept whole, with the outcome of each of its instructions', async () => {
  const kept = (batchId: bigint) =>
    changesOf(db, (tx) => insertForeignBatch(tx, A, { ...FOREIGN, batchId } as never, 8n))
  const instructions = (batchId: bigint) =>
    ['MINT', 'REDEEM', 'TRANSFER'].map((direction, index) =>
      [
        `foreign_instructions ${A}/${batchId}/${index}: new amount_micro=${index + 5} batch_id=${batchId} chain_id=${A}`,
        ...(direction === 'MINT' ? [] : [`debit_address=${wallet(3)}`]),
        `direction=${direction} instruction_index=${index} succeeded=${index === 1} tag=0x0${index} wallet_address=${wallet(index)}`,
      ].join(' '),
    )
  const replaced = await kept(7n)
  assert.deepEqual(replaced.changes, [
    `batches ${A}/7: digest 0xd${A}7 → 0xf0, fencing_token 7 → 8, finalized_at null → now, is_foreign false → true, ` +
      `mined_block null → 44, mined_hash null → 0xf4, nonce ${nonceOf('abandoned')} → 3, order_count 2 → 3, order_ids 0=0 1=0 → , ` +
      `running_hash 0x${A}7 → 0xf1, settled_at null → 1970-01-01T00:00:01.000Z, signer ${SIGNERS[0]} → ${wallet(9)}, ` +
      `status abandoned → final, success_bitmap null → 2, tx_hash ${attemptsOf(7n)[0]} → 0xf3`,
    ...instructions(7n),
  ])
  const fresh = await kept(50n)
  assert.match(fresh.changes[0] ?? '', /^batches 31337\/50: new .* is_foreign=true .* status=final /)
  assert.deepEqual(fresh.changes.slice(1), instructions(50n))
})

test('limits are written for one chain, as of now, up to the largest that the database holds', async () => {
  const [LARGEST, MORE] = [2n ** 63n - 1n, 2n ** 64n]
  const { changes } = await changesOf(db, (tx) =>
    writeLimits(tx, A, [
      { direction: 'MINT', capacityMicro: 12n },
      { direction: 'REDEEM', capacityMicro: MORE },
      { direction: 'TRANSFER', capacityMicro: LARGEST },
    ]),
  )
  assert.deepEqual(changes, [
    `chain_limits ${A}/MINT: capacity_micro 9 → 12, read_at 2026-01-01T00:00:00.000Z → now`,
    // As JavaScript's numbers show it.
    `chain_limits ${A}/REDEEM: new capacity_micro=${Number(LARGEST)} chain_id=${A} direction=REDEEM read_at=now`,
    `chain_limits ${A}/TRANSFER: new capacity_micro=${Number(LARGEST)} chain_id=${A} direction=TRANSFER read_at=now`,
  ])
  const stored = await onPlanted(async (tx) => {
    await writeLimits(tx, A, [{ direction: 'REDEEM', capacityMicro: MORE }])
    return await tx.query(`select capacity_micro from chain_limits where chain_id = $1 and direction = 'REDEEM'`, [A])
  })
  assert.deepEqual(stored, [{ capacity_micro: LARGEST }])
})

/** The reasons against a first order and an ordinary second one, once the tables say so. */
async function objectionsTo(order: Partial<typeof ORDER>, ...changes: string[]): Promise<(string | undefined)[]> {
  return await onPlanted(async (tx) => {
    const ids = [
      await addOrder(tx, { status: 'pending', ...order }),
      await addOrder(tx, { status: 'pending', party: OTHER, wallet: wallet(8) }),
    ]
    for (const change of changes) await tx.query(change)
    const found = await readObjections(tx, ids)
    assert.ok(found.every(({ orderId }) => ids.includes(orderId)))
    assert.ok(found.length <= 2)
    return ids.map((id) => found.find(({ orderId }) => orderId === id)?.reason)
  })
}

const deny = (seed: number) => `insert into screening_denials (address) values (lower('${wallet(seed)}'))`
const suspend = (party: (typeof PARTIES)[number]) =>
  `update integrations set status = 'suspended' where integration_id = '${party.integrationId}'`
const judge = (party: (typeof PARTIES)[number], status: string) =>
  `update customers set verification_status = '${status}', verified_at = null where customer_id = '${party.customerId}'`

test('what speaks against an order is of its own integration, customer and wallets, the first reason of these', async () => {
  const NONE = [undefined, undefined]
  assert.deepEqual(await objectionsTo({}), NONE)
  assert.deepEqual(await objectionsTo({}, suspend(ONE)), ['integration_suspended', undefined])
  assert.deepEqual(await objectionsTo({}, judge(ONE, 'SUSPENDED')), ['customer_suspended', undefined])
  assert.deepEqual(await objectionsTo({}, judge(ONE, 'REJECTED')), ['customer_suspended', undefined])
  assert.deepEqual(await objectionsTo({}, judge(ONE, 'PENDING')), NONE)
  assert.deepEqual(await objectionsTo({}, deny(1)), ['wallet_denied', undefined])
  assert.deepEqual(await objectionsTo({}, deny(7)), NONE)
  const transfer = { direction: 'TRANSFER', wallet: wallet(3), debit: wallet(4) }
  assert.deepEqual(await objectionsTo(transfer, deny(4)), ['wallet_denied', undefined])
  assert.deepEqual(await objectionsTo({}, suspend(ONE), judge(ONE, 'SUSPENDED'), deny(1)), [
    'integration_suspended',
    undefined,
  ])
  assert.deepEqual(await objectionsTo({}, judge(ONE, 'SUSPENDED'), deny(1)), ['customer_suspended', undefined])
})

test('an order that debits a wallet of another customer, or written otherwise, or of nobody, is objected to', async () => {
  const give = ({ customerId }: (typeof PARTIES)[number], address: string) =>
    `insert into wallets (customer_id, address) values ('${customerId}', '${address}') on conflict do nothing`
  const own = `delete from wallets`
  for (const order of [
    { direction: 'REDEEM', wallet: wallet(4), debit: wallet(4) },
    { direction: 'TRANSFER', wallet: wallet(3), debit: wallet(4) },
  ]) {
    const not = ['wallet_not_linked', undefined]
    assert.deepEqual(await objectionsTo(order, own, give(ONE, wallet(4))), [undefined, undefined])
    assert.deepEqual(await objectionsTo(order, own, give(OTHER, wallet(4))), not)
    assert.deepEqual(await objectionsTo(order, own, give(ONE, wallet(3))), not)
    assert.deepEqual(await objectionsTo({ ...order, debit: wallet(4).toLowerCase() }, own, give(ONE, wallet(4))), not)
    assert.deepEqual(await objectionsTo(order, own, give(ONE, wallet(4)), deny(4)), ['wallet_denied', undefined])
    assert.deepEqual(await objectionsTo(order, own), not)
  }
  assert.deepEqual(await objectionsTo({}, own), [undefined, undefined], 'a mint debits nothing')
})

test('an order whose integration or customer is not there is judged by its wallets; one that was signed as any other', async () => {
  const lost = { party: { ...ONE, integrationId: 'int_0', customerId: 'cus_0' } }
  assert.deepEqual(await objectionsTo(lost, deny(1)), ['wallet_denied', undefined])
  assert.deepEqual(await objectionsTo({ customerId: 'cus_0' }, suspend(ONE)), ['integration_suspended', undefined])
  assert.deepEqual(await objectionsTo({ isRequeued: true }, suspend(ONE), deny(1)), [
    'integration_suspended',
    undefined,
  ])
})

test('objections come once for each order asked for, the oldest first', async () => {
  const found = await onPlanted(async (tx) => {
    const transfer = { status: 'pending', direction: 'TRANSFER', wallet: wallet(3), debit: wallet(4) }
    const ids = [await addOrder(tx, transfer), await addOrder(tx, { status: 'pending', party: OTHER })]
    await addOrder(tx, { status: 'pending', party: OTHER, reference: 'not asked for' })
    for (const change of [deny(3), deny(4), judge(OTHER, 'SUSPENDED')]) await tx.query(change)
    return { ids, objections: await readObjections(tx, ids) }
  })
  assert.deepEqual(found.objections, [
    { orderId: found.ids[0], reason: 'wallet_denied' },
    { orderId: found.ids[1], reason: 'customer_suspended' },
  ])
})
