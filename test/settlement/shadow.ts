/**
 * A chain known only to the database, in the middle of its work: batches in every status, two of each, with the same
 * ids, nonces, signers and transaction hashes as the chain under test. Nothing done for another chain may read or
 * change it.
 */
import type { Queryable } from '../../src/db/database.ts'
import type { BatchStatus, Direction, OrderStatus } from '../../src/orders/order.ts'
import { addSignedLine, BATCH_COLUMNS, batchColumns } from '../support/batch-rows.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { account, wallet } from './fixture.ts'
import { PARTIES, seedParties } from './parties.ts'

export const SHADOW_CHAIN = 31_338

/** The signers of every planted chain. */
export const SIGNERS = [account('signer').address, account('second').address] as const

/** The batch ids of every planted chain by status: one for each signer, under the same nonce. */
export const PLANTED: Readonly<Record<BatchStatus, readonly [bigint, bigint]>> = {
  final: [1n, 2n],
  mined: [3n, 4n],
  signed: [5n, 6n],
  abandoned: [7n, 8n],
}
export const NEXT_BATCH_ID = 9n
export const NEXT_NONCE = 20n

/** The nonce that both batches of a status carry, under one signer each. */
export const nonceOf = (status: BatchStatus): bigint => 10n + BigInt(Object.keys(PLANTED).indexOf(status))

/** The planted attempts of a batch: the second one raised the fee of the first. */
export const attemptsOf = (batchId: bigint): readonly [string, string] => {
  const own = String(batchId).padStart(63, '0')
  return [`0x${own}a`, `0x${own}b`]
}

/** The planted bytes of an attempt. */
export const bytesOf = (chainId: number, txHash: string): string =>
  `0x${Buffer.from(`${chainId}${txHash}`).toString('hex')}`

const LONG_AGO = '2026-01-01T00:00:00Z'

/** A database of its own with the parties and nothing else but these chains. */
export async function plantedDatabase(chainIds: readonly number[]): Promise<TestDatabase> {
  const db = await createTestDatabase()
  await seedParties(db)
  for (const chainId of chainIds) await plantChain(db, chainId)
  return db
}

/** Plants a chain with two signers, eight batches of two orders each but for abandoned ones, eight waiting orders and two wallets with earmarks. */
export async function plantChain(db: Queryable, chainId: number): Promise<void> {
  await db.query(
    `insert into chains (chain_id, coin_address, settlement_address, genesis_hash, observed_block, observed_hash,
       next_batch_id, created_at) values ($1, $2, $3, $4, 100, $5, $6, $7)`,
    [
      chainId,
      `0xcoin${chainId}`,
      `0xsettlement${chainId}`,
      `0x00${chainId}`,
      `0xb100${chainId}`,
      NEXT_BATCH_ID,
      LONG_AGO,
    ],
  )
  for (const address of SIGNERS)
    await db.query('insert into signers values ($1, $2, $3)', [chainId, address, NEXT_NONCE])
  for (const [status, batchIds] of Object.entries(PLANTED) as [BatchStatus, readonly bigint[]][]) {
    for (const [index, batchId] of batchIds.entries())
      await plantBatch(db, chainId, batchId, status, SIGNERS[index] ?? '')
  }
  await plantWaiting(db, chainId)
  for (const seed of [1, 2]) {
    await db.query('insert into wallet_earmarks (chain_id, address, earmarked_micro) values ($1, $2, 1000000)', [
      chainId,
      wallet(seed),
    ])
  }
  await db.query(
    `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
     values ($1, 1, 0, '0x0123456789abcdef', 'MINT', $2, 5, true)`,
    [chainId, wallet(1)],
  )
  await db.query(`insert into chain_limits values ($1, 'MINT', 9, $2)`, [chainId, LONG_AGO])
  await db.query("insert into leases values ($1, $2, 7, now() + interval '1 day', '1 day')", [
    `settlement:${chainId}`,
    'another process',
  ])
  // Otherwise other chains wait for it, as whoever settles it says.
  await db.query('update chains set fenced_on = database_timeline() where chain_id = $1', [chainId])
}

async function plantBatch(db: Queryable, chainId: number, batchId: bigint, status: BatchStatus, signer: string) {
  const isMined = status === 'mined' || status === 'final'
  const place = { amountMicro: 100n + batchId, batch: { batchId, status } }
  // The orders of an abandoned batch are in none.
  const orderIds =
    status === 'abandoned'
      ? [0n, 0n]
      : [
          await plantOrder(db, chainId, { direction: 'MINT', index: 0, ...place }),
          await plantOrder(db, chainId, { direction: 'TRANSFER', index: 1, ...place }),
        ]
  await db.query(
    `insert into batches (chain_id, batch_id, signer, nonce, digest, order_ids, order_count, status, mined_block,
       mined_hash, tx_hash, success_bitmap, fencing_token, created_at, finalized_at, running_hash)
     values ($1, $2, $3, $4, $5, $6, 2, $7, $8, $9, $10, $11, 7, $12, $13, $14)`,
    [
      chainId,
      batchId,
      signer,
      nonceOf(status),
      `0xd${chainId}${batchId}`,
      orderIds,
      status,
      ...(isMined ? [90n, '0xb90'] : [null, null]),
      attemptsOf(batchId)[isMined ? 1 : 0],
      status === 'final' ? 3n : null,
      LONG_AGO,
      status === 'final' ? LONG_AGO : null,
      `0x${chainId}${batchId}`,
    ],
  )
  for (const [index, hash] of attemptsOf(batchId).entries()) {
    await db.query(
      `insert into batch_attempts (chain_id, batch_id, tx_hash, signer, nonce, raw_transaction, max_fee_per_gas,
         max_priority_fee_per_gas, gas_limit, created_at, last_broadcast_at, last_answer)
       values ($1, $2, $3, $4, $5, decode(substr($6, 3), 'hex'), $7, $8, 500000, $9, $9, 'accepted')`,
      [
        chainId,
        batchId,
        hash,
        signer,
        nonceOf(status),
        bytesOf(chainId, hash),
        100n + BigInt(index) * 20n,
        10n + BigInt(index) * 2n,
        new Date(Date.parse(LONG_AGO) + index * 60_000),
      ],
    )
  }
}

