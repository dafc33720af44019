// engine: postgres
/** What somebody with a stolen database login tries with payouts, and with what banks and rails are told. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { groupOf } from '../../src/db/access.sql.ts'
import { violatedConstraint } from '../../src/db/database.ts'
import { accountOf, db, paymentOf, payoutIdOf, prepareThefts, refusalOf, unguarded } from '../support/thefts.ts'

before(prepareThefts)
after(() => db.close())

import { CUSTOMERS, INTEGRATIONS } from '../support/two-of-everything.ts'
import { waitFor } from '../support/wait-for.ts'

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
