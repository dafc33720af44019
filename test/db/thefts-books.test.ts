// engine: postgres
/** What somebody with a stolen database login tries with the books and the audit log. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Role } from '../../src/config.ts'
import { groupOf } from '../../src/db/access.sql.ts'
import { accountOf as accountNamed } from '../../src/ledger/accounts.ts'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { addFlows } from '../../src/ledger/flows.sql.ts'
import { SEALED_BOOKS } from '../../src/ledger/sealed-books.ts'
import { db, prepareThefts, refusalOf, UNDONE } from '../support/thefts.ts'

before(prepareThefts)
after(() => db.close())

import { INTEGRATIONS } from '../support/two-of-everything.ts'

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
