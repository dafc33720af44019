// engine: postgres; both in test:long
/** The database accepts exactly the states and moves of src/orders/life/states.ts, whoever asks and however often. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Database, type Queryable, violatedConstraint } from '../../src/db/database.ts'
import { holdOrders, rejectUnsettleable, releaseOrder } from '../../src/orders/life/hold.sql.ts'
import { failOrders, moveOrders } from '../../src/orders/life/moves.sql.ts'
import { adoptOrder, requeueOrders, submitOrders } from '../../src/orders/life/signed.sql.ts'
import { MOVES, type Move, STATES, STATES_OF, type StateName } from '../../src/orders/life/states.ts'
import { type BatchStatus, DIRECTIONS, type Direction, type OrderStatus, STATUSES } from '../../src/orders/order.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import { addBatchRow, BATCH_COLUMNS, batchColumns, someBatchId } from '../support/batch-rows.ts'
import { disbelieveBurns } from '../support/believed-burns.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { CUSTOMERS, changesOf, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { createBatchSteps } from './batch-steps.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  await seedTwoOfEverything(db)
  await disbelieveBurns(db)
})
after(() => db.close())

let count = 0
/** An order in a state, with the payout that a burnt redeem has. */
async function place(direction: Direction, state: StateName): Promise<bigint> {
  count += 1
  const orderId = await placeOrder(db, { direction, party: 'a1', reference: `guarded-${count}`, state })
  if (state === 'payoutPending') {
    const burnt = { orderId, customerId: CUSTOMERS.a1, amountMicro: 1_000_000n }
    await db.transaction((tx) => queuePayouts(tx, [burnt]))
  }
  return orderId
}

/** The constraint that refuses `work`; undefined when none does. The work is undone. */
async function refusalOf(work: (tx: Queryable) => Promise<unknown>): Promise<string | undefined> {
  const undone = new Error('undone')
  let refusal: string | undefined
  await (db as Database)
    .transaction(async (tx) => {
      await work(tx)
      throw undone
    })
    .catch((error: unknown) => {
      if (error === undone) return
      refusal = violatedConstraint(error)
      if (refusal === undefined) throw error
    })
  return refusal
}

const unguarded = (work: (tx: Queryable) => Promise<unknown>) => withoutGuards(db, work)

const pay = (tx: Queryable, orderId: bigint) =>
  tx.query(`update payouts set status = 'sent', rail = 'test', rail_reference = 'R' where order_id = $1`, [orderId])

const refund = async (tx: Queryable, orderId: bigint) => {
  for (const status of ['rejected', 'refunded'])
    await tx.query('update payouts set status = $2 where order_id = $1', [orderId, status])
}

const deny = (tx: Queryable, orderId: bigint) =>
  tx.query(`update payouts set status = 'held', hold_reason = 'burn_not_seen' where order_id = $1`, [orderId])

const hasEnded = (state: StateName) => ['completed', 'failed', 'rejected', 'cancelled'].includes(state)

describe('states', () => {
  it('are stored only where they exist for the direction', async () => {
    const text = `insert into orders (integration_id, reference_id, direction, status, chain_id, network,
        token_address, wallet_address, debit_address, customer_id, key_id, amount_micro, ${BATCH_COLUMNS})
      values ('i', 'reference-1', $1, $2, 1, 'n', 't', '0x' || repeat('a', 40), case when $1 <> 'MINT' then '0x' || repeat('a', 40) end, 'c', 'k', 1, $3, $4, $5, $6, $7)`
    for (const direction of DIRECTIONS) {
      const known = new Set<string>(STATES_OF[direction].map((name) => STATES[name].stored))
      for (const status of [...STATUSES, 'NONSENSE']) {
        const columns = batchColumns(status as OrderStatus)
        const refusal = await refusalOf((tx) => tx.query(text, [direction, status, ...columns]))
        assert.equal(refusal === undefined, known.has(status), `${direction} ${status}: ${refusal}`)
      }
    }
  })

  it('know their batch, place and reason exactly when they have them', async () => {
    const names = BATCH_COLUMNS.split(', ')
    const other = [9n, 1, '0xother', 9n, 'another reason']
    for (const status of STATUSES) {
      const whole = batchColumns(status)
      for (const [index, name] of names.entries()) {
        const columns = whole.map((value, at) => (at !== index ? value : value === null ? (other[at] ?? null) : null))
        const text = `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address,
            wallet_address, debit_address, customer_id, key_id, amount_micro, ${BATCH_COLUMNS})
          values ('i', 'reference-1', case $1 when 'processing' then 'REDEEM' else 'MINT' end, $1, 1, 'n', 't', '0x' || repeat('a', 40),
            case $1 when 'processing' then '0x' || repeat('a', 40) end, 'c', 'k', 1, $2, $3, $4, $5, $6)`
        assert.equal(await refusalOf((tx) => tx.query(text, [status, ...whole])), undefined, status)
        const refusal = await refusalOf((tx) => tx.query(text, [status, ...columns]))
        assert.notEqual(refusal, undefined, `${status} with another ${name}`)
      }
    }
  })
})

