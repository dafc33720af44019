// engine: postgres; both in test:long
/** What concurrent requests must never do, on both engines. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { recordAnswer } from '../../src/orders/accept/advance.sql.ts'
import type { Caller } from '../../src/orders/accept/call.ts'
import { existingOrder } from '../support/decisions.ts'
import { createOrdersFixture, MICRO, type OrdersFixture } from '../support/orders.ts'

for (const engine of ['pglite', 'postgres'] as const) {
  describe(`concurrent requests on ${engine}`, () => {
    let fixture: OrdersFixture
    before(async () => {
      fixture = await createOrdersFixture(engine)
    })
    after(() => fixture.close())

    const times = <T>(count: number, make: (index: number) => Promise<T>) =>
      Promise.all(Array.from({ length: count }, (_, index) => make(index)))

    const scalar = async (text: string, ...params: (string | bigint)[]) => {
      const [row] = await fixture.db.query<{ value: bigint }>(text, params)
      return row?.value
    }

    test('fifty equal posts make one order and one answer', async () => {
      for (const [operation, body] of [
        ['mint', fixture.mintBody({ fiatConfirmed: true })],
        ['redeem', fixture.redeemBody()],
        ['transfer', fixture.transferBody()],
      ] as const) {
        const idempotencyKey = `fifty-${operation}`
        const answers = await times(50, () => fixture.call(operation, body, { idempotencyKey }))
        assert.equal(new Set(answers.map((answer) => answer.body)).size, 1)
        assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [201])
        assert.equal(answers.filter((answer) => !answer.replay).length, 1)
        const orders = 'select count(*) as value from orders where reference_id = $1'
        assert.equal(await scalar(orders, String(body.referenceId)), 1n)
        const events =
          'select count(*) as value from events join orders using (integration_id, reference_id) where reference_id = $1'
        assert.equal(await scalar(events, String(body.referenceId)), operation === 'transfer' ? 0n : 1n)
      }
      assert.equal(await scalar('select earmarked_micro as value from wallet_earmarks'), 200n * MICRO)
      assert.equal(await scalar('select committed_micro as value from transfer_usage'), 100n * MICRO)
      assert.equal(await scalar('select committed_micro as value from withdrawal_usage'), 100n * MICRO)
    })

    test('one reference under many keys is one order', async () => {
      const body = fixture.redeemBody()
      const answers = await times(20, () => fixture.call('redeem', body))
      assert.equal(new Set(answers.map((answer) => answer.body)).size, 1)
      assert.equal(
        await scalar('select count(*) as value from orders where reference_id = $1', String(body.referenceId)),
        1n,
      )
    })

    test('one key for many bodies is one order', async () => {
      const results = await times(20, () => fixture.attempt('mint', fixture.mintBody(), { idempotencyKey: 'one-key' }))
      assert.equal(results.filter(({ answer }) => answer?.status === 201).length, 1)
      assert.equal(results.filter(({ code }) => code === 'IDEMPOTENCY_CONFLICT').length, 19)
    })

    test('of many equal posts about an order that exists, one is first and the others repeat its answer', async () => {
      const body = fixture.mintBody()
      await fixture.call('mint', body)
      const confirmation = { ...body, fiatConfirmed: true }
      for (const [name, again] of Object.entries({ repeat: body, confirm: confirmation, 'repeat-confirmed': body })) {
        const answers = await times(100, () => fixture.call('mint', again, { idempotencyKey: `again-${name}` }))
        assert.equal(new Set(answers.map((answer) => answer.body)).size, 1)
        assert.equal(answers.filter((answer) => !answer.replay).length, 1)
      }
    })

    test('who remembers an answer under a key in the very instant of another one has lost a race', async () => {
      const caller = { integrationId: 'int_any' } as Caller
      const call = { caller, idempotencyKey: 'same-instant', fingerprint: 'ab'.repeat(32) }
      const record = (tx: Queryable) => recordAnswer(tx, call, existingOrder({}), { status: 201, body: '{}' })
      // All statements of a transaction have its instant.
      await assert.rejects(
        fixture.db.transaction(async (tx) => {
          assert.deepEqual(await record(tx), { lost: false, deliveriesDue: false })
          assert.deepEqual(await record(tx), { lost: true })
          throw new Error('undone')
        }),
        { message: 'undone' },
      )
    })

    test('forty transfers against a cap for ten pass exactly ten', async () => {
      const committed = (await scalar('select committed_micro as value from transfer_usage')) ?? 0n
      const caller = { transferDayCapMicro: committed + 1_000n * MICRO }
      const results = await times(40, () => fixture.attempt('transfer', fixture.transferBody(), { caller }))
      assert.equal(results.filter(({ answer }) => answer !== undefined).length, 10)
      assert.equal(results.filter(({ code }) => code === 'TRANSFER_DAILY_CAP_EXCEEDED').length, 30)
      assert.equal(await scalar('select committed_micro as value from transfer_usage'), caller.transferDayCapMicro)
    })

    const counted = async (keyId: string) =>
      (await scalar('select sum(committed_micro)::bigint as value from mint_usage where key_id = $1', keyId)) ?? 0n
    const NEIGHBOUR = 'feedfeedfeedfeed'

    test('sixty mints and confirmations of one key against a cap for ten pass exactly ten', async () => {
      const { keyId } = fixture.caller
      const caller = { mintDayCapMicro: 1_000n * MICRO }
      const bodies = await times(60, async (index) => {
        const body = fixture.mintBody({ amountMyr: '100' })
        if (index % 2 === 0) await fixture.call('mint', body, { caller })
        return { ...body, referenceId: String(body.referenceId), fiatConfirmed: true }
      })
      assert.equal(await counted(keyId), 0n, 'what waits for its payment takes nothing')
      await fixture.call('mint', fixture.mintBody({ fiatConfirmed: true }), { caller: { ...caller, keyId: NEIGHBOUR } })
      const results = await Promise.all(bodies.map((body) => fixture.attempt('mint', body, { caller })))
      assert.equal(results.filter(({ answer }) => answer !== undefined).length, 10)
      const refused = results.filter(({ code }) => code === 'POLICY_REJECTED')
      assert.deepEqual(
        refused.map(({ meta }) => meta),
        Array(50).fill({ reason: 'mint_day_cap', capMyr: '1000', committedMyr: '1000' }),
      )
      assert.equal(await counted(keyId), caller.mintDayCapMicro)
      assert.equal(await counted(NEIGHBOUR), 100n * MICRO)
      const [left] = await fixture.db.query<{ waiting: bigint; stored: bigint }>(
        `select count(*) filter (where status = 'payment_pending' and mint_cap_key_id is null) as waiting,
           count(*) filter (where status = 'pending' and mint_cap_key_id = $1
             and mint_cap_day = (now() at time zone 'UTC')::date) as stored
         from orders where reference_id = any ($2::text[])`,
        [keyId, bodies.map(({ referenceId }) => referenceId)],
      )
      const unconfirmed = results.filter(({ answer }, index) => answer === undefined && index % 2 === 0)
      assert.deepEqual([left?.waiting, left?.stored], [BigInt(unconfirmed.length), 10n])
    })

    test('a key and the one that replaced it mint one cap a day together', async () => {
      const first = { mintDayCapMicro: 1_000n * MICRO, keyId: 'aaaa000000000001' }
      const second = { ...first, keyId: 'aaaa000000000002', capKeyId: first.keyId }
      const results = await times(30, (index) =>
        fixture.attempt('mint', fixture.mintBody({ amountMyr: '100', fiatConfirmed: true }), {
          caller: index % 2 === 0 ? first : second,
        }),
      )
      assert.equal(results.filter(({ answer }) => answer !== undefined).length, 10)
      assert.deepEqual([await counted(first.keyId), await counted(second.keyId)], [first.mintDayCapMicro, 0n])
      const last = await fixture.attempt('mint', fixture.mintBody({ amountMyr: '1', fiatConfirmed: true }), {
        caller: second,
      })
      assert.deepEqual(last.meta, { reason: 'mint_day_cap', capMyr: '1000', committedMyr: '1000' })
    })

    test('a key and the one that replaced it transfer one cap a day together', async () => {
      const first = { transferDayCapMicro: 1_000n * MICRO, keyId: 'aaaa000000000003' }
      const second = { ...first, keyId: 'aaaa000000000004', capKeyId: first.keyId }
      const results = await times(30, (index) =>
        fixture.attempt('transfer', fixture.transferBody(), { caller: index % 2 === 0 ? first : second }),
      )
      assert.equal(results.filter(({ answer }) => answer !== undefined).length, 10)
      const usage = await fixture.db.query<{ key_id: string; committed_micro: bigint }>(
        `select key_id, committed_micro from transfer_usage where key_id = any ($1::text[])`,
        [[first.keyId, second.keyId]],
      )
      assert.deepEqual(usage, [{ key_id: first.keyId, committed_micro: first.transferDayCapMicro }])
    })

    test('twelve redeems against a balance for six pass exactly six', async () => {
      const earmarked = (await scalar('select earmarked_micro as value from wallet_earmarks')) ?? 0n
      fixture.chain.balanceMicro = earmarked + 650n * MICRO
      const results = await times(12, () => fixture.attempt('redeem', fixture.redeemBody()))
      assert.equal(results.filter(({ answer }) => answer !== undefined).length, 6)
      const refused = results.filter(({ code }) => code === 'INSUFFICIENT_BALANCE')
      assert.equal(refused.length, 6)
      assert.deepEqual([...new Set(refused.map(({ meta }) => meta?.walletBalanceCoin))], ['50'])
      assert.equal(await scalar('select earmarked_micro as value from wallet_earmarks'), earmarked + 600n * MICRO)
    })

    test('redeems and transfers of one wallet share its balance', async () => {
      const earmarked = (await scalar('select earmarked_micro as value from wallet_earmarks')) ?? 0n
      fixture.chain.balanceMicro = earmarked + 500n * MICRO
      const results = await times(16, (index) =>
        index % 2 === 0
          ? fixture.attempt('redeem', fixture.redeemBody())
          : fixture.attempt('transfer', fixture.transferBody()),
      )
      assert.equal(results.filter(({ answer }) => answer !== undefined).length, 5)
      fixture.chain.balanceMicro = 1_000_000n * MICRO
    })

    test('redeems above the monthly limit never pass together', async () => {
      const used = (await scalar('select committed_micro as value from withdrawal_usage')) ?? 0n
      await fixture.db.query('update customers set monthly_cap_micro = $2 where customer_id = $1', [
        fixture.customerId,
        used + 300n * MICRO,
      ])
      const results = await times(15, () => fixture.attempt('redeem', fixture.redeemBody()))
      assert.equal(results.filter(({ answer }) => answer !== undefined).length, 3)
      assert.equal(results.filter(({ code }) => code === 'MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED').length, 12)
      await fixture.db.query('update customers set monthly_cap_micro = $2 where customer_id = $1', [
        fixture.customerId,
        10n ** 15n,
      ])
    })

    test('confirming and cancelling at once has exactly one winner', async () => {
      await times(20, async () => {
        const body = fixture.mintBody()
        const referenceId = String(body.referenceId)
        await fixture.call('mint', body)
        const [confirmed, cancelled] = await Promise.all([
          fixture.attempt('mint', { ...body, fiatConfirmed: true }),
          fixture.attempt('cancelMint', {}, { referenceId }),
        ])
        const [row] = await fixture.db.query<{ status: string; events: bigint }>(
          `select o.status, (select count(*) from events e where e.integration_id = o.integration_id and e.reference_id = o.reference_id) as events
           from orders o where o.reference_id = $1`,
          [referenceId],
        )
        const told = JSON.parse(confirmed.answer?.body ?? '{}').status
        if (row?.status === 'pending') {
          assert.deepEqual([told, cancelled.code, row.events], ['pending', 'ORDER_NOT_CANCELLABLE', 1n])
        } else {
          assert.deepEqual([row?.status, told, row?.events], ['cancelled', 'cancelled', 0n])
          assert.equal(JSON.parse(cancelled.answer?.body ?? '{}').status, 'cancelled')
        }
      })
    })

    test('earmarks that settlement changed after the facts were read are read again', async () => {
      const [earmark] = await fixture.db.query<{ earmarked_micro: bigint }>(
        'select earmarked_micro from wallet_earmarks',
      )
      const earmarked = earmark?.earmarked_micro ?? 0n
      fixture.chain.balanceMicro = earmarked + 100n * MICRO
      const blocks: bigint[] = []
      fixture.chain.afterBalance = async (blockNumber) => {
        blocks.push(blockNumber)
        if (blocks.length > 1) return
        // A batch with everything that was earmarked is mined in block 8.
        await fixture.db.query('update chains set observed_block = 8')
        await fixture.db.query(
          'update wallet_earmarks set earmarked_micro = 0, epoch = epoch + 1, facts_epoch = epoch + 1, balance_micro = null',
        )
        fixture.chain.balanceMicro = 50n * MICRO
      }
      const { code, meta } = await fixture.attempt('redeem', fixture.redeemBody())
      fixture.chain.afterBalance = async () => {}
      assert.deepEqual(blocks, [7n, 8n])
      assert.deepEqual([code, meta?.walletBalanceCoin], ['INSUFFICIENT_BALANCE', '50'])
      assert.equal(await scalar('select earmarked_micro as value from wallet_earmarks'), 0n)
      assert.equal((await fixture.attempt('redeem', fixture.redeemBody({ amountCoin: '50' }))).code, undefined)
    })

    test('one that loses races beside a slow chain is told to come back after ten seconds, and nothing of it is recorded', async () => {
      fixture.chain.balanceMicro = 1_000n * MICRO
      const [body, idempotencyKey] = [fixture.transferBody({ amountCoin: '1' }), 'slow-and-lost']
      let reads = 0
      fixture.chain.afterBalance = async () => {
        reads += 1
        fixture.chain.aheadMs += 3_000
        await fixture.db.query(
          'update wallet_earmarks set epoch = epoch + 1, facts_epoch = epoch + 1, balance_micro = null',
        )
      }
      const { code } = await fixture.attempt('transfer', body, { idempotencyKey })
      fixture.chain.afterBalance = async () => {}
      assert.deepEqual([code, reads], ['SERVICE_UNAVAILABLE', 4])
      assert.equal(
        await scalar('select count(*) as value from orders where reference_id = $1', String(body.referenceId)),
        0n,
      )
      const { answer } = await fixture.attempt('transfer', body, { idempotencyKey })
      assert.deepEqual([answer?.status, answer?.replay], [201, false])
    })

    test('one that loses for ten seconds to itself, sent once more, repeats its answer', async () => {
      const [body, idempotencyKey] = [fixture.transferBody({ amountCoin: '1' }), 'slow-and-sent-again']
      let again: Awaited<ReturnType<typeof fixture.attempt>> | undefined
      fixture.chain.afterBalance = async () => {
        fixture.chain.afterBalance = async () => {}
        again = await fixture.attempt('transfer', body, { idempotencyKey })
        fixture.chain.aheadMs += 11_000
      }
      const { answer } = await fixture.attempt('transfer', body, { idempotencyKey })
      assert.deepEqual([again?.answer?.status, again?.answer?.replay], [201, false])
      assert.deepEqual([answer?.status, answer?.replay, answer?.body], [201, true, again?.answer?.body])
    })
  })
}
