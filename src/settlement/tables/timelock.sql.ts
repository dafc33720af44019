/** The table `timelock_operations`: what the timelock of a chain was told to do. Writes run under the chain's lease. */
import type { Hex } from 'viem'
import type { OperationState } from '../../chain/timelock.ts'
import type { Queryable } from '../../db/database.ts'

/** A call of an operation; see `describeCall`. */
export type StoredCall = { contract: string | null; target: string; value: string; call: string }

export type TimelockOperation = {
  operationId: Hex
  calls: readonly StoredCall[]
  txHash: Hex
  block: bigint
  sentBy: string | null
}

/** The last block whose logs were read for operations; undefined before the first were. */
export async function findTimelockBlock(db: Queryable, chainId: number): Promise<bigint | undefined> {
  const [row] = await db.query<{ timelock_block: bigint | null }>(
    'select timelock_block from chains where chain_id = $1',
    [chainId],
  )
  return row?.timelock_block ?? undefined
}

/** The logs of the timelock are read up to this block. */
export async function setTimelockBlock(tx: Queryable, chainId: number, block: bigint): Promise<void> {
  await tx.query('update chains set timelock_block = $2 where chain_id = $1', [chainId, block])
}

/** Records one with its state. One that was cancelled and is scheduled again is pending again. */
export async function storeOperation(
  tx: Queryable,
  chainId: number,
  { operationId, calls, txHash, block, sentBy }: TimelockOperation,
  state: OperationState,
): Promise<void> {
  await tx.query(
    `insert into timelock_operations (chain_id, operation_id, calls, tx_hash, scheduled_block, sent_by, status, ready_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (chain_id, operation_id) do update set tx_hash = excluded.tx_hash,
       scheduled_block = excluded.scheduled_block, sent_by = excluded.sent_by, status = excluded.status, ready_at = excluded.ready_at`,
    [
      chainId,
      operationId,
      JSON.stringify(calls),
      txHash,
      block,
      sentBy,
      state.status,
      state.status === 'pending' ? state.readyAt : null,
    ],
  )
}

/** An operation can be executed no more, because it was, or was cancelled. */
export async function endOperation(
  tx: Queryable,
  chainId: number,
  operationId: Hex,
  status: 'executed' | 'cancelled',
): Promise<void> {
  await tx.query('update timelock_operations set status = $3 where chain_id = $1 and operation_id = $2', [
    chainId,
    operationId,
    status,
  ])
}

export type PendingOperation = TimelockOperation & { chainId: number; readyAt: Date }

/** Those that can still be executed, of one chain or of all, the soonest first. */
export async function findPendingOperations(db: Queryable, chainId?: number): Promise<PendingOperation[]> {
  const rows = await db.query<Omit<PendingOperation, 'chainId'> & { chainId: bigint }>(
    `select chain_id as "chainId", operation_id as "operationId", calls, tx_hash as "txHash", scheduled_block as block,
       sent_by as "sentBy", ready_at as "readyAt"
     from timelock_operations where status = 'pending' and ($1::bigint is null or chain_id = $1) order by ready_at, operation_id`,
    [chainId ?? null],
  )
  return rows.map((row) => ({ ...row, chainId: Number(row.chainId) }))
}
