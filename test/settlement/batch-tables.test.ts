/**
 * Batches and their attempts: every statement over two chains with equal batch ids, nonces, signers and transaction hashes: what it
 * returns, and which columns of which rows it changes. A statement with a missing condition changes one row too many.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { NO_HISTORY } from '../../src/chain/instructions.ts'
import {
  BATCH_ATTEMPTS,
  findBytesOfNonce,
  findDearestOfNonce,
  insertAttempt,
  readRawTransaction,
  recordBroadcast,
} from '../../src/settlement/tables/attempts.sql.ts'
import {
  abandonFrom,
  insertBatch,
  markFinal,
  markMined,
  markRelocated,
  markUnmined,
  readMinedFrom,
  readRunningHash,
} from '../../src/settlement/tables/batches.sql.ts'
import { giveFinal, readFinalAfter, readNewestFinal } from '../../src/settlement/tables/final.sql.ts'
import { insertForeignBatch } from '../../src/settlement/tables/foreign.sql.ts'
import { presentAttempts, readInFlight } from '../../src/settlement/tables/in-flight.sql.ts'
import type { TestDatabase } from '../support/database.ts'
import { dropGuards } from '../support/without-guards.ts'
import { changesOf } from './changes.ts'
import { wallet } from './fixture.ts'
import { attemptsOf, bytesOf, NEXT_NONCE, nonceOf, PLANTED, plantedDatabase, SIGNERS } from './shadow.ts'

const A = 31_337
const B = 31_338
const LONG_AGO = '2026-01-01T00:00:00.000Z'
const [S, T] = SIGNERS
const NEVER = '0xnever'

let db: TestDatabase
let timeline: string | undefined
before(async () => {
  db = await plantedDatabase([B, A])
  timeline = (await db.query<{ now: string }>('select database_timeline() as now'))[0]?.now
})
after(() => db.close())

const NEW = {
  digest: '0xd9',
  runningHash: '0xr9',
  orderIds: [3n, 1n, 2n],
  txHash: '0xh9',
  fencingToken: 8n,
}

test('a new batch is signed, and its attempt has never been sent', async () => {
  const { changes } = await changesOf(db, async (tx) => {
    const batch = { chainId: A, batchId: 9n, signer: S, nonce: NEXT_NONCE }
    await insertBatch(tx, { ...batch, ...NEW })
    const fees = { maxFeePerGas: 5n, maxPriorityFeePerGas: 2n }
    await insertAttempt(tx, { ...batch, txHash: '0xh9', rawTransaction: '0x5ec9', fees, gasLimit: 77n })
  })
  assert.deepEqual(changes, [
    `batch_attempts ${A}/0xh9: new batch_id=9 chain_id=${A} created_at=now gas_limit=77 max_fee_per_gas=5 ` +
      `max_priority_fee_per_gas=2 nonce=20 raw_transaction=\\x5ec9 signer=${S} tx_hash=0xh9`,
    `batches ${A}/9: new batch_id=9 chain_id=${A} created_at=now digest=0xd9 fencing_token=8 is_foreign=false ` +
      `nonce=20 order_count=3 order_ids=0=3 1=1 2=2 running_hash=0xr9 signed_on=${timeline} signer=${S} status=signed taken_back=0 tx_hash=0xh9`,
  ])
})

test('a batch that takes the place of one of others, which was given up, is ours', async () => {
  const { result } = await changesOf(db, async (tx) => {
    await tx.query('update batches set is_foreign = true, settled_at = now() where chain_id = $1 and batch_id = 7', [A])
    await insertBatch(tx, { chainId: A, batchId: 7n, signer: T, nonce: NEXT_NONCE, ...NEW })
    return await tx.query('select is_foreign, settled_at from batches where chain_id = $1 and batch_id = 7', [A])
  })
  assert.deepEqual(result, [{ is_foreign: false, settled_at: null }])
})

test('a batch takes the place of an abandoned one of its id, and of no other', async () => {
  const of = (batchId: bigint) => ({ chainId: A, batchId, signer: T, nonce: NEXT_NONCE, ...NEW })
  await db.query(`update batches set signed_on = 'before' where chain_id = $1 and batch_id = 7`, [A])
  const { changes } = await changesOf(db, (tx) => insertBatch(tx, of(7n)))
  assert.deepEqual(changes, [
    `batches ${A}/7: created_at ${LONG_AGO} → now, digest 0xd${A}7 → 0xd9, ` +
      `fencing_token 7 → 8, nonce ${nonceOf('abandoned')} → 20, order_count 2 → 3, order_ids 0=0 1=0 → 0=3 1=1 2=2, ` +
      `running_hash 0x${A}7 → 0xr9, signed_on before → ${timeline}, signer ${S} → ${T}, status abandoned → signed, tx_hash ${attemptsOf(7n)[0]} → 0xh9`,
  ])
  for (const batchId of [1n, 3n, 5n]) {
    await assert.rejects(
      changesOf(db, (tx) => insertBatch(tx, of(batchId))),
      /is stored already/,
    )
  }
})

test('a batch that others made takes the place of an abandoned one of its id, and of none that is ours', async () => {
  const instruction = { tag: '0x00', direction: 'MINT', walletAddress: wallet(1), debitAddress: null } as const
  const settled = {
    digest: '0xf0',
    runningHash: '0xf1',
    txHash: '0xf3',
    blockHash: '0xf4',
    settledAt: new Date(0),
  } as const
  const of = (batchId: bigint) => ({
    ...settled,
    batchId,
    signer: wallet(9),
    nonce: 3n,
    successBitmap: 1n,
    blockNumber: 44n,
    instructions: [{ ...instruction, amountMicro: 5n }],
  })
  const { changes } = await changesOf(db, (tx) => insertForeignBatch(tx, A, of(7n), 8n))
  assert.ok(
    changes.some((line) => line.startsWith(`batches ${A}/7:`) && line.includes('is_foreign false → true')),
    changes.join('\n'),
  )
  for (const batchId of [1n, 3n, 5n]) {
    assert.deepEqual((await changesOf(db, (tx) => insertForeignBatch(tx, A, of(batchId), 8n))).changes, [])
  }
})

test('a batch and all behind it are abandoned, where they are not mined', async () => {
  const { result, changes } = await changesOf(db, (tx) => abandonFrom(tx, A, 5n))
  assert.deepEqual(result.sort(), [5n, 6n])
  assert.deepEqual(changes, [`batches ${A}/5: status signed → abandoned`, `batches ${A}/6: status signed → abandoned`])
  assert.deepEqual((await changesOf(db, (tx) => abandonFrom(tx, A, 6n))).result, [6n])
  assert.deepEqual((await changesOf(db, (tx) => abandonFrom(tx, A, 7n))).changes, [])
})

test('what a node answered is remembered with the one attempt, in bounds', async () => {
  const [hash] = attemptsOf(5n)
  const { changes } = await changesOf(db, (tx) => recordBroadcast(tx, A, hash, 'x'.repeat(500)))
  assert.deepEqual(changes, [
    `batch_attempts ${A}/${hash}: last_answer accepted → ${'x'.repeat(300)}, last_broadcast_at ${LONG_AGO} → now`,
  ])
})

test('bytes and running hashes are those of the chain that is asked for', async () => {
  for (const chainId of [A, B]) {
    assert.equal(await readRawTransaction(db, chainId, attemptsOf(6n)[1]), bytesOf(chainId, attemptsOf(6n)[1]))
    assert.equal(await readRunningHash(db, chainId, 6n), `0x${chainId}6`)
    assert.equal(await readRunningHash(db, chainId, 0n), NO_HISTORY)
  }
  assert.equal(await readRawTransaction(db, A, NEVER), undefined)
  await assert.rejects(readRunningHash(db, A, 99n), /99 is not stored/)
})

test('of the bytes that a signer signed under a nonce, the best paid ones are found first, with the batch that they are for', async () => {
  const nonce = nonceOf('signed')
  const found = (chainId: number, batchId: bigint) => {
    const [first, raised] = attemptsOf(batchId)
    return [raised, first].map((hash) => ({ raw: bytesOf(chainId, hash), batchId, digest: `0xd${chainId}${batchId}` }))
  }
  assert.deepEqual(await findBytesOfNonce(db, A, S, nonce), found(A, 5n))
  assert.deepEqual(await findBytesOfNonce(db, A, T, nonce), found(A, 6n))
  assert.deepEqual(await findBytesOfNonce(db, B, T, nonce), found(B, 6n))
  assert.deepEqual(await findBytesOfNonce(db, A, S, nonceOf('final')), found(A, 1n))
  assert.deepEqual(await findBytesOfNonce(db, A, S, 99n), [])
  assert.deepEqual(await findBytesOfNonce(db, A, wallet(9), nonce), [])
})

test('the most that a signer offered under a nonce is found whoever has the batch by now, among the newest batches only', async () => {
  const nonce = nonceOf('signed')
  const { result } = await changesOf(db, async (tx) => {
    await dropGuards(tx)
    await tx.query(
      `update batch_attempts set max_fee_per_gas = 900, max_priority_fee_per_gas = 1 where chain_id = $1 and tx_hash = $2`,
      [A, attemptsOf(5n)[0]],
    )
    await tx.query(
      `update batch_attempts set max_fee_per_gas = 800, max_priority_fee_per_gas = 7 where chain_id = $1 and tx_hash = $2`,
      [A, attemptsOf(5n)[1]],
    )
    await tx.query(`update batches set signer = $2, nonce = nonce + 50 where chain_id = $1 and batch_id = 5`, [A, T])
    const found = [
      await findDearestOfNonce(tx, A, S, nonce),
      await findDearestOfNonce(tx, A, S, 99n),
      await findDearestOfNonce(tx, A, wallet(9), nonce),
      await findDearestOfNonce(tx, 1, S, nonce),
    ]
    const newest = async (batchId: bigint) => {
      await tx.query(
        `update batches set batch_id = $2 where chain_id = $1 and batch_id = (select max(batch_id) from batches where chain_id = $1)`,
        [A, batchId],
      )
      return await findDearestOfNonce(tx, A, S, nonce)
    }
    return [...found, await newest(10_004n), await newest(10_005n)]
  })
  const dearest = { maxFeePerGas: 900n, maxPriorityFeePerGas: 7n }
  assert.deepEqual(result, [dearest, undefined, undefined, undefined, dearest, undefined])
})

test('bytes may go once their batch is final or abandoned, and are waited for while it is signed or mined', async () => {
  const decided = await db.query<{ batch_id: bigint }>(
    `select distinct batch_id from batch_attempts t where chain_id = $1 and ${BATCH_ATTEMPTS.decided} order by 1`,
    [A],
  )
  assert.deepEqual(
    decided.map(({ batch_id }) => batch_id),
    [...PLANTED.final, ...PLANTED.abandoned],
  )
  const awaited = async (before: string, changes = 'select 1') => {
    const { result } = await changesOf(db, async (tx) => {
      await dropGuards(tx)
      await tx.query(changes)
      const [row] = await tx.query<{ is: boolean }>(`select ${BATCH_ATTEMPTS.awaited} as is`, [before])
      return row?.is
    })
    return result
  }
  assert.deepEqual([await awaited('2026-02-01T00:00:00Z'), await awaited(LONG_AGO)], [true, false])
  const end = (status: string) => `delete from batches where status = '${status}'`
  for (const status of ['signed', 'mined']) assert.equal(await awaited('2026-02-01T00:00:00Z', end(status)), true)
  const all = "delete from batches where status in ('signed', 'mined')"
  assert.equal(await awaited('2026-02-01T00:00:00Z', all), false)
})

test('mined batches are found from an id on', async () => {
  assert.deepEqual(await readMinedFrom(db, A, 1n), [3n, 4n])
  assert.deepEqual(await readMinedFrom(db, A, 4n), [4n])
  assert.deepEqual(await readMinedFrom(db, A, 5n), [])
})

test('bytes of an abandoned batch are never found, nor those of what had the id before: others carry their orders', async () => {
  for (const signer of SIGNERS) assert.deepEqual(await findBytesOfNonce(db, A, signer, nonceOf('abandoned')), [])
  const nonce = nonceOf('signed')
  for (const other of ['nonce = nonce + 50', `signer = '0xother'`]) {
    const { result } = await changesOf(db, async (tx) => {
      await tx.query(`update batches set ${other} where chain_id = $1 and batch_id = 5`, [A])
      return await findBytesOfNonce(tx, A, S, nonce)
    })
    assert.deepEqual(result, [])
  }
})

const place = { blockNumber: 101n, blockHash: '0xb101', txHash: attemptsOf(5n)[1] }
/** Of the wallet that the second order of every planted batch debits. */
const earmarked = (to: bigint) =>
  `wallet_earmarks ${A}/${wallet(2)}: earmarked_micro 1000000 → ${to}, epoch 0 → 1, facts_epoch 0 → 1`

