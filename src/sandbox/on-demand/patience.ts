/** How long a request waits for what it makes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ChainError } from '../../chain-errors.ts'
import type { Queryable } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import { findOrder } from '../../orders/read/orders.sql.ts'

const PATIENCE_MS = 40_000
const LOOK_EVERY_MS = 100

/**
 * What `work` comes to, if it does in time; it goes on by itself otherwise, and the same request finds what it made.
 * @throws ApiError SERVICE_UNAVAILABLE when it takes too long, or the chain does not do what it should
 */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = new AbortController()
  const tooLate = sleep(PATIENCE_MS, undefined, { signal: late.signal }).then(() => {
    throw new ApiError('SERVICE_UNAVAILABLE')
  })
  try {
    return await Promise.race([work, tooLate])
  } catch (error) {
    if (error instanceof ChainError) throw new ApiError('SERVICE_UNAVAILABLE', undefined, { cause: error })
    throw error
  } finally {
    late.abort()
    work.catch(() => {})
    tooLate.catch(() => {})
  }
}

/** Waits until an order is completed. @throws ApiError SERVICE_UNAVAILABLE when it is not, in the end */
export async function completed(db: Queryable, integrationId: string, referenceId: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (performance.now() < deadline) {
    const order = await findOrder(db, integrationId, referenceId)
    if (order?.status === 'completed') return
    if (order === undefined || order.status === 'failed') break
    await sleep(LOOK_EVERY_MS)
  }
  throw new ApiError('SERVICE_UNAVAILABLE')
}
