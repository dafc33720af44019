// engine: postgres
/** Orders of the house that two transactions begin at the same time with the login of an operators' process: neither sees the other's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROLES } from '../../src/config.ts'
import { type Queryable, violatedConstraint } from '../../src/db/database.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { insertRefund } from '../../src/orders/life/refund.sql.ts'
import { insertRemint } from '../../src/orders/life/remint.sql.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { addChain, addOrder, addParty, addPayout } from '../operator/world.ts'
import { asRole, createTestDatabase } from '../support/database.ts'
import { waitsOrEnds } from '../support/waits-or-ends.ts'
import { withoutGuards } from '../support/without-guards.ts'

const CHAIN = 31_337

test('coin is minted back, or again, by one of them', async (t) => {
  const db = await createTestDatabase()
  await applyGrants(db, ROLES, false)
  const thief = await asRole(db, 'operator')
  t.after(async () => {
    await thief.close()
    await db.close()
  })
  await addChain(db, CHAIN, 90n)
  const party = await addParty(db)
  const of = { chainId: CHAIN, amountMicro: 1_000_000n } as const
  const redeem = await addOrder(db, party, { ...of, direction: 'REDEEM', state: 'payoutPending' })
  const payoutId = await addPayout(db, { ...party, orderId: redeem, amountSen: 100n, status: 'rejected' })
  const lost = await addOrder(db, party, { ...of, direction: 'MINT', state: 'completed', referenceId: 'mint-lost' })
  const tag = orderTag(party.integrationId, 'mint-lost')
  await withoutGuards(db, async (tx) => {
    await tx.query('update payouts set refunds = 1')
    await tx.query(
      `insert into lost_orders (order_id, chain_id, batch_id, remint) select order_id, chain_id, batch_id, $2 from orders
       where order_id = $1`,
      [lost, tag],
    )
  })

  /** By what the second one is refused. */
  async function atOnce(first: (tx: Queryable) => Promise<void>, second: (tx: Queryable) => Promise<void>) {
    let other: Promise<string | undefined> | undefined
    await thief.transaction(async (tx) => {
      await first(tx)
      other = thief.transaction(second).then(
        () => undefined,
        (error: unknown) => violatedConstraint(error),
      )
      await waitsOrEnds(db, other)
    })
    return await other
  }
  const back = (name: string) => (tx: Queryable) =>
    insertRefund(tx, { redeemOrderId: redeem, name, amountMicro: 1_000_000n })
  assert.equal(
    await atOnce(back(payoutId), async (tx) => {
      await tx.query('update payouts set refunds = 2')
      await back(`${payoutId}/2`)(tx)
    }),
    'orders_of_house_begin',
  )
  const again = (name: string) => (tx: Queryable) => insertRemint(tx, lost, name)
  assert.equal(
    await atOnce(again(tag), async (tx) => {
      await tx.query('update lost_orders set remint = $1', [`${tag}/2`])
      await again(`${tag}/2`)(tx)
    }),
    'remints_begin',
  )
})
