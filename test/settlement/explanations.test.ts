// engine: postgres; both in test:long
/** The statements about explained foreign batches, over two chains with equal batch ids and tags. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { listBatches, readInstructions } from '../../src/operator/batches/batches.sql.ts'
import { viewInstruction } from '../../src/operator/batches/view.ts'
import {
  deleteTagConflict,
  insertExplanation,
  insertGivenUp,
  lockConflict,
  markNotOf,
  readForeignState,
} from '../../src/settlement/tables/explanations.sql.ts'
import { readSettledTags } from '../../src/settlement/tables/foreign.sql.ts'
import type { TestDatabase } from '../support/database.ts'
import { dropGuards } from '../support/without-guards.ts'
import { changesOf } from './changes.ts'
import { plantedDatabase } from './shadow.ts'

const [A, B] = [31_337, 31_338]
const TAG = '0x0123456789abcdef'
let db: TestDatabase
before(async () => {
  db = await plantedDatabase([B, A])
  await db.transaction(async (tx) => {
    await dropGuards(tx)
    await tx.query('update batches set is_foreign = true where batch_id in (1, 2)')
    await tx.query(`insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address,
      amount_micro, succeeded) select chain_id, 2, 1, '${TAG}', 'MINT', '0x1', 5, false from chains`)
    await tx.query(
      `insert into tag_conflicts (order_id, chain_id, tag)
       select min(order_id), chain_id, '${TAG}' from orders where status = 'pending' and order_id not in (select order_id from signed_orders) group by chain_id`,
    )
  })
})
after(() => db.close())

async function waitingOn(
  chainId: number,
): Promise<{ name: { integrationId: string; referenceId: string }; id: bigint }> {
  const [row] = await db.query<{ integration_id: string; reference_id: string; order_id: bigint }>(
    'select o.* from tag_conflicts t join orders o on o.order_id = t.order_id where t.chain_id = $1',
    [chainId],
  )
  assert.ok(row)
  return { name: { integrationId: row.integration_id, referenceId: row.reference_id }, id: row.order_id }
}

test('the state of a foreign batch names the orders that wait because of it, of its own chain', async () => {
  const { name, id } = await waitingOn(A)
  const waiting = [`${name.integrationId}/${name.referenceId}`]
  const state = { isForeign: true, isOwn: false, isExplained: false, isGivenUp: false, waitingOrders: waiting }
  assert.deepEqual(await readForeignState(db, A, 1n), state)
  assert.deepEqual(await readForeignState(db, A, 2n), state)
  const planned = { isForeign: false, isOwn: false, isExplained: false, isGivenUp: false, waitingOrders: [] }
  assert.deepEqual(await readForeignState(db, A, 3n), planned)
  assert.equal(await readForeignState(db, A, 99n), undefined)
  await changesOf(db, async (tx) => {
    await insertExplanation(tx, B, 1n, 'x')
    assert.equal((await readForeignState(tx, A, 1n))?.isExplained, false)
    assert.equal((await readForeignState(tx, B, 1n))?.isExplained, true)
    await markNotOf(tx, A, (await readSettledTags(tx, [TAG])).slice(0, 1), id)
    assert.deepEqual((await readForeignState(tx, A, 1n))?.waitingOrders, [])
    assert.deepEqual((await readForeignState(tx, A, 2n))?.waitingOrders, waiting)
    return undefined
  })
})

test('an order in conflict is found on its chain only, with its tag, while it awaits settlement', async () => {
  const { name, id } = await waitingOn(A)
  const found = await lockConflict(db, A, name)
  assert.deepEqual([found?.tag, found?.order.orderId, found?.order.wasSigned], [TAG, id, false])
  assert.equal(await lockConflict(db, B, name), undefined)
  assert.equal(await lockConflict(db, A, { ...name, referenceId: 'another' }), undefined)
  await changesOf(db, async (tx) => {
    await dropGuards(tx)
    await tx.query('insert into signed_orders (order_id) values ($1)', [id])
    assert.equal((await lockConflict(tx, A, name))?.order.wasSigned, true)
    await tx.query('update signed_orders set batch_id = 6, batch_index = 0 where order_id = $1', [id])
    assert.equal(await lockConflict(tx, A, name), undefined)
    return undefined
  })
})

test('what is said changes the instructions named, of one chain, and one order', async () => {
  const { id } = await waitingOn(A)
  const [first] = await readSettledTags(db, [TAG])
  const said = await changesOf(db, (tx) => markNotOf(tx, A, first === undefined ? [] : [first], id))
  assert.deepEqual(said.changes, [`foreign_instructions ${A}/1/0: not_of_order_id null → ${id}`])
  const released = await changesOf(db, (tx) => deleteTagConflict(tx, id))
  assert.deepEqual(released.changes, [`tag_conflicts ${id}: gone`])
  const explained = await changesOf(db, (tx) => insertExplanation(tx, A, 1n, 'why'))
  assert.deepEqual(explained.changes.length, 1)
  assert.match(explained.changes[0] ?? '', new RegExp(`^batch_explanations ${A}/1: new .*reason=why`))
})

test('batches are listed by chain, newest first, page by page, foreign and unexplained ones by themselves', async () => {
  const list = async (on: Queryable, page: Partial<Parameters<typeof listBatches>[1]> = {}) =>
    (
      await listBatches(on, {
        chainId: undefined,
        foreign: false,
        unexplained: false,
        after: undefined,
        limit: 500,
        ...page,
      })
    ).map(({ chainId, batchId }) => `${chainId === A ? 'A' : 'B'}${batchId}`)
  const of = (chain: string) => [8, 7, 6, 5, 4, 3, 2, 1].map((id) => `${chain}${id}`)
  assert.deepEqual(await list(db), [...of('A'), ...of('B')])
  assert.deepEqual(await list(db, { chainId: B }), of('B'))
  assert.deepEqual(await list(db, { after: { chainId: A, batchId: 2n }, limit: 3 }), ['A1', 'B8', 'B7'])
  assert.deepEqual(await list(db, { foreign: true }), ['A2', 'A1', 'B2', 'B1'])
  const { result } = await changesOf(db, async (tx) => {
    await insertExplanation(tx, A, 1n, 'x')
    const withConflict = await list(tx, { unexplained: true })
    await tx.query('delete from tag_conflicts')
    const without = await list(tx, { unexplained: true })
    await tx.query('update foreign_instructions set order_id = 1 where chain_id = $1 and batch_id = 2', [B])
    const taken = await list(tx, { unexplained: true })
    // To give it up says nothing of what it was; on a chain that is gone nobody does.
    for (const chainId of [A, B]) await insertGivenUp(tx, chainId, 1n, 'x')
    const givenUp = await list(tx, { unexplained: true })
    await tx.query(`insert into lost_chains (chain_id, lost_by, reason) values ($1, 'x', 'x')`, [A])
    return [withConflict, without, taken, givenUp, await list(tx, { unexplained: true })]
  })
  assert.deepEqual(result, [
    ['A2', 'A1', 'B2', 'B1'],
    ['A2', 'B2', 'B1'],
    ['A2', 'B1'],
    ['A2', 'A1', 'B1'],
    ['A2', 'B1'],
  ])
})

test('an instruction over the largest amount there is, which failed on chain, is shown as any other', async () => {
  const { result } = await changesOf(db, async (tx) => {
    await tx.query(`insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address,
      amount_micro, succeeded) values (${A}, 1, 7, '0xffffffffffffffff', 'MINT', '0x1', 18446744073709551615, false)`)
    return readInstructions(tx, { chainId: A, batchId: 1n, isForeign: true })
  })
  const shown = result.map((each) => viewInstruction(each, { successBitmap: 0n, otherOutcome: null }))
  assert.deepEqual(shown.at(-1)?.amount, '18446744073709.551615')
  const own = await readInstructions(db, { chainId: A, batchId: 4n, isForeign: false })
  assert.deepEqual(
    own.map(({ amountMicro }) => typeof amountMicro),
    own.map(() => 'bigint'),
  )
  assert.ok(own.length > 0)
})
