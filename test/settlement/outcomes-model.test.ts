// engine: postgres; both in test:long
/** Whatever a chain makes of final batches, in whichever sequence it is said and made good, people come to an end, and the books have the coin that is there. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { acquireLease } from '../../src/leases/leases.sql.ts'
import { findLostOrders } from '../../src/operator/orders/lost.sql.ts'
import { findOrderWithFacts } from '../../src/operator/orders/orders.sql.ts'
import { findOtherOutcomes } from '../../src/operator/reconcile/foreign.sql.ts'
import type { Direction, Order } from '../../src/orders/order.ts'
import { readReserveFacts } from '../../src/reserves/facts.sql.ts'
import { readCoinsOn } from '../../src/reserves/lost-coins.sql.ts'
import { makeGood } from '../../src/settlement/explain/make-good.ts'
import { explainOutcome } from '../../src/settlement/explain/outcome.ts'
import type { FollowedHead } from '../../src/settlement/finality.ts'
import { compareOutcomes } from '../../src/settlement/follow/other-outcomes.ts'
import { freshMemory } from '../../src/settlement/fresh-memory.ts'
import { findChainAgain } from '../../src/settlement/lost/lose.ts'
import { noMetrics } from '../../src/settlement/metrics.ts'
import { findFinal } from '../../src/settlement/tables/final.sql.ts'
import { writeHold } from '../../src/settlement/tables/holds.sql.ts'
import type { Work } from '../../src/settlement/work.ts'
import { addChain, addOrder, addParty, emptyDatabase } from '../operator/world.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { silent } from './fixture.ts'

const CHAIN = 31_337
const AMOUNT = 1_000_000n

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

type Batch = { batchId: bigint; orderId: bigint; name: string; direction: Direction; told: boolean; now: boolean }

async function startWorld(direction: Direction, told: boolean) {
  await emptyDatabase(db, { restartIdentity: true })
  await addChain(db, CHAIN, 90n)
  await writeHold(db, CHAIN, { reason: 'none', details: null, blocked: [] })
  const lease = await acquireLease(db, `settlement:${CHAIN}`, 'model', 600_000)
  const party = await addParty(db)
  const work = {
    db,
    lease,
    logger: silent,
    metrics: noMetrics,
    memory: freshMemory(),
    chain: { config: { chainId: CHAIN } },
  } as unknown as Work
  const batches: Batch[] = []
  const orderId = await addOrder(db, party, {
    chainId: CHAIN,
    direction,
    amountMicro: AMOUNT,
    state: told ? 'completed' : 'failed',
    referenceId: 'first-order',
    batchId: 1n,
  })
  await addFinal(1n, orderId, told)
  batches.push({ batchId: 1n, orderId, name: `${party.integrationId}/first-order`, direction, told, now: told })

  async function addFinal(batchId: bigint, order: bigint, succeeded: boolean): Promise<void> {
    await withoutGuards(db, (tx) =>
      tx.query(
        `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, status, tx_hash, mined_block, mined_hash,
           success_bitmap, fencing_token, finalized_at)
         values ($1, $2, '0x1', $2, $3, '0x', array[$4::bigint], 1, 'final', '0x2', 50, '0x3', $5, 1, now())`,
        [CHAIN, batchId, `0xd${batchId}`, order, succeeded ? 1 : 0],
      ),
    )
    await withoutGuards(db, (tx) =>
      tx.query('update orders set batch_id = $2, batch_index = 0 where order_id = $1', [order, batchId]),
    )
  }

  let isLost = false
  const pendingRemints = () =>
    db.query<{ id: bigint; name: string; held: boolean }>(
      `select o.order_id as id, integration_id || '/' || reference_id as name, exists (select from order_holds h where h.order_id = o.order_id) as held
       from orders o where integration_id = 'remints' and status = 'pending'`,
    )

  return {
    batches,
    async flip(batch: Batch): Promise<void> {
      batch.now = !batch.now
      await look(batch)
    },
    async explain(batchId: bigint): Promise<string> {
      const batch = batches.find((each) => each.batchId === batchId)
      const result = await db.transaction((tx) =>
        explainOutcome(tx, { chainId: CHAIN, batchId }, 'so', {
          executed: batch?.now ? [0] : [],
          ...(isLost ? { isOfLostChain: true as const } : {}),
        }),
      )
      return 'refused' in result ? result.refused : 'explained'
    },
    async makeGood(name: string): Promise<string> {
      const order = await orderOf(name)
      const done = await db.transaction((tx) => makeGood(tx, order, undefined))
      if (typeof done === 'object' && 'remint' in done) {
        const own = batches.find((each) => each.orderId === order.orderId)
        assert.ok(own?.direction === 'MINT' ? !own.now : own?.now, `${name} is minted again, and is there`)
        return 'minting'
      }
      return typeof done === 'string' ? done : done.refused
    },
    pendingRemints,
    async settle(id: bigint, name: string, succeeds: boolean): Promise<void> {
      const batchId = BigInt(batches.length) + 1n
      await withoutGuards(db, (tx) =>
        tx.query(
          `update orders set status = $2, failure_reason = $3, batch_id = $4, batch_index = 0, tx_hash = '\\x${'ab'.repeat(32)}', block_number = 50 where order_id = $1`,
          [id, succeeds ? 'completed' : 'failed', succeeds ? null : 'wallet_frozen', batchId],
        ),
      )
      await addFinal(batchId, id, succeeds)
      batches.push({ batchId, orderId: id, name, direction: 'MINT', told: succeeds, now: succeeds })
    },
    async reject(id: bigint): Promise<void> {
      await withoutGuards(db, async (tx) => {
        await tx.query(`update orders set status = 'failed', failure_reason = 'rejected' where order_id = $1`, [id])
        await tx.query('delete from order_holds')
      })
    },
    unexplained: async () => (await findOtherOutcomes(db)).map(({ batchId }) => batchId),
    lost: async () => (await findLostOrders(db)).map(({ order }) => order),
    isLost: () => isLost,
    /** What waits there fails, as a settler has it. */
    async lose() {
      if (isLost) return
      isLost = true
      await db.query(`insert into lost_chains (chain_id, reason, lost_by) values ($1, 'x', 'y')`, [CHAIN])
      for (const { id } of await pendingRemints()) await this.reject(id)
    },
    async find() {
      if (!isLost) return
      isLost = false
      await db.transaction((tx) => findChainAgain(tx, CHAIN))
      await withoutGuards(db, async (tx) => {
        await tx.query('update chains set fenced_on = database_timeline()')
      })
    },
    /** What the proof says of the chain, and what the reserve has to cover: the coin of the first order is in no books here. */
    async covers() {
      const base = told ? (direction === 'MINT' ? AMOUNT : -AMOUNT) : 0n
      return { lost: base + (await readCoinsOn(db, CHAIN)), guard: base + (await readReserveFacts(db)).coinsMicro }
    },
    async sums() {
      const there = batches.reduce(
        (sum, { direction, now }) => sum + (now ? (direction === 'MINT' ? 1n : -1n) : 0n),
        0n,
      )
      const [row] = await db.query<{ coins: string }>(
        `select coalesce(-sum(l.amount), 0)::text as coins from ledger_entries e cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)
         where l.account like 'coins:%'`,
      )
      const base = told ? (direction === 'MINT' ? 1n : -1n) : 0n
      return { chain: there, books: base + BigInt(row?.coins ?? 0) / AMOUNT }
    },
  }

  async function look(batch: Batch): Promise<void> {
    const own = await findFinal(db, CHAIN, batch.batchId)
    assert.ok(own)
    const record = { settled: true, digest: own.digest, successBitmap: batch.now ? 1n : 0n, blockNumber: 60n }
    const at = { finalBlock: 100n } as FollowedHead
    await compareOutcomes(work, at, [{ batch: own, record } as never])
  }
}

