// engine: postgres
/** Orders that operators hold, release and reject before they are signed, and those that may not settle any more. */
// Runbook: An order must not settle
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { insertForeignBatch } from '../../src/settlement/tables/foreign.sql.ts'
import { writeHold } from '../../src/settlement/tables/holds.sql.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { linkOf, orderState, wallet } from './fixture.ts'
import { PARTIES } from './parties.ts'
import { restoreOldBackup } from './restore.ts'
import { type Scenario, startScenario } from './scenario.ts'

const mint = (seed: number, amountMicro = 10n) => ({ direction: 'MINT', amountMicro, to: wallet(seed) }) as const
let s: Scenario
let coin: OperatorFixture

before(async () => {
  s = await startScenario()
  coin = await startOperator({ db: s.db, chains: [s.chain] })
  await s.chain.admin.linkWallet(linkOf(wallet(1)))
})
after(async () => {
  await coin.close()
  await s.end()
})

async function nameOf(orderId = 0n): Promise<string> {
  const [row] = await s.db.query<{ name: string }>(
    `select integration_id || '/' || reference_id as name from orders where order_id = $1`,
    [orderId],
  )
  return row?.name ?? ''
}

const say = async (verb: string, orderId: bigint | undefined) =>
  coin.cli(['order', verb, await nameOf(orderId), '--reason', 'a reason', '--json'])
const heldOf = async (orderId = 0n) =>
  (await s.db.query<{ reason: string }>('select reason from order_holds where order_id = $1', [orderId]))[0]?.reason ??
  null
const statusOf = async (orderId = 0n) => (await orderState(s.db, orderId)).status
const eventsOf = async (orderId = 0n) =>
  (
    await s.db.query<{ type: string }>(
      'select type from events join orders using (integration_id, reference_id) where order_id = $1',
      [orderId],
    )
  ).map(({ type }) => type)

test('a held order waits while others settle; released it settles; rejected it fails with an event, and gives back', async () => {
  const [funds] = await s.place(mint(1, 100n))
  const settler = await s.settle()
  await s.until(funds, 'completed')
  await settler.stop()
  const [kept, debit, free] = await s.place(
    mint(1),
    { direction: 'TRANSFER', amountMicro: 60n, from: wallet(1), to: wallet(2) },
    mint(3),
  )
  const held = await say('hold', kept)
  assert.deepEqual(JSON.parse(held.stdout), { orderId: await nameOf(kept), status: 'pending', held: 'a reason' })
  assert.equal((await say('hold', debit)).code, 0)
  assert.equal((await say('hold', debit)).code, 0, 'once more')
  const second = await s.settle()
  await s.until(free, 'completed')
  const { waiting } = (await coin.call('GET', `/orders/${await nameOf(kept)}`)).body
  assert.match(
    waiting,
    /^held: a reason\. Run "coin order release \S+ --held … --reason …" or "coin order reject \S+ --reason …"/,
  )

  assert.equal(JSON.parse((await say('release', kept)).stdout).held, null)
  await s.until(kept, 'completed')
  assert.match((await say('release', kept)).stderr, /not held/)

  const usage = () => s.db.query('select committed_micro from transfer_usage where key_id = $1', [PARTIES[1].keyId])
  assert.deepEqual(await usage(), [{ committed_micro: 60n }])
  const rejected = JSON.parse((await say('reject', debit)).stdout)
  assert.deepEqual([rejected.status, rejected.held], ['failed', null])
  assert.deepEqual(await usage(), [{ committed_micro: 0n }])
  assert.deepEqual(await eventsOf(debit), ['transfer.failed'])
  assert.match((await say('reject', debit)).stderr, /^It has ended already: it is failed\.$/m)
  assert.match((await say('reject', kept)).stderr, /^It has ended already: it is completed\.$/m)
  assert.match((await say('hold', kept)).stderr, /^It has ended already: it is completed\.$/m)
  await s.audit()
  await second.stop()
})

