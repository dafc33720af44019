// engine: postgres
/**
 * What somebody has planted with a stolen login of a payer or a settler, where reconciliation and the reserve look: the database refuses it, or it
 * keeps neither from its end.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Role } from '../../src/config.ts'
import { groupOf } from '../../src/db/access.sql.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { findForeign } from '../../src/operator/reconcile/foreign.ts'
import { readNewestRun } from '../../src/operator/reconcile/runs.sql.ts'
import { readReserveFacts } from '../../src/reserves/facts.sql.ts'
import { findPendingOperations } from '../../src/settlement/tables/timelock.sql.ts'
import { findLateTogether } from '../../src/statements/allocations.sql.ts'
import { MICRO, type Reconciling, startReconciling } from './reconciling.ts'

let s: Reconciling
before(async () => {
  s = await startReconciling()
  await applyGrants(s.db, ['payer', 'settler'], false)
})
beforeEach(async () => {
  await s.renew()
  await s.place('MINT', 'completed', 5n * MICRO, { referenceId: 'mint-before', createdAt: longAgo() })
  await s.run()
})
after(() => s.db.close())

/** Whether the database has taken it. */
const plant = async (role: Role, statement: string) => {
  try {
    await s.db.transaction(async (tx) => {
      await tx.query(`set local role ${groupOf(role)}`)
      await tx.query(statement)
    })
    return true
  } catch {
    return false
  }
}

/** Orders are added up a while after they were accepted. */
const longAgo = () => new Date(Date.now() - 20 * 60_000)
const LAST = '9223372036854775807'
const FIRST = `-${LAST}`
const entry = (
  reference: string,
  { day = 'current_date', at = 'now()', accounts = '{reserve:x,coins:1}', amounts = '{1,-1}' } = {},
) =>
  `with e as (insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
     values ('${reference}', ${at}, ${day}, '${accounts}', '${amounts}') returning entry_id) insert into ledger_unsealed select entry_id from e`
const cursor = (what: string, position: string) =>
  `insert into reconcile_cursors (what, position) values ('${what}', ${position}) on conflict (what) do update set position = excluded.position`
const movement = (column: string, value: string) => {
  const row = {
    chain_id: '1',
    kind: `'supply'`,
    details: `'x'`,
    after_block: '1',
    seen_block: '2',
    amount_micro: '1',
    pauses: 'false',
    [column]: value,
  }
  return `insert into foreign_movements (${Object.keys(row)}) values (${Object.values(row)})`
}
const line = (
  together: string,
) => `with i as (insert into bank_imports (content_hash, name, definition, message_id) values (repeat('a', 64), 'x', 'x', 'x')),
  t as (insert into bank_statements (bank_account, statement_id, opened_on, opening_micro, closed_on, closing_micro, line_count, digest, content_hash)
    values ('main', 'x', current_date, 0, current_date, -10000, 1, repeat('a', 64), repeat('a', 64)) returning statement_no)
  insert into bank_lines (statement_no, bank_account, entry, detail, amount_micro, booked_on, value_on, is_reversal, state, reason, decided_at, together)
  select statement_no, 'main', 1, 1, -10000, current_date, current_date, false, 'unallocated', 'x', now(), ${together} from t`
const timelock = (calls: string, at = 'now()') =>
  `insert into timelock_operations (chain_id, operation_id, calls, tx_hash, scheduled_block, status, ready_at) values (1, 'x', ${calls}, 'x', 1, 'pending', ${at})`
const usage = (amount: string) =>
  `insert into reconcile_usage (pass_no, direction, owner, period, amount_micro)
   select pass_no, 'REDEEM', customer_id, month, ${amount} from reconcile_passes cross join customers`
const NONE_OF_THESE = ['null', '0', '"x"', '[null]', '[0]', '{}', '[{}]', '{"x": null}', '{"x": "y"}']
const NO_SUMS = [...NONE_OF_THESE, '[{"was": "x", "is": "1"}]']
const NO_NAMES = [...NONE_OF_THESE, '{"names": null}', '{"names": [null]}', '{"names": 0}']

