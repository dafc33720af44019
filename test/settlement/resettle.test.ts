// engine: postgres
/** Redeems that were called burnt and are not, on a real chain: `payout resettle` has them burnt once, or not at all. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Hex } from 'viem'
import { readContractHead } from '../../src/chain/batch-reads.ts'
import { type Chain, connectChain } from '../../src/chain/chain.ts'
import {
  digestOf,
  encodeSettle,
  instructionOf,
  packInstructions,
  runningHashAfter,
} from '../../src/chain/instructions.ts'
import { connectNode } from '../../src/chain/node.ts'
import { createWitness } from '../../src/chain/witness.ts'
import { ROLES } from '../../src/config.ts'
import { groupOf } from '../../src/db/access.sql.ts'
import { type Queryable, violatedConstraint } from '../../src/db/database.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { reconcile } from '../../src/operator/reconcile/reconcile.ts'
import { submitOrders } from '../../src/orders/life/signed.sql.ts'
import { lookForBurns } from '../../src/payouts/burns.ts'
import { decideBatch } from '../../src/payouts/decide-batch.ts'
import { findUnburnt } from '../../src/payouts/unburnt.sql.ts'
import { proveUnburnt, resettle as resettleProven } from '../../src/settlement/explain/resettle.ts'
import { insertBatch, markFinal, markMined } from '../../src/settlement/tables/batches.sql.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { type OperatorFixture, type Person, startOperator } from '../operator/fixture.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { asRole, type TestDatabase } from '../support/database.ts'
import { type FaultyRpc, startFaultyRpc } from '../support/faulty-rpc.ts'
import { payDue } from '../support/pay-due.ts'
import { sealBooks } from '../support/seal-books.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { account, linkOf, silent, wallet } from './fixture.ts'
import { QUICK, type Scenario, startScenario } from './scenario.ts'
import { SHADOW_CHAIN } from './shadow.ts'

const HOLDER = wallet(1)
const AMOUNT = 12_345_678n
/** Has no coin. */
const POOR = wallet(2)

let s: Scenario
let chains: Chain[]
let coin: OperatorFixture
let mining: NodeJS.Timeout | undefined
/** Two of three nodes are asked through these; what each says of `head()` may be another's lie. */
let nodes: FaultyRpc[] = []
const away = new Set<number>()
/** Those that say of every call that the contract knows nothing: no batch, no instruction that succeeded. */
const liars = new Set<number>()
const nothing = (answer: unknown) => (typeof answer === 'string' ? answer.replace(/[1-9a-f](?!x)/g, '0') : answer)
const paid: string[] = []
const rail = {
  name: 'rail',
  async initiate({ payoutId }: { payoutId: string }) {
    paid.push(payoutId)
    return { result: 'accepted', railReference: 'R' } as const
  },
}

before(async () => {
  s = await startScenario({ engine: 'postgres', config: { confirmations: 3 } })
  await applyGrants(s.db, ROLES, false)
  nodes = await Promise.all(
    [0, 1, 2].map((n) =>
      startFaultyRpc(s.rpcUrl, ({ method }) => {
        if (away.has(n)) return { kind: 'refuse' }
        return liars.has(n) && method === 'eth_call' ? { kind: 'lie', lie: nothing } : { kind: 'none' }
      }),
    ),
  )
  mine()
  for (const holder of [HOLDER, POOR]) await s.chain.admin.linkWallet(linkOf(holder))
  const config = { ...s.config, rpcUrls: nodes.map(({ url }) => url), quorum: 2 }
  chains = [connectChain(config, { db: s.db, logger: silent })]
  coin = await startOperator({ db: (await asRole(s.db, 'operator')) as TestDatabase, chains })
  const settler = await s.settle({ holder: 'first', times: QUICK })
  const [mint] = await s.place({ direction: 'MINT', amountMicro: 1_000_000_000n, to: HOLDER })
  await s.until(mint, 'completed')
  await settler.stop()
})
afterEach(() => {
  away.clear()
  liars.clear()
})
after(async () => {
  clearInterval(mining)
  await coin.close()
  for (const node of nodes) await node.close()
  await s.end()
})

function mine() {
  clearInterval(mining)
  mining = setInterval(() => void s.mine().catch(() => {}), 100)
}

const redeem = async (amountMicro = AMOUNT, from: string = HOLDER) =>
  (await s.place({ direction: 'REDEEM', amountMicro, from }))[0] ?? 0n

