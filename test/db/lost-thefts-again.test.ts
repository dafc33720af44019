// engine: postgres
/** What somebody with a stolen login takes from the proof of a lost chain around the guards of what is booked, or said to be seen, there. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ROLES } from '../../src/config.ts'
import { type Database, type Queryable, violatedConstraint } from '../../src/db/database.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { readLostCoins } from '../../src/reserves/lost-coins.sql.ts'
import { findChainAgain } from '../../src/settlement/lost/lose.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { addChain, addOrder, addParty, type Party } from '../operator/world.ts'
import { addBatchRow } from '../support/batch-rows.ts'
import { asRole, createTestDatabase, type TestDatabase } from '../support/database.ts'
import { sealBooks } from '../support/seal-books.ts'
import { waitsOrEnds } from '../support/waits-or-ends.ts'
import { withoutGuards } from '../support/without-guards.ts'

const CHAIN = 31_337
const OTHERS = 8n

let db: TestDatabase
let party: Party
const REFERENCE = 'settled-before'
/** The last instruction of a batch. */
const LAST = 254
const logins = new Map<(typeof ROLES)[number], Database>()
before(async () => {
  db = await createTestDatabase()
  await applyGrants(db, ROLES, false)
  await addChain(db, CHAIN, 90n)
  party = await addParty(db)
  await addBatchRow(db, { chainId: CHAIN, batchId: OTHERS, status: 'final', isForeign: true, orderIds: [] })
  await db.query(
    `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
     values (${CHAIN}, ${OTHERS}, 0, 'x', 'MINT', 'x', 100, true), (${CHAIN}, ${OTHERS}, ${LAST}, $1, 'MINT', 'x', 50, true)`,
    [orderTag(party.integrationId, REFERENCE)],
  )
  await db.query('update batches set success_bitmap = 2::numeric ^ $1 + 1', [LAST])
  await book(db, 'mints', -1_000n)
  await sealBooks(db, 500)
  await db.query(`update chains set observed_at = now() - interval '2 days'`)
  await db.query(`insert into lost_chains (chain_id, reason, lost_by) values ($1, 'gone', 'somebody')`, [CHAIN])
  for (const role of ROLES) logins.set(role, await asRole(db, role))
})
after(async () => {
  for (const login of logins.values()) await login.close()
  await db.close()
})

/** Less coin by `amount`; more where that is less than none. */
async function book(tx: Queryable, reference: string, amount: bigint, day = 'current_date'): Promise<void> {
  const [entry] = await tx.query<{ id: bigint }>(
    `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
     values ($1, now(), ${day}, '{coins:${CHAIN},mint_receivable:x}', array[$2::numeric, -$2::numeric]) returning entry_id as id`,
    [reference, String(amount)],
  )
  await tx.query('insert into ledger_unsealed values ($1)', [entry?.id ?? 0n])
}

const coins = async (): Promise<bigint> => (await readLostCoins(db))[0]?.coinsMicro ?? -1n

async function refusalOf(
  role: (typeof ROLES)[number],
  work: (tx: Queryable) => Promise<unknown>,
): Promise<string | undefined> {
  return await logins
    .get(role)
    ?.transaction(work)
    .then(
      () => undefined,
      (error: unknown) => violatedConstraint(error) ?? String(error),
    )
}

test('an entry lowers it by no order that is in its batch as it was told, whatever an operator says beside', async () => {
  const batchId = 9n
  const order = { chainId: CHAIN, amountMicro: 100n, batchId } as const
  const minted = await addOrder(db, party, { ...order, direction: 'MINT', state: 'completed' })
  const burnt = await addOrder(db, party, { ...order, direction: 'REDEEM', state: 'payoutPending' })
  const left = await addOrder(db, party, { ...order, direction: 'REDEEM', state: 'payoutPending', batchId: 10n })
  const unburnt = await addOrder(db, party, { ...order, direction: 'REDEEM', state: 'payoutPending', batchId: 10n })
  const orderIds = [minted, burnt, left, unburnt]
  await addBatchRow(db, { chainId: CHAIN, batchId, status: 'final', orderIds })
  await db.query(
    `insert into batch_outcomes (chain_id, batch_id, executed, reason, explained_at) values (${CHAIN}, $1, '{0,1,2}', 'x', now())`,
    [batchId],
  )
  const was = await coins()
  const lower = (orderId: bigint) =>
    refusalOf('operator', async (tx) => {
      await tx.query(`update batch_outcomes set beside = '{0,1,2,3}' where batch_id = $1`, [batchId])
      await book(tx, `beside/${CHAIN}/${batchId}/${orderId}/1`, 100n)
    })
  for (const orderId of [minted, burnt, unburnt])
    assert.equal(await lower(orderId), 'ledger_entries_of_lost', String(orderIds.indexOf(orderId)))
  assert.equal(await coins(), was)
  assert.equal(await lower(left), undefined, 'it had left, and is burnt')
  assert.equal(await coins(), was - 100n)
  await withoutGuards(db, (tx) => tx.query('delete from batch_outcomes'))
})

