// engine: postgres
/** What somebody with the settler's login writes about burns, and what the payer sees of them on a real chain. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Hex, zeroAddress } from 'viem'
import { readContractHead } from '../../src/chain/batch-reads.ts'
import { type Chain, connectChain } from '../../src/chain/chain.ts'
import { digestOf, encodeSettle, instructionOf, KIND, packInstructions } from '../../src/chain/instructions.ts'
import { connectNode } from '../../src/chain/node.ts'
import { createWitness } from '../../src/chain/witness.ts'
import { ROLES } from '../../src/config.ts'
import { groupOf } from '../../src/db/access.sql.ts'
import type { Database, Queryable } from '../../src/db/database.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { submitOrders } from '../../src/orders/life/signed.sql.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { type BurnDeps, lookForBurns } from '../../src/payouts/burns.ts'
import { decideBatch } from '../../src/payouts/decide-batch.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import type { Settler } from '../../src/settlement/settler.ts'
import { insertBatch, markFinal, markMined } from '../../src/settlement/tables/batches.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { type FaultyRpc, startFaultyRpc } from '../support/faulty-rpc.ts'
import { payDue } from '../support/pay-due.ts'
import { waitFor } from '../support/wait-for.ts'
import { account, linkOf, silent, wallet } from './fixture.ts'
import { restoreOldBackup } from './restore.ts'
import { QUICK, type Scenario, startScenario } from './scenario.ts'

const HOLDER = wallet(1)
const AMOUNT = 12_340_000n
const AWAY = 'http://127.0.0.1:9'

let s: Scenario
let node: FaultyRpc
let settler: Settler
let mining: NodeJS.Timeout
/** Whether the nodes of the payer answer. */
let isAway = false
let looks: string[] = []
const paid: string[] = []
const rail = {
  name: 'rail',
  async initiate({ payoutId }: { payoutId: string }) {
    paid.push(payoutId)
    return { result: 'accepted', railReference: 'R' } as const
  },
}

before(async () => {
  s = await startScenario({ engine: 'postgres', config: { confirmations: 2 } })
  await applyGrants(s.db, ROLES, false)
  node = await startFaultyRpc(s.rpcUrl, () => (isAway ? { kind: 'refuse' } : { kind: 'none' }))
  mining = setInterval(() => void s.mine().catch(() => {}), 100)
  await s.chain.admin.linkWallet(linkOf(HOLDER))
  settler = await s.settle({ holder: 'settler', times: QUICK })
  const [mint] = await s.place({ direction: 'MINT', amountMicro: 1_000_000_000n, to: HOLDER })
  await s.until(mint, 'completed')
})
after(async () => {
  clearInterval(mining)
  await node.close()
  await s.end()
})

const redeem = async () => (await s.place({ direction: 'REDEEM', amountMicro: AMOUNT, from: HOLDER }))[0] ?? 0n

/** The payer's own eyes: connections of its own, to a node that may be away. */
function eyes(changes: Partial<Chain['config']> = {}): BurnDeps['chain'] {
  const { config, nodes } = connectChain({ ...s.config, rpcUrls: [node.url], ...changes }, { db: s.db, logger: silent })
  return { chainId: config.chainId, witness: createWitness(config, nodes) }
}

/** One look and one round of payments. @returns the payouts that the rail was asked to pay */
async function pay({ db = s.db, chain = eyes() }: { db?: Database; chain?: BurnDeps['chain'] } = {}) {
  const before = paid.length
  looks = []
  const metrics = { looked: (result: string, payouts: number) => void looks.push(`${payouts} ${result}`) }
  await s.db.query(`update payouts set next_attempt_at = now() where status = 'queued'`)
  while (await lookForBurns({ db, chain, logger: silent, metrics, againMs: 60_000 }));
  while ((await payDue({ db, rail, secrets: TEST_SECRETS, logger: silent })) > 0);
  return paid.slice(before)
}

async function payoutOf(orderId: bigint) {
  const [row] = await s.db.query<{ payout_id: string }>('select payout_id from payouts where order_id = $1', [orderId])
  const payout = await findPayout(s.db, row?.payout_id ?? '')
  assert.ok(payout)
  return payout
}