const nextBatch = async () =>
  (
    await s.db.query<{ next: bigint }>('select next_batch_id as next from chains where chain_id = $1', [
      s.config.chainId,
    ])
  )[0]?.next ?? 0n

/** The payer looks at the chain, and pays what it has seen. @returns what the rail was asked to pay */
async function pay(): Promise<string[]> {
  const before = paid.length
  const { config, nodes } = connectChain(s.config, { db: s.db, logger: silent })
  const chain = { chainId: config.chainId, witness: createWitness(config, nodes) }
  await s.db.query(`update payouts set next_attempt_at = now() where status = 'queued'`)
  while (await lookForBurns({ db: s.db, chain, logger: silent, againMs: 60_000 }));
  while ((await payDue({ db: s.db, rail, secrets: TEST_SECRETS, logger: silent })) > 0);
  return paid.slice(before)
}

async function payoutOf(orderId: bigint) {
  const [row] = await s.db.query<{ id: string; status: string; sen: bigint }>(
    'select payout_id as id, status, amount_sen as sen from payouts where order_id = $1',
    [orderId],
  )
  return row
}

/** What a batch of the order alone has. */
async function packedOf(orderId: bigint): Promise<Hex> {
  const [order] = await s.db.query<{
    integrationId: string
    referenceId: string
    walletAddress: string
    debitAddress: string
    amountMicro: bigint
  }>(
    `select integration_id as "integrationId", reference_id as "referenceId", wallet_address as "walletAddress",
       debit_address as "debitAddress", amount_micro as "amountMicro" from orders where order_id = $1`,
    [orderId],
  )
  assert.ok(order)
  return packInstructions([instructionOf({ ...order, direction: 'REDEEM' })])
}

/** Executes a batch as somebody with a signing key would. */
async function execute(batchId: bigint, packed: Hex): Promise<void> {
  const { runningHash } = await readContractHead(connectNode(s.rpcUrl), s.config, 'latest')
  const data = encodeSettle(batchId, runningHash, packed)
  const from = account('second').address
  const hash = await s.rpc('eth_sendTransaction', { from, to: s.config.settlement, data, gas: '0x4c4b40' })
  await waitFor('its receipt', async () => (await s.rpc('eth_getTransactionReceipt', hash)) !== null)
}

/** What the settler would write of a batch of one burn that is final, with its login. The next id is left as it is, unless told otherwise. */
async function lie(orderId: bigint, batchId: bigint, { isPlanned = false } = {}): Promise<void> {
  const { chainId } = s.config
  const digest = digestOf(await packedOf(orderId))
  const block = await s.rpc('eth_blockNumber')
  await s.db.transaction(async (tx: Queryable) => {
    await tx.query(`set local role ${groupOf('settler')}`)
    const batch = { chainId, batchId, signer: '0x51', nonce: 10_000n + batchId, fencingToken: 1n }
    const [{ running_hash: before } = { running_hash: '0x' as Hex }] = await tx.query<{ running_hash: Hex }>(
      'select running_hash from chains where chain_id = $1',
      [chainId],
    )
    const runningHash = runningHashAfter(before, digest)
    await insertBatch(tx, { ...batch, digest, runningHash, orderIds: [orderId], txHash: '0xfa15e' })
    await submitOrders(tx, { chainId, batchId })
    const place = { batchId, blockNumber: BigInt(block as Hex) - 3n, blockHash: '0xb1', txHash: `0x${'f'.repeat(64)}` }
    await markMined(tx, chainId, place)
    const final = await markFinal(tx, chainId, batchId, 1n)
    if (isPlanned)
      await tx.query('update chains set next_batch_id = $2, running_hash = $3 where chain_id = $1', [
        chainId,
        batchId + 1n,
        runningHash,
      ])
    await decideBatch(
      tx,
      { chainId, batchId, orderIds: [orderId], successBitmap: 1n, reasons: new Map() },
      { source: final?.source ?? '', effectiveAt: new Date() },
    )
  })
}

const resettle = (payoutId: string | undefined) => coin.cli(['payout', 'resettle', payoutId ?? '', '--reason', 'a lie'])

