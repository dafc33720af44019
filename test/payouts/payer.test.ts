// engine: postgres; both in test:long
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { pino } from 'pino'
import type { Database } from '../../src/db/database.ts'
import { createPayoutAdmin } from '../../src/payouts/admin.ts'
import { createPayer, type PayerMetrics, payDue, watchSent } from '../../src/payouts/payer.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import type { Rail } from '../../src/payouts/rail.ts'
import { createHttpRail } from '../../src/payouts/rails/http.ts'
import { createSimulatedRail } from '../../src/payouts/rails/simulated.ts'
import { giveBank, TEST_SECRETS } from '../support/bank-details.ts'
import { addBatchRow, someBatchId } from '../support/batch-rows.ts'
import { CHAIN_ID, createOrdersFixture, type OrdersFixture } from '../support/orders.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type FakeBank, startFakeBank } from './fake-bank.ts'

const TOKEN = 'a-token-that-must-never-be-logged'
/** For tests in which the bank hangs; elsewhere a busy machine must not look like a hanging bank. */
const SHORT_TIMEOUT_MS = 250

const { retry } = createPayoutAdmin()

let orders: OrdersFixture
let bank: FakeBank
let logged = ''
const destination = {
  write(line: string) {
    logged += line
  },
}
const logger = pino({ level: 'debug' }, destination)

before(async () => {
  orders = await createOrdersFixture()
  bank = await startFakeBank()
})
after(async () => {
  await bank.close()
  await orders.close()
})

/** A burnt redeem that awaits its payout. */
async function burntRedeem(amountCoin = '12.34'): Promise<{ orderId: bigint; payoutId: string }> {
  const body = orders.redeemBody({ amountCoin, bankReference: 'INV-7' })
  await orders.call('redeem', body)
  const batchId = someBatchId()
  const [row] = await withoutGuards(orders.db, (tx) =>
    tx.query<{ order_id: bigint; amount_micro: bigint }>(
      `update orders set status = 'processing', batch_id = $2, batch_index = 0, tx_hash = sha256('1'), block_number = 50
       where reference_id = $1 returning order_id, amount_micro`,
      [String(body.referenceId), batchId],
    ),
  )
  assert.ok(row)
  const { order_id: orderId, amount_micro: amountMicro } = row
  await addBatchRow(orders.db, { chainId: CHAIN_ID, batchId, status: 'final', orderIds: [orderId] })
  await orders.db.transaction((tx) => queuePayouts(tx, [{ orderId, customerId: orders.customerId, amountMicro }]))
  return { orderId, payoutId: await payoutIdOf(orderId) }
}

async function payoutIdOf(orderId: bigint): Promise<string> {
  const [row] = await orders.db.query<{ payout_id: string }>('select payout_id from payouts where order_id = $1', [
    orderId,
  ])
  assert.ok(row)
  return row.payout_id
}

const accountAt = (account: string) => ({ bic: 'MBBEMYKL', account, name: 'TEST' })

/** Runs a payer until `done`, cutting short every wait for the next attempt. */
async function payUntil(
  rail: Rail,
  payoutId: string,
  done: string,
  metrics: PayerMetrics = { answered: () => {} },
): Promise<void> {
  const payer = createPayer({ db: orders.db, rail, secrets: TEST_SECRETS, logger, metrics, pollMs: 20 })
  payer.start()
  try {
    await waitFor(`${payoutId} to be ${done}`, async () => {
      const payout = await findPayout(orders.db, payoutId)
      if (payout?.status === done || (done === 'asked' && payout?.lastError !== null)) return true
      if (payout?.lastError !== null) {
        await orders.db.query(
          `update payouts set next_attempt_at = now() where payout_id = $1 and status = 'queued' and last_error is not null`,
          [payoutId],
        )
      }
      return false
    })
  } finally {
    await payer.stop()
  }
}

