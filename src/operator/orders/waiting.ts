/** Why an order is not finished yet, in one sentence that says who must act (pure). */
import { phaseOf } from '../../orders/life/states.ts'
import type { Order } from '../../orders/order.ts'
import { HOLD_REASONS, type HoldReason } from '../../payouts/payout.ts'

/** What is known of an order's settlement and payout. */
export type WaitingFacts = {
  /** Whether some process holds the lease to settle on the chain. */
  settlerAlive: boolean
  /** The newest block that the settler has recorded; null when it never looked at the chain. */
  observedBlock: bigint | null
  /** Something was settled under its tag that is not this order. */
  hasTagConflict: boolean
  /** Transactions signed for the batch. */
  attempts: number
  /** What the node last answered to a broadcast. */
  lastAnswer: string | null
  payout: PayoutFacts | undefined
}

export type PayoutFacts = {
  payoutId: string
  status: string
  attempts: number
  error: string | null
  holdReason: HoldReason | null
}

/** What the chain says about itself just now, as far as it was asked. */
export type ChainSigns = { readable: boolean; paused: boolean; emptySigners: readonly string[]; confirmations: number }

/** The reason why an order waits; null for a finished one. */
export function waitingReason(order: Order, facts: WaitingFacts, chain: ChainSigns | undefined): string | null {
  if (order.status === 'payment_pending') return 'It waits for the partner to confirm the payment.'
  if (order.status !== 'pending' && order.status !== 'processing') return null
  if (facts.hasTagConflict) return TAG_CONFLICT
  if (order.batchId === null) return settlementProblem(order, facts, chain) ?? 'It waits for the next batch.'
  const phase = phaseOf(order)
  if (phase === 'PAYOUT_PENDING') return payoutReason(facts.payout)
  const problem = settlementProblem(order, facts, chain)
  return problem ?? (phase === 'CONFIRMING' ? confirmingReason(order, facts, chain) : submittedReason(order, facts))
}

const TAG_CONFLICT =
  'tag_conflict: a batch that this database did not make has settled its tag otherwise. Find it with "batch list --unexplained", then "batch show" and "batch explain".'

function settlementProblem({ chainId }: Order, facts: WaitingFacts, chain: ChainSigns | undefined): string | undefined {
  if (!facts.settlerAlive) return `No settler works on chain ${chainId}: start a process with the settler role.`
  if (chain === undefined) return `Chain ${chainId} is not configured here.`
  if (!chain.readable) return `Chain ${chainId} does not answer: check its RPC addresses.`
  if (chain.paused) return `The coin is paused on chain ${chainId}: run "chain resume" when that is over.`
  if (chain.emptySigners.length > 0) return `A signer has no gas: send native coin to ${chain.emptySigners.join(', ')}.`
  return undefined
}

function submittedReason({ txHash, batchId }: Order, { attempts, lastAnswer }: WaitingFacts): string {
  const answer = lastAnswer === null ? 'it was not broadcast yet' : `the node last answered "${lastAnswer}"`
  return `Batch ${batchId} (transaction ${txHash}) is not mined: ${attempts} signed; ${answer}.`
}

function confirmingReason(
  { blockNumber }: Order,
  { observedBlock }: WaitingFacts,
  chain: ChainSigns | undefined,
): string {
  const needed = chain?.confirmations ?? '?'
  const seen = blockNumber === null || observedBlock === null ? '?' : observedBlock - blockNumber + 1n
  return `It is mined in block ${blockNumber} and has ${seen} of ${needed} confirmations.`
}

function payoutReason(payout: WaitingFacts['payout']): string {
  if (payout === undefined) return 'The burn is final but no payout is recorded: run "reconcile" and report it.'
  const { payoutId, status, attempts, error, holdReason } = payout
  const told = error === null ? '' : ` (${error})`
  if (holdReason !== null) return `Payout ${payoutId} is held: ${HOLD_REASONS[holdReason]}${told}.`
  if (status === 'rejected')
    return `The rail refused ${payoutId}${told}: put it right, then run "payout retry ${payoutId}".`
  return `Payout ${payoutId} is ${status} after ${attempts} attempts${told}.`
}
