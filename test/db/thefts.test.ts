// engine: postgres
/**
 * What somebody with a stolen database login tries, and no key: their group may run the statement, and the guards of the rows refuse it.
 * What the group may not run at all is in grants.test.ts.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { endToEndIdOf } from '../../src/bank-files/end-to-end-id.ts'
import { ROLES, type Role } from '../../src/config.ts'
import { groupOf } from '../../src/db/access.sql.ts'
import { violatedConstraint } from '../../src/db/database.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { accountOf as accountNamed } from '../../src/ledger/accounts.ts'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { addFlows } from '../../src/ledger/flows.sql.ts'
import { SEALED_BOOKS } from '../../src/ledger/sealed-books.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import type { Redeem } from '../../src/payouts/split.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { disbelieveBurns } from '../support/believed-burns.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { CUSTOMERS, INTEGRATIONS, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { waitFor } from '../support/wait-for.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  // Who may use a database is not copied with it, as the tests make theirs.
  await applyGrants(db, ROLES, false)
  await grantWholeRows(db)
  await seedTwoOfEverything(db)
  await disbelieveBurns(db)
  await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference: 'redeem-one', state: 'payoutPending' })
  await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference: 'redeem-two', state: 'payoutPending' })
  await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference: 'redeem-not-burnt' })
  const greater = { direction: 'REDEEM', party: 'a1', reference: 'redeem-greater', amountMicro: 9_000_000n } as const
  await placeOrder(db, { ...greater, state: 'payoutPending' })
  await placeOrder(db, { direction: 'MINT', party: 'a1', reference: 'mint-done', state: 'completed' })
  await placeOrder(db, { direction: 'MINT', party: 'a1', reference: 'mint-unpaid', state: 'paymentPending' })
  await db.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, status, end_to_end_id)
     select 'po_00001', order_id, customer_id, 100, 'queued', 'E1' from orders where reference_id = 'redeem-one'`,
  )
})
after(() => db.close())

/** Of the rows that a group may insert, it may choose every column, as under grants of an earlier version: the guards are to hold alone. */
async function grantWholeRows(db: TestDatabase): Promise<void> {
  const tables = await db.query<{ name: string; group: string }>(
    `select c.relname::text as name, g as group from pg_class c cross join unnest($1::text[]) g
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and has_any_column_privilege(g, c.oid, 'insert')`,
    [ROLES.map(groupOf)],
  )
  for (const { name, group } of tables) await db.query(`grant insert on ${name} to ${group}`)
}

const UNDONE = new Error('undone')

/** By what a statement is refused: a constraint, or the database's code; undefined when it is carried out. It is undone. */
async function refusalOf(role: Role, ...statements: string[]): Promise<string | undefined> {
  const work = db.transaction(async (tx) => {
    await tx.query(`set local role ${groupOf(role)}`)
    for (const statement of statements) await tx.query(statement)
    throw UNDONE
  })
  const error = await work.catch((thrown: unknown) => thrown)
  return error === UNDONE
    ? undefined
    : (violatedConstraint(error) ?? String((error as { code?: string }).code ?? error))
}

/** The same, of statements the first of which begins the transaction otherwise. */
async function firstRefusalOf(role: Role, begin: string, ...statements: string[]): Promise<string | undefined> {
  const work = db.transaction(async (tx) => {
    await tx.query(begin)
    await tx.query(`set local role ${groupOf(role)}`)
    for (const statement of statements) await tx.query(statement)
    throw UNDONE
  })
  const error = await work.catch((thrown: unknown) => thrown)
  return error === UNDONE ? undefined : violatedConstraint(error)
}

/** Statements that nothing guards, among those of a role. */
const unguarded = (role: Role, text: string) => [
  'reset role',
  `set local session_replication_role = 'replica'`,
  text,
  `set local session_replication_role = 'origin'`,
  `set local role ${groupOf(role)}`,
]

/** What a payout of an order is called, or, of `residuals`, one of parts of a sen. */
const payoutIdOf = (integrationId: string, referenceId: string) =>
  `po_${createHash('sha256').update(`${integrationId}/${referenceId}`).digest('hex').slice(0, 24)}`
const paymentOf = (integrationId: string, referenceId: string, attempt = 1) =>
  endToEndIdOf({ integrationId, referenceId, attempt })

const accountOf = (customerId: string) => `(select bank_id from customers where customer_id = '${customerId}')`

