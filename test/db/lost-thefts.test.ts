// engine: postgres
/**
 * What somebody with a stolen login takes from what the proof says of a lost chain: no entry, no closing and nothing that is said to be seen lowers it but by
 * what was burnt there.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ROLES } from '../../src/config.ts'
import { type Database, type Queryable, violatedConstraint } from '../../src/db/database.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { closeDays } from '../../src/ledger/periods.sql.ts'
import { readLostCoins } from '../../src/reserves/lost-coins.sql.ts'
import { endSome } from '../../src/settlement/lost/end-lost.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { addChain, addOrder, addParty, type Party } from '../operator/world.ts'
import { addBatchRow } from '../support/batch-rows.ts'
import { asRole, createTestDatabase, type TestDatabase } from '../support/database.ts'
import { sealBooks } from '../support/seal-books.ts'
import { waitsOrEnds } from '../support/waits-or-ends.ts'
import { withoutGuards } from '../support/without-guards.ts'

const [CHAIN, THERE] = [31_337, 31_338]
const MINTED = 1_000n
const [BURNT, REFUSED, OTHERS] = [5n, 6n, 8n]
/** What is burnt by one batch of ours, and what one that was refused had minted again; others made a hundred in a batch, and a hundred beside. */
const AMOUNT = 5n

let db: TestDatabase
const logins = new Map<(typeof ROLES)[number], Database>()
let party: Party
let refusedId: bigint
before(async () => {
  db = await createTestDatabase()
  await applyGrants(db, ROLES, false)
  for (const chainId of [CHAIN, THERE]) await addChain(db, chainId, 90n)
  party = await addParty(db)
  const order = { chainId: CHAIN, amountMicro: AMOUNT } as const
  const burnt = await addOrder(db, party, { ...order, direction: 'REDEEM', state: 'payoutPending', batchId: BURNT })
  await addBatchRow(db, { chainId: CHAIN, batchId: BURNT, status: 'final', orderIds: [burnt] })
  refusedId = await addOrder(db, party, { ...order, direction: 'MINT', state: 'completed', batchId: REFUSED })
  await addBatchRow(db, { chainId: CHAIN, batchId: REFUSED, status: 'final', orderIds: [refusedId] })
  await db.query(
    'insert into lost_orders (order_id, chain_id, batch_id, turns, executed) values ($1, $2, $3, 1, true)',
    [refusedId, CHAIN, REFUSED],
  )
  await addBatchRow(db, { chainId: CHAIN, batchId: OTHERS, status: 'final', isForeign: true, orderIds: [] })
  await db.query(
    `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
     values (${CHAIN}, ${OTHERS}, 0, 'x', 'MINT', 'x', 100, true)`,
  )
  await db.query(supply(100))
  await book(db, 'mints', { amount: -MINTED, day: 'current_date - 4' })
  await sealBooks(db, 500)
  await db.query(`insert into lost_chains (chain_id, reason, lost_by) values ($1, 'gone', 'somebody')`, [CHAIN])
  for (const role of ROLES) logins.set(role, await asRole(db, role))
})
after(async () => {
  for (const login of logins.values()) await login.close()
  await db.close()
})

const supply = (amount: number) =>
  `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, amount_micro, pauses)
   values (${CHAIN}, 'supply', 'x', 1, 2, ${amount}, true)`

/** Less coin by `amount`; more where that is less than none. */
async function book(
  tx: Queryable,
  reference: string,
  { amount = AMOUNT, day = 'current_date', isQueued = true } = {},
): Promise<void> {
  const [entry] = await tx.query<{ id: bigint }>(
    `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
     values ($1, now(), ${day}, '{coins:${CHAIN},mint_receivable:x}', array[$2::numeric, -$2::numeric]) returning entry_id as id`,
    [reference, String(amount)],
  )
  if (isQueued) await tx.query('insert into ledger_unsealed values ($1)', [entry?.id ?? 0n])
}

const coins = async (): Promise<bigint> => (await readLostCoins(db))[0]?.coinsMicro ?? -1n

/** Without a row of `lost_orders` for the order that was refused. */
const ALL = MINTED + 200n + AMOUNT

