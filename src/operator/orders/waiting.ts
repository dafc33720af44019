/** Why an order is not finished yet, in one sentence that says who must act (pure). */
import { BUCKET } from '../../chain/instructions.ts'
import type { ChainConfig } from '../../config.ts'
import { formatAmount } from '../../money.ts'
import { phaseOf } from '../../orders/life/phase.ts'
import type { Order } from '../../orders/order.ts'
import { HOLD_REASONS, type HoldReason } from '../../payouts/payout.ts'
import { isSaidBySettler } from '../../payouts/said-by-settlers.ts'
import { withPayout } from './commands-in.ts'
import { adviceOn, HOLD_ADVICE, RAISED } from './hold-advice.ts'
import { isGood, type LostFacts, sayDoneByOthers, sayLost } from './lost.ts'

/** What is known of an order's settlement and payout. */
export type WaitingFacts = {
  /** Whether some process holds the lease to settle on the chain. */
  settlerAlive: boolean
  /** The newest block that the settler has recorded; null when it never looked at the chain. */
  observedBlock: bigint | null
  /** Something was settled under its tag that is not this order. */
  hasTagConflict: boolean
  /** Why it is kept out of batches until an operator decides. */
  held: string | null
  /** What its settler last said about the chain; undefined when it never said anything. */
  hold: HoldFacts | undefined
  /** The most that the chain settles in one such order; null when it is not known. */
  capacityMicro: bigint | null
  /** Batches of the chain that no block has, and the first of them. */
  signedBatches: number
  oldestSigned: bigint | null
  /** Transactions signed for the batch. */
  attempts: number
  /** What the node last answered to a broadcast. */
  lastAnswer: string | null
  payout: PayoutFacts | undefined
  /** Of a completed one whose batch was given up. */
  lost: LostFacts | undefined
  isChainLost: boolean
  /** It had ended, and others have done just what it asks for. */
  isDoneByOthers: boolean
}

/** `blocked`: reasons that hold one kind of order while the others go on. `ageMs`: since it was last said. */
export type HoldFacts = { reason: string; details: string | null; blocked: readonly string[]; ageMs: number }

export type PayoutFacts = {
  payoutId: string
  status: string
  timesAsked: number
  error: string | null
  holdReason: HoldReason | null
  /** The order that mints its coin back, while that is not decided. */
  refundOrder: string | null
}

/** What the chain says about itself just now, as far as it was asked. Of `emptySigners` one may be in reserve, and a chain may take no fees. */
export type ChainSigns = {
  readable: boolean
  paused: boolean
  emptySigners: readonly string[]
  confirmations: number
  finality: ChainConfig['finality']
}

/** The reason why an order waits; null for a finished one, unless coin was moved for it nevertheless, or what it moved was lost. */
export function waitingReason(order: Order, facts: WaitingFacts, chain: ChainSigns | undefined): string | null {
  const fence = facts.hold?.reason === 'fence' ? ` ${sayHold(facts.hold)}` : ''
  if (order.status === 'payment_pending' && facts.isChainLost) return NEVER_PAID
  if (order.status === 'payment_pending') return `It waits for the partner to confirm the payment.${fence}`
  const hasEnded = order.status === 'failed' || order.status === 'cancelled'
  if (facts.isDoneByOthers) return `tag_conflict: ${sayDoneByOthers(order)}`
  if (hasEnded && facts.hasTagConflict) return ENDED_CONFLICT
  if (facts.lost !== undefined && !isGood(facts.lost)) return sayLost(order, facts.lost)
  if (order.status !== 'pending' && order.status !== 'processing') return null
  if (facts.hasTagConflict) return TAG_CONFLICT
  if (facts.held !== null)
    return `held: ${facts.held}. ${LIFTED[facts.held] ?? ''}Run "coin order release" or "coin order reject".${fence}`
  if (order.batchId === null) return settlementProblem(order, facts, chain) ?? formingReason(order, facts)
  const phase = phaseOf(order)
  if (order.batchStatus === 'final') return payoutReason(facts.payout)
  const problem = settlementProblem(order, facts, chain)
  if (problem !== undefined) return problem
  return phase === 'CONFIRMING' ? confirmingReason(order, facts, chain) : submittedReason(order, facts)
}