describe('a payout', () => {
  for (const role of ['settler', 'payer', 'operator'] as const) {
    test(`is not sent to another customer's account by a ${role}`, async () => {
      const set = (customerId: string) =>
        `update payouts set bank_id = ${accountOf(customerId)} where payout_id = 'po_00001'`
      assert.equal(await refusalOf(role, set(CUSTOMERS.a1)), undefined)
      assert.equal(await refusalOf(role, set(CUSTOMERS.a2)), 'payouts_to_own_bank')
      assert.equal(
        await refusalOf(role, set(CUSTOMERS.a1), `update payouts set bank_id = null`),
        'payouts_destination_fixed',
      )
    })
  }
  test('is not sent to an account that its customer has given up', async () => {
    const GIVEN_UP = 'bnk_0000000000000000000000ff'
    await db.query(
      `insert into bank_details (bank_id, sealed, customer_id) select $1, sealed, customer_id from bank_details where customer_id = $2 limit 1`,
      [GIVEN_UP, CUSTOMERS.a1],
    )
    const set = `update payouts set bank_id = '${GIVEN_UP}' where payout_id = 'po_00001'`
    for (const role of ['settler', 'payer', 'operator'] as const)
      assert.equal(await refusalOf(role, set), 'payouts_to_present_bank', role)
    // What a rail was asked for before, as a restored state finds it out, went where it went.
    const before = `insert into payout_attempts (payout_id, attempt, end_to_end_id, bank_id, rail) values ('po_00001', 1, 'E1', '${GIVEN_UP}', 'http')`
    assert.equal(await refusalOf('payer', ...unguarded('payer', before), set), undefined)
    const ofAnother = unguarded('payer', before.replace('po_00001', 'po_another'))
    assert.equal(await refusalOf('payer', ...ofAnother, set), 'payouts_to_present_bank', 'of another payout')
    const ofNext = unguarded('payer', before.replace(`1, 'E1'`, `2, 'E2'`))
    assert.equal(await refusalOf('payer', ...ofNext, set), 'payouts_to_present_bank', 'of another attempt')
    const erased = `update customers set bank_id = null where customer_id = '${CUSTOMERS.a1}'`
    assert.equal(await refusalOf('operator', erased, set), 'payouts_to_present_bank', 'without an account')
  })
  test('is not paid once more by who may write what became of it', async () => {
    const second = paymentOf(INTEGRATIONS.a, 'redeem-one', 2)
    const asked = `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail) values ('po_00001', 1, 'E1', 'http')`
    const refused = `update payout_attempts set status = 'rejected' where payout_id = 'po_00001'`
    const next = (more = '', attempt = 2) =>
      `update payouts set status = 'queued', rail = null, bank_id = null, attempt = ${attempt}, end_to_end_id = '${second}'${more} where payout_id = 'po_00001'`
    const beside = `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, status) values ('po_00001', 2, '${second}', 'http', 'rejected')`
    for (const role of ['settler', 'payer'] as const) {
      assert.equal(await refusalOf(role, asked, refused, next()), 'payouts_attempt_by_operator')
      assert.equal(await refusalOf(role, asked, refused, next('', 1)), 'payouts_attempt_by_operator')
      assert.equal(await refusalOf(role, asked, refused, next(', retries = retries + 1')), '42501')
      assert.equal(await refusalOf(role, asked, refused, beside, next()), 'payout_attempts_begin')
    }
    for (const values of [`2, 'E1', null`, `1, '${second}', null`, `1, 'E1', ${accountOf(CUSTOMERS.a1)}`]) {
      const other = `insert into payout_attempts (payout_id, attempt, end_to_end_id, bank_id, rail) values ('po_00001', ${values}, 'http')`
      assert.equal(await refusalOf('payer', other), 'payout_attempts_begin', values)
      const ofAnother = other.replace('po_00001', 'po_another').replace(values, `1, 'E1', null`)
      assert.equal(await refusalOf('payer', ofAnother), 'payout_attempts_begin', 'beside a payout')
    }
    assert.equal(await refusalOf('operator', asked, refused, next(', retries = retries + 1')), undefined)
    const third = next(', retries = retries + 1').replace(second, paymentOf(INTEGRATIONS.a, 'redeem-one', 3))
    assert.equal(await refusalOf('operator', asked, refused, third), 'payouts_attempt_by_operator', 'another name')
    // An attempt that its rail was asked for before is carried out once; of another payout it says nothing.
    const known = (payoutId: string) =>
      `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, status) values ('${payoutId}', 2, '${second}', 'http', 'rejected')`
    const before = unguarded('payer', known('po_00001'))
    assert.equal(await refusalOf('payer', asked, refused, ...before, next()), undefined)
    const ofAnother = unguarded('payer', known('po_another'))
    assert.equal(await refusalOf('payer', asked, refused, ...ofAnother, next()), 'payouts_attempt_by_operator')
  })
  test('has the burn that a payer has seen, and is asked for only then', async () => {
    const see = (burn: string, id = 'po_00001') => `update payouts set burn = ${burn} where payout_id = '${id}'`
    const claim = `update payouts set rail = 'http', times_asked = times_asked + 1 where payout_id = 'po_00001'`
    for (const role of ['api', 'settler', 'courier', 'operator'] as const)
      assert.equal(await refusalOf(role, see(`'1/1/0'`)), '42501', role)
    assert.equal(await refusalOf('payer', claim), 'payouts_burn_seen')
    assert.equal(await refusalOf('payer', see(`'1/1/0'`), claim), undefined)
    assert.equal(await refusalOf('payer', see(`'1/1/0'`), see(`'1/1/1'`)), 'payouts_burn_seen')
    assert.equal(await refusalOf('payer', see(`'1/1/0'`), see('null')), 'payouts_burn_seen')
    const ofParts = `update payouts set order_id = null, integration_id = 'int', reference_id = 'po_00001' where payout_id = 'po_00001'`
    assert.equal(await refusalOf('payer', ...unguarded('payer', ofParts), claim), undefined, 'nothing was burnt for it')
  })
  test('is held for its burn by a payer alone', async () => {
    const hold = (reason: string) =>
      `update payouts set status = 'held', hold_reason = '${reason}' where payout_id = 'po_00001'`
    const look = `update payouts set last_error = 'x' where payout_id = 'po_00001'`
    for (const role of ['settler', 'operator'] as const) {
      assert.equal(await refusalOf(role, hold('burn_not_seen')), 'payouts_denied_by_payer', role)
      assert.equal(await refusalOf(role, hold('by_operator')), undefined, role)
      const held = [hold('burn_not_seen'), 'reset role', `set local role ${groupOf(role)}`, look]
      assert.equal(await refusalOf('payer', ...held), undefined, role)
    }
  })
  test('that operators hold, or that has not gone through, goes on by their word alone', async () => {
    const to = (status: string, reason?: string) =>
      `update payouts set status = '${status}', hold_reason = ${reason === undefined ? 'null' : `'${reason}'`} where payout_id = 'po_00001'`
    const now = 'set constraints all immediate'
    for (const role of ['settler', 'payer'] as const) {
      for (const reason of ['by_operator', 'other_attempt']) {
        const held = to('held', reason)
        assert.equal(await refusalOf(role, held, to('queued'), now), 'payouts_let_go', `${role}: ${reason}`)
        // What is held for these reasons a payer lets go by itself.
        for (const other of ['rail_not_configured', 'maybe_paid_before']) {
          assert.equal(
            await refusalOf(role, held, to('held', other), now),
            'payouts_let_go',
            `${reason}, then ${other}`,
          )
          assert.equal(await refusalOf(role, held, to('queued'), to('held', other), now), 'payouts_let_go', other)
        }
        // A bank has spoken of it all the same.
        assert.equal(await refusalOf(role, held, to('queued'), to('rejected'), now), undefined, role)
      }
      assert.equal(await refusalOf(role, to('held', 'by_operator'), to('held', 'other_attempt'), now), undefined, role)
      assert.equal(await refusalOf(role, to('held', 'rail_not_configured'), to('queued'), now), undefined, role)
      assert.equal(await refusalOf(role, to('rejected'), to('queued'), now), 'payouts_let_go', role)
      const sent = `update payouts set status = 'sent', rail = 'http', rail_reference = 'R' where payout_id = 'po_00001'`
      assert.equal(await refusalOf(role, sent, to('returned'), to('queued'), now), 'payouts_let_go', role)
    }
    assert.equal(await refusalOf('operator', to('held', 'by_operator'), to('queued'), now), undefined)
  })
  test('is not sent to another customer’s account through the customer', async () => {
    const change = `update customers set bank_id = ${accountOf(CUSTOMERS.b1)} where customer_id = '${CUSTOMERS.a1}'`
    assert.equal(await refusalOf('operator', change), 'customers_own_bank')
  })
})

