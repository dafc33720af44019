/** What the watch of a chain has seen: plain data. */
import type { SettledBy } from '../../chain/batch-reads.ts'
import type { Instruction } from '../../chain/instructions.ts'
import type { Done } from '../tables/done.sql.ts'

/** What one block showed; `isFinal` once the block is. `before`: what the newest batches up to it had done on its branch, where the database may say otherwise. */
export type Look = {
  block: bigint
  hash: string
  isFinal: boolean
  lastBatchId: bigint
  supplyMicro: bigint
  before?: readonly Done[] | undefined
}

/** What a batch has done. */
export type Effect = {
  batchId: bigint
  digest: string
  /** Whether this database has signed exactly these instructions, for orders or for anything else. */
  isOurs: boolean
  /** How much more coin exists; undefined while the transaction of a batch of others cannot be found. */
  supplyMicro: bigint | undefined
  /** Of a batch of others: its transaction, and what it did. */
  by: SettledBy | undefined
  instructions: readonly Instruction[]
}