test('an entry raises nothing on a day before all others, of which no balance has anything', async () => {
  const was = await coins()
  for (const role of ['settler', 'payer', 'operator'] as const)
    for (const day of [`'-infinity'`, `'infinity'`]) {
      const name = `turn/${CHAIN}/1/1`
      const raised = (tx: Queryable) => book(tx, `${name}/1`, -500n, day)
      assert.equal(await refusalOf(role, raised), 'ledger_entries_on_a_day', `${role}: ${day}`)
      assert.equal(await refusalOf(role, (tx) => book(tx, `${name}/2`, 500n)), 'ledger_entries_of_lost')
    }
  assert.equal(await coins(), was)
})

test('an entry counts once: what is queued for its seal is not sealed meanwhile', async () => {
  const was = await coins()
  const name = `turn/${CHAIN}/2/2`
  const SEALS = `insert into ledger_seals (position, entry_id, hash)
    select (select max(position) + 1 from ledger_seals), entry_id, sha256('') from ledger_entries where reference = $1`
  const QUEUES = 'insert into ledger_unsealed select entry_id from ledger_entries where reference = $1'
  for (const [first, second, level] of [
    [QUEUES, SEALS, 'read committed'],
    [SEALS, QUEUES, 'read committed'],
    [QUEUES, SEALS, 'repeatable read'],
    [SEALS, QUEUES, 'repeatable read'],
  ] as const) {
    const lower = `${name}/${first === SEALS ? 1 : 2}${level.length}`
    assert.equal(await refusalOf('payer', (tx) => book(tx, `${lower}0`, -500n)), undefined)
    const lowers = `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
      values ($1, now(), current_date, '{coins:${CHAIN},mint_receivable:x}', '{500,-500}')`
    assert.equal(await refusalOf('payer', (tx) => tx.query(lowers, [lower])), undefined)
    let meanwhile: Promise<string | undefined> | undefined
    await refusalOf('payer', async (tx) => {
      await tx.query(`set transaction isolation level ${level}`)
      await tx.query(first, [lower])
      meanwhile = refusalOf('payer', (other) => other.query(second, [lower]))
      await waitsOrEnds(db, meanwhile)
    })
    await meanwhile
    assert.ok((await coins()) >= was, `${level}: ${first}`)
  }
})

test('a closing carries on what comes with it, and nothing of another transaction', async () => {
  const was = await coins()
  const closes = async (tx: Queryable) => {
    await tx.query(`update ledger_book set closed_through = '2001-01-01'`)
    await tx.query(`insert into ledger_closings (through, unpaid) values ('2001-01-01', '[]')`)
  }
  const carries = (tx: Queryable) =>
    tx.query(
      `insert into ledger_carried (through, account, balance_micro) values ('2001-01-01', 'coins:${CHAIN}', 500)`,
    )
  for (const level of ['read committed', 'repeatable read']) {
    let closing: Promise<string | undefined> | undefined
    const carried = await refusalOf('operator', async (tx) => {
      await tx.query(`set transaction isolation level ${level}`)
      await tx.query('set constraints all deferred')
      await carries(tx)
      closing = refusalOf('operator', closes)
      await waitsOrEnds(db, closing)
    })
    assert.equal(await closing, undefined)
    assert.equal(carried, level === 'read committed' ? 'ledger_carried_through_fkey' : 'ledger_closes')
    assert.equal(await coins(), was)
    await withoutGuards(db, async (tx) => {
      for (const table of ['ledger_carried', 'ledger_closings']) await tx.query(`delete from ${table}`)
      await tx.query('update ledger_book set closed_through = null')
    })
  }
})

