// engine: postgres; both in test:long
/** Batches of others, with a scripted node: which are read, how deep, how many at a time, and what is kept of them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { zeroAddress } from 'viem'
import { digestOf, KIND, NO_HISTORY, packInstructions, runningHashAfter } from '../../src/chain/instructions.ts'
import { NoQuorumError } from '../../src/chain/quorum.ts'
import { releaseLease } from '../../src/leases/leases.sql.ts'
import { FIRST_SEARCH } from '../../src/settlement/form/search.ts'
import { catchUp, lookForForeign } from '../../src/settlement/repair/history.ts'
import { readInFlight } from '../../src/settlement/tables/in-flight.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { wallet } from './fixture.ts'
import { type ScriptedBatch, transactionOf } from './scripted-chain.ts'
import { batch, DEPTH, startFollower, THIEF } from './scripted-follower.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

type Follower = Awaited<ReturnType<typeof startFollower>>

const theirs = (batchId: bigint, amount = batchId * 11n): ScriptedBatch => ({
  ...batch(batchId, amount),
  sender: THIEF,
})
const inFlightOf = (s: Follower) => readInFlight(db, s.chainId)
const head = (s: Follower, below = 0) => s.chain.head(s.work.chain.nodes as never, below)
const catchUpOf = async (s: Follower, below = 0) => await catchUp(s.work, head(s, below), await inFlightOf(s))
const lookOf = async (s: Follower) => await lookForForeign(s.work, head(s), await inFlightOf(s))
/** `1:final foreign` and so on, and the id of the next batch. */
async function kept(s: Follower): Promise<string[]> {
  const rows = await db.query<{ line: string }>(
    `select batch_id || ':' || status || case when is_foreign then ' foreign' else '' end as line from batches
     where chain_id = $1 order by batch_id`,
    [s.chainId],
  )
  const [chain] = await db.query<{ next: bigint }>('select next_batch_id as next from chains where chain_id = $1', [
    s.chainId,
  ])
  return [...rows.map(({ line }) => line), `next ${chain?.next}`]
}
const deepen = (s: Follower) => {
  for (let block = 1; block < DEPTH; block += 1) s.chain.mine()
}

test('what others have settled is kept once its block is final, with its signer, place and instructions', async () => {
  const s = await startFollower(db)
  const [mint] = theirs(1n).instructions
  const instructions = [
    ...(mint ? [mint] : []),
    { kind: KIND.REDEEM, from: wallet(4), to: zeroAddress, amount: 2n, tag: '0x00000000000000aa' } as const,
    { kind: KIND.TRANSFER, from: wallet(5), to: wallet(6), amount: 3n, tag: '0x00000000000000bb' } as const,
  ]
  const stolen = { ...theirs(1n), instructions, bitmap: 0b101n }
  s.chain.mine({ batches: [stolen, theirs(2n)] })
  s.chain.mine()
  assert.deepEqual(await catchUpOf(s), {
    kept: 0,
    head: { lastBatchId: 2n, runningHash: NO_HISTORY, supplyMicro: 33n },
  })
  assert.deepEqual([await kept(s), s.memory.hasUnread], [['next 1'], true])
  s.chain.mine()
  const search = { ...FIRST_SEARCH, fullAtMs: 5 }
  Object.assign(s.memory, { recordedHash: 'known', hasForeignBatch: true })
  s.work.memory.form.search = search
  assert.equal((await catchUpOf(s)).kept, 2)
  assert.deepEqual(await kept(s), ['1:final foreign', '2:final foreign', 'next 3'])
  assert.deepEqual(
    [s.memory.hasUnread, s.memory.recordedHash, s.memory.hasForeignBatch, s.work.memory.form.search],
    [false, undefined, false, FIRST_SEARCH],
  )
  const [row] = await db.query<Record<string, unknown>>(
    `select signer, nonce, digest, running_hash, tx_hash, mined_block, success_bitmap::text as bitmap from batches
     where chain_id = $1 and batch_id = 1`,
    [s.chainId],
  )
  const digest = digestOf(packInstructions(instructions))
  assert.deepEqual(row, {
    signer: THIEF,
    nonce: 0n,
    digest,
    running_hash: runningHashAfter(NO_HISTORY, digest),
    tx_hash: transactionOf(stolen),
    mined_block: 1n,
    bitmap: '5',
  })
  const found = await db.query(
    `select direction, wallet_address as wallet, debit_address as debit, amount_micro as amount, succeeded from foreign_instructions
     where chain_id = $1 and batch_id = 1 order by instruction_index`,
    [s.chainId],
  )
  assert.deepEqual(found, [
    { direction: 'MINT', wallet: wallet(1), debit: null, amount: '11', succeeded: true },
    { direction: 'REDEEM', wallet: wallet(4), debit: wallet(4), amount: '2', succeeded: false },
    { direction: 'TRANSFER', wallet: wallet(6), debit: wallet(5), amount: '3', succeeded: true },
  ])
  const [next] = await db.query<{ hash: string }>('select running_hash as hash from chains where chain_id = $1', [
    s.chainId,
  ])
  const second = digestOf(packInstructions(theirs(2n).instructions))
  const both = runningHashAfter(runningHashAfter(NO_HISTORY, digest), second)
  assert.equal(next?.hash, both, 'what comes next follows the last of them')
  assert.deepEqual(s.steps, ['history-kept'])
  assert.deepEqual(s.toldOf('foreign'), [2])
  assert.deepEqual(
    s.logged.map(([level, text]) => [level, /did not make/.test(text)]),
    [['fatal', true]],
  )
})