describe('an order', () => {
  const NAMES = `integration_id, reference_id, direction, chain_id, network, token_address, wallet_address, debit_address, customer_id,
    key_id, amount_micro`
  const insert = (direction: string, status: string, more = '', values = '') =>
    `insert into orders (${NAMES}, status${more}) select integration_id, 'made-up-1', '${direction}', 1, network, token_address,
       wallet_address, ${direction === 'MINT' ? 'null' : 'debit_address'}, customer_id, key_id, 100000000, '${status}'${values} from orders where reference_id = 'redeem-one'`
  const placed = [', batch_id, batch_index, tx_hash, block_number', `, 1, 0, sha256('1'), 1`] as const
  test('begins where acceptance lets it begin, and nowhere else', async () => {
    for (const role of ['api', 'operator'] as const) {
      assert.equal(await refusalOf(role, insert('MINT', 'payment_pending')), undefined)
      for (const direction of ['MINT', 'REDEEM', 'TRANSFER']) {
        assert.equal(await refusalOf(role, insert(direction, 'pending')), undefined)
        assert.equal(await refusalOf(role, insert(direction, 'completed', ...placed)), 'orders_begin')
        assert.equal(await refusalOf(role, insert(direction, 'failed', ', failure_reason', `, 'x'`)), 'orders_begin')
        assert.equal(await refusalOf(role, insert(direction, 'pending', ...placed)), 'orders_fit_status')
      }
      assert.equal(await refusalOf(role, insert('MINT', 'cancelled')), 'orders_begin')
      assert.equal(await refusalOf(role, insert('REDEEM', 'processing', ...placed)), 'orders_begin')
    }
  })
  test('has wallets of 20 bytes: what is longer would put further instructions into its batch', async () => {
    const more = '00ffffffffffffffff0123456789abcdef'
    for (const role of ['api', 'operator'] as const) {
      const longer = insert('MINT', 'pending').replace(
        'wallet_address, null',
        `wallet_address || '${more}' || substr(wallet_address, 3), null`,
      )
      assert.equal(await refusalOf(role, longer), 'orders_wallet_address_check')
      const debited = insert('REDEEM', 'pending').replace(
        ', debit_address, customer_id, key_id, 100000000',
        `, debit_address || '${more}', customer_id, key_id, 100000000`,
      )
      assert.equal(await refusalOf(role, debited), 'orders_debit_address_check')
    }
  })
  test('that awaits its payment is confirmed, or cancelled, where partners are answered', async () => {
    for (const status of ['pending', 'cancelled']) {
      const say = `update orders set status = '${status}' where reference_id = 'mint-unpaid'`
      assert.equal(await refusalOf('api', say), undefined)
      for (const role of ['settler', 'payer', 'operator'] as const)
        assert.equal(await refusalOf(role, say), 'orders_partners_word', `${role}: ${status}`)
    }
  })
  test('that is held is let go by operators alone, or has ended', async () => {
    const ORDER = `(select order_id from orders where reference_id = 'redeem-not-burnt')`
    const hold = `insert into order_holds (order_id, reason) values (${ORDER}, 'fraud')`
    const letGo = `delete from order_holds where order_id = ${ORDER}`
    const now = 'set constraints all immediate'
    assert.equal(await refusalOf('settler', hold, letGo, now), 'order_holds_go')
    assert.equal(await refusalOf('operator', hold, letGo, now), undefined)
    for (const role of ['api', 'payer', 'courier'] as const) assert.equal(await refusalOf(role, letGo), '42501', role)
    const foreign = `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, status, is_foreign, tx_hash,
      mined_block, mined_hash, success_bitmap, finalized_at, fencing_token) values (1, 78, 'x', 78, 'x', 'x', '{}', 1, 'final', true, 'x', 1, 'x', 1, now(), 1)`
    const adopted = `insert into signed_orders (order_id, batch_id, batch_index) values (${ORDER}, 78, 0)`
    assert.equal(await refusalOf('settler', hold, foreign, letGo, adopted, now), undefined)
    const ended = `update orders set status = 'failed', failure_reason = 'x' where order_id = ${ORDER}`
    assert.equal(await refusalOf('settler', hold, ...unguarded('settler', ended), letGo, now), undefined)
  })
  test('waits for what others have settled alone, which operators can explain', async () => {
    const waits = (order: string, tag: string) => `insert into tag_conflicts (order_id, chain_id, tag)
      select ${order}, 1, '${tag}' from orders where reference_id = 'redeem-not-burnt'`
    const settled = [
      `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, status, is_foreign, tx_hash,
        mined_block, mined_hash, success_bitmap, finalized_at, fencing_token) values (1, 79, 'x', 79, 'x', 'x', '{}', 1, 'final', true, 'x', 1, 'x', 1, now(), 1)`,
      `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
        values (1, 79, 0, 'settled', 'MINT', 'x', 1, true)`,
    ]
    const now = 'set constraints all immediate'
    assert.equal(await refusalOf('settler', waits('order_id', 'x'), now), 'tag_conflicts_settled')
    assert.equal(await refusalOf('settler', ...settled, waits('order_id', 'x'), now), 'tag_conflicts_settled')
    // One that is yet to come, as all of them would be.
    assert.equal(
      await refusalOf('settler', ...settled, waits('order_id + 7777', 'settled'), now),
      'tag_conflicts_settled',
    )
    assert.equal(await refusalOf('settler', waits('order_id', 'settled'), ...settled, now), undefined)
  })
  test('of the house mints back what operators have asked for, and nothing else', async () => {
    const back = (over: Record<string, string> = {}) => {
      const row = {
        integration_id: `'refunds'`,
        reference_id: `'po_00001'`,
        direction: `'MINT'`,
        chain_id: 'chain_id',
        network: 'network',
        token_address: 'token_address',
        wallet_address: 'wallet_address',
        customer_id: 'customer_id',
        key_id: `'refunds'`,
        amount_micro: 'amount_micro',
        status: `'pending'`,
        ...over,
      }
      return `insert into orders (${Object.keys(row).join(', ')}) select ${Object.values(row).join(', ')} from orders where reference_id = 'redeem-one'`
    }
    const rejected = `update payouts set status = 'rejected' where payout_id = 'po_00001'`
    const begun = `update payouts set refunds = refunds + 1 where payout_id = 'po_00001'`
    assert.equal(await refusalOf('operator', rejected, begun, back()), undefined)
    assert.equal(await refusalOf('operator', rejected, begun, begun, back({ reference_id: `'po_00001/2'` })), undefined)
    assert.equal(await refusalOf('api', back()), 'orders_of_house_begin')
    for (const over of [
      { amount_micro: 'amount_micro + 1' },
      { wallet_address: `'0x${'d'.repeat(40)}'` },
      { customer_id: `'${CUSTOMERS.a2}'` },
      { chain_id: '2' },
      { reference_id: `'po_made_up'` },
      { reference_id: `'po_00001/2'` },
      { direction: `'REDEEM'`, debit_address: 'wallet_address' },
      { status: `'payment_pending'` },
    ]) {
      assert.equal(
        await refusalOf('operator', rejected, begun, back(over as Record<string, string>)),
        'orders_of_house_begin',
        JSON.stringify(over),
      )
    }
    assert.equal(await refusalOf('operator', rejected, back()), 'orders_of_house_begin', 'refunded by nobody')
    assert.equal(await refusalOf('operator', begun, back()), 'orders_of_house_begin', 'its rail may still pay it')
    const first = [rejected, begun, back()]
    const next = [begun, back({ reference_id: `'po_00001/2'` })]
    assert.equal(await refusalOf('operator', ...first, ...next), 'orders_of_house_begin', 'while one is under way')
    const ended = (to: string) => unguarded('operator', `update orders set ${to} where reference_id = 'po_00001'`)
    const failed = ended(`status = 'failed', failure_reason = 'wallet_frozen'`)
    assert.equal(await refusalOf('operator', ...first, ...failed, ...next), undefined)
    const done = ended(`status = 'completed', batch_id = 7777, batch_index = 0, block_number = 1, tx_hash = sha256('')`)
    assert.equal(
      await refusalOf('operator', ...first, ...done, ...next),
      'orders_of_house_begin',
      'minted back already',
    )
    const begin = 'set transaction isolation level repeatable read'
    assert.equal(await firstRefusalOf('operator', begin, ...first), 'orders_of_house_begin', 'by an earlier state')
  })
  test('of the house mints again what was lost of a mint, as operators have asked for, and nothing else', async () => {
    const TAG = orderTag(INTEGRATIONS.a, 'mint-done')
    const again = (over: Record<string, string> = {}) => {
      const row = {
        integration_id: `'remints'`,
        reference_id: `'${TAG}'`,
        direction: `'MINT'`,
        chain_id: 'chain_id',
        network: 'network',
        token_address: 'token_address',
        wallet_address: 'wallet_address',
        customer_id: 'customer_id',
        key_id: `'remints'`,
        amount_micro: 'amount_micro',
        status: `'pending'`,
        ...over,
      }
      return `insert into orders (${Object.keys(row).join(', ')}) select ${Object.values(row).join(', ')} from orders where reference_id = 'mint-done'`
    }
    const giveUp = `update batches b set status = 'abandoned', mined_block = null, mined_hash = null, success_bitmap = null, finalized_at = null
      from orders o where o.reference_id = 'mint-done' and b.chain_id = o.chain_id and b.batch_id = o.batch_id`
    const note = `insert into lost_orders (order_id, chain_id, batch_id)
      select order_id, chain_id, batch_id from orders where reference_id = 'mint-done'`
    const lost = [...unguarded('settler', giveUp), note, 'reset role', `set local role ${groupOf('operator')}`]
    const asked = `update lost_orders set remint = '${TAG}'`
    assert.equal(await refusalOf('settler', note), 'lost_orders_begin', 'its batch is final')
    assert.equal(await refusalOf('settler', ...lost, asked, again()), undefined)
    assert.equal(await refusalOf('settler', ...lost, again()), 'remints_begin', 'nobody has asked for it')
    assert.equal(await refusalOf('operator', again()), 'remints_begin', 'nothing is lost')
    assert.equal(await refusalOf('api', again()), 'remints_begin')
    const closed = `update lost_orders set closed_at = now()`
    assert.equal(await refusalOf('settler', ...lost, asked, closed, again()), 'remints_begin', 'made good otherwise')
    for (const over of [
      { amount_micro: 'amount_micro + 1' },
      { fee_micro: '1' },
      { wallet_address: `'0x${'d'.repeat(40)}'` },
      { customer_id: `'${CUSTOMERS.a2}'` },
      { chain_id: '2' },
      { reference_id: `'${TAG}/2'` },
      { direction: `'REDEEM'`, debit_address: 'wallet_address' },
      { status: `'payment_pending'` },
    ]) {
      const refusal = await refusalOf('settler', ...lost, asked, again(over as Record<string, string>))
      assert.equal(refusal, 'remints_begin', JSON.stringify(over))
    }
    const first = [...lost, asked, again()]
    const next = [
      `update lost_orders set remint = '${TAG}/2' where remint is not null`,
      again({ reference_id: `'${TAG}/2'` }),
    ]
    assert.equal(await refusalOf('settler', ...first, ...next), 'remints_begin', 'while one is under way')
    const ended = (to: string) => unguarded('operator', `update orders set ${to} where integration_id = 'remints'`)
    const failed = ended(`status = 'failed', failure_reason = 'wallet_frozen'`)
    assert.equal(await refusalOf('settler', ...first, ...failed, ...next), undefined)
    const done = ended(`status = 'completed', batch_id = 7777, batch_index = 0, block_number = 1, tx_hash = sha256('')`)
    assert.equal(await refusalOf('settler', ...first, ...done, ...next), 'remints_begin', 'it is there')
    const gone = unguarded(
      'operator',
      `insert into lost_orders (order_id, chain_id, batch_id) select order_id, chain_id, batch_id from orders where integration_id = 'remints'`,
    )
    assert.equal(await refusalOf('settler', ...first, ...done, ...gone, ...next), undefined, 'lost, too')
    // Under another name nothing before it would be found.
    const other = '0x0123456789abcdef'
    const named = [
      `update lost_orders set remint = '${other}' where remint is not null`,
      again({ reference_id: `'${other}'` }),
    ]
    assert.equal(await refusalOf('settler', ...first, ...named), 'remints_begin', 'under another name')
    const ofRemint = [
      `update lost_orders set remint = '${TAG}/2' where remint is null`,
      again({ reference_id: `'${TAG}/2'` }),
    ]
    assert.equal(
      await refusalOf('settler', ...first, ...done, ...gone, ...ofRemint),
      'remints_begin',
      'it is minted again for what it was to mint again',
    )
  })
  test('has the tag that the program gives it, as the guard makes it', async () => {
    for (const integrationId of ['refunds', 'int_é', `int_${'0'.repeat(24)}`])
      for (let bytes = 0; bytes < 410; bytes += bytes < 270 ? 1 : 17) {
        const referenceId = randomBytes(bytes).toString('latin1').replaceAll('\0', 'x')
        const [row] = await db.query('select order_tag_of($1, $2) as tag', [integrationId, referenceId])
        assert.deepEqual(row, { tag: orderTag(integrationId, referenceId) }, `${integrationId}: ${bytes}`)
      }
  })
  test('that was burnt gets its payout also where somebody has rewritten what its customer is owed in parts of a sen', async () => {
    const [redeem] = await db.query<Redeem>(
      `select order_id as "orderId", customer_id as "customerId", amount_micro as "amountMicro" from orders where reference_id = 'redeem-two'`,
    )
    assert.ok(redeem)
    for (const [owed, reserved] of [
      ['1000000000000', '0'],
      ['9223372036854775807', '0'],
      ['9223372036854775807', '4611686018427387904'],
      ['9223372036854775807', '9223372036854775807'],
    ]) {
      const queued = db.transaction(async (tx) => {
        await tx.query(`set local role ${groupOf('settler')}`)
        await tx.query(
          `insert into customer_residuals (customer_id, owed_micro, reserved_micro) values ('${redeem.customerId}', ${owed}, ${reserved})
           on conflict (customer_id) do update set owed_micro = excluded.owed_micro, reserved_micro = excluded.reserved_micro`,
        )
        const before = owed === reserved ? 0n : 10n
        const parts = { ...redeem, amountMicro: redeem.amountMicro + 5_000n }
        assert.equal((await queuePayouts(tx, [parts])).get(redeem.orderId), redeem.amountMicro / 10_000n + before)
        throw UNDONE
      })
      await assert.rejects(queued, UNDONE)
    }
  })
  test('was refused, or executed after all, only as a settler has seen and operators have said', async () => {
    const as = (role: Role) => ['reset role', `set local role ${groupOf(role)}`]
    const of = `from orders where reference_id = 'mint-done'`
    const seen = (executed: string) =>
      `insert into batch_outcomes (chain_id, batch_id, executed) select chain_id, batch_id, ${executed} ${of}`
    const [refused, done] = [seen(`'{}'`), seen('array[batch_index]')]
    const beside = `insert into batch_outcomes (chain_id, batch_id, executed, beside) select chain_id, batch_id, '{}', '{0}' ${of}`
    assert.equal(await refusalOf('settler', beside), 'batch_outcomes_seen', 'the books have nothing of it')
    assert.equal(await refusalOf('settler', refused, `update batch_outcomes set beside = '{0}'`), '42501')
    // What the books have of it would be booked once more.
    const booked = unguarded('settler', beside)
    const gone = 'delete from batch_outcomes'
    const now = 'set constraints all immediate'
    const notFinal = `update batches b set status = 'abandoned', mined_block = null, mined_hash = null, success_bitmap = null, finalized_at = null
      from orders o where o.reference_id = 'mint-done' and b.chain_id = o.chain_id and b.batch_id = o.batch_id`
    assert.equal(await refusalOf('settler', ...booked, gone, now), 'batch_outcomes_go')
    assert.equal(await refusalOf('settler', ...booked, gone, ...unguarded('settler', notFinal), now), undefined)
    assert.equal(await refusalOf('settler', refused, gone, now), undefined)
    const say = `update batch_outcomes set reason = 'x', explained_at = now()`
    const note = (executed: boolean) =>
      `insert into lost_orders (order_id, chain_id, batch_id, executed) select order_id, chain_id, batch_id, ${executed} ${of}`
    assert.equal(await refusalOf('settler', refused), undefined)
    assert.equal(await refusalOf('operator', refused), '42501', 'a settler alone sees it')
    assert.equal(await refusalOf('settler', seen(`'{250}'`)), 'batch_outcomes_seen', 'it has no such instruction')
    assert.equal(await refusalOf('settler', refused, say), 'batch_outcomes_seen', 'operators alone say so')
    const changed = `update batch_outcomes set executed = '{250}'`
    assert.equal(await refusalOf('settler', refused, ...as('operator'), changed), '42501')
    const resaid = `update batch_outcomes o set executed = array[b.batch_index] from orders b where b.reference_id = 'mint-done'`
    const said = [refused, ...as('operator'), say]
    assert.equal(
      await refusalOf('settler', ...said, ...as('settler'), resaid),
      'batch_outcomes_seen',
      'said of another',
    )
    assert.equal(
      await refusalOf('settler', refused, ...as('operator'), note(false)),
      'lost_orders_begin',
      'nobody says so',
    )
    assert.equal(await refusalOf('settler', ...said, note(false)), undefined)
    assert.equal(await refusalOf('settler', ...said, note(true)), 'lost_orders_begin', 'it had completed')
    for (const executed of [false, true]) {
      const noted = await refusalOf('settler', done, ...as('operator'), say, note(executed))
      assert.equal(noted, 'lost_orders_begin', 'it is as it was told')
    }
  })
  test('that was burnt has one payout, to its customer, of its amount, that nobody was asked for', async () => {
    const orders = `(select * from orders where reference_id = 'redeem-two')`
    const payout = (over: Record<string, string> = {}) => {
      const row = {
        payout_id: `'${payoutIdOf(INTEGRATIONS.a, 'redeem-two')}'`,
        order_id: 'o.order_id',
        customer_id: 'o.customer_id',
        amount_sen: '100',
        status: `'queued'`,
        end_to_end_id: `'${paymentOf(INTEGRATIONS.a, 'redeem-two')}'`,
        ...over,
      }
      return `insert into payouts (${Object.keys(row).join(', ')}) select ${Object.values(row).join(', ')} from ${orders} o`
    }
    assert.equal(await refusalOf('settler', payout()), undefined)
    assert.equal(
      await refusalOf('settler', payout({ amount_sen: '110' })),
      undefined,
      'with what was owed in parts of a sen',
    )
    for (const over of [
      { customer_id: `'${CUSTOMERS.a2}'` },
      { amount_sen: '111' },
      { status: `'rejected'` },
      { attempt: '2' },
      { times_asked: '1' },
      { rail: `'http'` },
      { rail_reference: `'R'` },
      { order_id: `(select order_id from orders where reference_id = 'redeem-not-burnt')` },
      { bank_id: accountOf(CUSTOMERS.a1) },
      { burn: `'1/1/0'` },
      { refunds: '1' },
      { by_hand: '1' },
      { retries: '1' },
      { order_id: 'o.order_id + 1000' },
      { order_id: 'null', integration_id: 'o.integration_id', reference_id: 'o.reference_id', amount_sen: '11' },
    ]) {
      assert.equal(
        await refusalOf('settler', payout(over as Record<string, string>)),
        'payouts_begin',
        JSON.stringify(over),
      )
    }
    for (const over of [
      { payout_id: `'${payoutIdOf(INTEGRATIONS.a, 'redeem-not-burnt')}'` },
      { end_to_end_id: `'${paymentOf(INTEGRATIONS.a, 'redeem-not-burnt')}'` },
    ])
      assert.equal(await refusalOf('settler', payout(over as Record<string, string>)), 'payouts_named')
  })
})