/**
 * Writes rows as though the order had moved to a state: first its batch's (`inBatch` is the batch's status for an order
 * that ends), then its line, then its own. Unchanged rows are not written.
 */
async function force(tx: Queryable, orderId: bigint, to: StateName, inBatch: BatchStatus): Promise<void> {
  const [order] = await tx.query<{
    status: OrderStatus
    chain_id: bigint
    batch_id: bigint | null
    is_signed: boolean
  }>(
    `select o.status, o.chain_id, coalesce(o.batch_id, f.batch_id) as batch_id, f.order_id is not null as is_signed
     from orders o left join signed_orders f using (order_id) where o.order_id = $1`,
    [orderId],
  )
  assert.ok(order)
  const { stored, status } = STATES[to]
  const hasNone = to === 'requeued' || to === 'rejected' || to === 'cancelled'
  const batch = STATES[to].batch ?? inBatch
  const batchId = order.batch_id ?? someBatchId()
  if (order.batch_id === null) {
    // Another batch is under the id of the one that was abandoned.
    if (order.is_signed && to === 'rejected') {
      await addBatchRow(tx, { chainId: 1, batchId, status: batch, orderIds: [orderId + 1_000_000n] })
      await tx.query('alter table signed_orders disable trigger user')
      await tx.query('update signed_orders set abandoned_batch_id = $2 where order_id = $1', [orderId, batchId])
      await tx.query('alter table signed_orders enable trigger user')
    }
    if (!hasNone && (status === 'processing' || hasEnded(to))) {
      await addBatchRow(tx, { chainId: 1, batchId, status: batch, orderIds: [orderId] })
    }
  } else {
    const isMined = batch === 'mined' || batch === 'final'
    await tx.query(
      `update batches set status = $3, mined_block = case when $4 then 50 end, mined_hash = case when $4 then '0xb1' end,
         success_bitmap = case when $3 = 'final' then 1 end, finalized_at = case when $3 = 'final' then now() end
       where chain_id = $1 and batch_id = $2 and status <> $3`,
      [order.chain_id, batchId, batch, isMined],
    )
  }
  if (status !== stored) {
    const abandoned =
      'case when $2::bigint is null then greatest(batch_id, abandoned_batch_id) else abandoned_batch_id end'
    const line = [orderId, hasNone ? null : batchId, hasNone ? null : 0]
    const text = order.is_signed
      ? `update signed_orders set batch_id = $2, batch_index = $3, abandoned_batch_id = ${abandoned}
         where order_id = $1 and batch_id is distinct from $2::bigint`
      : 'insert into signed_orders (order_id, batch_id, batch_index) values ($1, $2, $3)'
    await tx.query(text, line)
  } else if (order.is_signed && stored === order.status) {
    await tx.query('delete from signed_orders where order_id = $1', [orderId])
  }
  const [id, index, txHash, block, given] = batchColumns(to === 'rejected' ? 'pending' : stored, { batchId })
  const reason = to === 'rejected' ? 'rejected' : given
  const own = [id ?? null, index ?? null, txHash ?? null, block ?? null, reason ?? null]
  await tx.query(
    `update orders set status = $2, batch_id = $3, batch_index = $4, tx_hash = $5, block_number = $6, failure_reason = $7
     where order_id = $1 and (status, batch_id) is distinct from ($2, $3::bigint)`,
    [orderId, stored, ...own],
  )
  await tx.query('set constraints all immediate')
}