test('a signed batch is mined, a mined one moves to another block, a decided one stays', async () => {
  const signed = await changesOf(db, (tx) => markMined(tx, A, { batchId: 5n, ...place }))
  assert.deepEqual(signed.changes, [
    `batches ${A}/5: mined_block null → 101, mined_hash null → 0xb101, moved_at null → now, ` +
      `status signed → mined, tx_hash ${attemptsOf(5n)[0]} → ${place.txHash}`,
    earmarked(1_000_000n - 105n),
  ])
  const again = await changesOf(db, (tx) => markRelocated(tx, A, { batchId: 3n, ...place }))
  assert.deepEqual(again.changes, [
    `batches ${A}/3: mined_block 90 → 101, mined_hash 0xb90 → 0xb101, moved_at null → now, ` +
      `tx_hash ${attemptsOf(3n)[1]} → ${place.txHash}`,
  ])
  for (const batchId of [...PLANTED.mined, ...PLANTED.final, ...PLANTED.abandoned]) {
    assert.deepEqual((await changesOf(db, (tx) => markMined(tx, A, { batchId, ...place }))).changes, [])
  }
  for (const batchId of [...PLANTED.signed, ...PLANTED.final, ...PLANTED.abandoned]) {
    assert.deepEqual((await changesOf(db, (tx) => markRelocated(tx, A, { batchId, ...place }))).changes, [])
  }
})

