/** Sends stored bytes and records the answer. An answer never changes an order. */
import type { Hex } from 'viem'
import { broadcast } from '../chain/broadcast.ts'
import { underLease } from '../leases/leases.sql.ts'
import { isNonceUsed } from './memory.ts'
import { readRawTransaction, recordBroadcast } from './tables/attempts.sql.ts'
import { type Attempt, type InFlightBatch, presentAttempts } from './tables/in-flight.sql.ts'
import type { Work } from './work.ts'

/** Broadcasts bytes that are stored already. */
export async function sendAttempt(work: Work, txHash: Hex, raw: Hex): Promise<void> {
  const { db, chain, lease, logger } = work
  const { chainId } = chain.config
  const answer = await broadcast(chain.nodes, raw)
  await work.onStep('batch-broadcast')
  const level = ['accepted', 'known', 'outbid'].includes(answer.verdict) ? 'debug' : 'warn'
  logger[level]({ chainId, txHash, verdict: answer.verdict, answer: answer.text }, 'broadcast answered')
  await underLease(db, lease, (tx) => recordBroadcast(tx, chainId, txHash, `${answer.verdict}: ${answer.text}`))
  await work.onStep('broadcast-recorded')
}

const RESENDS_PER_ROUND = 16

/**
 * Sends the bytes of unmined batches again: those never sent (after a crash or a reorganisation) at once, the others
 * when they have not been mined for a while. Every attempt of a nonce is sent, because a node may have lost one and refuse
 * another. For bytes still in its pool it answers "already known".
 */
export async function resendUnmined(work: Work, inFlight: readonly InFlightBatch[]): Promise<void> {
  const { db, chain } = work
  const due = inFlight.flatMap((batch) => dueAttempts(work, batch)).slice(0, RESENDS_PER_ROUND)
  const found = await Promise.all(
    due.map(async ({ txHash }) => ({ txHash, raw: await readRawTransaction(db, chain.config.chainId, txHash) })),
  )
  // Side by side, because a node may take its time for each.
  await Promise.all(found.map(({ txHash, raw }) => (raw === undefined ? undefined : sendAttempt(work, txHash, raw))))
}

function dueAttempts({ memory, times }: Work, batch: InFlightBatch): Attempt[] {
  if (batch.status !== 'signed' || isNonceUsed(memory, batch)) return []
  return presentAttempts(batch).filter(({ sinceBroadcastMs }) => !isWithin(sinceBroadcastMs, times.rebroadcastMs))
}

/** Whether something happened less than so long ago. An instant that is still to come is of a clock that was set back. */
function isWithin(sinceMs: number | null, durationMs: number): boolean {
  return sinceMs !== null && sinceMs >= 0 && sinceMs < durationMs
}
