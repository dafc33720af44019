// engine: postgres
/** What somebody with a stolen database login tries with batches, and with the right to sign them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { db, prepareThefts, refusalOf, unguarded } from '../support/thefts.ts'

before(prepareThefts)
after(() => db.close())

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