test('batches that are as planned are passed over; from the first other one on, what was planned is abandoned', async () => {
  const s = await startFollower(db)
  const ours = [1n, 2n, 3n].map((id) => batch(id))
  await s.store(...ours)
  await db.query('update chains set next_batch_id = 4 where chain_id = $1', [s.chainId])
  s.chain.mine({ batches: [batch(1n)] })
  s.chain.mine({ batches: [theirs(2n)] })
  s.chain.mine({ batches: [{ ...batch(3n), sender: THIEF }] })
  deepen(s)
  await s.look()
  assert.equal((await catchUpOf(s)).kept, 2)
  assert.deepEqual(await kept(s), ['1:final', '2:final foreign', '3:final foreign', 'next 4'])
})

test('where all is as planned nothing is kept, and what the contract has beyond the plan is known to be there', async () => {
  const s = await startFollower(db)
  await s.store(batch(1n))
  await db.query('update chains set next_batch_id = 2 where chain_id = $1', [s.chainId])
  s.chain.mine({ batches: [batch(1n)] })
  assert.equal((await catchUpOf(s)).kept, 0)
  assert.equal(s.memory.hasUnread, false)
  s.chain.mine({ batches: [theirs(2n)] })
  assert.equal((await catchUpOf(s)).kept, 0)
  assert.equal(s.memory.hasUnread, true)
  assert.deepEqual([await kept(s), s.logged, s.steps], [['1:signed', 'next 2'], [], []])
})

test('fifty are read at a time, and the rest is known to be there', async () => {
  const s = await startFollower(db)
  s.chain.mine({ batches: Array.from({ length: 52 }, (_, index) => theirs(BigInt(index + 1))) })
  deepen(s)
  assert.equal((await catchUpOf(s)).kept, 50)
  assert.deepEqual([(await kept(s)).at(-1), s.memory.hasUnread], ['next 51', true])
  assert.equal((await catchUpOf(s)).kept, 2)
  assert.deepEqual([(await kept(s)).at(-1), s.memory.hasUnread], ['next 53', false])
  s.chain.mine({ batches: Array.from({ length: 50 }, (_, index) => theirs(BigInt(index + 53))) })
  deepen(s)
  assert.equal((await catchUpOf(s)).kept, 50)
  assert.deepEqual([(await kept(s)).at(-1), s.memory.hasUnread], ['next 103', false])
})

test('of several foreign batches only the last that is not read yet is still unread', async () => {
  const s = await startFollower(db)
  s.chain.mine({ batches: [theirs(1n), theirs(2n)] })
  deepen(s)
  s.chain.mine({ batches: [theirs(3n)] })
  assert.equal((await catchUpOf(s)).kept, 2)
  assert.deepEqual([await kept(s), s.memory.hasUnread], [['1:final foreign', '2:final foreign', 'next 3'], true])
})

test('a batch whose transaction no node finds, or whose bytes are no instructions, is not kept', async () => {
  const s = await startFollower(db)
  s.chain.mine({ batches: [theirs(1n)] })
  deepen(s)
  s.chain.hide(transactionOf(theirs(1n)))
  await assert.rejects(catchUpOf(s), NoQuorumError)
  s.chain.show()
  s.chain.swapTransactionOf(1n, { batchId: 1n, instructions: [] })
  await assert.rejects(catchUpOf(s), NoQuorumError)
  assert.deepEqual(await kept(s), ['next 1'])
})

test('with nothing under way the history is read at once; behind batches of ours it is only noted, unless that is done', async () => {
  const s = await startFollower(db)
  s.chain.mine({ batches: [theirs(1n)] })
  deepen(s)
  s.memory.behindSinceMs = 1
  await lookOf(s)
  assert.deepEqual(s.chain.asked, [], 'not while heads lag')
  s.memory.behindSinceMs = undefined
  s.memory.hasUnread = false
  await lookOf(s)
  assert.deepEqual(await kept(s), ['1:final foreign', 'next 2'])

  await s.store(batch(2n))
  await db.query('update chains set next_batch_id = 3 where chain_id = $1', [s.chainId])
  s.memory.readOn = 'a run'
  s.chain.asked.length = 0
  await lookOf(s)
  assert.deepEqual(s.chain.asked, [], 'the watch of the chain sees what comes')
  s.memory.hasUnread = undefined
  await lookOf(s)
  assert.equal(s.memory.hasUnread, false)
  s.chain.mine({ batches: [batch(2n), theirs(3n)] })
  s.memory.hasUnread = true
  deepen(s)
  await lookOf(s)
  assert.deepEqual([s.memory.hasUnread, await kept(s)], [true, ['1:final foreign', '2:signed', 'next 3']])
})

test('nodes that cannot tell are asked again; whatever else fails is no silence of nodes', async () => {
  const s = await startFollower(db)
  s.chain.mine({ batches: [theirs(1n)] })
  deepen(s)
  s.refuses.push('eth_call')
  await lookOf(s)
  assert.deepEqual(
    s.logged.map(([level]) => level),
    ['debug'],
  )
  s.refuses.length = 0
  await releaseLease(db, s.work.lease)
  await assert.rejects(lookOf(s), { name: 'LeaseLostError' })
})
