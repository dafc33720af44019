/** Asks the nodes what batches would do, before a nonce is used for them. No single node's answer counts. */
import type { Hex } from 'viem'
import { estimateOf } from '../../chain/answers.ts'
import type { RpcNode } from '../../chain/node.ts'
import type { AgreedHead } from '../../chain/quorum.ts'
import { readGasEstimate } from '../../chain/reads.ts'
import { readExecutionEstimate, revertName, senderRefusal } from '../../chain/settlement-reads.ts'
import type { Signer } from '../../chain/signer.ts'
import { setHeld } from '../holds.ts'
import type { HoldReason } from '../metrics.ts'
import type { Work } from '../work.ts'
import type { Draft } from './draft.ts'
import { atWorst, gasLimitFor, perOrder } from './gas.ts'

/** A draft that the chain would execute, now or right after the ones before it: what it asks for, and what it will probably use. */
export type Simulated = Draft & { gas: bigint; expected: bigint }

/**
 * Simulates drafts and returns those, from the first on, that would be executed. Only the very next batch can be
 * simulated as it is; for those behind it, the coin is asked what their instructions would do. When the first would not
 * be executed, the reason is reported; `isTaken` when the reason is the history that it names.
 * @param from signers that may send them; the first of which the contract takes it does
 * @param isNext whether nothing is under way before the first draft
 * @throws NoQuorumError when the first cannot be simulated
 */
export async function simulateAll(
  work: Work,
  at: AgreedHead,
  { from, isNext }: { from: readonly Signer[]; isNext: boolean },
  drafts: readonly Draft[],
): Promise<{ simulated: Simulated[]; signers: readonly Signer[]; isTaken: boolean }> {
  const { memory } = work
  const [first, ...others] = drafts
  if (first === undefined) return { simulated: [], signers: from, isTaken: false }
  const behindOthers = async (draft: Draft) => ({
    gas: await estimateBehind(work, at.nodes, { packed: draft.packed, count: draft.orders.length }),
    from,
  })
  const estimates = await Promise.allSettled([
    isNext ? estimateNext(work, at.nodes, from, first) : behindOthers(first),
    ...others.map(behindOthers),
  ])
  const [next] = estimates
  if (next?.status === 'rejected') {
    const isTaken = reportRevert(work, first, next.reason)
    return { simulated: [], signers: from, isTaken }
  }
  const simulated: Simulated[] = []
  for (const [index, draft] of drafts.entries()) {
    const estimate = estimates[index]
    if (estimate?.status !== 'fulfilled') break
    const { gas: estimated } = estimate.value
    const gas = gasLimitFor(atWorst(estimated, draft), at.head.gasLimit)
    const { expected = estimated, orders } = draft
    const [used, limit] = [perOrder(expected, orders.length), perOrder(gas, orders.length)]
    if (used !== undefined && limit !== undefined) memory.form.gasPerOrder = { used, limit }
    simulated.push({ ...draft, gas, expected })
  }
  return { simulated, signers: next?.value.from ?? from, isTaken: false }
}

/** Simulates the next batch as it is, on behalf of each signer until the contract takes it from one. */
async function estimateNext(
  work: Work,
  nodes: readonly RpcNode[],
  from: readonly Signer[],
  { callData: data }: Draft,
): Promise<{ gas: bigint; from: readonly Signer[] }> {
  const { settlement: to } = work.chain.config
  const ask = ({ address: from }: Signer) => estimateOf(nodes, (node) => readGasEstimate(node, { from, to, data }))
  for (const [index, signer] of from.entries()) {
    try {
      return { gas: await ask(signer), from: from.slice(index) }
    } catch (error) {
      const refusal = senderRefusal(error)
      if (refusal === 'code') noteCode(work, signer)
      if (refusal === undefined || index === from.length - 1) throw error
    }
  }
  throw new Error('the chain has no signer configured')
}

/** Says once what no other sign does, because another signer goes on: only who has its key could do that. */
function noteCode({ chain, logger, memory }: Work, { address }: Signer): void {
  if (memory.form.runsCode.has(address)) return
  memory.form.runsCode.add(address)
  const fields = { chainId: chain.config.chainId, signer: address }
  logger.fatal(fields, "a signer's address runs code, and the contract takes nothing from it: was its key stolen?")
}

/** The gas of settling apart from the instructions, and at most for each of them (bench/results/gas.md). */
const SETTLE_BATCH_GAS = 110_000n
const SETTLE_ORDER_GAS = 2_000n

/**
 * The gas of a batch that waits for others before it: the coin is asked, and the rest is added.
 * @param count of its instructions
 */
export async function estimateBehind(
  { chain }: Work,
  nodes: readonly RpcNode[],
  { packed, count }: { packed: Hex; count: number },
): Promise<bigint> {
  const { coin, settlement } = chain.config
  const contracts = { coin: coin.address, settlement }
  const execution = await estimateOf(nodes, (node) => readExecutionEstimate(node, contracts, packed))
  return execution + SETTLE_BATCH_GAS + SETTLE_ORDER_GAS * BigInt(count)
}

/** Returns true when other batches than planned come before it. */
function reportRevert(work: Work, draft: Draft, error: unknown): boolean {
  const reverted = revertName(error)
  if (reverted === undefined) throw error
  const reason = holdReasonOf(reverted)
  setHeld(work, reason, { reverted, batchId: String(draft.batchId) })
  return reason === 'batch-conflict'
}

/** Why a reverting simulation holds the batch. */
export function holdReasonOf(reverted: string): HoldReason {
  if (reverted === 'EnforcedPause' || reverted === 'SettlementPaused') return 'paused'
  if (reverted === 'MintLimitExceeded') return 'mint-limit'
  if (reverted === 'BurnLimitExceeded') return 'burn-limit'
  if (reverted === 'TransferLimitExceeded') return 'transfer-limit'
  if (reverted === 'NotNextBatch' || reverted === 'WrongPrevious') return 'batch-conflict'
  if (reverted === 'SettlementUnauthorizedAccount') return 'settlement-without-role'
  if (reverted === 'CallerHasCode') return 'signer-unavailable'
  return reverted === 'AccessControlUnauthorizedAccount' ? 'signer-without-role' : 'simulation-failed'
}
