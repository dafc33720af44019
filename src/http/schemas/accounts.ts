/** Customers and corporates (contract "Customer", "Corporate"). */
import Type from 'typebox'
import { ACCOUNT_TYPES } from '../../customers/customer.ts'
import { VERIFICATION_STATUSES } from '../../customers/verification.ts'
import { decimal, EXAMPLE_CUSTOMER, EXAMPLE_TIME, Ok, orNull, timestamp } from './values.ts'

const status = Type.Enum(VERIFICATION_STATUSES)
const verifiedAt = orNull(timestamp('Null unless the status is VERIFIED.'))
const countryCode = Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.' })
const createdAt = timestamp('When the party was linked.')

export const Customer = Type.Object({
  ok: Ok,
  customerId: Type.String(),
  accountType: Type.Enum(ACCOUNT_TYPES),
  verification: Type.Object({
    status,
    level: Type.String({ description: 'Tier label such as TIER_2; new labels may appear.' }),
    verifiedAt,
  }),
  residency: Type.Object({
    countryCode,
    isResident: Type.Boolean({
      description: 'A non-resident is limited to RM 100,000 per transaction on mint and redeem.',
    }),
  }),
  limits: Type.Object({
    currency: Type.String({ description: 'Currency of the limit values.' }),
    monthlyWithdrawalCap: decimal('Redeems allowed in a UTC calendar month.'),
    monthlyWithdrawalUsed: decimal('Used this month.'),
    monthlyWithdrawalRemaining: decimal('Left this month.'),
  }),
  capabilities: Type.Object({ canMint: Type.Boolean(), canRedeem: Type.Boolean(), canTransfer: Type.Boolean() }),
  createdAt,
})

export const Corporate = Type.Object({
  ok: Ok,
  corporateId: Type.String(),
  companyName: Type.String(),
  verification: Type.Object({
    status,
    stage: Type.String({ description: 'Stage label such as COMPLETE; new labels may appear.' }),
    verifiedAt,
  }),
  jurisdiction: Type.Object({ countryCode }),
  industry: Type.String(),
  capabilities: Type.Object({ canMint: Type.Boolean(), canRedeem: Type.Boolean(), canPayroll: Type.Boolean() }),
  createdAt,
})

export const EXAMPLE_CUSTOMER_ANSWER = {
  ok: true,
  customerId: EXAMPLE_CUSTOMER,
  accountType: 'RETAIL',
  verification: { status: 'VERIFIED', level: 'TIER_2', verifiedAt: EXAMPLE_TIME },
  residency: { countryCode: 'MY', isResident: true },
  limits: {
    currency: 'MYR',
    monthlyWithdrawalCap: '500000',
    monthlyWithdrawalUsed: '250.5',
    monthlyWithdrawalRemaining: '499749.5',
  },
  capabilities: { canMint: true, canRedeem: true, canTransfer: true },
  createdAt: EXAMPLE_TIME,
}

export const EXAMPLE_CORPORATE_ANSWER = {
  ok: true,
  corporateId: 'cor_91b0c7e24fd83a6e5c1f0b7d',
  companyName: 'Example Trading Sdn Bhd',
  verification: { status: 'VERIFIED', stage: 'COMPLETE', verifiedAt: EXAMPLE_TIME },
  jurisdiction: { countryCode: 'MY' },
  industry: 'Wholesale trade',
  capabilities: { canMint: true, canRedeem: true, canPayroll: false },
  createdAt: EXAMPLE_TIME,
}