describe('moves', () => {
  for (const direction of DIRECTIONS) {
    it(`of a ${direction}: the database accepts those of states.ts and refuses all others`, async () => {
      for (const from of STATES_OF[direction]) {
        const orderId = await place(direction, from)
        for (const to of STATES_OF[direction].filter((name) => name !== from)) {
          for (const inBatch of ['signed', 'mined', 'final', 'abandoned'] as const) {
            const refusal = await refusalOf(async (tx) => {
              // A paid redeem may complete.
              if (to === 'completed') await pay(tx, orderId)
              // One whose coin was minted back may fail.
              if (to === 'failed' && from === 'payoutPending') await refund(tx, orderId)
              // One whose burn the chain denies may await a batch again.
              if (to === 'requeued' && from === 'payoutPending') await deny(tx, orderId)
              await force(tx, orderId, to, inBatch)
            })
            const moves = Object.values<Move>(MOVES).filter(
              (move) => move.from === from && move.to === to && move.directions.includes(direction) && !move.foreign,
            )
            const isAccepted = moves.some(
              ({ batch }) => STATES[to].batch !== null || batch === undefined || batch === inBatch,
            )
            assert.equal(refusal === undefined, isAccepted, `${direction} ${from} → ${to} (${inBatch}): ${refusal}`)
          }
        }
      }
    })
  }

  it('complete a redeem only when the rail has its payout, or less than a sen is owed', async () => {
    const complete = (orderId: bigint) => refusalOf((tx) => force(tx, orderId, 'completed', 'final'))
    for (const [amountMicro, refusal] of [
      [9_999n, undefined],
      [10_000n, 'orders_move_exists'],
    ] as const) {
      const order = { direction: 'REDEEM', party: 'a1', reference: `small-${amountMicro}` } as const
      const orderId = await placeOrder(db, { ...order, amountMicro, state: 'payoutPending' })
      assert.equal(await complete(orderId), refusal)
    }
    assert.equal(await complete(await place('REDEEM', 'payoutPending')), 'orders_move_exists')
  })

  it('fail a burnt redeem only when its payout was refunded', async () => {
    const orderId = await place('REDEEM', 'payoutPending')
    const fail = (payout: string) =>
      refusalOf(async (tx) => {
        await tx.query(`update payouts set ${payout} where order_id = $1`, [orderId])
        await force(tx, orderId, 'failed', 'final')
      })
    for (const payout of ['last_error = null', `status = 'held', hold_reason = 'by_operator'`, `status = 'rejected'`])
      assert.equal(await fail(payout), 'orders_move_exists', payout)
  })

  it('have a burnt redeem await a batch again only when no rail was asked and a payer was denied its burn', async () => {
    const cases = [
      [`status = 'held', hold_reason = 'burn_not_seen'`, undefined],
      [`status = 'held', hold_reason = 'by_operator'`, 'signed_orders_move_exists'],
      [`status = 'held', hold_reason = 'burn_not_seen', burn = '1/1/0'`, 'signed_orders_move_exists'],
      [`status = 'held', hold_reason = 'burn_not_seen', refunds = 1`, 'signed_orders_move_exists'],
      [`status = 'held', hold_reason = 'burn_not_seen', by_hand = 1`, 'signed_orders_move_exists'],
      [`burn = '1/1/0', times_asked = 1`, 'signed_orders_move_exists'],
      [`last_error = null`, 'signed_orders_move_exists'],
    ] as const
    for (const [payout, expected] of cases) {
      const orderId = await place('REDEEM', 'payoutPending')
      const refusal = await refusalOf(async (tx) => {
        await tx.query(`update payouts set ${payout} where order_id = $1`, [orderId])
        await force(tx, orderId, 'requeued', 'final')
      })
      assert.equal(refusal, expected, payout)
    }
    const own = await place('REDEEM', 'payoutPending')
    const another = await place('REDEEM', 'payoutPending')
    const ofAnother = await refusalOf(async (tx) => {
      await deny(tx, another)
      await force(tx, own, 'requeued', 'final')
    })
    assert.equal(ofAnother, 'signed_orders_move_exists', 'the burn of another redeem was denied')
    const asked = await refusalOf(async (tx) => {
      await deny(tx, own)
      await tx.query(
        `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, status)
         select payout_id, attempt, end_to_end_id, 'http', 'rejected' from payouts where order_id = $1`,
        [own],
      )
      await force(tx, own, 'requeued', 'final')
    })
    assert.equal(asked, 'signed_orders_move_exists', 'a rail was asked for it')
  })

  it('take no batch back that others follow, that has burnt redeems, or that others made', async () => {
    await db.query('update chains set next_batch_id = 5000 where chain_id = 1')
    const back = async (batchId: bigint, orderIds: bigint[], also: { isForeign?: boolean; also?: string } = {}) => {
      await addBatchRow(db, { chainId: 1, batchId, status: 'final', orderIds, isForeign: also.isForeign ?? false })
      const text = `update batches set status = 'abandoned', mined_block = null, mined_hash = null, success_bitmap = null,
        finalized_at = null, taken_back = taken_back + ${also.also ?? 1} where chain_id = 1 and batch_id = $1`
      return await refusalOf((tx) => tx.query(text, [batchId]))
    }
    const burnt = await place('REDEEM', 'payoutPending')
    await unguarded((tx) => tx.query('update orders set batch_id = 5001 where order_id = $1', [burnt]))
    const minted = await place('MINT', 'completed')
    assert.deepEqual(
      [
        await back(4_999n, [minted]),
        await back(5_001n, [minted, burnt]),
        await back(5_002n, [minted], { isForeign: true }),
        await back(5_003n, [minted], { also: '0' }),
        await back(5_004n, [minted]),
      ],
      ['batches_move_exists', 'batches_move_exists', 'batches_move_exists', 'batches_move_exists', undefined],
    )
  })

  it('write nothing but a move, keep the batch, and end where the batch was settled', async () => {
    const orderId = await place('MINT', 'confirming')
    const [line] = await db.query<{ batch_id: bigint }>('select batch_id from signed_orders where order_id = $1', [
      orderId,
    ])
    const own = `batch_id = ${line?.batch_id}, tx_hash = '\\x${'b'.repeat(64)}', block_number = 50`
    const end = `status = 'completed', ${own}`
    const changes = [
      [`updated_at = now()`, false],
      [`tx_hash = sha256('other')`, false],
      [`batch_index = 1`, false],
      [`${end.replace('\\xb', '\\xc')}, batch_index = 0`, false],
      [`${end.replace('= 50', '= 51')}, batch_index = 0`, false],
      [`${end}, batch_index = 1`, false],
      [`${end.replace(/batch_id = /, '$&1')}, batch_index = 0`, false],
      [`status = 'failed', failure_reason = 'x'`, false],
      [`${end}, batch_index = 0`, true],
    ] as const
    for (const [change, isMove] of changes) {
      const refusal = await refusalOf(async (tx) => {
        await tx.query(
          `update batches set status = 'final', success_bitmap = 1, finalized_at = now()
           where batch_id = (select batch_id from signed_orders where order_id = $1)`,
          [orderId],
        )
        await tx.query(`update orders set ${change} where order_id = $1`, [orderId])
      })
      if (isMove) assert.equal(refusal, undefined, change)
      else assert.match(refusal ?? '', /^orders_(move_exists|fit_status|place_whole)$/, change)
    }
  })

  it('take an order into the one batch that lists it, at its place', async () => {
    const orderId = await place('MINT', 'created')
    const [other, batchId] = [someBatchId(), someBatchId()]
    await addBatchRow(db, {
      chainId: 1,
      batchId: other,
      status: 'signed',
      orderIds: [orderId + 1_000n, orderId + 2_000n],
    })
    await unguarded((tx) =>
      addBatchRow(tx, { chainId: 1, batchId, status: 'signed', orderIds: [orderId + 1_000n, orderId] }),
    )
    for (const [id, index, refusal] of [
      [other, 0, 'signed_orders_move_exists'],
      [batchId, 0, 'signed_orders_move_exists'],
      [batchId, 2, 'signed_orders_move_exists'],
      [someBatchId(), 0, 'signed_orders_move_exists'],
      [batchId, 1, undefined],
    ] as const) {
      const text = 'insert into signed_orders (order_id, batch_id, batch_index) values ($1, $2, $3)'
      assert.equal(await refusalOf((tx) => tx.query(text, [orderId, id, index])), refusal, `${id}#${index}`)
    }
  })

  it('adopt an order into a final batch only when others made it, and give its earmark back once', async () => {
    const [ours, theirs] = [someBatchId(), someBatchId()]
    await addBatchRow(db, { chainId: 1, batchId: ours, status: 'final', orderIds: [0n] })
    await addBatchRow(db, { chainId: 1, batchId: theirs, status: 'final', orderIds: [], isForeign: true })
    for (const state of ['created', 'requeued'] as const) {
      const orderId = await place('TRANSFER', state)
      const adopt = (batchId: bigint) => db.transaction((tx) => adoptOrder(tx, { chainId: 1, batchId }, orderId, 3))
      await assert.rejects(adopt(ours), { name: 'OrdersMovedError' })
      const text = `insert into signed_orders (order_id, batch_id, batch_index) values ($1, $2, 3)
        on conflict (order_id) do update set batch_id = excluded.batch_id, batch_index = 3`
      assert.equal(await refusalOf((tx) => tx.query(text, [orderId, ours])), 'signed_orders_move_exists')
      const changed = await changesOf(db, () => adopt(theirs))
      assert.equal(Object.keys(changed).filter((key) => key.startsWith('earmark')).length, 1)
      await assert.rejects(adopt(theirs), { name: 'OrdersMovedError' })
    }
  })

  it('hold what is in no batch, and reject what was never signed', async () => {
    for (const direction of DIRECTIONS) {
      for (const state of STATES_OF[direction]) {
        const orderId = await place(direction, state)
        for (const [text, states] of [
          [`insert into order_holds (order_id, reason) values ($1, 'x')`, ['created', 'requeued']],
          [`update orders set status = 'failed', failure_reason = 'rejected' where order_id = $1`, ['created']],
        ] as const) {
          const refusal = await refusalOf((tx) => tx.query(text, [orderId]))
          assert.equal(
            refusal === undefined,
            states.some((each) => each === state),
            `${direction} ${state}: ${text}: ${refusal}`,
          )
        }
      }
    }
    const held = await place('MINT', 'created')
    await db.query(`insert into order_holds (order_id, reason) values ($1, 'x')`, [held])
    const batchId = someBatchId()
    await unguarded((tx) => addBatchRow(tx, { chainId: 1, batchId, status: 'signed', orderIds: [held] }))
    const submit = db.transaction((tx) => submitOrders(tx, { chainId: 1, batchId }))
    await assert.rejects(submit, { name: 'OrdersMovedError' })
  })

  it('keep the highest id of an abandoned batch, which says from when on an order cannot settle', async () => {
    const orderId = await place('MINT', 'submitted')
    const [line] = await db.query<{ batch_id: bigint }>('select batch_id from signed_orders where order_id = $1', [
      orderId,
    ])
    const id = line?.batch_id ?? 0n
    const out = (abandoned: bigint | null) =>
      refusalOf(async (tx) => {
        await tx.query(`update batches set status = 'abandoned' where chain_id = 1 and batch_id = $1`, [id])
        const text =
          'update signed_orders set batch_id = null, batch_index = null, abandoned_batch_id = $2 where order_id = $1'
        await tx.query(text, [orderId, abandoned])
      })
    assert.deepEqual(
      [await out(null), await out(id - 1n), await out(id)],
      ['signed_orders_move_exists', 'signed_orders_move_exists', undefined],
    )
  })

  it('keep it also where the order was signed again under a lower one', async () => {
    const orderId = await place('MINT', 'submitted')
    const lineOf = async () =>
      (
        await db.query<{ batch_id: bigint | null; abandoned_batch_id: bigint | null }>(
          'select batch_id, abandoned_batch_id from signed_orders where order_id = $1',
          [orderId],
        )
      )[0]
    const batchId = (await lineOf())?.batch_id ?? 0n
    await unguarded((tx) =>
      tx.query('update signed_orders set abandoned_batch_id = $2 where order_id = $1', [orderId, batchId + 1n]),
    )
    await db.query(`update batches set status = 'abandoned' where chain_id = 1 and batch_id = $1`, [batchId])
    await db.transaction((tx) => requeueOrders(tx, { chainId: 1, batchId }))
    assert.deepEqual(await lineOf(), { batch_id: null, abandoned_batch_id: batchId + 1n })
  })

  it('reject no order that is in a batch again, nor one of which a batch is final under another id only', async () => {
    const [lower, id, higher] = [someBatchId(), someBatchId(), someBatchId()]
    for (const batchId of [lower, higher])
      await addBatchRow(db, { chainId: 1, batchId, status: 'final', orderIds: [0n] })
    const cases = [
      ['submitted', lower, false],
      ['requeued', id, false],
      ['requeued', lower, true],
    ] as const
    for (const [state, abandonedId, mayBeRejected] of cases) {
      const orderId = await place('MINT', state)
      await unguarded((tx) =>
        tx.query('update signed_orders set abandoned_batch_id = $2 where order_id = $1', [orderId, abandonedId]),
      )
      const text = `update orders set status = 'failed', failure_reason = 'rejected' where order_id = $1`
      const refusal = await refusalOf((tx) => tx.query(text, [orderId]))
      assert.equal(refusal, mayBeRejected ? undefined : 'orders_move_exists', `${state} ${abandonedId}`)
      const rejected = await db.transaction((tx) => rejectUnsettleable(tx, orderId))
      assert.equal(rejected !== undefined, mayBeRejected, `${state} ${abandonedId}`)
    }
  })

  it('of a batch keep its id and its orders', async () => {
    const orderId = await place('MINT', 'submitted')
    const where = 'where batch_id = (select batch_id from signed_orders where order_id = $1)'
    for (const change of ['chain_id = 2', 'batch_id = batch_id + 5000000', `order_ids = '{1}'`]) {
      const refusal = await refusalOf((tx) => tx.query(`update batches set ${change} ${where}`, [orderId]))
      assert.equal(refusal, 'batches_as_formed', change)
    }
  })

  it('lead every order to an end, and none beyond it', () => {
    const all = Object.values<Move>(MOVES)
    for (const direction of DIRECTIONS) {
      const reached = new Set<StateName>(['created', ...(direction === 'MINT' ? (['paymentPending'] as const) : [])])
      for (let size = 0; size !== reached.size; ) {
        size = reached.size
        for (const { from, to, directions } of all)
          if (directions.includes(direction) && reached.has(from)) reached.add(to)
      }
      assert.deepEqual([...reached].sort(), [...STATES_OF[direction]].sort())
      for (const name of reached) {
        const leaves = all.some(({ from, directions }) => from === name && directions.includes(direction))
        assert.equal(leaves, !hasEnded(name), `${direction} ${name}`)
      }
    }
  })

  it('change nothing that was accepted', async () => {
    const orderId = await place('REDEEM', 'created')
    const changes = {
      integration_id: `'x'`,
      reference_id: `'another-one'`,
      chain_id: '9',
      network: `'x'`,
      token_address: `'x'`,
      wallet_address: `'0x' || repeat('b', 40)`,
      debit_address: `'0x' || repeat('b', 40)`,
      customer_id: `'x'`,
      key_id: `'x'`,
      amount_micro: '2',
      fee_micro: '2',
      bank_reference: `'x'`,
      created_at: 'now()',
      direction: `'TRANSFER'`,
    }
    for (const [column, value] of Object.entries(changes)) {
      const text = `update orders set ${column} = ${value} where order_id = $1`
      assert.equal(await refusalOf((tx) => tx.query(text, [orderId])), 'orders_as_accepted', column)
    }
    const columns = await db.query<{ column_name: string }>(
      `select column_name from information_schema.columns where table_schema = 'public' and table_name = 'orders'`,
    )
    const moving = [
      'status',
      // With its hold: a test below.
      'is_held',
      // Changed by a confirmation and by nothing else: the next test.
      'mint_cap_key_id',
      'mint_cap_day',
      'batch_id',
      'batch_index',
      'tx_hash',
      'block_number',
      'failure_reason',
      'updated_at',
    ]
    const names = columns.map((row) => row.column_name).sort()
    assert.deepEqual(
      names,
      [...moving, ...Object.keys(changes), 'order_id'].sort(),
      'a new column is guarded, or moves',
    )
  })
})

