/** The database accepts exactly the states and moves of src/orders/life/states.ts, whoever asks and however often. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Database, type Queryable, violatedConstraint } from '../../src/db/database.ts'
import { failOrders, moveOrders } from '../../src/orders/life/moves.sql.ts'
import { MOVES, type Move, mayMove, STATES, STATES_OF, type StateName } from '../../src/orders/life/states.ts'
import { DIRECTIONS, type Direction, PHASES, STATUSES } from '../../src/orders/order.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { changesOf, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { createBatchSteps } from './batch-steps.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  await seedTwoOfEverything(db)
})
after(() => db.close())

let count = 0
function place(direction: Direction, state: StateName): Promise<bigint> {
  count += 1
  return placeOrder(db, { direction, party: 'a1', reference: `guarded-${count}`, ...STATES[state] })
}

/** The constraint that refuses `work`; undefined when nothing does. Nothing of it stays. */
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

const STATE_NAMES = Object.keys(STATES) as StateName[]

describe('states', () => {
  it('are stored only where they exist for the direction, whatever status and phase are tried', async () => {
    const phases = [...PHASES, 'NONSENSE']
    for (const direction of DIRECTIONS) {
      const known = STATES_OF[direction].map((name) => `${STATES[name].status}/${STATES[name].phase}`)
      for (const status of STATUSES) {
        for (const phase of phases) {
          const text = `insert into orders (integration_id, reference_id, direction, status, phase, chain_id, network,
              token_address, wallet_address, debit_address, customer_id, key_id, amount_micro)
            values ('i', 'reference-1', $1, $2, $3, 1, 'n', 't', 'w', case when $1 <> 'MINT' then 'w' end, 'c', 'k', 1)`
          const refusal = await refusalOf((tx) => tx.query(text, [direction, status, phase]))
          const expected = known.includes(`${status}/${phase}`) ? undefined : 'orders_state_exists'
          assert.equal(refusal, expected, `${direction} ${status}/${phase}`)
        }
      }
    }
  })
})

describe('moves', () => {
  for (const direction of DIRECTIONS) {
    it(`of a ${direction}: the database accepts those of states.ts and refuses all others`, async () => {
      for (const from of STATES_OF[direction]) {
        const orderId = await place(direction, from)
        for (const to of STATE_NAMES) {
          const { status, phase } = STATES[to]
          const text = 'update orders set status = $2, phase = $3 where order_id = $1'
          const refusal = await refusalOf((tx) => tx.query(text, [orderId, status, phase]))
          const hasEnded = ['completed', 'failed', 'cancelled'].includes(STATES[from].status)
          const stays = from === to && !hasEnded
          const isAccepted = stays || mayMove(direction, from, to)
          assert.equal(refusal === undefined, isAccepted, `${direction} ${from} → ${to}: ${refusal}`)
          if (hasEnded) assert.equal(refusal, 'orders_ended')
        }
      }
    })
  }

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
        assert.equal(leaves, !['completed', 'failed', 'cancelled'].includes(name), `${direction} ${name}`)
      }
    }
  })

  it('change nothing of what was accepted', async () => {
    const orderId = await place('REDEEM', 'created')
    const changes = {
      ...{ integration_id: `'x'`, reference_id: `'another-one'`, chain_id: '9', network: `'x'`, token_address: `'x'` },
      ...{ wallet_address: `'x'`, debit_address: `'x'`, customer_id: `'x'`, key_id: `'x'`, amount_micro: '2' },
      ...{ fee_micro: '2', bank_reference: `'x'`, created_at: 'now()', direction: `'TRANSFER'` },
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
      'phase',
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
    const failed = await inTransaction((tx) => failOrders(tx, [{ orderId, reason: 'test' }]))
    assert.ok(Object.keys(failed).some((key) => key.startsWith('withdrawals')))
    assert.deepEqual(await inTransaction((tx) => failOrders(tx, [{ orderId, reason: 'test' }])), {})
  })

  it('of failure changes only mined orders that are not decided, never a burnt redeem', async () => {
    for (const direction of DIRECTIONS) {
      for (const state of STATES_OF[direction]) {
        const orderId = await place(direction, state)
        const changed = await inTransaction((tx) => failOrders(tx, [{ orderId, reason: 'test' }]))
        assert.equal(Object.keys(changed).length > 0, state === 'confirming', `${direction} ${state}`)
      }
    }
  })

  it('of completion changes only orders of its direction in the state it starts from', async () => {
    for (const move of ['settle', 'burn', 'payOut'] as const) {
      const { from, directions } = MOVES[move] as Move
      for (const direction of DIRECTIONS) {
        for (const state of STATES_OF[direction]) {
          const orderId = await place(direction, state)
          const changed = await inTransaction((tx) => moveOrders(tx, move, [orderId]))
          const fits = state === from && directions.includes(direction)
          assert.equal(Object.keys(changed).length, fits ? 1 : 0, `${move} of ${direction} ${state}`)
        }
      }
    }
  })
})
