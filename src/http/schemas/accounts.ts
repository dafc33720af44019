/** Customers and corporates (contract "Customer", "Corporate"). */
import Type from 'typebox'
import { ACCOUNT_TYPES } from '../../customers/customer.ts'
import { VERIFICATION_STATUSES } from '../../customers/verification.ts'
import { decimal, EXAMPLE_CUSTOMER, EXAMPLE_TIME, Ok, oneOf, orNull, timestamp } from './values.ts'

const status = oneOf(VERIFICATION_STATUSES, 'Only `VERIFIED` parties may order anything.')
const verifiedAt = orNull(timestamp('Null unless the status is VERIFIED.'))
const countryCode = Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.' })
const createdAt = timestamp('When the party was linked.')
const canDo = (what: string) => Type.Boolean({ description: `Whether it may ${what} now.` })
const OF_VERIFICATION = { description: 'How far the party is verified.' }
const OF_CAPABILITIES = { description: 'What the party may do now.' }

export const Customer = Type.Object({
  ok: Ok,
  customerId: Type.String({ description: 'As in the path.' }),
  accountType: oneOf(ACCOUNT_TYPES, 'A person, or a company.'),
  verification: Type.Object(
    {
      status,
      level: Type.String({ description: 'Tier label such as TIER_2; new labels may appear.' }),
      verifiedAt,
    },
    OF_VERIFICATION,
  ),
  residency: Type.Object(
    {
      countryCode,
      isResident: Type.Boolean({
        description: 'A non-resident is limited to RM 100,000 per transaction on mint and redeem.',
      }),
    },
    { description: 'Where the customer is resident.' },
  ),
  limits: Type.Object(
    {
      currency: Type.String({ description: 'Currency of the limit values.' }),
      monthlyWithdrawalCap: decimal('Redeems allowed in a UTC calendar month.'),
      monthlyWithdrawalUsed: decimal('Used this month.'),
      monthlyWithdrawalRemaining: decimal('Left this month.'),
    },
    { description: 'What redeems are held to.' },
  ),
  capabilities: Type.Object(
    { canMint: canDo('mint'), canRedeem: canDo('redeem'), canTransfer: canDo('transfer') },
    OF_CAPABILITIES,
  ),
  createdAt,
})

export const Corporate = Type.Object({
  ok: Ok,
  corporateId: Type.String({ description: 'As in the path.' }),
  companyName: Type.String({ description: "The company's registered name." }),
  verification: Type.Object(
    {
      status,
      stage: Type.String({ description: 'Stage label such as COMPLETE; new labels may appear.' }),
      verifiedAt,
    },
    OF_VERIFICATION,
  ),
  jurisdiction: Type.Object({ countryCode }, { description: 'Where the company is registered.' }),
  industry: Type.String({ description: 'What the company does.' }),
  capabilities: Type.Object(
    { canMint: canDo('mint'), canRedeem: canDo('redeem'), canPayroll: canDo('pay salaries') },
    OF_CAPABILITIES,
  ),
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
