// engine: postgres; both in test:long
/** What one chain has settled under a reference settles on no other, also where the database has lost it and the chain was not read yet. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { acquireLease, releaseLease } from '../../src/leases/leases.sql.ts'
import { adviceOn } from '../../src/operator/orders/hold-advice.ts'
import { disownInBatch } from '../../src/settlement/explain/explain.ts'
import { OTHER_TIMELINE } from '../../src/settlement/repair/history.ts'
import { insertChain } from '../../src/settlement/tables/chains.sql.ts'
import { barUntilFenced, isFenced } from '../../src/settlement/tables/fences.sql.ts'
import { forgetForeignFrom, insertForeignBatch } from '../../src/settlement/tables/foreign.sql.ts'
import { forgetAfterGap, readUnreadChains, writeHold } from '../../src/settlement/tables/holds.sql.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { wallet } from './fixture.ts'
import { type Stepped, type SteppedChain, startStepped } from './stepped.ts'

const OTHER = 1_337
/** Configured, and never settled on. */
const NEW = 1_338

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2 })
})
after(() => chain.end())

async function begin(otherChainIds = [OTHER, NEW]): Promise<Stepped> {
  const s = await chain.begin({ otherChainIds })
  const contracts = { coinAddress: '0xc', settlementAddress: '0x5', genesisHash: '0x9' }
  await insertChain(s.db, OTHER, { ...contracts, observedBlock: 0n, observedHash: '0xb' })
  await s.mine(2)
  return s
}

const unreadOf = async (...asked: Parameters<typeof readUnreadChains>) =>
  (await readUnreadChains(...asked)).map(({ chainId }) => chainId)

const mint = (seed: number) => ({ direction: 'MINT', amountMicro: 5n, to: wallet(seed) }) as const

/** The other chain's settler says what it found, on a timeline of the database; without one, on this. */
async function readOther({ db, work }: Stepped, timeline = work.memory.follow.readOn): Promise<void> {
  await writeHold(db, OTHER, { reason: 'none', details: null, blocked: [], historyReadOn: timeline })
}

/** The other chain has settled what an order asks for, and it was read now. */
async function settleElsewhere({ db }: Stepped, orderId = 0n, succeeded = true): Promise<void> {
  const [row] = await db.query<{ integration_id: string; reference_id: string; wallet_address: `0x${string}` }>(
    'select integration_id, reference_id, wallet_address from orders where order_id = $1',
    [orderId],
  )
  assert.ok(row)
  const instruction = {
    tag: orderTag(row.integration_id, row.reference_id),
    direction: 'MINT' as const,
    amountMicro: 5n,
    walletAddress: row.wallet_address,
    debitAddress: null,
  }
  await insertForeignBatch(
    db,
    OTHER,
    {
      batchId: 1n,
      signer: '0x51',
      nonce: 0n,
      digest: '0xd1',
      runningHash: '0xd2',
      txHash: '0x71',
      successBitmap: succeeded ? 1n : 0n,
      blockNumber: 5n,
      blockHash: '0xb5',
      settledAt: new Date(0),
      instructions: [instruction],
    },
    1n,
  )
}

const conflictOf = async ({ db }: Stepped, orderId = 0n) =>
  (await db.query<{ chain_id: bigint }>('select chain_id from tag_conflicts where order_id = $1', [orderId]))[0]
    ?.chain_id

test('nothing is signed before every other chain was read on this timeline of the database; then what one has settled waits alone, and the rest goes on', async () => {
  const s = await begin()
  await readOther(s, 'an earlier timeline')
  const [again, other] = await s.place(mint(1), mint(2))
  await s.round()
  const since = 'the database was restored, or another has taken over'
  assert.deepEqual([s.held(), s.work.memory.holds.held.details], ['other-chain-unread', { unread: [OTHER], since }])
  assert.match(adviceOn(s.held()), /Take one that stays away out of the chains file until its nodes answer/)
  assert.deepEqual(await s.batches(), [])

  await settleElsewhere(s, again)
  await readOther(s)
  await s.round()
  assert.deepEqual([await s.stateOf(other), s.held()], ['processing/SUBMITTED', 'none'])
  assert.deepEqual([await s.stateOf(again), await conflictOf(s, again)], ['pending/ORDER_CREATED', BigInt(OTHER)])
  const name = { integrationId: '', referenceId: '' }
  const [row] = await s.db.query<{ integration_id: string; reference_id: string }>(
    'select integration_id, reference_id from orders where order_id = $1',
    [again ?? 0n],
  )
  Object.assign(name, { integrationId: row?.integration_id, referenceId: row?.reference_id })
  const disown = () => s.db.transaction((tx) => disownInBatch(tx, { chainId: OTHER, batchId: 1n }, name, undefined))
  assert.deepEqual(await disown(), { refused: 'would_settle_twice' })
})

