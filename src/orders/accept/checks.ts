/** Checks that several directions share. Each returns a refusal, or undefined when it passes. */
import type { PolicyConfig } from '../../config.ts'
import { formatAmount } from '../../money.ts'
import type { Caller } from './call.ts'
import { type Decision, refuse, refuseLimit } from './decision.ts'
import type { ChainAnswers, CommonFacts, CustomerFacts, DebitFacts } from './facts.ts'
import type { OrderRequest } from './request.ts'

/** What a decision depends on besides request and facts. */
export type Terms = { caller: Caller; policy: PolicyConfig }

/** Why a request gets `POLICY_REJECTED`; `meta.reason` of the answer. */
export const POLICY_REASONS = [
  'capability_disabled',
  'contract_address',
  'wallet_not_linked',
  'wallet_denied',
  'wallet_frozen',
  'no_bank_account',
  'no_source_wallet',
  'recipient_is_source',
  'above_mint_ceiling',
  'mint_day_cap',
  'below_one_sen',
  'above_chain_limit',
] as const
export type PolicyReason = (typeof POLICY_REASONS)[number]

type Check = Decision | undefined

/** What the accepting statement holds an order to that debits a wallet: the cap of its usage, and the balance of the wallet. */
export type Limits = { capMicro: bigint; balanceMicro: bigint }

/** Of what was settled before: it happened, and only counts. */
export const NO_LIMIT_MICRO = 2n ** 63n - 1n
export const NO_LIMITS: Limits = { capMicro: NO_LIMIT_MICRO, balanceMicro: NO_LIMIT_MICRO }

/** Only VERIFIED passes; every other status is `CUSTOMER_NOT_VERIFIED`. */
export function checkVerification(customer: CustomerFacts): Check {
  return customer.verificationStatus === 'VERIFIED' ? undefined : refuse('CUSTOMER_NOT_VERIFIED')
}

/** Contract "Limits": a non-resident's mint or redeem, per transaction. The limit itself is allowed. */
export function checkNonResidentLimit(customer: CustomerFacts, amountMicro: bigint, policy: PolicyConfig): Check {
  const exceeded = !customer.isResident && amountMicro > policy.nonResidentLimitMicro
  return exceeded ? refuseLimit('FOREIGNER_LIMIT_EXCEEDED', policy.nonResidentLimitMicro) : undefined
}

/** `POLICY_REJECTED` with its reason, unless the policy holds. @param limitMicro where it is a limit that nothing else tells */
export function checkPolicy(holds: boolean, reason: PolicyReason, limitMicro?: bigint): Check {
  if (holds) return undefined
  return limitMicro === undefined
    ? refuse('POLICY_REJECTED', { reason })
    : refuseLimit('POLICY_REJECTED', limitMicro, { reason })
}

/**
 * Refuses what no on-chain bucket can ever hold. A limit that is not known refuses nothing; nor does one of 0, a brake that a
 * limiter pulls and releases: orders wait for that.
 */
export function checkChainLimit({ amountMicro }: OrderRequest, { chainLimitMicro }: CommonFacts): Check {
  const isKnown = chainLimitMicro !== undefined && chainLimitMicro > 0n
  return checkPolicy(!isKnown || amountMicro <= chainLimitMicro, 'above_chain_limit', chainLimitMicro)
}

/** Whether the wallet of a request is one of the service's own contracts on its chain, which hold coin for nobody. */
export function isOwnContract({ chain, walletAddress }: OrderRequest): boolean {
  return chain.contracts.includes(walletAddress)
}

/** The question to the chain about a wallet that is to be debited, and about the recipient where there is one. */
export function askAboutDebit(
  { chain }: OrderRequest,
  { caller }: Terms,
  { address, customerId, blockNumber }: { address: string; customerId: string; blockNumber: bigint },
  recipientAddress: string | undefined,
): Decision {
  const owner = { integrationId: caller.integrationId, customerId }
  return {
    kind: 'askChain',
    questions: { chainId: chain.chainId, debit: { address, owner, blockNumber }, recipientAddress },
  }
}

/** Refuses a debit that the chain speaks against: the wallet must be linked, free, not sanctioned, and hold enough. */
export function checkDebit(
  request: OrderRequest,
  debitAddress: string,
  debit: DebitFacts,
  answers: ChainAnswers,
): Check {
  return (
    checkLinked(answers) ??
    checkNotFrozen(answers) ??
    checkNotSanctioned(answers) ??
    checkBalance(request, debitAddress, debit, answers.balanceMicro)
  )
}

/**
 * Refuses unless the chain says that the debited wallet is still linked to the customer, for its holder may have
 * unlinked it; 502 when the chain could not say.
 */
function checkLinked(answers: ChainAnswers): Check {
  if (answers.debitLinked === undefined) return refuse('SETTLEMENT_FAILED')
  return checkPolicy(answers.debitLinked, 'wallet_not_linked')
}

/** Refuses unless the chain says that the debited wallet is free to spend; 502 when it could not say. */
function checkNotFrozen(answers: ChainAnswers): Check {
  if (answers.debitFrozen === undefined) return refuse('SETTLEMENT_FAILED')
  return checkPolicy(!answers.debitFrozen, 'wallet_frozen')
}

/** Refuses a debited wallet that the sanctions oracle lists, and whatever it could not be asked about. */
function checkNotSanctioned({ debitSanctioned, balanceMicro }: ChainAnswers): Check {
  if (debitSanctioned === undefined) return refuse(unscreened(balanceMicro))
  return checkPolicy(!debitSanctioned, 'wallet_denied')
}

/**
 * The code when screening could not be asked: 503, or 502 when the chain did not give the balance either, because then it is
 * the chain and not screening that is out of reach.
 */
export function unscreened(balanceMicro: bigint | undefined): 'SETTLEMENT_FAILED' | 'SERVICE_UNAVAILABLE' {
  return balanceMicro === undefined ? 'SETTLEMENT_FAILED' : 'SERVICE_UNAVAILABLE'
}

/**
 * Refuses unless the wallet can spend the amount: its balance at the observed block, less what accepted orders not yet
 * mined will take (the difference is shown as `walletBalanceCoin`).
 */
function checkBalance(
  request: OrderRequest,
  debitAddress: string,
  debit: DebitFacts,
  balanceMicro: bigint | undefined,
): Check {
  if (balanceMicro === undefined) return refuse('SETTLEMENT_FAILED')
  const spendableMicro = balanceMicro > debit.earmarkedMicro ? balanceMicro - debit.earmarkedMicro : 0n
  if (request.amountMicro <= spendableMicro) return undefined
  return refuse('INSUFFICIENT_BALANCE', {
    walletAddress: debitAddress,
    chainId: request.chain.chainId,
    requestedCoin: formatAmount(request.amountMicro),
    walletBalanceCoin: formatAmount(spendableMicro),
  })
}

/** The cap in force: the configured one, or the key's own where that is lower; null when there is neither. */
export function lowerCap<Configured extends bigint | null>(
  configured: Configured,
  own: bigint | null,
): Configured | bigint {
  return own !== null && (configured === null || own < configured) ? own : configured
}

/** The UTC day of an instant, as `YYYY-MM-DD`. */
export function utcDay(at: Date): string {
  return at.toISOString().slice(0, 10)
}

/** The first day of the UTC month of an instant, as `YYYY-MM-DD`. */
export function utcMonth(at: Date): string {
  return `${at.toISOString().slice(0, 7)}-01`
}