describe('payouts of parts of a sen', () => {
  const ofParts = (number: number, sen = 10, over: Record<string, string> = {}) => {
    const reference = `${CUSTOMERS.a1}/${number}`
    const row = {
      payout_id: `'${payoutIdOf('residuals', reference)}'`,
      integration_id: `'${INTEGRATIONS.a}'`,
      reference_id: `'${reference}'`,
      customer_id: `'${CUSTOMERS.a1}'`,
      amount_sen: String(sen),
      status: `'queued'`,
      end_to_end_id: `'${paymentOf('residuals', reference)}'`,
      ...over,
    }
    return `insert into payouts (${Object.keys(row).join(', ')}) values (${Object.values(row).join(', ')})`
  }
  test('have the names that the program gives them, as the guard makes them', async () => {
    for (let attempt = 1; attempt <= 300; attempt += 1) {
      const [integrationId, referenceId] = [
        `int_${randomBytes(3).toString('hex')}`,
        `é:${randomBytes(40).toString('base64')}`,
      ]
      const [row] = await db.query('select end_to_end_id_of($1, $2, $3) as id', [integrationId, referenceId, attempt])
      assert.deepEqual(row, { id: paymentOf(integrationId, referenceId, attempt) })
    }
  })
  test('are made by operators, for customers that there are, under their own names, and come to no more than ten sen', async () => {
    assert.equal(await refusalOf('operator', ofParts(1, 6), ofParts(2, 4)), undefined)
    assert.equal(await refusalOf('operator', ofParts(1, 6), ofParts(2, 5)), 'payouts_begin')
    assert.equal(await refusalOf('settler', ofParts(1)), 'payouts_begin')
    for (const over of [{ customer_id: `'cus_none'` }, { integration_id: `'${INTEGRATIONS.b}'` }])
      assert.equal(await refusalOf('operator', ofParts(1, 1, over as Record<string, string>)), 'payouts_begin')
    for (const over of [
      { payout_id: `'${payoutIdOf(INTEGRATIONS.a, 'redeem-two')}'` },
      { end_to_end_id: `'${paymentOf(INTEGRATIONS.a, 'redeem-two')}'` },
    ])
      assert.equal(await refusalOf('operator', ofParts(1, 1, over as Record<string, string>)), 'payouts_named')
  })
  /** A transaction of an operator's user that has begun, and seen the database. */
  const begin = async (isolation: string) => {
    const client = new pg.Client({ connectionString: db.url })
    await client.connect()
    await client.query(`begin isolation level ${isolation}`)
    await client.query(`set local role ${groupOf('operator')}`)
    await client.query('select count(*) from payouts')
    return client
  }
  const refusal = (query: Promise<unknown>) =>
    query.then(
      () => undefined,
      (error: unknown) => violatedConstraint(error),
    )
  test('come to no more when they begin at the same time, or see nothing of each other', async () => {
    const [first, second] = await Promise.all([begin('read committed'), begin('read committed')])
    const blind = await Promise.all(['repeatable read', 'serializable'].map(begin))
    try {
      await first.query(ofParts(1))
      let isDone = false
      const other = refusal(second.query(ofParts(2))).finally(() => (isDone = true))
      await waitFor('the other to have begun', async () => {
        const [{ waiting } = { waiting: false }] = await db.query<{ waiting: boolean }>(
          `select exists (select from pg_locks where not granted and locktype = 'advisory') as waiting`,
        )
        return isDone || waiting
      })
      await first.query('commit')
      assert.equal(await other, 'payouts_begin')
      for (const [index, client] of blind.entries())
        assert.equal(await refusal(client.query(ofParts(3 + index))), 'payouts_begin')
    } finally {
      await Promise.all([first, second, ...blind].map((client) => client.end()))
      await db.query('delete from payouts where order_id is null').catch(() => {})
    }
  })
})