test('what has failed on another chain is said not to be the order, and the order settles', async () => {
  const s = await begin()
  const [order] = await s.place(mint(1))
  await s.round()
  await readOther(s)
  await settleElsewhere(s, order, false)
  await s.round()
  assert.equal(await conflictOf(s, order), BigInt(OTHER))
  const [name] = await s.db.query<{ integrationId: string; referenceId: string }>(
    'select integration_id as "integrationId", reference_id as "referenceId" from orders where order_id = $1',
    [order ?? 0n],
  )
  assert.ok(name)
  const said = await s.db.transaction((tx) => disownInBatch(tx, { chainId: OTHER, batchId: 1n }, name, undefined))
  assert.equal('next' in said && said.next, 'settles')
  await s.round()
  assert.equal(await s.stateOf(order), 'processing/SUBMITTED')
})

test('once all were read nobody asks again, whatever happens to another chain; on another timeline it is asked anew', async () => {
  const s = await begin()
  await s.round()
  await readOther(s)
  const [first] = await s.place(mint(1))
  await s.round()
  assert.equal(await s.stateOf(first), 'processing/SUBMITTED')
  await s.mine(2)
  await s.db.query('update settlement_holds set history_read_on = null where chain_id = $1', [OTHER])
  const [second] = await s.place(mint(2))
  await s.round()
  assert.equal(await s.stateOf(second), 'processing/SUBMITTED')

  s.work.memory.form.othersReadOn = 'an earlier timeline'
  const [third] = await s.place(mint(3))
  await s.mine(2)
  await s.round()
  assert.deepEqual([await s.stateOf(third), s.held()], ['pending/ORDER_CREATED', 'other-chain-unread'])
})

test('on another timeline of the database whether the chain has anything unread is asked again, and said', async () => {
  const s = await begin()
  await s.round()
  const timeline = s.work.memory.follow.readOn
  assert.ok(timeline)
  const own = s.config.chainId
  assert.deepEqual(await unreadOf(s.db, [own, OTHER, NEW], timeline), [OTHER])
  assert.deepEqual(await unreadOf(s.db, [own], 'another'), [own])
  const told = () => s.logged.filter(({ msg }) => msg === OTHER_TIMELINE).length
  s.work.memory.follow.readOn = 'an earlier timeline'
  await s.round()
  assert.deepEqual([s.work.memory.follow.readOn, told()], [timeline, 1])
  await s.round()
  assert.equal(told(), 1)
})

test('where nobody has settled for ten minutes, which chains were read is forgotten: the database may be a copy of before on the same timeline', async () => {
  const s = await begin()
  await s.round()
  await readOther(s)
  const own = s.config.chainId
  const timeline = s.work.memory.follow.readOn ?? ''
  const endedAgo = async (chainId: number, minutes: number) => {
    await s.db.query(
      `insert into leases as l (name, holder, token, expires_at, lasts) values ($1, 'x', 1, now() - $2 * interval '1 minute', interval '10 seconds')
       on conflict (name) do update set expires_at = excluded.expires_at`,
      [`settlement:${chainId}`, minutes],
    )
  }
  await endedAgo(OTHER, 11)
  await endedAgo(own, -1)
  assert.deepEqual(await forgetAfterGap(s.db, own), [])
  await endedAgo(own, 9)
  assert.deepEqual(await forgetAfterGap(s.db, own), [])
  await endedAgo(own, 11)
  await endedAgo(OTHER, 9)
  assert.deepEqual(await forgetAfterGap(s.db, own), [own])
  assert.deepEqual(await unreadOf(s.db, [own, OTHER], timeline), [own])
  await endedAgo(OTHER, 11)
  assert.deepEqual(await forgetAfterGap(s.db, own), [OTHER])
  assert.deepEqual(await unreadOf(s.db, [own, OTHER], timeline), [OTHER, own])
  assert.deepEqual(await forgetAfterGap(s.db, own), []) // Whoever has planned the stop is told that it was no restore, so that they need not ask what the other chain has settled.
  await endedAgo(own, -1)
  await s.place(mint(1))
  await s.round()
  const since = 'nobody has settled for ten minutes or longer, or ever'
  assert.deepEqual([s.held(), s.work.memory.holds.held.details], ['other-chain-unread', { unread: [OTHER], since }])
})