/** By what a login is refused; undefined when it did it. */
async function refusalOf(
  role: (typeof ROLES)[number],
  work: (tx: Queryable) => Promise<unknown>,
): Promise<string | undefined> {
  const refused = await logins
    .get(role)
    ?.transaction(work)
    .then(
      () => undefined,
      (error: unknown) => violatedConstraint(error) ?? String(error),
    )
  return refused
}

describe('an entry', () => {
  test('lowers it under the one name of what was burnt', async () => {
    assert.equal(await coins(), ALL)
    assert.equal(await refusalOf('settler', (tx) => book(tx, `batch/${CHAIN}/${BURNT}/x`)), undefined)
    assert.equal(await coins(), ALL - AMOUNT)
    for (const name of ['again/1/x', 'again/2/x', 'again/0/x', 'again/01/x'])
      assert.equal(
        await refusalOf('settler', (tx) => book(tx, `batch/${CHAIN}/${BURNT}/${name}`)),
        'ledger_entries_of_lost',
        name,
      )
    const turned = (id: string) => refusalOf('settler', (tx) => book(tx, `turn/${CHAIN}/${REFUSED}/${id}/1`))
    assert.equal(await turned(String(refusedId)), undefined)
    for (const id of [`0${refusedId}`, `00${refusedId}`])
      assert.equal(await turned(id), 'ledger_entries_of_lost', `it is ${refusedId} all the same`)
    assert.equal(await coins(), ALL - 2n * AMOUNT)
  })
  test('lowers it by no burn of another chain, or of a batch that was given up', async () => {
    const batchId = 77n
    const order = { direction: 'REDEEM', state: 'payoutPending', amountMicro: AMOUNT, batchId } as const
    const there = await addOrder(db, party, { ...order, chainId: THERE })
    await addBatchRow(db, { chainId: CHAIN, batchId, status: 'final', orderIds: [there] })
    const lower = () => refusalOf('settler', (tx) => book(tx, `batch/${CHAIN}/${batchId}/x`))
    assert.equal(await lower(), 'ledger_entries_of_lost', 'of another chain')
    const givenUp = await addOrder(db, party, { ...order, chainId: CHAIN, batchId: 78n })
    await addBatchRow(db, { chainId: CHAIN, batchId: 78n, status: 'abandoned', orderIds: [givenUp] })
    assert.equal(
      await refusalOf('settler', (tx) => book(tx, `batch/${CHAIN}/78/x`)),
      'ledger_entries_of_lost',
      'given up',
    )
  })
  test('lowers it by nothing of a batch that was given up and lists another order now', async () => {
    const batchId = 79n
    const left = {
      chainId: CHAIN,
      direction: 'REDEEM',
      state: 'payoutPending',
      amountMicro: AMOUNT,
      batchId: 80n,
    } as const
    const [first, other] = [await addOrder(db, party, left), await addOrder(db, party, left)]
    await addBatchRow(db, { chainId: CHAIN, batchId, status: 'final', orderIds: [first] })
    await db.query(
      `insert into batch_outcomes (chain_id, batch_id, executed, reason, explained_at, beside) values ($1, $2, '{0}', 'x', now(), '{0}')`,
      [CHAIN, batchId],
    )
    const lower = (orderId: bigint) =>
      refusalOf('settler', async (tx) => {
        if (orderId === other)
          await tx.query('update batches set order_ids = array[$1::bigint] where (chain_id, batch_id) = ($2, $3)', [
            other,
            CHAIN,
            batchId,
          ])
        await book(tx, `beside/${CHAIN}/${batchId}/${orderId}/1`)
      })
    const was = await coins()
    assert.equal(await lower(other), 'batches_as_formed')
    assert.equal(await lower(first), undefined, 'the books have its burn')
    assert.equal(await coins(), was - AMOUNT)
    await withoutGuards(db, (tx) =>
      tx.query(
        `update batches set status = 'abandoned', mined_block = null, mined_hash = null, success_bitmap = null, finalized_at = null
         where (chain_id, batch_id) = ($1, $2)`,
        [CHAIN, batchId],
      ),
    )
    assert.equal(await lower(other), 'ledger_entries_of_lost')
    await db.query('delete from batch_outcomes where batch_id = $1', [batchId])
  })
  test('is judged by what stays: what is undone before its transaction ends raises nothing', async () => {
    const name = `turn/${CHAIN}/4/1`
    const refused = await refusalOf('settler', async (tx) => {
      await book(tx, `${name}/1`, { amount: -AMOUNT, isQueued: false })
      await book(tx, `${name}/2`)
      await tx.query('savepoint queued')
      await tx.query('insert into ledger_unsealed select entry_id from ledger_entries where reference = $1', [
        `${name}/1`,
      ])
      await tx.query('set constraints ledger_entries_of_lost immediate')
      await tx.query('rollback to savepoint queued')
    })
    assert.equal(refused, 'ledger_entries_of_lost')
  })
  test('lowers it for what had raised it in a balance alone', async () => {
    const name = (id: number) => `turn/${CHAIN}/1/${id}`
    const MORE = 50n
    const raised = (id: number, more: { day?: string; isQueued?: boolean }) => (tx: Queryable) =>
      book(tx, `${name(id)}/1`, { amount: -MORE, ...more })
    const lowered = (id: number) => (tx: Queryable) => book(tx, `${name(id)}/2`, { amount: MORE })
    const both = (id: number, more: { day?: string; isQueued?: boolean }) => async (tx: Queryable) => {
      await raised(id, more)(tx)
      await lowered(id)(tx)
    }
    const was = await coins()
    for (const role of ['settler', 'payer', 'operator'] as const)
      assert.equal(await refusalOf(role, both(1, { isQueued: false })), 'ledger_entries_of_lost', 'it awaits no seal')
    assert.equal(await refusalOf('settler', both(2, {})), undefined, 'each is in a balance')
    assert.equal(await coins(), was)
    // Sealed, and not added up, on a day on which nothing is any more.
    const sealed = await refusalOf('payer', async (tx) => {
      await raised(3, { day: 'current_date - 1', isQueued: false })(tx)
      await tx.query(
        `insert into ledger_seals (position, entry_id, hash) select (select max(position) + 1 from ledger_seals), max(entry_id), sha256('') from ledger_entries`,
      )
    })
    assert.equal(sealed, undefined)
    assert.equal(await coins(), was + MORE, 'it is added up all the same')
    assert.equal(await refusalOf('settler', lowered(3)), undefined)
    assert.equal(await coins(), was)
  })
  test('is on no day that is closed, and on none that is closed before it is there', async () => {
    const closes = (daysAgo: number) =>
      logins.get('operator')?.transaction(async (tx) => {
        const [row] = await tx.query<{ day: string }>('select (current_date - $1::int)::text as day', [daysAgo])
        await closeDays(tx, row?.day ?? '')
      })
    const raise = (reference: string, daysAgo: number) => (tx: Queryable) =>
      book(tx, reference, { amount: -AMOUNT, day: `current_date - ${daysAgo}` })
    const was = await coins()
    for (const role of ['settler', 'payer', 'operator'] as const) {
      const early = async (tx: Queryable) => {
        await tx.query('set transaction isolation level repeatable read')
        await raise('early', 2)(tx)
      }
      assert.equal(await refusalOf(role, early), 'ledger_entries_day_open', 'what it sees may be closed')
    }
    await closes(4)
    for (const role of ['settler', 'payer', 'operator'] as const)
      assert.equal(await refusalOf(role, raise('late', 4)), 'ledger_entries_day_open', role)
    let closing: Promise<unknown> | undefined
    assert.equal(
      await refusalOf('settler', async (tx) => {
        await raise('under way', 3)(tx)
        closing = Promise.resolve(closes(3))
        await waitsOrEnds(db, closing)
      }),
      undefined,
    )
    await closing
    assert.equal(await coins(), was + AMOUNT)
  })
})