describe('a batch', () => {
  test('that is final stays what the chain has settled', async () => {
    const set = (change: string) =>
      `update batches set ${change} where batch_id = (select batch_id from orders where reference_id = 'mint-done')`
    for (const change of [`digest = 'x'`, `running_hash = 'x'`, 'mined_block = mined_block + 1', 'success_bitmap = 0'])
      assert.equal(await refusalOf('settler', set(change)), 'batches_move_exists', change)
    assert.equal(await refusalOf('settler', set(`created_at = now() + interval '1 day'`)), 'batches_as_formed')
    assert.equal(await refusalOf('settler', set('moved_at = now()')), undefined)
    const backAt = (status: string) =>
      set(`status = '${status}', mined_block = null, mined_hash = null, success_bitmap = null,
      finalized_at = null, taken_back = taken_back + 1`)
    for (const status of ['signed', 'abandoned'])
      assert.equal(await refusalOf('settler', backAt(status)), 'batches_move_exists', status)
  })
  test('of others stays, too, with what it has settled, until operators have given it up', async () => {
    const make = [
      `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, status, fencing_token, is_foreign,
         tx_hash, mined_block, mined_hash, success_bitmap, finalized_at) values (1, 88, 'x', 88, 'x', 'x', '{}', 1, 'final', 1, true, 'x', 1, 'x', 1, now())`,
      `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
         values (1, 88, 0, 'x', 'MINT', 'x', 1, true)`,
    ]
    const abandon = `update batches set status = 'abandoned', mined_block = null, mined_hash = null, success_bitmap = null,
      finalized_at = null, taken_back = taken_back + 1 where batch_id = 88`
    const forget = 'delete from foreign_instructions where batch_id = 88'
    const say = (batchId: number, givesUp: boolean) =>
      unguarded(
        'settler',
        `insert into batch_explanations (chain_id, batch_id, reason, gives_up) values (1, ${batchId}, 'x', ${givesUp})`,
      )
    assert.equal(await refusalOf('settler', ...make, forget), 'foreign_instructions_go')
    assert.equal(await refusalOf('settler', ...make, abandon), 'batches_move_exists')
    assert.equal(await refusalOf('settler', ...make, ...say(88, false), abandon), 'batches_move_exists')
    assert.equal(await refusalOf('settler', ...make, ...say(89, true), abandon), 'batches_move_exists')
    assert.equal(await refusalOf('settler', ...make, ...say(88, true), forget), 'foreign_instructions_go')
    assert.equal(await refusalOf('settler', ...make, ...say(88, true), abandon, forget), undefined)
    assert.equal(await refusalOf('settler', ...make, ...say(87, true), abandon, forget), undefined)
    assert.equal(
      await refusalOf(
        'settler',
        ...say(88, true).slice(-1),
        `insert into batch_explanations (chain_id, batch_id, reason, gives_up) values (1, 88, 'x', true)`,
      ),
      '42501',
    )
  })
  test('that is signed has all orders that it lists', async () => {
    const sign = `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, status, fencing_token)
      select 1, 77, 'x', 77, 'x', 'x', array[order_id], 1, 'signed', 1 from orders where reference_id = 'redeem-not-burnt'`
    const line = `insert into signed_orders (order_id, batch_id, batch_index)
      select order_id, 77, 0 from orders where reference_id = 'redeem-not-burnt'`
    const now = 'set constraints all immediate'
    assert.equal(await refusalOf('settler', sign, now), 'batches_orders_signed')
    assert.equal(await refusalOf('settler', sign, line, now), undefined)
    const [abandon, again] = ['abandoned', 'signed'].map(
      (status) => `update batches set status = '${status}' where batch_id = 77`,
    )
    const out = `update signed_orders set batch_id = null, batch_index = null, abandoned_batch_id = 77 where batch_id = 77`
    assert.equal(await refusalOf('settler', sign, line, now, abandon ?? '', again ?? ''), 'batches_as_formed')
    assert.equal(await refusalOf('settler', sign, line, now, abandon ?? '', out, again ?? ''), 'batches_orders_signed')
  })
})