/** Of orders that a rule holds, what lifts the cause: released before, they are refused or held again. They stay held once it is lifted. */
const LIFTED: Readonly<Record<string, string>> = {
  integration_suspended: 'Its integration was suspended: if it still is, first run "coin integration resume". ',
  customer_suspended:
    'Its customer was suspended or rejected: if they still are, first run "coin customer set ID --status VERIFIED". ',
  wallet_denied: 'One of its wallets was on the deny list: if it still is, first run "coin screening allow". ',
  wallet_not_linked:
    'Its wallet is not (or no longer) linked to its customer: first run "coin wallet add", unless it was removed on purpose. ',
  wallet_sanctioned:
    "The chain's sanctions oracle lists one of its wallets, and nobody can overrule that: released while it still does, it is held again. ",
  refund_from_before:
    'It was pending before the database was restored, or another took over, and what is lost may have had its payout paid again: wait a quarter of an hour, while payers ask its rail, or reject it and run "coin payout refund" of its payout, which says what it waits for. ',
}

const TAG_CONFLICT =
  'tag_conflict: a batch that this database did not make has settled its tag, but not as this order asks. Find it with "coin batch list --unexplained" and "coin batch show CHAIN ID". If that was not for this order, "coin batch explain CHAIN ID --not-order ORDER --reason …" lets it go on. If one instruction was for it and others were not, say that of each of those with "coin batch explain CHAIN ID --not-order ORDER --index N --reason …": it takes the outcome of the one that is left. If it is not to settle any more, run "coin order reject".'

const NEVER_PAID =
  'Its chain is lost: its payment can be confirmed no more. Nothing was settled, and it stays until its partner cancels it.'

const ENDED_CONFLICT =
  'tag_conflict: the order had ended without coin when a batch that this database did not make moved coin for it. Make it good with the partner, then run "coin batch explain CHAIN ID --not-order ORDER --reason …".'

function settlementProblem({ chainId }: Order, facts: WaitingFacts, chain: ChainSigns | undefined): string | undefined {
  const { hold, settlerAlive } = facts
  if (hold !== undefined && Math.abs(hold.ageMs) < FRESH_MS) {
    if (hold.reason === 'chain-mismatch' || (hold.reason === 'round-failed' && !settlerAlive)) return sayHold(hold)
  }
  if (!settlerAlive) return `No settler works on chain ${chainId}: start a process with the settler role.`
  if (chain === undefined) return `Chain ${chainId} is not configured here.`
  if (!chain.readable) return `Chain ${chainId} does not answer: check its RPC addresses.`
  if (chain.paused) return `The coin is paused on chain ${chainId}: run "coin chain resume" when that is over.`
  if (chain.emptySigners.length === 0 || (hold !== undefined && hold.reason !== 'gas-balance')) return undefined
  return `A signer has no gas: send native coin to ${chain.emptySigners.join(', ')} ("coin chain status" says how much).`
}

/** A settler that does not settle a chain says so this often. What was said while the database's clock was ahead is of no known age. */
const FRESH_MS = 60_000

/** Why an order is in no batch although a settler works and the coin moves. */
function formingReason({ integrationId, referenceId, direction, amountMicro }: Order, facts: WaitingFacts): string {
  const { hold, capacityMicro } = facts
  const name = JSON.stringify(`${integrationId}/${referenceId}`)
  if (hold?.reason === 'batch-undecided' && hold.details?.includes(`"order":${name}`)) return sayHold(hold)
  const bucket = BUCKET[direction]
  if (capacityMicro !== null && amountMicro > capacityMicro) {
    return `oversized: the chain settles at most ${formatAmount(capacityMicro)} in one ${direction.toLowerCase()}: raise the ${bucket} limit (${RAISED}), or reject the order.`
  }
  const shortOfReserve = hold?.blocked.includes('reserve') || hold?.reason === 'reserve'
  if (direction === 'MINT' && hold !== undefined && shortOfReserve) {
    return sayHold({ ...hold, reason: 'reserve', details: hold.reason === 'reserve' ? hold.details : null })
  }
  const own = `${bucket}-limit` as const
  if (hold?.blocked.includes(own) || hold?.reason === own) return `${own}: ${HOLD_ADVICE[own]}`
  if (hold !== undefined && hold.reason !== 'none' && !isOfOneKind(hold.reason)) return sayHold(hold)
  for (const reason of OF_SOME) if (hold?.blocked.includes(reason)) return sayHold({ ...hold, reason, details: null })
  if (facts.signedBatches > 0) {
    return `in-flight: ${facts.signedBatches} batches before it are not mined, the first is ${facts.oldestSigned}.`
  }
  return 'due: nothing holds it, and the settler takes it within seconds. If it stays, see the log of the settler.'
}

