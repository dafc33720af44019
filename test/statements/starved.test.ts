// engine: postgres
/** Lines that can never be booked, however many, keep none of those behind them from being booked. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { bookLines } from '../../src/statements/book.ts'
import { recordFile } from '../../src/statements/record.ts'
import { bytesOf } from '../support/bank-files.ts'
import { createBankWorld } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'

/** What one call looks at. */
const LIMITS = { batch: 2, rounds: 2 }
const AT_ONCE = 4

test('lines that do not open under any key are tried in turn, and what comes behind them is booked', async () => {
  const world = await createBankWorld()
  after(() => world.close())
  const bank = someBank()
  await world.importXml(bank.closeDay())
  await withoutGuards(world.db, (tx) =>
    tx.query(
      `with sealed as (insert into bank_details (bank_id, sealed) values ('bnk_' || repeat('0', 24), 'sb1.altered') returning bank_id)
       insert into bank_lines (statement_no, bank_account, entry, detail, amount_micro, booked_on, value_on, is_reversal, bank_id)
       select s.statement_no, s.bank_account, n, 1, 10000, s.closed_on, s.closed_on, false, bank_id
       from bank_statements s, sealed, generate_series(2, $1::int) n`,
      [AT_ONCE + 1],
    ),
  )
  const errors: string[] = []
  const logger = { error: (_: object, message: string) => void errors.push(message) }
  const deps = { ...world.importDeps, logger, place: { after: 0n } }
  bank.deposit(700n, { name: 'P', account: '12345' }, 'rent')
  // Recorded only: nobody has booked anything of it yet.
  await recordFile(world.importDeps, { name: 'second.xml', bytes: bytesOf(bank.closeDay()) })
  const unbooked = async () =>
    Number((await world.db.query<{ n: bigint }>(`select count(*) as n from bank_lines where state = 'unbooked'`))[0]?.n)
  assert.equal(await unbooked(), AT_ONCE + 1)

  // None could be booked: a pause is due, and not more work at once.
  assert.equal(await bookLines(deps, LIMITS), false)
  assert.deepEqual([errors.length, await unbooked()], [AT_ONCE, AT_ONCE + 1])
  assert.equal(await bookLines(deps, LIMITS), false)
  assert.deepEqual([errors.length, await unbooked()], [AT_ONCE, AT_ONCE])
  // After the last the oldest are tried again.
  await bookLines(deps, LIMITS)
  assert.equal(errors.length, 2 * AT_ONCE)
})
