/** Sends stored bytes and records the answer. An answer never changes an order. */
import type { Hex } from 'viem'
import { broadcast } from '../chain/broadcast.ts'
import { underLease } from '../leases/leases.sql.ts'
import { readRawTransaction, recordBroadcast } from './tables/attempts.sql.ts'
import { type InFlightBatch, presentAttempts } from './tables/in-flight.sql.ts'
import type { Work } from './work.ts'

/** Broadcasts bytes that are stored already. */
export async function sendAttempt(work: Work, txHash: Hex, raw: Hex): Promise<void> {
  const { db, chain, lease, logger } = work
  const { chainId } = chain.config
  const answer = await broadcast(chain.nodes, raw)
  await work.onStep('batch-broadcast')
  const level = answer.verdict === 'rejected' || answer.verdict === 'unknown' ? 'warn' : 'debug'
  logger[level]({ chainId, txHash, verdict: answer.verdict, answer: answer.text }, 'broadcast answered')
  await underLease(db, lease, (tx) => recordBroadcast(tx, chainId, txHash, `${answer.verdict}: ${answer.text}`))
  await work.onStep('broadcast-recorded')
}

const RESENDS_PER_ROUND = 16

/**
 * Sends the newest bytes of unmined batches again: those never sent (after a crash or a reorganisation) at once, the
 * others when they have not been mined for a while. For bytes still in its pool a node answers "already known".
 */
export async function resendUnmined(work: Work, inFlight: readonly InFlightBatch[]): Promise<void> {
  const { db, chain, memory, times } = work
  let sent = 0
  for (const batch of inFlight) {
    const attempt = presentAttempts(batch).at(-1)
    if (batch.status !== 'signed' || attempt === undefined || sent >= RESENDS_PER_ROUND) continue
    if (attempt.sinceBroadcastMs !== null && attempt.sinceBroadcastMs < times.rebroadcastMs) continue
    if ((memory.follow.view?.nonces[batch.signer] ?? 0n) > batch.nonce) continue
    const raw = await readRawTransaction(db, chain.config.chainId, attempt.txHash)
    if (raw !== undefined) await sendAttempt(work, attempt.txHash, raw)
    sent += 1
  }
}