const STATUS_IN: Readonly<Record<BatchStatus, OrderStatus>> = {
  final: 'completed',
  mined: 'pending',
  signed: 'pending',
  abandoned: 'pending',
}

/** The waiting orders, in the order of their acceptance. */
export const WAITING: readonly { direction: Direction; amountMicro: bigint }[] = [
  { direction: 'MINT', amountMicro: 10n },
  { direction: 'TRANSFER', amountMicro: 20n },
  { direction: 'REDEEM', amountMicro: 30n },
  { direction: 'MINT', amountMicro: 4_000n },
  { direction: 'TRANSFER', amountMicro: 5_000n },
  { direction: 'REDEEM', amountMicro: 6_000n },
  { direction: 'MINT', amountMicro: 70n },
]

async function plantWaiting(db: Queryable, chainId: number): Promise<void> {
  for (const [index, order] of WAITING.entries()) {
    await plantOrder(db, chainId, { ...order, index })
  }
  await plantOrder(db, chainId, { direction: 'MINT', waitsForPayment: true, amountMicro: 1n, index: 0 })
}

type Planted = {
  direction: Direction
  amountMicro: bigint
  index: number
  /** Not in one: it waits for one, or for its payment. */
  batch?: { batchId: bigint; status: BatchStatus }
  waitsForPayment?: boolean
}

async function plantOrder(db: Queryable, chainId: number, order: Planted): Promise<bigint> {
  const { integrationId, customerId, keyId } = order.index % 2 === 0 ? PARTIES[0] : PARTIES[1]
  const { batch, waitsForPayment = false } = order
  const status = batch ? STATUS_IN[batch.status] : waitsForPayment ? 'payment_pending' : 'pending'
  const place = batch && { batchId: batch.batchId, batchIndex: order.index, txHash: attemptsOf(batch.batchId)[1] }
  const [row] = await db.query<{ order_id: bigint }>(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address,
       wallet_address, debit_address, customer_id, key_id, amount_micro, created_at, ${BATCH_COLUMNS})
     values ($1, 'planted-' || gen_random_uuid(), $2, $3, $4, 'network', 'token', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     returning order_id`,
    [
      integrationId,
      order.direction,
      status,
      chainId,
      wallet(1),
      order.direction === 'MINT' ? null : wallet(1 + (order.index % 2)),
      customerId,
      keyId,
      order.amountMicro,
      LONG_AGO,
      ...batchColumns(status, place),
    ],
  )
  const orderId = row?.order_id ?? 0n
  if (batch !== undefined && status === 'pending') {
    const line = { orderId, batchId: batch.batchId, index: order.index, since: new Date(LONG_AGO) }
    await addSignedLine(db, line)
  }
  return orderId
}

const TABLES = [
  'chains',
  'signers',
  'batches',
  'batch_attempts',
  'orders',
  'wallet_earmarks',
  'foreign_instructions',
  'tag_conflicts',
  'chain_limits',
  'batch_explanations',
  'settlement_holds',
]
const PARTS = [
  ...TABLES.map((table) => `select '${table}' as name, t::text as row from ${table} t where chain_id = $1`),
  `select 'signed_orders', f::text from signed_orders f join orders o using (order_id) where o.chain_id = $1`,
  `select 'leases', l::text from leases l where name = $2`,
].join(' union all ')

/** Every row of a chain, as text, and what is compared instead of them: how many there are, and a sum over what they say. */
export type RowsOfChain = { rows: readonly string[]; mark: string }

/** @returns the rows of a chain as they are */
export async function rowsOfChain(db: Queryable, chainId: number): Promise<RowsOfChain> {
  const rows = await db.query<{ name: string; row: string }>(`select name, row from (${PARTS}) r order by 1, 2`, [
    chainId,
    `settlement:${chainId}`,
  ])
  return { rows: rows.map(({ name, row }) => `${name} ${row}`), mark: await markOf(db, chainId) }
}

/** This is asked after every round of most tests of settlement: to have the rows written out, sorted and sent would cost three times as much. */
async function markOf(db: Queryable, chainId: number): Promise<string> {
  const [found] = await db.query<{ mark: string }>(
    `select concat(count(*), ' ', sum(hashtextextended(name || row, 0))) as mark from (${PARTS}) r`,
    [chainId, `settlement:${chainId}`],
  )
  return found?.mark ?? ''
}

/** Throws when the shadow has changed. */
export async function requireUntouched(db: Queryable, before: RowsOfChain): Promise<void> {
  if ((await markOf(db, SHADOW_CHAIN)) === before.mark) return
  const [was, is] = [new Set(before.rows), new Set((await rowsOfChain(db, SHADOW_CHAIN)).rows)]
  const [gone, come] = [was.difference(is), is.difference(was)]
  throw new Error(`another chain was touched:\n- ${[...gone].join('\n- ')}\n+ ${[...come].join('\n+ ')}`)
}