describe('what others had made', () => {
  /** As a settler may write it of an order that waits. */
  const takes = async (tx: Queryable, orderId: bigint, { index = 0, status = 'completed', more = '' } = {}) => {
    const placed = [orderId, OTHERS, index] as const
    await tx.query('insert into signed_orders (order_id, batch_id, batch_index) values ($1, $2, $3)', placed)
    await tx.query(
      `update orders set status = $4, failure_reason = case when $4 = 'failed' then 'x' end, batch_id = $2, batch_index = $3,
         tx_hash = decode(repeat('bb', 32), 'hex'), block_number = 50 where order_id = $1`,
      [...placed, status],
    )
    await tx.query(
      `update foreign_instructions set order_id = $1${more} where (chain_id, batch_id, instruction_index) = (${CHAIN}, $2, $3)`,
      placed,
    )
  }
  const MINT = { chainId: CHAIN, direction: 'MINT', state: 'created' } as const

  test('is the outcome of no order that has another tag, of whatever amount', async () => {
    const was = await coins()
    for (const amountMicro of [1n, 100n]) {
      const waiting = await addOrder(db, party, { ...MINT, amountMicro })
      for (const status of ['completed', 'failed'])
        assert.equal(
          await refusalOf('settler', async (tx) => {
            await takes(tx, waiting, { status })
            await book(tx, `batch/${CHAIN}/${OTHERS}/0/${party.integrationId}`, -amountMicro)
          }),
          'foreign_instructions_of_lost',
          `${amountMicro}, ${status}`,
        )
    }
    assert.equal(await coins(), was)
  })
  test('is the outcome of the order that has its tag as it was, and with what the books have of it', async () => {
    const was = await coins()
    const waiting = await addOrder(db, party, { ...MINT, amountMicro: 50n, referenceId: REFERENCE })
    const name = `batch/${CHAIN}/${OTHERS}/${LAST}/${party.integrationId}`
    const refusal = (reference: string, { micro = 50n, more = '', status = 'completed' }) =>
      refusalOf('settler', async (tx) => {
        await book(tx, reference, -micro)
        await takes(tx, waiting, { index: LAST, more, status })
      })
    for (const [reference, how] of [
      [`${name}/x`, {}],
      [`turn/${CHAIN}/1/1/1`, {}],
      [name, { micro: 49n }],
      [name, { more: ', succeeded = false' }],
      [name, { status: 'failed' }],
      [name, { status: 'failed', more: ', succeeded = false' }],
    ] as const)
      assert.equal(await refusal(reference, how), 'foreign_instructions_of_lost', JSON.stringify([reference, how.more]))
    const unqueued = await refusalOf('settler', async (tx) => {
      await tx.query(
        `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
         values ($1, now(), current_date, '{coins:${CHAIN},mint_receivable:x}', '{-50,50}')`,
        [name],
      )
      await takes(tx, waiting, { index: LAST })
    })
    assert.equal(unqueued, 'foreign_instructions_of_lost', 'in no balance')
    assert.equal(await coins(), was)
    assert.equal(await refusal(name, {}), undefined)
    assert.equal(await coins(), was, 'the books have it now')
  })
})

describe('a chain that is found', () => {
  const LOST = `insert into lost_chains (chain_id, reason, lost_by) values (${CHAIN}, 'gone', 'somebody')`
  const UNKNOWN = 'update chains set fenced_on = null'
  const SEEN = 'update chains set fenced_on = null, observed_at = now()'
  const found = (role: 'operator' | 'settler', ...texts: string[]) =>
    refusalOf(role, async (tx) => {
      for (const text of texts) await tx.query(text)
    })

  test('counts as seen, so that it is not lost again before a day has gone', async () => {
    assert.equal(await found('operator', UNKNOWN, 'delete from lost_chains'), 'lost_chains_guarded')
    assert.equal(await found('operator', SEEN, 'delete from lost_chains', LOST), 'lost_chains_guarded')
    const yesterday = `update chains set observed_at = now() - interval '25 hours'`
    assert.equal(await found('operator', SEEN, 'delete from lost_chains', yesterday), 'chains_seen_now')
    const was = await coins()
    assert.equal(await refusalOf('operator', (tx) => findChainAgain(tx, CHAIN)), undefined)
    assert.equal(await found('operator', LOST), 'lost_chains_guarded')
    await db.query(yesterday)
    assert.equal(await found('operator', LOST), undefined)
    assert.equal(await coins(), was)
  })
})
