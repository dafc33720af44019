/** Asks the chain what a batch would do before a nonce is used for it. */
import type { Address } from 'viem'
import type { AgreedHead } from '../../chain/quorum.ts'
import { readGasEstimate } from '../../chain/reads.ts'
import { revertName } from '../../chain/settlement-reads.ts'
import { setHeld } from '../holds.ts'
import { oneNode } from '../market.ts'
import type { HoldReason } from '../metrics.ts'
import { handleSettledId } from '../repair/adopt.ts'
import type { Work } from '../work.ts'
import type { Draft } from './draft.ts'

/** A draft that the chain would execute now. */
export type Simulated = Draft & { gas: bigint }

/**
 * Simulates drafts and returns those, from the first on, that would be executed. When the first would not, the reason is
 * reported, or its outcome adopted if it was settled before.
 * @throws RpcAnswerError, RpcUnreachableError when the first cannot be simulated
 */
export async function simulateAll(
  work: Work,
  at: AgreedHead,
  from: Address,
  drafts: readonly Draft[],
): Promise<Simulated[]> {
  const { chain, memory } = work
  const node = oneNode(work, at)
  const estimates = await Promise.allSettled(
    drafts.map(({ callData }) => readGasEstimate(node, { from, to: chain.config.settlement, data: callData })),
  )
  const simulated: Simulated[] = []
  for (const [index, draft] of drafts.entries()) {
    const estimate = estimates[index]
    if (estimate?.status !== 'fulfilled') break
    const gas = gasLimitFor(estimate.value, at.head.gasLimit)
    const gasPerOrder = perOrder(gas, draft.orders.length)
    if (gasPerOrder !== undefined) memory.form.gasPerOrder = { ...memory.form.gasPerOrder, limit: gasPerOrder }
    simulated.push({ ...draft, gas })
  }
  const [first] = drafts
  if (first !== undefined && estimates[0]?.status === 'rejected')
    await reportRevert(work, at, first, estimates[0].reason)
  return simulated
}

async function reportRevert(work: Work, at: AgreedHead, draft: Draft, error: unknown): Promise<void> {
  const reverted = revertName(error)
  if (reverted === undefined) throw error
  if (reverted === 'BatchAlreadySettled') await handleSettledId(work, at, draft)
  else setHeld(work, holdReasonOf(reverted), { reverted, batchId: String(draft.batchId) })
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
