/** The decision about a redeem (pure). */
import { formatAmount, SEN_IN_MICRO } from '../../money.ts'
import type { Order } from '../order.ts'
import {
  askAboutDebit,
  checkChainLimit,
  checkDebit,
  checkNonResidentLimit,
  checkPolicy,
  checkVerification,
  isOwnContract,
  type Limits,
  NO_LIMITS,
  type Terms,
  utcMonth,
} from './checks.ts'
import { type Decision, refuse, refuseLimit, refuseReference } from './decision.ts'
import type { ChainAnswers, CustomerFacts, RedeemFacts } from './facts.ts'
import { newOrder, recordsSameDetails } from './new-order.ts'
import type { RedeemRequest } from './request.ts'

/**
 * Decides a POST /v1/redeems. A reference that exists answers the order when every detail is equal, bankReference
 * included; otherwise 409. What was settled under this reference before, in a history that the database has lost, is recorded
 * without checks, caps and balance.
 * @param answers what the chain said; undefined before it was asked
 */
export function decideRedeem(
  request: RedeemRequest,
  facts: RedeemFacts,
  terms: Terms,
  answers: ChainAnswers | undefined,
): Decision {
  const { customer, existing, debit } = facts
  if (customer === undefined) return refuse('NOT_FOUND')
  if (existing !== undefined) {
    return isSameRedeem(existing, request) ? { kind: 'existing', order: existing } : refuseReference()
  }
  if (facts.settledBefore === 'otherwise') return refuseReference()
  if (facts.settledBefore === 'same') return acceptRedeem(request, facts, terms, customer, NO_LIMITS)
  const refusal =
    checkRedeem(request, customer, facts, terms) ??
    checkMonthlyLimit(request, customer, facts) ??
    checkChainLimit(request, facts)
  if (refusal !== undefined) return refusal
  if (debit.observedBlock === undefined) return refuse('SETTLEMENT_FAILED')
  if (answers === undefined) {
    const { customerId } = customer
    const asked = { address: request.walletAddress, customerId, blockNumber: debit.observedBlock }
    return askAboutDebit(request, terms, asked, undefined)
  }
  return (
    checkDebit(request, request.walletAddress, debit, answers) ??
    acceptRedeem(request, facts, terms, customer, {
      capMicro: customer.monthlyCapMicro,
      balanceMicro: answers.balanceMicro ?? 0n,
    })
  )
}

function isSameRedeem(existing: Order, request: RedeemRequest): boolean {
  return (
    existing.direction === 'REDEEM' &&
    recordsSameDetails(existing, request) &&
    existing.bankReference === request.bankReference
  )
}

function checkRedeem(request: RedeemRequest, customer: CustomerFacts, facts: RedeemFacts, { policy }: Terms) {
  const aboveCeiling = request.amountMicro > policy.redeemCeilingMicro
  return (
    checkVerification(customer) ??
    (aboveCeiling ? refuseLimit('AMOUNT_ABOVE_REDEEM_CEILING', policy.redeemCeilingMicro) : undefined) ??
    checkNonResidentLimit(customer, request.amountMicro, policy) ??
    checkPolicy(request.amountMicro >= SEN_IN_MICRO, 'below_one_sen') ??
    checkPolicy(customer.canRedeem, 'capability_disabled') ??
    checkPolicy(!isOwnContract(request), 'contract_address') ??
    checkPolicy(!facts.walletDenied, 'wallet_denied') ??
    checkPolicy(facts.walletLinked, 'wallet_not_linked') ??
    checkPolicy(customer.hasBankAccount, 'no_bank_account')
  )
}

function checkMonthlyLimit(request: RedeemRequest, customer: CustomerFacts, facts: RedeemFacts): Decision | undefined {
  if (facts.withdrawnThisMonthMicro + request.amountMicro <= customer.monthlyCapMicro) return undefined
  return refuse('MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED', {
    monthlyLimit: formatAmount(customer.monthlyCapMicro),
    monthlyCommitted: formatAmount(facts.withdrawnThisMonthMicro),
    requestedAmount: formatAmount(request.amountMicro),
  })
}

function acceptRedeem(
  request: RedeemRequest,
  { now, debit }: RedeemFacts,
  terms: Terms,
  { customerId }: CustomerFacts,
  { capMicro, balanceMicro }: Limits,
): Decision {
  const details = {
    direction: 'REDEEM' as const,
    customerId,
    debitAddress: request.walletAddress,
    feeMicro: terms.policy.feeMicro.REDEEM,
    bankReference: request.bankReference,
  }
  return {
    kind: 'accept',
    acceptance: {
      order: newOrder(request, details, terms, now),
      usage: { owner: customerId, period: utcMonth(now), capMicro },
      earmark: { epoch: debit.epoch, balanceMicro },
    },
  }
}