const PLANTS: Record<'payer' | 'settler', string[]> = {
  payer: [
    ...['x', '', '1/x', '1/99999999999999999999', '-1/-1', '1'].flatMap((subject) =>
      ['batch', 'payout', 'statement'].map((what) => `insert into reconcile_suspects values ('${what}', '${subject}')`),
    ),
    ...[
      'new batches:1',
      'recent batches:1',
      'batches:1',
      'new entries',
      'recent entries',
      'entries',
      'payouts',
      'part',
      'x',
    ].flatMap((what) => [LAST, FIRST].map((position) => cursor(what, position))),
    ...NO_SUMS.map((json) => `update reconcile_passes set disputed = '${json}'`),
    ...[LAST, FIRST].map((id) => `update reconcile_passes set through_order_id = ${id}`),
    ...[`'infinity'`, `'-infinity'`].map(
      (month) =>
        `with gone as (delete from reconcile_passes) insert into reconcile_passes (month, after_order_id, through_order_id) values (${month}, 0, 0)`,
    ),
    ...['9'.repeat(40), '9'.repeat(36), `-${'9'.repeat(40)}`].map(usage),
    `insert into reconcile_usage select pass_no, 'MINT', 'x', 'infinity', 1 from reconcile_passes`,
    `insert into reconcile_open select pass_no, 7777 from reconcile_passes`,
    ...NONE_OF_THESE.map((json) => `insert into reconcile_runs (duration_ms, differences) values (1, '${json}')`),
    ...['batch/x/1/y', 'batch/1/1/', 'batch/1/99999999999999999999/x', 'payout/', 'payout/x', 'batch/1', 'x'].map(
      (name) => entry(name),
    ),
    ...[`'infinity'`, `'-infinity'`, `'5874897-12-31'`, `'4713-01-01 BC'`].map((day) => entry('x', { day })),
    ...[`'infinity'`, `'-infinity'`, `'294276-12-31'`, `'4713-01-01 BC'`].map((at) => entry('x', { at })),
    ...[
      '{coins:x,reserve:1}',
      '{coins:99999999999999999999,reserve:1}',
      '{own_transfers:a,own_transfers:a/b/c}',
      '{redeem_payable:x,residual:x}',
      '{claims:x,fees:y}',
    ].map((accounts) => entry('x', { accounts })),
    entry('x', { amounts: `{${'9'.repeat(30)},-${'9'.repeat(30)}}` }),
    ...[
      `'x', current_date`,
      `'coins:x', current_date`,
      `'coins:1', 'infinity'`,
      `'coins:1', '-infinity'`,
      `'coins', current_date`,
    ].map((of) => `insert into ledger_totals values (${of}, 1e36, 0)`),
    ...[`'infinity', 'x', 1`, `'-infinity', 'x', 1`, `current_date, 'x', ${LAST}`, `current_date, '', -1`].map(
      (of) => `insert into ledger_flows values (${of}, 0, 0, 0, 0, 0)`,
    ),
    ...NO_NAMES.map((json) => line(`'${json}'`)),
  ],
  settler: [
    ...NONE_OF_THESE.map((json) => movement('transactions', `'${json}'`)),
    ...['9e39', '-9e39', 'null', `'NaN'`].map((amount) => movement('amount_micro', amount)),
    movement('details', `repeat('x', 1000000)`),
    movement('after_block', FIRST),
    ...NONE_OF_THESE.map((json) => timelock(`'${json}'`)),
    ...[`'infinity'`, `'294276-12-31'`].map((at) => timelock(`'[]'`, at)),
    ...[`'{{0}}'`, `'{0}'`, `'{0,0,0}'`, `'{}'`, `'{NULL}'`].map(
      (executed) =>
        `insert into batch_outcomes (chain_id, batch_id, executed) select chain_id, batch_id, ${executed} from batches limit 1`,
    ),
    `insert into tag_conflicts (order_id, chain_id, tag) values (7777, 1, 'x')`,
    `insert into settlement_holds (chain_id, reason) values (7777, 'x')`,
    ...[LAST, FIRST, '0'].map(
      (id) =>
        `insert into chains (chain_id, coin_address, settlement_address, genesis_hash, observed_block) values (${id}, 'x', 'x', 'x', ${LAST})`,
    ),
    ...[LAST, '0'].map(
      (
        id,
      ) => `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, status, is_foreign, tx_hash, mined_block, mined_hash, success_bitmap, fencing_token, finalized_at)
      values (1, ${id}, 'x', ${LAST}, 'x', 'x', '{}', 1, 'final', true, 'x', ${LAST}, 'x', 1, ${LAST}, '294276-12-31')`,
    ),
    `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, status, is_foreign, tx_hash, mined_block, mined_hash, success_bitmap, fencing_token, finalized_at)
      values (1, 7777, 'x', 7, 'x', 'x', array[-1, ${LAST}], 2, 'final', false, 'x', 1, 'x', 1e77, 1, 'infinity')`,
    `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
      select chain_id, batch_id, -1, 'x', 'MINT', 'x', 99999999999999999999, true from batches limit 1`,
  ],
}

for (const role of ['payer', 'settler'] as const) {
  for (const statement of PLANTS[role]) {
    test(`${role}: ${statement.replaceAll(/\s+/g, ' ').slice(0, 300)}`, async () => {
      if (!(await plant(role, statement))) return
      await s.place('REDEEM', 'completed', 5n * MICRO, { referenceId: 'redeem-after', createdAt: longAgo() })
      await s.run()
      await readReserveFacts(s.db)
      await findPendingOperations(s.db, 1)
      await findLateTogether(s.db, new Map())
      const run = await readNewestRun(s.db)
      for (const count of run?.differences.values() ?? []) assert.equal(typeof count, 'number')
    })
  }
}

test('settler: outcomes of more batches than are compared are named, and cost no query each', async () => {
  await s.db.query(
    `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, status, tx_hash, mined_block, mined_hash,
       success_bitmap, fencing_token, finalized_at)
     select 1, 50000000 + n, 'x', n, 'x', 'x', array[7777], 1, 'final', 'x', 1, 'x', 1, 1, now() from generate_series(1, 1200) n`,
  )
  const all = `insert into batch_outcomes (chain_id, batch_id, executed) select chain_id, batch_id, '{0}' from batches where batch_id > 50000000`
  assert.ok(await plant('settler', all))
  let asked = 0
  const counting: typeof s.db = {
    ...s.db,
    query: (text, params) => {
      asked += 1
      return s.db.query(text, params)
    },
  }
  const found = await findForeign(counting)
  assert.deepEqual(
    found.map(({ kind, subject, message }) => [kind, subject, /\d+ were not compared/.exec(message)?.[0]]),
    [['other_outcome', 'batch_outcomes', '200 were not compared']],
  )
  assert.ok(asked <= 1_010, String(asked))
})