async function differences(): Promise<string[]> {
  // No sealer runs here, and what was not sealed for a minute is a difference.
  await sealBooks(s.db, 1_000)
  const found = await reconcile(s.db, [s.chain], TEST_SECRETS)
  // Of the chain that nobody settles here, the rows are planted.
  return found.differences
    .map(({ kind, subject }) => `${kind} ${subject}`)
    .filter((each) => !each.includes(`${SHADOW_CHAIN}`))
}

test('a redeem of a batch that was only written is burnt once, and paid once, and the books balance at every step', async () => {
  const order = await redeem()
  const before = await nextBatch()
  await lie(order, before)
  const payout = await payoutOf(order)
  assert.deepEqual(await pay(), [])
  assert.ok((await differences()).includes(`payout_held ${payout?.id}`))
  const done = await resettle(payout?.id)
  assert.equal(done.code, 0, done.stderr)
  assert.match(done.stdout, /resettled/)
  assert.deepEqual(await differences(), [], 'books, supply, earmarks and usage agree')
  assert.equal((await s.until(order, 'SUBMITTED')).status, 'processing')
  assert.equal(await payoutOf(order), undefined)
  const settler = await s.settle({ holder: 'second', times: QUICK })
  await s.until(order, 'PAYOUT_PENDING')
  assert.deepEqual(await pay(), [payout?.id])
  assert.deepEqual(await pay(), [])
  await s.until(order, 'completed')
  await settler.stop()
  assert.deepEqual(await differences(), [])
  await s.audit()
  assert.equal(await nextBatch(), before + 1n, 'under the id of the batch that never was')
  assert.deepEqual((await s.db.query('select taken_back from batches where batch_id = $1', [before]))[0], {
    taken_back: 1,
  })
})

test('with four eyes it waits for a second person, and until then nothing is changed', async () => {
  const order = await redeem()
  await lie(order, await nextBatch())
  await pay()
  const before = await payoutOf(order)
  const [one, two] = [await coin.person('treasury'), await coin.person('treasury')]
  const target = `/payouts/${before?.id}/resettle`
  const eyes = await startOperator({ db: (await asRole(s.db, 'operator')) as TestDatabase, chains, fourEyes: true })
  const post = ({ token }: Person, path: string, body: object, under = {}) =>
    eyes.call('POST', path, body, { authorization: `Bearer ${token}`, ...under })
  const why = { reason: 'a lie' }
  const asked = await post(one, target, why)
  assert.deepEqual([asked.status, asked.body.status], [202, 'waiting'], JSON.stringify(asked.body))
  assert.deepEqual(await payoutOf(order), before)
  const { approvalId } = asked.body
  assert.equal((await post(two, `/approvals/${approvalId}/approve`, {})).status, 200)
  assert.deepEqual(await payoutOf(order), before)
  assert.equal((await post(one, target, why, { 'x-approval': approvalId })).body.status, 'resettled')
  await eyes.close()
  assert.equal(await payoutOf(order), undefined)
  const settler = await s.settle({ holder: 'agreed', times: QUICK })
  await s.until(order, 'PAYOUT_PENDING')
  assert.deepEqual(await pay(), [before?.id])
  await settler.stop()
  assert.deepEqual(await differences(), [])
})

test('what people hold its payout for holds its redeem from then on, and is named by whoever lets that go', async () => {
  const order = await redeem()
  await lie(order, await nextBatch())
  assert.deepEqual(await pay(), [])
  const payout = await payoutOf(order)
  const [one, two] = [await coin.person('compliance'), await coin.person('treasury')]
  const said = ['the police have written', 'a court has written, too']
  for (const [index, reason] of said.entries()) {
    const authorization = `Bearer ${[one, two][index]?.token}`
    assert.equal((await coin.call('POST', `/payouts/${payout?.id}/hold`, { reason }, { authorization })).status, 200)
  }
  const settler = await s.settle({ holder: 'before', times: QUICK })
  const done = await resettle(payout?.id)
  assert.equal(done.code, 0, done.stderr)
  const [other] = await s.place({ direction: 'MINT', amountMicro: 5_000_000n, to: HOLDER })
  await s.until(other, 'completed')
  assert.equal(await payoutOf(order), undefined, 'nothing was burnt')
  const [{ name = '' } = {}] = await s.db.query<{ name: string }>(
    `select integration_id || '/' || reference_id as name from orders where order_id = $1`,
    [order],
  )
  const release = (...held: string[]) =>
    coin.cli(['order', 'release', name, ...held.flatMap((each) => ['--held', each]), '--reason', 'it may go on'])
  assert.match((await release(said[0] ?? '')).stderr, /You have not named all that/)
  const let_go = await release(...said)
  assert.equal(let_go.code, 0, let_go.stderr)
  await s.until(order, 'PAYOUT_PENDING')
  assert.deepEqual(await pay(), [payout?.id])
  await settler.stop()
  assert.deepEqual(await differences(), [])
})

