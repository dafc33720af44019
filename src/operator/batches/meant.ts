/** Which batch somebody means who says something of one: under its number the chain may have another by now than the one that they were told of. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Queryable } from '../../db/database.ts'
import { isSeen, requireAsSeen } from '../as-seen.ts'
import { OperatorError } from '../errors.ts'
import { hadAnotherBatch } from './another.sql.ts'
import { type BatchRow, findBatch } from './batches.sql.ts'

/** A batch as it is, by what `batch show` says of it. */
export function batchAsSeen({ digest, explanation, otherOutcome }: BatchRow): string {
  const instants = [explanation?.at, otherOutcome?.seenAt, otherOutcome?.at].map((at) => at?.toISOString() ?? '')
  return [digest, ...instants].join(' ')
}

/**
 * Compares the batch that somebody means with what there is under its number. They may leave that out where there never was another one: then nobody can mean
 * one; and where the nodes prove what is said, as of one that the chain has lost.
 * @param before as it was before anything was done; its row is locked by now
 * @param named its digest, or its transaction
 * @throws OperatorError CONFLICT
 */
export async function requireBatchMeant(
  tx: Queryable,
  headers: IncomingHttpHeaders,
  { before, named, isProven }: { before: BatchRow; named: string | undefined; isProven: boolean },
): Promise<void> {
  const { chainId, batchId } = before
  const name = `Batch ${batchId} of chain ${chainId}`
  requireAsSeen(headers, batchAsSeen(before), name)
  const { digest, txHash } = (await findBatch(tx, chainId, batchId)) ?? before
  if (digest !== before.digest) requireAsSeen({ 'x-seen': '' }, digest, name)
  const isNamed = [digest, txHash].some((hash) => hash?.toLowerCase() === named?.trim().toLowerCase())
  const isClear = isSeen(headers) || isProven || !(await hadAnotherBatch(tx, { chainId, batchId, digest }))
  if (isNamed || (named === undefined && isClear)) return
  const why =
    named === undefined
      ? `Under the number of ${name.toLowerCase()} there was another before`
      : `${name} is not ${named}`
  const now = `Its digest is ${digest}${txHash === null ? '' : `, its transaction ${txHash}`}`
  const look = `Look at it with "coin batch show ${chainId} ${batchId}"`
  const again = `say which you mean: "coin batch explain ${chainId} ${batchId} --digest … --reason …"`
  throw new OperatorError('CONFLICT', `${why}. ${now}. Nothing was done. ${look}, then ${again}.`)
}