test('after a restore nothing is rejected before a fence is final; whoever tries is told, and so is whoever looks', async () => {
  const [order] = await s.place(mint(4))
  assert.equal((await say('hold', order)).code, 0)
  await writeHold(s.db, s.config.chainId, { reason: 'fence', details: '{"fence":"due"}', blocked: [] })
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [s.config.chainId])
  assert.match((await say('reject', order)).stderr, /\(the fence\) is final.*Hold the order meanwhile/)
  assert.equal(await statusOf(order), 'pending')
  const { waiting } = (await coin.call('GET', `/orders/${await nameOf(order)}`)).body
  assert.match(waiting, /^held: a reason\. .*fence: the database was restored.*hold the order, and wait/)
  const { chains } = (await coin.call('GET', '/overview')).body
  assert.match(chains[0].hold.advice, /^the database was restored/)

  const settler = await s.settle()
  await waitFor('the fence to be final', async () => {
    const [row] = await s.db.query<{ done: boolean }>(
      'select fenced_on = database_timeline() as done from chains where chain_id = $1',
      [s.config.chainId],
    )
    return row?.done
  })
  assert.equal(JSON.parse((await say('reject', order)).stdout).status, 'failed')
  await settler.stop()
})

test('what was accepted before a suspension or a denial is held when its batch is formed, and says why', async () => {
  const [{ integrationId }, { customerId, integrationId: other }] = PARTIES
  const change = async (to: 'bad' | 'good') => {
    await s.db.query('update integrations set status = $2 where integration_id = $1', [
      integrationId,
      to === 'bad' ? 'suspended' : 'active',
    ])
    await s.db.query('update customers set verification_status = $2, verified_at = $3 where customer_id = $1', [
      customerId,
      to === 'bad' ? 'SUSPENDED' : 'VERIFIED',
      to === 'bad' ? null : new Date(),
    ])
  }
  const [ofSuspended, ofCustomer] = await s.place(mint(4), mint(5))
  await change('bad')
  const settler = await s.settle()
  await waitFor('the holds', async () => (await heldOf(ofSuspended)) !== null && (await heldOf(ofCustomer)) !== null)
  assert.equal(await heldOf(ofSuspended), 'integration_suspended')
  assert.equal(await heldOf(ofCustomer), 'customer_suspended')
  assert.match((await say('release', ofSuspended)).stderr, /suspended: run "coin integration resume \S+" first/)
  await change('good')
  for (const order of [ofSuspended, ofCustomer]) {
    assert.equal((await say('release', order)).code, 0)
    await s.until(order, 'completed')
  }

  await s.db.query('insert into screening_denials (address) values (lower($1::text))', [wallet(6)])
  const [denied, asDebited] = await s.place(mint(6), {
    direction: 'TRANSFER',
    amountMicro: 1n,
    from: wallet(6),
    to: wallet(7),
  })
  await waitFor('the denials', async () => (await heldOf(denied)) !== null && (await heldOf(asDebited)) !== null)
  assert.deepEqual([await heldOf(denied), await heldOf(asDebited)], ['wallet_denied', 'wallet_denied'])
  assert.equal((await say('reject', denied)).code, 0)
  assert.equal((await say('reject', asDebited)).code, 0)
  assert.notEqual(other, integrationId)
  await s.audit()
  await settler.stop()
})

