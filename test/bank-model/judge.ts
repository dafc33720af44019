/** Whether the books of a life are right: among themselves at each moment, and against what the bank did at the end. */
import assert from 'node:assert/strict'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { SEN_IN_MICRO } from '../../src/money.ts'
import { checkBooks } from '../../src/operator/reconcile/turns.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { checkLines, checkPast } from '../statements/books-of-lines.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { sealBooks } from '../support/seal-books.ts'
import type { Account } from './account.ts'
import type { Payments } from './payments.ts'
import type { Service } from './service.ts'

/** A life's ledger is sealed at its end. */
const LEFT_OUT = 'unsealed'

/** What must hold at every moment. */
export async function judgeMoment({ db }: Service): Promise<void> {
  await checkLines(db)
  const wrong = (await checkBooks(db)).filter(({ what }) => what !== LEFT_OUT)
  assert.deepEqual(wrong, [])
}

/** What must hold once every file of the bank has come, and everything that an operator can do is done. */
export async function judgeEnd({ db }: Service, account: Account, payments: Payments): Promise<void> {
  await checkPast(db)
  assert.deepEqual(await findStatementTroubles(db, TEST_SECRETS), [])
  const reserve = (await readBalances(db)).find(({ kind, owner }) => kind === 'reserve' && owner === 'main')
  assert.equal(
    (reserve?.balanceMicro ?? 0n) / SEN_IN_MICRO,
    account.balanceSen(),
    'the reserve is the balance at the bank',
  )
  const unexplained = await db.query(
    `select servicer_reference, amount_micro::text, reason from bank_lines join bank_statements using (statement_no)
     where state in ('unbooked', 'unallocated') and entry > 0 and withdrawn_at is null`,
  )
  assert.deepEqual(unexplained, [], 'every line is explained')
  const payouts = await db.query<{ payoutId: string; status: string }>(
    'select payout_id as "payoutId", status from payouts order by 1',
  )
  for (const { payoutId, status } of payouts) {
    const expected = status === 'paid' || status === 'paid_by_hand' ? 1 : 0
    const times = payments.timesPaid(payoutId)
    assert.equal(times, expected, `${payoutId} is ${status}, and its payee has it ${times} times`)
  }
  while ((await sealBooks(db, 500)).sealed > 0);
  assert.equal((await verifyLedger(db)).firstBad, null)
}