describe('an event', () => {
  test('that partners are told of has happened', async () => {
    const tell = (
      type: string,
      from: string,
      amount = 'amount_micro',
      reference = 'reference_id',
      whom = 'integration_id',
      { asIf = type, place = 'tx_hash, block_number' } = {},
    ) =>
      `insert into events (event_id, type, integration_id, reference_id, amount_micro, tx_hash, block_number, happened_at)
       select event_id_of(${whom}, ${reference}, '${asIf}'), '${type}', ${whom}, ${reference}, ${amount}, ${place}, now()
       from orders where reference_id = '${from}'`
    for (const role of ['api', 'settler', 'payer', 'operator'] as const) {
      assert.equal(await refusalOf(role, tell('mint.completed', 'mint-done')), undefined, role)
      assert.equal(await refusalOf(role, tell('redeem.pending', 'redeem-one')), undefined, role)
      for (const [type, from] of [
        ['mint.failed', 'mint-done'],
        ['redeem.completed', 'mint-done'],
        ['redeem.completed', 'redeem-one'],
        ['redeem.failed', 'redeem-one'],
      ] as const)
        assert.equal(await refusalOf(role, tell(type, from)), 'events_happened', `${role}: ${type}`)
      assert.equal(await refusalOf(role, tell('mint.completed', 'mint-done', 'amount_micro + 1')), 'events_happened')
      const nobodys = tell('mint.completed', 'mint-done', 'amount_micro', `'never-posted'`)
      assert.equal(await refusalOf(role, nobodys), 'events_happened', role)
      const another = tell('mint.completed', 'mint-done', 'amount_micro', 'reference_id', `'${INTEGRATIONS.b}'`)
      assert.equal(await refusalOf(role, another), 'events_happened', 'of another partner')
      const own = ['amount_micro', 'reference_id', 'integration_id'] as const
      for (const place of [`decode(repeat('ab', 32), 'hex'), block_number`, 'tx_hash, block_number + 1', 'null, null'])
        assert.equal(
          await refusalOf(role, tell('mint.completed', 'mint-done', ...own, { place })),
          'events_happened',
          `${role}: ${place}`,
        )
      for (const [type, from, asIf] of [
        ['redeem.pending', 'redeem-one', 'redeem.completed'],
        ['mint.pending', 'mint-unpaid', 'mint.completed'],
        ['mint.completed', 'mint-done', 'mint.failed'],
      ] as const)
        assert.equal(
          await refusalOf(role, tell(type, from, ...own, { asIf })),
          'events_happened',
          `${role}: ${type} under the id of ${asIf}`,
        )
    }
  })
})

describe('bank details', () => {
  test('are forgotten by payers only of a filed payment that has others by now', async () => {
    const made = (bankId: string, payment: string) =>
      `insert into bank_details (bank_id, sealed, payment) select '${bankId}', sealed, ${payment} from bank_details limit 1`
    const [one, other] = ['bnk_0000000000000000000000f1', 'bnk_0000000000000000000000f2']
    const filed = `insert into filed_payments (end_to_end_id, payout_id, amount_sen, bank_id, is_resident, remittance) values ('E1', 'po_00001', 100, '${one}', true, 'x')`
    const gone = (bankId: string) => `delete from bank_details where bank_id = '${bankId}'`
    const both = [made(one, `'E1 100'`), made(other, `'E1 100'`), filed]
    assert.equal(await refusalOf('payer', ...both, gone(other)), undefined)
    assert.equal(await refusalOf('payer', ...both, gone(one)), 'bank_details_go')
    const instead = `update filed_payments set bank_id = '${other}' where end_to_end_id = 'E1'`
    assert.equal(await refusalOf('payer', ...both, ...unguarded('payer', instead), gone(one)), undefined)
    // As of a line of a statement, and of an account that its customer has given up: no key of a table names them.
    assert.equal(await refusalOf('payer', made(one, 'null'), gone(one)), 'bank_details_go')
    assert.equal(await refusalOf('operator', ...unguarded('operator', made(one, 'null')), gone(one)), undefined)
  })
})

describe('a payment', () => {
  const file = (fileNumber: number) =>
    `insert into payment_files (message_id, prefix, file_number, content, content_hash)
     values ('COIN-0000000${fileNumber}', 'COIN', ${fileNumber}, 'sb1.x', repeat('0', 64))`
  const filed = `insert into filed_payments (end_to_end_id, payout_id, amount_sen, bank_id, is_resident, remittance)
    values ('E1', 'po_00001', 100, 'bnk_0000000000000000000000f3', true, 'x')`
  const into = (messageId: string) => `update filed_payments set message_id = ${messageId} where end_to_end_id = 'E1'`
  const made = [file(1), file(2), filed, into(`'COIN-00000001'`)]
  const withdrawn = `update payment_files set withdrawn_at = now(), withdrawn_for = 'x' where message_id = 'COIN-00000001'`
  const stands = (
    putOutAt: string,
  ) => `update payment_files set withdrawn_at = null, withdrawn_for = null, is_read_back = true,
    put_out_at = ${putOutAt} where message_id = 'COIN-00000001'`

  test('is filed by payers as its payout asks for it, for the next file', async () => {
    assert.equal(await refusalOf('payer', filed), undefined)
    for (const [from, to] of [
      [`'E1'`, `'E2'`],
      [`'po_00001'`, 'null'],
      [' 100', ' 200'],
    ] as const)
      assert.equal(await refusalOf('payer', filed.replace(from, to)), 'filed_payments_asked_for', to)
    const more = (column: string, value: string) =>
      filed.replace('remittance)', `remittance, ${column})`).replace(`'x')`, `'x', ${value})`)
    for (const [column, value] of [
      ['message_id', `'COIN-00000001'`],
      ['withdrawn_at', 'now()'],
    ] as const)
      assert.equal(await refusalOf('payer', file(1), more(column, value)), 'filed_payments_asked_for', column)
    assert.equal(await refusalOf('operator', filed.replace(`'E1', 'po_00001'`, `'E2', null`)), undefined)
  })

  test('stays in its file, in which it may still go out, and goes into the next one after that is withdrawn', async () => {
    for (const messageId of ['null', `'COIN-00000002'`]) {
      assert.equal(await refusalOf('payer', ...made, into(messageId)), 'filed_payments_in_file')
      assert.equal(await refusalOf('payer', ...made, withdrawn, into(messageId)), undefined)
      assert.equal(await refusalOf('operator', ...made, into(messageId)), undefined)
    }
  })

  test('does not go out with a withdrawn file, too: where that stands again, it has gone out', async () => {
    for (const role of ['payer', 'operator'] as const) {
      assert.equal(await refusalOf(role, ...made, withdrawn, into('null'), stands('null')), 'payment_files_withdrawn')
      assert.equal(await refusalOf(role, ...made, withdrawn, into('null'), stands('now()')), undefined)
    }
  })
})

