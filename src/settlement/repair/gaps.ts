/**
 * A gap is a nonce below the next one that no batch in flight has and that the chain has not seen: everything behind it
 * waits for ever. It arises when a reorganisation or a lost chain state undoes the transaction that used it.
 */

import { broadcast } from '../../chain/broadcast.ts'
import type { AgreedHead } from '../../chain/quorum.ts'
import { readMarket } from '../market.ts'
import { findBytesOfNonce } from '../tables/attempts.sql.ts'
import { readNextNonces } from '../tables/chains.sql.ts'
import type { InFlightBatch } from '../tables/in-flight.sql.ts'
import type { Work } from '../work.ts'

const EMPTY_TRANSFER_GAS = 21_000n

/** The signers with a gap, and the nonce of each (pure). */
export function findGaps(
  nonces: Readonly<Record<string, bigint>>,
  nextNonces: ReadonlyMap<string, bigint>,
  inFlight: readonly InFlightBatch[],
): { signer: string; nonce: bigint }[] {
  return Object.entries(nonces).flatMap(([signer, nonce]) => {
    const isCarried = inFlight.some((batch) => batch.signer === signer && batch.nonce === nonce)
    return nonce < (nextNonces.get(signer) ?? 0n) && !isCarried ? [{ signer, nonce }] : []
  })
}

/**
 * Fills gaps that have lasted for a while: with the bytes that once had the nonce, which execute a batch at most once
 * wherever they land, or else with a transfer of nothing to the signer itself.
 */
export async function fillGaps(work: Work, at: AgreedHead, inFlight: readonly InFlightBatch[]): Promise<void> {
  const { db, chain, logger, memory, nowMs, times } = work
  const { chainId } = chain.config
  const gaps = findGaps(memory.follow.view?.nonces ?? {}, await readNextNonces(db, chainId), inFlight)
  if (gaps.length === 0) {
    memory.gaps.sinceMs = undefined
    return
  }
  memory.gaps.sinceMs ??= nowMs()
  if (nowMs() - memory.gaps.sinceMs < times.behindGraceMs) return
  memory.gaps.sinceMs = undefined
  for (const { signer: address, nonce } of gaps) {
    const signer = chain.signers.find((candidate) => candidate.address === address)
    const { fees } = await readMarket(work, at)
    if (signer === undefined || fees === undefined) continue
    const stored = await findBytesOfNonce(db, chainId, address, nonce)
    const empty = {
      chainId,
      nonce,
      to: signer.address,
      data: '0x',
      value: 0n,
      gas: EMPTY_TRANSFER_GAS,
      ...fees,
    } as const
    const raw = stored ?? (await signer.sign(empty)).raw
    const answer = await broadcast(chain.nodes, raw)
    const fields = { chainId, signer: address, nonce: String(nonce), stored: stored !== undefined, answer: answer.text }
    logger.error(fields, 'a nonce was missing on chain and has been filled')
  }
}