describe('a hold', () => {
  it('is said by the order’s row too, as long as it is pending', async () => {
    const orderId = await place('REDEEM', 'created')
    const isHeld = async () =>
      (await db.query<{ is_held: boolean }>('select is_held from orders where order_id = $1', [orderId]))[0]?.is_held
    const hold = () => db.transaction((tx) => holdOrders(tx, [{ orderId, reason: 'x' }]))
    assert.deepEqual([await hold(), await isHeld()], [[orderId], true])
    assert.deepEqual([await hold(), await isHeld()], [[], true])
    assert.equal(await db.transaction((tx) => releaseOrder(tx, orderId)), true)
    assert.equal(await isHeld(), false)
    assert.equal(await db.transaction((tx) => releaseOrder(tx, orderId)), false)
    const unlike = [`is_held = true, updated_at = now()`, `is_held = true, status = 'failed', failure_reason = 'x'`]
    for (const text of unlike) {
      const refusal = await refusalOf((tx) => tx.query(`update orders set ${text} where order_id = $1`, [orderId]))
      assert.equal(refusal, 'orders_held_as_said', text)
    }
    await hold()
    assert.equal((await db.transaction((tx) => rejectUnsettleable(tx, orderId)))?.status, 'failed')
    assert.deepEqual(await db.query('select from order_holds where order_id = $1', [orderId]), [])
  })
})