async function orderOf(name: string): Promise<Order> {
  const slash = name.indexOf('/')
  const found = await findOrderWithFacts(db, name.slice(0, slash), name.slice(slash + 1))
  assert.ok(found)
  return found.order
}

type World = Awaited<ReturnType<typeof startWorld>>
type Step = { does: 'flip' | 'explain' | 'good' | 'settle' | 'fail' | 'reject' | 'lose' | 'find'; at: number }

const pick = <T>(all: readonly T[], at: number): T | undefined => all[at % Math.max(all.length, 1)]

/** Whatever is done, no less is owed than there is. */
async function take(world: World, step: Step): Promise<void> {
  await takeOne(world, step)
  const { chain } = await world.sums()
  const covers = await world.covers()
  assert.equal(covers.lost, covers.guard)
  assert.ok(covers.lost >= chain * AMOUNT, `${JSON.stringify(step)}: ${covers.lost} < ${chain}`)
}

async function takeOne(world: World, { does, at }: Step): Promise<void> {
  if (does === 'lose') return await world.lose()
  if (does === 'find') return await world.find()
  if (world.isLost() && ['flip', 'settle', 'fail'].includes(does)) return
  if (does === 'flip') return await world.flip(pick(world.batches, at) as Batch)
  if (does === 'explain') {
    const id = pick(await world.unexplained(), at)
    if (id !== undefined) await world.explain(id)
    return
  }
  if (does === 'good') {
    const name = pick(await world.lost(), at)
    if (name !== undefined) await world.makeGood(name)
    return
  }
  const remint = pick(await world.pendingRemints(), at)
  if (remint === undefined) return
  if (does === 'reject') await world.reject(remint.id)
  else if (!remint.held) await world.settle(remint.id, remint.name, does === 'settle')
}