describe('a closing', () => {
  const THROUGH = 'current_date - 2'
  const writes = (tx: Queryable, before: bigint, more: string[]) =>
    [
      `update ledger_book set closed_through = ${THROUGH}`,
      `insert into ledger_carried values (${THROUGH}, 'coins:${CHAIN}', ${before})`,
      ...more,
    ].reduce<Promise<unknown>>(
      (done, text) => done.then(() => tx.query(text)),
      tx.query('set constraints all deferred'),
    )
  const CLOSE = `insert into ledger_closings (through, unpaid) values (${THROUGH}, '[]')`
  const TAKE = `update ledger_totals set credit_micro = 0, debit_micro = 0 where account = 'coins:${CHAIN}'`

  test('adds up what is, whatever its own transaction has written there, and in whichever order that is judged', async () => {
    assert.equal(
      await refusalOf('operator', (tx) => book(tx, 'on a day', { amount: -AMOUNT, day: THROUGH })),
      undefined,
    )
    await sealBooks(db, 500)
    const was = await coins()
    const [row] = await db.query<{ carried: bigint }>(
      `select balance_micro::bigint as carried from ledger_carried where account = 'coins:${CHAIN}' order by through desc limit 1`,
    )
    const carried = row?.carried ?? 0n
    for (const more of [
      [CLOSE],
      [TAKE, CLOSE],
      [CLOSE, TAKE],
      [CLOSE, TAKE, 'set constraints ledger_closings_of_lost immediate'],
      [CLOSE, 'savepoint one', TAKE, 'savepoint two', 'set constraints ledger_closings_of_lost immediate'],
      [
        'set constraints ledger_closings_of_lost immediate',
        `with closing as (${CLOSE} returning through) ${TAKE.replace(' where', ' from closing where')}`,
      ],
    ])
      assert.equal(
        await refusalOf('operator', (tx) => writes(tx, carried, more)),
        'ledger_closings_of_lost',
        more.join(),
      )
    assert.equal(await coins(), was)
    for (const level of ['repeatable read', 'serializable']) {
      const refused = await refusalOf('operator', async (tx) => {
        await tx.query(`set transaction isolation level ${level}`)
        await tx.query('select from chains')
        await db.transaction((other) => book(other, `${level} sees nothing of it`, { amount: -AMOUNT, day: THROUGH }))
        await writes(tx, carried - AMOUNT, [CLOSE])
      })
      assert.equal(refused, 'ledger_closes', level)
    }
  })
  test('waits for what is being booked on its days, by whomever', async () => {
    const was = await coins()
    const [row] = await db.query<{ carried: bigint }>(
      `select sum(amount)::bigint as carried from (
         select balance_micro as amount from ledger_carried where account = 'coins:${CHAIN}' and through = (select max(through) from ledger_closings)
         union all select debit_micro - credit_micro from ledger_totals where account = 'coins:${CHAIN}' and day = ${THROUGH}
         union all select l.amount from ledger_unsealed join ledger_entries e using (entry_id)
           cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount) where l.account = 'coins:${CHAIN}' and e.day = ${THROUGH}) t`,
    )
    const carried = row?.carried ?? 0n
    let closing: Promise<string | undefined> | undefined
    const booked = await refusalOf('settler', async (tx) => {
      await book(tx, 'while days are closed', { amount: -AMOUNT, day: THROUGH })
      closing = refusalOf('operator', (other) => writes(other, carried, [CLOSE]))
      await waitsOrEnds(db, closing)
    })
    assert.equal(booked, undefined)
    assert.equal(await closing, 'ledger_closings_of_lost')
    assert.equal(await coins(), was + AMOUNT)
    assert.equal(await refusalOf('operator', (tx) => writes(tx, carried - AMOUNT, [CLOSE])), undefined)
    assert.equal(await coins(), was + AMOUNT)
  })
})

