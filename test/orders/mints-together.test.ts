// engine: postgres; both in test:long
/** Mints posted at the same time share round trips and nothing else, on both engines. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createOrdersFixture, type OrdersFixture } from '../support/orders.ts'

for (const engine of ['pglite', 'postgres'] as const) {
  describe(`mints together on ${engine}`, () => {
    let fixture: OrdersFixture
    before(async () => {
      fixture = await createOrdersFixture(engine)
      await fixture.db.query(
        `insert into webhook_endpoints (endpoint_id, integration_id, url, secret_encrypted)
         values ('we_1', $1, 'https://x', 'sb1.s')`,
        [fixture.integrationId],
      )
    })
    after(() => fixture.close())

    const rowsOf = (references: string[]) =>
      fixture.db.query(
        `select o.reference_id, o.status, k.order_id = o.order_id as own_key, k.first_answer, e.amount_micro as told_micro, e.type, d.status as delivery
         from orders o left join events e using (integration_id, reference_id) left join deliveries d using (event_id)
         left join idempotency_keys k on k.idempotency_key = o.reference_id
         where o.reference_id = any ($1) order by array_position($1, o.reference_id)`,
        [references],
      )

    test('each of many gets its own order, answer, event and delivery', async () => {
      const bodies = Array.from({ length: 250 }, (_, n) =>
        fixture.mintBody({ fiatConfirmed: n % 3 !== 0, amountMyr: String(n + 1), bankReference: `"{\\,${n}'` }),
      )
      const answers = await Promise.all(
        bodies.map((body) => fixture.call('mint', body, { idempotencyKey: String(body.referenceId) })),
      )
      const rows = await rowsOf(bodies.map(({ referenceId }) => String(referenceId)))
      assert.equal(rows.length, bodies.length)
      for (const [n, row] of rows.entries()) {
        const confirmed = n % 3 !== 0
        assert.deepEqual([row.own_key, row.first_answer], [true, row.status])
        assert.equal(row.status, confirmed ? 'pending' : 'payment_pending')
        assert.deepEqual([row.type, row.delivery], confirmed ? ['mint.pending', 'due'] : [null, null])
        const { amounts } = JSON.parse(answers[n]?.body ?? '') as { amounts: { myr: string } }
        assert.equal(amounts.myr, String(n + 1))
        if (confirmed) assert.equal(row.told_micro, BigInt(n + 1) * 1_000_000n)
      }
    })

    test('nobody is affected by a neighbour that is refused, repeated or in conflict', async () => {
      const shared = fixture.mintBody()
      const tries = Array.from({ length: 90 }, (_, n) => {
        if (n % 9 === 0) return fixture.attempt('mint', shared)
        if (n % 9 === 1) return fixture.attempt('mint', fixture.mintBody(), { idempotencyKey: `taken-${engine}` })
        if (n % 9 === 2)
          return fixture.attempt('mint', fixture.mintBody({ customerId: 'cus_0123456789abcdef01234567' }))
        return fixture.attempt('mint', fixture.mintBody())
      })
      const codes = (await Promise.all(tries)).map(({ answer, code }) => answer?.status ?? code)
      for (const [n, code] of codes.entries()) {
        if (n % 9 === 2) assert.equal(code, 'NOT_FOUND')
        else if (n % 9 !== 1) assert.equal(code, 201)
      }
      const keyed = codes.filter((_code, n) => n % 9 === 1)
      assert.deepEqual(keyed.toSorted(), [201, ...Array(9).fill('IDEMPOTENCY_CONFLICT')])
      assert.equal((await rowsOf([String(shared.referenceId)])).length, 1)
    })
  })
}
