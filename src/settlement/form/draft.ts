import type { Hex } from 'viem'
import type { PendingOrder } from '../tables/waiting.sql.ts'

/** A batch before it is simulated. */
export type Draft = { batchId: bigint; orders: PendingOrder[]; callData: Hex; digest: Hex }
