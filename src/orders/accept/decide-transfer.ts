/** The decision about a transfer (pure). */
import { formatAmount } from '../../money.ts'
import { capKeyOf } from './call.ts'
import {
  askAboutDebit,
  checkChainLimit,
  checkDebit,
  checkPolicy,
  checkVerification,
  isOwnContract,
  type Limits,
  lowerCap,
  NO_LIMITS,
  type Terms,
  unscreened,
  utcDay,
} from './checks.ts'
import { type Decision, refuse, refuseReference } from './decision.ts'
import type { ChainAnswers, CustomerFacts, TransferFacts } from './facts.ts'
import { newOrder } from './new-order.ts'
import type { TransferRequest } from './request.ts'

/**
 * Decides a POST /v1/transfers. The source is the customer's primary wallet. A reference that exists answers the order
 * unchanged. Source and recipient are screened by the deny list, the coin's freeze list and the sanctions oracle; the recipient must not
 * be one of the service's contracts. What was settled under this reference before, in a history that the database has lost,
 * is recorded without checks, caps and balance.
 * @param answers what the chain said; undefined before it was asked
 */
export function decideTransfer(
  request: TransferRequest,
  facts: TransferFacts,
  terms: Terms,
  answers: ChainAnswers | undefined,
): Decision {
  const { customer, existing, debit, sourceAddress } = facts
  if (customer === undefined) return refuse('NOT_FOUND')
  if (existing !== undefined) {
    return existing.direction === 'TRANSFER' ? { kind: 'existing', order: existing } : refuseReference()
  }
  if (facts.settledBefore === 'otherwise') return refuseReference()
  if (facts.settledBefore === 'same' && sourceAddress !== undefined) {
    return acceptTransfer(request, facts, terms, { customer, sourceAddress }, NO_LIMITS)
  }
  const refusal = checkVerification(customer) ?? checkPolicy(customer.canTransfer, 'capability_disabled')
  if (refusal !== undefined) return refusal
  if (sourceAddress === undefined) return refuse('POLICY_REJECTED', { reason: 'no_source_wallet' })
  if (sourceAddress === request.walletAddress) return refuse('POLICY_REJECTED', { reason: 'recipient_is_source' })
  if (facts.sourceDenied) return refuse('POLICY_REJECTED', { reason: 'wallet_denied' })
  if (facts.recipientDenied || isOwnContract(request)) return refuse('RECIPIENT_NOT_PERMITTED')
  const tooMuch = checkCaps(request, facts, terms) ?? checkChainLimit(request, facts)
  if (tooMuch !== undefined) return tooMuch
  if (debit.observedBlock === undefined) return refuse('SETTLEMENT_FAILED')
  if (answers === undefined) {
    const { customerId } = customer
    const asked = { address: sourceAddress, customerId, blockNumber: debit.observedBlock }
    return askAboutDebit(request, terms, asked, request.walletAddress)
  }
  return (
    screenRecipient(answers) ??
    checkDebit(request, sourceAddress, debit, answers) ??
    acceptTransfer(
      request,
      facts,
      terms,
      { customer, sourceAddress },
      { capMicro: capsInForce(terms).dailyMicro, balanceMicro: answers.balanceMicro ?? 0n },
    )
  )
}

/** 403 when screening says no; when it could not be asked, see `unscreened`. */
function screenRecipient(answers: ChainAnswers): Decision | undefined {
  if (answers.recipientFrozen === true || answers.recipientSanctioned === true) return refuse('RECIPIENT_NOT_PERMITTED')
  if (answers.recipientFrozen === false && answers.recipientSanctioned === false) return undefined
  return refuse(unscreened(answers.balanceMicro))
}

/** The caps in force: the configured ones, or the key's own where they are lower (contract "Limits"). */
function capsInForce({ caller, policy }: Terms): { perTxMicro: bigint; dailyMicro: bigint } {
  return {
    perTxMicro: lowerCap(policy.transferTxCapMicro, caller.transferTxCapMicro),
    dailyMicro: lowerCap(policy.transferDayCapMicro, caller.transferDayCapMicro),
  }
}

function checkCaps(request: TransferRequest, facts: TransferFacts, terms: Terms): Decision | undefined {
  const { perTxMicro, dailyMicro } = capsInForce(terms)
  const meta = {
    requestedCoin: formatAmount(request.amountMicro),
    committedTodayCoin: formatAmount(facts.committedTodayMicro),
    perTxCapCoin: formatAmount(perTxMicro),
    dailyCapCoin: formatAmount(dailyMicro),
  }
  if (request.amountMicro > perTxMicro) return refuse('TRANSFER_PER_TX_CAP_EXCEEDED', meta)
  if (facts.committedTodayMicro + request.amountMicro > dailyMicro) return refuse('TRANSFER_DAILY_CAP_EXCEEDED', meta)
  return undefined
}

function acceptTransfer(
  request: TransferRequest,
  { now, debit }: TransferFacts,
  terms: Terms,
  { customer, sourceAddress }: { customer: CustomerFacts; sourceAddress: string },
  { capMicro, balanceMicro }: Limits,
): Decision {
  const details = {
    direction: 'TRANSFER' as const,
    customerId: customer.customerId,
    debitAddress: sourceAddress,
    feeMicro: 0n,
    bankReference: null,
  }
  return {
    kind: 'accept',
    acceptance: {
      order: newOrder(request, details, terms, now),
      usage: { owner: capKeyOf(terms.caller), period: utcDay(now), capMicro },
      earmark: { epoch: debit.epoch, balanceMicro },
    },
  }
}
