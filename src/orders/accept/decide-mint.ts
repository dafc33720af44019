import type { Order } from '../order.ts'
import {
  checkChainLimit,
  checkNonResidentLimit,
  checkPolicy,
  checkVerification,
  isContract,
  type Terms,
} from './checks.ts'
import { type Decision, refuse } from './decision.ts'
import { draftOrder, recordsSameDetails } from './draft.ts'
import type { CustomerFacts, MintFacts } from './facts.ts'
import type { MintRequest } from './request.ts'

/**
 * Decides a POST /v1/mints. No chain is asked: a mint that the coin refuses (a frozen wallet) fails at settlement. A
 * reference that exists answers the order unchanged, except that `fiatConfirmed: true` with equal details submits an
 * order in `payment_pending`; the checks of a new mint are then made again, because days may lie between the two. What was
 * settled under this reference before, in a history that the database has lost, is recorded without checks.
 */
export function decideMint(request: MintRequest, facts: MintFacts, terms: Terms): Decision {
  const { customer, existing, now } = facts
  if (customer === undefined) return refuse('NOT_FOUND')
  if (existing !== undefined && existing.direction !== 'MINT') return refuse('IDEMPOTENCY_CONFLICT')
  if (existing !== undefined && !confirms(existing, request)) return { kind: 'existing', order: existing }
  if (facts.settledBefore === 'otherwise') return refuse('IDEMPOTENCY_CONFLICT')
  const isSettled = facts.settledBefore === 'same'
  const refusal = isSettled ? undefined : checkMint(request, customer, facts, terms)
  if (refusal !== undefined) return refusal
  if (existing !== undefined) {
    return { kind: 'advance', order: { ...existing, status: 'pending', updatedAt: now } }
  }
  const details = {
    direction: 'MINT' as const,
    customerId: customer.customerId,
    debitAddress: null,
    feeMicro: terms.policy.feeMicro.MINT,
    bankReference: null,
  }
  const order = draftOrder(request, details, terms, now)
  return {
    kind: 'accept',
    acceptance: {
      order: request.fiatConfirmed || isSettled ? order : { ...order, status: 'payment_pending' },
      usage: undefined,
      earmark: undefined,
    },
  }
}

function confirms(existing: Order, request: MintRequest): boolean {
  return existing.status === 'payment_pending' && request.fiatConfirmed && recordsSameDetails(existing, request)
}

function checkMint(request: MintRequest, customer: CustomerFacts, facts: MintFacts, { policy }: Terms) {
  return (
    checkVerification(customer) ??
    (request.amountMicro < policy.mintFloorMicro ? refuse('AMOUNT_BELOW_FLOOR') : undefined) ??
    checkNonResidentLimit(customer, request.amountMicro, policy) ??
    checkPolicy(customer.canMint, 'capability_disabled') ??
    checkPolicy(!isContract(request, request.walletAddress), 'contract_address') ??
    checkPolicy(!facts.walletDenied, 'wallet_denied') ??
    checkChainLimit(request, facts)
  )
}