test('one that was written far ahead is burnt too, and batches after it go on', async () => {
  const order = await redeem()
  await lie(order, (await nextBatch()) + 1_000n)
  assert.deepEqual(await pay(), [])
  const settler = await s.settle({ holder: 'third', times: QUICK })
  const [other] = await s.place({ direction: 'MINT', amountMicro: 5_000_000n, to: HOLDER })
  await s.until(other, 'completed')
  const payout = await payoutOf(order)
  assert.equal((await resettle(payout?.id)).code, 0)
  await s.until(order, 'PAYOUT_PENDING')
  assert.deepEqual(await pay(), [payout?.id])
  await settler.stop()
  assert.deepEqual(await differences(), [])
})

test('a fence among the batches that are walked through is what the chain has there', async () => {
  const order = await redeem()
  await lie(order, (await nextBatch()) + 1_000n)
  assert.deepEqual(await pay(), [])
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [s.config.chainId])
  const settler = await s.settle({ holder: 'fencing', times: QUICK })
  const [other] = await s.place({ direction: 'MINT', amountMicro: 5_000_000n, to: HOLDER })
  await s.until(other, 'completed')
  const payout = await payoutOf(order)
  const done = await resettle(payout?.id)
  assert.equal(done.code, 0, done.stderr)
  await s.until(order, 'PAYOUT_PENDING')
  assert.deepEqual(await pay(), [payout?.id])
  await settler.stop()
  assert.deepEqual(await differences(), [])
})

test('one that was called burnt although its instruction failed is signed again, and fails', async () => {
  const order = await redeem(AMOUNT, POOR)
  const batchId = await nextBatch()
  await lie(order, batchId, { isPlanned: true })
  await execute(batchId, await packedOf(order))
  const payout = await payoutOf(order)
  await s.mine(3)
  assert.deepEqual(await pay(), [])
  assert.equal((await resettle(payout?.id)).code, 0)
  assert.deepEqual(await differences(), [])
  const settler = await s.settle({ holder: 'fourth', times: QUICK })
  await s.until(order, 'failed')
  await settler.stop()
  assert.deepEqual(await pay(), [])
  assert.deepEqual(await differences(), [])
})

test('one whose batch may still be executed stays, and is paid once when it is', async () => {
  const order = await redeem()
  const batchId = await nextBatch()
  await lie(order, batchId, { isPlanned: true })
  assert.deepEqual(await pay(), [])
  const { id } = (await payoutOf(order)) ?? {}
  const refusal = async () => (await resettle(id)).stderr
  assert.match(await refusal(), /may be executed, or whose block is not final/)
  clearInterval(mining)
  await Promise.all([execute(batchId, await packedOf(order)), s.mine()])
  assert.match(await refusal(), /may be executed, or whose block is not final/, 'not final yet')
  await s.mine(3)
  mine()
  liars.add(2)
  assert.match(await refusal(), /Its coin was burnt/, 'one lies')
  // With a settler's login, as if others had burnt it in this batch of ours.
  const { chainId } = s.config
  const [{ integrationId = '', referenceId = '' } = {}] = await s.db.query<{
    integrationId: string
    referenceId: string
  }>(`select integration_id as "integrationId", reference_id as "referenceId" from orders where order_id = $1`, [order])
  const planted = `foreign_instructions where chain_id = ${chainId} and batch_id = ${batchId}`
  await (await asRole(s.db, 'settler')).query(
    `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
     select chain_id, $2, 0, $3, 'REDEEM', wallet_address, amount_micro, true from orders where order_id = $1`,
    [order, batchId, orderTag(integrationId, referenceId)],
  )
  assert.match(await refusal(), /Its coin was burnt/, 'a row says that it is none of ours')
  await withoutGuards(s.db, (tx) => tx.query(`delete from ${planted}`))
  liars.add(1)
  assert.match(await refusal(), /may be executed, or whose block is not final/, 'most lie that nothing ever was')
  liars.clear()
  assert.equal((await coin.cli(['payout', 'release', id ?? '', '--reason', 'it is there'])).code, 0)
  assert.deepEqual(await pay(), [id])
  assert.match(await refusal(), /This is only for a payout that is held because/)
  const settler = await s.settle({ holder: 'looks', times: QUICK })
  await waitFor('the books to agree with the chain', async () => (await differences()).length === 0)
  await settler.stop()
})

