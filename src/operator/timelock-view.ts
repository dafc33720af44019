/** What the timelocks of the chains are about to do, in the shape that `chain status` prints. */
import { DatabaseUnavailableError, type Queryable } from '../db/database.ts'
import { findPendingOperations, findTimelockBlock, type StoredCall } from '../settlement/tables/timelock.sql.ts'
import type { OperatorChain } from './deps.ts'

export type TimelockView = {
  /** Null where the chains file does not say it any more. */
  address: string | null
  /** The last block in which operations were looked for. */
  readTo: number
  /** The soonest first. */
  operations: {
    operationId: string
    executableAt: string
    sentBy: string | null
    txHash: string
    block: number
    calls: readonly StoredCall[]
  }[]
}

/** What a chain's timelock will do unless somebody cancels it; null where none is watched yet, or the database does not answer. */
export async function timelockOf(
  db: Queryable,
  { config }: Pick<OperatorChain, 'config'>,
): Promise<TimelockView | null> {
  try {
    const readTo = await findTimelockBlock(db, config.chainId)
    if (readTo === undefined) return null
    const operations = (await findPendingOperations(db, config.chainId)).map(
      ({ operationId, readyAt, sentBy, txHash, block, calls }) => ({
        operationId,
        executableAt: readyAt.toISOString(),
        sentBy,
        txHash,
        block: Number(block),
        calls,
      }),
    )
    return { address: config.deployment?.roles.admin ?? null, readTo: Number(readTo), operations }
  } catch (error) {
    // Without the database the chains can still be looked at, and stopped.
    if (error instanceof DatabaseUnavailableError) return null
    throw error
  }
}