/** Reasons that hold some orders while the others go on. */
const OF_SOME = ['sanctions-oracle', 'other-chain-unfenced']

/** Whether the reason holds one kind of order, or one batch, alone. */
function isOfOneKind(reason: string): boolean {
  return reason.endsWith('-limit') || reason === 'reserve' || OF_ONE_BATCH.includes(reason)
}

function sayHold({ reason, details }: HoldFacts): string {
  return `${reason}: ${adviceOn(reason)}${details === null ? '' : ` ${details}`}`
}

/** Reasons that keep one batch from its end, or orders from ending otherwise, and hold nothing else. */
const OF_ONE_BATCH = ['batch-undecided', 'batch-not-found', 'fence']

/** Reasons that keep a batch out of blocks, too. */
const UNMINED = ['gas-price', 'gas-balance', 'signer-without-role', 'signer-unavailable', 'batch-not-mined']

function submittedReason({ txHash, batchId }: Order, { attempts, lastAnswer, hold }: WaitingFacts): string {
  if (hold?.reason === 'batch-not-found' && hold.details?.includes(`"${batchId}"`)) return sayHold(hold)
  const why = hold !== undefined && UNMINED.includes(hold.reason) ? `${sayHold(hold)} ` : ''
  const answer = lastAnswer === null ? 'it was not broadcast yet' : `the node last answered "${lastAnswer}"`
  return `${why}Batch ${batchId} (transaction ${txHash}) is not mined: ${attempts} signed; ${answer}.`
}

function confirmingReason(
  { blockNumber }: Order,
  { observedBlock, hold }: WaitingFacts,
  chain: ChainSigns | undefined,
): string {
  const needed = chain?.confirmations ?? '?'
  const until = chain?.finality === 'finalized' ? ', and its block must be finalized too' : ''
  const seen = blockNumber === null || observedBlock === null ? '?' : observedBlock - blockNumber + 1n
  const why = hold?.reason === 'batch-undecided' ? `${sayHold(hold)} ` : ''
  return `${why}It is mined in block ${blockNumber} and has ${seen} of ${needed} confirmations${until}.`
}

/** Why a payout is held. A settler holds one as an operator would, and has said why. @param lastError what was last said of it */
export function sayHoldReason(holdReason: HoldReason, lastError: string | null): string {
  const isSettlers = holdReason === 'by_operator' && lastError !== null && isSaidBySettler(lastError)
  return isSettlers ? BY_SETTLER : HOLD_REASONS[holdReason]
}

const BY_SETTLER = 'a settler holds it, for what was last said of it: do what that says, and do not release it before'

/** What keeps a payout from everything else while its coin is minted back. */
export function sayRefunding({ payoutId, refundOrder }: Pick<PayoutFacts, 'payoutId' | 'refundOrder'>): string {
  return `The coin of ${payoutId} is being minted back: see "coin order show ${refundOrder}".`
}

function payoutReason(payout: WaitingFacts['payout']): string {
  if (payout === undefined) return 'The burn is final but no payout is recorded: run "coin reconcile" and report it.'
  const { payoutId, status, timesAsked, error, holdReason, refundOrder } = payout
  const told = error === null ? '' : ` (${error})`
  if (refundOrder !== null) return sayRefunding(payout)
  if (holdReason !== null)
    return withPayout(`Payout ${payoutId} is held: ${sayHoldReason(holdReason, error)}${told}.`, payoutId)
  if (status === 'rejected')
    return `${payoutId} was refused${told}: "coin payout show ${payoutId}" says what can be done.`
  if (status === 'returned')
    return `${payoutId} came back from the bank${told}: "coin payout show ${payoutId}" says what can be done.`
  const asked =
    timesAsked === 0
      ? 'no rail was asked yet'
      : `its rail was asked ${timesAsked === 1 ? 'once' : `${timesAsked} times`}`
  return `Payout ${payoutId} is ${status}: ${asked}${told}.`
}