test('a mined batch that a reorganisation took back is signed again, and all its attempts are due to be sent', async () => {
  const [first, second] = attemptsOf(4n)
  const { changes } = await changesOf(db, (tx) => markUnmined(tx, A, 4n))
  assert.deepEqual(changes, [
    `batch_attempts ${A}/${first}: last_broadcast_at ${LONG_AGO} → null`,
    `batch_attempts ${A}/${second}: last_broadcast_at 2026-01-01T00:01:00.000Z → null`,
    `batches ${A}/4: mined_block 90 → null, mined_hash 0xb90 → null, moved_at null → now, status mined → signed`,
    earmarked(1_000_000n + 104n),
  ])
  for (const batchId of [1n, 5n, 7n]) {
    const { changes: others } = await changesOf(db, (tx) => markUnmined(tx, A, batchId))
    assert.deepEqual(
      others.filter((line) => !line.startsWith('batch_attempts')),
      [],
    )
  }
})

test('only a mined batch becomes final', async () => {
  const orders = await db.query<{ order_id: bigint }>(
    'select order_id from signed_orders join orders o using (order_id) where o.chain_id = $1 and signed_orders.batch_id = 3 order by signed_orders.batch_index',
    [A],
  )
  const final = await changesOf(db, async (tx) => (await markFinal(tx, A, 3n, 2n))?.orderIds)
  assert.deepEqual(final, {
    result: orders.map((row) => row.order_id),
    changes: [`batches ${A}/3: finalized_at null → now, status mined → final, success_bitmap null → 2`],
  })
  for (const batchId of [1n, 5n, 7n]) {
    assert.deepEqual(await changesOf(db, (tx) => markFinal(tx, A, batchId, 2n)), { result: undefined, changes: [] })
  }
})

