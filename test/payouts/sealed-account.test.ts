// engine: postgres; both in test:long
/** A payout whose bank account does not open waits: no rail is asked, and nothing is used up. */
// Runbook: A payout waits for the secrets key
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { askRail } from '../../src/payouts/ask.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import type { PayoutInstruction, Rail } from '../../src/payouts/rail.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { claimPayouts } from '../support/claim-payouts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { payDue } from '../support/pay-due.ts'
import { accountOf, CUSTOMERS, type Party, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { withoutGuards } from '../support/without-guards.ts'

const logger = pino({ level: 'silent' })
const asked: PayoutInstruction[] = []
const rail: Rail = {
  name: 'http',
  async initiate(instruction) {
    asked.push(instruction)
    return { result: 'accepted', railReference: 'R' }
  },
}

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  await seedTwoOfEverything(db)
})
after(() => db.close())

async function queue(party: Party): Promise<string> {
  const order = { direction: 'REDEEM', party, reference: `redeem-${party}`, state: 'payoutPending' } as const
  const orderId = await placeOrder(db, order)
  await db.transaction((tx) => queuePayouts(tx, [{ orderId, customerId: CUSTOMERS[party], amountMicro: 10_000n }]))
  const [row] = await db.query<{ payout_id: string }>('select payout_id from payouts where order_id = $1', [orderId])
  return row?.payout_id ?? ''
}

const makeDue = () => withoutGuards(db, (tx) => tx.query("update payouts set next_attempt_at = now() - interval '1 s'"))

test('under a wrong key it waits as it was, and is paid once the key is right', async () => {
  const payoutId = await queue('a1')
  const wrong = { db, rail, logger, secrets: createSecretBox(randomBytes(32)) }
  for (let time = 0; time < 3; time += 1) {
    assert.equal(await payDue(wrong), 1)
    const payout = await findPayout(db, payoutId)
    assert.deepEqual([payout?.status, payout?.timesAsked, payout?.attempt], ['queued', 0, 1])
    assert.match(payout?.lastError ?? '', /SECRETS_KEY/)
    assert.ok((payout?.nextAttemptAt.getTime() ?? 0) > Date.now() + 30_000, 'it is not claimed again at once')
    await makeDue()
  }
  assert.deepEqual(asked, [])
  await payDue({ ...wrong, secrets: TEST_SECRETS })
  assert.equal((await findPayout(db, payoutId))?.status, 'sent')
  assert.deepEqual(
    asked.map(({ bic, account, name }) => ({ bic, account, name })),
    [accountOf('a1')],
  )
})

test('a bank account that was altered, or is another’s, or is gone, is not paid to', async () => {
  const payoutId = await queue('b1')
  const before_ = asked.length
  const others = `(select o.sealed from bank_details o join customers u using (bank_id) where u.customer_id = '${CUSTOMERS.a2}')`
  for (const change of [
    `update bank_details d set sealed = ${others} where`,
    `update bank_details d set sealed = left(d.sealed, -2) || 'AA' where`,
    `update bank_details d set sealed = o.sealed, customer_id = o.customer_id from bank_details o
       where o.bank_id = (select bank_id from customers where customer_id = '${CUSTOMERS.a2}') and`,
    // Another's account, put in the place of this one's in its own row.
    `update bank_details d set customer_id = '${CUSTOMERS.a2}' where`,
    `delete from bank_details d where`,
  ]) {
    const own = `d.bank_id = (select bank_id from customers where customer_id = '${CUSTOMERS.b1}')`
    await withoutGuards(db, (tx) => tx.query(`${change} ${own}`))
    const [claimed] = await claimedAgain(payoutId)
    assert.equal(claimed?.payoutId, payoutId, change)
    assert.ok(claimed)
    await askRail({ db, rail, logger, secrets: TEST_SECRETS }, claimed)
    assert.equal((await findPayout(db, payoutId))?.status, 'queued', change)
  }
  assert.equal(asked.length, before_)
})

test('a payout is paid to the customer of its order alone, whatever its row says', async () => {
  const payoutId = await queue('a2')
  const before_ = asked.length
  for (const [thief, change] of [
    ['a1', `update payouts set customer_id = '${CUSTOMERS.a1}', bank_id = null where payout_id = $1`],
    [
      'a1',
      `update payouts set bank_id = (select bank_id from customers where customer_id = '${CUSTOMERS.a1}') where payout_id = $1`,
    ],
  ] as const) {
    await withoutGuards(db, (tx) => tx.query(change, [payoutId]))
    const claimed = (await claimedAgain(payoutId)).find((one) => one.payoutId === payoutId)
    assert.ok(claimed, change)
    await askRail({ db, rail, logger, secrets: TEST_SECRETS }, claimed)
    assert.equal((await findPayout(db, payoutId))?.status, 'queued', thief)
  }
  assert.equal(asked.length, before_)
})

async function claimedAgain(payoutId: string) {
  await withoutGuards(db, (tx) =>
    tx.query('update payouts set claimed_until = null, next_attempt_at = now() where payout_id = $1', [payoutId]),
  )
  return await claimPayouts(db, { rail: 'http', limit: 1, claimMs: 60_000 })
}
