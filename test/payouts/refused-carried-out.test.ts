/** A bank refuses a payment and carries it out all the same. Before an operator's retry pays once more, its rail says what it knows of the one that it had refused. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { pino } from 'pino'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { watchSent } from '../../src/payouts/payer.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import type { Rail, RailAnswer, RailStatus } from '../../src/payouts/rail.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { payDue } from '../support/pay-due.ts'
import { createThreePayouts, type ThreePayouts } from './three-payouts.ts'

const { retry, markUnpaid } = payoutAdmin

let s: ThreePayouts
before(async () => {
  s = await createThreePayouts()
})
beforeEach(() => s.renew())
after(() => s.db.close())

const THERE: RailStatus = { result: 'accepted', railReference: 'R1' }
const PAID: RailStatus = { result: 'paid', reference: 'B1', effectiveAt: new Date('2026-11-20T04:00:00Z') }
const REFUSED: RailAnswer = { result: 'refused', reason: 'The account is closed.' }
const NONE: RailStatus = { result: 'none' }
const UNKNOWN: RailStatus = { result: 'unknown', reason: 'busy' }

/**
 * Has the first payout refused, retried, and paid again.
 * @param says of its first payment and of its second, once it was retried
 * @param begins what its first payment is answered: what was accepted is called unpaid before the retry
 */
async function retryOf(says: readonly [RailStatus, RailStatus?], begins: RailAnswer = REFUSED) {
  const ids: string[] = []
  const rail: Rail = {
    name: 'http',
    async initiate({ payoutId, endToEndId }) {
      if (payoutId !== s.first.payoutId) return { result: 'accepted', railReference: 'OTHER' }
      ids.push(endToEndId)
      return ids.length === 1 ? begins : { result: 'accepted', railReference: 'R2' }
    },
    status: async ({ endToEndId }) => (endToEndId === ids[0] ? says[0] : (says[1] ?? NONE)),
  }
  const pay = () => payDue({ db: s.db, rail, secrets: TEST_SECRETS, logger: pino({ level: 'silent' }) })
  await pay()
  if (begins.result === 'accepted') await s.db.transaction((tx) => markUnpaid(tx, s.first.payoutId, 'a letter'))
  await s.db.transaction((tx) => retry(tx, s.first.payoutId))
  await pay()
  const payout = (await findPayout(s.db, s.first.payoutId)) ?? assert.fail()
  return { told: ids.length, payout, attempts: await attemptsOf(), first: ids[0] }
}

async function attemptsOf(): Promise<string[]> {
  const attempts = await s.db.query<{ is: string }>(
    `select attempt || ' ' || status || case when is_extra then ' extra' else '' end as is from payout_attempts where payout_id = $1 order by attempt`,
    [s.first.payoutId],
  )
  return attempts.map((each) => each.is)
}

/** A rail that answers each payment of the first payout in turn, `accepted` once they are used up, and is asked as `says` has it. */
function bankOf(...answers: RailAnswer[]) {
  const ids: string[] = []
  const says: RailStatus[] = []
  const logged: string[] = []
  const rail: Rail = {
    name: 'http',
    async initiate({ payoutId, endToEndId }) {
      if (payoutId !== s.first.payoutId) return { result: 'accepted', railReference: 'OTHER' }
      if (!ids.includes(endToEndId)) ids.push(endToEndId)
      return answers.shift() ?? { result: 'accepted', railReference: `R${ids.length}` }
    },
    status: async ({ endToEndId }) => says[ids.indexOf(endToEndId)] ?? NONE,
  }
  const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line).msg) })
  const deps = { db: s.db, rail, secrets: TEST_SECRETS, logger }
  return {
    ids,
    says,
    logged,
    async pay() {
      await s.makeDue(s.first)
      await payDue(deps)
    },
    async watch() {
      await s.makeDue(s.first)
      await watchSent(deps)
    },
    retry: () => s.db.transaction((tx) => retry(tx, s.first.payoutId)),
    async now() {
      const { status, attempt } = (await findPayout(s.db, s.first.payoutId)) ?? assert.fail()
      return [ids.length, status, attempt, await attemptsOf()]
    },
  }
}