describe('a lease', () => {
  const taken = (token: string, lasts: string) =>
    `insert into leases (name, holder, token, expires_at, lasts) values ('settlement:8', 'x', ${token}, now() + interval '${lasts}', '${lasts}')`
  const takenOver = (token: string, lasts = '10 minutes') =>
    `update leases set token = ${token}, lasts = '${lasts}', expires_at = now() + interval '${lasts}' where name = 'settlement:8'`

  test('ends within minutes, and can be taken over, whoever has it', async () => {
    for (const role of ['settler', 'payer', 'operator'] as const) {
      const first = taken('1', '10 minutes')
      assert.equal(await refusalOf(role, first, takenOver('token'), takenOver('token + 1')), undefined)
      for (const others of [
        [taken('1', '100 years')],
        [taken('9223372036854775807', '1 minute')],
        [taken('0', '1 minute')],
        [first, takenOver('token', '100 years')],
        [first, takenOver('9223372036854775807')],
        [first, takenOver('token - 1')],
      ])
        assert.equal(await refusalOf(role, ...others), 'leases_end', others.join())
    }
  })
})

describe('a statement of a bank', () => {
  test('is applied in its turn: with a place far ahead no other one of its account would have any', async () => {
    const taken = `insert into bank_imports (content_hash, name, definition, message_id) values (repeat('a', 64), 'x', 'x', 'x')`
    const [first, second] = ['a', 'b'].map(
      (
        id,
      ) => `insert into bank_statements (bank_account, statement_id, opened_on, opening_micro, closed_on, closing_micro, line_count, digest, content_hash)
        values ('main', '${id}', current_date, 0, current_date, 0, 0, repeat('${id}', 64), repeat('a', 64))`,
    ) as [string, string]
    const applied = (id: string, position: string) =>
      `update bank_statements set position = ${position}, applied_at = now() where statement_id = '${id}'`
    const both = [taken, first, second, applied('a', '1')]
    assert.equal(await refusalOf('payer', ...both, applied('b', '2')), undefined)
    for (const position of ['3', '9223372036854775807'])
      assert.equal(await refusalOf('payer', ...both, applied('b', position)), 'bank_statements_in_turn', position)
  })
})

describe('a payment file', () => {
  const file = (name: string, fileNumber: number, more: Readonly<Record<string, string>> = {}) => {
    const row = { message_id: `'${name}'`, prefix: `'COIN'`, file_number: fileNumber, content: `'sb1.x'`, ...more }
    return `insert into payment_files (${Object.keys(row)}, content_hash) values (${Object.values(row)}, repeat('0', 64))`
  }

  test('is stored by payers under the next number and its name, and goes out or is withdrawn afterwards', async () => {
    const first = file('COIN-00000001', 1)
    assert.equal(await refusalOf('payer', first, file('COIN-00000002', 2)), undefined)
    // All payments to come would be put into a file that does not go out, or into none, for want of a number.
    const other = file('COIN-00000002', 1, { prefix: `'X'` })
    assert.equal(await refusalOf('payer', first, other), 'payment_files_named_by_number')
    for (const [name, fileNumber] of [
      ['COIN-00000003', 3],
      ['COIN-99999999', 99_999_999],
    ] as const)
      assert.equal(await refusalOf('payer', first, file(name, fileNumber)), 'payment_files_in_turn')
    for (const more of [
      { put_out_at: 'now()' },
      { withdrawn_at: 'now()', withdrawn_for: `'x'` },
      { is_read_back: 'true' },
    ])
      assert.equal(await refusalOf('payer', file('COIN-00000001', 1, more)), 'payment_files_in_turn')
    assert.equal(
      await refusalOf('operator', file('COIN-00000007', 7, { put_out_at: 'now()', is_read_back: 'true' })),
      undefined,
    )
  })
})

describe('the books', () => {
  /** What is sealed of an entry that is booked after the theft, as the owner of the tables, who is stopped by no guard. */
  async function sealedAfter(role: Role, ...statements: string[]): Promise<number> {
    let sealed = -1
    const work = db.transaction(async (tx) => {
      await tx.query(`set local role ${groupOf(role)}`)
      for (const statement of statements) await tx.query(statement)
      await tx.query('reset role')
      const lines = [
        { account: accountNamed('reserve', 'x'), amountMicro: 5n },
        { account: accountNamed('coins', '1'), amountMicro: -5n },
      ]
      await recordEntries(tx, [{ reference: 'honest/1', effectiveAt: new Date(), lines }])
      const flow = {
        integrationId: INTEGRATIONS.a,
        chainId: 1,
        refundedMicro: 0n,
        redeemedMicro: 0n,
        transferredMicro: 0n,
      }
      await addFlows(tx, [{ ...flow, effectiveAt: new Date(), mintedMicro: 5n, feesMicro: 0n }])
      const entries = await SEALED_BOOKS.readUnsealed(tx, 500)
      await SEALED_BOOKS.store(
        tx,
        entries.map(({ entryId }, at) => ({ entryId, position: BigInt(at + 1), hash: '0'.repeat(64) })),
        entries.map(({ entryId }) => entryId),
      )
      sealed = entries.length
      throw UNDONE
    })
    await assert.rejects(work, UNDONE)
    return sealed
  }
  test('are sealed, whatever is said to await its seal', async () => {
    const none = 'insert into ledger_unsealed select -n from generate_series(1, 500) n'
    for (const role of ['settler', 'payer', 'operator'] as const)
      assert.equal(await refusalOf(role, none), 'ledger_unsealed_awaits', role)
    const entry = `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
      values ('stolen/1', now(), current_date, '{reserve:x,coins:1}', '{1,-1}')`
    const unsealed = 'insert into ledger_unsealed select max(entry_id) from ledger_entries'
    const sealOf = (position: string, id: string) =>
      `insert into ledger_seals (position, entry_id, hash) select ${position}, ${id}, sha256('') from ledger_entries`
    const seal = sealOf('1', 'max(entry_id)')
    const LAST = '9223372036854775807'
    for (const [why, ...statements] of [
      ['of none that is there', entry, sealOf('1', 'max(entry_id) + 1')],
      ['while it awaits one', entry, unsealed, seal],
      ['behind none', entry, sealOf('2', 'max(entry_id)')],
      ['at the end', entry, sealOf(LAST, 'max(entry_id)')],
    ] as const) {
      for (const role of ['payer', 'operator'] as const)
        assert.equal(await refusalOf(role, ...statements), 'ledger_seals_follow', why)
    }
    assert.equal(
      await refusalOf('payer', entry, seal, entry.replace('stolen/1', 'stolen/2'), sealOf('2', 'max(entry_id)')),
      undefined,
    )
    assert.equal(await refusalOf('payer', entry, unsealed), undefined)
    assert.equal(await refusalOf('payer', entry, seal, unsealed), 'ledger_unsealed_awaits', 'sealed before')
    // No balance would have it.
    const taken = 'delete from ledger_unsealed where entry_id = (select max(entry_id) from ledger_entries)'
    for (const role of ['payer', 'operator'] as const)
      assert.equal(await refusalOf(role, entry, unsealed, taken), 'ledger_unsealed_goes', 'without a seal')
    const line = `insert into audit_log (actor, origin, action) values ('x', 'x', 'x')`
    const awaits = 'insert into audit_unsealed select max(audit_id) from audit_log'
    const lineSealOf = (position: string, id: string) =>
      `insert into audit_seals (position, audit_id, hash) select ${position}, ${id}, sha256('') from audit_log`
    const lineSeal = lineSealOf('1', 'max(audit_id)')
    for (const [why, ...statements] of [
      ['of none that is there', line, lineSealOf('1', 'max(audit_id) + 1')],
      ['while it awaits one', line, awaits, lineSeal],
      ['behind none', line, lineSealOf('2', 'max(audit_id)')],
      ['at the end', line, lineSealOf(LAST, 'max(audit_id)')],
    ] as const)
      assert.equal(await refusalOf('operator', ...statements), 'audit_seals_follow', why)
    assert.equal(await refusalOf('operator', line, lineSeal, line, lineSealOf('2', 'max(audit_id)')), undefined)
    assert.equal(await refusalOf('operator', line, awaits), undefined)
    assert.equal(await refusalOf('operator', 'insert into audit_unsealed values (-1)'), 'audit_unsealed_awaits')
    assert.equal(await refusalOf('operator', line, lineSeal, awaits), 'audit_unsealed_awaits', 'sealed before')
    const lineTaken = 'delete from audit_unsealed where audit_id = (select max(audit_id) from audit_log)'
    assert.equal(await refusalOf('operator', line, awaits, lineTaken), 'audit_unsealed_goes', 'without a seal')
  })
  test('have coin on chains that there are alone: of less than none elsewhere nobody would know', async () => {
    const entry = (account: string) =>
      `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
       values ('stolen/1', now(), (now() at time zone 'Asia/Kuala_Lumpur')::date, '{${account},mint_receivable:x}', '{1,-1}')`
    for (const role of ['settler', 'payer', 'operator'] as const) {
      assert.equal(await refusalOf(role, entry('coins:1')), undefined)
      for (const account of ['coins:987654', 'coins:01', 'coins:1/2', 'coins:x'])
        assert.equal(await refusalOf(role, entry(account)), 'ledger_entries_on_chains', `${role}: ${account}`)
    }
  })
  test('are closed for days that are over alone, and say of a closed day what was carried on with it', async () => {
    const today = `(now() at time zone 'Asia/Kuala_Lumpur')::date`
    const until = (day: string) => `update ledger_book set closed_through = ${day}`
    const closing = (day: string) => `insert into ledger_closings (through, unpaid) values (${day}, '[]')`
    const carried = (day: string) => [
      `insert into ledger_carried values (${day}, 'coins:1', 0)`,
      `insert into ledger_flows_carried values (${day}, 'x', 1, 0)`,
    ]
    const [before, yesterday] = [`${today} - 2`, `${today} - 1`]
    const deferred = 'set constraints all deferred'
    const closed = [deferred, until(before), ...carried(before), closing(before)]
    assert.equal(await refusalOf('operator', ...closed, 'set constraints all immediate'), undefined)
    // No batch would be booked any more.
    for (const day of [today, `'infinity'`, `'-infinity'`, `'5874897-12-31'`])
      assert.equal(await refusalOf('operator', until(day)), 'ledger_closes', day)
    for (const day of ['null', `${today} - 3`])
      assert.equal(await refusalOf('operator', ...closed, until(day)), 'ledger_closes', day)
    // With one that nothing was carried on with, nobody would be owed anything.
    for (const day of [`'infinity'`, yesterday])
      assert.equal(await refusalOf('operator', ...closed, closing(day)), 'ledger_closes', day)
    for (const row of carried(before)) {
      const another = row.replace(/coins:1|'x'/, (found) => found.replace(/1|x/, 'y'))
      assert.equal(await refusalOf('operator', ...closed, another), 'ledger_closes', row)
    }
  })
  test('go on, whatever was booked under the name of what is yet to come', async () => {
    const ahead = (amount: number) =>
      `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
       values ('honest/1', now(), (now() at time zone 'Asia/Kuala_Lumpur')::date, '{reserve:x,coins:1}', '{${amount},-${amount}}')`
    for (const role of ['settler', 'payer', 'operator'] as const) {
      assert.equal(await sealedAfter(role, ahead(1)), 1, role)
      assert.equal(await sealedAfter(role, ahead(5)), 1, `${role}: it is as it would be booked`)
    }
  })
  test('go on, however much somebody has booked', async () => {
    const booked = (reference: string, amount: string) => [
      `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
       values ('${reference}', now(), (now() at time zone 'Asia/Kuala_Lumpur')::date, '{reserve:x,coins:1}', array[${amount}, -${amount}])`,
      'insert into ledger_unsealed select max(entry_id) from ledger_entries',
    ]
    for (const amount of ['9e39', '1e30']) assert.equal(await refusalOf('settler', ...booked('x/1', amount)), '22003')
    assert.equal(await sealedAfter('settler', ...booked('x/1', '(1e30 - 1)'), ...booked('x/2', '(1e30 - 1)')), 3)
    const day = `(now() at time zone 'Asia/Kuala_Lumpur')::date`
    const flow = `insert into ledger_flows (day, integration_id, chain_id, minted_micro, refunded_micro, redeemed_micro, transferred_micro, fees_micro)
      values (${day}, '${INTEGRATIONS.a}', 1, 1e36, 1e36, 1e36, 1e36, -1e36)`
    for (const role of ['settler', 'payer'] as const) {
      assert.equal(await sealedAfter(role, flow), 1, role)
      assert.equal(await refusalOf(role, flow.replace('1e36', `'NaN'`)), 'ledger_flows_minted_micro_check', role)
    }
    const total = `insert into ledger_totals values ('reserve:x', ${day}, 1e36, 0), ('coins:1', ${day}, 0, 1e36)`
    assert.equal(await sealedAfter('payer', total), 1)
  })
})

