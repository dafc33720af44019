/** SQL of the table `integration_remitters`: from which bank accounts a partner pays for its mints. */
import type { Queryable } from '../db/database.ts'

/** Registers an account of an integration. @returns whose it is: another integration keeps it */
export async function addRemitter(db: Queryable, integrationId: string, account: string): Promise<string> {
  await db.query('insert into integration_remitters (account, integration_id) values ($1, $2) on conflict do nothing', [
    account,
    integrationId,
  ])
  const [row] = await db.query<{ integration_id: string }>(
    'select integration_id from integration_remitters where account = $1',
    [account],
  )
  return row?.integration_id ?? integrationId
}

/** Returns false when the account was not this integration's. */
export async function removeRemitter(db: Queryable, integrationId: string, account: string): Promise<boolean> {
  const rows = await db.query(
    'delete from integration_remitters where account = $1 and integration_id = $2 returning account',
    [account, integrationId],
  )
  return rows.length > 0
}

/** The accounts of an integration. */
export async function listRemitters(db: Queryable, integrationId: string): Promise<string[]> {
  const rows = await db.query<{ account: string }>(
    'select account from integration_remitters where integration_id = $1 order by account',
    [integrationId],
  )
  return rows.map(({ account }) => account)
}
