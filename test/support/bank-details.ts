/** Bank details in tests that make their rows themselves, sealed as the service under test seals them. */

import { insertOne, readOne } from '../../src/bank-details/bank-details.sql.ts'
import type { Belonging } from '../../src/bank-details/bank-details.ts'
import type { BankAccount } from '../../src/customers/bank-account.ts'
import type { Queryable } from '../../src/db/database.ts'
import { createSecretBox, type SecretBox } from '../../src/secrets/secrets.ts'

export const TEST_SECRETS = createSecretBox(new Uint8Array(32).fill(7))

export const A_BANK: BankAccount = { bic: 'MBBEMYKL', account: '1234567890', name: 'A Person' }

/** Keeps a bank account: of nobody, unless it is said whose or what payment's. @returns its id */
export async function keepBank(db: Queryable, bank: BankAccount = A_BANK, belonging: Belonging = {}): Promise<string> {
  return await insertOne(db, TEST_SECRETS, bank, belonging)
}

/** Gives one customer, or each, a bank account, or takes it away. */
export async function giveBank(
  db: Queryable,
  bank: BankAccount | null,
  { customerId, secrets = TEST_SECRETS }: { customerId?: string; secrets?: SecretBox } = {},
): Promise<void> {
  const customers = await db.query<{ customer_id: string }>(
    'select customer_id from customers where $1::text is null or customer_id = $1',
    [customerId ?? null],
  )
  for (const { customer_id: owner } of customers) {
    const bankId = bank === null ? null : await insertOne(db, secrets, bank, { customerId: owner })
    await db.query('update customers set bank_id = $2 where customer_id = $1', [owner, bankId])
  }
}

/** A customer's bank account, opened. */
export async function bankOf(db: Queryable, customerId: string) {
  const [row] = await db.query<{ bank_id: string | null }>('select bank_id from customers where customer_id = $1', [
    customerId,
  ])
  return await readOne(db, TEST_SECRETS, row?.bank_id ?? null)
}
