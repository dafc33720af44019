/** Requests about customers and corporates → their details. */
import { type Static, Type } from 'typebox'
import type { BankAccount } from '../customers/bank-account.ts'
import type { CorporateDetails } from '../customers/corporate.ts'
import { ACCOUNT_TYPES, type CustomerDetails } from '../customers/customer.ts'
import { VERIFICATION_STATUSES } from '../customers/verification.ts'
import { parseLimit } from './amounts.ts'
import { OperatorError } from './errors.ts'
import { Flag, oneOf, text } from './parse.ts'

const CUSTOMER_FIELDS = {
  type: oneOf(ACCOUNT_TYPES),
  status: oneOf(VERIFICATION_STATUSES),
  level: text(1, 32),
  country: text(1, 8),
}
const CUSTOMER_OPTIONS = {
  resident: Type.Optional(Flag),
  monthlyCap: Type.Optional(text(1, 30)),
  canMint: Type.Optional(Flag),
  canRedeem: Type.Optional(Flag),
  canTransfer: Type.Optional(Flag),
  bankBic: Type.Optional(text(1, 20)),
  bankAccount: Type.Optional(text(1, 40)),
  bankName: Type.Optional(text(1, 200)),
  externalId: Type.Optional(text(1, 100)),
}
const strict = { additionalProperties: false }

export const CustomerLink = Type.Object(
  { integrationId: text(1, 100), ...CUSTOMER_FIELDS, ...CUSTOMER_OPTIONS },
  strict,
)
export const CustomerSet = Type.Object(
  { ...Type.Partial(Type.Object(CUSTOMER_FIELDS)).properties, ...CUSTOMER_OPTIONS, removeBank: Type.Optional(Flag) },
  strict,
)

const CORPORATE_FIELDS = {
  name: text(1, 200),
  status: oneOf(VERIFICATION_STATUSES),
  stage: text(1, 32),
  country: text(1, 8),
  industry: text(1, 200),
}
const CORPORATE_OPTIONS = {
  canMint: Type.Optional(Flag),
  canRedeem: Type.Optional(Flag),
  canPayroll: Type.Optional(Flag),
}
export const CorporateLink = Type.Object(
  { integrationId: text(1, 100), ...CORPORATE_FIELDS, ...CORPORATE_OPTIONS },
  strict,
)
export const CorporateSet = Type.Object(
  { ...Type.Partial(Type.Object(CORPORATE_FIELDS)).properties, ...CORPORATE_OPTIONS },
  strict,
)

type CustomerChanges = Static<typeof CustomerSet>

/** Details of a new customer: a resident with the default cap and every capability, unless said otherwise. */
export function newCustomer(input: Static<typeof CustomerLink>, defaultCapMicro: bigint): CustomerDetails {
  const { type, status, level, country } = input
  const blank: CustomerDetails = {
    accountType: type,
    status,
    level,
    countryCode: country,
    isResident: true,
    monthlyCapMicro: defaultCapMicro,
    canMint: true,
    canRedeem: true,
    canTransfer: true,
    bankId: null,
  }
  const { integrationId: _, ...changes } = input
  return changedCustomer(blank, changes)
}

/** Details with only the named ones changed; the bank account is `changedBank`. @throws OperatorError BAD_REQUEST when the cap is wrong */
export function changedCustomer(current: CustomerDetails, changes: CustomerChanges): CustomerDetails {
  const { monthlyCap } = changes
  return {
    accountType: changes.type ?? current.accountType,
    status: changes.status ?? current.status,
    level: changes.level ?? current.level,
    countryCode: changes.country ?? current.countryCode,
    isResident: changes.resident ?? current.isResident,
    monthlyCapMicro: monthlyCap === undefined ? current.monthlyCapMicro : parseLimit('monthlyCap', monthlyCap),
    canMint: changes.canMint ?? current.canMint,
    canRedeem: changes.canRedeem ?? current.canRedeem,
    canTransfer: changes.canTransfer ?? current.canTransfer,
    bankId: current.bankId,
    externalId: changes.externalId ?? current.externalId ?? null,
  }
}

/** What a request says about the bank account. */
export type BankChanges = Pick<CustomerChanges, 'bankBic' | 'bankAccount' | 'bankName' | 'removeBank'>

/**
 * Whether a request changes the bank account, or removes it.
 * @throws OperatorError BAD_REQUEST when it says both
 */
export function bankChange({ bankBic, bankAccount, bankName, removeBank }: BankChanges): 'none' | 'change' | 'remove' {
  const isChanged = bankBic !== undefined || bankAccount !== undefined || bankName !== undefined
  if (removeBank === true && isChanged) {
    throw new OperatorError('BAD_REQUEST', 'Either remove the bank account or change it, not both.')
  }
  if (removeBank === true) return 'remove'
  return isChanged ? 'change' : 'none'
}

/** The bank account with only the named parts changed. @throws OperatorError BAD_REQUEST when a part is missing */
export function changedBank(current: BankAccount | null, changes: BankChanges): BankAccount {
  const { bankBic, bankAccount, bankName } = changes
  const bic = bankBic ?? current?.bic
  const account = bankAccount ?? current?.account
  const name = bankName ?? current?.name
  if (bic !== undefined && account !== undefined && name !== undefined) return { bic, account, name }
  throw new OperatorError('BAD_REQUEST', 'A bank account needs all of bankBic, bankAccount and bankName.')
}

/** Details of a new corporate: every capability, unless said otherwise. */
export function newCorporate(input: Static<typeof CorporateLink>): CorporateDetails {
  const { name, status, stage, country, industry } = input
  return {
    companyName: name,
    status,
    stage,
    countryCode: country,
    industry,
    canMint: input.canMint ?? true,
    canRedeem: input.canRedeem ?? true,
    canPayroll: input.canPayroll ?? true,
  }
}

/** Details with only the named ones changed. */
export function changedCorporate(current: CorporateDetails, changes: Static<typeof CorporateSet>): CorporateDetails {
  return {
    companyName: changes.name ?? current.companyName,
    status: changes.status ?? current.status,
    stage: changes.stage ?? current.stage,
    countryCode: changes.country ?? current.countryCode,
    industry: changes.industry ?? current.industry,
    canMint: changes.canMint ?? current.canMint,
    canRedeem: changes.canRedeem ?? current.canRedeem,
    canPayroll: changes.canPayroll ?? current.canPayroll,
  }
}

/** @throws OperatorError BAD_REQUEST with all problems, when there are any */
export function refuseProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new OperatorError('BAD_REQUEST', problems.join(' '))
}
