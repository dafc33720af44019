/** The steps of a batch as settlement takes them, each in a transaction of its own. */
import type { Database, Queryable } from '../../src/db/database.ts'
import {
  confirmingOrders,
  relocateOrders,
  requeueOrders,
  resubmittedOrders,
  submitOrders,
} from '../../src/orders/life/moves.sql.ts'
import { decideBatch } from '../../src/payouts/decide-batch.ts'

export type BatchName = { chainId: number; batchId: bigint }

export const txHash = (digit: string) => `0x${digit.repeat(64)}`

type Place = { hash?: string; block?: bigint }
type Outcome = { succeeded: readonly number[]; reasons?: Record<number, string> }

export function createBatchSteps(db: Database) {
  const inTransaction = (work: (tx: Queryable) => Promise<void>) => db.transaction(work)
  return {
    submit: (name: BatchName, orderIds: readonly bigint[], hash: string | null = txHash('a')) =>
      inTransaction((tx) => submitOrders(tx, name, orderIds, hash)),
    requeue: (name: BatchName) => inTransaction((tx) => requeueOrders(tx, name)),
    mine: (name: BatchName, { hash = txHash('b'), block = 50n }: Place = {}) =>
      inTransaction((tx) => confirmingOrders(tx, { ...name, txHash: hash, blockNumber: block })),
    relocate: (name: BatchName, { hash = txHash('c'), block = 51n }: Place = {}) =>
      inTransaction((tx) => relocateOrders(tx, { ...name, txHash: hash, blockNumber: block })),
    unmine: (name: BatchName) => inTransaction((tx) => resubmittedOrders(tx, name)),
    /** In a session of some time zone, which must make no difference. */
    finalise: (name: BatchName, { succeeded, reasons = {} }: Outcome, timeZone = 'UTC') =>
      inTransaction(async (tx) => {
        await tx.query(`select set_config('timezone', $1, true)`, [timeZone])
        await decideBatch(tx, {
          ...name,
          successBitmap: succeeded.reduce((bits, index) => bits | (1n << BigInt(index)), 0n),
          reasons: new Map(Object.entries(reasons).map(([index, reason]) => [Number(index), reason])),
        })
      }),
  }
}