test('the newest final batches of one chain come newest first', async () => {
  const newest = await readNewestFinal(db, A, 20)
  assert.deepEqual(newest, [
    {
      batchId: 2n,
      digest: `0xd${A}2`,
      successBitmap: 3n,
      signer: T,
      nonce: nonceOf('final'),
      minedBlock: 90n,
      minedHash: '0xb90',
      txHash: attemptsOf(2n)[1],
      isForeign: false,
    },
    {
      batchId: 1n,
      digest: `0xd${A}1`,
      successBitmap: 3n,
      signer: S,
      nonce: nonceOf('final'),
      minedBlock: 90n,
      minedHash: '0xb90',
      txHash: attemptsOf(1n)[1],
      isForeign: false,
    },
  ])
  assert.deepEqual(await readNewestFinal(db, A, 1), newest.slice(0, 1))
  const idsAfter = async (id: bigint, limit = 20) =>
    (await readFinalAfter(db, A, id, limit)).map(({ batchId }) => batchId)
  assert.deepEqual([await idsAfter(0n), await idsAfter(1n), await idsAfter(0n, 1)], [[1n, 2n], [2n], [1n]])
  await changesOf(db, async (tx) => {
    await tx.query('update chains set next_batch_id = 2 where chain_id = $1', [A])
    const planned = await readFinalAfter(tx, A, 0n, 20)
    assert.deepEqual([planned.length, planned[0]?.batchId], [1, 1n], 'what the next one does not follow is left out')
  })
})