describe('what is said to be seen', () => {
  const ofOthers = (set: string) =>
    `update foreign_instructions set ${set} where (chain_id, batch_id) = (${CHAIN}, ${OTHERS})`
  test('is nothing less of what others had made', async () => {
    const was = await coins()
    await addBatchRow(db, { chainId: CHAIN, batchId: 97n, status: 'abandoned', isForeign: true, orderIds: [] })
    const given = 'chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded'
    await db.query(
      `insert into foreign_instructions (${given}) values (${CHAIN}, 97, 0, 'x', 'TRANSFER', 'x', 100, true)`,
    )
    for (const [text, constraint] of [
      [ofOthers('succeeded = false'), 'foreign_instructions_of_lost'],
      [ofOthers('order_id = 1'), 'foreign_instructions_of_lost'],
      [ofOthers(`order_id = ${refusedId}`), 'foreign_instructions_of_lost'],
      [
        `insert into foreign_instructions (${given}) values (${CHAIN}, ${OTHERS}, 1, 'x', 'REDEEM', 'x', 100, true)`,
        'foreign_instructions_of_lost',
      ],
      [`delete from foreign_instructions where (chain_id, batch_id) = (${CHAIN}, 97)`, 'foreign_instructions_of_lost'],
      [supply(-100), 'foreign_movements_of_lost'],
    ] as const)
      for (const now of [false, true])
        assert.equal(
          await refusalOf('settler', async (tx) => {
            await tx.query(text)
            if (now) await tx.query('set constraints all immediate')
          }),
          constraint,
          text,
        )
    assert.equal(await coins(), was)
  })
  test('was seen before: an order that waits takes its outcome', async () => {
    const referenceId = 'settled-before'
    const order = { chainId: CHAIN, direction: 'MINT', amountMicro: 7n, state: 'created', referenceId } as const
    const waiting = await addOrder(db, party, order)
    await withoutGuards(db, (tx) =>
      tx.query(
        `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
         values (${CHAIN}, ${OTHERS}, 2, $1, 'MINT', $2, 7, true)`,
        [orderTag(party.integrationId, referenceId), party.wallet],
      ),
    )
    await db.query(`update batches set success_bitmap = 5 where (chain_id, batch_id) = (${CHAIN}, ${OTHERS})`)
    const was = await coins()
    assert.equal(await refusalOf('settler', (tx) => endSome(tx, CHAIN, [])), undefined)
    const [row] = await db.query('select status, batch_id from orders where order_id = $1', [waiting])
    assert.deepEqual(row, { status: 'completed', batch_id: OTHERS })
    assert.equal(await coins(), was, 'the books have it now')
  })
  test('burns no redeem that waits, as by a batch that nobody has seen', async () => {
    const order = { chainId: CHAIN, direction: 'REDEEM', amountMicro: AMOUNT } as const
    const waiting = await addOrder(db, party, { ...order, state: 'created' })
    const batch = (status: string, more: string, values: string) =>
      `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, status, fencing_token, tx_hash,
         mined_block, mined_hash${more}) values (${CHAIN}, 99, '0x51', 99, '0xd1', '0xd2', '{${waiting}}', 1, '${status}', 1, '0xb', 50, '0xb1'${values})`
    const final = batch('final', ', success_bitmap, finalized_at, is_foreign', ', 1, now(), true')
    for (const text of [batch('mined', '', ''), final])
      assert.equal(await refusalOf('settler', (tx) => tx.query(text)), 'batches_seen_on_no_lost_chain')
    await withoutGuards(db, (tx) => addBatchRow(tx, { chainId: CHAIN, batchId: 98n, status: 'signed' }))
    const seen = `update batches set status = 'mined', mined_block = 50, mined_hash = '0xb1' where (chain_id, batch_id) = (${CHAIN}, 98)`
    assert.equal(await refusalOf('settler', (tx) => tx.query(seen)), 'batches_seen_on_no_lost_chain')
    const givenUp = `update batches set status = 'abandoned' where (chain_id, batch_id) = (${CHAIN}, 98)`
    assert.equal(await refusalOf('settler', (tx) => tx.query(givenUp)), undefined)
  })
  test('makes of a final batch of ours none of others, by which it would have burnt once more', async () => {
    const others = `update batches set is_foreign = true where (chain_id, batch_id) = (${CHAIN}, ${BURNT})`
    assert.equal(await refusalOf('settler', (tx) => tx.query(others)), 'batches_move_exists')
  })
})