/** What the settler would write of a batch of one burn that is final, written with its login. */
async function lie(orderId: bigint, batchId: bigint): Promise<void> {
  const { chainId } = s.config
  const [order] = await s.db.query<{
    integrationId: string
    referenceId: string
    walletAddress: string
    debitAddress: string
  }>(
    `select integration_id as "integrationId", reference_id as "referenceId", wallet_address as "walletAddress",
       debit_address as "debitAddress" from orders where order_id = $1`,
    [orderId],
  )
  assert.ok(order)
  const digest = digestOf(packInstructions([instructionOf({ ...order, direction: 'REDEEM', amountMicro: AMOUNT })]))
  const batch = { chainId, batchId, signer: '0x51', nonce: 10_000n + batchId, fencingToken: 1n }
  const block = await s.rpc('eth_blockNumber')
  await s.db.transaction(async (tx: Queryable) => {
    await tx.query(`set local role ${groupOf('settler')}`)
    await insertBatch(tx, { ...batch, digest, runningHash: '0xd2', orderIds: [orderId], txHash: '0xfa15e' })
    await submitOrders(tx, { chainId, batchId })
    const place = { batchId, blockNumber: BigInt(block as Hex) - 1n, blockHash: '0xb1', txHash: `0x${'f'.repeat(64)}` }
    await markMined(tx, chainId, place)
    await markFinal(tx, chainId, batchId, 1n)
    await decideBatch(
      tx,
      { chainId, batchId, orderIds: [orderId], successBitmap: 1n, reasons: new Map() },
      { source: `batch/${chainId}/${batchId}`, effectiveAt: new Date() },
    )
  })
}

/** A batch of somebody else with a signing key. */
async function settleElsewhere(batchId: bigint): Promise<void> {
  const { runningHash } = await readContractHead(connectNode(s.rpcUrl), s.config, 'latest')
  const nothing = { kind: KIND.MINT, from: zeroAddress, to: HOLDER, amount: 0n, tag: '0x0000000000000001' } as const
  const data = encodeSettle(batchId, runningHash, packInstructions([nothing]))
  const from = account('second').address
  const hash = await s.rpc('eth_sendTransaction', { from, to: s.config.settlement, data, gas: '0x4c4b40' })
  await waitFor('its receipt', async () => (await s.rpc('eth_getTransactionReceipt', hash)) !== null)
}

const lastBatch = async () =>
  (await s.db.query<{ last: bigint }>('select next_batch_id - 1 as last from chains where chain_id = 31337'))[0]?.last

test('a burn that the chain has is paid once, and noted with its payout', async () => {
  const order = await redeem()
  await s.until(order, 'PAYOUT_PENDING')
  const { payoutId } = await payoutOf(order)
  assert.deepEqual(await pay(), [payoutId])
  assert.deepEqual(looks, ['1 seen'])
  assert.deepEqual(await pay(), [])
  const { burn, status, lastError } = await payoutOf(order)
  assert.deepEqual(
    { burn, status, lastError },
    { burn: `31337/${await lastBatch()}/0`, status: 'sent', lastError: null },
  )
})

test('a batch costs its nodes the head and one call, however many payouts it has', async () => {
  const redeems = Array.from(
    { length: 40 },
    () => ({ direction: 'REDEEM', amountMicro: AMOUNT, from: HOLDER }) as const,
  )
  const orders = await s.place(...redeems)
  for (const order of orders) await s.until(order, 'PAYOUT_PENDING')
  const batches = await s.db.query('select distinct batch_id from orders where order_id = any ($1::bigint[])', [orders])
  node.seen.length = 0
  assert.equal((await pay()).length, orders.length)
  const calls = Array.from(batches, () => 'eth_call')
  // Of which chain a node is it is asked once, when it is asked for the first time.
  assert.deepEqual(node.seen.toSorted(), [...calls, 'eth_chainId', 'eth_getBlockByNumber'])
})

test('nodes that are away, or too few, or behind, delay a payout and say so', async () => {
  const order = await redeem()
  await s.until(order, 'PAYOUT_PENDING')
  const { payoutId } = await payoutOf(order)
  isAway = true
  assert.deepEqual(await pay(), [])
  assert.deepEqual(looks, ['1 unknown'])
  assert.match(
    (await payoutOf(order)).lastError ?? '',
    /^Its burn is not seen on the chain yet\. The chain cannot be asked: /,
  )
  isAway = false
  assert.deepEqual(await pay({ chain: eyes({ rpcUrls: [node.url, AWAY], quorum: 2 }) }), [])
  assert.match((await payoutOf(order)).lastError ?? '', /2 RPC addresses must agree/)
  assert.deepEqual(await pay({ chain: eyes({ confirmations: 1_000_000 }) }), [])
  assert.match((await payoutOf(order)).lastError ?? '', /Block -\d+ is final, and not yet \d+\.$/)
  assert.deepEqual([(await payoutOf(order)).status, (await payoutOf(order)).timesAsked], ['queued', 0])
  assert.deepEqual(await pay(), [payoutId])
})

