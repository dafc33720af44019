// engine: postgres; both in test:long
/** What partners wait for is planned once, not at each call: planning takes several times as long as the statements themselves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOrderFinder } from '../../src/orders/read/finder.ts'
import { claimDue } from '../../src/webhooks/queue/queue.sql.ts'
import { createTestDatabase } from '../support/database.ts'
import { createOrdersFixture } from '../support/orders.ts'

/** After five plans for what was asked PostgreSQL decides whether one for everything is as good. */
const TRIED = 5n
const TIMES = 12

const CLAIM = {
  now: null,
  limit: 4,
  perEndpoint: 4,
  inFlight: new Map([['we_1', 1]]),
  slowEndpoints: ['we_2'],
  slowLimit: 1,
  claimMs: 1_000,
}

test('accepting and finding orders one by one, and claiming deliveries', async (t) => {
  // Plans belong to connections.
  const db = await createTestDatabase({ engine: 'postgres', poolSize: 1 })
  t.after(() => db.close())
  const fixture = await createOrdersFixture('postgres', db)
  const { call, mintBody, redeemBody, transferBody, integrationId } = fixture
  const find = createOrderFinder(db)
  for (let time = 0; time < TIMES; time += 1) {
    const mint = mintBody({ fiatConfirmed: true, amountMyr: '1' })
    await call('mint', mint)
    // One that counts towards a cap reads its facts first.
    await call('mint', mintBody({ fiatConfirmed: true, amountMyr: '1' }), { caller: { mintDayCapMicro: 10n ** 12n } })
    await call('redeem', redeemBody({ amountCoin: '1' }))
    await call('transfer', transferBody({ amountCoin: '1' }))
    assert.equal((await find(integrationId, String(mint.referenceId)))?.status, 'pending')
    await claimDue(db, CLAIM)
  }
  const rows = await db.query<{ statement: string; custom_plans: bigint; calls: bigint }>(
    'select statement, custom_plans, custom_plans + generic_plans as calls from pg_prepared_statements',
  )
  const often = rows.filter(({ calls }) => calls >= BigInt(TIMES - 1))
  assert.deepEqual(
    often.filter((row) => row.custom_plans > TRIED).map(({ statement }) => statement.slice(0, 200)),
    [],
  )
  // Three kinds of facts and of records, the record of usual mints, one look-up, one claim.
  assert.ok(often.length >= 9, `${often.length} statements`)
})
