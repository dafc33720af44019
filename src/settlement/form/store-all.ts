/** Stores signed batches: what is signed is kept before anyone sees it. */
import { underLease } from '../../leases/leases.sql.ts'
import { OrdersMovedError, submitOrders } from '../../orders/life/signed.sql.ts'
import { insertAttempt } from '../tables/attempts.sql.ts'
import { insertBatch } from '../tables/batches.sql.ts'
import { takeBatchId, takeNonce } from '../tables/chains.sql.ts'
import type { Work } from '../work.ts'
import { isAnyObjected } from './judge-again.ts'
import { isAnyUnfenced } from './other-chains.ts'
import { grantMints, ReserveUsedUpError } from './reserve.ts'
import type { Signed } from './sign-all.ts'

/** Something was decided against an order while its batch was simulated and signed, or it waits for another chain since. */
class ObjectedError extends Error {}

/** Stores all, or none: because the reserve does not cover their mints any more, or something speaks against an order since it was selected. */
export async function storeAll(
  work: Work,
  signed: readonly Signed[],
): Promise<'stored' | 'short of reserve' | 'objected'> {
  const orders = signed.flatMap((batch) => batch.orders)
  try {
    await underLease(work.db, work.lease, async (tx) => {
      await grantMints(tx, work, orders)
      for (const batch of signed) await storeBatch(tx, work, batch)
      // Last, because what comes before may have waited, for whoever holds orders or for the mints of other chains.
      if ((await isAnyObjected(tx, orders)) || (await isAnyUnfenced(tx, work, orders))) throw new ObjectedError()
    })
    return 'stored'
  } catch (error) {
    if (error instanceof ReserveUsedUpError) return 'short of reserve'
    if (error instanceof ObjectedError) return 'objected'
    throw error
  }
}

async function storeBatch(tx: Parameters<typeof insertBatch>[0], { chain, lease }: Work, batch: Signed): Promise<void> {
  const { chainId } = chain.config
  const { batchId, nonce, fees, gas: gasLimit, hash: txHash, raw: rawTransaction, orders } = batch
  const signer = batch.signer.address
  if (!(await takeBatchId(tx, chainId, batch))) throw new OrdersMovedError(`batch id ${batchId} was taken`)
  if (!(await takeNonce(tx, chainId, signer, nonce))) throw new OrdersMovedError(`nonce ${nonce} was taken`)
  const { digest, runningHash, fenceTag } = batch
  const orderIds = orders.map(({ orderId }) => orderId)
  const record = { chainId, batchId, signer, nonce, digest, runningHash, orderIds, txHash, fenceTag }
  await insertBatch(tx, { ...record, fencingToken: lease.token })
  await insertAttempt(tx, { chainId, batchId, signer, nonce, fees, gasLimit, txHash, rawTransaction })
  if (fenceTag === undefined) await submitOrders(tx, { chainId, batchId })
}
