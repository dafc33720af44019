// engine: postgres; both in test:long
/** What payers make of what a chain says about burns; the chain is scripted here, and real in test/settlement/false-burn.test.ts. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { ChainUnreadableError } from '../../src/chain-errors.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { createBurnWatches } from '../../src/payouts/burn-watches.ts'
import { type BurnTestimony, lookForBurns } from '../../src/payouts/burns.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { SILENT } from '../support/bank-setup.ts'
import { addBatchRow, someBatchId } from '../support/batch-rows.ts'
import { disbelieveBurns } from '../support/believed-burns.ts'
import { claimPayouts } from '../support/claim-payouts.ts'
import { CHAIN_ID, createOrdersFixture, type OrdersFixture, OTHER_CHAIN_ID } from '../support/orders.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'

let orders: OrdersFixture
before(async () => {
  orders = await createOrdersFixture()
  await disbelieveBurns(orders.db)
  orders.chain.balances.set(`${OTHER_CHAIN_ID} ${orders.walletAddress}`, 1_000_000_000n)
})
beforeEach(async () => {
  await orders.db.query('delete from payout_attempts')
  await orders.db.query('delete from payouts')
})
after(() => orders.close())

/** Redeems of one final batch, in its order, with their payouts. */
async function burn(count: number, { chainId = CHAIN_ID }: { chainId?: number } = {}) {
  const batchId = someBatchId()
  const placed: { orderId: bigint; amountMicro: bigint }[] = []
  for (let index = 0; index < count; index += 1) {
    const body = orders.redeemBody({ amountCoin: '12.34', chainId })
    await orders.call('redeem', body)
    const [row] = await withoutGuards(orders.db, (tx) =>
      tx.query<{ orderId: bigint; amountMicro: bigint }>(
        `update orders set status = 'processing', batch_id = $2, batch_index = $3, tx_hash = sha256('1'), block_number = 50
         where reference_id = $1 returning order_id as "orderId", amount_micro as "amountMicro"`,
        [String(body.referenceId), batchId, index],
      ),
    )
    if (row !== undefined) placed.push(row)
  }
  await addBatchRow(orders.db, { chainId, batchId, status: 'final', orderIds: placed.map(({ orderId }) => orderId) })
  const { customerId } = orders
  await orders.db.transaction((tx) =>
    queuePayouts(
      tx,
      placed.map((each) => ({ ...each, customerId })),
    ),
  )
  return { batchId, orderIds: placed.map(({ orderId }) => orderId) }
}

const payouts = async () =>
  await orders.db.query<{
    orderId: bigint
    payoutId: string
    status: string
    burn: string | null
    error: string | null
  }>(
    `select order_id as "orderId", payout_id as "payoutId", status, burn, last_error as error from payouts order by order_id`,
  )
const ALL = { result: 'executed', successBitmap: 2n ** 255n - 1n } as const

let counted: string[] = []
/** The instructions of the batches that the chain was asked about, by kind. */
let shown: string[][] = []
let isMore = false

/** One look, at a chain that says this of every batch. @returns the ids of the batches it was asked about */
async function look(said: BurnTestimony | Error, chainId = CHAIN_ID) {
  const asked: bigint[] = []
  counted = []
  shown = []
  const chain = {
    chainId,
    async witness(batches: readonly { batchId: bigint; instructions: readonly { direction: string }[] }[]) {
      shown.push(...batches.map(({ instructions }) => instructions.map(({ direction }) => direction)))
      asked.push(...batches.map(({ batchId }) => batchId))
      if (said instanceof Error) throw said
      return batches.map(() => said)
    },
  }
  const metrics = { looked: (result: string, count: number) => void counted.push(`${count} ${result}`) }
  isMore = await lookForBurns({ db: orders.db, chain, logger: SILENT as never, metrics })
  return asked
}

const claimed = async () => (await claimPayouts(orders.db, { rail: 'http', limit: 99, claimMs: 60_000 })).length

test('a batch is asked about once for all its payouts, and no rail before', async () => {
  const { batchId } = await burn(3)
  assert.equal(await claimed(), 0)
  assert.deepEqual(await look(ALL), [batchId])
  assert.deepEqual(await look(ALL), [])
  assert.deepEqual(
    (await payouts()).map(({ burn }) => burn),
    [0, 1, 2].map((index) => `${CHAIN_ID}/${batchId}/${index}`),
  )
  assert.equal(await claimed(), 3)
})

test('an instruction that failed on the chain pays nobody, and holds up none of its batch', async () => {
  const { batchId } = await burn(3)
  await look({ result: 'executed', successBitmap: 0b101n })
  assert.deepEqual(
    (await payouts()).map(({ status, error }) => [status, error]),
    [
      ['queued', null],
      ['held', `Instruction 1 of batch ${batchId} has failed on the chain.`],
      ['queued', null],
    ],
  )
  assert.deepEqual(counted, ['1 denied', '2 seen'])
  assert.equal(await claimed(), 2)
})

test('a place in a batch that is another order’s, or none, pays nobody', async () => {
  const { batchId, orderIds } = await burn(2)
  for (const [index, wrong] of [1, 7].entries()) {
    await withoutGuards(orders.db, (tx) =>
      tx.query('update orders set batch_index = $2 where order_id = $1', [orderIds[index] ?? 0n, wrong]),
    )
  }
  await look(ALL)
  assert.deepEqual(
    (await payouts()).map(({ error }) => error),
    [1, 7].map((index) => `Instruction ${index} of batch ${batchId} is not the burn of its redeem.`),
  )
})