async function statusOf(orderId: bigint): Promise<string> {
  const [row] = await orders.db.query<{ status: string }>('select status from orders where order_id = $1', [orderId])
  return row?.status ?? 'none'
}

async function completionsOf(orderId: bigint): Promise<number> {
  const events = await orders.db.query(
    `select event_id from events join orders using (integration_id, reference_id) where order_id = $1 and type = 'redeem.completed'`,
    [orderId],
  )
  return events.length
}

const httpRail = (timeoutMs = 10_000) => createHttpRail({ url: bank.url, token: TOKEN, timeoutMs })

describe('the payer with a bank connector', () => {
  it('asks nobody about what it had claimed before it slept, because a person may have paid it since', async () => {
    const { payoutId } = await burntRedeem()
    let nowMs = 0
    // As when the process is stopped while the database answers, and goes on an hour later.
    const query: Database['query'] = async (text, params) => {
      const rows = await orders.db.query(text, params)
      nowMs += 3_600_000
      return rows as never
    }
    const deps = { db: { ...orders.db, query }, rail: httpRail(), secrets: TEST_SECRETS, logger, nowMs: () => nowMs }
    assert.equal(await payDue(deps), 0)
    assert.equal(bank.requests.filter((one) => one.payoutId === payoutId).length, 0)
    assert.match(logged, /slept after it had claimed payouts/)
    await orders.db.query('update payouts set claimed_until = now() where payout_id = $1', [payoutId])
    await payUntil(httpRail(), payoutId, 'sent')
    assert.equal(bank.requests.filter((one) => one.payoutId === payoutId).length, 1)
  })

  it('pays a redeem and completes it', async () => {
    const { orderId, payoutId } = await burntRedeem()
    await payUntil(httpRail(), payoutId, 'sent')
    assert.equal(await statusOf(orderId), 'completed')
    assert.equal(await completionsOf(orderId), 1)
    const request = bank.requests.find((one) => one.payoutId === payoutId)
    assert.equal(request?.authorization, `Bearer ${TOKEN}`)
    const endToEndId = (await findPayout(orders.db, payoutId))?.endToEndId ?? ''
    assert.equal(request?.endToEndId, endToEndId)
    assert.deepEqual(JSON.parse(request?.body ?? ''), {
      payoutId,
      endToEndId,
      amount: '12.34',
      currency: 'MYR',
      creditor: { bic: 'MBBEMYKL', account: '1122', name: 'TEST' },
      reference: 'INV-7',
    })
    assert.equal((await findPayout(orders.db, payoutId))?.railReference, `BANK-${endToEndId}`)
  })

  it('takes a wordy bank at its word: a long or unprintable text never leaves a payout undecided', async () => {
    const paid = await burntRedeem()
    bank.script.push('accept with a long reference')
    await payUntil(httpRail(), paid.payoutId, 'sent')
    assert.equal((await findPayout(orders.db, paid.payoutId))?.railReference?.length, 200)
    assert.equal(await statusOf(paid.orderId), 'completed')
    const closed = await burntRedeem()
    bank.script.push('refuse at length')
    await payUntil(httpRail(), closed.payoutId, 'rejected')
    assert.equal((await findPayout(orders.db, closed.payoutId))?.lastError?.length, 500)
  })

  it('asks again under the same id for as long as nobody knows, and pays once', async () => {
    const { orderId, payoutId } = await burntRedeem()
    bank.script.push('lose by hanging', 'lose by reset', 'fail', 'lose by garbage', 'redirect')
    const earlier = bank.requests.length
    await payUntil(httpRail(SHORT_TIMEOUT_MS), payoutId, 'sent')
    const requests = bank.requests.slice(earlier)
    assert.equal(requests.length, 6)
    assert.equal(new Set(requests.map((request) => request.endToEndId)).size, 1)
    assert.deepEqual(new Set(requests.map((request) => request.payoutId)), new Set([payoutId]))
    assert.equal(new Set(requests.map((request) => request.body)).size, 1)
    assert.equal(await statusOf(orderId), 'completed')
    assert.equal(await completionsOf(orderId), 1)
  })

  it('never asks about a payment with another bank account', async () => {
    const { payoutId } = await burntRedeem()
    bank.script.push('lose by hanging')
    const rail = httpRail(SHORT_TIMEOUT_MS)
    let isChanged = false
    const changing: Rail = {
      name: 'http',
      async initiate(instruction) {
        const answer = await rail.initiate(instruction)
        if (!isChanged) await giveBank(orders.db, accountAt('9999'))
        isChanged = true
        return answer
      },
    }
    await payUntil(changing, payoutId, 'sent')
    await giveBank(orders.db, accountAt('1122'))
    assert.deepEqual(bank.conflicts, [])
    assert.match(bank.paymentsOf(payoutId).at(-1) ?? '', /"1122"/)
  })

  it('leaves a refused payout to an operator, who can retry it with a corrected account', async () => {
    const { orderId, payoutId } = await burntRedeem()
    bank.script.push('refuse')
    await payUntil(httpRail(), payoutId, 'rejected')
    assert.equal(await statusOf(orderId), 'processing')
    assert.equal((await findPayout(orders.db, payoutId))?.lastError, 'The account is closed.')
    await giveBank(orders.db, accountAt('5566'))
    await orders.db.transaction((tx) => retry(tx, payoutId))
    await payUntil(httpRail(), payoutId, 'sent')
    await giveBank(orders.db, accountAt('1122'))
    assert.match(bank.paymentsOf(payoutId).at(-1) ?? '', /"5566"/)
    assert.equal(await statusOf(orderId), 'completed')
    assert.equal(await orders.db.transaction((tx) => retry(tx, payoutId)), undefined)
  })

  it('refuses a payout whose customer has no bank account, without asking', async () => {
    const { payoutId } = await burntRedeem()
    await giveBank(orders.db, null)
    const earlier = bank.requests.length
    await payUntil(httpRail(), payoutId, 'rejected')
    await giveBank(orders.db, accountAt('1122'))
    assert.equal(bank.requests.length, earlier)
  })

  it('after an old backup was restored, the same redeem has the same payout id, and another one never', async () => {
    const paid = await burntRedeem()
    await payUntil(httpRail(), paid.payoutId, 'sent')
    const payout = { orderId: paid.orderId, customerId: orders.customerId, amountMicro: 12_340_000n }
    await orders.db.query('delete from payout_attempts where payout_id = $1', [paid.payoutId])
    await orders.db.query('delete from payouts where order_id = $1', [paid.orderId])
    await orders.db.transaction((tx) => queuePayouts(tx, [payout]))
    assert.equal(await payoutIdOf(paid.orderId), paid.payoutId)

    await orders.db.query('delete from payout_attempts where payout_id = $1', [paid.payoutId])
    await orders.db.query('delete from payouts where order_id = $1', [paid.orderId])
    await orders.db.query(
      'delete from deliveries where event_id in (select event_id from events join orders using (integration_id, reference_id) where order_id = $1)',
      [paid.orderId],
    )
    await orders.db.query(
      'delete from events where reference_id = (select reference_id from orders where order_id = $1)',
      [paid.orderId],
    )
    await orders.db.query('delete from orders where order_id = $1', [paid.orderId])
    await orders.db.script(`alter table orders alter column order_id restart with ${paid.orderId}`)
    const other = await burntRedeem('56.78')
    assert.equal(other.orderId, paid.orderId)
    assert.notEqual(other.payoutId, paid.payoutId)
    await payUntil(httpRail(), other.payoutId, 'sent')
    assert.match(bank.paymentsOf(other.payoutId).at(-1) ?? '', /"56\.78"/)
  })

  it('shares the work: two payers pay each payout once', async () => {
    const payouts = await Promise.all(Array.from({ length: 40 }, () => burntRedeem('1')))
    const earlier = bank.requests.length
    const rail = httpRail()
    const payers = [1, 2].map(() => createPayer({ db: orders.db, rail, secrets: TEST_SECRETS, logger, pollMs: 20 }))
    for (const payer of payers) payer.start()
    await waitFor('all to be completed', async () => {
      const statuses = await Promise.all(payouts.map(({ orderId }) => statusOf(orderId)))
      return statuses.every((status) => status === 'completed')
    })
    await Promise.all(payers.map((payer) => payer.stop()))
    assert.equal(bank.requests.length - earlier, 40)
    for (const { orderId } of payouts) assert.equal(await completionsOf(orderId), 1)
  })

  it('takes up the payout of a process that died between the bank and its record', async () => {
    const { orderId, payoutId } = await burntRedeem()
    await httpRail().initiate({
      payoutId,
      endToEndId: (await findPayout(orders.db, payoutId))?.endToEndId ?? '',
      amountSen: 1234n,
      bankId: 'bnk_1',
      bic: 'MBBEMYKL',
      account: '1122',
      name: 'TEST',
      reference: 'INV-7',
    })
    await payUntil(httpRail(), payoutId, 'sent')
    assert.equal(await completionsOf(orderId), 1)
    assert.deepEqual(bank.conflicts, [])
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
        errors.push((await findPayout(orders.db, payoutId))?.lastError)
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
      ...orders.db,
      transaction: (work) =>
        orders.db.transaction((tx) =>
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
        seen.push((await findPayout(orders.db, payoutId))?.status)
        return rail.initiate(instruction)
      },
    }
    const payer = createPayer({ db: flaky, rail: watched, secrets: TEST_SECRETS, logger, pollMs: 20 })
    payer.start()
    await waitFor('the failure', () => failures === 1)
    await waitFor('the next claim to be recorded', async () => {
      await orders.db.query(`update payouts set claimed_until = null where payout_id = $1 and attempts = 1`, [payoutId])
      return (await findPayout(orders.db, payoutId))?.status === 'sent'
    })
    await payer.stop()
    assert.deepEqual(seen, ['queued', 'queued'])
    assert.match(logged, /"msg":"a payout attempt was not recorded"/)
    assert.equal(await statusOf(orderId), 'completed')
    assert.equal(await completionsOf(orderId), 1)
    assert.deepEqual(bank.conflicts, [])
  })

  it('takes more than one handful without waiting for the next poll', async () => {
    const payouts = await Promise.all(Array.from({ length: 33 }, () => burntRedeem('1')))
    const rail = httpRail()
    const payer = createPayer({ db: orders.db, rail, secrets: TEST_SECRETS, logger, pollMs: 600_000 })
    payer.start()
    await waitFor('all to be completed', async () => {
      const statuses = await Promise.all(payouts.map(({ orderId }) => statusOf(orderId)))
      return statuses.every((status) => status === 'completed')
    })
    await payer.stop()
  })

  it('holds what another rail was asked for, says so, and goes on when that rail is configured again', async () => {
    const { orderId, payoutId } = await burntRedeem()
    bank.script.push('lose by hanging')
    await payUntil(httpRail(SHORT_TIMEOUT_MS), payoutId, 'asked')
    await orders.db.query('update payouts set next_attempt_at = now() where payout_id = $1', [payoutId])
    const fresh = await burntRedeem('1')
    await payUntil(createSimulatedRail(orders.db), fresh.payoutId, 'sent')
    assert.equal((await findPayout(orders.db, payoutId))?.status, 'held')
    const words = `payouts are held: the rail that was asked for it is not configured now, and no other may be asked: set PAYOUT_RAIL to that one again, and it goes on by itself`
    assert.ok(logged.includes(`"payouts":1,"msg":"${words}"`), 'what is done about it')
    assert.equal(await statusOf(orderId), 'processing')
    await payUntil(httpRail(), payoutId, 'sent')
    assert.equal(await statusOf(orderId), 'completed')
    assert.match(logged, /"payouts":1,"msg":"payouts of this rail are no longer held"/)
    assert.deepEqual(bank.conflicts, [])
  })

  it('sends nothing that an operator holds while it is held for another reason, which would go on by itself', async () => {
    const { payoutId } = await burntRedeem()
    bank.script.push('lose by hanging')
    await payUntil(httpRail(SHORT_TIMEOUT_MS), payoutId, 'asked')
    await orders.db.query('update payouts set next_attempt_at = now() where payout_id = $1', [payoutId])
    const fresh = await burntRedeem('1')
    await payUntil(createSimulatedRail(orders.db), fresh.payoutId, 'sent')
    const admin = createPayoutAdmin()
    const hold = () => orders.db.transaction((tx) => admin.hold(tx, payoutId))
    assert.equal((await hold())?.holdReason, 'by_operator')
    assert.equal(await hold(), undefined, 'it is held so already')
    const later = await burntRedeem('1')
    await payUntil(httpRail(), later.payoutId, 'sent')
    assert.equal((await findPayout(orders.db, payoutId))?.holdReason, 'by_operator')
    await orders.db.transaction((tx) => admin.release(tx, payoutId))
    await payUntil(httpRail(), payoutId, 'sent')
    assert.deepEqual(bank.conflicts, [])
  })

  it('looks for payouts of other rails again and again', async () => {
    const { payoutId } = await burntRedeem()
    await orders.db.query(
      `update payouts set rail = 'http', attempts = 1, next_attempt_at = now() + interval '5 minutes' where payout_id = $1`,
      [payoutId],
    )
    const other = await burntRedeem('1')
    const payer = createPayer({
      db: orders.db,
      rail: createSimulatedRail(orders.db),
      secrets: TEST_SECRETS,
      logger,
      pollMs: 20,
      tendMs: 40,
    })
    const reach = (id: string, status: string) =>
      waitFor(`${id} to be ${status}`, async () => (await findPayout(orders.db, id))?.status === status)
    payer.start()
    await reach(other.payoutId, 'sent')
    await orders.db.query('update payouts set next_attempt_at = now() where payout_id = $1', [payoutId])
    await reach(payoutId, 'held')
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
    const payer = createPayer({ db: orders.db, rail, secrets: TEST_SECRETS, logger, pollMs: 20 })
    payer.start()
    const isPaid = async (payouts: typeof all) => {
      const rows = await orders.db.query<{ sent: bigint }>(
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

  it('asks what became of accepted payments: what came back is an operator’s case', async () => {
    const [kept, returned, rejected, paid] = await Promise.all([1, 2, 3, 4].map(() => burntRedeem('1')))
    assert.ok(kept && returned && rejected && paid)
    const at = new Date('2026-11-20T04:00:00Z')
    const rail: Rail = {
      ...{ name: 'http', bankAccount: '512' },
      initiate: async ({ endToEndId }) => ({ result: 'accepted', railReference: endToEndId }),
      status: async ({ payoutId }) => {
        if (payoutId === returned.payoutId)
          return { result: 'returned', reference: 'X', reason: 'gone', effectiveAt: at }
        if (payoutId === rejected.payoutId) return { result: 'refused', reason: 'closed\0' }
        if (payoutId === paid.payoutId) return { result: 'paid', reference: 'P', effectiveAt: at }
        return { result: 'accepted', railReference: 'still' }
      },
    }
    const { status: _, ...mute } = rail
    for (const { payoutId } of [kept, returned, rejected, paid]) await payUntil(mute, payoutId, 'sent')
    await orders.db.query(`update payouts set next_attempt_at = now() where status = 'sent'`)
    while ((await watchSent({ db: orders.db, rail, secrets: TEST_SECRETS, logger })) > 0);
    const statuses = await Promise.all(
      [kept, returned, rejected, paid].map(async ({ payoutId }) => (await findPayout(orders.db, payoutId))?.status),
    )
    assert.deepEqual(statuses, ['sent', 'returned', 'rejected', 'paid'])
    assert.deepEqual(await Promise.all([returned, rejected].map(({ orderId }) => statusOf(orderId))), [
      'completed',
      'completed',
    ])
  })

  it('asks about all accepted payments, though what is said of one cannot be recorded', async () => {
    const [good, bad] = [await burntRedeem('1'), await burntRedeem('1')]
    const rail: Rail = {
      ...{ name: 'http', bankAccount: '512' },
      initiate: async ({ endToEndId }) => ({ result: 'accepted', railReference: endToEndId }),
      status: async ({ payoutId }) => {
        const effectiveAt = new Date(payoutId === bad.payoutId ? Number.NaN : '2026-11-20T04:00:00Z')
        return { result: 'paid', reference: 'P', effectiveAt }
      },
    }
    const { status: _, ...mute } = rail
    for (const { payoutId } of [good, bad]) await payUntil(mute, payoutId, 'sent')
    await orders.db.query(
      `update payouts set next_attempt_at = now() + case when payout_id = any ($1::text[]) then '0' else interval '1 day' end
       where status = 'sent'`,
      [[good.payoutId, bad.payoutId]],
    )
    assert.equal(await watchSent({ db: orders.db, rail, secrets: TEST_SECRETS, logger }), 2)
    assert.equal((await findPayout(orders.db, good.payoutId))?.status, 'paid')
    assert.equal((await findPayout(orders.db, bad.payoutId))?.status, 'sent')
    assert.ok(logged.includes('what became of an accepted payment was not recorded'))
  })

  it('says that the rail does not say what became of accepted payments', async () => {
    const silent = await burntRedeem('1')
    const rail: Rail = {
      name: 'http',
      initiate: async ({ endToEndId }) => ({ result: 'accepted', railReference: endToEndId }),
      status: async () => ({ result: 'unknown', reason: 'The bank connector answered 503.' }),
    }
    const { status: _, ...mute } = rail
    await payUntil(mute, silent.payoutId, 'sent')
    await orders.db.query(
      `update payouts set next_attempt_at = now() + case when payout_id = $1 then '0' else interval '1 day' end
       where status = 'sent'`,
      [silent.payoutId],
    )
    assert.equal(await watchSent({ db: orders.db, rail, secrets: TEST_SECRETS, logger }), 1)
    assert.match(logged, /answered 503.*does not say what became of payments that it has accepted/)
  })

  it('never logs the token', () => {
    assert.ok(logged.includes('payout accepted'))
    assert.ok(!logged.includes(TOKEN))
  })
})

describe('the simulated rail', () => {
  const payment = { amountSen: 100n, bankId: 'bnk_1', bic: 'MBBEMYKL', account: '1122', name: 'TEST', reference: 'r' }

  it('completes a redeem', async () => {
    const { orderId, payoutId } = await burntRedeem()
    await payUntil(createSimulatedRail(orders.db), payoutId, 'sent')
    assert.equal(await statusOf(orderId), 'completed')
  })

  it('books a payout id once, whoever asks at the same time', async () => {
    const rail = createSimulatedRail(orders.db)
    const answers = await Promise.all(
      [1, 2, 3].map(() => rail.initiate({ payoutId: 'po_once', endToEndId: 'ONCE', ...payment })),
    )
    assert.ok(answers.every((answer) => answer.result === 'accepted'))
    const rows = await orders.db.query(`select 1 from simulated_rail_payments where end_to_end_id = 'ONCE'`)
    assert.equal(rows.length, 1)
  })

  it('refuses a payout id that comes again with other details', async () => {
    const rail = createSimulatedRail(orders.db)
    await rail.initiate({ payoutId: 'po_other', endToEndId: 'OTHER', ...payment })
    const answer = await rail.initiate({ payoutId: 'po_other', endToEndId: 'OTHER', ...payment, amountSen: 101n })
    assert.equal(answer.result, 'refused')
  })
})
