/** The steps of a batch as settlement takes them, each in a transaction of its own. */
import type { Database, Queryable } from '../../src/db/database.ts'
import { submitOrders } from '../../src/orders/life/signed.sql.ts'
import { decideBatch } from '../../src/payouts/decide-batch.ts'
import { abandon } from '../../src/settlement/repair/abandon.ts'
import {
  insertBatch,
  markFinal,
  markMined,
  markRelocated,
  markUnmined,
} from '../../src/settlement/tables/batches.sql.ts'

export type BatchName = { chainId: number; batchId: bigint }

export const txHash = (digit: string) => `0x${digit.repeat(64)}`

type Place = { hash?: string; block?: bigint }
type Outcome = { succeeded: readonly number[]; reasons?: Record<number, string> }

export function createBatchSteps(db: Database) {
  const inTransaction = (work: (tx: Queryable) => Promise<unknown>) => db.transaction(work)
  const mined = ({ batchId }: BatchName, blockNumber: bigint, hash: string) => ({
    batchId,
    blockNumber,
    blockHash: `0xb${blockNumber}`,
    txHash: hash,
  })
  return {
    submit: (name: BatchName, orderIds: readonly bigint[], hash: string = txHash('a')) =>
      inTransaction(async (tx) => {
        const signed = { signer: '0x51', nonce: name.batchId, digest: '0xd1', runningHash: '0xd2' }
        await insertBatch(tx, { ...name, ...signed, fencingToken: 1n, orderIds, txHash: hash })
        await submitOrders(tx, name)
      }),
    /** Abandons the batch and everything behind it. */
    requeue: ({ chainId, batchId }: BatchName) => inTransaction((tx) => abandon(tx, chainId, batchId)),
    mine: (name: BatchName, { hash = txHash('b'), block = 50n }: Place = {}) =>
      inTransaction((tx) => markMined(tx, name.chainId, mined(name, block, hash))),
    relocate: (name: BatchName, { hash = txHash('c'), block = 51n }: Place = {}) =>
      inTransaction((tx) => markRelocated(tx, name.chainId, mined(name, block, hash))),
    unmine: ({ chainId, batchId }: BatchName) => inTransaction((tx) => markUnmined(tx, chainId, batchId)),
    /**
     * Decides whatever there is to decide, even when the batch was already final. It runs in a session of the given
     * time zone, which must make no difference.
     */
    finalise: (name: BatchName, { succeeded, reasons = {} }: Outcome, timeZone = 'UTC') =>
      inTransaction(async (tx) => {
        await tx.query(`select set_config('timezone', $1, true)`, [timeZone])
        const successBitmap = succeeded.reduce((bits, index) => bits | (1n << BigInt(index)), 0n)
        await markFinal(tx, name.chainId, name.batchId, successBitmap)
        const [batch] = await tx.query<{ order_ids: bigint[] }>(
          'select order_ids from batches where chain_id = $1 and batch_id = $2',
          [name.chainId, name.batchId],
        )
        const outcome = {
          ...name,
          successBitmap,
          orderIds: batch?.order_ids ?? [],
          reasons: new Map(Object.entries(reasons).map(([index, reason]) => [Number(index), reason])),
        }
        await decideBatch(tx, outcome, { source: `batch/${name.chainId}/${name.batchId}`, effectiveAt: new Date() })
      }),
  }
}
