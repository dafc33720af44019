// engine: postgres
/** The orders of a customer are found among all others, however many there are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readKept } from '../../src/operator/customer-export.sql.ts'
import { createTestDatabase } from '../support/database.ts'
import { indexConditionsIn, listeningTo } from '../support/rival-plans.ts'

test('no statement reads all orders of everybody', async (t) => {
  const db = await createTestDatabase({ engine: 'postgres' })
  t.after(() => db.close())
  const far = [1, 499_999, 500_000, 500_001, 1_200_000, 1_700_000]
  await db.query(
    `insert into orders (order_id, integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address, customer_id,
       key_id, amount_micro)
     overriding system value
     select n, 'int_1', 'reference-' || n, 'MINT', 'pending', 1, 'Test', '0x1', '0x' || repeat('2', 40), case n when 500000 then 'cus_2' else 'cus_1' end, 'key', 1000000
     from unnest($1::bigint[]) n`,
    [far],
  )
  const texts = new Set<string>()
  const { orders, isWhole } = await readKept(
    listeningTo(db, (text) => void texts.add(text)),
    'cus_1',
  )
  assert.deepEqual(
    orders.map(({ referenceId }) => referenceId),
    [1_700_000, 1_200_000, 500_001, 499_999, 1].map((n) => `reference-${n}`),
  )
  assert.ok(isWhole)
  for (const text of texts) {
    if (!/from orders where customer_id/.test(text)) continue
    assert.deepEqual(await indexConditionsIn(db, text, 'orders'), ['((order_id >= $2) AND (order_id <= $3))'])
  }
  const nobody = await readKept(db, 'cus_3')
  assert.deepEqual(nobody.orders, [])
})