test('an order that was settled before a restore is not rejected, and one that conflicts with it is', async () => {
  const [settled, differs] = await s.place(mint(8), mint(9, 20n))
  const settler = await s.settle()
  await s.until(settled, 'completed')
  await s.until(differs, 'completed')
  await settler.stop()
  const supply = await s.chain.admin.supply()
  await restoreOldBackup(s.db, s.config.chainId)
  await s.db.query('delete from orders where order_id not in ($1, $2)', [settled ?? 0n, differs ?? 0n])
  await withoutGuards(s.db, (tx) =>
    tx.query('update orders set amount_micro = 21 where order_id = $1', [differs ?? 0n]),
  )
  for (const order of [settled, differs]) assert.equal((await say('hold', order)).code, 0)
  assert.match((await say('reject', settled)).stderr, /a part of the chain that was not read yet/)
  const shallow = await s.settle({ config: { confirmations: 500 } })
  await waitFor(
    'what it says',
    async () => (await s.db.query('select 1 from settlement_holds where reason <> $1', ['none'])).length > 0,
  )
  assert.match((await say('reject', settled)).stderr, /a part of the chain that was not read yet/)
  await shallow.stop()
  assert.equal((await say('release', differs)).code, 0)
  const again = await s.settle()
  await waitFor('the conflict', async () => (await s.db.query('select 1 from tag_conflicts')).length === 1)
  await waitFor('the rejection', async () => (await say('reject', differs)).code === 0)
  assert.deepEqual(await s.db.query('select 1 from tag_conflicts'), [])
  // It is held, and takes that outcome nevertheless.
  await s.until(settled, 'completed')
  assert.deepEqual([await statusOf(differs), await s.chain.admin.supply()], ['failed', supply])
  await again.stop()
})

test('an order that had ended before a foreign batch was read which moved coin for it is logged and shown', async () => {
  const [order = 0n] = await s.place(mint(11, 30n))
  const settler = await s.settle()
  await s.until(order, 'completed')
  await settler.stop()
  await restoreOldBackup(s.db, s.config.chainId)
  await s.db.query('delete from orders where order_id <> $1', [order])
  await withoutGuards(s.db, (tx) =>
    tx.query(`update orders set status = 'failed', failure_reason = 'rejected' where order_id = $1`, [order]),
  )
  const lines: Record<string, unknown>[] = []
  const logger = pino({ level: 'fatal' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const again = await s.settle({ logger })
  await waitFor('the second line', async () => lines.length >= 2)
  const name = await nameOf(order)
  assert.equal(`${lines[1]?.integrationId}/${lines[1]?.referenceId}`, name)
  assert.match(String(lines[1]?.msg), /moved coin for an order that had ended/)
  const batch = (await coin.call('GET', `/batches/31337/${lines[1]?.batchId}`)).body
  assert.deepEqual(
    batch.instructions.map(({ endedOrder }: Record<string, unknown>) => endedOrder),
    [name],
  )
  assert.equal(lines.length, 2)
  await again.stop()
})

test('an order that was held after a foreign batch had settled it is released whatever speaks against it, and not rejected', async () => {
  await withoutGuards(s.db, (tx) => tx.query('delete from orders'))
  const [order = 0n, other = 0n] = await s.place(mint(12), mint(13))
  for (const each of [order, other]) assert.equal((await say('hold', each)).code, 0)
  for (const seed of [12, 13])
    await s.db.query('insert into screening_denials (address) values (lower($1::text))', [wallet(seed)])
  const { chainId } = s.config
  const [integrationId = '', referenceId = ''] = (await nameOf(order)).split('/')
  const instruction = {
    tag: orderTag(integrationId, referenceId),
    direction: 'MINT',
    walletAddress: wallet(12),
  } as const
  await s.db.transaction((tx) =>
    insertForeignBatch(
      tx,
      chainId,
      {
        batchId: 900n,
        signer: wallet(1),
        nonce: 1n,
        digest: '0x01',
        runningHash: '0x02',
        successBitmap: 1n,
        txHash: '0x03',
        blockNumber: 1n,
        blockHash: '0x04',
        settledAt: new Date(),
        instructions: [{ ...instruction, debitAddress: null, amountMicro: 10n }],
      },
      1n,
    ),
  )
  await writeHold(s.db, chainId, { reason: 'none', details: null, blocked: [] })
  assert.match(
    (await say('reject', order)).stderr,
    /run "coin order release \S+ --held … --reason …", and it takes that outcome/,
  )
  assert.match((await say('release', other)).stderr, /on the deny list/)
  assert.equal((await say('release', order)).code, 0)
  // No settler has come to it: what it tells of is refused no more.
  const { stderr } = await say('reject', order)
  assert.match(stderr, /takes that outcome once a settler comes to it: see "coin order show \S+"/)
  assert.doesNotMatch(stderr, /order release/)
})