/** The database goes on on another timeline, on which these chains have no final fence. */
async function restore({ db }: Stepped, unfenced = [OTHER]): Promise<void> {
  await db.query(`update database_timelines set timeline = 'before'`)
  await db.query(`update chains set fenced_on = 'before' where chain_id = any ($1::bigint[])`, [unfenced])
}

const fenceAll = ({ db }: Stepped) =>
  db.query('update chains set fenced_on = database_timeline() where chain_id = $1', [OTHER])

test('what was accepted after a restore waits until every other chain is fenced, where its reference may be signed and in no block; what was accepted before goes on', async () => {
  const s = await begin()
  const own = s.config.chainId
  await s.round()
  await readOther(s)
  const [before] = await s.place(mint(1))
  await restore(s)
  assert.equal(await isFenced(s.db, { orderId: before ?? 0n, chainId: own }, [OTHER, NEW]), true)
  const [after] = await s.place(mint(2))
  await s.round()
  assert.deepEqual([await s.stateOf(before), await s.stateOf(after)], ['processing/SUBMITTED', 'pending/ORDER_CREATED'])
  const published = async () =>
    (await s.db.query('select reason, blocked from settlement_holds where chain_id = $1', [own]))[0]
  assert.deepEqual((await published())?.blocked, ['other-chain-unfenced'])
  assert.deepEqual([s.held(), s.work.memory.holds.held.details], ['other-chain-unfenced', { unfenced: [OTHER] }])
  const isRuledOut = (orderId = 0n) => isFenced(s.db, { orderId, chainId: own }, [OTHER, NEW])
  assert.deepEqual([await isRuledOut(before), await isRuledOut(after)], [true, false])
  assert.equal(await isFenced(s.db, { orderId: after ?? 0n, chainId: own }, [NEW]), true)

  await fenceAll(s)
  s.passMs(60_000)
  await s.round()
  assert.deepEqual([await s.stateOf(after), await isRuledOut(after)], ['processing/SUBMITTED', true])
  await s.mine(2)
  await s.round()
  assert.deepEqual(await published(), { reason: 'none', blocked: [] })
})

test('a chain that this settler’s chains file lacks counts as long as another process settles it', async () => {
  const s = await begin([])
  const own = s.config.chainId
  await s.round()
  await readOther(s)
  const [before] = await s.place(mint(1))
  await restore(s)
  const lease = await acquireLease(s.db, `settlement:${OTHER}`, 'another process', 60_000)
  assert.ok(lease)
  const [after] = await s.place(mint(2))
  const isRuledOut = () => isFenced(s.db, { orderId: after ?? 0n, chainId: own }, [])
  await s.round()
  assert.deepEqual([await s.stateOf(before), await s.stateOf(after)], ['processing/SUBMITTED', 'pending/ORDER_CREATED'])
  assert.deepEqual([s.held(), s.work.memory.holds.held.details], ['other-chain-unfenced', { unfenced: [OTHER] }])
  assert.equal(await isRuledOut(), false)

  // As while it is replaced, or where it was killed: what is signed there can still be mined.
  await releaseLease(s.db, lease)
  s.passMs(60_000)
  await s.round()
  assert.deepEqual([await s.stateOf(after), await isRuledOut()], ['pending/ORDER_CREATED', false])

  await s.db.query(`update leases set expires_at = now() - interval '11 minutes' where name = $1`, [lease.name])
  s.passMs(60_000)
  await s.round()
  assert.deepEqual(
    [await s.stateOf(after), await isRuledOut()],
    ['processing/SUBMITTED', true],
    'nobody has it any more',
  )
})

test('nor does one that another process begins to settle while an order is simulated and signed go unnoticed', async () => {
  const s = await begin([])
  await s.round()
  await restore(s)
  s.work.onStep = async (step) => {
    if (step === 'batch-signed') await acquireLease(s.db, `settlement:${OTHER}`, 'another process', 60_000)
  }
  const [after] = await s.place(mint(2))
  await s.round()
  assert.deepEqual([await s.stateOf(after), s.sent], ['pending/ORDER_CREATED', []])
})