test('a burn pays one payout, whatever is written about it', async () => {
  const { batchId } = await burn(1)
  await look(ALL)
  // Another order under the first one's place, as if the two had one name on the chain.
  const other = await burn(1)
  await withoutGuards(orders.db, async (tx) => {
    const second = other.orderIds[0] ?? 0n
    await tx.query('update batches set order_ids = array[$2::bigint] where batch_id = $1', [batchId, second])
    await tx.query('update orders set batch_id = $2 where order_id = $1', [second, batchId])
  })
  await look(ALL)
  const rows = await payouts()
  assert.deepEqual(
    rows.map(({ status, error }) => [status, error]),
    [
      ['queued', null],
      ['held', `Burn ${CHAIN_ID}/${batchId}/0 is that of ${rows[0]?.payoutId}.`],
    ],
  )
  assert.equal(await claimed(), 1)
})

test('a chain that does not answer holds up no payout of another', async () => {
  await burn(1)
  await burn(1, { chainId: OTHER_CHAIN_ID })
  await look(new ChainUnreadableError('nobody answers'))
  assert.deepEqual(counted, ['1 unknown'])
  await look(ALL, OTHER_CHAIN_ID)
  assert.deepEqual(
    (await payouts()).map(({ error }) => error),
    ['Its burn is not seen on the chain yet. The chain cannot be asked: nobody answers', null],
  )
  assert.equal(await claimed(), 1)
})

test('more than a round’s payouts and batches are looked at in rounds', async () => {
  const made = await Promise.all(Array.from({ length: 18 }, () => burn(1)))
  assert.deepEqual([(await look(ALL)).length, isMore], [16, true])
  assert.deepEqual([(await look(ALL)).length, isMore], [2, false])
  assert.equal(await claimed(), made.length)
})

test('a watch wakes the payer, and says which payouts wait for a chain that is not configured', async () => {
  await burn(1)
  await burn(1, { chainId: OTHER_CHAIN_ID })
  let woken = 0
  const errors: string[] = []
  const logger = { ...(SILENT as object), error: (_: object, message: string) => void errors.push(message) } as never
  const chains = [{ chainId: CHAIN_ID, witness: async (batches: readonly unknown[]) => batches.map(() => ALL) }]
  const onSeen = () => {
    woken += 1
  }
  const watches = createBurnWatches({ db: orders.db, chains, logger, onSeen, pollMs: 20 })
  watches.start()
  await waitFor('both to be looked at', async () => woken > 0 && errors.length > 0)
  await watches.stop()
  assert.deepEqual(errors, ['payouts wait: their chain is lost, or not in the chains file of this payer'])
  assert.deepEqual(
    (await payouts()).map(({ burn, error }) => [burn !== null, error !== null]),
    [
      [true, false],
      [false, true],
    ],
  )
})

test('a refused payout whose burn nobody has seen is not minted back until somebody has', async () => {
  await burn(1)
  const [row] = await payouts()
  const payoutId = row?.payoutId ?? ''
  await orders.db.query(`update payouts set status = 'rejected'`)
  const refund = () => orders.db.transaction((tx) => payoutAdmin.refund(tx, payoutId))
  assert.equal(await refund(), undefined)
  await look({ result: 'denied', reason: 'no' })
  assert.equal(await refund(), undefined)
  assert.deepEqual(await look(ALL), [], 'it is looked at again after an hour')
  await orders.db.query('update payouts set next_attempt_at = now()')
  await look(ALL)
  assert.equal((await refund())?.refundOrder, `refunds/${payoutId}`)
})

test('of a batch that others made, the chain is asked about what was read of it, and a burn alone pays', async () => {
  const [{ batchId, orderIds }, beside] = [await burn(2), await burn(1)]
  await withoutGuards(orders.db, async (tx) => {
    await tx.query(`update batches set is_foreign = true, order_ids = '{}' where batch_id = any ($1::bigint[])`, [
      [batchId, beside.batchId],
    ])
    // The second is no burn, though it is the order's in all else; the same ids on another chain are another's.
    await addBatchRow(tx, { chainId: OTHER_CHAIN_ID, batchId, status: 'final', minedBlock: 7n })
    for (const [chainId, id, index, orderId, direction] of [
      [CHAIN_ID, batchId, 0, orderIds[0], 'REDEEM'],
      [CHAIN_ID, batchId, 1, orderIds[1], 'TRANSFER'],
      [CHAIN_ID, beside.batchId, 0, beside.orderIds[0], 'REDEEM'],
      [OTHER_CHAIN_ID, batchId, 2, orderIds[0], 'MINT'],
    ] as const) {
      const [order] = await tx.query<{ integration_id: string; reference_id: string }>(
        'select integration_id, reference_id from orders where order_id = $1',
        [orderId ?? 0n],
      )
      const tag = orderTag(order?.integration_id ?? '', order?.reference_id ?? '')
      await tx.query(
        `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, debit_address, amount_micro, succeeded)
         select $2, $3, $4, $5, $6, wallet_address, debit_address, amount_micro, true from orders where order_id = $1`,
        [orderId ?? 0n, chainId, id, index, tag, direction],
      )
    }
  })
  assert.deepEqual((await look(ALL)).length, 2)
  assert.deepEqual(
    shown.toSorted((a, b) => b.length - a.length),
    [['REDEEM', 'TRANSFER'], ['REDEEM']],
  )
  assert.deepEqual(
    (await payouts()).map(({ status }) => status),
    ['queued', 'held', 'queued'],
  )
})

test('what has its id on another chain is another batch', async () => {
  const { batchId } = await burn(1)
  await addBatchRow(orders.db, {
    chainId: OTHER_CHAIN_ID,
    batchId,
    status: 'final',
    orderIds: [0n, 0n],
    isForeign: true,
  })
  await look(ALL)
  assert.deepEqual(shown, [['REDEEM']])
})