test('what its rail has after all is the payout’s payment, and no other is made', async () => {
  const { told, payout, attempts } = await retryOf([THERE])
  assert.deepEqual([told, payout.status, payout.attempt, attempts], [1, 'sent', 1, ['1 sent', '2 rejected']])
  const [order] = await s.db.query<{ status: string }>('select status from orders where order_id = $1', [
    s.first.orderId,
  ])
  assert.equal(order?.status, 'completed')
})

test('what its rail has paid after all is paid once', async () => {
  const { told, payout, attempts } = await retryOf([PAID])
  assert.deepEqual([told, payout.status, payout.attempt, attempts], [1, 'paid', 1, ['1 paid', '2 rejected']])
})

test('while its rail does not say, nothing is paid, and the payout names what it waits for', async () => {
  const { told, payout, first } = await retryOf([UNKNOWN])
  assert.deepEqual([told, payout.status, payout.attempt], [1, 'queued', 2])
  assert.equal(payout.lastError, `Its rail is asked first what became of ${first}, which it had refused: busy`)
})

test('whether another payment was made already is asked as well, and counts', async () => {
  const made = await retryOf([PAID, { result: 'accepted', railReference: 'R2' }])
  assert.deepEqual([made.told, made.payout.status, made.attempts], [2, 'sent', ['1 paid extra', '2 sent']])
  await s.renew()
  const unsaid = await retryOf([PAID, UNKNOWN])
  assert.deepEqual([unsaid.told, unsaid.payout.status, unsaid.payout.lastError], [1, 'queued', 'busy'])
})

test('what its rail goes on refusing, or knows nothing of, is paid anew', async () => {
  for (const word of [REFUSED, NONE]) {
    await s.renew()
    const { told, payout, attempts } = await retryOf([word])
    assert.deepEqual([told, payout.status, attempts], [2, 'sent', ['1 rejected', '2 sent']])
  }
})

test('of what it had accepted, and people know to be unpaid, its rail is not asked', async () => {
  const { told, payout } = await retryOf([PAID], { result: 'accepted', railReference: 'R1' })
  assert.deepEqual([told, payout.status, payout.attempt], [2, 'sent', 2])
})

test('what its rail had accepted, then refused, and has all the same is its payment, and no other is made', async () => {
  const { says, pay, watch, retry: again, now } = bankOf()
  await pay()
  says[0] = REFUSED
  await watch()
  assert.deepEqual(await now(), [1, 'rejected', 1, ['1 rejected']])
  await again()
  says[0] = PAID
  await pay()
  assert.deepEqual(await now(), [1, 'paid', 1, ['1 paid', '2 rejected']])
})

test('what people then call unpaid is paid anew, whatever its rail goes on saying', async () => {
  const { says, pay, retry: again, now } = bankOf(REFUSED)
  await pay()
  await again()
  says[0] = THERE
  await pay()
  assert.deepEqual(await now(), [1, 'sent', 1, ['1 sent', '2 rejected']])
  await s.db.transaction((tx) => markUnpaid(tx, s.first.payoutId, 'a letter'))
  await again()
  await pay()
  assert.deepEqual(await now(), [2, 'sent', 3, ['1 rejected', '2 rejected', '3 sent']])
})

test('each that its rail has is recorded: the first settles the payout, and every other is one too many, which is told', async () => {
  const { says, logged, pay, retry: again, now } = bankOf(REFUSED, REFUSED)
  await pay()
  await again()
  await pay()
  await again()
  says.push(THERE, PAID)
  await pay()
  assert.deepEqual(await now(), [2, 'sent', 1, ['1 sent', '2 paid extra', '3 rejected']])
  assert.ok(
    logged.some((each) => each.includes('settled otherwise')),
    logged.join('; '),
  )
})

test('where its rail refuses the new one, which it was asked for already, the earlier one counts', async () => {
  const { says, pay, retry: again, now } = bankOf(REFUSED, { result: 'unknown', reason: 'lost' })
  await pay()
  await again()
  await pay()
  assert.deepEqual(await now(), [2, 'queued', 2, ['1 rejected', '2 asked']])
  says.push(PAID, REFUSED)
  await pay()
  assert.deepEqual(await now(), [2, 'paid', 1, ['1 paid', '2 rejected']])
})