/** People do what they are told, until nothing is told. */
async function comeToAnEnd(world: World): Promise<void> {
  const said: string[] = []
  for (let turn = 0; turn < 20; turn += 1) {
    for (const remint of await world.pendingRemints()) {
      if (remint.held) await world.reject(remint.id)
      else await world.settle(remint.id, remint.name, true)
    }
    const [unexplained, lost] = [await world.unexplained(), await world.lost()]
    if (unexplained.length + lost.length + (await world.pendingRemints()).length === 0) return
    for (const id of unexplained) said.push(`explain ${id}: ${await world.explain(id)}`)
    for (const name of await world.lost()) said.push(`good ${name}: ${await world.makeGood(name)}`)
  }
  assert.fail(`it never ends: ${said.slice(-6).join('; ')}`)
}

const steps = (...all: string[]): Step[] =>
  all.map((each) => {
    const [does, at] = each.split(' ')
    return { does: does as Step['does'], at: Number(at) }
  })

const EXAMPLES: [[Direction, boolean], Step[]][] = [
  // Refused, minted again; then as was told, without what had minted it again.
  [['MINT', true], steps('flip 0', 'explain 0', 'good 0', 'settle 0', 'flip 0', 'flip 1')],
  [
    ['MINT', true],
    steps('flip 0', 'explain 0', 'good 0', 'settle 0', 'flip 0', 'flip 1', 'explain 0', 'explain 0', 'flip 0'),
  ],
  [
    ['MINT', true],
    steps(
      'flip 0',
      'explain 0',
      'good 0',
      'settle 0',
      'flip 0',
      'explain 0',
      'flip 1',
      'explain 0',
      'flip 0',
      'explain 0',
      'good 0',
      'settle 0',
      'flip 0',
    ),
  ],
  // As was told, and back, before anybody has said so.
  [['MINT', true], steps('flip 0', 'explain 0', 'flip 0', 'flip 0')],
  [['REDEEM', false], steps('flip 0', 'explain 0', 'good 0', 'settle 0', 'flip 0', 'flip 1')],
]

test('books and chain agree after whatever the chain does and people say, also once it was called lost, and found', async () => {
  const step = fc.record({
    does: fc.constantFrom(
      'flip',
      'flip',
      'explain',
      'explain',
      'good',
      'good',
      'settle',
      'fail',
      'reject',
      'lose',
      'find' as const,
    ),
    at: fc.nat(5),
  }) as fc.Arbitrary<Step>
  const start = fc.constantFrom(['MINT', true], ['MINT', false], ['REDEEM', false], ['REDEEM', true]) as fc.Arbitrary<
    [Direction, boolean]
  >
  await fc.assert(
    fc.asyncProperty(start, fc.array(step, { maxLength: 16 }), async ([direction, told], steps) => {
      const world = await startWorld(direction, told)
      for (const each of steps) await take(world, each)
      if (world.isLost()) {
        await comeToAnEnd(world)
        const { chain } = await world.sums()
        const covers = await world.covers()
        assert.ok(covers.lost >= chain * AMOUNT)
        await world.find()
      }
      await comeToAnEnd(world)
      const { chain, books } = await world.sums()
      assert.equal(books, chain)
      const covers = await world.covers()
      assert.equal(covers.lost, chain * AMOUNT)
    }),
    { examples: EXAMPLES, numRuns: 40 },
  )
})

test('however many outcomes concern nobody, one that does is named', async () => {
  const world = await startWorld('MINT', true)
  await withoutGuards(db, (tx) =>
    tx.query(
      `insert into batch_outcomes (chain_id, batch_id, executed) select 5, n, '{}' from generate_series(1, 100) n`,
    ),
  )
  await world.flip(world.batches[0] as Batch)
  assert.deepEqual(await world.unexplained(), [1n])
})
