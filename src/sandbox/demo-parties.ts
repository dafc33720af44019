/** The demo integration, and a customer for each case that a partner may want to try. */
import type { BankAccount } from '../customers/bank-account.ts'
import type { CustomerDetails } from '../customers/customer.ts'
import { ONE_IN_MICRO } from '../money.ts'

const bank = (account: string, name: string) => ({ bic: 'MBBEMYKL', account, name })

/** One that may do everything; others differ from it in what they show. */
export const VERIFIED: CustomerDetails = {
  accountType: 'RETAIL',
  status: 'VERIFIED',
  level: 'TIER_2',
  countryCode: 'MY',
  isResident: true,
  monthlyCapMicro: 500_000n * ONE_IN_MICRO,
  canMint: true,
  canRedeem: true,
  canTransfer: true,
  bankId: null,
}

export type DemoParty = {
  case: string
  details: CustomerDetails
  bank?: BankAccount
  /** The coin with which the customer's wallet starts; undefined: no wallet. */
  fundingCoin: string | undefined
}

export const DEMO_PARTIES: readonly DemoParty[] = [
  { case: 'resident', details: VERIFIED, bank: bank('512345678901', 'Aminah Demo'), fundingCoin: '10000' },
  {
    case: 'non-resident',
    details: { ...VERIFIED, countryCode: 'SG', isResident: false },
    bank: bank('512345678902', 'Wei Demo'),
    fundingCoin: '10000',
  },
  {
    case: 'unverified',
    details: { ...VERIFIED, status: 'UNVERIFIED', level: 'TIER_0' },
    fundingCoin: undefined,
  },
  { case: 'no bank account', details: VERIFIED, fundingCoin: '1000' },
  {
    case: 'enterprise',
    details: {
      ...VERIFIED,
      accountType: 'ENTERPRISE',
      level: 'TIER_3',
      monthlyCapMicro: 5_000_000n * ONE_IN_MICRO,
    },
    bank: bank('512345678905', 'Demo Trading Sdn Bhd'),
    fundingCoin: '100000',
  },
]

export const DEMO_CORPORATE = {
  companyName: 'Demo Trading Sdn Bhd',
  status: 'VERIFIED',
  stage: 'COMPLETE',
  countryCode: 'MY',
  industry: 'Wholesale trade',
  canMint: true,
  canRedeem: true,
  canPayroll: true,
} as const
