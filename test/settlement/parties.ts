/** Two of every party, with equal names where names may be equal, so that a missing condition shows. */
import type { Queryable } from '../../src/db/database.ts'
import { A_BANK, giveBank } from '../support/bank-details.ts'

export type Party = { integrationId: string; customerId: string; keyId: string }

/** Two parties whose orders have the same references, as those of two integrations may. */
export const PARTIES: readonly [Party, Party] = [
  {
    integrationId: 'int_000000000000000000000001',
    customerId: 'cus_000000000000000000000001',
    keyId: '0000000000000001',
  },
  {
    integrationId: 'int_000000000000000000000002',
    customerId: 'cus_000000000000000000000002',
    keyId: '0000000000000002',
  },
]

/** Two integrations, each with a key and a customer with a bank account. */
export async function seedParties(db: Queryable): Promise<void> {
  for (const { integrationId, customerId, keyId } of PARTIES) {
    await db.query(`insert into integrations (integration_id, name) values ($1, 'Test')`, [integrationId])
    await db.query(
      `insert into api_keys (key_id, integration_id, environment, secret_sha256, scopes)
       values ($1, $2, 'sandbox', $3, '{}')`,
      [keyId, integrationId, '0'.repeat(64)],
    )
    await db.query(
      `insert into customers (customer_id, integration_id, account_type, verification_status, verification_level, verified_at,
         country_code, is_resident, monthly_cap_micro)
       values ($1, $2, 'RETAIL', 'VERIFIED', 'TIER_2', now(), 'MY', true, 1000000000000)`,
      [customerId, integrationId],
    )
    await giveBank(db, A_BANK, { customerId })
  }
  // Made anew, it would have every statement about orders planned anew.
  const giving = await db.query(`select from pg_trigger where tgname = 'orders_give_wallet'`)
  if (giving.length === 0) for (const statement of GIVE_WALLETS) await db.query(statement)
}

/** Whoever debits a wallet here has it, as acceptance would have made sure. */
const GIVE_WALLETS = [
  `create or replace function give_wallet() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
   begin
     insert into wallets (customer_id, address)
       select customer_id, new.debit_address from customers where customer_id = new.customer_id on conflict do nothing;
     return null;
   end $$`,
  `create or replace trigger orders_give_wallet after insert on orders for each row when (new.debit_address is not null)
   execute function give_wallet()`,
]
