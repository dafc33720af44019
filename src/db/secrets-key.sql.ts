/** Which SECRETS_KEY belongs to this database: a value sealed under it, which the first process that has one puts here. */
import type { SealedTable, SealedValue } from '../resealing.ts'
import type { SecretBox } from '../secrets.ts'
import { type Database, DatabaseUnsuitableError, type Queryable } from './database.ts'

const BOUND_TO = 'secrets_key'

/**
 * Compares the keys of this process with the database, so that nothing is sealed under a key that no other process has.
 * @throws DatabaseUnsuitableError when neither opens what is kept for that
 */
export async function requireSecretsKey(db: Database, secrets: SecretBox): Promise<void> {
  const find = () => db.query<{ sealed: string }>('select sealed from secrets_key')
  let [row] = await find()
  if (row === undefined) {
    const sealed = secrets.seal('the secrets key of this database', BOUND_TO)
    await db.query('insert into secrets_key (sealed) values ($1) on conflict do nothing', [sealed])
    ;[row] = await find()
  }
  try {
    secrets.open(row?.sealed ?? '', BOUND_TO)
  } catch {
    throw new DatabaseUnsuitableError(
      'SECRETS_KEY is not the key under which this database is sealed: set the right one, or, while another replaces it, the one before as SECRETS_KEY_PREVIOUS. If it is lost, see "The secrets key is lost" in docs/OPERATIONS.md.',
    )
  }
}

/** It is sealed anew with everything else. */
export const SEALED_KEY: SealedTable<Queryable> = {
  name: 'secrets_key',
  find: (tx, { prefix, after }) =>
    tx.query<SealedValue>(
      `select '${BOUND_TO}' as key, '${BOUND_TO}' as "boundTo", sealed from secrets_key
       where not starts_with(sealed, $1) and $2 = ''`,
      [prefix, after],
    ),
  async replace(tx, { sealed }, { sealed: anew }) {
    const rows = await tx.query('update secrets_key set sealed = $2 where sealed = $1 returning is_only', [
      sealed,
      anew,
    ])
    return rows.length > 0
  },
}
