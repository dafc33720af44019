/** The bank accounts of customers: opened where an operator may see them, kept sealed. */

import { isDeepStrictEqual } from 'node:util'
import { insertOne, readOne, showDetails } from '../bank-details/bank-details.sql.ts'
import type { BankDetails } from '../bank-details/bank-details.ts'
import { type BankAccount, bankAccountProblems } from '../customers/bank-account.ts'
import { type Customer, type CustomerDetails, customerProblems } from '../customers/customer.ts'
import type { Queryable } from '../db/database.ts'
import { type SecretBox, SecretBoxError } from '../secrets/secrets.ts'
import type { OperatorDeps } from './deps.ts'
import { OperatorError } from './errors.ts'
import { type BankChanges, bankChange, changedBank, refuseProblems } from './party-input.ts'

/**
 * Details with the bank account that a request says, which is kept.
 * @param given.details with the present one
 * @throws OperatorError BAD_REQUEST with all that is wrong with the details and the account
 */
export async function withBank(
  tx: Queryable,
  { secrets, payeeProblem }: Pick<OperatorDeps, 'secrets' | 'payeeProblem'>,
  { customerId, details, changes }: { customerId: string; details: CustomerDetails; changes: BankChanges },
): Promise<CustomerDetails> {
  const change = bankChange(changes)
  if (change !== 'change') {
    refuseProblems(customerProblems(details))
    return change === 'remove' ? { ...details, bankId: null } : details
  }
  // An account that no key opens any more must not stand in the way of the one that replaces it.
  const replacesAll = [changes.bankBic, changes.bankAccount, changes.bankName].every((part) => part !== undefined)
  const current = replacesAll ? undefined : await readOne(tx, secrets, details.bankId).catch(refuseUnopened)
  const bank = changedBank(current === undefined ? null : accountOf(current), changes)
  const problems = bankAccountProblems(bank)
  const ofRail = problems.length === 0 ? payeeProblem?.(bank) : undefined
  refuseProblems([...customerProblems(details), ...problems, ...(ofRail === undefined ? [] : [ofRail])])
  return { ...details, bankId: await insertOne(tx, secrets, bank, { customerId }) }
}

/** Whether a customer with these details would be another than now. The same account, kept once more, is no other. */
export async function isChanged(
  db: Queryable,
  secrets: SecretBox,
  known: Customer,
  { bankId, ...wanted }: CustomerDetails,
): Promise<boolean> {
  const before = new Map<string, unknown>(Object.entries(known))
  if (Object.entries(wanted).some(([field, value]) => value !== (before.get(field) ?? null))) return true
  const banks = await openBanks(db, secrets, [known, { bankId }])
  return !isDeepStrictEqual(banks.get(known.bankId ?? ''), banks.get(bankId ?? ''))
}

function refuseUnopened(error: unknown): never {
  if (!(error instanceof SecretBoxError)) throw error
  const sentence =
    'The stored bank account does not open under SECRETS_KEY: give all of bankBic, bankAccount and bankName.'
  throw new OperatorError('CONFLICT', sentence)
}

/** The bank accounts of customers, by their ids, with whole numbers. Those that do not open say so where the name is. */
export async function openBanks(
  db: Queryable,
  secrets: SecretBox,
  customers: readonly Pick<Customer, 'bankId'>[],
): Promise<Map<string, BankAccount>> {
  const opened = await showDetails(
    db,
    secrets,
    customers.map(({ bankId }) => bankId),
  )
  return new Map([...opened].map(([bankId, details]) => [bankId, accountOf(details)]))
}

function accountOf({ bic, account, name }: BankDetails): BankAccount {
  return { bic: bic ?? '', account: account ?? '', name: name ?? '' }
}
