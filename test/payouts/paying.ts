/** Burnt redeems, a bank connector that answers as it is told to, and a payer between them. */
import assert from 'node:assert/strict'
import { pino } from 'pino'
import { loadConfig } from '../../src/config.ts'
import type { AskMetrics } from '../../src/payouts/ask.ts'
import { createPayer } from '../../src/payouts/payer.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import type { Rail } from '../../src/payouts/rail.ts'
import { createHttpRail } from '../../src/payouts/rails/http.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { addBatchRow, someBatchId } from '../support/batch-rows.ts'
import { CHAIN_ID, createOrdersFixture, type OrdersFixture } from '../support/orders.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type FakeBank, startFakeBank } from './fake-bank.ts'

export const TOKEN = 'a-token-that-must-never-be-logged'
/** For tests in which the bank hangs; elsewhere a busy machine must not look like a hanging bank. */
export const SHORT_TIMEOUT_MS = 250

/** The rail of a process with these settings. */
export function railOf(settings: Record<string, string>): Rail {
  const { payout } = loadConfig({ PAYOUT_RAIL: 'http', PAYOUT_TOKEN: TOKEN, ...settings })
  assert.ok(payout.type === 'http')
  return createHttpRail(payout)
}

/** `orders`, `bank` and what needs them are there between `begin` and `end`. */
export function createPaying() {
  let orders: OrdersFixture
  let bank: FakeBank
  let logged = ''
  const destination = {
    write(line: string) {
      logged += line
    },
  }
  const logger = pino({ level: 'debug' }, destination)

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

  /** Runs a payer until `done`, cutting short every wait for the next attempt. */
  async function payUntil(
    rail: Rail,
    payoutId: string,
    done: string,
    metrics: AskMetrics = { answered: () => {} },
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

  return {
    logger,
    burntRedeem,
    payoutIdOf,
    payUntil,
    statusOf,
    completionsOf,
    httpRail: (timeoutMs = 10_000) => railOf({ PAYOUT_URL: bank.url, PAYOUT_TIMEOUT_MS: String(timeoutMs) }),
    get orders() {
      return orders
    },
    get bank() {
      return bank
    },
    logged: () => logged,
    async begin(): Promise<void> {
      orders = await createOrdersFixture()
      bank = await startFakeBank()
    },
    async end(): Promise<void> {
      await bank.close()
      await orders.close()
    },
  }
}