test('one that the chain has burnt stays burnt where the clock of the database was ahead when it was accepted', async () => {
  const order = await redeem()
  await withoutGuards(s.db, (tx) =>
    tx.query(`update orders set created_at = now() + interval '1 hour' where order_id = $1`, [order]),
  )
  const batchId = await nextBatch()
  await lie(order, batchId, { isPlanned: true })
  assert.deepEqual(await pay(), [])
  const { id } = (await payoutOf(order)) ?? {}
  assert.match((await resettle(id)).stderr, /may be executed, or whose block is not final/)
  await execute(batchId, await packedOf(order))
  await s.mine(3)
  assert.match((await resettle(id)).stderr, /Its coin was burnt/)
  assert.equal((await coin.cli(['payout', 'release', id ?? '', '--reason', 'it is there'])).code, 0)
  assert.deepEqual(await pay(), [id])
  const settler = await s.settle({ holder: 'ahead', times: QUICK })
  await waitFor('the books to agree with the chain', async () => (await differences()).length === 0)
  await settler.stop()
})

test('nodes that are away, lie or are too few prove nothing', async () => {
  const order = await redeem()
  await lie(order, await nextBatch())
  assert.deepEqual(await pay(), [])
  const { id } = (await payoutOf(order)) ?? {}
  away.add(0).add(1)
  const refused = await resettle(id)
  assert.notEqual(refused.code, 0)
  assert.match(refused.stderr, /The chain did not answer/)
  assert.equal((await payoutOf(order))?.status, 'held')
  away.clear()
  liars.add(0)
  away.add(1)
  assert.match((await resettle(id)).stderr, /The chain did not answer/)
  away.clear()
  assert.equal((await resettle(id)).code, 0, 'two are honest')
  liars.clear()
  const settler = await s.settle({ holder: 'fifth', times: QUICK })
  await s.until(order, 'PAYOUT_PENDING')
  await settler.stop()
  assert.deepEqual(await pay(), [id])
})

test('what its part of a sen had gone out with comes off its payout', async () => {
  const order = await redeem(12_345_678n)
  await lie(order, (await nextBatch()) + 500n)
  const settler = await s.settle({ holder: 'parts', times: QUICK })
  const other = await redeem(19_999n)
  await s.until(other, 'PAYOUT_PENDING')
  await pay()
  assert.equal((await resettle((await payoutOf(order))?.id)).code, 0)
  assert.deepEqual(await differences(), [])
  await s.until(order, 'PAYOUT_PENDING')
  await pay()
  await settler.stop()
  const [sums] = await s.db.query<{ burnt: string; paid: string; owed: string }>(
    `select (select sum(amount_micro) from orders where direction = 'REDEEM' and status = 'completed' and chain_id = $1)::text as burnt,
       (select sum(amount_sen) * 10000 from payouts where status = 'sent')::text as paid, (select sum(owed_micro) from customer_residuals)::text as owed`,
    [s.config.chainId],
  )
  assert.equal(BigInt(sums?.burnt ?? 0), BigInt(sums?.paid ?? 0) + BigInt(sums?.owed ?? 0))
  assert.deepEqual(await differences(), [])
})

