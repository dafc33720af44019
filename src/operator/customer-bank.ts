/** The bank accounts of customers: opened where an operator may see them, kept sealed. */
import { insertOne, readDetails } from '../bank-details/bank-details.sql.ts'
import { type BankAccount, bankAccountProblems } from '../customers/bank-account.ts'
import { type Customer, type CustomerDetails, customerProblems } from '../customers/customer.ts'
import type { Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets.ts'
import { type BankChanges, bankChange, changedBank, refuseProblems } from './party-input.ts'

/**
 * Details with the bank account that a request says, which is kept.
 * @param given.details with the present one
 * @throws OperatorError BAD_REQUEST with all that is wrong with the details and the account
 */
export async function withBank(
  tx: Queryable,
  secrets: SecretBox,
  { customerId, details, changes }: { customerId: string; details: CustomerDetails; changes: BankChanges },
): Promise<CustomerDetails> {
  const change = bankChange(changes)
  if (change !== 'change') {
    refuseProblems(customerProblems(details))
    return change === 'remove' ? { ...details, bankId: null } : details
  }
  // An account that no key opens any more must not stand in the way of the one that replaces it.
  const replacesAll = [changes.bankBic, changes.bankAccount, changes.bankName].every((part) => part !== undefined)
  const opened = replacesAll ? undefined : (await openBanks(tx, secrets, [details])).get(details.bankId ?? '')
  const current = opened ?? null
  const bank = changedBank(current, changes)
  refuseProblems([...customerProblems(details), ...bankAccountProblems(bank)])
  return { ...details, bankId: await insertOne(tx, secrets, bank, { customerId }) }
}

/** The bank accounts of customers, by their ids, with whole numbers. */
export async function openBanks(
  db: Queryable,
  secrets: SecretBox,
  customers: readonly Pick<Customer, 'bankId'>[],
): Promise<Map<string, BankAccount>> {
  const opened = await readDetails(
    db,
    secrets,
    customers.map(({ bankId }) => bankId),
  )
  return new Map(
    [...opened].map(([bankId, { bic, account, name }]) => [
      bankId,
      { bic: bic ?? '', account: account ?? '', name: name ?? '' },
    ]),
  )
}