describe('a confirmation', () => {
  it('says where the mint counts, once; before that, cancelled or as anything else it counts nowhere', async () => {
    const count = `mint_cap_key_id = '0000000000000000', mint_cap_day = '2026-01-02'`
    const set = (orderId: bigint, text: string) =>
      refusalOf((tx) => tx.query(`update orders set ${text} where order_id = $1`, [orderId]))
    assert.equal(await set(await place('MINT', 'created'), count), 'orders_as_confirmed')
    assert.equal(await set(await place('TRANSFER', 'created'), count), 'orders_mint_cap_whole')
    const waiting = await place('MINT', 'paymentPending')
    assert.equal(await set(waiting, count), 'orders_mint_cap_whole')
    assert.equal(await set(waiting, `status = 'cancelled', ${count}`), 'orders_mint_cap_whole')
    assert.equal(await set(waiting, `status = 'pending', mint_cap_day = '2026-01-02'`), 'orders_mint_cap_whole')
    await db.query(`update orders set status = 'pending', ${count} where order_id = $1`, [waiting])
    assert.equal(await set(waiting, `mint_cap_day = '2026-01-03'`), 'orders_as_confirmed')
    assert.equal(await set(waiting, 'mint_cap_key_id = null, mint_cap_day = null'), 'orders_as_confirmed')
  })
})

