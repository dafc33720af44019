/** SQL of the table `integration_remitters`: from which bank accounts a partner pays for its mints. */

import { deleteDetails, insertOne } from '../bank-details/bank-details.sql.ts'
import { accountKeys } from '../bank-details/bank-details.ts'
import type { Queryable } from '../db/database.ts'
import { hasEveryKey } from '../db/secrets-key.sql.ts'
import type { SecretBox } from '../secrets/secrets.ts'

const LOCK = 7_261_061

/**
 * Registers an account of an integration.
 * @returns whose it is: another integration keeps it; undefined where that cannot be seen, because another key is replacing that of this process
 */
export async function addRemitter(
  tx: Queryable,
  secrets: SecretBox,
  { integrationId, account }: { integrationId: string; account: string },
): Promise<string | undefined> {
  await tx.query(`select pg_advisory_xact_lock(${LOCK})`)
  // Once nobody else registers one: what was registered under a key has put that key there before.
  if (!(await hasEveryKey(tx, secrets))) return undefined
  const owner = await findRemitter(tx, secrets, account)
  if (owner !== undefined) return owner
  const bankId = await insertOne(tx, secrets, { bic: null, account, name: null })
  await tx.query('insert into integration_remitters (bank_id, integration_id) values ($1, $2)', [bankId, integrationId])
  return integrationId
}

/** The integration that has registered an account. */
export async function findRemitter(db: Queryable, secrets: SecretBox, account: string): Promise<string | undefined> {
  const [row] = await db.query<{ integration_id: string }>(
    `select r.integration_id from bank_details d join integration_remitters r using (bank_id)
     where d.account_key = any ($1::text[])`,
    [accountKeys(secrets, account)],
  )
  return row?.integration_id
}

/** Returns false when the account was not this integration's. */
export async function removeRemitter(
  tx: Queryable,
  secrets: SecretBox,
  { integrationId, account }: { integrationId: string; account: string },
): Promise<boolean> {
  const rows = await tx.query<{ bank_id: string }>(
    `delete from integration_remitters r using bank_details d
     where d.bank_id = r.bank_id and d.account_key = any ($1::text[]) and r.integration_id = $2 returning r.bank_id`,
    [accountKeys(secrets, account), integrationId],
  )
  await deleteDetails(
    tx,
    rows.map((row) => row.bank_id),
  )
  return rows.length > 0
}

/** The last four digits of an integration's accounts. */
export async function listRemitters(db: Queryable, integrationId: string): Promise<string[]> {
  const rows = await db.query<{ ending: string | null }>(
    `select d.account_ending as ending from integration_remitters r join bank_details d using (bank_id)
     where r.integration_id = $1 order by r.created_at, r.bank_id`,
    [integrationId],
  )
  return rows.map(({ ending }) => ending ?? '')
}
