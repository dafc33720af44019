/** What acceptance records and answers, on the run's engine. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { readEvents } from '../support/events.ts'
import {
  createOrdersFixture,
  MICRO,
  newAddress,
  newReference,
  type OrdersFixture,
  OTHER_CHAIN_ID,
} from '../support/orders.ts'
import { waitFor } from '../support/wait-for.ts'

let fixture: OrdersFixture
before(async () => {
  fixture = await createOrdersFixture()
})
after(() => fixture.close())
afterEach(() => {
  fixture.chain.frozen.clear()
  fixture.chain.sanctioned.clear()
  fixture.chain.unreadable.clear()
})

async function orderCount(referenceId: unknown): Promise<number> {
  return (await fixture.db.query('select from orders where reference_id = $1', [String(referenceId)])).length
}

async function eventsOf(referenceId: unknown) {
  return readEvents(fixture.db, String(referenceId))
}

describe('mints', () => {
  test('an unconfirmed mint waits for its payment, without an event', async () => {
    const body = fixture.mintBody({ amountMyr: '1000.50' })
    const { status, body: text, replay } = await fixture.call('mint', body)
    const order = JSON.parse(text)
    assert.deepEqual(
      [status, replay, order.ok, order.status, order.phase],
      [201, false, true, 'payment_pending', 'PAYMENT_PENDING'],
    )
    assert.deepEqual(order.amounts, {
      myr: '1000.5',
      coin: '1000.5',
      feeMyr: '0',
      amountRaw: '1000500000',
      decimals: 6,
    })
    assert.deepEqual(order.blockchain, { txHash: null, blockNumber: null })
    assert.equal(order.timestamps.updatedAt, null)
    assert.deepEqual(await eventsOf(body.referenceId), [])
  })

  test('order, answer, its replay and event name the same instant', async () => {
    const body = fixture.mintBody({ fiatConfirmed: true })
    const answer = await fixture.call('mint', body, { idempotencyKey: 'same-instant' })
    const [row] = await fixture.db.query<{ created_at: Date }>(
      'select created_at from orders where reference_id = $1',
      [String(body.referenceId)],
    )
    const [event] = await eventsOf(body.referenceId)
    const { createdAt } = JSON.parse(answer.body).timestamps
    const replay = await fixture.call('mint', body, { idempotencyKey: 'same-instant' })
    assert.deepEqual([replay.body, replay.replay], [answer.body, true])
    assert.equal(row?.created_at.toISOString(), createdAt)
    assert.equal(event?.type, 'mint.pending')
    assert.equal(JSON.parse(event?.payload ?? '').createdAt, createdAt)
  })

  test('a confirmation submits the waiting order once, with an event', async () => {
    const body = fixture.mintBody()
    const first = await fixture.call('mint', body, { idempotencyKey: 'confirm-1' })
    const confirmed = { ...body, fiatConfirmed: true }
    const { code } = await fixture.attempt('mint', confirmed, { idempotencyKey: 'confirm-1' })
    assert.equal(code, 'IDEMPOTENCY_CONFLICT')
    const second = JSON.parse((await fixture.call('mint', confirmed)).body)
    assert.deepEqual([second.status, second.phase], ['pending', 'ORDER_CREATED'])
    assert.equal(second.timestamps.createdAt, JSON.parse(first.body).timestamps.createdAt)
    assert.notEqual(second.timestamps.updatedAt, null)
    const third = JSON.parse((await fixture.call('mint', confirmed)).body)
    assert.deepEqual(third, second)
    assert.deepEqual(
      (await eventsOf(body.referenceId)).map(({ type }) => type),
      ['mint.pending'],
    )
    assert.equal((await fixture.call('mint', body, { idempotencyKey: 'confirm-1' })).body, first.body)
  })

  test('a reference posted with other details answers the order unchanged', async () => {
    const body = fixture.mintBody()
    const first = await fixture.call('mint', body)
    const other = await fixture.call('mint', { ...body, amountMyr: '5', fiatConfirmed: true })
    assert.deepEqual([other.status, other.body], [201, first.body])
  })

  test('cancelling ends a waiting mint, and is repeatable', async () => {
    const body = fixture.mintBody()
    const referenceId = String(body.referenceId)
    await fixture.call('mint', body)
    const { status, body: text } = await fixture.call('cancelMint', {}, { referenceId })
    assert.deepEqual([status, JSON.parse(text).status, JSON.parse(text).phase], [200, 'cancelled', 'FAILED'])
    const again = await fixture.call('cancelMint', {}, { referenceId })
    assert.deepEqual([again.status, again.body], [200, text])
    const confirmed = await fixture.call('mint', { ...body, fiatConfirmed: true })
    assert.deepEqual([confirmed.status, confirmed.body], [201, text])
    assert.deepEqual(await eventsOf(referenceId), [])
  })

  test('a submitted mint cannot be cancelled; what is not a mint is not found', async () => {
    const mint = fixture.mintBody({ fiatConfirmed: true })
    await fixture.call('mint', mint)
    const redeem = fixture.redeemBody()
    await fixture.call('redeem', redeem)
    const cancel = async (referenceId: unknown) =>
      (await fixture.attempt('cancelMint', {}, { referenceId: String(referenceId) })).code
    assert.equal(await cancel(mint.referenceId), 'ORDER_NOT_CANCELLABLE')
    assert.equal(await cancel(redeem.referenceId), 'NOT_FOUND')
    assert.equal(await cancel(newReference()), 'NOT_FOUND')
    assert.equal(await cancel('short'), 'INVALID_REFERENCE_ID')
  })

  test('the sanctions oracle of a chain is asked about its mints, recorded or confirmed; no other chain is', async () => {
    const there = fixture.mintBody({ chainId: OTHER_CHAIN_ID })
    await fixture.call('mint', there)
    const confirmed = { ...there, fiatConfirmed: true }
    fixture.chain.unreadable.add('sanctioned')
    assert.equal((await fixture.attempt('mint', confirmed, { idempotencyKey: 'oracle' })).code, 'SERVICE_UNAVAILABLE')
    await fixture.call('mint', fixture.mintBody())
    fixture.chain.unreadable.clear()
    fixture.chain.sanctioned.add(String(there.walletAddress))
    for (const body of [confirmed, fixture.mintBody({ chainId: OTHER_CHAIN_ID, walletAddress: there.walletAddress })]) {
      const { code, meta } = await fixture.attempt('mint', body, { idempotencyKey: 'oracle' })
      assert.deepEqual([code, meta], ['POLICY_REJECTED', { reason: 'wallet_denied' }])
    }
    fixture.chain.sanctioned.clear()
    const { body } = await fixture.call('mint', confirmed, { idempotencyKey: 'oracle' })
    assert.equal(JSON.parse(body).status, 'pending')
  })

  test('a denied wallet receives no mint', async () => {
    const walletAddress = newAddress()
    await fixture.db.query('insert into screening_denials (address) values (lower($1::text))', [walletAddress])
    const { code, meta } = await fixture.attempt('mint', fixture.mintBody({ walletAddress }))
    assert.deepEqual([code, meta], ['POLICY_REJECTED', { reason: 'wallet_denied' }])
  })
})

describe('redeems and transfers', () => {
  test('a redeem is recorded with its earmark, its usage and its event', async () => {
    const body = fixture.redeemBody({ amountCoin: '250.25', bankReference: 'pay-1' })
    const [before] = await usage()
    const { status, body: text } = await fixture.call('redeem', body)
    const order = JSON.parse(text)
    assert.deepEqual([status, order.status, order.phase, order.direction], [201, 'pending', 'ORDER_CREATED', 'REDEEM'])
    assert.deepEqual([order.amounts.myr, order.amounts.feeMyr], ['250.25', '0.5'])
    const [now] = await usage()
    assert.equal((now?.earmarked ?? 0n) - (before?.earmarked ?? 0n), 250_250_000n)
    assert.equal((now?.withdrawn ?? 0n) - (before?.withdrawn ?? 0n), 250_250_000n)
    assert.deepEqual(
      (await eventsOf(body.referenceId)).map(({ type }) => type),
      ['redeem.pending'],
    )
    assert.equal((await fixture.call('redeem', body)).body, text)
    assert.equal((await fixture.attempt('redeem', { ...body, amountCoin: '1' })).code, 'IDEMPOTENCY_CONFLICT')
  })

  async function usage() {
    return fixture.db.query<{ earmarked: bigint; withdrawn: bigint }>(
      `select coalesce((select earmarked_micro from wallet_earmarks where address = $1), 0) as earmarked,
         coalesce((select sum(committed_micro)::bigint from withdrawal_usage where customer_id = $2), 0) as withdrawn`,
      [fixture.walletAddress, fixture.customerId],
    )
  }

  test('a transfer is recorded without an event, and any re-post answers it', async () => {
    const body = fixture.transferBody()
    const { status, body: text } = await fixture.call('transfer', body)
    const order = JSON.parse(text)
    assert.deepEqual([status, order.status, order.amounts.myr, order.amounts.feeMyr], [201, 'pending', null, '0'])
    assert.deepEqual(await eventsOf(body.referenceId), [])
    assert.equal((await fixture.call('transfer', { ...body, amountCoin: '7' })).body, text)
    assert.equal(
      (await fixture.attempt('redeem', fixture.redeemBody({ referenceId: body.referenceId }))).code,
      'IDEMPOTENCY_CONFLICT',
    )
    assert.equal(
      (await fixture.attempt('mint', fixture.mintBody({ referenceId: body.referenceId }))).code,
      'IDEMPOTENCY_CONFLICT',
    )
  })

  test('an order is as old as the statement that recorded it, however long its chain was asked', async () => {
    for (const operation of ['redeem', 'transfer'] as const) {
      const [body, meanwhile] = [fixture[`${operation}Body`](), fixture.mintBody()]
      const told: string[] = []
      fixture.chain.afterBalance = async () => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        const { body: text } = await fixture.call('mint', meanwhile)
        told.push(JSON.parse(text).timestamps.createdAt)
      }
      const { body: text } = await fixture.call(operation, body, { idempotencyKey: `slow-${operation}` })
      fixture.chain.afterBalance = async () => {}
      const { createdAt } = JSON.parse(text).timestamps
      // Whoever has seen the mint, and asks for what was created since, is not to miss this one.
      assert.ok(told.length === 1 && createdAt >= (told[0] ?? ''), `${createdAt} after ${told}`)
      const replay = await fixture.call(operation, body, { idempotencyKey: `slow-${operation}` })
      assert.deepEqual([replay.body, replay.replay], [text, true])
      for (const event of await eventsOf(body.referenceId)) assert.equal(JSON.parse(event.payload).createdAt, createdAt)
    }
  })

  test('the chain is read at the observed block', async () => {
    const blocks: bigint[] = []
    fixture.chain.afterBalance = async (blockNumber) => void blocks.push(blockNumber)
    await fixture.call('transfer', fixture.transferBody())
    fixture.chain.afterBalance = async () => {}
    assert.deepEqual(blocks, [7n])
  })

  test('screening and freezing refuse', async () => {
    const recipient = newAddress()
    const code = async () =>
      (await fixture.attempt('transfer', fixture.transferBody({ walletAddress: recipient }))).code
    fixture.chain.frozen.add(recipient)
    assert.equal(await code(), 'RECIPIENT_NOT_PERMITTED')
    fixture.chain.frozen.clear()
    fixture.chain.sanctioned.add(recipient)
    assert.equal(await code(), 'RECIPIENT_NOT_PERMITTED')
    fixture.chain.sanctioned.clear()
    fixture.chain.frozen.add(fixture.walletAddress)
    assert.equal(await code(), 'POLICY_REJECTED')
    fixture.chain.frozen.clear()
    await fixture.db.query('insert into screening_denials (address) values (lower($1::text))', [recipient])
    assert.equal(await code(), 'RECIPIENT_NOT_PERMITTED')
  })

  test('a wallet on the deny list or the sanctions list gives up nothing', async () => {
    const refusals = async () => [
      await fixture.attempt('redeem', fixture.redeemBody()),
      await fixture.attempt('transfer', fixture.transferBody()),
    ]
    const denied = { code: 'POLICY_REJECTED', meta: { reason: 'wallet_denied' } }
    fixture.chain.sanctioned.add(fixture.walletAddress)
    for (const { code, meta } of await refusals()) assert.deepEqual({ code, meta }, denied)
    fixture.chain.sanctioned.clear()
    fixture.chain.unreadable.add('sanctioned')
    for (const { code } of await refusals()) assert.equal(code, 'SERVICE_UNAVAILABLE')
    fixture.chain.unreadable.clear()
    await fixture.db.query('insert into screening_denials (address) values (lower($1::text))', [fixture.walletAddress])
    for (const { code, meta } of await refusals()) assert.deepEqual({ code, meta }, denied)
    await fixture.db.query('delete from screening_denials where address = lower($1::text)', [fixture.walletAddress])
    await fixture.call('transfer', fixture.transferBody())
  })

  test('what is below one sen is not redeemed: no bank could pay it', async () => {
    const { code, meta } = await fixture.attempt('redeem', fixture.redeemBody({ amountCoin: '0.009999' }))
    assert.deepEqual([code, meta], ['POLICY_REJECTED', { reason: 'below_one_sen' }])
    await fixture.call('redeem', fixture.redeemBody({ amountCoin: '0.01' }))
  })

  test('an unreadable chain refuses with 502, records nothing and leaves the key free', async () => {
    const body = fixture.redeemBody()
    fixture.chain.unreadable.add('balance').add('frozen').add('sanctioned')
    assert.equal((await fixture.attempt('redeem', body, { idempotencyKey: 'free-1' })).code, 'SETTLEMENT_FAILED')
    assert.equal((await fixture.attempt('transfer', fixture.transferBody())).code, 'SETTLEMENT_FAILED')
    assert.equal(await orderCount(body.referenceId), 0)
    fixture.chain.unreadable.clear()
    fixture.chain.unreadable.add('sanctioned')
    assert.equal((await fixture.attempt('transfer', fixture.transferBody())).code, 'SERVICE_UNAVAILABLE')
    fixture.chain.unreadable.clear()
    const answer = await fixture.call('redeem', body, { idempotencyKey: 'free-1' })
    assert.deepEqual([answer.status, answer.replay], [201, false])
  })

  test('what a counter no longer holds can be used again', async () => {
    const caller = { transferDayCapMicro: 0n }
    const [row] = await fixture.db.query<{ committed: bigint }>(
      'select coalesce(sum(committed_micro), 0)::bigint as committed from transfer_usage where key_id = $1',
      [fixture.keyId],
    )
    caller.transferDayCapMicro = (row?.committed ?? 0n) + 100n * MICRO
    await fixture.call('transfer', fixture.transferBody(), { caller })
    const { code, meta } = await fixture.attempt('transfer', fixture.transferBody({ amountCoin: '0.000001' }), {
      caller,
    })
    assert.equal(code, 'TRANSFER_DAILY_CAP_EXCEEDED')
    assert.equal(meta?.requestedCoin, '0.000001')
    await fixture.db.query('update transfer_usage set committed_micro = committed_micro - $2 where key_id = $1', [
      fixture.keyId,
      100n * MICRO,
    ])
    assert.equal((await fixture.call('transfer', fixture.transferBody(), { caller })).status, 201)
  })

  test('a key is held to its own caps where they are lower than the configured ones; higher ones do not count', async () => {
    const low = { transferTxCapMicro: 10n * MICRO }
    const high = { transferTxCapMicro: 10n ** 15n, transferDayCapMicro: 10n ** 15n }
    const cap = async (amountCoin: string, caller: object) =>
      (await fixture.attempt('transfer', fixture.transferBody({ amountCoin }), { caller })).meta?.perTxCapCoin
    assert.equal(await cap('10.000001', low), '10')
    assert.equal(await cap('50000.000001', high), '50000')
  })
})

describe('remembered answers', () => {
  test('scopes come before the remembered answer, field formats after it', async () => {
    const body = fixture.mintBody()
    await fixture.call('mint', body, { idempotencyKey: 'order-of-checks' })
    const none = { scopes: new Set<string>() }
    const denied = await fixture.attempt('mint', body, { idempotencyKey: 'order-of-checks', caller: none })
    assert.equal(denied.code, 'SCOPE_DENIED')
    const malformed = await fixture.attempt('mint', { ...body, amountMyr: 1 }, { idempotencyKey: 'order-of-checks' })
    assert.equal(malformed.code, 'IDEMPOTENCY_CONFLICT')
    assert.equal((await fixture.attempt('mint', { ...body, amountMyr: 1 })).code, 'INVALID_AMOUNT')
  })

  test('every direction needs both of its scopes, and nothing is recorded without', async () => {
    const only = (scope: string) => ({ caller: { scopes: new Set([scope]) } })
    const confirmed = fixture.mintBody({ fiatConfirmed: true })
    const cases = [
      await fixture.attempt('mint', confirmed, only('mint:create')),
      await fixture.attempt('mint', fixture.mintBody(), only('mint:execute')),
      await fixture.attempt('redeem', fixture.redeemBody(), only('redeem:create')),
      await fixture.attempt('redeem', fixture.redeemBody(), only('redeem:execute')),
      await fixture.attempt('transfer', fixture.transferBody(), only('transfer:create')),
      await fixture.attempt('transfer', fixture.transferBody(), only('transfer:execute')),
      await fixture.attempt('cancelMint', {}, { ...only('mint:read'), referenceId: newReference() }),
    ]
    assert.deepEqual([...new Set(cases.map(({ code }) => code))], ['SCOPE_DENIED'])
    assert.equal(await orderCount(confirmed.referenceId), 0)
    assert.equal((await fixture.call('mint', fixture.mintBody(), only('mint:create'))).status, 201)
  })

  test('a refusal is not remembered', async () => {
    const { code } = await fixture.attempt('mint', fixture.mintBody({ amountMyr: '0.5' }), {
      idempotencyKey: 'refused',
    })
    assert.equal(code, 'AMOUNT_BELOW_FLOOR')
    assert.equal((await fixture.call('mint', fixture.mintBody(), { idempotencyKey: 'refused' })).replay, false)
  })

  test('a customer id that no database stores is not found', async () => {
    for (const customerId of ['cus_\u0000', 'cus_\ud800', '', 'x'.repeat(10_000), 'cus_unknown']) {
      assert.equal((await fixture.attempt('mint', fixture.mintBody({ customerId }))).code, 'NOT_FOUND')
    }
  })
})

test('acceptance wakes the settler here and elsewhere, and the courier when an endpoint listens', async () => {
  const heard: string[] = []
  const stops = await Promise.all(
    ['orders_accepted', 'deliveries_due'].map((channel) =>
      fixture.db.listen(channel, (payload) => void heard.push(`${channel} ${payload}`)),
    ),
  )
  await fixture.db.query(
    `insert into webhook_endpoints (endpoint_id, integration_id, url, secret_encrypted) values ('we_1', $1, 'https://x', 'sb1.s')`,
    [fixture.integrationId],
  )
  const here = fixture.accepted.length
  await fixture.call('mint', fixture.mintBody({ fiatConfirmed: true }))
  assert.deepEqual(fixture.accepted.slice(here), [31_337])
  await waitFor('both notifications', () => new Set(heard).size === 2)
  assert.deepEqual([...new Set(heard)].sort(), ['deliveries_due ', 'orders_accepted 31337'])
  const deliveries = await fixture.db.query(`select status from deliveries where endpoint_id = 'we_1'`)
  assert.deepEqual(deliveries, [{ status: 'due' }])
  for (const stop of stops) await stop()
})
