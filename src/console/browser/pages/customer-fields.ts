/** What is filled in about a customer, and the request that it makes. */
import type { Field } from '../field.ts'

/** A customer as the API shows it. */
export type CustomerRow = {
  customerId: string
  integrationId: string
  externalId: string | null
  accountType: string
  verification: { status: string; level: string; verifiedAt: string | null }
  residency: { countryCode: string; isResident: boolean }
  limits: { monthlyWithdrawalCap: string; monthlyWithdrawalUsed: string; monthlyWithdrawalRemaining: string }
  capabilities: { canMint: boolean; canRedeem: boolean; canTransfer: boolean }
  switches: { canMint: boolean; canRedeem: boolean; canTransfer: boolean }
  bank: { bic: string; account: string; name: string } | null
  createdAt: string
  erasedAt: string | null
}

const YES_NO = ['yes', 'no']
const FLAGS = ['resident', 'canMint', 'canRedeem', 'canTransfer']
const yesNo = (is: boolean) => (is ? 'yes' : 'no')

/** The fields with what is there now, or of a new customer. The account number is never filled in beforehand. */
export function customerFields(now?: CustomerRow): Field[] {
  const isNew = now === undefined
  return [
    { name: 'type', label: 'Type', options: ['RETAIL', 'ENTERPRISE'], value: now?.accountType ?? 'RETAIL' },
    {
      name: 'status',
      label: 'Verification',
      value: now?.verification.status ?? 'UNVERIFIED',
      options: ['UNVERIFIED', 'PENDING', 'VERIFIED', 'REJECTED', 'SUSPENDED'],
    },
    { name: 'level', label: 'Level of verification', value: now?.verification.level ?? 'TIER_1' },
    { name: 'country', label: 'Country', value: now?.residency.countryCode ?? 'MY', hint: 'two letters' },
    { name: 'resident', label: 'Resident', options: YES_NO, value: yesNo(now?.residency.isResident ?? true) },
    {
      name: 'monthlyCap',
      label: 'Ringgit withdrawn in a month, at most',
      optional: isNew,
      value: now?.limits.monthlyWithdrawalCap ?? '',
      ...(isNew ? { hint: 'empty: that of the policy' } : {}),
    },
    { name: 'canMint', label: 'May mint', options: YES_NO, value: yesNo(now?.switches.canMint ?? true) },
    { name: 'canRedeem', label: 'May redeem', options: YES_NO, value: yesNo(now?.switches.canRedeem ?? true) },
    { name: 'canTransfer', label: 'May transfer', options: YES_NO, value: yesNo(now?.switches.canTransfer ?? true) },
    { name: 'externalId', label: "The partner's own id", optional: true, value: now?.externalId ?? '' },
    { name: 'bankBic', label: 'Bank (BIC)', optional: true, value: now?.bank?.bic ?? '' },
    {
      name: 'bankAccount',
      label: 'Account number',
      optional: true,
      ...(now?.bank ? { hint: `empty: ${now.bank.account} stays` } : {}),
    },
    { name: 'bankName', label: 'Account holder', optional: true, value: now?.bank?.name ?? '' },
  ]
}

type Filled = Record<string, string>

/** The request for what was filled in. */
export function bodyOfCustomer(filled: Filled): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(filled).map(([name, value]) => [name, FLAGS.includes(name) ? value === 'yes' : value]),
  )
}

/**
 * The request that changes a customer. Only what differs is sent: otherwise a change that needs no approval would wait for one, too.
 * @throws Error for what was emptied: the API keeps what is not named, and nobody must believe that an account is gone
 */
export function changesOfCustomer(filled: Filled, now: CustomerRow): Record<string, unknown> {
  const fields = customerFields(now)
  const emptied = fields.find(({ name, value = '' }) => value !== '' && (filled[name] ?? '') === '')
  if (emptied !== undefined) {
    const instead = emptied.name.startsWith('bank') ? ': “Remove the bank account …” removes all of it' : ''
    throw new Error(`“${emptied.label}” cannot be emptied${instead}.`)
  }
  const was = new Map(fields.map(({ name, value = '' }) => [name, value]))
  return bodyOfCustomer(Object.fromEntries(Object.entries(filled).filter(([name, value]) => value !== was.get(name))))
}
