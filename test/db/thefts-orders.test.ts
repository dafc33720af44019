// engine: postgres
/** What somebody with a stolen database login tries with orders, and with what partners are told of them. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Role } from '../../src/config.ts'
import { groupOf } from '../../src/db/access.sql.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import type { Redeem } from '../../src/payouts/split.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import {
  accountOf,
  db,
  firstRefusalOf,
  paymentOf,
  payoutIdOf,
  prepareThefts,
  refusalOf,
  UNDONE,
  unguarded,
} from '../support/thefts.ts'

before(prepareThefts)
after(() => db.close())

import { CUSTOMERS, INTEGRATIONS } from '../support/two-of-everything.ts'

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
  test('is found by those who form batches, whoever would have it passed by', async () => {
    const hide = `update orders set is_held = true where reference_id = 'redeem-not-burnt'`
    for (const role of ['settler', 'payer', 'operator'] as const)
      assert.ok(['orders_held_as_said', '42501'].includes((await refusalOf(role, hide)) ?? ''), role)
    assert.equal(await refusalOf('payer', hide), 'orders_held_as_said')
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
        integration_id: 'o.integration_id',
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
      // It would have the turns of another one at rails, or more than one.
      { integration_id: `'${INTEGRATIONS.b}'` },
      { integration_id: 'null' },
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
