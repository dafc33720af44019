// engine: postgres; both in test:long
/** The payer with a bank connector: whatever answers come, a payout is paid once. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Database } from '../../src/db/database.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { createPayer } from '../../src/payouts/payer.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import type { Rail } from '../../src/payouts/rail.ts'
import { giveBank, TEST_SECRETS } from '../support/bank-details.ts'
import { payDue } from '../support/pay-due.ts'
import { waitFor } from '../support/wait-for.ts'
import { createPaying, SHORT_TIMEOUT_MS, TOKEN } from './paying.ts'

const { retry } = payoutAdmin

const accountAt = (account: string) => ({ bic: 'MBBEMYKL', account, name: 'TEST' })

const s = createPaying()
before(() => s.begin())
after(() => s.end())
const { burntRedeem, completionsOf, httpRail, logger, payoutIdOf, payUntil, statusOf } = s

describe('the payer with a bank connector', () => {
  it('asks nobody about what it had claimed before it slept, because a person may have paid it since', async () => {
    const { payoutId } = await burntRedeem()
    let nowMs = 0
    // As when the process is stopped while the database answers, and goes on an hour later.
    const query: Database['query'] = async (text, params) => {
      const rows = await s.orders.db.query(text, params)
      nowMs += 3_600_000
      return rows as never
    }
    const deps = { db: { ...s.orders.db, query }, rail: httpRail(), secrets: TEST_SECRETS, logger, nowMs: () => nowMs }
    assert.equal(await payDue(deps), 0)
    assert.equal(s.bank.requests.filter((one) => one.payoutId === payoutId).length, 0)
    assert.match(s.logged(), /slept after it had claimed payouts/)
    await s.orders.db.query('update payouts set claimed_until = now() where payout_id = $1', [payoutId])
    await payUntil(httpRail(), payoutId, 'sent')
    assert.equal(s.bank.requests.filter((one) => one.payoutId === payoutId).length, 1)
  })

  it('pays a redeem and completes it', async () => {
    const { orderId, payoutId } = await burntRedeem()
    await payUntil(httpRail(), payoutId, 'sent')
    assert.equal(await statusOf(orderId), 'completed')
    assert.equal(await completionsOf(orderId), 1)
    const request = s.bank.requests.find((one) => one.payoutId === payoutId)
    assert.equal(request?.authorization, `Bearer ${TOKEN}`)
    const endToEndId = (await findPayout(s.orders.db, payoutId))?.endToEndId ?? ''
    assert.equal(request?.endToEndId, endToEndId)
    assert.deepEqual(JSON.parse(request?.body ?? ''), {
      payoutId,
      endToEndId,
      amount: '12.34',
      currency: 'MYR',
      creditor: { bic: 'MBBEMYKL', account: '1122', name: 'TEST' },
      reference: 'INV-7',
    })
    assert.equal((await findPayout(s.orders.db, payoutId))?.railReference, `BANK-${endToEndId}`)
  })

  it('takes a wordy bank at its word: a long or unprintable text never leaves a payout undecided', async () => {
    const paid = await burntRedeem()
    s.bank.script.push('accept with a long reference')
    await payUntil(httpRail(), paid.payoutId, 'sent')
    assert.equal((await findPayout(s.orders.db, paid.payoutId))?.railReference?.length, 200)
    assert.equal(await statusOf(paid.orderId), 'completed')
    const closed = await burntRedeem()
    s.bank.script.push('refuse at length')
    await payUntil(httpRail(), closed.payoutId, 'rejected')
    assert.equal((await findPayout(s.orders.db, closed.payoutId))?.lastError?.length, 500)
  })

  it('asks again under the same id for as long as nobody knows, and pays once', async () => {
    const { orderId, payoutId } = await burntRedeem()
    s.bank.script.push('lose by hanging', 'lose by reset', 'fail', 'lose by garbage', 'redirect')
    const earlier = s.bank.requests.length
    await payUntil(httpRail(SHORT_TIMEOUT_MS), payoutId, 'sent')
    const requests = s.bank.requests.slice(earlier)
    assert.equal(requests.length, 6)
    assert.equal(new Set(requests.map((request) => request.endToEndId)).size, 1)
    assert.deepEqual(new Set(requests.map((request) => request.payoutId)), new Set([payoutId]))
    assert.equal(new Set(requests.map((request) => request.body)).size, 1)
    assert.equal(await statusOf(orderId), 'completed')
    assert.equal(await completionsOf(orderId), 1)
  })

  it('never asks about a payment with another bank account', async () => {
    const { payoutId } = await burntRedeem()
    s.bank.script.push('lose by hanging')
    const rail = httpRail(SHORT_TIMEOUT_MS)
    let isChanged = false
    const changing: Rail = {
      name: 'http',
      async initiate(instruction) {
        const answer = await rail.initiate(instruction)
        if (!isChanged) await giveBank(s.orders.db, accountAt('9999'))
        isChanged = true
        return answer
      },
    }
    await payUntil(changing, payoutId, 'sent')
    await giveBank(s.orders.db, accountAt('1122'))
    assert.deepEqual(s.bank.conflicts, [])
    assert.match(s.bank.paymentsOf(payoutId).at(-1) ?? '', /"1122"/)
  })

  it('leaves a refused payout to an operator, who can retry it with a corrected account', async () => {
    const { orderId, payoutId } = await burntRedeem()
    s.bank.script.push('refuse')
    await payUntil(httpRail(), payoutId, 'rejected')
    assert.equal(await statusOf(orderId), 'processing')
    assert.equal((await findPayout(s.orders.db, payoutId))?.lastError, 'The account is closed.')
    await giveBank(s.orders.db, accountAt('5566'))
    await s.orders.db.transaction((tx) => retry(tx, payoutId))
    await payUntil(httpRail(), payoutId, 'sent')
    await giveBank(s.orders.db, accountAt('1122'))
    assert.match(s.bank.paymentsOf(payoutId).at(-1) ?? '', /"5566"/)
    assert.equal(await statusOf(orderId), 'completed')
    assert.equal(await s.orders.db.transaction((tx) => retry(tx, payoutId)), undefined)
  })

  it('refuses a payout whose customer has no bank account, without asking', async () => {
    const { payoutId } = await burntRedeem()
    await giveBank(s.orders.db, null)
    const earlier = s.bank.requests.length
    await payUntil(httpRail(), payoutId, 'rejected')
    await giveBank(s.orders.db, accountAt('1122'))
    assert.equal(s.bank.requests.length, earlier)
  })

  it('after an old backup was restored, the same redeem has the same payout id, and another one never', async () => {
    const paid = await burntRedeem()
    await payUntil(httpRail(), paid.payoutId, 'sent')
    const payout = { orderId: paid.orderId, customerId: s.orders.customerId, amountMicro: 12_340_000n }
    await s.orders.db.query('delete from payout_attempts where payout_id = $1', [paid.payoutId])
    await s.orders.db.query('delete from payouts where order_id = $1', [paid.orderId])
    await s.orders.db.transaction((tx) => queuePayouts(tx, [payout]))
    assert.equal(await payoutIdOf(paid.orderId), paid.payoutId)

    await s.orders.db.query('delete from payout_attempts where payout_id = $1', [paid.payoutId])
    await s.orders.db.query('delete from payouts where order_id = $1', [paid.orderId])
    await s.orders.db.query(
      'delete from deliveries where event_id in (select event_id from events join orders using (integration_id, reference_id) where order_id = $1)',
      [paid.orderId],
    )
    await s.orders.db.query(
      'delete from events where reference_id = (select reference_id from orders where order_id = $1)',
      [paid.orderId],
    )
    await s.orders.db.query('delete from orders where order_id = $1', [paid.orderId])
    await s.orders.db.script(`alter table orders alter column order_id restart with ${paid.orderId}`)
    const other = await burntRedeem('56.78')
    assert.equal(other.orderId, paid.orderId)
    assert.notEqual(other.payoutId, paid.payoutId)
    await payUntil(httpRail(), other.payoutId, 'sent')
    assert.match(s.bank.paymentsOf(other.payoutId).at(-1) ?? '', /"56\.78"/)
  })

  it('shares the work: two payers pay each payout once', async () => {
    const payouts = await Promise.all(Array.from({ length: 40 }, () => burntRedeem('1')))
    const earlier = s.bank.requests.length
    const rail = httpRail()
    const payers = [1, 2].map(() => createPayer({ db: s.orders.db, rail, secrets: TEST_SECRETS, logger, pollMs: 20 }))
    for (const payer of payers) payer.start()
    await waitFor('all to be completed', async () => {
      const statuses = await Promise.all(payouts.map(({ orderId }) => statusOf(orderId)))
      return statuses.every((status) => status === 'completed')
    })
    await Promise.all(payers.map((payer) => payer.stop()))
    assert.equal(s.bank.requests.length - earlier, 40)
    for (const { orderId } of payouts) assert.equal(await completionsOf(orderId), 1)
  })

  it('takes up the payout of a process that died between the bank and its record', async () => {
    const { orderId, payoutId } = await burntRedeem()
    await httpRail().initiate({
      payoutId,
      endToEndId: (await findPayout(s.orders.db, payoutId))?.endToEndId ?? '',
      amountSen: 1234n,
      bankId: 'bnk_1',
      bic: 'MBBEMYKL',
      account: '1122',
      name: 'TEST',
      reference: 'INV-7',
    })
    await payUntil(httpRail(), payoutId, 'sent')
    assert.equal(await completionsOf(orderId), 1)
    assert.deepEqual(s.bank.conflicts, [])
  })

  it('asks again when the rail throws: an error is no refusal', async () => {
    const { orderId, payoutId } = await burntRedeem()
    const rail = httpRail()
    const answers: string[] = []
    let hasThrown = false
    const throwing: Rail = {
      name: 'http',
      initiate(instruction) {
        if (hasThrown) return rail.initiate(instruction)
        hasThrown = true
        throw new RangeError(TOKEN)
      },
    }
    const errors: (string | null | undefined)[] = []
    const watched: Rail = {
      ...throwing,
      async initiate(instruction) {
        errors.push((await findPayout(s.orders.db, payoutId))?.lastError)
        return throwing.initiate(instruction)
      },
    }
    await payUntil(watched, payoutId, 'sent', { answered: (result) => void answers.push(result) })
    assert.deepEqual(answers, ['unknown', 'accepted'])
    assert.deepEqual(errors, [null, 'RangeError'])
    assert.equal(await statusOf(orderId), 'completed')
  })

  it('records acceptance and completion together, or neither', async () => {
    const { orderId, payoutId } = await burntRedeem()
    let failures = 0
    const flaky: Database = {
      ...s.orders.db,
      transaction: (work) =>
        s.orders.db.transaction((tx) =>
          work({
            async query(text, params) {
              if (failures === 0 && /update orders/.test(text)) {
                failures += 1
                throw new Error('the disk is full')
              }
              return tx.query(text, params)
            },
          }),
        ),
    }
    const seen: (string | undefined)[] = []
    const rail = httpRail()
    const watched: Rail = {
      name: 'http',
      async initiate(instruction) {
        seen.push((await findPayout(s.orders.db, payoutId))?.status)
        return rail.initiate(instruction)
      },
    }
    const payer = createPayer({ db: flaky, rail: watched, secrets: TEST_SECRETS, logger, pollMs: 20 })
    payer.start()
    await waitFor('the failure', () => failures === 1)
    await waitFor('the next claim to be recorded', async () => {
      await s.orders.db.query(`update payouts set claimed_until = null where payout_id = $1 and times_asked = 1`, [
        payoutId,
      ])
      return (await findPayout(s.orders.db, payoutId))?.status === 'sent'
    })
    await payer.stop()
    assert.deepEqual(seen, ['queued', 'queued'])
    assert.match(s.logged(), /"msg":"a payout attempt was not recorded"/)
    assert.equal(await statusOf(orderId), 'completed')
    assert.equal(await completionsOf(orderId), 1)
    assert.deepEqual(s.bank.conflicts, [])
  })

  it('takes more than one handful without waiting for the next poll', async () => {
    const payouts = await Promise.all(Array.from({ length: 33 }, () => burntRedeem('1')))
    const rail = httpRail()
    const payer = createPayer({ db: s.orders.db, rail, secrets: TEST_SECRETS, logger, pollMs: 600_000 })
    payer.start()
    await waitFor('all to be completed', async () => {
      const statuses = await Promise.all(payouts.map(({ orderId }) => statusOf(orderId)))
      return statuses.every((status) => status === 'completed')
    })
    await payer.stop()
  })

  it('pays everybody else while a bank leaves dozens of questions open', async () => {
    const all = await Promise.all(Array.from({ length: 60 }, () => burntRedeem('1')))
    const hanging = new Set(all.filter((_, index) => index % 5 < 3).map(({ payoutId }) => payoutId))
    const good = all.filter(({ payoutId }) => !hanging.has(payoutId))
    let letGo: () => void = () => {}
    const released = new Promise<void>((resolve) => {
      letGo = resolve
    })
    let open = 0
    const rail: Rail = {
      name: 'http',
      async initiate({ payoutId, endToEndId }) {
        if (hanging.has(payoutId)) {
          open += 1
          await released
          open -= 1
        }
        return { result: 'accepted', railReference: endToEndId }
      },
    }
    const payer = createPayer({ db: s.orders.db, rail, secrets: TEST_SECRETS, logger, pollMs: 20 })
    payer.start()
    const isPaid = async (payouts: typeof all) => {
      const rows = await s.orders.db.query<{ sent: bigint }>(
        `select count(*) as sent from payouts where status = 'sent' and payout_id = any ($1::text[])`,
        [payouts.map(({ payoutId }) => payoutId)],
      )
      return rows[0]?.sent === BigInt(payouts.length)
    }
    await waitFor('all others to be paid', () => isPaid(good))
    await waitFor('all of the others to be asked', () => open === hanging.size)
    letGo()
    await payer.stop()
    assert.equal(open, 0, 'a stop waits for what is asked')
    assert.ok(await isPaid(all))
  })

  it('never logs the token', () => {
    assert.ok(s.logged().includes('payout accepted'))
    assert.ok(!s.logged().includes(TOKEN))
  })
})
