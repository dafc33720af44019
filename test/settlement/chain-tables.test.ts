/**
 * Chains, signers and what comes next there: every statement over two chains with equal batch ids, nonces, signers and transaction hashes: what it
 * returns, and which columns of which rows it changes. A statement with a missing condition changes one row too many.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { NO_HISTORY } from '../../src/chain/instructions.ts'
import {
  findChain,
  insertChain,
  moveObservedBlock,
  readNextNonces,
  reconcileNonce,
  setNextBatch,
  takeBatchId,
  takeNonce,
} from '../../src/settlement/tables/chains.sql.ts'
import { noteTimelineOf } from '../../src/settlement/tables/fences.sql.ts'
import type { TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { changesOf } from './changes.ts'
import { wallet } from './fixture.ts'
import { NEXT_BATCH_ID, NEXT_NONCE, plantedDatabase, SIGNERS } from './shadow.ts'

const A = 31_337
const B = 31_338
const [S, T] = SIGNERS

let db: TestDatabase
before(async () => {
  db = await plantedDatabase([B, A])
})
after(() => db.close())

test('a chain is found by its id', async () => {
  const found = await findChain(db, A)
  assert.match(found?.databaseTimeline ?? '', /^\d+\/\d{8}\/\d+$/)
  assert.deepEqual(found, {
    coinAddress: `0xcoin${A}`,
    settlementAddress: `0xsettlement${A}`,
    genesisHash: `0x00${A}`,
    observedBlock: 100n,
    observedHash: `0xb100${A}`,
    nextBatchId: NEXT_BATCH_ID,
    runningHash: NO_HISTORY,
    isPaused: false,
    databaseTimeline: found?.databaseTimeline,
    isTimelineNoted: true,
    fence: 'done',
  })
  assert.equal((await findChain(db, B))?.coinAddress, `0xcoin${B}`)
  assert.equal(await findChain(db, 1), undefined)
})

test('the timeline of a database that has taken over is noted once, with the newest order that there is', async () => {
  await withoutGuards(db, (tx) => tx.query(`update database_timelines set timeline = 'before'`))
  const noted = () =>
    db.query(
      `select after_order_id = (select max(order_id) from orders) as is_newest from database_timelines where timeline = database_timeline()`,
    )
  assert.deepEqual([(await findChain(db, A))?.isTimelineNoted, await noted()], [false, []])
  for (const _ of [1, 2]) await noteTimelineOf(db)
  assert.deepEqual([(await findChain(db, A))?.isTimelineNoted, await noted()], [true, [{ is_newest: true }]])
})

test('a chain is registered once, and never registered over', async () => {
  const identity = { coinAddress: '0xc', settlementAddress: '0xs', genesisHash: '0xg' }
  const chain = { ...identity, observedBlock: 7n, observedHash: '0xb7' }
  const known = await changesOf(db, (tx) => insertChain(tx, A, chain))
  assert.deepEqual(known.changes, [])
  const fresh = await changesOf(db, (tx) => insertChain(tx, 1, chain))
  assert.deepEqual(fresh.changes, [
    'chains 1: new chain_id=1 coin_address=0xc created_at=now ' +
      `fenced_on=${(await findChain(db, A))?.databaseTimeline} genesis_hash=0xg next_batch_id=1 observed_at=now observed_block=7 observed_hash=0xb7 running_hash=${NO_HISTORY} settlement_address=0xs`,
  ])
})

test('the observed block moves, back too, for one chain', async () => {
  const { changes } = await changesOf(db, (tx) => moveObservedBlock(tx, A, 99n, '0xb99'))
  const told = changes.map((change) => change.replace(/observed_at \S+ → now/, 'observed_at → now'))
  assert.deepEqual(told, [`chains ${A}: observed_at → now, observed_block 100 → 99, observed_hash 0xb100${A} → 0xb99`])
})

test('the nonces of a chain are those of its signers', async () => {
  const { result } = await changesOf(db, async (tx) => {
    await takeNonce(tx, B, S, NEXT_NONCE)
    return await readNextNonces(tx, A)
  })
  assert.deepEqual(
    [...result].sort(),
    [
      [S, NEXT_NONCE],
      [T, NEXT_NONCE],
    ].sort(),
  )
})

test('a nonce is taken only while it is the next one, of one signer on one chain', async () => {
  const taken = await changesOf(db, (tx) => takeNonce(tx, A, T, NEXT_NONCE))
  assert.deepEqual(taken, { result: true, changes: [`signers ${A}/${T}: next_nonce 20 → 21`] })
  for (const nonce of [NEXT_NONCE - 1n, NEXT_NONCE + 1n]) {
    assert.deepEqual(await changesOf(db, (tx) => takeNonce(tx, A, T, nonce)), { result: false, changes: [] })
  }
})

test('a batch id is taken only while it is the next one on its history, of one chain', async () => {
  const next = { batchId: NEXT_BATCH_ID, previous: NO_HISTORY, runningHash: '0xafter' } as const
  const taken = await changesOf(db, (tx) => takeBatchId(tx, A, next))
  assert.deepEqual(taken, {
    result: true,
    changes: [`chains ${A}: next_batch_id 9 → 10, running_hash ${NO_HISTORY} → 0xafter`],
  })
  for (const other of [
    { batchId: NEXT_BATCH_ID - 1n },
    { batchId: NEXT_BATCH_ID + 1n },
    { previous: '0xother' as const },
  ]) {
    const refused = await changesOf(db, (tx) => takeBatchId(tx, A, { ...next, ...other }))
    assert.deepEqual(refused, { result: false, changes: [] })
  }
})

test('what comes next is set anew for one chain', async () => {
  const { changes } = await changesOf(db, (tx) => setNextBatch(tx, A, { batchId: 5n, previous: '0xbefore' }))
  assert.deepEqual(changes, [`chains ${A}: next_batch_id 9 → 5, running_hash ${NO_HISTORY} → 0xbefore`])
})

test('a nonce follows the chain upwards, never downwards, and a new signer begins where the chain is', async () => {
  const raised = await changesOf(db, (tx) => reconcileNonce(tx, A, S, NEXT_NONCE + 5n))
  assert.deepEqual(raised, { result: NEXT_NONCE + 5n, changes: [`signers ${A}/${S}: next_nonce 20 → 25`] })
  const lower = await changesOf(db, (tx) => reconcileNonce(tx, A, S, 3n))
  assert.deepEqual(lower, { result: NEXT_NONCE, changes: [] })
  const fresh = await changesOf(db, (tx) => reconcileNonce(tx, A, wallet(9), 3n))
  assert.deepEqual(fresh, {
    result: 3n,
    changes: [`signers ${A}/${wallet(9)}: new address=${wallet(9)} chain_id=${A} next_nonce=3`],
  })
})