test('a payer that ends before it has noted a burn, or just after, leaves it to the next', async () => {
  const order = await redeem()
  await s.until(order, 'PAYOUT_PENDING')
  const { payoutId } = await payoutOf(order)
  const dies = (when: 'before' | 'after'): Database => ({
    ...s.db,
    async transaction(work) {
      let isNoting = false
      const result = await s.db.transaction((tx) =>
        work({
          async query(text, params) {
            isNoting ||= /set burn = /.test(text)
            if (isNoting && when === 'before') throw new Error('the process ended')
            return await tx.query(text, params)
          },
        }),
      )
      if (isNoting) throw new Error('the process ended')
      return result
    },
  })
  await assert.rejects(pay({ db: dies('before') }), /the process ended/)
  assert.equal((await payoutOf(order)).burn, null)
  await assert.rejects(pay({ db: dies('after') }), /the process ended/)
  assert.notEqual((await payoutOf(order)).burn, null)
  assert.deepEqual(await pay(), [payoutId])
  assert.deepEqual(await pay(), [])
})

test('a burn that was only written is held and said, and neither paid, retried nor minted back', async () => {
  await settler.stop()
  const order = await redeem()
  await lie(order, ((await lastBatch()) ?? 0n) + 1n)
  const { payoutId } = await payoutOf(order)
  assert.deepEqual(await pay(), [])
  assert.deepEqual(looks, ['1 denied'])
  const held = await payoutOf(order)
  assert.deepEqual([held.status, held.holdReason, held.burn], ['held', 'burn_not_seen', null])
  assert.match(held.lastError ?? '', /^Block \d+ is final, and the chain has no batch \d+\.$/)
  // An operator lets it go: the chain is asked again, and says the same.
  assert.equal((await s.db.transaction((tx) => payoutAdmin.release(tx, payoutId)))?.status, 'queued')
  assert.deepEqual(await pay(), [])
  assert.equal((await payoutOf(order)).holdReason, 'burn_not_seen')
  // Its login may also let it go, or call it refused: no rail is asked, and no coin is minted for what was never burnt.
  const say = (text: string) =>
    s.db.transaction(async (tx) => {
      await tx.query(`set local role ${groupOf('settler')}`)
      await tx.query(`update payouts set ${text} where payout_id = $1`, [payoutId])
    })
  await say(`status = 'queued', hold_reason = null`)
  await assert.rejects(say(`burn = '31337/1/0'`), { code: '42501' })
  await say(`status = 'rejected'`)
  assert.equal(await s.db.transaction((tx) => payoutAdmin.refund(tx, payoutId)), undefined)
  assert.equal((await s.db.transaction((tx) => payoutAdmin.retry(tx, payoutId)))?.status, 'queued')
  assert.deepEqual(await pay(), [])
  assert.equal((await payoutOf(order)).holdReason, 'burn_not_seen')
  assert.deepEqual(await s.db.query('select from payout_attempts where payout_id = $1', [payoutId]), [])
})

test('a burn that was written beside what the chain has under that id is held', async () => {
  const order = await redeem()
  const batchId = ((await lastBatch()) ?? 0n) + 2n
  await lie(order, batchId)
  const { lastBatchId } = await readContractHead(connectNode(s.rpcUrl), s.config, 'latest')
  for (let next = lastBatchId + 1n; next <= batchId; next += 1n) await settleElsewhere(next)
  await s.mine(2)
  assert.deepEqual(await pay(), [])
  assert.match((await payoutOf(order)).lastError ?? '', /^Batch \d+ has other instructions on the chain than here\.$/)
})

test('after a restore, burns of batches that the database did not make are seen by what it has read of them', async () => {
  await restoreOldBackup(s.db, s.config.chainId)
  // The thief's order is not among them: its entry is still in the books.
  await s.db.query('delete from orders where order_id in (select order_id from payouts where burn is null)')
  await s.db.query('delete from payouts')
  await s.db.query('delete from payout_attempts')
  paid.length = 0
  await s.settle({ holder: 'next', times: QUICK })
  const orders = (
    await s.db.query<{ order_id: bigint }>(
      `select order_id from orders where direction = 'REDEEM' and chain_id = 31337 order by order_id`,
    )
  ).map(({ order_id }) => order_id)
  for (const order of orders) await s.until(order, 'PAYOUT_PENDING')
  assert.equal((await pay({ chain: eyes() })).length, 0, 'the rail is asked first, and this one cannot be')
  const burns = await s.db.query<{ burn: string | null; order_id: bigint }>(
    'select burn, order_id from payouts where burn is not null',
  )
  assert.equal(burns.length, orders.length)
  assert.ok(
    burns.every(({ burn }) => burn?.startsWith('31337/')),
    JSON.stringify(burns.map(({ burn }) => burn)),
  )
})