test('a lost batch is given to another signer if it is final, and nothing else of it changes', async () => {
  const carrier = { signer: S, nonce: 77n, txHash: '0xanew' }
  const { changes } = await changesOf(db, (tx) => giveFinal(tx, A, 2n, carrier))
  assert.deepEqual(changes, [
    `batches ${A}/2: nonce ${nonceOf('final')} → 77, signer ${T} → ${S}, tx_hash ${attemptsOf(2n)[1]} → 0xanew`,
  ])
  await assert.rejects(
    changesOf(db, (tx) => giveFinal(tx, A, 3n, carrier)),
    /batch 3 is not final any more/,
  )
})

test('in flight is what is signed or mined on one chain, by batch id, each with its attempts, oldest first', async () => {
  const inFlight = await readInFlight(db, A)
  assert.deepEqual(
    inFlight.map(({ batchId, status, signer, nonce }) => ({ batchId, status, signer, nonce })),
    [
      { batchId: 3n, status: 'mined', signer: S, nonce: nonceOf('mined') },
      { batchId: 4n, status: 'mined', signer: T, nonce: nonceOf('mined') },
      { batchId: 5n, status: 'signed', signer: S, nonce: nonceOf('signed') },
      { batchId: 6n, status: 'signed', signer: T, nonce: nonceOf('signed') },
    ],
  )
  for (const { batchId, attempts } of inFlight) {
    assert.deepEqual(
      attempts.map(({ txHash }) => txHash),
      attemptsOf(batchId),
    )
  }
  const [mined, , signed] = inFlight
  assert.deepEqual(
    { ...mined, attempts: [] },
    {
      batchId: 3n,
      signer: S,
      nonce: nonceOf('mined'),
      digest: `0xd${A}3`,
      orderCount: 2,
      status: 'mined',
      minedBlock: 90n,
      minedHash: '0xb90',
      txHash: attemptsOf(3n)[1],
      attempts: [],
    },
  )
  const [first, second] = signed?.attempts ?? []
  assert.deepEqual(
    [first?.fees, second?.fees],
    [
      { maxFeePerGas: 100n, maxPriorityFeePerGas: 10n },
      { maxFeePerGas: 120n, maxPriorityFeePerGas: 12n },
    ],
  )
  assert.deepEqual([first?.signer, first?.nonce, first?.gasLimit], [S, nonceOf('signed'), 500_000n])
  assert.ok(Math.round((first?.sinceBroadcastMs ?? 0) - (second?.sinceBroadcastMs ?? 0)) === 60_000)
  assert.deepEqual([first?.verdict, second?.verdict], ['accepted', 'accepted'])
})

test('a batch without attempts (adopted) is in flight too, and an attempt that was never sent says so', async () => {
  const { result } = await changesOf(db, async (tx) => {
    await tx.query('delete from batch_attempts where chain_id = $1 and batch_id = 5', [A])
    await markUnmined(tx, A, 4n)
    return await readInFlight(tx, A)
  })
  assert.deepEqual(
    result.map(({ batchId, attempts }) => [batchId, attempts.length]),
    [
      [3n, 2],
      [4n, 2],
      [5n, 0],
      [6n, 2],
    ],
  )
  assert.equal(result[1]?.attempts[0]?.sinceBroadcastMs, null)
})

test('attempts of the same age come by their fee: a bump is newer than what it replaces', async () => {
  const { result } = await changesOf(db, async (tx) => {
    await tx.query('update batch_attempts set created_at = now(), max_fee_per_gas = 300 - max_fee_per_gas')
    return await readInFlight(tx, A)
  })
  assert.deepEqual(
    result[0]?.attempts.map(({ txHash }) => txHash),
    [...attemptsOf(3n)].reverse(),
  )
})

test('the attempts of the present nonce are those of the present signer', async () => {
  const [batch] = (await readInFlight(db, A)).filter(({ batchId }) => batchId === 5n)
  assert.ok(batch !== undefined)
  assert.equal(presentAttempts(batch).length, 2)
  assert.deepEqual(presentAttempts({ ...batch, nonce: batch.nonce + 1n }), [])
  assert.deepEqual(presentAttempts({ ...batch, signer: T }), [])
})
