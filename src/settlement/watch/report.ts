/** Records what nobody here asked for, tells it, and pauses settlement where that is configured. */
import { underLease } from '../../leases/leases.sql.ts'
import { insertMovement, type Movement } from '../tables/movements.sql.ts'
import type { Work } from '../work.ts'

/** @param movement without its verdict; `mayPause`: somebody has gained something by it */
export async function report(
  { db, chain, lease, logger, memory, metrics, onForeignMovement }: Work,
  { mayPause, ...seen }: Omit<Movement, 'pauses'> & { mayPause: boolean },
): Promise<void> {
  const { chainId } = chain.config
  const pauses = mayPause && onForeignMovement === 'pause'
  const isNew = await underLease(db, lease, (tx) => insertMovement(tx, chainId, { ...seen, pauses }))
  if (!isNew) return
  memory.watch.isPaused ||= pauses
  metrics.foreignMovement(chainId, seen.kind)
  const fields = {
    chainId,
    kind: seen.kind,
    afterBlock: String(seen.afterBlock),
    seenBlock: String(seen.seenBlock),
    pauses,
    ...(seen.batchId === undefined ? {} : { batchId: String(seen.batchId) }),
    transactions: seen.transactions,
  }
  const then = pauses ? 'settlement is paused until "coin chain resume"' : 'settlement goes on'
  logger.fatal(fields, `something happened on the chain that nobody here asked for: ${seen.details}; ${then}`)
}
