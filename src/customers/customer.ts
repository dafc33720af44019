/** The customer as the domain knows it, and as the API shows it (contract "Customer"). */
import { formatAmount } from '../money.ts'
import { countryProblem } from './country.ts'
import { labelProblem, type VerificationStatus } from './verification.ts'

export const ACCOUNT_TYPES = ['RETAIL', 'ENTERPRISE'] as const
export type AccountType = (typeof ACCOUNT_TYPES)[number]

/** What an operator decides about a customer. */
export type CustomerDetails = {
  accountType: AccountType
  status: VerificationStatus
  level: string
  countryCode: string
  isResident: boolean
  /** The most that redeems may take in one UTC month. */
  monthlyCapMicro: bigint
  canMint: boolean
  canRedeem: boolean
  canTransfer: boolean
  /** The bank account to which redeems are paid, by its id in `bank_details`; null: redeems are refused. */
  bankId: string | null
  /** What the partner or the issuer calls it elsewhere; unique for its integration. */
  externalId?: string | null
}

export type Customer = CustomerDetails & {
  /** What is shown of its bank account without opening it. */
  bank: { bic: string | null; accountEnding: string | null } | null
  customerId: string
  integrationId: string
  /** Set exactly while the status is VERIFIED. */
  verifiedAt: Date | null
  /** The sum of the redeems in the current UTC month that did not fail. */
  monthlyCommittedMicro: bigint
  /** Whether a wallet is linked; the first one linked is primary. */
  hasWallet: boolean
  /** What no book needs was forgotten then: nothing of it can be changed any more. */
  erasedAt: Date | null
  createdAt: Date
}

/** Every problem of a customer's details as a sentence; empty when they can be stored. */
export function customerProblems(details: CustomerDetails): string[] {
  return [labelProblem('level', details.level), countryProblem(details.countryCode)].filter(
    (problem) => problem !== undefined,
  )
}

/**
 * Shapes a customer for the API (contract "Customer"), without `ok`. Capabilities are the current ability: verified,
 * not switched off, and with the wallet or bank account that such an order needs.
 */
export function viewCustomer(customer: Customer) {
  const verified = customer.status === 'VERIFIED'
  const remainingMicro = customer.monthlyCapMicro - customer.monthlyCommittedMicro
  return {
    customerId: customer.customerId,
    accountType: customer.accountType,
    verification: {
      status: customer.status,
      level: customer.level,
      verifiedAt: customer.verifiedAt?.toISOString() ?? null,
    },
    residency: { countryCode: customer.countryCode, isResident: customer.isResident },
    limits: {
      currency: 'MYR',
      monthlyWithdrawalCap: formatAmount(customer.monthlyCapMicro),
      monthlyWithdrawalUsed: formatAmount(customer.monthlyCommittedMicro),
      monthlyWithdrawalRemaining: formatAmount(remainingMicro > 0n ? remainingMicro : 0n),
    },
    capabilities: {
      canMint: verified && customer.canMint,
      canRedeem: verified && customer.canRedeem && customer.hasWallet && customer.bankId !== null,
      canTransfer: verified && customer.canTransfer && customer.hasWallet,
    },
    createdAt: customer.createdAt.toISOString(),
  }
}