test('whoever ends in the middle changes nothing, and of two at once one does it', async () => {
  const order = await redeem()
  await lie(order, await nextBatch())
  assert.deepEqual(await pay(), [])
  const { id = '' } = (await payoutOf(order)) ?? {}
  const unburnt = await findUnburnt(s.db, id)
  assert.ok(unburnt)
  const proven = await proveUnburnt(s.db, s.chain, unburnt)
  assert.ok(typeof proven !== 'string')
  const rows = () =>
    s.db.query(
      `select to_jsonb(o)::text as o, to_jsonb(p)::text as p, b.status, to_jsonb(f)::text as f, to_jsonb(r)::text as r,
         (select count(*) from ledger_entries) as entries from orders o join payouts p using (order_id)
       join batches b on b.batch_id = o.batch_id and b.chain_id = o.chain_id left join signed_orders f using (order_id)
       join customer_residuals r on r.customer_id = o.customer_id where o.order_id = $1`,
      [order],
    )
  const before = await rows()
  for (let last = 0, isDone = false; !isDone; last += 1) {
    let count = 0
    const dies = async (tx: Queryable) => {
      const query: Queryable['query'] = async (text, params) => {
        if (count++ === last) throw new Error('the process ended')
        return await tx.query(text, params)
      }
      const done = await resettleProven({ ...tx, query }, proven)
      assert.ok(typeof done !== 'string')
      isDone = count <= last
      throw new Error('the process ended')
    }
    await assert.rejects(s.db.transaction(dies), /the process ended/)
    assert.deepEqual(await rows(), before)
  }
  const both = await Promise.all([resettle(id), resettle(id)])
  assert.deepEqual(both.map(({ code }) => code).sort(), [0, 1])
  const settler = await s.settle({ holder: 'one', times: QUICK })
  await s.until(order, 'PAYOUT_PENDING')
  await settler.stop()
  assert.deepEqual(await pay(), [id])
})

test('no login but the payers’ can have a burn denied, and none takes away what is owed', async () => {
  const order = await redeem()
  const settler = await s.settle({ holder: 'owed', times: QUICK })
  await s.until(order, 'PAYOUT_PENDING')
  await settler.stop()
  const refusal = async (role: 'operator' | 'settler', text: string) => {
    const tried = s.db.transaction(async (tx) => {
      await tx.query(`set local role ${groupOf(role)}`)
      await tx.query(text, [order])
    })
    return await tried
      .then(() => undefined)
      .catch((error: unknown) => violatedConstraint(error) ?? (error as { code: string }).code)
  }
  const deny = `update payouts set status = 'held', hold_reason = 'burn_not_seen' where order_id = $1`
  const back = `insert into signed_orders (order_id, abandoned_batch_id) select order_id, batch_id from orders where order_id = $1`
  const gone = 'delete from payouts where order_id = $1'
  const mined = `update batches set success_bitmap = 0 where $1 = any (order_ids)`
  assert.deepEqual(
    [
      await refusal('operator', deny),
      await refusal('settler', deny),
      await refusal('operator', back),
      await refusal('operator', gone),
      await refusal('settler', gone),
      await refusal('operator', mined),
    ],
    [
      'payouts_denied_by_payer',
      'payouts_denied_by_payer',
      'signed_orders_move_exists',
      'payouts_go',
      '42501',
      'batches_move_exists',
    ],
  )
  assert.equal((await pay()).length, 1)
})

test('one that another batch has burnt meanwhile takes that outcome, unless something else is written of it', async () => {
  const order = await redeem()
  await lie(order, (await nextBatch()) + 2_000n)
  assert.deepEqual(await pay(), [])
  const { id } = (await payoutOf(order)) ?? {}
  const supply = await s.chain.admin.supply()
  await execute(await nextBatch(), await packedOf(order))
  await s.mine(4)
  assert.match((await resettle(id)).stderr, /batches that were not read yet/)
  const settler = await s.settle({ holder: 'sixth', times: QUICK })
  await waitFor('it to be read', async () => (await s.db.query('select from batches where is_foreign')).length > 0)
  // The instructions that a thief puts into the rows in its place have another hash.
  const rewrite = (from: string, to: string) =>
    withoutGuards(s.db, (tx) => tx.query('update foreign_instructions set tag = $2 where tag = $1', [from, to]))
  const [{ tag = '' } = {}] = await s.db.query<{ tag: string }>(
    `select tag from foreign_instructions where direction = 'REDEEM' order by batch_id desc limit 1`,
  )
  await rewrite(tag, '0x0000000000000001')
  assert.match((await resettle(id)).stderr, /not those that the chain has executed/)
  await rewrite('0x0000000000000001', tag)
  const done = await resettle(id)
  assert.equal(done.code, 0, done.stderr)
  await s.until(order, 'PAYOUT_PENDING')
  await settler.stop()
  assert.equal(await s.chain.admin.supply(), supply - AMOUNT)
  // The rail is asked first whether the lost history has paid it.
  assert.deepEqual(await pay(), [])
  const seen = `select ask_first as "isAskedFirst", burn is not null as "isSeen" from payouts where payout_id = $1`
  assert.deepEqual(await s.db.query(seen, [id ?? null]), [{ isAskedFirst: true, isSeen: true }])
})
