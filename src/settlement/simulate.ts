/** Asks the chain what a batch would do before a nonce is used for it. */
import type { Fees } from '../chain/fees.ts'
import type { AgreedHead } from '../chain/quorum.ts'
import { readGasBalance, readGasEstimate } from '../chain/reads.ts'
import { revertName } from '../chain/settlement-reads.ts'
import type { Signer } from '../chain/signer.ts'
import { handleSettledId } from './adopt.ts'
import type { Draft } from './form.ts'
import type { InFlightBatch } from './in-flight-store.ts'
import { oneNode } from './market.ts'
import type { HoldReason } from './metrics.ts'
import { setHeld, type Work } from './work.ts'

/** The gas limit, or undefined when the batch must wait (the reason is reported) or was settled before. */
export async function simulate(work: Work, at: AgreedHead, signer: Signer, draft: Draft): Promise<bigint | undefined> {
  const { chain, memory } = work
  try {
    const call = { from: signer.address, to: chain.config.settlement, data: draft.callData }
    const estimate = await readGasEstimate(oneNode(work, at), call)
    const limit = gasLimitFor(estimate, at.head.gasLimit)
    const gasPerOrder = perOrder(limit, draft.orders.length)
    if (gasPerOrder !== undefined) memory.gasPerOrder = { ...memory.gasPerOrder, limit: gasPerOrder }
    return limit
  } catch (error) {
    const reverted = revertName(error)
    if (reverted === undefined) throw error
    if (reverted === 'BatchAlreadySettled') await handleSettledId(work, at, draft)
    else setHeld(work, holdReasonOf(reverted), { reverted, batchId: String(draft.batchId) })
    return undefined
  }
}

/** A margin for wallets that were emptied meanwhile: a first credit costs more. */
export function gasLimitFor(estimate: bigint, blockGasLimit: bigint): bigint {
  const limit = (estimate * 104n) / 100n + 40_000n
  return limit < blockGasLimit ? limit : blockGasLimit
}

/** Only batches large enough to average over say what an order costs; undefined for smaller ones. */
export function perOrder(gas: bigint, count: number): bigint | undefined {
  return count < 50 ? undefined : gas / BigInt(count) + 1n
}

/** Why a reverting simulation holds the batch. */
export function holdReasonOf(reverted: string): HoldReason {
  if (reverted === 'CoinPaused' || reverted === 'EnforcedPause') return 'paused'
  if (reverted === 'MintLimitExceeded') return 'mint-limit'
  if (reverted === 'DebitLimitExceeded') return 'debit-limit'
  return reverted === 'AccessControlUnauthorizedAccount' ? 'signer-not-operator' : 'simulation-failed'
}

/** Whether the signer's gas balance covers this batch on top of its unmined ones. */
export async function canPay(
  work: Work,
  at: AgreedHead,
  signer: Signer,
  gas: bigint,
  fees: Fees,
  inFlight: readonly InFlightBatch[],
): Promise<boolean> {
  const balance = await readGasBalance(oneNode(work, at), signer.address)
  let needed = gas * fees.maxFeePerGas
  for (const batch of inFlight) {
    const attempt = batch.attempts.at(-1)
    if (batch.status !== 'signed' || batch.signer !== signer.address || attempt === undefined) continue
    needed += attempt.gasLimit * attempt.fees.maxFeePerGas
  }
  if (balance >= needed) return true
  return setHeld(work, 'gas-balance', {
    signer: signer.address,
    balanceWei: String(balance),
    neededWei: String(needed),
  })
}
