/** Raises the fee of batches that wait too long: same nonce, same call data, stored before they are sent. */
import { bumpedFees } from '../../chain/fees.ts'
import type { AgreedHead } from '../../chain/quorum.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { readMarket } from '../market.ts'
import { sendAttempt } from '../send.ts'
import { insertAttempt } from '../tables/attempts.sql.ts'
import { readCallData } from '../tables/batches.sql.ts'
import { type Attempt, type InFlightBatch, presentAttempts } from '../tables/in-flight.sql.ts'
import type { Work } from '../work.ts'

const BUMPS_PER_ROUND = 8

/** Bumps the oldest batches whose newest attempt has waited for `bumpAfterMs`. */
export async function bumpLate(work: Work, at: AgreedHead, inFlight: readonly InFlightBatch[]): Promise<void> {
  const { chain, memory } = work
  let bumped = 0
  for (const batch of inFlight) {
    const attempt = presentAttempts(batch).at(-1)
    if (batch.status !== 'signed' || attempt === undefined || bumped >= BUMPS_PER_ROUND) continue
    if (attempt.ageMs < chain.config.bumpAfterMs) continue
    if ((memory.follow.view?.nonces[batch.signer] ?? 0n) > batch.nonce) continue
    if (await bump(work, at, batch, attempt)) bumped += 1
  }
}

async function bump(work: Work, at: AgreedHead, batch: InFlightBatch, previous: Attempt): Promise<boolean> {
  const { db, chain, lease, logger, metrics } = work
  const { chainId, settlement, maxFeePerGasWei } = chain.config
  const market = await readMarket(work, at)
  const fees = bumpedFees(previous.fees, market.fees, maxFeePerGasWei)
  const signer = chain.signers.find(({ address }) => address === batch.signer)
  if (fees === undefined || signer === undefined) return false
  const data = await readCallData(db, chainId, batch.batchId)
  const { nonce, gasLimit } = previous
  const signed = await signer.sign({ chainId, nonce, to: settlement, data, value: 0n, gas: gasLimit, ...fees })
  await work.onStep('bump-signed')
  const attempt = { chainId, batchId: batch.batchId, signer: batch.signer, nonce, fees, gasLimit, txHash: signed.hash }
  await underLease(db, lease, (tx) => insertAttempt(tx, { ...attempt, rawTransaction: signed.raw }))
  await work.onStep('bump-stored')
  metrics.bumped(chainId)
  const shown = { batchId: String(batch.batchId), maxFeePerGas: String(fees.maxFeePerGas), txHash: signed.hash }
  logger.info({ chainId, ...shown }, 'fee raised')
  await sendAttempt(work, signed.hash, signed.raw)
  return true
}
