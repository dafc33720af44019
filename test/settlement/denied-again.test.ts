// engine: postgres; both in test:long
/** An order whose batch was abandoned is judged again before it is signed again, and ends only when no batch with it can be executed. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { releaseOrder } from '../../src/orders/life/hold.sql.ts'
import { findOrder } from '../../src/orders/read/orders.sql.ts'
import { denyAddress } from '../../src/screening/denials.sql.ts'
import { rejectUnsettled } from '../../src/settlement/explain/reject.ts'
import { LISTED, ORACLE, placeOracle, say } from '../support/sanctions-oracle.ts'
import { wallet } from './fixture.ts'
import { PARTIES } from './parties.ts'
import { type Stepped, type SteppedChain, startStepped, useNonce } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2 })
})
after(() => chain.end())

const mint = (seed: number) => ({ direction: 'MINT', amountMicro: 5n, to: wallet(seed), party: PARTIES[1] }) as const
const heldOf = async (s: Stepped, orderId = 0n) =>
  (await s.db.query<{ reason: string }>('select reason from order_holds where order_id = $1', [orderId]))[0]?.reason
const inBatch = async (s: Stepped, orderId = 0n) =>
  (await s.db.query('select batch_id from signed_orders where order_id = $1', [orderId]))[0]?.batch_id

async function begin(options: Parameters<SteppedChain['begin']>[0] = {}): Promise<Stepped> {
  const s = await chain.begin(options)
  await s.db.query('delete from screening_denials')
  return s
}

/** An order that was signed; when the next block is deep enough, its batch is abandoned. */
async function placeLost(s: Stepped, seed = 1): Promise<bigint> {
  const [order = 0n] = await s.place(mint(seed))
  await s.round()
  assert.notEqual(await inBatch(s, order), undefined)
  const { signer = '', nonce = 0n } = (await s.batches()).at(-1) ?? {}
  await useNonce(s, signer, nonce)
  await s.mine(2)
  return order
}

async function reject(s: Stepped, orderId: bigint): Promise<string> {
  const [name] = await s.db.query<{ integration_id: string; reference_id: string }>(
    'select integration_id, reference_id from orders where order_id = $1',
    [orderId],
  )
  const order = await findOrder(s.db, name?.integration_id ?? '', name?.reference_id ?? '')
  assert.ok(order)
  return await s.db.transaction((tx) => rejectUnsettled(tx, order, []))
}

const DENIALS = {
  wallet_denied: (s: Stepped) => s.db.transaction((tx) => denyAddress(tx, wallet(1))),
  customer_suspended: ({ db }: Stepped) =>
    db.query(
      `update customers set verification_status = 'SUSPENDED', verified_at = null where customer_id = '${PARTIES[1].customerId}'`,
    ),
  integration_suspended: ({ db }: Stepped) =>
    db.query(`update integrations set status = 'suspended' where integration_id = '${PARTIES[1].integrationId}'`),
}

for (const [reason, deny] of Object.entries(DENIALS)) {
  test(`${reason}: what was signed in a batch that was abandoned is not signed again, and says why; the others go on`, async () => {
    const s = await begin()
    const order = await placeLost(s)
    await deny(s)
    const [other] = await s.place({ ...mint(2), party: PARTIES[0] })
    await s.round()
    assert.deepEqual(
      [await s.stateOf(order), await heldOf(s, order), await inBatch(s, order)],
      ['processing/SUBMITTED', reason, null],
    )
    assert.notEqual(await inBatch(s, other), null)
    await s.forget()
    await s.mine()
    await s.round()
    assert.equal(await inBatch(s, order), null)
  })
}

test('what the oracle lists by now is held likewise, and released it is signed again', async () => {
  const s = await begin({ config: { sanctionsOracle: ORACLE } })
  await placeOracle(s.rpc)
  await s.mine()
  const order = await placeLost(s)
  await say(s.rpc, wallet(1), LISTED)
  await s.mine()
  await s.round()
  assert.deepEqual([await s.stateOf(order), await heldOf(s, order)], ['processing/SUBMITTED', 'wallet_sanctioned'])
  await say(s.rpc, wallet(1), 0)
  await s.mine()
  assert.ok(await s.db.transaction((tx) => releaseOrder(tx, order)))
  await s.round()
  assert.notEqual(await inBatch(s, order), null)
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
})

test('a denial while it is simulated and signed again keeps it from being stored', async () => {
  let isAgain = false
  const s: Stepped = await begin({
    onStep: async (step) => {
      if (step === 'batch-signed' && isAgain) await DENIALS.wallet_denied(s)
    },
  })
  const order = await placeLost(s)
  isAgain = true
  await s.round()
  assert.deepEqual([await heldOf(s, order), await inBatch(s, order)], ['wallet_denied', null])
  assert.equal(s.sent.length, 1)
})

test('it is rejected only when another batch is final under the id of its own, gives back what it took, and its partner is told', async () => {
  const s = await begin()
  const order = await placeLost(s)
  await DENIALS.wallet_denied(s)
  await s.round()
  assert.equal(await heldOf(s, order), 'wallet_denied')
  assert.equal(await reject(s, order), 'abandoned')
  const [other] = await s.place({ ...mint(2), party: PARTIES[0] })
  await s.round()
  assert.equal(await reject(s, order), 'abandoned', 'signed')
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(other), 'processing/CONFIRMING')
  assert.equal(await reject(s, order), 'abandoned', 'mined')
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(other), 'completed/COMPLETED')
  assert.equal(await reject(s, order), 'rejected')
  assert.equal(await s.stateOf(order), 'failed/FAILED')
  assert.deepEqual([await heldOf(s, order), await inBatch(s, order)], [undefined, undefined])
  const events = await s.db.query(
    `select type from events join orders using (integration_id, reference_id) where order_id = $1`,
    [order],
  )
  assert.deepEqual(events, [{ type: 'mint.failed' }])
})