describe('a move that is repeated, or that does not fit', () => {
  const inTransaction = (work: (tx: Queryable) => Promise<unknown>) => changesOf(db, () => db.transaction(work))

  it('gives back neither earmark nor usage a second time, nor those of other orders', async () => {
    const steps = createBatchSteps(db)
    const batch = { chainId: 1, batchId: 1n }
    const orderId = await place('REDEEM', 'created')
    await place('REDEEM', 'created')
    await steps.submit(batch, [orderId])
    const mined = await changesOf(db, () => steps.mine(batch))
    assert.ok(Object.keys(mined).some((key) => key.startsWith('earmark')))
    assert.deepEqual(await changesOf(db, () => steps.mine(batch)), {})
    const failed = await changesOf(db, () => steps.finalise(batch, { succeeded: [] }))
    assert.ok(Object.keys(failed).some((key) => key.startsWith('withdrawals')))
    assert.deepEqual(await inTransaction((tx) => failOrders(tx, [{ orderId, reason: 'test' }])), {})
    assert.deepEqual(await changesOf(db, () => steps.mine(batch)), {})
  })

  it('of failure changes no order before its batch is final, and no burnt redeem ever', async () => {
    for (const direction of DIRECTIONS) {
      for (const state of STATES_OF[direction]) {
        const orderId = await place(direction, state)
        const changed = await inTransaction((tx) => failOrders(tx, [{ orderId, reason: 'test' }]))
        assert.deepEqual(changed, {}, `${direction} ${state}`)
      }
    }
  })

  it('of completion changes only orders of its direction, when their batch is final', async () => {
    for (const move of ['settle', 'payOut'] as const) {
      for (const direction of DIRECTIONS) {
        for (const state of STATES_OF[direction]) {
          const orderId = await place(direction, state)
          await pay(db, orderId)
          const changed = await inTransaction((tx) => moveOrders(tx, move, [orderId]))
          const fits = move === 'payOut' && state === 'payoutPending'
          assert.equal(Object.keys(changed).length, fits ? 1 : 0, `${move} of ${direction} ${state}`)
        }
      }
    }
  })
})