describe('a temporary table', () => {
  test('is made by nobody', async () => {
    for (const role of ROLES)
      assert.equal(await refusalOf(role, 'create temporary table payouts (x int)'), '42501', role)
  })
  test('blinds no guard, even where it can be made', async () => {
    const blind = `create temporary table payout_attempts as select * from public.payout_attempts limit 0`
    const next = `update public.payouts set attempt = 2, end_to_end_id = 'E2', status = 'queued', rail = null, bank_id = null`
    const asked = `insert into public.payout_attempts (payout_id, attempt, end_to_end_id, rail) values ('po_00001', 1, 'E1', 'http')`
    const could = `grant temporary on database ${new URL(db.url ?? '').pathname.slice(1)} to ${groupOf('payer')}`
    assert.equal(await refusalOf('payer', next), 'payouts_attempt_by_operator')
    assert.equal(await refusalOf('payer', asked, next), 'payouts_attempt_open')
    assert.equal(
      await refusalOf('payer', 'reset role', could, `set role ${groupOf('payer')}`, asked, blind, next),
      'payouts_attempt_open',
    )
  })
  test('could stand in for none that a function reads', async () => {
    const loose = await db.query(
      `select proname::text from pg_proc where pronamespace = 'public'::regnamespace and prosqlbody is null
         and not coalesce(proconfig @> array['search_path=pg_catalog, public, pg_temp'], false)`,
    )
    assert.deepEqual(loose, [])
  })
})

describe("the user whose password was stolen (runbook: A database user's password was stolen)", () => {
  const DOCUMENT = readFileSync(path.join(import.meta.dirname, '../../docs/RUNBOOKS.md'), 'utf8')
  const [, runbook = ''] = DOCUMENT.split("## A database user's password was stolen\n")
  const [, sql = ''] = /^```sql\n(.*?)^```$/ms.exec(runbook) ?? []

  test('leaves nothing behind: no connection, no setting, no object; the next one goes on', async () => {
    const url = new URL(db.url ?? '')
    const name = `stolen_${randomBytes(4).toString('hex')}`
    const loginAs = async (user: string) => {
      const client = new pg.Client({
        connectionString: Object.assign(new URL(url), { username: user, password: 'p' }).href,
      })
      client.on('error', () => {})
      await client.connect()
      return client
    }
    const groups = ROLES.map(groupOf).join(', ')
    await db.query(`create role ${name} login password 'p' in role ${groups}`)
    const thief = await loginAs(name)
    const ended = new Promise((resolve) => thief.once('end', resolve))
    await thief.query(`alter role ${name} set search_path = pg_temp`)
    await thief.query(`alter role ${name} in database ${url.pathname.slice(1)} set default_transaction_read_only = on`)
    await thief.query(`select lo_from_bytea(0, 'x')`)
    const statements = sql
      .replaceAll('coin_service', name)
      .replaceAll('database stablecoin', `database ${url.pathname.slice(1)}`)
      .replaceAll('…', 'p')
      .split(/;\n/)
      .filter((statement) => statement.trim() !== '')
    assert.equal(statements.length, 6)
    for (const statement of statements) await db.query(statement)
    await ended
    await assert.rejects(loginAs(name))
    assert.deepEqual(await db.query('select oid from pg_largeobject_metadata'), [])
    const next = await loginAs(`${name}_2`)
    const { rows } = await next.query('select count(*)::int as orders from orders')
    assert.equal(rows[0].orders, 6)
    await next.query(`update webhook_endpoints set updated_at = updated_at`)
    await next.end()
    await db.query(`drop owned by ${name}_2`)
    await db.query(`drop role ${name}_2`)
  })
})