test('an order that waited because of what another chain gives up settles once nothing of that can be executed any more, whenever it was accepted', async () => {
  const s = await begin()
  await s.round()
  await readOther(s)
  const [order, more] = [...(await s.place(mint(1))), ...(await s.place(mint(2)))]
  await settleElsewhere(s, order)
  await s.round()
  assert.equal(await s.stateOf(order), 'pending/ORDER_CREATED')
  assert.equal(await s.stateOf(more), 'processing/SUBMITTED')
  // Both were accepted before this timeline of the database.
  await s.db.query('update database_timelines set after_order_id = $1', [more ?? 0n])
  await s.db.transaction(async (tx) => {
    await barUntilFenced(tx, OTHER)
    await forgetForeignFrom(tx, OTHER, 1n)
  })
  assert.deepEqual(await s.db.query('select from tag_conflicts where order_id = $1', [order ?? 0n]), [])
  const round = async () => {
    s.passMs(60_000)
    await s.mine(2)
    await s.round()
  }
  for (let rounds = 0; rounds < 2; rounds += 1) await round()
  assert.deepEqual([await s.stateOf(order), s.held()], ['pending/ORDER_CREATED', 'other-chain-unfenced'])
  await fenceAll(s)
  await round()
  assert.equal(await s.stateOf(order), 'processing/SUBMITTED', s.held())
})

test('what another chain gives up while an order is simulated and signed, however long that takes, keeps it from being stored', async () => {
  const s = await begin()
  await s.round()
  await readOther(s)
  s.work.onStep = async (step) => {
    if (step === 'batch-signed') await s.db.transaction((tx) => barUntilFenced(tx, OTHER))
  }
  const [order] = await s.place(mint(1))
  await s.round()
  assert.deepEqual([await s.stateOf(order), s.held(), s.sent], ['pending/ORDER_CREATED', 'other-chain-unfenced', []])
  s.work.onStep = () => {}
  await fenceAll(s)
  s.passMs(60_000)
  await s.round()
  assert.equal(await s.stateOf(order), 'processing/SUBMITTED', s.held())
})

test('what waits for the fence of another chain hides nothing that was accepted before it', async () => {
  const s = await begin()
  await s.round()
  await readOther(s)
  await restore(s)
  const [after] = await s.place(mint(1))
  const [before] = await s.place(mint(2))
  await s.db.query('update database_timelines set after_order_id = $1 where after_order_id < $1', [after ?? 0n])
  const [late] = await s.place(mint(3))
  await s.round()
  const states = [await s.stateOf(after), await s.stateOf(before), await s.stateOf(late)]
  assert.deepEqual(states, ['processing/SUBMITTED', 'pending/ORDER_CREATED', 'pending/ORDER_CREATED'])
})

test('a copy on the same timeline had nothing that was accepted after its settlers had last said that they work', async () => {
  const s = await begin()
  await s.round()
  await readOther(s)
  const placed = await s.place(mint(1), mint(2), mint(3))
  await s.db.query('alter table orders disable trigger orders_guard')
  for (const [n, minutes] of [30, 16, 13].entries())
    await s.db.query(`update orders set created_at = now() - $2 * interval '1 minute' where order_id = $1`, [
      placed[n] ?? 0n,
      minutes,
    ])
  await s.db.query(
    `insert into leases as l (name, holder, token, expires_at, lasts)
     select 'settlement:' || chain_id, 'x', 1, now() - interval '14 minutes' - (chain_id = $1)::int * interval '1 hour', interval '1 minute' from chains
     on conflict (name) do update set expires_at = excluded.expires_at, lasts = excluded.lasts`,
    [s.config.chainId],
  )
  const newest = async () => {
    const rows = await s.db.query<{ after_order_id: bigint }>('select after_order_id from database_timelines')
    return rows.map((row) => row.after_order_id)
  }
  assert.equal((await forgetAfterGap(s.db, s.config.chainId)).length, 2)
  // The chain of an embedded database is put back with it: nothing is to be noted.
  assert.deepEqual(await newest(), [s.db.kind === 'pglite' ? 0n : placed[1]])
  // A lost history before that one may have been with chains that are not fenced yet.
  await s.db.query('update database_timelines set after_order_id = 0')
  await s.db.query('update settlement_holds set history_read_on = database_timeline()')
  await forgetAfterGap(s.db, s.config.chainId)
  assert.deepEqual(await newest(), [0n])
})
