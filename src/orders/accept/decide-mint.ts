/** The decision about a mint (pure). */
import { formatAmount } from '../../money.ts'
import type { Order } from '../order.ts'
import { capKeyOf } from './call.ts'
import {
  checkChainLimit,
  checkNonResidentLimit,
  checkPolicy,
  checkVerification,
  isOwnContract,
  lowerCap,
  NO_LIMIT_MICRO,
  type Terms,
  utcDay,
} from './checks.ts'
import { type Decision, refuse, refuseLimit, refuseReference, type UsageAddition } from './decision.ts'
import type { ChainAnswers, CustomerFacts, MintFacts } from './facts.ts'
import { newOrder, recordsSameDetails } from './new-order.ts'
import type { MintRequest } from './request.ts'

/**
 * Decides a POST /v1/mints.
 * - A reference that exists answers the order unchanged. But `fiatConfirmed: true` with equal details submits an order in `payment_pending`, if
 *   its chain is still configured; the checks of a new mint are then made again, because days may lie between the two.
 * - What was settled under this reference before, in a history that the database has lost, is recorded without checks.
 * - A mint counts for the key that confirms it, on the UTC day on which it does.
 * - A chain is asked only about sanctions, and only one with an oracle: a mint that the coin refuses (a frozen wallet) fails at settlement.
 * @param answers what the chain said; undefined before it was asked
 */
export function decideMint(
  request: MintRequest,
  facts: MintFacts,
  terms: Terms,
  answers?: ChainAnswers | undefined,
): Decision {
  const { customer, existing, now } = facts
  if (customer === undefined) return refuse('NOT_FOUND')
  if (existing !== undefined && existing.direction !== 'MINT') return refuseReference()
  if (existing !== undefined && !confirms(existing, request)) return { kind: 'existing', order: existing }
  // Nobody settles there: to answer the order as it is would hide that it was not submitted.
  if (existing !== undefined && request.unconfigured !== undefined)
    return refuse('INVALID_CHAIN_ID', request.unconfigured)
  if (facts.settledBefore === 'otherwise') return refuseReference()
  const isSettled = facts.settledBefore === 'same'
  const refusal = isSettled
    ? undefined
    : (checkMint(request, customer, facts, terms) ?? screenRecipient(request, answers))
  if (refusal !== undefined) return refusal
  if (existing !== undefined) {
    const order: Order = { ...existing, status: 'pending', updatedAt: now }
    return { kind: 'advance', order, usage: usageOf(facts, terms, isSettled) }
  }
  const isConfirmed = request.fiatConfirmed || isSettled
  const details = {
    direction: 'MINT' as const,
    customerId: customer.customerId,
    debitAddress: null,
    feeMicro: terms.policy.feeMicro.MINT,
    bankReference: null,
  }
  const order = newOrder(request, details, terms, now)
  return {
    kind: 'accept',
    acceptance: {
      order: isConfirmed ? order : { ...order, status: 'payment_pending' },
      usage: isConfirmed ? usageOf(facts, terms, isSettled) : undefined,
      earmark: undefined,
    },
  }
}

function confirms(existing: Order, request: MintRequest): boolean {
  return existing.status === 'payment_pending' && request.fiatConfirmed && recordsSameDetails(existing, request)
}

function checkMint(request: MintRequest, customer: CustomerFacts, facts: MintFacts, terms: Terms) {
  const { policy } = terms
  return (
    checkVerification(customer) ??
    (request.amountMicro < policy.mintFloorMicro
      ? refuseLimit('AMOUNT_BELOW_FLOOR', policy.mintFloorMicro)
      : undefined) ??
    checkNonResidentLimit(customer, request.amountMicro, policy) ??
    checkPolicy(request.amountMicro <= policy.mintCeilingMicro, 'above_mint_ceiling', policy.mintCeilingMicro) ??
    checkPolicy(customer.canMint, 'capability_disabled') ??
    checkPolicy(!isOwnContract(request), 'contract_address') ??
    checkPolicy(!facts.walletDenied, 'wallet_denied') ??
    checkDayCap(request, facts, terms) ??
    checkChainLimit(request, facts)
  )
}

/** Whatever the oracle could not be asked about never passes. */
function screenRecipient(
  { walletAddress, chain }: MintRequest,
  answers: ChainAnswers | undefined,
): Decision | undefined {
  if (!chain.hasSanctionsOracle) return undefined
  if (answers === undefined) {
    const questions = { chainId: chain.chainId, debit: undefined, recipientAddress: walletAddress }
    return { kind: 'askChain', questions }
  }
  if (answers.recipientSanctioned === undefined) return refuse('SERVICE_UNAVAILABLE')
  return checkPolicy(!answers.recipientSanctioned, 'wallet_denied')
}

/** What waits for its payment takes nothing of the cap. */
function checkDayCap(request: MintRequest, facts: MintFacts, terms: Terms): Decision | undefined {
  const capMicro = capInForce(terms)
  if (!request.fiatConfirmed || capMicro === null) return undefined
  if (facts.committedTodayMicro + request.amountMicro <= capMicro) return undefined
  return refuse('POLICY_REJECTED', {
    reason: 'mint_day_cap',
    capMyr: formatAmount(capMicro),
    committedMyr: formatAmount(facts.committedTodayMicro),
  })
}

function capInForce({ caller, policy }: Terms): bigint | null {
  return lowerCap(policy.mintDayCapMicro, caller.mintDayCapMicro)
}

/** Without a cap nothing is counted. What was settled before happened, and only counts. */
function usageOf({ now }: MintFacts, terms: Terms, isSettled: boolean): UsageAddition | undefined {
  const capMicro = capInForce(terms)
  if (capMicro === null) return undefined
  return { owner: capKeyOf(terms.caller), period: utcDay(now), capMicro: isSettled ? NO_LIMIT_MICRO : capMicro }
}
