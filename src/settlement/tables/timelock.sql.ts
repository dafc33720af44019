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

/** Records one with its state as of the newest block. One that was cancelled and is scheduled again is pending again. */
export async function storeOperation(
  tx: Queryable,
  chainId: number,
  { operationId, calls, txHash, block, sentBy }: TimelockOperation,
  state: OperationState,
  newestBlock: bigint,
): Promise<void> {
  await tx.query(
    `insert into timelock_operations (chain_id, operation_id, calls, tx_hash, scheduled_block, sent_by, status, ready_at, ended_block)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (chain_id, operation_id) do update set tx_hash = excluded.tx_hash,
       scheduled_block = excluded.scheduled_block, sent_by = excluded.sent_by, status = excluded.status, ready_at = excluded.ready_at,
       ended_block = excluded.ended_block`,
    [
      chainId,
      operationId,
      JSON.stringify(calls),
      txHash,
      block,
      sentBy,
      state.status,
      state.status === 'pending' ? state.readyAt : null,
      state.status === 'pending' ? null : newestBlock,
    ],
  )
}

/**
 * What has become of an operation as of the newest block: it is over, or after a reorganisation it is not. `isSure`: not only in a block that is not final,
 * in which it may have come to be over once more.
 */
export async function updateOperation(
  tx: Queryable,
  chainId: number,
  operationId: Hex,
  state: OperationState,
  { newestBlock, isSure }: { newestBlock: bigint; isSure: boolean },
): Promise<void> {
  const [status, readyAt, ended] =
    state.status === 'pending' ? [state.status, state.readyAt, null] : [state.status, null, newestBlock]
  await tx.query(
    `update timelock_operations set status = $3, ready_at = coalesce($4, ready_at), ended_block = $5
     where chain_id = $1 and operation_id = $2 and (status <> $3 or not $6)`,
    [chainId, operationId, status, readyAt, ended, isSure],
  )
}

/** Those that may still be executed: pending, or over only in blocks after `finalBlock`, the last that was final at the look before. */
export async function findUnendedOperations(db: Queryable, chainId: number, finalBlock: bigint): Promise<Hex[]> {
  const rows = await db.query<{ id: Hex }>(
    `select operation_id as id from timelock_operations where chain_id = $1 and (status = 'pending' or ended_block > $2)`,
    [chainId, finalBlock],
  )
  return rows.map(({ id }) => id)
}

export type PendingOperation = TimelockOperation & { readyAt: Date }

/** Those of a chain that can still be executed, the soonest first. */
export async function findPendingOperations(db: Queryable, chainId: number): Promise<PendingOperation[]> {
  return await db.query<PendingOperation>(
    `select operation_id as "operationId", calls, tx_hash as "txHash", scheduled_block as block,
       sent_by as "sentBy", ready_at as "readyAt"
     from timelock_operations where status = 'pending' and chain_id = $1 order by ready_at, operation_id`,
    [chainId],
  )
}
